# SPDX-License-Identifier: Apache-2.0
"""A recorded run as the program's own page, which plays step by step and needs no network."""

from __future__ import annotations

from pathlib import Path

from . import _program

_MOST_EVENTS = 3000  # of a run that plays in a cell: its page stays small
_MOST_SECONDS = 8.0  # that a cell waits for it
_MOST_MEMORY = 4 << 30


def page(workspace: Path, run: int, events: int) -> str:
    """The page, "" of a run too large for a cell: the timeline stands there alone."""
    if events > _MOST_EVENTS:
        return ""
    out = workspace.with_suffix(".html")
    words = ["render", "--db", str(workspace), "--run", str(run), "--view", "ring,grid,timeline", "-o", str(out)]
    drawn = _program.succeeds(words, seconds=_MOST_SECONDS, bytes_of_memory=_MOST_MEMORY)
    return out.read_text(encoding="utf-8") if drawn else ""
