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
from .units import counted, format_seconds

_PATTERNS = ("*.xplane.pb", "*.pt.trace.json*", "*trace.json.gz")  # what profilers write, the fullest first


@dataclass(frozen=True)
class ProfiledInstruction:
    """One instruction of a step, measured and simulated."""

    name: str = ""
    module: str = ""
    kind: str = ""
    count: float = 0.0  # times a step on a device
    measured_s: float = 0.0
    simulated_s: float | None = None
    residual_s: float | None = None
    sure: float = 1.0  # that the measured kernels are this instruction's
    reason: str = ""


@dataclass(frozen=True)
class ProfiledRest:
    """Measured operations that no instruction is known for."""

    name: str = ""
    module: str = ""
    count: float = 0.0
    measured_s: float = 0.0
    reason: str = ""


@dataclass(frozen=True)
class Beside:
    """A measured run beside the simulation of the modules that it ran: seconds of a step, mean over devices and steps."""

    hardware: str = ""  # the chip that it was simulated on
    devices: int = 0
    steps: int = 0
    step_s: float = 0.0
    device_s: float = 0.0  # of that the device does something: compute, exposed communication, exposed copies
    compute_s: float = 0.0
    comm_s: float = 0.0
    exposed_comm_s: float = 0.0
    exposed_copy_s: float = 0.0
    host_gap_s: float = 0.0  # the device waits for its host
    simulated_s: float | None = None
    attributed: float = 0.0  # share of the devices' time that has an instruction
    instructions: tuple[ProfiledInstruction, ...] = ()  # the longest first
    unmatched: tuple[ProfiledRest, ...] = ()
    missing: tuple[str, ...] = ()  # simulated, not in the profile
    notes: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """A step's time measured and simulated, on which chip, and where it goes."""
        simulated = f"simulated on {self.hardware} {_time(self.simulated_s)}" if self.simulated_s is not None else "not simulated"
        return (f"A step takes {_time(self.step_s)}, {simulated}: compute {_time(self.compute_s)}, exposed communication {_time(self.exposed_comm_s)}, "
                f"exposed copies {_time(self.exposed_copy_s)}, waiting for the host {_time(self.host_gap_s)}. "
                f"{counted(self.steps, 'step')} on {counted(self.devices, 'device')}; {self.attributed:.0%} of the devices' time has an instruction.")

    def _rows(self) -> list[tuple[str, ...]]:
        known = [(each.name, each.kind, _time(each.measured_s), _time(each.simulated_s), _time(each.residual_s), each.reason) for each in self.instructions]
        return known + [(each.name, "–", _time(each.measured_s), "–", "–", each.reason) for each in self.unmatched]

    def _repr_html_(self) -> str:
        notes = "".join(f'<p class="soft">{escape(note)}</p>' for note in self.notes)
        return html.styled(f"<p>{escape(self.summary)}</p>{notes}" + html.table(_HEADS, ([escape(cell) for cell in row] for row in self._rows())))

    def __repr__(self) -> str:
        return "\n".join([self.summary, *(f"note   {note}" for note in self.notes), *("  ".join(row) for row in self._rows()[:20])])


_HEADS = ("instruction", "kind", "measured", "simulated", "difference", "reason")


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

    def beside(self, of: Explanation | Any = None, *, hardware: str | None = None) -> Beside:
        """The measured run beside the simulation of the modules that it ran.

        of         the compiled module that ran, as an Explanation of a Compiled or as a file; not needed where the
                   profile holds its modules, as one of JAX does
        hardware   the chip to simulate on; the default is the one that the profile names
        """
        return beside(self.files, of, hardware=hardware)

    def __enter__(self) -> Profile:
        self._recorder = _recorder(Path(self._folder.name))
        self._recorder.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._recorder.__exit__(kind, error, trace)


def beside(files: Sequence[str | Path], of: Explanation | Any = None, *, hardware: str | None = None) -> Beside:
    """Profiles that are there already, beside the simulation of their modules."""
    file, name = (of.file, of.name) if isinstance(of, Explanation) else (of, of)
    try:
        return read(Beside, _program.ask(["beside", *map(str, files), *_program.options({"hlo": file, "hardware": hardware})]))
    except _program.ShardscopeError as refused:
        # The file of an Explanation is ours and the user has never seen it.
        raise type(refused)(str(refused).replace(str(file), str(name)).replace("leave --hlo out", "leave it out")) from None


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
