# SPDX-License-Identifier: Apache-2.0
"""Numbers with their units, as the program writes them, and sizes as people write them."""

from __future__ import annotations

import re

_BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SECONDS = {"ps": 1e-12, "ns": 1e-9, "µs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def counted(number: int, noun: str) -> str:
    """
    >>> counted(1, "device"), counted(8, "device")
    ('1 device', '8 devices')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def format_bytes(size: float) -> str:
    """
    >>> format_bytes(167772160), format_bytes(512)
    ('160.0 MiB', '512 B')
    """
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        if size >= _BYTES[unit]:
            return f"{size / _BYTES[unit]:.1f} {unit}"
    return f"{size:.0f} B"


def format_seconds(time: float) -> str:
    """
    >>> format_seconds(0.00062218536), format_seconds(0), format_seconds(1.2e-05)
    ('622 µs', '0 s', '12.0 µs')
    """
    if time == 0:
        return "0 s"
    for unit in ("s", "ms", "µs", "ns"):
        if abs(time) >= _SECONDS[unit]:
            return f"{_three_digits(time / _SECONDS[unit])} {unit}"
    return f"{_three_digits(time / 1e-12)} ps"


def _three_digits(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 99.95 else f"{value:.1f}" if abs(value) >= 9.995 else f"{value:.2f}"


def parse_bytes(size: str | float) -> float:
    """A size in bytes: a number, or text with a unit.

    >>> parse_bytes("64 MiB"), parse_bytes(12), parse_bytes("1.5GB")
    (67108864.0, 12.0, 1500000000.0)
    >>> parse_bytes("64 apples")
    Traceback (most recent call last):
    ValueError: got '64 apples', expected a size such as '64 MiB' or a number of bytes
    """
    return _parse(size, _BYTES, "a size such as '64 MiB' or a number of bytes")


def parse_seconds(time: str | float) -> float:
    """A time in seconds: a number, or text with a unit.

    >>> parse_seconds("650 us"), parse_seconds(0.5)
    (0.00065, 0.5)
    """
    return _parse(time, _SECONDS, "a time such as '650 us' or a number of seconds")


def _parse(value: str | float, units: dict[str, float] | dict[str, int], expected: str) -> float:
    if isinstance(value, (int, float)):
        return float(value)
    found = re.fullmatch(r"\s*([0-9.]+(?:[eE][-+]?\d+)?)\s*(\S+)\s*", value)
    if found is None or found[2] not in units:
        raise ValueError(f"got '{value}', expected {expected}")
    return float(found[1]) * units[found[2]]
