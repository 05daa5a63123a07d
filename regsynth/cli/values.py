"""Converters of options' values: a text to a value, or one clear line on what to give instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from regsynth.errors import InputError


def choice(name: str, *choices: str) -> Callable[[str], str]:
    """One of some words."""

    def convert(text: str) -> str:
        if text not in choices:
            raise InputError(f"--{name} {text!r}: choose from {', '.join(choices)}")
        return text

    return convert


def whole(name: str, least: int) -> Callable[[str], int]:
    """A whole number from ``least`` up."""

    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise InputError(f"--{name} {text!r}: give a whole number from {least} up")
        return value

    return convert


def seconds(name: str, none: str) -> Callable[[str], float]:
    """Seconds; 0 is for what ``none`` says."""

    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value < 1e9:
            raise InputError(f"--{name} {text!r}: give seconds, such as 60 or 0.5, or 0 for {none}")
        return value

    return convert


_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}


def size(text: str) -> int:
    """Bytes from a text such as ``8GiB``, ``500MB`` or ``1000000``.

    >>> size("1.5KiB")
    1536
    """
    number = text.strip().rstrip("BbKkMmGgTtIi ")
    unit = text.strip()[len(number) :].strip().upper()
    try:
        value = float(number) * _UNITS[unit]
    except (ValueError, KeyError):
        value = 0.0
    if not 1 <= value < 2**62:
        raise InputError(f"--memory-limit {text!r}: give a size, such as 8GiB or 500MB")
    return int(value)


def alphabet(text: str) -> tuple[str, ...]:
    """Distinct letters."""
    letters = tuple(c for c in text if not c.isspace())
    if not letters:
        raise InputError("--alphabet is empty; list the letters, such as --alphabet abcd")
    if len(set(letters)) < len(letters):
        twice = next(c for i, c in enumerate(letters) if c in letters[:i])
        raise InputError(f"--alphabet {text!r} lists {twice!r} twice; list each letter once")
    return letters


def costs(text: str) -> Any:
    """A cost function, or ``chars``."""
    from regsynth.syntax.costs import Costs

    if text.strip() == "chars":
        return "chars"
    try:
        return Costs.parse(text)
    except InputError as error:
        message = str(error)
        raise InputError(message if message.startswith("--costs") else f"--costs {text!r}: {message}") from None


def operators(text: str) -> Any:
    """Operators of an answer."""
    from regsynth.solvers.results import Operators

    return Operators.parse(text)


def solver(text: str) -> str:
    """The name of a road."""
    from regsynth.api import check_solver

    return check_solver(text)


def flags(text: str) -> str:
    """Flags of Python's ``re``."""
    from regsynth.syntax.python import read_flags

    read_flags(text)
    return text


def some_text(name: str) -> Callable[[str], str]:
    """Anything but nothing."""

    def convert(text: str) -> str:
        if not text:
            raise InputError(f"--{name} is empty")
        return text

    return convert
