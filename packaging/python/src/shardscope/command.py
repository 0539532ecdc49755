# SPDX-License-Identifier: Apache-2.0
"""Any command of the program, for what has no function of its own here."""

from __future__ import annotations

from html import escape
from typing import Any

from . import _program, html


class Answer(dict[str, Any]):
    """What a command answers with --json; keys are attributes too.

    >>> Answer({"a": {"b": 1}}).a.b
    1
    """

    def __getattr__(self, key: str) -> Any:
        if key not in self:
            raise AttributeError(f"no '{key}' in this answer; there: {', '.join(self)}")
        value = self[key]
        return Answer(value) if isinstance(value, dict) else [Answer(each) if isinstance(each, dict) else each for each in value] if isinstance(value, list) else value

    def _repr_html_(self) -> str:
        return html.styled(html.table(("key", "value"), ((escape(key), escape(_short(value))) for key, value in self.items())))


def ask(*words: Any, **options: Any) -> Answer:
    """A command's answer: its words, and its options as keywords. Wrong numbers are an answer, as the command's JSON says.

    >>> ask("sharding", mesh={"a": 4, "b": 2}, shape=(16, 4), spec="P('a',None)").shard_shape
    [4, 4]
    """
    return Answer(_program.ask([*map(str, words), *_program.options(options)], wrong_is_an_answer=True))


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 200 else text[:199] + "…"
