# SPDX-License-Identifier: Apache-2.0
"""The way from one sharding to another."""

from __future__ import annotations

from typing import Any

from .explanation import Explanation, explain
from .mesh import mesh_axes, sharding_attribute

_TYPES = {"float32": "f32", "bfloat16": "bf16", "float16": "f16", "float64": "f64", "int32": "i32", "int8": "i8"}


def cheapest(source: Any, target: Any, shape: tuple[int, ...], mesh: Any, dtype: Any = "float32", **options: Any) -> Explanation:
    """How an array gets from the spec `source` to the spec `target`: the collectives, their bytes and time.

    Specs are PartitionSpecs, or tuples of the same entries.

    >>> cheapest(("x", None), (None, "x"), (64, 32), {"x": 4, "y": 2}).collectives.counts
    {'all-to-all': 1}
    """
    axes = mesh_axes(mesh)
    kind = f"tensor<{'x'.join(map(str, shape))}x{_type(dtype)}>"
    mesh_text = ", ".join(f'"{axis}"={size}' for axis, size in axes.items())
    text = (f"module @reshard {{\n  sdy.mesh @mesh = <[{mesh_text}]>\n"
            f"  func.func public @main(%arg0: {kind} {{sdy.sharding = {sharding_attribute(source, len(shape))}}}) -> ({kind} {{sdy.sharding = {sharding_attribute(target, len(shape))}}}) {{\n"
            f"    return %arg0 : {kind}\n  }}\n}}\n")
    return explain(text, **options)


def _type(dtype: Any) -> str:
    name = str(getattr(dtype, "dtype", None) or getattr(dtype, "__name__", None) or dtype)
    return _TYPES.get(name, name)
