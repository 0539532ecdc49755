# SPDX-License-Identifier: Apache-2.0
"""assets/answers.md holds: every question's command gives the answer that stands there."""

import re

import pytest
import schemas

import shardscope as ss
from shardscope import _program

PAGE = schemas.ROOT / "assets" / "answers.md"
ROWS = [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in PAGE.read_text().splitlines() if re.match(r"\| [^-]", line) and not line.startswith("| question")]
FOLDERS = (schemas.ROOT / "tests/python/programs", schemas.ROOT / "presets/hlo")


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """The answer to a command; each is asked once."""
    workspace = schemas.workspace(_program.program(), tmp_path_factory.mktemp("answers"))
    kept = {}

    def file(word):
        there = [folder / word for folder in FOLDERS if word.endswith((".mlir", ".hlo")) and (folder / word).exists()]
        return str(there[0]) if there else workspace["db"] if word == "runs.shardscope" else word

    def ask(command):
        if command not in kept:
            kept[command] = ss.ask(*map(file, command.split()))
        return kept[command]

    return ask


def test_there_are_forty_questions():
    assert len(ROWS) >= 40 and len({row[0] for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("question, command, where, answer", ROWS, ids=[row[0] for row in ROWS])
def test_the_answer_is_the_one_that_stands_there(question, command, where, answer, answered):
    said = answered(command.strip("`"))
    names = {**{key: getattr(said, key) for key in said}, "len": len, "int": int, "sorted": sorted}
    assert str(eval(where.strip("`"), names)) == answer.strip("`")
