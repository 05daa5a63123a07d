"""Which characters a single-character item of ``re`` matches, under any flags.

Explicit characters and ranges are set algebra. Everything that depends on
Unicode tables is found by *asking* the running ``re``: a shorthand class is run
once over every code point, and case folding, which does nothing outside some
3,000 *cased* code points, is run over those. So the answer follows the Python
that runs it, tables and quirks included.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from re import _constants as sre  # type: ignore[attr-defined]
from typing import Any

from regsynth.syntax.charset import ALL, BYTES, EMPTY_SET, LIMIT, LOW, NEWLINE, CharSet

Item = tuple[Any, Any]

_SHORT = {
    sre.CATEGORY_DIGIT: r"\d", sre.CATEGORY_NOT_DIGIT: r"\D", sre.CATEGORY_SPACE: r"\s", sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w", sre.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip
IGNORECASE, LOCALE, UNICODE, ASCII, DOTALL = (int(flag) for flag in (re.I, re.L, re.U, re.A, re.S))  # plain ints are quicker
_TABLE = ASCII | LOCALE | UNICODE
_CASING = IGNORECASE | _TABLE


def _ranges(points: Sequence[int], matched: str | bytes, pattern: str | bytes, flags: int) -> CharSet:
    """The code points (``points[i]`` is the i-th character of ``matched``) that a one-character pattern matches."""
    rule = re.compile(pattern, flags & ~UNICODE if isinstance(pattern, bytes) else flags)
    return CharSet.of((points[m.start()], points[m.start()]) for m in rule.finditer(matched))  # type: ignore[arg-type]


@cache
def category(name: str, flags: int, is_bytes: bool) -> CharSet:
    """A shorthand class such as ``\\w`` (flags: ASCII, LOCALE, UNICODE)."""
    if is_bytes:
        return _ranges(range(LOW), bytes(range(LOW)), name.encode(), flags)
    if flags & ASCII:
        return _ranges(range(128), "".join(map(chr, range(128))), name, flags) | (
            CharSet.of([(128, LIMIT - 1)]) if name[1].isupper() else EMPTY_SET)  # fmt: skip
    runs = re.compile(f"{name}+", flags)
    return CharSet.of((m.start(), m.end() - 1) for m in runs.finditer(_every_character()))


@cache
def _every_character() -> str:
    from array import array

    points = array("I", range(LIMIT))
    return points.tobytes().decode("utf-32-le" if sys.byteorder == "little" else "utf-32-be", "surrogatepass")


@cache
def cased() -> tuple[str, CharSet]:
    """Every code point that case folding can touch, as a text and as a set.

    Found in blocks: most blocks are left alone by ``lower`` and ``upper``.
    """
    found: set[int] = set()
    for start in range(0, LIMIT, LOW):
        block = "".join(map(chr, range(start, start + LOW)))
        if block.lower() != block or block.upper() != block:
            for char in block:
                lower, upper = char.lower(), char.upper()
                if lower != char or upper != char:
                    found |= {ord(char), *map(ord, lower), *map(ord, upper)}
    try:
        from re._casefix import _EXTRA_CASES  # type: ignore[import-not-found]

        for point, others in _EXTRA_CASES.items():
            found |= {point, *others}
    except ImportError:  # a later Python may keep them elsewhere; the tests compare every code point
        pass
    for point in list(found):
        found |= {*map(ord, chr(point).lower()), *map(ord, chr(point).upper())}
    points = sorted(found)
    return "".join(map(chr, points)), CharSet.of((p, p) for p in points)


def class_text(items: Iterable[Item]) -> str:
    """A bracketed class that ``re`` reads as these items.

    >>> class_text([(sre.NEGATE, None), (sre.RANGE, (97, 122)), (sre.CATEGORY, sre.CATEGORY_DIGIT)])
    '[^\\\\U00000061-\\\\U0000007a\\\\d]'
    """
    out = []
    for op, value in items:
        if op is sre.NEGATE:
            out.append("^")
        elif op is sre.LITERAL:
            out.append(f"\\U{value:08x}")
        elif op is sre.RANGE:
            out.append(f"\\U{value[0]:08x}-\\U{value[1]:08x}")
        else:
            out.append(_SHORT[value])
    return f"[{''.join(out)}]"


def _plain(items: Iterable[Item], flags: int, is_bytes: bool) -> CharSet:
    """The union of the items, case apart."""
    ranges: list[tuple[int, int]] = []
    union = EMPTY_SET
    negated = False
    for op, value in items:
        if op is sre.LITERAL:
            ranges.append((value, value))
        elif op is sre.RANGE:
            ranges.append(value)
        elif op is sre.CATEGORY:
            union = union | category(_SHORT[value], flags & _TABLE, is_bytes)
        elif op is sre.NEGATE:
            negated = True
        else:
            raise AssertionError(f"class item {op}")
    union = union | CharSet.of(ranges)
    return (BYTES if is_bytes else ALL) - union if negated else union


_sets: dict[tuple[tuple[Item, ...], int, bool], CharSet] = {}


def class_set(items: Sequence[Item], flags: int, is_bytes: bool) -> CharSet:
    """What a class with these items matches.

    Parameters
    ----------
    items : sequence of (opcode, argument)
        As the standard library's parser gives them.
    flags : int
        Those of ``re`` in force at this place.
    is_bytes : bool
        Whether the pattern is ``bytes``.
    """
    flags &= _CASING
    key = (tuple(items), flags, is_bytes)
    found = _sets.get(key)
    if found is None:
        if len(_sets) > 50_000:
            _sets.clear()
        found = _sets[key] = _class_set(items, flags, is_bytes)
    return found


def _class_set(items: Sequence[Item], flags: int, is_bytes: bool) -> CharSet:
    if not flags & IGNORECASE:
        return _plain(items, flags, is_bytes)
    if is_bytes:
        text = re.sub(r"\\U000000(..)", r"\\x\1", class_text(items)).encode()
        return _ranges(range(LOW), bytes(range(LOW)), text, flags)
    touched, touchable = cased()
    folded = _ranges([*map(ord, touched)], touched, class_text(items), flags)
    return _plain(items, flags, is_bytes) - touchable | folded


def any_set(flags: int, is_bytes: bool) -> CharSet:
    """What ``.`` matches."""
    universe = BYTES if is_bytes else ALL
    return universe if flags & DOTALL else universe - NEWLINE


def word_set(flags: int, is_bytes: bool) -> CharSet:
    """The word characters of ``\\b`` and ``\\w``."""
    return category(r"\w", flags & _TABLE, is_bytes)
