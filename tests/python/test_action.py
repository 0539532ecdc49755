# SPDX-License-Identifier: Apache-2.0
"""The action's steps, run as a CI would: a collective too many fails with the picture."""

import os
import re
import subprocess
import sys
from pathlib import Path

from shardscope import _program

ACTION = Path(__file__).parents[2] / "packaging" / "action" / "action.yml"


def test_the_step_that_tests_writes_both_files_and_fails(tmp_path):
    (tmp_path / "test_step.py").write_text(f"def test_it(expect): expect({str(Path(__file__).parent / 'programs/step.mlir')!r}, collectives={{}})")
    (tmp_path / "shardscope" / "bin").mkdir(parents=True)
    (tmp_path / "shardscope" / "bin" / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (tmp_path / "shardscope" / "bin" / "python").chmod(0o755)
    script = re.search(r"id: tests.*?run: \|\n(.*)", ACTION.read_text(), re.DOTALL)[1].replace("${{ inputs.tests }}", str(tmp_path / "test_step.py"))
    done = subprocess.run(["bash", "-e", "-c", script], env={**os.environ, "RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "out"), "SHARDSCOPE": _program.program()}, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "expected 0 all-reduce, got 1" in done.stdout
    assert "<svg" in (tmp_path / "shardscope.html").read_text() and "<failure" in (tmp_path / "shardscope.xml").read_text()
    assert (tmp_path / "out").read_text().splitlines() == [f"junit={tmp_path}/shardscope.xml", f"page={tmp_path}/shardscope.html"]
