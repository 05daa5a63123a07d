"""One table defines every option of every verb: parser, help and checks derive from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from regsynth.cli.values import alphabet, choice, costs, flags, operators, seconds, size, solver, some_text, whole
from regsynth.machine import cores


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


TABLE: dict[str, Option] = {
    option.name: option
    for option in (
        Option("dialect", "NAME", "how patterns are read: formal, python or brics",
               choice("dialect", "formal", "python", "brics"), "formal"),
        Option("semantics", "NAME", "what matches, in python and brics: fullmatch, match or search (default fullmatch)",
               choice("semantics", "fullmatch", "match", "search"), "fullmatch"),
        Option("flags", "LETTERS", "flags of re for --dialect python, from imsxaLu", flags, ""),
        Option("ops", "SIGNS", "operators an answer may use, from ?*.+~&- or 'all' (default ?*.+)", operators),
        Option("costs", "C1,…", "costs of ∅εa ? * ~ · & + −, or of letter ? * · +, or 'tree' (default), 'chars'", costs),
        Option("alphabet", "LETTERS", "Σ, where it matters (~); default: the letters of everything in the command", alphabet),
        Option("solver", "NAME", "auto, enumerate, sat, maxsat, smt or portfolio (default auto)", solver, "auto"),
        Option("certificate", "DIR", "write a proof of each optimum there, for check-certificate", some_text("certificate")),
        Option("timeout", "SECONDS", "time budget of one item, 0 for none (default 60)", seconds("timeout", "no limit"), 60.0),
        Option("memory-limit", "SIZE", "memory budget of one item, such as 8GiB (default half of memory)", size),
        Option("input", "FILE", "many items: lines, JSONL or a JSON list, .gz too; - for standard input", some_text("input")),
        Option("field", "NAME", "field of each JSON record to read (for pairs two: NAME,NAME)", some_text("field")),
        Option("format", "NAME", "table, json or jsonl (default: table on a terminal, else json, or jsonl for many)",
               choice("format", "table", "json", "jsonl")),
        Option("jobs", "N", "worker processes for a batch (default: one a core); started only when they pay", whole("jobs", 1), cores()),
        Option("seed", "N", "seed of everything random (default 0)", whole("seed", 0), 0),
        Option("quiet", "", "no progress bar and no notes on stderr"),
        Option("help", "", "show this help"),
    )
}  # fmt: skip

BATCH = ("timeout", "memory-limit", "input", "field", "format", "jobs", "quiet", "help")
"""Options of every verb that works through items."""
