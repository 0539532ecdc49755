# SPDX-License-Identifier: Apache-2.0
"""What the writers of answers say of their keys: which may be null, and which are not always there. Examples cannot say it."""

import functools
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("app/cli", "app/report", "engine/report", "engine/session", "engine/trace", "engine/measure")

_KEY = re.compile(r'\{"(?P<listed>[a-z]\w*)",|\["(?P<set>[a-z]\w*)"\] =(?!=)|\b(?P<pushed>\w+)\.push_back\(')
_LAMBDA = re.compile(r"\bauto (\w+) = \[[^\]]*\]\([^;{}]*\) \{\s*return [^;{]*nullptr")
_FUNCTION = re.compile(r"^\S*Json (\w+)\([^;{}]*\) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_UNDER_IF = re.compile(r'\bif \([^\n]*\) (?:\w|\.)*(?:\.back\(\))?\["(\w+)"\] =|\bif \([^\n]*\) \{\n((?:[^{}]|\{[^{}]*\})*)\}')


def _texts():
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*.cpp")):
            text = re.sub(r"//[^\n]*", "", file.read_text())
            if "nlohmann" in text or "Json" in text:
                yield text


def _expression(text, start):
    """What stands behind a key, to the bracket or the semicolon that ends it."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "({[") - (text[at] in ")}]")
        if depth < 0 or (depth == 0 and text[at] == ";"):
            return text[start:at]
    return text[start:]


def _helpers(text):
    """What writes a value or null."""
    return _LAMBDA.findall(text) + [name for name, body in _FUNCTION.findall(text) if re.search(r"return [^;{]*nullptr", body)]


@functools.cache
def nullable():
    """Keys whose writer has a null for them: of a list's elements, the list's key."""
    out = set()
    for text in _texts():
        # A helper of the same file; those of other files write numbers, and every number may be null (schemas.py).
        null = re.compile(r"\bnullptr\b" + "".join(rf"|\b{name}\(" for name in _helpers(text)))
        for found in _KEY.finditer(text):
            said = re.sub(r"[!=]= nullptr", "", _expression(text, found.end()))
            if not re.match(r'\s*\{\s*\{"', said) and null.search(said):
                out.add(found["listed"] or found["set"] or found["pushed"])
    return frozenset(out)


@functools.cache
def optional():
    """Keys that are written under a condition."""
    out = set()
    for text in _texts():
        for one, block in _UNDER_IF.findall(text):
            out.update([one] if one else re.findall(r'\["(\w+)"\] =', block))
    return frozenset(out)
