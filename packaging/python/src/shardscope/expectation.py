# SPDX-License-Identifier: Apache-2.0
"""Claims on a program's collectives, memory and time, for tests: a claim that does not hold is an AssertionError with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .explanation import Explanation, explain
from .units import format_bytes, format_seconds, parse_bytes, parse_seconds


class ExpectationError(AssertionError):
    """A claim does not hold; `explanation` is what was found."""

    def __init__(self, message: str, explanation: Explanation) -> None:
        super().__init__(message)
        self.explanation = explanation


def expect(what: Any, *args: Any, collectives: Mapping[str, int] | None = None, max_bytes: str | float | None = None, max_peak: str | float | None = None,
           max_time: str | float | None = None, no_rematerialization: bool = False, **options: Any) -> Explanation:
    """Raises AssertionError, with the reason of each collective that is too many, unless all claims hold.

    collectives            how many of each kind, as in {"all-reduce": 1}; a kind not listed must not occur, so {} means none
    max_bytes              most data of all collectives together, as in "64 MiB"
    max_peak               most bytes alive at once on a device
    max_time               most simulated time on the chip, as in "2 ms"
    no_rematerialization   no array is gathered whole for want of a cheaper way

    what, args and options are those of `explain`; what may be an Explanation.
    """
    found = what if isinstance(what, Explanation) else explain(what, *args, **options)
    failed = [*_counts(found, collectives), *_at_most(found, max_bytes, max_peak, max_time)]
    if no_rematerialization:
        failed += [f"full rematerialization: {each.message or each.instruction}" for each in found.rematerializations]
    if found.numerics.allclose is False:
        failed.append(f"numbers: {found.numerics}")
    if failed:
        raise ExpectationError(f"{found.name} on mesh {found.mesh}\n" + "\n".join(failed), found)
    return found


def _counts(found: Explanation, expected: Mapping[str, int] | None) -> list[str]:
    if expected is None:
        return []
    there = found.collectives.counts
    failed = []
    for kind in sorted({*expected, *there}):
        want, have = expected.get(kind, 0), there.get(kind, 0)
        if want != have:
            reasons = "".join("\n" + _indented(each.why()) for each in found.collectives.of(kind))
            failed.append(f"expected {want} {kind}, got {have}{':' if reasons else ''}{reasons}")
    return failed


def _at_most(found: Explanation, max_bytes: str | float | None, max_peak: str | float | None, max_time: str | float | None) -> list[str]:
    failed = []
    if max_bytes is not None and found.collectives.bytes > parse_bytes(max_bytes):
        largest = max(found.collectives, key=lambda each: each.bytes)
        failed.append(f"collectives: expected at most {_said(max_bytes, format_bytes)} of data, got {format_bytes(found.collectives.bytes)}; the largest:\n{_indented(largest.why())}")
    if max_peak is not None and found.peak.peak_bytes > parse_bytes(max_peak):
        buffers = "".join(f"\n  {format_bytes(b.bytes)} {b.shape} {b.instruction} {b.source_line or ''}".rstrip() for b in found.peak.peak)
        failed.append(f"memory: expected at most {_said(max_peak, format_bytes)} alive at once, got {format_bytes(found.peak.peak_bytes)}:{buffers}")
    if max_time is not None and found.time.total_s > parse_seconds(max_time):
        failed.append(f"time: expected at most {_said(max_time, format_seconds)}, got {found.time_text}")
    return failed


def _said(limit: str | float, written: Any) -> str:
    return limit if isinstance(limit, str) else str(written(limit))


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())
