# SPDX-License-Identifier: Apache-2.0
"""A profile of a real run, and the same module simulated, side by side."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from types import TracebackType
from typing import Any

from . import _program, html
from .answers import read
from .explanation import Explanation
from .units import format_seconds

_PATTERNS = ("*.xplane.pb", "*.pt.trace.json*", "*trace.json.gz")  # what profilers write, the fullest first


@dataclass(frozen=True)
class Operation:
    """One instruction, simulated and measured."""

    instruction: str = ""
    kind: str = ""
    measured_count: int = 0
    simulated_s: float | None = None
    measured_s: float | None = None
    residual_s: float | None = None


@dataclass(frozen=True)
class Beside:
    """A measured run beside the simulated one."""

    simulated_s: float | None = None
    measured_s: float | None = None
    steps: int = 0
    matched_share: float = 0.0
    verdict: str = ""
    operations: tuple[Operation, ...] = ()

    def _rows(self) -> list[tuple[str, ...]]:
        largest = sorted(self.operations, key=lambda each: -(each.measured_s or 0.0))
        return [(each.instruction, each.kind, _time(each.measured_s), _time(each.simulated_s), _time(each.residual_s)) for each in largest]

    @property
    def summary(self) -> str:
        return f"measured {_time(self.measured_s)}, simulated {_time(self.simulated_s)} a step; {self.matched_share:.0%} of the measured device time is matched. {self.verdict}".rstrip()

    def _repr_html_(self) -> str:
        return html.styled(f"<p>{escape(self.summary)}</p>" + html.table(_HEADS, ([escape(cell) for cell in row] for row in self._rows())))

    def __repr__(self) -> str:
        return "\n".join([self.summary, *("  ".join(row) for row in self._rows()[:20])])


_HEADS = ("instruction", "kind", "measured", "simulated", "difference")


class Profile:
    """What `profile` recorded: its files, and how they compare with a simulated run."""

    def __init__(self, name: str = "run") -> None:
        self.name = name
        self._folder = tempfile.TemporaryDirectory(prefix="shardscope-profile-")
        self._recorder: Any = None

    @property
    def files(self) -> list[Path]:
        """The profile's files, of one format."""
        for pattern in _PATTERNS:
            found = sorted(Path(self._folder.name).rglob(pattern))
            if found:
                return found
        raise _program.RequestError(f"no profile in '{self.name}'; run something inside of the with block")

    def beside(self, of: Explanation | Any = None, *, hardware: str | None = None, module: str | None = None) -> Beside:
        """The measured run beside the simulated one on a chip.

        of       an Explanation, or the file of a module; a profile of JAX has its modules inside, of which `module`
                 names one (the default is the largest)
        """
        return beside(self.files, of, hardware=hardware, module=module)

    def __enter__(self) -> Profile:
        self._recorder = _recorder(Path(self._folder.name))
        self._recorder.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._recorder.__exit__(kind, error, trace)


def beside(files: Sequence[str | Path], of: Explanation | Any = None, *, hardware: str | None = None, module: str | None = None) -> Beside:
    """Profiles that are there already, beside the simulated run of their module."""
    file = of.file if isinstance(of, Explanation) else of or files[0]
    with tempfile.TemporaryDirectory(prefix="shardscope-") as folder:
        record = ["--db", str(Path(folder) / "beside.shardscope")]
        run = _program.ask(["hlo", "run", str(file), "--check", "off", *record, *_program.options({"hardware": hardware, "module": module})], wrong_is_an_answer=True)
        trace = _program.ask(["measure", "import", *map(str, files), *record])
        return read(Beside, _program.ask(["compare", *record, "--run", _first(run), "--measured", _first(trace)]))


def _first(answer: dict[str, Any]) -> str:
    """The number under which something was recorded, with which such answers begin."""
    return str(next(iter(answer.values())))


def _recorder(folder: Path) -> Any:
    if "jax" in sys.modules:
        import jax

        return jax.profiler.trace(str(folder))
    if "torch" in sys.modules:
        import torch

        return torch.profiler.profile(on_trace_ready=torch.profiler.tensorboard_trace_handler(str(folder)))
    raise _program.RequestError("neither jax nor torch is imported; import the one whose profiler should record")


def profile(name: str = "run") -> Profile:
    """Records what runs inside of it, with JAX's profiler where JAX is imported, else with PyTorch's.

    with profile("run") as p: …
    p.beside(hardware="h100")
    """
    return Profile(name)


def _time(value: float | None) -> str:
    return "–" if value is None else format_seconds(value)
