# SPDX-License-Identifier: Apache-2.0
"""The answer to `explain`: a module's collectives with reasons, its time and memory on a chip, its stages."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import tempfile
import webbrowser
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

from . import _program, answers, html, player, record
from .answers import Collective, Memory, ModuleArray, Numerics, Rematerialization, Time, read
from .capture import Captured, capture
from .execution import execute
from .progress import Progress
from .units import counted


class Stages(Mapping[str, str]):
    """The module as texts, from what was captured to what one device does; each is made when it is asked for."""

    def __init__(self, explanation: Explanation) -> None:
        file = str(explanation.file)
        self._make = {
            "module": lambda: explanation.captured.text or _program.run(["hlo", "print", file]),
            "propagated": lambda: _program.run(["hlo", "propagate", file]),
            "partitioned": lambda: explanation.partitioned_text,
            "jax": lambda: _program.run(["hlo", "code", file]),
        }

    def __getitem__(self, stage: str) -> str:
        return self._make[stage]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._make)

    def __len__(self) -> int:
        return len(self._make)

    def __repr__(self) -> str:
        return f"Stages({' → '.join(self)})"


class Explanation:
    """What `explain` found out. In a notebook it shows itself; `print` gives the same as text."""

    def __init__(self, captured: Captured, hardware: str | None = None, check: str = "auto", options: Mapping[str, Any] | None = None, run_options: Mapping[str, Any] | None = None) -> None:
        self.captured = captured
        self.name = captured.name
        self._folder = tempfile.TemporaryDirectory(prefix="shardscope-")
        folder = Path(self._folder.name)
        self.file = folder / f"{_file_name(captured.name)}{captured.ending}"
        self.file.write_bytes(captured.content)
        self.workspace = folder / "run.shardscope"
        self._partitioned_file = folder / "partitioned.hlo"
        self._options = shared = _program.options({"hardware": hardware, **(options or {})})
        with ThreadPoolExecutor(2) as both:
            # The run proves nothing: the partition does, and both start from the same module.
            partitioned = both.submit(self._ask, ["hlo", "partition", str(self.file), "--check", check, "-o", str(self._partitioned_file), *shared])
            self._run: Future[Any] = both.submit(self._ask, ["hlo", "run", str(self.file), "--check", "off", "--db", str(self.workspace), *shared, *_program.options(dict(run_options or {}))])
        self.answer = self._read_as_it_is(partitioned) or partitioned.result()
        self._partitioned = read(answers.Partitioned, self.answer)

    def _read_as_it_is(self, partitioned: Future[Any]) -> Any:
        """What a module says that is one device's program already, as a compiled one; nothing of another."""
        if partitioned.exception() is None:
            return None
        try:
            module = self._ask(["hlo", "parse", str(self.file)])
        except _program.ShardscopeError:  # the partitioner's own refusal says more
            return None
        if not read(answers.Partitioned, module).partitioned:
            return None
        self._partitioned_file.write_text(_program.run(["hlo", "print", str(self.file)]))
        return module

    def _ask(self, words: list[str]) -> Any:
        try:
            return _program.ask(words, wrong_is_an_answer=True)
        except _program.ShardscopeError as refused:
            # The file is ours and the user has never seen it.
            raise type(refused)(str(refused).replace(str(self.file), self.name)) from None

    @cached_property
    def run(self) -> answers.Simulated:
        """The module's simulated run; where the program cannot time it, its refusal is raised."""
        return read(answers.Simulated, self._run.result())

    @cached_property
    def spans(self) -> list[record.Span]:
        """What the first device does when."""
        return record.spans(self.workspace, self.run.run_id or 1)

    @cached_property
    def collectives(self) -> Collectives:
        """Every collective of a device's program, in its order."""
        times = record.times(self.spans) if self._run.exception() is None else {}
        return Collectives(dataclasses.replace(each, time_s=times.get(each.name, (None, None))[0], executions=times.get(each.name, (None, None))[1]) for each in self._partitioned.collectives)

    @property
    def time(self) -> Time:
        return self.run.simulated

    @property
    def peak(self) -> Memory:
        """What a device needs of memory, as XLA assigns it; of a module that came partitioned, that of its run."""
        if self._partitioned.partitioned:
            return Memory(peak_bytes=int(self.run.per_device_max.peak_bytes), hardware=self.run.hardware, fits=self.run.fits)
        return self._partitioned.memory

    @property
    def numerics(self) -> Numerics:
        return self._partitioned.numerics

    @property
    def rematerializations(self) -> tuple[Rematerialization, ...]:
        return self._partitioned.rematerializations

    @property
    def mesh(self) -> str:
        return self._partitioned.mesh

    @property
    def devices(self) -> int:
        return self._partitioned.devices

    @property
    def devices_text(self) -> str:
        """The devices in words, with their mesh if they have one."""
        return counted(self.devices, "device") + (f", mesh {self.mesh}" if self.mesh else "")

    @property
    def notes(self) -> tuple[str, ...]:
        """What holds for this answer: what the framework could not give, how shardings were spread, warnings."""
        return (*self.captured.notes, *self._partitioned.notes, *self._partitioned.warnings)

    @property
    def stages(self) -> Stages:
        return Stages(self)

    @property
    def partitioned_text(self) -> str:
        return self._partitioned_file.read_text()

    def why(self, name: str) -> str:
        """Why a collective is there; name is its own, as in "all-gather.3"."""
        for each in self.collectives:
            if each.name == name:
                return each.why()
        there = ", ".join(each.name for each in self.collectives) or "none"
        raise KeyError(f"no collective '{name}' in {self.name}; there: {there}")

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """One page that needs no network."""
        out = Path(path)
        out.write_text(html.page(self.name, self._repr_html_()), encoding="utf-8")
        return out

    def open(self) -> None:
        """The module in Shardscope's window, or as a page in the browser where there is no display."""
        if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
            subprocess.Popen([_program.program(), str(self.file)], start_new_session=True)
        else:
            webbrowser.open(self.to_html(self.file.with_suffix(".html")).as_uri())

    @cached_property
    def playing_page(self) -> str:
        """The run as the program's own page, "" of a run too large to play in a cell."""
        return "" if self._run.exception() is not None else player.page(self.workspace, self.run.run_id or 1, self.run.events)

    @cached_property
    def parameters(self) -> tuple[ModuleArray, ...]:
        """The arrays that `execute` takes."""
        answer = self._run.result() if self._run.exception() is None else self._ask(["hlo", "run", str(self.file), "--check", "off", *self._options])
        return tuple(each for each in read(answers.Simulated, answer).arrays if each.role == "parameter")

    def execute(self, *values: Any, **named: Any) -> list[Any]:
        """Runs the partitioned program on the simulated devices with these values, which `explain` would take as args
        and kwargs: its results, as NumPy arrays."""
        return execute(lambda words: self._ask(["hlo", "run", str(self.file), *words, *self._options]), self.captured, self.parameters, values, named)

    @property
    def time_text(self) -> str:
        """The time in words, or why there is none."""
        refused = self._run.exception()
        return f"not timed: {refused}" if refused else f"{self.time} on {self.run.hardware}"

    def _repr_html_(self) -> str:
        return html.explanation(self)

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.devices_text}; {self.collectives.summary()}",
                 f"time   {self.time_text}", f"memory {self.peak}", f"proof  {self.numerics}"]
        lines += [f"note   {note}" for note in self.notes]
        return "\n".join(lines + [each.why() for each in self.collectives])

    def __repr__(self) -> str:
        return str(self)


class Collectives(tuple[Collective, ...]):
    """Collectives in the order of the program; r.collectives["all-gather"] are those of one kind."""

    @property
    def counts(self) -> dict[str, int]:
        return dict(Counter(each.opcode for each in self))

    @property
    def bytes(self) -> int:
        """Data of all of them."""
        return sum(each.bytes for each in self)

    def of(self, kind: str) -> Collectives:
        return Collectives(each for each in self if each.opcode == kind)

    def summary(self) -> str:
        """
        >>> Collectives([Collective(opcode="all-reduce"), Collective(opcode="all-reduce")]).summary(), Collectives().summary()
        ('2 all-reduce', 'no collectives')
        """
        return ", ".join(f"{count} {kind}" for kind, count in self.counts.items()) or "no collectives"

    def _repr_html_(self) -> str:
        return html.styled(html.collectives(self))

    def __repr__(self) -> str:
        return "\n".join(each.why() for each in self) or self.summary()


def explain(what: Any, *args: Any, mesh: Any = None, specs: Any = None, out_specs: Any = None, hardware: str | None = None, check: str = "auto",
            options: Mapping[str, Any] | None = None, run_options: Mapping[str, Any] | None = None, **kwargs: Any) -> Explanation:
    """Which collectives a program has and why, how long it takes on a chip, and what it keeps in memory.

    what       a function, jitted or not, with its args and kwargs; a Lowered, Compiled or Exported of JAX; a module or
               tensors of PyTorch; the text or the file of a module
    args       arrays, or ShapeDtypeStructs: shapes suffice (see `array`)
    mesh       a mesh of JAX, or axes and sizes as in {"data": 2, "model": 4}: such a mesh needs no devices
    specs      PartitionSpecs of the arguments, out_specs of the results, on that mesh
    hardware   a chip's name, as in "h100", or a hardware file
    check      how much is run to prove the partition: auto, full, shrunk or off
    options    more options of `shardscope hlo partition` and `hlo run`, run_options of `hlo run` alone

    >>> r = explain('''HloModule m, num_partitions=2
    ... ENTRY e {
    ...   x = f32[8,4] parameter(0), sharding={devices=[2,1]0,1}
    ...   ROOT y = f32[8,4] copy(x), sharding={replicated}
    ... }''')
    >>> r.collectives.counts
    {'all-gather': 1}
    """
    with Progress() as say:
        say(f"capturing {getattr(what, '__name__', 'the module')}")
        captured = capture(what, args, kwargs, mesh=mesh, specs=specs, out_specs=out_specs)
        say(f"partitioning and timing {captured.name}")
        return Explanation(captured, hardware, check, options, run_options)


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "_" for c in name)[:60] or "module"
