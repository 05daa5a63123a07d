"""A Python pattern read for a backtracking matcher: order, ambiguity and places kept.

:func:`regsynth.syntax.python.parse` reads what a pattern *matches* and so may merge
``a|A`` into one set. A matcher tries alternatives one by one, so here nothing is
merged, and every node remembers the part of the text it stands for. The profile
``cpython`` then does what the standard library's parser does to alternatives: a
common first item is moved out, and alternatives of one character become a class.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from re import _constants as sre  # type: ignore[attr-defined]
from typing import Any

from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import EMPTY_SET
from regsynth.syntax.pattern import Node
from regsynth.syntax.python import Parsed, parse
from regsynth.syntax.python_classes import any_set, class_set, word_set

_FLAGS = {"i": re.I, "m": re.M, "s": re.S, "x": re.X, "a": re.A, "L": re.L, "u": re.U}
_TABLES = int(re.A | re.L | re.U)
_SHORT = {
    "d": sre.CATEGORY_DIGIT, "D": sre.CATEGORY_NOT_DIGIT, "s": sre.CATEGORY_SPACE, "S": sre.CATEGORY_NOT_SPACE,
    "w": sre.CATEGORY_WORD, "W": sre.CATEGORY_NOT_WORD,
}  # fmt: skip
_CONTROL = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_QUANTIFIER = re.compile(r"[*+?]|\{(?:[0-9]+(?:,[0-9]*)?|,[0-9]*)\}")
_OPEN = re.compile(r"\(\?(?:P<(?P<name>[^>]*)>|(?P<kind>:|>|<=|<!|=|!)|P=(?P<same>[^)]*)\)|\((?P<test>[^)]*)\)|(?P<comment>\#)|"
                   r"(?P<add>[aiLmsux]*)(?:-(?P<drop>[imsx]+))?(?P<end>[:)]))")  # fmt: skip
_SPACE = " \t\n\r\v\f"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/-,:;=<>@%&!\"'~`")


@dataclass(slots=True)
class Reading:
    """A pattern's tree for matching.

    Attributes
    ----------
    root : Node
    spans : dict
        Start and stop in the text by ``id`` of a node.
    flags : int
    is_bytes : bool
    rewrites : bool
        Whether the profile ``cpython`` would give, or gave, another tree.
    kept : list of Node
        Nodes no longer in the tree, kept alive so that ids stay unique.
    """

    root: Node
    spans: dict[int, tuple[int, int]]
    flags: int
    is_bytes: bool
    rewrites: bool = False
    kept: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class _Frame:
    """An open group: what it is, and what was read in it."""

    kind: str
    start: int
    flags: int
    data: Any = None
    options: list[list[Node]] = field(default_factory=list)
    items: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class _Splice:
    """The items of a non-capturing group, which join the sequence around them."""

    items: list[Node]
    start: int


def read(pattern: str | bytes, flags: int = 0, profile: str = "theory") -> Reading:
    """Read a pattern that ``re`` compiles.

    Raises
    ------
    ParseError, InputError
        As :func:`regsynth.syntax.python.parse` does.

    Examples
    --------
    >>> read("(?:a|b)*").root.kids[0].op == tree.ALT, read("(?:a|b)*", profile="cpython").root.kids[0].op == tree.SET
    (True, True)
    """
    return read_again(parse(pattern, flags), profile)


def read_again(parsed: Parsed, profile: str = "theory") -> Reading:
    """Read a pattern that has been parsed."""
    reader = _Reader(parsed.text, parsed.flags, parsed.is_bytes, parsed.groups, profile == "cpython")
    root = reader.run()
    return Reading(root, reader.spans, parsed.flags, parsed.is_bytes, reader.rewrites)


class _Reader:
    """One pass over the text with a stack of open groups; the text is known to be valid."""

    def __init__(self, text: str, flags: int, is_bytes: bool, names: dict[str, int], merge: bool) -> None:
        self.text = text
        self.flags = flags
        self.is_bytes = is_bytes
        self.names = names
        self.merge = merge
        self.rewrites = False
        self.spans: dict[int, tuple[int, int]] = {}
        self.classes: set[int] = set()  # nodes the standard parser holds as LITERAL or a class not negated
        self.written: dict[int, Any] = {}  # what a one-character node says, case apart
        self.keep: list[Node] = []  # keeps every node alive, so that ids stay unique
        self.groups = 0

    def note(self, node: Node, start: int, stop: int) -> Node:
        """Remember where a node comes from."""
        self.spans[id(node)] = (start, stop)
        self.keep.append(node)
        return node

    def run(self) -> Node:
        text, n = self.text, len(self.text)
        frame = _Frame("whole", 0, self.flags)
        stack: list[_Frame] = []
        i = 0
        while i < n:
            char = text[i]
            if char in _PLAIN:
                self.literal(frame, ord(char), i, i + 1)
                i += 1
            elif frame.flags & re.X and (char in _SPACE or char == "#"):
                i = i + 1 if char != "#" else (text.find("\n", i) + 1 or n)
            elif char == "\\":
                i = self.escape(frame, i)
            elif char == "[":
                i = self.bracket(frame, i)
            elif char == ".":
                frame.items.append(self.note(tree.char_set(any_set(frame.flags, self.is_bytes)), i, i + 1))
                i += 1
            elif char in "*+?{":
                i = self.quantifier(frame, i)
            elif char == "(":
                i, opened = self.open(frame, i)
                if opened is not None:
                    stack.append(frame)
                    frame = opened
            elif char == "|":
                frame.options.append(self.sequence(frame))
                frame.items = []
                i += 1
            elif char == ")":
                inner, frame = frame, stack.pop()
                i += 1
                self.close(inner, frame, i)
            elif char in "^$":
                kinds = (tree.LINE_START, tree.LINE_END) if frame.flags & re.M else (tree.START, tree.END_LINE_FEED)
                kind = kinds[char == "$"]
                frame.items.append(self.note(tree.at(kind), i, i + 1))
                i += 1
            else:
                self.literal(frame, ord(char), i, i + 1)
                i += 1
        return self.joined(self.options(frame), 0, n)

    def literal(self, frame: _Frame, point: int, start: int, stop: int) -> None:
        node = self.note(tree.char_set(class_set(((sre.LITERAL, point),), frame.flags, self.is_bytes)), start, stop)
        self.classes.add(id(node))
        self.written[id(node)] = point
        frame.items.append(node)

    def sequence(self, frame: _Frame) -> list[Node]:
        """The items of an alternative, groups that are mere brackets opened up."""
        out: list[Node] = []
        for item in frame.items:
            if isinstance(item, _Splice):
                out.extend(item.items)
            else:
                out.append(item)
        return out

    def options(self, frame: _Frame) -> list[Node]:
        """The items a group's alternatives come to, as a sequence."""
        options = [*frame.options, self.sequence(frame)]
        if len(options) == 1:
            return options[0]
        prefix: list[Node] = []
        rests = options
        while all(rests) and all(self.alike(rests[0][0], rest[0]) for rest in rests[1:]):
            prefix.append(rests[0][0])
            rests = [rest[1:] for rest in rests]
        single = all(len(rest) == 1 and id(rest[0]) in self.classes for rest in rests)
        self.rewrites = self.rewrites or single or bool(prefix)
        stop = max((self.spans[id(item)][1] for option in options for item in option), default=frame.start)
        start = min((self.spans[id(item)][0] for option in options for item in option), default=frame.start)
        if not self.merge:
            prefix, rests, single = [], options, False
        if single:
            chars = EMPTY_SET
            for (item,) in rests:
                chars = chars | item.data
            node = tree.char_set(chars)
            self.classes.add(id(node))
        else:
            node = tree.choice([tree.cat(rest) for rest in rests])
        return [*prefix, self.note(node, start, stop)]

    def alike(self, first: Node, second: Node) -> bool:
        """Whether the standard parser would call two items equal."""
        if first.op != second.op or first.kids or first.data != second.data:
            return False
        if first.op == tree.AT:
            return self.text[slice(*self.spans[id(first)])] == self.text[slice(*self.spans[id(second)])]
        return first.op == tree.REF or (first.op == tree.SET and self.written.get(id(first)) == self.written.get(id(second)))

    def joined(self, items: list[Node], start: int, stop: int) -> Node:
        """A sequence as one node."""
        if len(items) == 1:
            return items[0]
        return self.note(tree.cat(items), start, stop)

    def open(self, frame: _Frame, i: int) -> tuple[int, _Frame | None]:
        """Read the head of a group: where it ends, and the new frame if one was opened."""
        text = self.text
        if text[i + 1 : i + 2] != "?":
            self.groups += 1
            return i + 1, _Frame("capture", i, frame.flags, self.groups)
        head = _OPEN.match(text, i)
        assert head is not None
        stop = head.end()
        if head["name"] is not None:
            self.groups += 1
            return stop, _Frame("capture", i, frame.flags, self.groups)
        if head["same"] is not None:
            frame.items.append(self.note(tree.reference(self.names[head["same"]], frame.flags), i, stop))
            return stop, None
        if head["test"] is not None:
            written = head["test"]
            number = self.names[written] if written in self.names else int(written)
            return stop, _Frame("test", i, frame.flags, number)
        if head["comment"]:
            return text.index(")", i) + 1, None
        if head["kind"] is not None:
            kind = {":": "plain", ">": "atomic"}.get(head["kind"], head["kind"])
            return stop, _Frame(kind, i, frame.flags)
        if head["end"] == ")":
            return stop, None  # whole-pattern flags, in force already
        add = drop = 0
        for letter in head["add"] or "":
            add |= int(_FLAGS[letter])
        for letter in head["drop"] or "":
            drop |= int(_FLAGS[letter])
        flags = frame.flags & ~_TABLES if add & _TABLES else frame.flags
        return stop, _Frame("plain" if not (add or drop) else "flags", i, (flags | add) & ~drop)

    def close(self, inner: _Frame, frame: _Frame, stop: int) -> None:
        """Add a finished group to the frame around it."""
        start = inner.start
        if inner.kind == "test":
            options = [self.joined(items, start, stop) for items in (*inner.options, self.sequence(inner))]
            yes, no = options[0], options[1] if len(options) > 1 else tree.EPSILON
            frame.items.append(self.note(tree.conditional(inner.data, yes, no), start, stop))
            return
        items = self.options(inner)
        if inner.kind == "plain":
            frame.items.append(_Splice(items, start))
            return
        body = self.joined(items, start, stop)
        if inner.kind == "capture":
            node = tree.group(body, inner.data)
        elif inner.kind in ("atomic", "flags"):
            node = tree.atomic(body) if inner.kind == "atomic" else body
            if node is body:  # wrapped, for the standard parser keeps it apart
                node = tree.sequence((body,))
        else:
            node = tree.look(body, inner.kind[0] == "<", inner.kind[-1] == "!")
        frame.items.append(self.note(node, start, stop))

    def quantifier(self, frame: _Frame, i: int) -> int:
        text = self.text
        found = _QUANTIFIER.match(text, i)
        if found is None:  # a brace that repeats nothing
            self.literal(frame, ord(text[i]), i, i + 1)
            return i + 1
        written, stop = found[0], found.end()
        if written[0] == "{":
            low_text, comma, high_text = written[1:-1].partition(",")
            low = int(low_text or 0)
            high = int(high_text) if high_text else (None if comma else low)
        else:
            low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[written]
        mode = tree.GREEDY
        if text[stop : stop + 1] == "?":
            mode, stop = tree.LAZY, stop + 1
        elif text[stop : stop + 1] == "+":
            mode, stop = tree.POSSESSIVE, stop + 1
        item = frame.items.pop()
        if isinstance(item, _Splice):
            start = item.start
            item = self.joined(item.items, start, i)
        else:
            start = self.spans[id(item)][0]
        node = tree.repeat(item, low, high, mode)
        if node is item or node is tree.EPSILON:
            node = tree.sequence((node,) if node is item else ())
        if mode == tree.POSSESSIVE and node.op == tree.ATOMIC:
            self.note(node.kids[0], start, stop)
        frame.items.append(self.note(node, start, stop))
        return stop

    def escape(self, frame: _Frame, i: int) -> int:
        """An escape outside brackets."""
        text = self.text
        char = text[i + 1]
        if char in _SHORT:
            node = self.note(tree.char_set(class_set(((sre.CATEGORY, _SHORT[char]),), frame.flags, self.is_bytes)), i, i + 2)
            self.classes.add(id(node))
            self.written[id(node)] = ((sre.CATEGORY, _SHORT[char]),)
            frame.items.append(node)
            return i + 2
        if char in "AZbB":
            words = word_set(frame.flags, self.is_bytes)
            kinds = {"A": (tree.START, None), "Z": (tree.END, None), "b": (tree.BOUNDARY, words), "B": (tree.NOT_BOUNDARY, words)}
            frame.items.append(self.note(tree.at(*kinds[char]), i, i + 2))
            return i + 2
        if char in "123456789":
            digits = re.compile("[0-9]{1,2}").match(text, i + 1)
            assert digits is not None
            if not re.compile("[0-3][0-7][0-7]").match(text, i + 1):
                frame.items.append(self.note(tree.reference(int(digits[0]), frame.flags), i, digits.end()))
                return digits.end()
        point, stop = self.character(i)
        self.literal(frame, point, i, stop)
        return stop

    def character(self, i: int) -> tuple[int, int]:
        """The code point an escape stands for, and where it ends."""
        text = self.text
        char = text[i + 1]
        if char in "01234567":
            octal = re.compile("0[0-7]{0,2}|[0-7]{1,3}").match(text, i + 1)
            assert octal is not None
            return int(octal[0], 8), octal.end()
        if char == "x":
            return int(text[i + 2 : i + 4], 16), i + 4
        if char in "uU" and not self.is_bytes:
            stop = i + (6 if char == "u" else 10)
            return int(text[i + 2 : stop], 16), stop
        if char == "N" and not self.is_bytes:
            stop = text.index("}", i) + 1
            return ord(unicodedata.lookup(text[i + 3 : stop - 1])), stop
        return _CONTROL.get(char, ord(char)), i + 2

    def bracket(self, frame: _Frame, i: int) -> int:
        """A class in brackets."""
        text, start = self.text, i
        i += 1
        negated = text[i] == "^"
        i += negated
        items: list[tuple[Any, Any]] = []
        first = True
        while first or text[i] != "]":
            first = False
            item, i = self.member(i)
            if text[i] == "-" and text[i + 1] != "]":
                last, i = self.member(i + 1)
                item = (sre.RANGE, (item[1], last[1]))
            items.append(item)
        i += 1
        unique = list(dict.fromkeys(items))
        if negated:
            unique.insert(0, (sre.NEGATE, None))
        node = self.note(tree.char_set(class_set(unique, frame.flags, self.is_bytes)), start, i)
        if not negated:
            self.classes.add(id(node))
        self.written[id(node)] = unique[0][1] if len(unique) == 1 and unique[0][0] is sre.LITERAL else tuple(unique)
        frame.items.append(node)
        return i

    def member(self, i: int) -> tuple[tuple[Any, Any], int]:
        text = self.text
        if text[i] != "\\":
            return (sre.LITERAL, ord(text[i])), i + 1
        char = text[i + 1]
        if char in _SHORT:
            return (sre.CATEGORY, _SHORT[char]), i + 2
        if char == "b":
            return (sre.LITERAL, 8), i + 2
        point, stop = self.character(i)
        return (sre.LITERAL, point), stop
