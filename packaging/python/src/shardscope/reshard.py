# SPDX-License-Identifier: Apache-2.0
"""The ways from one sharding to another."""

from __future__ import annotations

from collections import Counter
from typing import Any

from . import _program
from .command import Answer
from .mesh import mesh_axes

_TYPES = {"float32": "f32", "bfloat16": "bf16", "float16": "f16", "float64": "f64", "int32": "s32", "int8": "s8"}
_LOCAL = ("dynamic-slice", "select")  # what devices do by themselves


class Ways(Answer):
    """What `shardscope reshard` answers: `routes`, the cheapest of each kind first, and those of `xla`, `shardy`, `dtensor`."""

    @property
    def best(self) -> Answer:
        """The cheapest route."""
        return Answer(self["routes"][0])

    @property
    def collectives(self) -> Answer:
        """The collectives of the cheapest route, `counts` by kind."""
        steps = [step for step in self["routes"][0]["steps"] if step["opcode"] not in _LOCAL]
        return Answer({"counts": dict(Counter(step["opcode"] for step in steps)), "steps": steps})


def cheapest(source: Any, target: Any, shape: tuple[int, ...], mesh: Any, dtype: Any = "float32", **options: Any) -> Ways:
    """How an array gets from the spec `source` to the spec `target`: the cheapest ways, proved, with bytes and time.

    Specs are PartitionSpecs, tuples of the same entries, or text, which may name parts of axes and partial results.

    >>> cheapest(("x", None), (None, "x"), (64, 32), {"x": 4, "y": 2}).collectives.counts
    {'all-to-all': 1}
    >>> cheapest("P(None, unreduced={'x'})", ("x", None), (64, 32), {"x": 4}).collectives.counts
    {'reduce-scatter': 1}
    """
    words = ["reshard", "--mesh", ",".join(f"{axis}={size}" for axis, size in mesh_axes(mesh).items()), "--shape", ",".join(map(str, shape)),
             "--dtype", _type(dtype), "--from", _text(source), "--to", _text(target), *_program.options(options)]
    return Ways(_program.ask(words, wrong_is_an_answer=True))


def _text(spec: Any) -> str:
    if isinstance(spec, str):
        return spec
    entries = [() if each is None else (each,) if isinstance(each, str) else tuple(each) for each in spec]
    return "P(" + ", ".join("(" + ",".join(f"'{axis}'" for axis in axes) + ")" if axes else "None" for axes in entries) + ")"


def _type(dtype: Any) -> str:
    name = str(getattr(dtype, "dtype", None) or getattr(dtype, "__name__", None) or dtype)
    return _TYPES.get(name, name)
