"""Write a pure pattern tree as the shortest text we know that Python reads back.

Sets use shorthands, ranges and complements, whichever is shortest; groups are
non-capturing and only where precedence asks for them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import ALL, BYTES, CharSet
from regsynth.syntax.pattern import Node
from regsynth.syntax.python_classes import any_set, category

_PLAIN_ESCAPES = {"\n": r"\n", "\t": r"\t", "\r": r"\r", "\f": r"\f", "\v": r"\v"}
_SPECIAL = frozenset(".^$*+?{}[]\\|()")
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
        return _escape(ord(chars.sample), flags, False)
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
        options.append(_bracket(wanted, negated, [], flags))
        inside = [(name, members) for name, members in shorthands if not members - wanted]
        for name, members in inside:
            options.append(_bracket(wanted - members, negated, [name], flags))
        if len(inside) > 1:
            covered = inside[0][1]
            names = [inside[0][0]]
            for name, members in inside[1:]:
                if members - covered:
                    covered, names = covered | members, [*names, name]
            options.append(_bracket(wanted - covered, negated, names, flags))
    if chars is universe:
        options.append(r"[\s\S]")
    return min(options, key=len)


def _bracket(chars: CharSet, negated: bool, names: list[str], flags: int) -> str:
    parts = []
    dash = ""
    for first, last in chars.ranges():
        for point in (first,) if first == last else ():
            if point == 0x2D:
                dash = "-"
                break
        else:
            if last - first < 2:
                parts += [_escape(p, flags, True) for p in range(first, last + 1)]
            else:
                parts.append(f"{_escape(first, flags, True)}-{_escape(last, flags, True)}")
    body = "".join(names) + "".join(parts)
    if not negated and body.startswith("^"):
        body = "\\" + body
    return f"[{'^' if negated else ''}{body}{dash}]"


def _escape(point: int, flags: int, in_class: bool) -> str:
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
