# SPDX-License-Identifier: Apache-2.0
"""Meshes and specs without a framework: axes by name, entries of a PartitionSpec."""

from __future__ import annotations

from typing import Any


def mesh_axes(mesh: Any) -> dict[str, int]:
    """Sizes of the axes, of a dict, of text, or of a mesh of JAX or PyTorch.

    >>> mesh_axes("data=2,model=4"), mesh_axes({"x": 8})
    ({'data': 2, 'model': 4}, {'x': 8})
    """
    if isinstance(mesh, str):
        return {axis: int(size) for axis, size in (each.split("=") for each in mesh.split(","))}
    if isinstance(mesh, dict):
        return dict(mesh)
    if getattr(mesh, "mesh_dim_names", None):  # PyTorch's DeviceMesh
        return dict(zip(mesh.mesh_dim_names, mesh.mesh.shape))
    return dict(mesh.shape)


def sharding_attribute(spec: Any, rank: int) -> str:
    """A spec as Shardy writes it.

    >>> sharding_attribute(("x", None, ("y", "z")), 3)
    '#sdy.sharding<@mesh, [{"x"}, {}, {"y", "z"}]>'
    """
    entries = [*spec, *[None] * (rank - len(spec))]
    axes = [() if each is None else (each,) if isinstance(each, str) else each for each in entries]
    dims = ", ".join("{" + ", ".join(f'"{axis}"' for axis in dim) + "}" for dim in axes)
    return f"#sdy.sharding<@mesh, [{dims}]>"
