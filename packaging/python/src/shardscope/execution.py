# SPDX-License-Identifier: Apache-2.0
"""A module run on the user's own arrays: what they give becomes its parameters, and what it computed becomes NumPy arrays."""

from __future__ import annotations

import numbers
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._program import RequestError, ShardscopeError
from .answers import ModuleArray
from .units import counted

if TYPE_CHECKING:
    from .capture import Captured

_MOST_NAMES = 12  # of parameters in a sentence


def execute(ask: Callable[[list[str]], Any], captured: Captured, parameters: Sequence[ModuleArray], values: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any]:
    """The results of the module for these values; `ask` takes the options that give them to it."""
    import numpy as np

    given = arguments(captured, parameters, values, named)
    names = parameter_names(captured, parameters)
    with tempfile.TemporaryDirectory(prefix="shardscope-") as folder:
        words: list[str] = []
        for number, (value, parameter) in enumerate(zip(given, parameters)):
            text = _as_text(value, parameter)
            if text is None:
                text = str(Path(folder) / f"argument{number}.npy")
                np.save(text, np.asarray(value))
            words += ["--arg", f"{number}={text}"]
        results = Path(folder) / "results"
        try:
            answer = ask([*words, "--out", str(results)])
        except ShardscopeError as refused:
            raise type(refused)(_in_the_users_words(str(refused), names)) from None
        refuse_unknown(answer["results"])
        return [np.load(each) for each in sorted(results.glob("*.npy"), key=lambda path: (len(path.name), path.name))]


def arguments(captured: Captured, parameters: Sequence[ModuleArray], values: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any]:
    """One value for each parameter: trees are flattened as JAX does it, and those that the module does not use are left out."""
    flat = captured.leaves(values, named) if captured.leaves else leaves((*values, *named.values()))
    if captured.used is not None and len(flat) == captured.used.of and len(flat) != len(parameters):
        flat = [flat[number] for number in captured.used.numbers]
    if len(flat) == len(parameters):
        return flat
    what = [f"{name} {each.shape}" for name, each in zip(parameter_names(captured, parameters), parameters)]
    more = f" and {len(what) - _MOST_NAMES} more" if len(what) > _MOST_NAMES else ""
    raise RequestError(f"{captured.name} takes {counted(len(parameters), 'array')}, got {len(flat)}; it takes {', '.join(what[:_MOST_NAMES]) or 'nothing'}{more}")


def leaves(value: Any) -> list[Any]:
    """The arrays of nested dicts, by sorted keys, and tuples; a list of numbers is an array.

    >>> leaves(({"w": 2, "b": 1}, [3, 4], None))
    [1, 2, [3, 4]]
    """
    if value is None:
        return []
    if isinstance(value, Mapping):
        return [leaf for key in sorted(value) for leaf in leaves(value[key])]
    if isinstance(value, tuple) or (isinstance(value, list) and any(isinstance(each, (Mapping, tuple)) or hasattr(each, "shape") for each in value)):
        return [leaf for each in value for leaf in leaves(each)]
    return [value]


def parameter_names(captured: Captured, parameters: Sequence[ModuleArray]) -> list[str]:
    """As the user's function names them, where the module says so: p['w'] of a function of p."""
    main = next((line for line in captured.text.splitlines() if "func.func public @main(" in line), "")
    said = {f"arg{number}": name for number, name in re.findall(r'%arg(\d+): [^%]*?loc\("([^"]+)"\)', main)}
    return [said.get(each.name, each.name) for each in parameters]


def refuse_unknown(results: Sequence[Mapping[str, Any]]) -> None:
    """What an operation of outside computes, as a callback into Python, is in no result here: better no list than a short one."""
    unknown = [each for each in results if each["unknown"]]
    if not unknown:
        return
    which = ", ".join(f"{each['name']} {each['shape']}" for each in unknown)
    raise RequestError(f"{len(unknown)} of {len(results)} results not known: {which}; {unknown[0]['unknown']}; return what does not depend on it")


def _as_text(value: Any, parameter: ModuleArray) -> str | None:
    """A plain number of Python, which takes the type of its parameter as in JAX; None of arrays."""
    if hasattr(value, "dtype") or not isinstance(value, numbers.Number) or not parameter.shape.endswith("[]"):
        return None
    return str(int(value)) if isinstance(value, bool) else repr(value)


def _in_the_users_words(sentence: str, names: Sequence[str]) -> str:
    """The file of an argument is ours, and its number is not what the user typed."""
    return re.sub(r"--arg (\d+)(?:, \S+\.npy)?", lambda found: f"argument {names[int(found[1])]}", sentence)
