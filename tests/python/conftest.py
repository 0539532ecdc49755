# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest

import shardscope as ss

pytest_plugins = ["pytester"]
PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def program():
    """Explanations of the recorded programs, each asked for once."""
    asked = {}

    def explained(name):
        if name not in asked:
            asked[name] = ss.explain(PROGRAMS / f"{name}.mlir", hardware="h200")
        return asked[name]

    return explained
