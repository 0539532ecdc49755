# SPDX-License-Identifier: Apache-2.0
"""Programs of DTensor: operations, placements and redistributions as DebugMode records them, without GPUs.

A PyTorch that numbers tensors gives one device's whole program (dtensor_recording). Of an older one a recording is a list
of `Redistribution`s, written as one device's HLO, each as the collectives of PyTorch's greedy planner. The recorder needs
PyTorch; everything behind it does not."""

from __future__ import annotations

import inspect
import itertools
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from . import dtensor_recording as recording
from .module import Captured, hlo

NOTE = "recorded from DTensor: its redistributions alone; what each device computes between them is not in the recording"

_PLACEMENT = re.compile(r"S\((\d+)\)|R|P(?:\((\w+)\))?")


@dataclass(frozen=True)
class Placement:
    """How a tensor lies on one axis of the mesh: sharded over a dimension, replicated, or partial sums."""

    kind: str  # S, R or P
    dim: int | None = None

    def __str__(self) -> str:
        return f"S({self.dim})" if self.kind == "S" else self.kind


def parse_placements(text: str) -> tuple[Placement, ...]:
    """Placements, an axis each, as PyTorch writes them.

    >>> [str(p) for p in parse_placements("S(0)R")], [str(p) for p in parse_placements("P(sum)S(1)")]
    (['S(0)', 'R'], ['P', 'S(1)'])
    >>> parse_placements("S(0)X")
    Traceback (most recent call last):
    ValueError: got 'S(0)X', expected placements as in S(0)R or PS(1)
    """
    out: list[Placement] = []
    at = 0
    while at < len(text):
        found = _PLACEMENT.match(text, at)
        if found is None:
            raise ValueError(f"got '{text}', expected placements as in S(0)R or PS(1)")
        out.append(Placement("S", int(found[1])) if found[1] else Placement(found[0][0]))
        at = found.end()
    return tuple(out)


@dataclass(frozen=True)
class Redistribution:
    """One tensor brought from placements to others."""

    shape: tuple[int, ...]  # of the whole tensor
    source: tuple[Placement, ...]
    target: tuple[Placement, ...]
    of: str = ""  # the operation that wanted it


@dataclass(frozen=True)
class Change:
    """What one axis of the mesh does in a redistribution."""

    axis: int
    before: Placement
    after: Placement

    @property
    def kind(self) -> str:
        """The collective, "" of a change that a device makes alone."""
        return _KINDS.get((self.before.kind, self.after.kind), "")


_KINDS = {("S", "R"): "all-gather", ("P", "R"): "all-reduce", ("P", "S"): "reduce-scatter", ("S", "S"): "all-to-all"}
_WHOLE = Placement("R")


def changes_of(move: Redistribution) -> list[Change]:
    """The changes, axis by axis, in the order of PyTorch's greedy planner: inner axes first, where a dimension is nested
    otherwise than it should be by way of the whole; then the outer ones.

    >>> [(c.kind, c.axis) for c in changes_of(Redistribution((8, 8), parse_placements("PS(0)"), parse_placements("RR")))]
    [('all-gather', 1), ('all-reduce', 0)]
    >>> [(c.kind, c.axis) for c in changes_of(Redistribution((8, 8), parse_placements("S(0)S(0)"), parse_placements("S(1)S(0)")))]
    [('all-gather', 1), ('all-to-all', 0), ('', 1)]
    """
    current = list(move.source)
    out: list[Change] = []

    def change(axis: int, after: Placement) -> None:
        if current[axis] != after:
            out.append(Change(axis, current[axis], after))
            current[axis] = after

    for axis in reversed(range(len(current))) if any(p.kind == "S" for p in current) else ():
        after = move.target[axis]
        nested_alike = [p == after for p in current[:axis]] == [p == after for p in move.target[:axis]]
        change(axis, after if after.kind != "S" or nested_alike else _WHOLE)
    for axis in range(len(current)):
        change(axis, move.target[axis])
    return out


_LINE = re.compile(r"redistribute_input\((?P<number>\d+), (?:\[)?(?P<source>[SRP()\w]+)(?:\])? -> (?:\[)?(?P<target>[SRP()\w]+)(?:\])?\)")
_TENSOR = re.compile(r"dt: \w+\[(?P<shape>[\d, ]*)\]\|?(?P<placements>[SRP()\w]*)")


def parse_debug_mode(lines: Iterable[str]) -> list[Redistribution]:
    """Redistributions from what DebugMode prints: an operation, and indented below it what its inputs needed.

    >>> moves = parse_debug_mode(["torch.mm(dt: f32[8, 8]| S(0)R, dt: f32[8, 16]| S(0)R)  ".replace("| ", "|"), "  redistribute_input(1, S(0)R -> RR)"])
    >>> moves[0].shape, [str(p) for p in moves[0].target], moves[0].of
    ((8, 16), ['R', 'R'], 'torch.mm')
    """
    out: list[Redistribution] = []
    operation, inputs = "", [()]  # type: tuple[str, list[tuple[int, ...]]]
    for line in lines:
        found = _LINE.search(line)
        if found is None:
            tensors = [tuple(int(n) for n in t["shape"].split(",") if n.strip()) for t in _TENSOR.finditer(line)]
            if tensors:
                operation, inputs = line.strip().split("(")[0], tensors
            continue
        number = int(found["number"])
        shape = inputs[number] if number < len(inputs) else ()
        out.append(Redistribution(shape, parse_placements(found["source"]), parse_placements(found["target"]), operation))
    return out


def holds_dtensors(value: Any) -> bool:
    """Whether a DTensor stands somewhere in it."""
    if isinstance(value, dict):
        return any(holds_dtensors(each) for each in value.values())
    if isinstance(value, (list, tuple)):
        return any(holds_dtensors(each) for each in value)
    parameters = getattr(value, "parameters", None)
    if parameters is not None and callable(parameters):
        return any(type(each.data).__name__ == "DTensor" or type(each).__name__ == "DTensor" for each in parameters())
    return type(value).__name__ == "DTensor"


def record(what: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Captured:
    """Runs the program under DebugMode and writes what one device did as a module; of a PyTorch that does not number
    tensors, its redistributions alone."""
    try:
        from torch.utils._debug_mode import DebugMode
    except ModuleNotFoundError as error:
        import torch

        raise ImportError(f"DTensor programs are recorded by torch.utils._debug_mode, which PyTorch {torch.__version__} does not have: take a newer one") from error

    numbers = {"record_ids": True} if "record_ids" in inspect.signature(DebugMode.__init__).parameters else {}
    with DebugMode(record_torchfunction=False, **numbers) as mode:
        what(*args, **kwargs)
    mesh = next(each.device_mesh for each in _dtensors((args, kwargs, list(what.parameters()) if hasattr(what, "parameters") else [])))
    axes = dict(zip(mesh.mesh_dim_names or [f"axis{n}" for n in range(mesh.ndim)], mesh.shape))
    name = re.sub(r"\W", "_", getattr(what, "__name__", type(what).__name__))
    lines = mode.debug_string().splitlines()
    if recording.is_numbered(lines):
        calls = recording.parse_calls(lines)
        groups = {str(call.args[-1]): _axes_of(mesh, str(call.args[-1])) for call in calls if recording.is_collective(call)}
        return recording.module_of_calls(calls, axes, groups, name)
    return module_of(parse_debug_mode(lines), axes, name)


def _axes_of(mesh: Any, group: str) -> list[int]:
    """The axes of the mesh, by number, that a process group goes along."""
    from torch.distributed import get_process_group_ranks
    from torch.distributed.distributed_c10d import _resolve_process_group

    ranks = set(get_process_group_ranks(_resolve_process_group(group)))
    places = [place for place in itertools.product(*map(range, mesh.shape)) if int(mesh.mesh[place]) in ranks]
    return [axis for axis in range(mesh.ndim) if len({place[axis] for place in places}) > 1]


def _dtensors(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return _dtensors(list(value.values()))
    if isinstance(value, (list, tuple)):
        return [found for each in value for found in _dtensors(each)]
    return [value] if type(value).__name__ == "DTensor" else []


def module_of(moves: Sequence[Redistribution], axes: dict[str, int], name: str, dtype: str = "f32") -> Captured:
    """The redistributions as one device's program: each a parameter that goes through the collectives PyTorch chose.

    >>> print(module_of([Redistribution((8, 4), parse_placements("S(0)R"), parse_placements("RR"), "mm")], {"x": 2, "y": 2}, "f").text)
    HloModule f, num_partitions=4, frontend_attributes={shardscope.mesh="x=2,y=2"}
    <BLANKLINE>
    add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
    <BLANKLINE>
    ENTRY main {
      p0 = f32[4,4] parameter(0)
      all-gather.1 = f32[8,4] all-gather(p0), channel_id=1, replica_groups={{0,2},{1,3}}, dimensions={0}, use_global_device_ids=true, metadata={op_name="mm"}
      ROOT out = (f32[8,4]) tuple(all-gather.1)
    }
    <BLANKLINE>
    """
    sizes = list(axes.values())
    program = _DeviceProgram(dtype, sizes)
    results = [program.redistribute(number, move) for number, move in enumerate(moves)]
    devices = math.prod(sizes)
    mesh = ",".join(f"{axis}={size}" for axis, size in axes.items())
    text = (f'HloModule {name}, num_partitions={devices}, frontend_attributes={{shardscope.mesh="{mesh}"}}\n\n'
            f"add {{ a = {dtype}[] parameter(0) b = {dtype}[] parameter(1) ROOT c = {dtype}[] add(a, b) }}\n\nENTRY main {{\n"
            + "".join(f"  {line}\n" for line in program.lines)
            + f"  ROOT out = ({', '.join(shape for _, shape in results)}) tuple({', '.join(value for value, _ in results)})\n}}\n")
    return hlo(text, name, (NOTE,))


class _DeviceProgram:
    """Lines of HLO, one after the other."""

    def __init__(self, dtype: str, sizes: Sequence[int]) -> None:
        self.lines: list[str] = []
        self._dtype = dtype
        self._sizes = sizes
        self._channels = 0

    def redistribute(self, number: int, move: Redistribution) -> tuple[str, str]:
        """The name and shape of what parameter `number` becomes."""
        placements = list(move.source)
        value = self._add(f"p{number}", _local(move.shape, placements, self._sizes), f"parameter({number})")
        for change in changes_of(move):
            before = _local(move.shape, placements, self._sizes)
            placements[change.axis] = change.after
            value = self._change(value, before, _local(move.shape, placements, self._sizes), change, move.of)
        return value, self._shape(_local(move.shape, placements, self._sizes))

    def _change(self, value: str, before: list[int], after: list[int], change: Change, of: str) -> str:
        if change.kind == "all-gather":
            return self._collective(value, after, change, f"dimensions={{{change.before.dim}}}", of)
        if change.kind == "reduce-scatter":
            return self._collective(value, after, change, f"dimensions={{{change.after.dim}}}, to_apply=add", of)
        if change.kind == "all-reduce":
            return self._collective(value, after, change, "to_apply=add", of)
        if change.kind == "all-to-all":
            return self._all_to_all(value, before, after, change, of)
        return self._first_part(value, after) if change.after.kind == "S" else value

    def _all_to_all(self, value: str, before: list[int], after: list[int], change: Change, of: str) -> str:
        """Each device's parts of the new dimension go round; those that come are joined in the old one."""
        source, target = change.before.dim or 0, change.after.dim or 0
        size = self._sizes[change.axis]
        split = [*before[:target], size, before[target] // size, *before[target + 1:]]
        parts = self._add(f"{value}.parts", split, f"reshape({value})")
        came = self._collective(parts, split, change, f"dimensions={{{target}}}", of)
        order = [d for d in range(len(split)) if d != target]
        order.insert(order.index(source if source < target else source + 1), target)
        turned = self._add(f"{came}.turned", [split[d] for d in order], f"transpose({came}), dimensions={{{','.join(map(str, order))}}}")
        return self._add(f"{came}.joined", after, f"reshape({turned})")

    def _first_part(self, value: str, after: list[int]) -> str:
        """A device's own part of what it has whole; which one changes neither bytes nor time."""
        bounds = ",".join(f"[0:{n}]" for n in after)
        return self._add(f"{value}.part", after, f"slice({value}), slice={{{bounds}}}")

    def _collective(self, operand: str, shape: list[int], change: Change, details: str, of: str) -> str:
        self._channels += 1
        ids = "" if change.kind == "all-to-all" else ", use_global_device_ids=true"
        made = f'metadata={{op_name="{of}"}}'
        return self._add(f"{change.kind}.{self._channels}", shape, f"{change.kind}({operand}), channel_id={self._channels}, replica_groups={_groups(self._sizes, change.axis)}, {details}{ids}, {made}")

    def _add(self, name: str, shape: Sequence[int], what: str) -> str:
        self.lines.append(f"{name} = {self._shape(shape)} {what}")
        return name

    def _shape(self, shape: Sequence[int]) -> str:
        return f"{self._dtype}[{','.join(map(str, shape))}]"


def _local(shape: Sequence[int], placements: Sequence[Placement], sizes: Sequence[int]) -> list[int]:
    local = list(shape)
    for placement, size in zip(placements, sizes):
        if placement.kind == "S" and placement.dim is not None:
            if local[placement.dim] % size:
                raise ValueError(f"dimension {placement.dim} of {list(shape)} is not divisible by the mesh axis of {size} devices: PyTorch pads it, which is not supported yet")
            local[placement.dim] //= size
    return local


def _groups(sizes: Sequence[int], axis: int) -> str:
    """Devices that differ in one axis alone."""
    devices = math.prod(sizes)
    stride = math.prod(sizes[axis + 1:])
    firsts = [d for d in range(devices) if d // stride % sizes[axis] == 0]
    return "{" + ",".join("{" + ",".join(str(first + step * stride) for step in range(sizes[axis])) + "}" for first in firsts) + "}"
