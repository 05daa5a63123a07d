"""The dk.brics dialect: parser.

From loosest to tightest: union ``|``, intersection ``&``, concatenation,
repetition ``? * + {n} {n,} {n,m}``, complement ``~`` (so ``~a*`` is ``(~a)*``).
Atoms: ``.`` any character (the newline too), ``@`` any string, ``#`` the empty
language, ``()`` the empty string, ``"…"`` a literal string, ``<n-m>`` a number
in an interval, ``[…]`` a class, ``\\`` before a character for itself.

One deviation, because every corpus in this notation means it: ``\\b`` is a word
boundary (and ``\\B`` its absence) instead of the letter b, and ``\\d \\w \\s`` with
their complements are Python's classes.
"""

from __future__ import annotations

import re

from regsynth.errors import ParseError
from regsynth.syntax import pattern as tree
from regsynth.syntax.brics_interval import interval
from regsynth.syntax.charset import ALL, EMPTY_SET, CharSet
from regsynth.syntax.pattern import Node
from regsynth.syntax.python_classes import category

_DIGITS = "0123456789"
_SHORT = "dDwWsS"
_NO_ATOM = frozenset("|&?*+{)")
_ATOM = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|[^\[\"<|&?*+{)(~]", re.S).match
_atoms: dict[str, Node] = {}  # what an atom means does not depend on where it stands
MAX_COUNT = 1 << 31
MAX_DIGITS = 200


def parse(text: str) -> Node:
    """Parse a dk.brics expression.

    Raises
    ------
    ParseError
        With the 0-based position.

    Examples
    --------
    >>> parse("([0-9])&([0-4])").op == tree.AND
    True
    >>> parse("a)")
    Traceback (most recent call last):
    ...
    regsynth.errors.ParseError: unmatched ')'; remove it or write \\) (position 1)
    """
    return _Parser(text).parse()


class _Level:
    """An open parenthesis: finished alternatives, finished intersection operands, and the current concatenation."""

    __slots__ = ("alternatives", "factors", "opened", "parts", "tildes")

    def __init__(self, opened: int) -> None:
        self.opened = opened
        self.alternatives: list[Node] = []
        self.factors: list[Node] = []
        self.parts: list[Node] = []
        self.tildes: list[int] = []  # positions of ~ waiting for their operand


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.levels = [_Level(0)]

    def fail(self, message: str, position: int | None = None) -> ParseError:
        return ParseError(message, self.text, self.at if position is None else position)

    def parse(self) -> Node:
        text, n = self.text, len(self.text)
        if not text:
            raise self.fail("empty expression; write () for the empty string")
        while self.at < n:
            found = _ATOM(text, self.at)
            node = _atoms.get(found[0]) if found else None
            if found and node is not None:
                self.at = found.end()
                self._operand(node)
                continue
            char = text[self.at]
            level = self.levels[-1]
            if char == "~":
                level.tildes.append(self.at)
                self.at += 1
            elif char == "(":
                if text.startswith("()", self.at):
                    self.at += 2
                    self._operand(tree.EPSILON)
                else:
                    self.levels.append(_Level(self.at))
                    self.at += 1
            elif char == ")":
                if len(self.levels) == 1:
                    raise self.fail("unmatched ')'; remove it or write \\)")
                self._end_intersection()
                whole = tree.alt(level.alternatives)
                self.levels.pop()
                self.at += 1
                self._operand(whole)
            elif char == "|":
                self._end_intersection()
                self.at += 1
            elif char == "&":
                self._end_concatenation()
                self.at += 1
            elif char in _NO_ATOM:
                raise self.fail(f"{char!r} has nothing before it; write \\{char} for the character itself")
            else:
                node = self._atom(char)
                if found and found.end() == self.at:
                    if len(_atoms) > 20_000:
                        _atoms.clear()
                    _atoms[found[0]] = node
                self._operand(node)
        if len(self.levels) > 1:
            raise self.fail("unmatched '('; close it with ')'", self.levels[-1].opened)
        self._end_intersection()
        return tree.alt(self.levels[0].alternatives)

    def _operand(self, node: Node) -> None:
        """An atom has been read: waiting complements apply first, then what repeats it."""
        level = self.levels[-1]
        while level.tildes:
            level.tildes.pop()
            node = tree.complement(node)
        while char := self.text[self.at : self.at + 1]:
            if char not in "?*+{":
                break
            if char == "{":
                node = self._bounds(node)
            else:
                node = tree.repeat(node, int(char == "+"), 1 if char == "?" else None)
                self.at += 1
        level.parts.append(node)

    def _end_concatenation(self) -> None:
        level = self.levels[-1]
        if level.tildes:
            raise self.fail("'~' has no operand; write \\~ for the character itself", level.tildes[-1])
        if not level.parts:
            raise self.fail("an operand is missing here; write () for the empty string")
        level.factors.append(tree.cat(level.parts))
        level.parts = []

    def _end_intersection(self) -> None:
        self._end_concatenation()
        level = self.levels[-1]
        level.alternatives.append(tree.intersection(level.factors))
        level.factors = []

    def _number(self) -> int | None:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in _DIGITS:
            self.at += 1
        if start == self.at:
            return None
        if self.at - start > 10:
            raise self.fail(f"the bound is too large; give at most {MAX_COUNT:,}", start)
        return int(self.text[start : self.at])

    def _bounds(self, node: Node) -> Node:
        start = self.at
        self.at += 1
        low = self._number()
        if low is None:
            raise self.fail("a number must follow '{'; write \\{ for the character itself")
        high: int | None = low
        if self.text.startswith(",", self.at):
            self.at += 1
            high = self._number()
        if not self.text.startswith("}", self.at):
            raise self.fail("'}' is missing")
        self.at += 1
        if high is not None and high < low:
            raise self.fail(f"the bounds {low},{high} are in the wrong order", start)
        return tree.repeat(node, low, high)

    def _atom(self, char: str) -> Node:
        text = self.text
        if char == "[":
            return self._class()
        if char == '"':
            stop = text.find('"', self.at + 1)
            if stop < 0:
                raise self.fail("the closing '\"' is missing")
            literal = text[self.at + 1 : stop]
            self.at = stop + 1
            return tree.cat([tree.char_set(CharSet.chars(c)) for c in literal])
        if char == "<":
            return self._interval()
        self.at += 1
        if char == ".":
            return tree.char_set(ALL)
        if char == "@":
            return tree.repeat(tree.char_set(ALL), 0, None)
        if char == "#":
            return tree.char_set(EMPTY_SET)
        if char == "\\":
            if self.at == len(text):
                raise self.fail("nothing follows the backslash; write \\\\ for the character itself", self.at - 1)
            escaped = text[self.at]
            self.at += 1
            if escaped in "bB":
                return tree.at(tree.BOUNDARY if escaped == "b" else tree.NOT_BOUNDARY, category(r"\w", 32, False))
            return tree.char_set(category("\\" + escaped, 32, False) if escaped in _SHORT else CharSet.chars(escaped))
        return tree.char_set(CharSet.chars(char))

    def _class(self) -> Node:
        start, text = self.at, self.text
        self.at += 1
        negated = text.startswith("^", self.at)
        self.at += negated
        union = EMPTY_SET
        first = True
        while first or not text.startswith("]", self.at):
            first = False
            low = self._class_char(start)
            if isinstance(low, CharSet):
                union = union | low
            elif text.startswith("-", self.at) and not text.startswith("-]", self.at):
                self.at += 1
                high = self._class_char(start)
                if isinstance(high, CharSet) or high < low:
                    raise self.fail("the ends of the range are in the wrong order", self.at - 1)
                union = union | CharSet.of([(low, high)])
            else:
                union = union | CharSet.code(low)
        self.at += 1
        return tree.char_set(~union if negated else union)

    def _class_char(self, start: int) -> int | CharSet:
        text = self.text
        if self.at < len(text) and text[self.at] == "\\":
            self.at += 1
            if text[self.at : self.at + 1] in tuple(_SHORT):
                self.at += 1
                return category("\\" + text[self.at - 1], 32, False)
        if self.at >= len(text):
            raise self.fail("the closing ']' is missing", start)
        self.at += 1
        return ord(text[self.at - 1])

    def _interval(self) -> Node:
        start = self.at
        stop = self.text.find(">", start)
        low, dash, high = self.text[start + 1 : stop].partition("-")
        good = stop >= 0 and dash and all(s and all(c in _DIGITS for c in s) and len(s) <= MAX_DIGITS for s in (low, high))
        if not good:
            raise self.fail("'<' begins an interval such as <1-12>; write \\< for the character itself")
        self.at = stop + 1
        return interval(low, high)
