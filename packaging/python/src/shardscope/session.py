# SPDX-License-Identifier: Apache-2.0
"""One process of the program that answers many questions: `shardscope serve --stdio`, JSON-RPC 2.0 a line."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import subprocess
import threading
from collections.abc import Sequence
from typing import Any


class SessionEnded(Exception):
    """The process ended before it answered."""


class Busy(Exception):
    """Another thread's question is worked on."""


class Refused(Exception):
    """The program refused; `exit` is the status that the same words end with on a command line."""

    def __init__(self, exit: int, sentence: str) -> None:
        super().__init__(sentence)
        self.exit, self.sentence = exit, sentence


class Session:
    """Modules and records that were asked about stay loaded, so a second question is answered sooner."""

    def __init__(self, program: str) -> None:
        self.program, self.folder, self.process_id = program, os.getcwd(), os.getpid()
        self._lock = threading.Lock()
        self._asked = 0
        self._process = subprocess.Popen([program, "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8")

    def fits(self, program: str) -> bool:
        """Whether it can be asked on: the same program, process and folder, which names of files are relative to."""
        return (program, os.getcwd(), os.getpid()) == (self.program, self.folder, self.process_id) and self._process.poll() is None

    def ask(self, words: Sequence[str]) -> tuple[int, Any]:
        """The exit status and the answer of a command. Raises Refused; Busy; SessionEnded."""
        if not self._lock.acquire(blocking=False):
            raise Busy
        try:
            reply = json.loads(self._reply(words))
        finally:
            self._lock.release()
        if "error" in reply:
            raise Refused(reply["error"]["data"]["exit"], reply["error"]["message"])
        return reply["result"]["exit"], reply["result"]["answer"]

    def _reply(self, words: Sequence[str]) -> str:
        method, *rest = words
        self._asked += 1
        assert self._process.stdin and self._process.stdout
        try:
            self._process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": rest}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except KeyboardInterrupt:
            self.close()  # what is answered later would be taken for another's answer
            raise
        except (OSError, ValueError) as problem:  # of a stream that is closed
            raise SessionEnded(str(problem)) from problem
        if not line:
            raise SessionEnded(f"status {self._process.wait()}")
        return line

    def close(self) -> None:
        with contextlib.suppress(OSError):
            if self.process_id == os.getpid():
                self._process.terminate()
            for stream in (self._process.stdin, self._process.stdout):
                if stream:
                    stream.close()
            if self.process_id == os.getpid():
                self._process.wait()


_current: Session | None = None
_starting = threading.Lock()


def session(program: str) -> Session:
    """The session of this process with this program; begun when there is none."""
    global _current
    with _starting:
        if _current is None or not _current.fits(program):
            if _current is not None:
                _current.close()
            _current = Session(program)
        return _current


@atexit.register
def end_session() -> None:
    global _current
    if _current is not None:
        _current.close()
        _current = None
