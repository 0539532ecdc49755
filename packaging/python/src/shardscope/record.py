# SPDX-License-Identifier: Apache-2.0
"""What a recorded run did when, read from its workspace: a SQLite file with views made for queries."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

# A loop's rounds are instructions of their own: all-gather.10 in round 3 is all-gather.10.r115.
_ROUND = re.compile(r"\.r\d+$")


@dataclass(frozen=True)
class Span:
    """Something that the first device does: one operation from its first to its last event."""

    name: str
    opcode: str
    op_name: str
    kind: str  # compute, transfer or copy
    start_s: float
    end_s: float

    @property
    def instruction(self) -> str:
        """The instruction as the partitioned program names it, without the round of its loop.

        >>> Span("all-gather.10.r115", "all-gather", "", "transfer", 0, 1).instruction
        'all-gather.10'
        """
        return _ROUND.sub("", self.name)


_QUERY = """
SELECT coalesce(instruction, ''), coalesce(opcode, ''), coalesce(op_name, ''), kind, min(start_s), max(end_s)
FROM device_event WHERE run = ? AND device = 0 GROUP BY instruction, kind ORDER BY 5
"""


def spans(workspace: Path, run: int) -> list[Span]:
    """What device 0 does, in the order of its start."""
    with closing(sqlite3.connect(f"file:{workspace}?mode=ro", uri=True)) as record:
        return [Span(*row) for row in record.execute(_QUERY, (run,))]


def times(of: Iterable[Span]) -> dict[str, tuple[float, int]]:
    """By instruction: the time of all its executions, and how many there were.

    >>> times([Span("a.r1", "", "", "transfer", 0, 1), Span("a", "", "", "transfer", 2, 4)])
    {'a': (3, 2)}
    """
    out: dict[str, tuple[float, int]] = {}
    for span in of:
        if span.kind == "transfer":
            time, count = out.get(span.instruction, (0, 0))
            out[span.instruction] = (time + span.end_s - span.start_s, count + 1)
    return out
