"""Write records: one JSON object, one a line, or lines for people; flushed as they come."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import TextIO

from regsynth.cli.exits import YES, Record, code_of, gravest

_encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode

Columns = Callable[[Record], list[str]]


def choose_format(asked: str | None, many: bool) -> str:
    """``table`` on a terminal, else ``json``, or ``jsonl`` for many items."""
    if asked:
        return asked
    if sys.stdout.isatty():
        return "table"
    return "jsonl" if many else "json"


class Writer:
    """Writes each record at once, in the order given, and keeps the gravest exit code.

    Parameters
    ----------
    form : str
        ``table``, ``json`` (one object; a list for many) or ``jsonl``.
    many : bool
        Whether the command has many items.
    columns : callable
        The cells of a record's line in a table.
    """

    def __init__(self, form: str, many: bool, columns: Columns, stream: TextIO | None = None) -> None:
        self.form = form
        self.many = many
        self.columns = columns
        self.stream = stream or sys.stdout
        self.code = YES
        self.count = 0
        self._widths: list[int] = []
        self._colour = form == "table" and use_colour(self.stream)

    def write(self, record: Record) -> None:
        """Write one record."""
        self.code = gravest(self.code, code_of(record))
        self.count += 1
        write = self.stream.write
        if self.form == "table":
            write(self._line(record))
        elif self.form == "jsonl" or not self.many:
            write(_encode(record) + "\n")
        else:
            write(("[" if self.count == 1 else ",\n ") + _encode(record))
        self.stream.flush()

    def close(self) -> None:
        """Finish a JSON list."""
        if self.form == "json" and self.many:
            self.stream.write("]\n" if self.count else "[]\n")
            self.stream.flush()

    def _line(self, record: Record) -> str:
        if "message" in record:
            cells = [f"{record['id']}: {record['message']}"]
        else:
            cells = self.columns(record)
        if len(cells) > len(self._widths):
            self._widths += [0] * (len(cells) - len(self._widths))
        shown = []
        for i, cell in enumerate(cells):
            if i + 1 < len(cells) and len(cell) <= 60:
                self._widths[i] = max(self._widths[i], len(cell))
                cell = cell.ljust(self._widths[i])
            shown.append(cell)
        if self._colour:
            style = {0: "1", 1: "1;33", 2: "31", 3: "33", 4: "31"}[code_of(record)]
            shown[0] = f"\x1b[{style}m{shown[0]}\x1b[0m"
        return "      ".join(shown).rstrip() + "\n"


def use_colour(stream: TextIO) -> bool:
    """Whether to colour: a terminal, and no ``NO_COLOR`` (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def clock_text(seconds: float) -> str:
    """Seconds for people.

    >>> clock_text(0.0042), clock_text(61.23)
    ('0.004 s', '61.2 s')
    """
    return f"{seconds:.3f} s" if seconds < 10 else f"{seconds:.1f} s"
