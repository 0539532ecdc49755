# SPDX-License-Identifier: Apache-2.0
"""A module as it was captured: its text or bytes, and what to call it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Used:
    """Which of a function's arrays its module takes: JAX leaves out those that nothing depends on."""

    numbers: tuple[int, ...]
    of: int


@dataclass(frozen=True)
class Captured:
    """A module in a form that the program reads."""

    content: bytes
    ending: str  # of a file that holds it: how the program tells forms apart
    name: str
    notes: tuple[str, ...] = field(default=())  # what the framework could not give
    leaves: Callable[[tuple[Any, ...], Mapping[str, Any]], list[Any]] | None = None  # the arrays of args and kwargs, as the framework takes them
    used: Used | None = None

    @property
    def text(self) -> str:
        """The module as text; of a serialised one there is none."""
        return self.content.decode() if self.ending in (".mlir", ".hlo") else ""


def stablehlo(text: str, name: str, notes: tuple[str, ...] = ()) -> Captured:
    return Captured(text.encode(), ".mlir", name, notes)


def hlo(text: str, name: str, notes: tuple[str, ...] = ()) -> Captured:
    return Captured(text.encode(), ".hlo", name, notes)


def from_text(what: str | bytes | os.PathLike[str]) -> Captured:
    """A module from its text, from its bytes (XLA's protos), or from a file.

    >>> from_text("module @jit_f {\\n}").ending
    '.mlir'
    >>> from_text("no_such_file.mlir")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'no_such_file.mlir'
    """
    if isinstance(what, bytes):
        return Captured(what, ".hlo.pb", "module")
    if isinstance(what, os.PathLike) or ("\n" not in what and "{" not in what):
        path = Path(what)
        return Captured(path.read_bytes(), "".join(path.suffixes[-2:]) if path.suffix == ".pb" else path.suffix, path.stem)
    first = next((line for line in what.splitlines() if line.strip() and not line.lstrip().startswith("//")), "")
    return hlo(what, "module") if first.lstrip().startswith("HloModule") else stablehlo(what, "module")
