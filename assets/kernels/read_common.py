# Reads a Pallas kernel as a text of shardscope: only its syntax tree is looked at, nothing of it is run.
import ast, itertools, sys

TYPES = {"float32": "f32", "bfloat16": "bf16", "float16": "f16"}


# What values of other kinds than those that were expected raise.
MISFITS = (AttributeError, IndexError, KeyError, TypeError, ValueError, ZeroDivisionError, RecursionError)


class Outside(Exception):
    def __init__(self, node, what):
        super().__init__(what)
        self.line, self.column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1


def dotted(node):
    """"pl.ds" of such a node, else None."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        left = dotted(node.value)
        return left and left + "." + node.attr
    return None


def keyword(call, name):
    return next((k.value for k in call.keywords if k.arg == name), None)
