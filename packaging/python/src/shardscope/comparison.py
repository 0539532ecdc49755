# SPDX-License-Identifier: Apache-2.0
"""Several programs side by side: the same question put to each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

from . import html
from ._program import ShardscopeError
from .explanation import Explanation, explain
from .units import format_bytes, format_seconds

_HEADS = ("program", "time", "exposed", "peak", "data of collectives", "collectives")


class Comparison(Mapping[str, Explanation]):
    """Explanations by name, the fastest first; those that the program refused are in `refused` with its sentence."""

    def __init__(self, explanations: Mapping[str, Explanation], refused: Mapping[str, str] | None = None) -> None:
        self._by_name = dict(sorted(explanations.items(), key=lambda item: _total(item[1])))
        self.refused = dict(refused or {})

    def __getitem__(self, name: str) -> Explanation:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    @property
    def best(self) -> str:
        """Name of the fastest."""
        return next(iter(self._by_name))

    @property
    def verdict(self) -> str:
        """Who wins and by what."""
        if len(self) < 2:
            return "nothing to compare"
        first, second = list(self._by_name)[:2]
        a, b = self[first], self[second]
        if _total(a) == _total(b):
            return f"{first} and {second} take the same time"
        gap = {"exposed communication": b.time.exposed_comm_s - a.time.exposed_comm_s, "compute": b.time.compute_s - a.time.compute_s, "idle": b.time.idle_s - a.time.idle_s}
        terms = ", ".join(f"{format_seconds(abs(value))} {'less' if value > 0 else 'more'} {term}" for term, value in gap.items() if abs(value) > 0.01 * (_total(b) - _total(a)))
        return f"{first} takes {format_seconds(_total(a))} and {second} {format_seconds(_total(b))}: {terms}"

    def rows(self) -> list[tuple[str, ...]]:
        made: list[tuple[str, ...]] = [(name, format_seconds(_total(each)), format_seconds(each.time.exposed_comm_s), format_bytes(each.peak.peak_bytes), format_bytes(each.collectives.bytes), each.collectives.summary())
                for name, each in self._by_name.items()]
        return made + [(name, "–", "–", "–", "–", f"refused: {why}") for name, why in self.refused.items()]

    def _repr_html_(self) -> str:
        return html.styled(f"<p>{escape(self.verdict)}</p>" + html.table(_HEADS, ([escape(cell) for cell in row] for row in self.rows())))

    def to_html(self, path: Any) -> None:
        """One page with the table and every explanation."""
        from pathlib import Path

        whole = self._repr_html_() + "".join(f"<h2>{escape(name)}</h2>{each._repr_html_()}" for name, each in self.items())
        Path(path).write_text(html.page("comparison", whole), encoding="utf-8")

    def __repr__(self) -> str:
        rows = [_HEADS, *self.rows()]
        widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
        return "\n".join(["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows] + [self.verdict])


def _total(explanation: Explanation) -> float:
    return explanation.time.total_s


def compare(programs: Mapping[str, Any], *args: Any, **options: Any) -> Comparison:
    """The programs, each with the same args, side by side; options as of `explain`."""
    return _asked((name, (program, *args), options) for name, program in programs.items())


def sweep(f: Any, *args: Any, specs: Iterable[Any] | Mapping[str, Any], **options: Any) -> Comparison:
    """One function under several shardings of its arguments, the fastest first; those that are refused are listed with the reason.

    specs   a sequence, or a mapping from names, of what `explain` takes as specs
    """
    named = specs.items() if isinstance(specs, Mapping) else ((_spec_text(each), each) for each in specs)
    return _asked((name, (f, *args), {**options, "specs": each}) for name, each in named)


def _asked(questions: Iterable[tuple[str, tuple[Any, ...], dict[str, Any]]]) -> Comparison:
    made: dict[str, Explanation] = {}
    refused: dict[str, str] = {}
    for name, args, options in questions:
        try:
            made[name] = explain(*args, **options)
            made[name].time  # what cannot be timed cannot be ranked
        except ShardscopeError as error:
            made.pop(name, None)
            refused[name] = str(error)
        except ValueError as error:  # a sharding that JAX refuses, as of a dimension that its axes do not divide
            refused[name] = str(error).splitlines()[0]
    return Comparison(made, refused)


def _spec_text(spec: Any) -> str:
    if type(spec).__name__ == "PartitionSpec":
        return f"P({', '.join(map(repr, spec))})"
    return ", ".join(map(_spec_text, spec)) if isinstance(spec, (list, tuple)) else str(spec)
