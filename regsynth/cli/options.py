"""One table defines every option of every verb: parser, help and checks derive from it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from regsynth.errors import InputError


class Option(NamedTuple):
    """A command-line option.

    ``convert`` turns its text into a value, raising :class:`InputError`; an
    option whose ``meta`` is empty is a flag and takes no value. One that repeats has
    the list of its values; ``short`` is its letter, as in ``-p``.
    """

    name: str
    meta: str
    help: str
    convert: Callable[[str], Any] = str
    default: Any = None
    short: str = ""
    repeats: bool = False


def cores() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _choice(name: str, *choices: str) -> Callable[[str], str]:
    def convert(text: str) -> str:
        if text not in choices:
            raise InputError(f"--{name} {text!r}: choose from {', '.join(choices)}")
        return text

    return convert


def _whole(name: str, least: int) -> Callable[[str], int]:
    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise InputError(f"--{name} {text!r}: give a whole number from {least} up")
        return value

    return convert


def _seconds(name: str, none: str) -> Callable[[str], float]:
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


def _alphabet(text: str) -> tuple[str, ...]:
    letters = tuple(c for c in text if not c.isspace())
    if not letters:
        raise InputError("--alphabet is empty; list the letters, such as --alphabet abcd")
    if len(set(letters)) < len(letters):
        twice = next(c for i, c in enumerate(letters) if c in letters[:i])
        raise InputError(f"--alphabet {text!r} lists {twice!r} twice; list each letter once")
    return letters


def _costs(text: str) -> Any:
    from regsynth.syntax.costs import Costs

    if text.strip() == "chars":
        return "chars"
    try:
        return Costs.parse(text)
    except InputError as error:
        message = str(error)
        raise InputError(message if message.startswith("--costs") else f"--costs {text!r}: {message}") from None


def _operators(text: str) -> Any:
    from regsynth.solvers.results import Operators

    return Operators.parse(text)


def _solver(text: str) -> str:
    from regsynth.api import check_solver

    return check_solver(text)


def _flags(text: str) -> str:
    from regsynth.syntax.python import read_flags

    read_flags(text)
    return text


def _some_text(name: str) -> Callable[[str], str]:
    def convert(text: str) -> str:
        if not text:
            raise InputError(f"--{name} is empty")
        return text

    return convert


TABLE: dict[str, Option] = {
    option.name: option
    for option in (
        Option("dialect", "NAME", "how patterns are read: formal, python or brics",
               _choice("dialect", "formal", "python", "brics"), "formal"),
        Option("semantics", "NAME", "what matches, in python and brics: fullmatch, match or search (default fullmatch)",
               _choice("semantics", "fullmatch", "match", "search"), "fullmatch"),
        Option("flags", "LETTERS", "flags of re for --dialect python, from imsxaLu", _flags, ""),
        Option("ops", "SIGNS", "operators an answer may use, from ?*.+~&- or 'all' (default ?*.+)", _operators),
        Option("costs", "C1,…", "costs of ∅εa ? * ~ · & + −, or of letter ? * · +, or 'tree' (default), 'chars'", _costs),
        Option("alphabet", "LETTERS", "Σ, where it matters (~); default: the letters of everything in the command", _alphabet),
        Option("solver", "NAME", "auto, enumerate, sat, maxsat, smt or portfolio (default auto)", _solver, "auto"),
        Option("certificate", "DIR", "write a proof of each optimum there, for check-certificate", _some_text("certificate")),
        Option("timeout", "SECONDS", "time budget of one item, 0 for none (default 60)", _seconds("timeout", "no limit"), 60.0),
        Option("memory-limit", "SIZE", "memory budget of one item, such as 8GiB (default half of memory)", size),
        Option("input", "FILE", "many items: lines, JSONL or a JSON list, .gz too; - for standard input", _some_text("input")),
        Option("field", "NAME", "field of each JSON record to read (for pairs two: NAME,NAME)", _some_text("field")),
        Option("format", "NAME", "table, json or jsonl (default: table on a terminal, else json, or jsonl for many)",
               _choice("format", "table", "json", "jsonl")),
        Option("jobs", "N", "worker processes for a batch (default: one a core); started only when they pay", _whole("jobs", 1), cores()),
        Option("seed", "N", "seed of everything random (default 0)", _whole("seed", 0), 0),
        Option("quiet", "", "no progress bar and no notes on stderr"),
        Option("help", "", "show this help"),
    )
}  # fmt: skip

BATCH = ("timeout", "memory-limit", "input", "field", "format", "jobs", "quiet", "help")
"""Options of every verb that works through items."""
