# SPDX-License-Identifier: Apache-2.0
"""The notebooks run from top to bottom; what a cell ends with shows itself."""

import ast
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "assets" / "notebooks").glob("*.ipynb"))


def cells(path):
    return ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]


def run(source, names):
    """As a notebook does: the value of the last expression is shown."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is None:
        return ""
    value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return value._repr_html_() if hasattr(value, "_repr_html_") else repr(value)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, capsys):
    names = {}
    shown = [run(cell, names) for cell in cells(path)]
    assert capsys.readouterr().out and all(len(html) <= 500_000 for html in shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_cell_has_ten_lines_at_most_and_no_kept_output(path):
    content = json.loads(path.read_text())
    texts = [cell for cell in cells(path) if not cell.startswith('text = """')]
    assert max(len([line for line in cell.splitlines() if line.strip()]) for cell in texts) <= 10
    assert all(cell["outputs"] == [] for cell in content["cells"] if cell["cell_type"] == "code")


def test_each_seed_has_its_notebook():
    assert len(NOTEBOOKS) == 5
