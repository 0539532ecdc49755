# SPDX-License-Identifier: Apache-2.0
"""The strategies that the program knows for a product, and a run of one."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from . import _program, answers, html, player, record
from .answers import Numerics, Time, read


@dataclass(frozen=True)
class Strategy:
    """A way to multiply on a mesh."""

    id: str = ""
    kind: str = ""
    title: str = ""
    paper: str = ""
    needs: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


class Run:
    """One strategy's run: its numbers are checked, its time is simulated."""

    def __init__(self, words: list[str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="shardscope-")
        self.workspace = Path(self._folder.name) / "run.shardscope"
        self.answer: dict[str, Any] = _program.ask([*words, "--db", str(self.workspace)], wrong_is_an_answer=True)
        self._simulated = read(answers.Simulated, self.answer)

    @property
    def strategy(self) -> str:
        return self._simulated.strategy

    @property
    def time(self) -> Time:
        return self._simulated.simulated

    @property
    def numerics(self) -> Numerics:
        return self._simulated.numerics

    @property
    def spans(self) -> list[record.Span]:
        return record.spans(self.workspace, self._simulated.run_id or 1)

    def _repr_html_(self) -> str:
        played = html.frame(player.page(self.workspace, self._simulated.run_id or 1, self._simulated.events))
        return html.styled(f"<p><b>{escape(self.strategy)}</b> {escape(str(self.time))}<br><span class='soft'>{escape(str(self.numerics))}</span></p>{html.picture(self.spans)}{played}")

    def __repr__(self) -> str:
        return f"{self.strategy}: {self.time}\n{self.numerics}"


def strategies() -> list[Strategy]:
    """All strategies: what each one needs and where it comes from.

    >>> [each.paper for each in strategies() if each.id == "cannon.os"]
    ['Cannon 1969']
    """
    answer = _program.ask(["strategies"])
    return [read(Strategy, each) for each in next(iter(answer.values()))]


def run(strategy: str, *, mesh: Any, **options: Any) -> Run:
    """Runs one strategy; options are those of `shardscope run`.

    >>> run("wang.os", mesh={"row": 2, "col": 4}, m=64, k=64, n=64).numerics.allclose
    True
    """
    return Run(["run", "--strategy", strategy, *_program.options({"mesh": mesh, **options})])
