# SPDX-License-Identifier: Apache-2.0
"""Whatever a user has, as the text of a module that the program reads. Frameworks are imported only when asked for."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .module import Captured, from_text

# Whose objects a part of this package understands: the root of the type's module, and that part.
_FRAMEWORKS = {"jax": "jax", "jaxlib": "jax", "torch": "torch", "torch_xla": "torch", "torchax": "torch"}

__all__ = ["Captured", "capture", "from_text"]


def capture(what: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None, *, mesh: Any = None, specs: Any = None, out_specs: Any = None) -> Captured:
    """The module of a function, a lowered or compiled one, tensors, a file or a text.

    >>> capture("HloModule m\\nENTRY e { ROOT p = f32[] parameter(0) }").ending
    '.hlo'
    >>> capture(3)
    Traceback (most recent call last):
    TypeError: got an int, expected a function, a Lowered or Compiled of JAX, a module or tensors of PyTorch, a path or a text
    """
    if isinstance(what, (str, bytes, os.PathLike)):
        return from_text(what)
    framework = _framework(what, args)
    if framework is None:
        raise TypeError(f"got {_a(type(what).__name__)}, expected a function, a Lowered or Compiled of JAX, a module or tensors of PyTorch, a path or a text")
    part = importlib.import_module(f".{framework}", __name__)
    captured: Captured = part.capture(what, args, dict(kwargs or {}), mesh=mesh, specs=specs, out_specs=out_specs)
    return captured


def _framework(what: Any, args: tuple[Any, ...]) -> str | None:
    for each in (what, *_flat(what), *_flat(args)):
        for kind in type(each).__mro__:
            part = _FRAMEWORKS.get(kind.__module__.split(".")[0])
            if part is not None:
                return part
    return "jax" if callable(what) else None


def _flat(value: Any) -> list[Any]:
    return list(value)[:16] if isinstance(value, (list, tuple)) else []


def _a(noun: str) -> str:
    return ("an " if noun[0] in "aeiouAEIOU" else "a ") + noun
