"""The Python dialect: what ``re`` compiles, as a pattern tree.

The standard library's own parser reads the pattern, so exactly what ``re``
rejects is rejected, with its message and position. It gives opcodes whose
meaning depends on the flags in force; the tree made here no longer does.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import lru_cache
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parser  # type: ignore[attr-defined]
from typing import Any

from regsynth.errors import InputError, ParseError
from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import EMPTY_SET
from regsynth.syntax.pattern import Node
from regsynth.syntax.python_classes import any_set, class_set, word_set
from regsynth.syntax.python_scan import scan

_LETTERS = {"i": re.I, "m": re.M, "s": re.S, "x": re.X, "a": re.A, "L": re.L, "u": re.U}
_MULTILINE = int(re.M)
_DEBUG = int(re.DEBUG)
_ASCII, _UNICODE = int(re.A), int(re.U)
_MODES = {sre.MAX_REPEAT: tree.GREEDY, sre.MIN_REPEAT: tree.LAZY, sre.POSSESSIVE_REPEAT: tree.POSSESSIVE}
_REFERS = re.compile(r"\\[1-9]|\(\?P=|\(\?\(")
_MAY_WARN = re.compile(r"\[.*?(?:\[|--|&&|~~|\|\|)|\(\?\(|\(\?P=", re.S)  # possible set operations, odd group names
_TOKENS = re.compile(
    r"\\(?P<digits>[1-9][0-9]?)|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|"
    r"\(\?P=(?P<name>\w+)\)|\(\?\((?P<test>\w+)\)", re.S)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parsed:
    """A pattern as a tree.

    Attributes
    ----------
    root : Node
    flags : int
        Flags of the whole pattern, inline ones included.
    is_bytes : bool
    text : str
        The pattern (Latin-1 text of a ``bytes`` pattern).
    groups : dict
        Number of each named capture group.
    """

    root: Node
    flags: int
    is_bytes: bool
    text: str
    groups: dict[str, int]

    def reference_position(self, number: int) -> int | None:
        """Where the pattern first refers to a group.

        >>> parse(r"(a*)\\1").reference_position(1)
        4
        """
        for token in _TOKENS.finditer(self.text):
            written = token["digits"] or token["name"] or token["test"]
            if written and (int(written) if written.isdecimal() else self.groups.get(written)) == number:
                return token.start()
        return None


def read_flags(text: str) -> int:
    """Flags from letters of ``imsxaLu``.

    >>> read_flags("im") == re.I | re.M
    True
    """
    flags = 0
    for i, letter in enumerate(text):
        if letter not in _LETTERS:
            raise InputError(f"--flags {text!r}: {letter!r} at position {i} is no flag; use letters of imsxaLu")
        flags |= _LETTERS[letter]
    return int(flags)


def parse(pattern: str | bytes, flags: int = 0) -> Parsed:
    """Parse a pattern as ``re.compile(pattern, flags)`` would.

    Raises
    ------
    ParseError
        With the message and position of ``re.error``.
    InputError
        When the flags contradict each other, or nesting is too deep for ``re``.

    Examples
    --------
    >>> parse("a[bc]+").root.size
    2
    >>> parse("a(b")
    Traceback (most recent call last):
    regsynth.errors.ParseError: missing ), unterminated subpattern (position 1)
    """
    is_bytes = isinstance(pattern, bytes)
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    flags = int(flags) & ~_DEBUG
    if not is_bytes:
        whole = flags if flags & _ASCII else flags | _UNICODE
        try:
            found = scan(text, whole, _atom)
        except (re.error, OverflowError, ValueError, RecursionError):
            found = None  # the standard parser says what is wrong, and where
        if found is not None:
            return Parsed(found[0], whole, False, text, found[1])
    try:
        parsed = _standard(pattern, text, flags)
        whole = int(parsed.state.flags)
        root = _convert(parsed, whole, is_bytes, _REFERS.search(text) is not None)
    except re.error as error:
        position = error.pos
        if position is None:
            position = max(text.find("(?<="), text.find("(?<!"), 0)
        raise ParseError(error.msg, text, position) from None
    except OverflowError as error:
        raise ParseError(str(error), text, max(text.find("{"), 0)) from None
    except RecursionError:
        raise InputError("groups are nested too deeply for Python's own parser; flatten them") from None
    except ValueError as error:
        raise InputError(f"flags: {error}") from None
    return Parsed(root, whole, is_bytes, text, dict(parsed.state.groupdict))


def _standard(pattern: str | bytes, text: str, flags: int) -> Any:
    """By the standard library's parser, which may warn of set operations: not our concern."""
    if not _MAY_WARN.search(text):
        return sre_parser.parse(pattern, flags)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sre_parser.parse(pattern, flags)


def _atom(text: str, flags: int) -> Node:
    """One item of a pattern by itself."""
    return _convert(_standard(text, text, flags), flags, False, False)


def _convert(items: Any, flags: int, is_bytes: bool, referred: bool) -> Node:
    """The tree of a sequence of opcodes.

    Recursion goes one frame a nested construct, where the standard parser, which
    has just succeeded, goes two.
    """
    parts: list[Node] = []
    for op, value in items:
        if op is sre.LITERAL:
            parts.append(_literal(value, flags, is_bytes))
        elif op is sre.IN:
            parts.append(tree.char_set(class_set(value, flags, is_bytes)))
        elif op in _MODES:
            low, high, body = value
            kid = _convert(body, flags, is_bytes, referred)
            parts.append(tree.repeat(kid, int(low), None if high == sre.MAXREPEAT else int(high), _MODES[op]))
        elif op is sre.SUBPATTERN:
            number, add, remove, body = value
            kid = _convert(body, _combine(flags, add, remove) if add or remove else flags, is_bytes, referred)
            parts.append(tree.group(kid, number) if number and referred else kid)
        elif op is sre.ANY:
            parts.append(tree.char_set(any_set(flags, is_bytes)))
        elif op is sre.BRANCH:
            parts.append(tree.alt([_convert(option, flags, is_bytes, referred) for option in value[1]]))
        elif op is sre.AT:
            parts.append(_anchor(value, flags, is_bytes))
        elif op is sre.NOT_LITERAL:
            parts.append(tree.char_set(class_set(((sre.NEGATE, None), (sre.LITERAL, value)), flags, is_bytes)))
        elif op is sre.ASSERT or op is sre.ASSERT_NOT:
            direction, body = value
            if direction < 0:
                low, high = body.getwidth()
                if low != high:
                    raise re.error("look-behind requires fixed-width pattern")
            kid = _convert(body, flags, is_bytes, referred)
            parts.append(tree.look(kid, direction < 0, op is sre.ASSERT_NOT))
        elif op is sre.ATOMIC_GROUP:
            parts.append(tree.atomic(_convert(value, flags, is_bytes, referred)))
        elif op is sre.GROUPREF:
            parts.append(tree.reference(value, flags))
        elif op is sre.GROUPREF_EXISTS:
            number, yes, no = value
            no_node = _convert(no, flags, is_bytes, referred) if no is not None else tree.EPSILON
            parts.append(tree.conditional(number, _convert(yes, flags, is_bytes, referred), no_node))
        elif op is sre.FAILURE:
            parts.append(tree.char_set(EMPTY_SET))
        else:
            raise AssertionError(f"opcode {op}")
    return tree.cat(parts)


@lru_cache(maxsize=4096)
def _literal(point: int, flags: int, is_bytes: bool) -> Node:
    return tree.char_set(class_set(((sre.LITERAL, point),), flags, is_bytes))


def _combine(flags: int, add: int, remove: int) -> int:
    tables = sre.SRE_FLAG_ASCII | sre.SRE_FLAG_LOCALE | sre.SRE_FLAG_UNICODE
    if add & tables:
        flags &= ~tables
    return int((flags | add) & ~remove)


def _anchor(kind: Any, flags: int, is_bytes: bool) -> Node:
    multiline = flags & _MULTILINE
    if kind is sre.AT_BEGINNING:
        return tree.at(tree.LINE_START if multiline else tree.START)
    if kind is sre.AT_BEGINNING_STRING:
        return tree.at(tree.START)
    if kind is sre.AT_END:
        return tree.at(tree.LINE_END if multiline else tree.END_LINE_FEED)
    if kind is sre.AT_END_STRING:
        return tree.at(tree.END)
    words = word_set(flags, is_bytes)
    return tree.at(tree.BOUNDARY if kind is sre.AT_BOUNDARY else tree.NOT_BOUNDARY, words)
