# SPDX-License-Identifier: Apache-2.0
"""What the program answers, as values. A field's name is the JSON key that it is read from; no other place spells keys."""

from __future__ import annotations

import linecache
import typing
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, TypeVar

from .units import format_bytes, format_seconds

T = TypeVar("T")


def read(kind: type[T], answer: dict[str, Any]) -> T:
    """A value from JSON: each field from the key of its name, a missing key as the field's default.

    >>> read(Buffer, {"bytes": 8, "instruction": "dot", "shape": "f32[2]", "op_name": None, "source_line": None}).bytes
    8
    """
    types = typing.get_type_hints(kind)
    values = {}
    for each in fields(kind):  # type: ignore[arg-type]
        if each.name in answer:
            values[each.name] = _value(types[each.name], answer[each.name])
    return kind(**values)


def _value(kind: Any, value: Any) -> Any:
    if is_dataclass(kind) and isinstance(value, dict):
        return read(typing.cast(type, kind), value)
    inner = typing.get_args(kind)
    if isinstance(value, list) and typing.get_origin(kind) is tuple:
        return tuple(_value(inner[0], each) for each in value)
    return value


@dataclass(frozen=True)
class Place:
    """A line of the user's source."""

    source_line: str | None = None  # "file.py:12"

    @property
    def source(self) -> str:
        """The text of that line, "" where it cannot be read; of a notebook's cell too."""
        file, _, line = (self.source_line or "").rpartition(":")
        return linecache.getline(file, int(line)).strip() if file and line.isdigit() else ""


@dataclass(frozen=True)
class Collective(Place):
    """One collective of a device's program: what it moves, for whom, and the rule that put it there."""

    name: str = ""
    opcode: str = ""
    shape: str = ""
    axes: tuple[str, ...] = ()
    bytes: int = 0
    bytes_sent_per_device: float = 0.0
    bytes_moved: float = 0.0
    algorithm: str | None = None
    rule: str = ""
    moved: str | None = None
    consumer: str | None = None
    op_name: str | None = None
    from_spec: str | None = None
    to_spec: str | None = None
    sentence: str = ""
    line: int | None = None
    time_s: float | None = field(default=None, compare=False)  # of all its executions; None where it was not timed
    executions: int | None = field(default=None, compare=False)  # rounds of loops count

    def why(self) -> str:
        """Why it is there, where, and how much it moves."""
        lines = [self.sentence]
        if self.source:
            lines.append(f"  {self.source}")
        lines.append(f"  {self.name} {self.shape}: data {format_bytes(self.bytes)}, sent by a device {format_bytes(self.bytes_sent_per_device)}, moved by all {format_bytes(self.bytes_moved)}")
        if self.time_s is not None:
            times = "" if self.executions in (None, 1) else f" in {self.executions} executions"
            lines.append(f"  takes {format_seconds(self.time_s)}{times}")
        if self.rule:
            lines.append(f"  {self.rule}")
        return "\n".join(lines)

    __str__ = why


@dataclass(frozen=True)
class Buffer(Place):
    """A buffer that is alive when memory is at its peak."""

    bytes: int = 0
    instruction: str = ""
    shape: str = ""
    op_name: str | None = None


@dataclass(frozen=True)
class Memory:
    """What a device needs of memory, as XLA assigns it, and the largest buffers of the fullest moment."""

    peak_bytes: int = 0
    peak: tuple[Buffer, ...] = ()
    hardware: str = ""
    fits: bool | None = None

    def __str__(self) -> str:
        fit = "" if self.fits is None else f", which {'fits' if self.fits else 'does NOT fit'} {self.hardware}"
        return f"{format_bytes(self.peak_bytes)}{fit}"


@dataclass(frozen=True)
class Time:
    """The simulated time of the slowest device, and what it is made of, in seconds."""

    total_s: float = 0.0
    compute_s: float = 0.0
    comm_s: float = 0.0
    exposed_comm_s: float = 0.0
    idle_s: float = 0.0
    overlap: float = 0.0
    bound: str = ""
    assumptions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return (f"{format_seconds(self.total_s)}: compute {format_seconds(self.compute_s)}, communication {format_seconds(self.comm_s)}, "
                f"exposed {format_seconds(self.exposed_comm_s)}, idle {format_seconds(self.idle_s)}, bound by {self.bound}")


@dataclass(frozen=True)
class Numerics:
    """Whether the partitioned program gives what the module gives on one device: both were run."""

    checked: bool = False
    allclose: bool | None = None
    bit_equal: bool | None = None
    max_abs: float | None = None
    reference: str = ""
    reason: str | None = None

    def __str__(self) -> str:
        if not self.checked:
            return f"not proved: {self.reason}" if self.reason else "not proved"
        if self.bit_equal or self.max_abs == 0:
            return f"equals {self.reference}, bit for bit"
        if self.allclose:
            return f"equals {self.reference} within {self.max_abs:.3g}"
        return f"DIFFERS from {self.reference} by up to {self.max_abs:.3g}"


@dataclass(frozen=True)
class Rematerialization:
    """An array that is gathered whole because no cheaper way between two shardings was found."""

    instruction: str = ""
    message: str = ""
    suggestion: str = ""


@dataclass(frozen=True)
class Partitioned:
    """The answer of `hlo partition`; of a module that is partitioned already that of `hlo parse`."""

    devices: int = 1
    mesh: str = ""
    partitioned: bool = False
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    collectives: tuple[Collective, ...] = ()
    rematerializations: tuple[Rematerialization, ...] = ()
    memory: Memory = field(default_factory=Memory)
    numerics: Numerics = field(default_factory=Numerics)


@dataclass(frozen=True)
class DeviceTotals:
    """What one device holds and sends."""

    peak_bytes: float = 0.0
    bytes_sent: float = 0.0
    flops: float = 0.0


@dataclass(frozen=True)
class ModuleArray:
    """A parameter or result of a module."""

    name: str = ""
    role: str = ""  # parameter or result
    shape: str = ""  # as in f32[8,4]
    spec: str | None = None


@dataclass(frozen=True)
class Simulated:
    """The answer of `hlo run` and `run`."""

    run_id: int | None = None
    strategy: str = ""
    label: str = ""
    hardware: str = ""
    simulated: Time = field(default_factory=Time)
    numerics: Numerics = field(default_factory=Numerics)
    per_device_max: DeviceTotals = field(default_factory=DeviceTotals)
    fits: bool | None = None
    events: int = 0
    warnings: tuple[str, ...] = ()
    arrays: tuple[ModuleArray, ...] = ()
