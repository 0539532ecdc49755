# SPDX-License-Identifier: Apache-2.0
"""Finds the program `shardscope`, asks it, and turns its refusals into exceptions with the same sentence."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shardscope.session import Busy, Refused, SessionEnded, session

VARIABLE = "SHARDSCOPE"  # names the program, when installing and when running
NAME = "shardscope"


class ShardscopeError(Exception):
    """What the program refused or could not do; the text is the program's own sentence."""


class ProgramNotFound(ShardscopeError):
    """There is no program to ask."""


class RequestError(ShardscopeError, ValueError):
    """The request, or the content of a module, is wrong (exit status 2)."""


class WrongNumbers(ShardscopeError, ArithmeticError):
    """The program was run and its numbers are wrong (exit status 3)."""


class FileError(ShardscopeError, OSError):
    """A file cannot be opened, read or written (exit status 4)."""


_WRONG_NUMBERS = 3
_REFUSALS: dict[int, type[ShardscopeError]] = {2: RequestError, _WRONG_NUMBERS: WrongNumbers, 4: FileError}


def program() -> str:
    """Path of the program: $SHARDSCOPE, else the one installed with this package, else the one on the path."""
    named = os.environ.get(VARIABLE)
    if named:
        if not os.access(named, os.X_OK) or os.path.isdir(named):
            raise ProgramNotFound(f"cannot run '{named}', which {VARIABLE} names; set it to the program {NAME}")
        return named
    installed = Path(sysconfig.get_path("scripts")) / NAME
    if os.access(installed, os.X_OK):
        return str(installed)
    found = shutil.which(NAME)
    if found is None:
        raise ProgramNotFound(f"the program {NAME} is not installed; set {VARIABLE} to its path, or install this package again without {VARIABLE}, which builds it")
    return found


def run(words: Sequence[str], *, wrong_is_an_answer: bool = False) -> str:
    """What the program prints on stdout. With wrong_is_an_answer, wrong numbers are no exception: the answer says so."""
    done = subprocess.run([program(), *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode == 0 or (wrong_is_an_answer and done.returncode == _WRONG_NUMBERS and done.stdout):
        return done.stdout
    raise refusal(done.returncode, done.stderr)


def succeeds(words: Sequence[str], *, seconds: float, bytes_of_memory: int) -> bool:
    """Whether the program does it within these limits; nothing depends on it, so a refusal is a no."""
    process = subprocess.Popen([program(), *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with contextlib.suppress(ProcessLookupError):  # of one that is done already
            # Set from here: code that runs between fork and exec may deadlock beside the threads of a framework.
            resource.prlimit(process.pid, resource.RLIMIT_AS, (bytes_of_memory, bytes_of_memory))
        return process.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        process.kill()
        process.wait()


def ask(words: Sequence[str], *, wrong_is_an_answer: bool = False) -> Any:
    """The program's answer as JSON, from the session of this process: what is asked about stays loaded there."""
    asked = [*map(str, words), "--json"]
    try:
        status, answer = session(program()).ask(asked)
    except Refused as refused:
        raise refusal(refused.exit, f"error: {refused.sentence}") from None
    except (Busy, SessionEnded):  # beside another question, or where none can be held: a process of its own
        return json.loads(run(asked, wrong_is_an_answer=wrong_is_an_answer))
    if status == 0 or (wrong_is_an_answer and status == _WRONG_NUMBERS):
        return answer
    raise refusal(status, "")


def refusal(status: int, said: str) -> ShardscopeError:
    """The exception for an exit status and what stood on stderr.

    >>> refusal(2, "note: slow\\nerror: unknown hardware 'x'; use h200\\n")
    RequestError("unknown hardware 'x'; use h200")
    """
    lines = [line for line in said.splitlines() if line.startswith("error: ")]
    sentence = lines[-1].removeprefix("error: ") if lines else said.strip() or f"{NAME} ended with status {status}"
    return _REFUSALS.get(status, ShardscopeError)(sentence)


def options(named: dict[str, Any]) -> list[str]:
    """Keyword arguments as options of the command line.

    >>> options({"device_order": [0, 2, 1, 3], "mesh": {"row": 2, "col": 4}, "m": 64, "overlap": False, "seed": None})
    ['--device-order', '0,2,1,3', '--mesh', 'row=2,col=4', '--m', '64', '--overlap', 'off']
    """
    words: list[str] = []
    for name, value in named.items():
        if value is not None:
            words += ["--" + name.replace("_", "-"), option_text(value)]
    return words


def option_text(value: Any) -> str:
    """A value as the command line writes it.

    >>> option_text({"row": 2}), option_text((8, 8)), option_text(True)
    ('row=2', '8,8', 'on')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, dict):
        return ",".join(f"{key}={option_text(each)}" for key, each in value.items())
    if isinstance(value, (list, tuple)) and type(value).__name__ != "PartitionSpec":
        return ",".join(map(option_text, value))
    return str(value)
