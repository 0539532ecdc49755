# SPDX-License-Identifier: Apache-2.0
"""What is being done just now: one line that changes, in a notebook or on a terminal, and is gone at the end."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any


class Progress:
    """with Progress() as say: say("lowering f") …"""

    def __init__(self) -> None:
        self._handle: Any = None
        self._notebook = False

    def __enter__(self) -> Progress:
        ipython = sys.modules.get("IPython")
        shell = ipython.get_ipython() if ipython is not None else None
        self._notebook = shell is not None and getattr(shell, "kernel", None) is not None
        return self

    def __call__(self, what: str) -> None:
        if self._notebook:
            from IPython.display import display

            shown = {"text/plain": f"{what} …"}
            if self._handle is None:
                self._handle = display(shown, raw=True, display_id=True)
            else:
                self._handle.update(shown, raw=True)
        elif sys.stderr.isatty():
            print(f"\r\033[K{what} …", end="", file=sys.stderr, flush=True)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._notebook:
            if self._handle is not None:
                self._handle.update({"text/plain": ""}, raw=True)
        elif sys.stderr.isatty():
            print("\r\033[K", end="", file=sys.stderr, flush=True)
