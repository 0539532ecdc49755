# SPDX-License-Identifier: Apache-2.0
"""JAX: functions, jitted or not, what they lower and compile to, exported ones. Shapes suffice, and so does a mesh without devices."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import jax
import numpy as np
from jax.sharding import AbstractMesh, Mesh, NamedSharding, PartitionSpec

from ..mesh import mesh_axes
from .module import Captured, Used, hlo, stablehlo


def capture(what: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, mesh: Any, specs: Any, out_specs: Any) -> Captured:
    if hasattr(what, "mlir_module") and hasattr(what, "nr_devices"):  # jax.export.Exported
        return _with_arguments(stablehlo(what.mlir_module(), what.fun_name), what.module_kept_var_idx, what.in_tree)
    if hasattr(what, "as_text"):
        return _staged(what)
    return _staged(lower(what, args, kwargs, mesh=mesh, specs=specs, out_specs=out_specs), _name(what))


def _staged(staged: Any, name: str = "") -> Captured:
    """Of a Lowered its StableHLO with source lines; of a Compiled XLA's own module."""
    if hasattr(staged, "runtime_executable"):
        return _with_arguments(hlo(staged.as_text(), name or "compiled"), getattr(staged._executable, "_kept_var_idx", None), staged.in_tree)
    try:
        text = staged.as_text(debug_info=True)
    except TypeError:  # a JAX whose as_text has no debug_info
        text = staged.as_text()
    kept = getattr(getattr(staged, "_lowering", None), "compile_args", {}).get("kept_var_idx")
    return _with_arguments(stablehlo(text, name or "lowered"), kept, staged.in_tree)


def _with_arguments(captured: Captured, kept: Iterable[int] | None, tree: Any) -> Captured:
    used = None if kept is None else Used(tuple(sorted(kept)), tree.num_leaves)
    return dataclasses.replace(captured, leaves=_leaves, used=used)


def _leaves(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
    """The arrays of the trees, of the types that JAX would lower them with; Python's numbers stay as they are."""
    return [_leaf(each) for each in jax.tree.leaves((args, dict(kwargs)))]


def _leaf(value: Any) -> Any:
    if isinstance(value, jax.Array) and jax.dtypes.issubdtype(value.dtype, jax.dtypes.prng_key):
        return jax.random.key_data(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value, jax.dtypes.canonicalize_dtype(value.dtype))
    return value


def lower(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, mesh: Any = None, specs: Any = None, out_specs: Any = None) -> Any:
    """f lowered for args; specs and out_specs are PartitionSpecs on the mesh, in the trees of arguments and results."""
    mesh = mesh_of(mesh)
    how: dict[str, Any] = {}
    if specs is not None:
        how["in_shardings"] = _shardings(specs if _is_spec(specs) else tuple(specs), mesh)
        args = jax.tree.map(_shape, args)
    if out_specs is not None:
        how["out_shardings"] = _shardings(out_specs, mesh)
    jitted = f if hasattr(f, "lower") and not how else jax.jit(f, **how)
    with _mesh_context(mesh):
        if hasattr(jitted, "trace"):  # with a platform named, a mesh without devices will do
            return jitted.trace(*args, **kwargs).lower(lowering_platforms=(jax.default_backend(),))
        return jitted.lower(*args, **kwargs)


def mesh_of(mesh: Any) -> Any:
    """A mesh of JAX; of axes and sizes, as {"data": 2, "model": 4} or "data=2,model=4", one without devices."""
    if isinstance(mesh, (str, dict)):
        mesh = mesh_axes(mesh)
        kinds = {"axis_types": (jax.sharding.AxisType.Auto,) * len(mesh)} if hasattr(jax.sharding, "AxisType") else {}
        return AbstractMesh(tuple(mesh.values()), tuple(mesh), **kinds)
    return mesh


def array(shape: tuple[int, ...], dtype: Any, spec: Any, mesh: Any) -> Any:
    """A ShapeDtypeStruct: the shape, type and sharding of an array, without its values."""
    sharding = None if mesh is None else NamedSharding(mesh_of(mesh), spec if spec is not None else PartitionSpec())
    return jax.ShapeDtypeStruct(shape, jax.numpy.dtype(dtype), sharding=sharding)


def _shape(leaf: Any) -> Any:
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) if hasattr(leaf, "shape") and hasattr(leaf, "dtype") else leaf


def _is_spec(value: Any) -> bool:
    return value is None or isinstance(value, (PartitionSpec, jax.sharding.Sharding))


def _shardings(specs: Any, mesh: Any) -> Any:
    def placed(spec: Any) -> Any:
        if isinstance(spec, jax.sharding.Sharding):
            return spec
        if mesh is None:
            raise TypeError("specs are PartitionSpecs on a mesh; say which, as in mesh={'data': 2, 'model': 4}")
        return NamedSharding(mesh, spec if spec is not None else PartitionSpec())

    return jax.tree.map(placed, specs, is_leaf=_is_spec)


@contextlib.contextmanager
def _mesh_context(mesh: Any) -> Iterator[None]:
    if mesh is None:
        yield
    elif isinstance(mesh, AbstractMesh):
        with jax.sharding.use_abstract_mesh(mesh):
            yield
    elif isinstance(mesh, Mesh) and hasattr(jax, "set_mesh"):
        with jax.set_mesh(mesh):
            yield
    else:
        with mesh:
            yield


def _name(f: Any) -> str:
    while hasattr(f, "func"):  # functools.partial
        f = f.func
    return str(getattr(f, "__name__", type(f).__name__))
