"""Write a pure pattern tree as the shortest text we know that Python reads back.

Sets use shorthands, ranges and complements, whichever is shortest; groups are
non-capturing and only where precedence asks for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, combinations

from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import ALL, BYTES, CharSet
from regsynth.syntax.pattern import Node
from regsynth.syntax.python_classes import any_set, category

_PLAIN_ESCAPES = {"\n": r"\n", "\t": r"\t", "\r": r"\r", "\f": r"\f", "\v": r"\v"}
_SPECIAL = frozenset(".^$*+?{[\\|()")
_ALT, _CAT, _REPEAT, _ATOM = range(4)
NEVER = "(?!)"  # the empty language


def to_text(root: Node, flags: int = 0, is_bytes: bool = False) -> str:
    """The pattern's text under flags of ``re`` (Latin-1 text for ``bytes``).

    >>> from regsynth.syntax.python import parse
    >>> to_text(parse("(?:a|b|c|d)+x?x?").root)
    '[a-d]+x?x?'
    """
    return _write(root, flags & (re.S | re.A | re.L | re.U | re.X), is_bytes)[0]


def _write(node: Node, flags: int, is_bytes: bool) -> tuple[str, int]:
    if node.op == tree.SET:
        return (set_text(node.data, flags, is_bytes), _ATOM) if node.data else (NEVER, _ATOM)
    if node.op == tree.CAT:
        texts = [_wrapped(kid, _CAT, flags, is_bytes) for kid in node.kids]
        return "".join(texts), _CAT
    if node.op == tree.ALT:
        return "|".join(_write(kid, flags, is_bytes)[0] for kid in node.kids), _ALT
    assert node.op == tree.REPEAT
    low, high, _ = node.data
    return _wrapped(node.kids[0], _ATOM, flags, is_bytes) + repeat_text(low, high), _REPEAT


def _wrapped(node: Node, level: int, flags: int, is_bytes: bool) -> str:
    text, own = _write(node, flags, is_bytes)
    return text if own >= level else f"(?:{text})"


def repeat_text(low: int, high: int | None) -> str:
    """The quantifier.

    >>> repeat_text(0, 1), repeat_text(2, None), repeat_text(0, 3), repeat_text(2, 2)
    ('?', '{2,}', '{,3}', '{2}')
    """
    if high is None:
        return {0: "*", 1: "+"}.get(low, f"{{{low},}}")
    if (low, high) == (0, 1):
        return "?"
    if low == high:
        return f"{{{low}}}"
    return f"{{{low or ''},{high}}}"


@lru_cache(maxsize=4096)
def set_text(chars: CharSet, flags: int = 0, is_bytes: bool = False) -> str:
    """The shortest text we know for one character of a set.

    >>> set_text(CharSet.chars("a")), set_text(CharSet.of([(48, 57), (97, 97)])), set_text(~CharSet.chars("\\n"))
    ('a', '[0-9a]', '.')
    """
    universe = BYTES if is_bytes else ALL
    if chars is any_set(flags, is_bytes):
        return "."
    if len(chars) == 1:
        return escape(ord(chars.sample), flags, False)
    table = flags if flags & (re.A | re.L) or is_bytes else flags | re.U
    shorthands = [(name, category(name, int(table), is_bytes)) for name in (r"\w", r"\d", r"\s", r"\W", r"\D", r"\S")]
    for name, members in shorthands:
        if chars is members:
            return name
    options = []
    for negated in (False, True):
        wanted = universe - chars if negated else chars
        if not wanted:
            continue
        inside = [(name, members) for name, members in shorthands if not members - wanted]
        for chosen in chain.from_iterable(combinations(inside, n) for n in range(min(len(inside), 3) + 1)):
            rest = wanted
            for _, members in chosen:
                rest = rest - members
            options.append(_bracket(wanted, rest, negated, [name for name, _ in chosen]))
    return min(options, key=len)


def _bracket(wanted: CharSet, rest: CharSet, negated: bool, names: list[str]) -> str:
    """A bracket of shorthands and of ranges that cover the rest; ``] ^ -`` stand where they need no escape."""
    head, middle, carets, dash = "", "".join(names), "", ""
    for part in _parts(wanted, rest):
        if part == "-":
            dash = part
        elif part == r"\]":
            head = "]"
        elif part[0] == "^":
            carets += part
        elif part == r"\[" and (negated or middle or head):
            middle += "["
        else:
            middle += part
    body = head + middle
    if not body and not negated and carets:
        body = dash + carets if dash else "\\" + carets
    else:
        body += carets + dash
    return f"[{'^' if negated else ''}{body}]"


def _parts(wanted: CharSet, rest: CharSet) -> Iterator[str]:
    """Singles and ranges inside the wanted set that cover the rest, fewest characters within each run of it."""
    if len(list(rest.ranges())) == len(list(wanted.ranges())):
        runs = [[pair] for pair in rest.ranges()]
    else:
        runs = [[*(rest & CharSet.of([pair])).ranges()] for pair in wanted.ranges()]
    for run in runs:
        apart = [part for first, last in run for part in _range(first, last)]
        if len(run) > 1:
            whole = [*_range(run[0][0], run[-1][1])]
            if len("".join(whole)) < len("".join(apart)):
                apart = whole
        yield from apart


def _range(first: int, last: int) -> Iterator[str]:
    if last - first < 2:
        for point in range(first, last + 1):
            yield "-" if point == 0x2D else escape(point, 0, True)
    else:
        yield f"{escape(first, 0, True)}-{escape(last, 0, True)}"


def escape(point: int, flags: int, in_class: bool) -> str:
    """The text of one character, alone or between brackets.

    >>> escape(ord("."), 0, False), escape(ord("."), 0, True), escape(0, 0, True)
    ('\\\\.', '.', '\\\\x00')
    """
    char = chr(point)
    if char in _PLAIN_ESCAPES:
        return _PLAIN_ESCAPES[char]
    if in_class:
        if char in "\\]-[":
            return "\\" + char
    elif char in _SPECIAL or (flags & re.X and (char.isspace() or char == "#")):
        return "\\" + char
    if char.isprintable() and not (flags & re.X and char.isspace() and not in_class):
        return char
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
