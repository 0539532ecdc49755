# SPDX-License-Identifier: Apache-2.0
"""PyTorch: tensors of torch_xla by their IR, modules through torch.export and torchax, DTensor programs by recording."""

from __future__ import annotations

from typing import Any

import torch

from . import dtensor
from .module import Captured, hlo, stablehlo


def capture(what: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, mesh: Any, specs: Any, out_specs: Any) -> Captured:
    if isinstance(what, torch.Tensor):
        what = [what]
    if isinstance(what, (list, tuple)):
        return _xla_tensors(list(what))
    if isinstance(what, torch.export.ExportedProgram):
        return _exported(what, "exported")
    if dtensor.holds_dtensors((what, args, kwargs)):
        return dtensor.record(what, args, kwargs)
    if isinstance(what, torch.nn.Module):
        return _exported(torch.export.export(what, args, kwargs), type(what).__name__)
    raise TypeError(f"got {type(what).__name__}; of PyTorch expected tensors of torch_xla, a module, an ExportedProgram, or a function of DTensors")


def _xla_tensors(tensors: list[Any]) -> Captured:
    """The graph that torch_xla has collected for tensors which are not materialised yet; their shardings stand in it."""
    import torch_xla

    return hlo(torch_xla._XLAC._get_xla_tensors_hlo(tensors), "tensors")


def _exported(program: Any, name: str) -> Captured:
    try:
        from torchax.export import exported_program_to_stablehlo
    except ModuleNotFoundError as error:
        raise ImportError(f"a module of PyTorch becomes StableHLO by torchax, which needs {error.name}: pip install torchax jax flax") from error
    except Exception as error:
        raise ImportError(f"the torchax that is installed does not work with PyTorch {torch.__version__}: {error}") from error

    _, module = exported_program_to_stablehlo(program)
    text = module.mlir_module() if hasattr(module, "mlir_module") else module.mlir_module_serialized
    return stablehlo(text, name, ("torch.export knows no shardings: annotate the text, or use torch_xla's mark_sharding or DTensor",))
