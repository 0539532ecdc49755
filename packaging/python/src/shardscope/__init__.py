# SPDX-License-Identifier: Apache-2.0
"""Shardscope, from Python: which collectives your shardings cause, why, and how long they take on a chip.

    import shardscope as ss
    ss.explain(f, *args, mesh=mesh)
"""

from typing import Any

from ._program import FileError, ProgramNotFound, RequestError, ShardscopeError, WrongNumbers, program
from .answers import Buffer, Collective, Memory, Numerics, Rematerialization, Time
from .command import Answer, ask
from .comparison import Comparison, compare, sweep
from .expectation import ExpectationError, expect
from .explanation import Collectives, Explanation, explain
from .profiling import Beside, Profile, profile
from .reshard import cheapest
from .strategies import Run, Strategy, run, strategies

__version__ = "0.1.0"


def array(shape: tuple[int, ...], dtype: Any = "float32", spec: Any = None, mesh: Any = None) -> Any:
    """The shape, type and sharding of an array of JAX, without its values: array((64, 128), "bfloat16", P("data", None), mesh)."""
    from .capture import jax

    return jax.array(shape, dtype, spec, mesh)


__all__ = [
    "Answer", "Beside", "Buffer", "Collective", "Collectives", "Comparison", "ExpectationError", "Explanation", "FileError", "Memory", "Numerics", "Profile", "ProgramNotFound",
    "Rematerialization", "RequestError", "Run", "ShardscopeError", "Strategy", "Time", "WrongNumbers", "array", "ask", "cheapest", "compare", "expect", "explain", "profile",
    "program", "run", "strategies", "sweep",
]
