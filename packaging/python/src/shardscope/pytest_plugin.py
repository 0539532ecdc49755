# SPDX-License-Identifier: Apache-2.0
"""pytest: the fixture `expect`, and with --shardscope-html one page with what each claim found."""

from __future__ import annotations

import functools
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import pytest

from . import expectation, html
from .explanation import Explanation

_Found = list[tuple[str, str, Explanation]]  # test, what failed or "", what was found
_FOUND = pytest.StashKey[_Found]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("shardscope").addoption("--shardscope-html", metavar="FILE", help="one page with the explanation of each `expect`, failures first")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_FOUND] = []


@pytest.fixture
def expect(request: pytest.FixtureRequest) -> Callable[..., Explanation]:
    """`shardscope.expect`, kept for the report."""

    @functools.wraps(expectation.expect)
    def kept(*args: Any, **claims: Any) -> Explanation:
        found = request.config.stash[_FOUND]
        try:
            explanation = expectation.expect(*args, **claims)
        except expectation.ExpectationError as failed:
            found.append((request.node.nodeid, str(failed), failed.explanation))
            raise
        found.append((request.node.nodeid, "", explanation))
        return explanation

    return kept


def pytest_sessionfinish(session: pytest.Session) -> None:
    path = session.config.getoption("--shardscope-html")
    if path:
        Path(path).write_text(_page(session.config.stash[_FOUND]), encoding="utf-8")


def _page(found: _Found) -> str:
    shown = []
    for test, failed, explanation in sorted(found, key=lambda each: not each[1]):
        verdict = f'<pre class="wrong">{escape(failed)}</pre>' if failed else "<p>holds</p>"
        shown.append(f"<h2>{escape(test)}</h2>{html.styled(verdict)}{explanation._repr_html_()}")
    failures = sum(1 for each in found if each[1])
    return html.page("expected of shardings", f"<h1>{failures} of {len(found)} claims do not hold</h1>" + "".join(shown))
