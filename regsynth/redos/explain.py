"""A screening result for a terminal: hot spots underlined, two readings of the pumped word side by side."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from regsynth.errors import InputError
from regsynth.redos.confirm import growth_text
from regsynth.redos.reading import read
from regsynth.redos.readings import Piece, two_readings
from regsynth.redos.results import FAMILIES, Attack, HotSpot, ScreenResult

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDTH = 100
_SHOWN = 24  # characters of a part of the pattern
_MARK = "\N{CLOCKWISE OPEN CIRCLE ARROW}"


def explain(result: ScreenResult, *, colour: bool = False, width: int = WIDTH) -> str:
    """What makes a pattern slow, drawn.

    Parameters
    ----------
    result : ScreenResult
    colour : bool
        With colours of a terminal.
    width : int
        Columns.

    Returns
    -------
    str
        Several lines, the last one ended.

    Examples
    --------
    >>> from regsynth.redos.screening import screen
    >>> print("\\n".join(explain(screen("^(a+)+$")).splitlines()[:3]))
    ^(a+)+$
     ~~~~~
      ~~
    """
    from rich.console import Console

    out = StringIO()
    console = Console(file=out, force_terminal=colour, no_color=not colour, width=width, highlight=False, emoji=False, markup=False)
    for part in parts(result):
        console.print(part, soft_wrap=not _is_table(part))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def parts(result: ScreenResult) -> list[RenderableType]:
    """The same as objects of rich."""
    from rich.text import Text

    text = _text(result.pattern)
    shown = Text(_printable(text))
    for spot in result.spans:
        shown.stylize("bold underline red", spot.start, spot.stop)
    out: list[RenderableType] = [shown, *(Text(line, "red") for line in underlines(len(text), result.spans))]
    out.append(Text(f"{result.growth}: {result.reason}"))
    if result.family is not None:
        out.append(Text(f"family {result.family}: {FAMILIES[result.family]}"))
    if result.attack is not None:
        out.append(Text(f"attack: {attack_text(result.attack)}"))
        out.extend(_readings(result, text))
    if result.confirmed.status != "not tried":
        out.append(Text(growth_text(result.confirmed)))
    return out


def underlines(length: int, spans: tuple[HotSpot, ...]) -> list[str]:
    """Lines of ``~`` below the spans, one for each level of nesting.

    >>> underlines(8, (HotSpot(1, 7), HotSpot(2, 4), HotSpot(5, 6)))
    [' ~~~~~~', '  ~~ ~']
    """
    rows: list[list[str]] = []
    for spot in sorted(spans, key=lambda spot: (spot.start, -spot.stop)):
        for row in rows:
            if all(row[i] == " " for i in range(spot.start, min(spot.stop, length))):
                break
        else:
            row = [" "] * length
            rows.append(row)
        row[spot.start : spot.stop] = "~" * (min(spot.stop, length) - spot.start)
    return ["".join(row).rstrip() for row in rows]


def attack_text(attack: Attack, repeats: str = "n") -> str:
    """An attack in words.

    >>> attack_text(Attack("x", "ab", "!", (("", "c"),)))
    '"x" + "ab"×n + "c"×n + "!"'
    """
    pieces = [quote(attack.prefix)] if attack.prefix else []
    for joint, pump in (("", attack.pump), *attack.further):
        pieces += [quote(joint)] if joint else []
        pieces.append(f"{quote(pump)}×{repeats}")
    return " + ".join(pieces + ([quote(attack.suffix)] if attack.suffix else []))


def quote(text: str) -> str:
    """Text between double quotes, with escapes for what does not print.

    >>> print(quote('a"\\n'))
    "a\\"\\n"
    """
    escapes = {"\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
    return '"' + "".join(escapes.get(c) or (c if c.isprintable() else _escaped(c)) for c in text) + '"'


def _escaped(char: str) -> str:
    point = ord(char)
    return f"\\x{point:02x}" if point < 256 else f"\\u{point:04x}" if point < 65536 else f"\\U{point:08x}"


def _readings(result: ScreenResult, text: str) -> list[RenderableType]:
    assert result.attack is not None
    try:
        reading = read(result.pattern, result.flags)
    except InputError:
        return []
    found = two_readings(reading, result.attack, searching=result.family == "SLQ")
    if found is None:
        return []
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table("one way to read it", "another", box=box.SIMPLE, show_edge=False, pad_edge=False)
    table.add_row(*(Text("\n".join(_line(piece, text) for piece in way)) for way in found))
    return [table]


def _line(piece: Piece, text: str) -> str:
    again = "".join(f"{_MARK} {_part(text, span)}\n" for span in piece.rounds)
    if piece.by is None:
        return f"{quote(piece.text)} skipped"
    return f"{again}{quote(piece.text)} by {_part(text, piece.by)}"


def _part(text: str, span: tuple[int, int]) -> str:
    shown = _printable(text[slice(*span)])
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"


def _printable(text: str) -> str:
    """The text with one printable character for each of its own, so that lines below it fit."""
    return "".join(c if c.isprintable() else " " for c in text)


def _text(pattern: str | bytes) -> str:
    return pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern


def _is_table(part: RenderableType) -> bool:
    return type(part).__name__ == "Table"
