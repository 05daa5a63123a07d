"""The tree of a practical pattern, shared by the Python and brics dialects.

Unlike :mod:`regsynth.syntax.tree`, letters are character sets, repeats keep
their bounds, and there are nodes for everything that looks at its context.
Smart constructors flatten and merge, so ``(a|b)|[c]`` is one set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from regsynth.syntax.charset import CharSet

SET: Final = 0  # data: CharSet
CAT: Final = 1
ALT: Final = 2
REPEAT: Final = 3  # data: (low, high or None, mode)
AT: Final = 4  # data: (kind, word set or None)
LOOK: Final = 5  # data: (behind, negative)
ATOMIC: Final = 6
GROUP: Final = 7  # data: number; kept only where something refers to it
REF: Final = 8  # data: (number, flags)
COND: Final = 9  # data: number; kids: yes, no
NOT: Final = 10
AND: Final = 11

GREEDY, LAZY, POSSESSIVE = 0, 1, 2
START, END, END_LINE_FEED, LINE_START, LINE_END, BOUNDARY, NOT_BOUNDARY = range(7)

HUGE = 1 << 62  # cap of sizes
OTHER = 1 << 7  # in ``Node.kinds``: anything impure but an anchor


class Node:
    """One node; made by the functions below.

    Attributes
    ----------
    op : int
    kids : tuple of Node
    data : object
        See the constructors.
    kinds : int
        What impure lies in it: bit ``k`` for an anchor of kind ``k``, ``OTHER`` for the rest.
    pure : bool
        Made of sets, concatenation, union and repeats only.
    nullable : bool
        May match without consuming (exact when pure; context may forbid it otherwise).
    size : int
        Letters after every repeat is written out.
    """

    __slots__ = ("data", "kids", "kinds", "nullable", "op", "pure", "size")

    def __init__(self, op: int, kids: tuple[Node, ...], data: Any, kinds: int, nullable: bool, size: int) -> None:
        self.op = op
        self.kids = kids
        self.data = data
        self.kinds = kinds
        self.pure = not kinds
        self.nullable = nullable
        self.size = size

    def nodes(self) -> Iterator[Node]:
        """Every node, operands after their operator; a shared one once."""
        seen: set[int] = set()
        stack = [self]
        while stack:
            node = stack.pop()
            if id(node) not in seen:
                seen.add(id(node))
                yield node
                stack.extend(node.kids)

    def sets(self) -> list[CharSet]:
        """The distinct sets its letters, word boundaries and line ends read."""
        from regsynth.syntax.charset import NEWLINE

        found: dict[CharSet, None] = {}
        for node in self.nodes():
            if node.op == SET:
                found[node.data] = None
            elif node.op == AT:
                kind, words = node.data
                if words is not None:
                    found[words] = None
                elif kind in (END_LINE_FEED, LINE_START, LINE_END):
                    found[NEWLINE] = None
        return list(found)


def same(first: Node, second: Node) -> bool:
    """Whether two trees are equal, node by node."""
    stack = [(first, second)]
    while stack:
        x, y = stack.pop()
        if x is y:
            continue
        if x.op != y.op or x.data != y.data or len(x.kids) != len(y.kids) or x.size != y.size:
            return False
        stack.extend(zip(x.kids, y.kids, strict=True))
    return True


def char_set(chars: CharSet) -> Node:
    """One character of a set."""
    return Node(SET, (), chars, 0, False, 1)


EPSILON: Final = Node(CAT, (), None, 0, True, 0)


def cat(parts: Sequence[Node]) -> Node:
    """Concatenation, flattened."""
    if len(parts) == 1:
        return parts[0]
    kids: list[Node] = []
    for part in parts:
        if part.op == CAT:
            kids.extend(part.kids)
        else:
            kids.append(part)
    if len(kids) == 1:
        return kids[0]
    return sequence(kids) if kids else EPSILON


def sequence(kids: Sequence[Node]) -> Node:
    """Concatenation as it stands: nothing is flattened, and one operand is still one."""
    kinds, nullable, size = 0, True, 0
    for kid in kids:
        kinds |= kid.kinds
        size += kid.size
        if not kid.nullable:
            nullable = False
    return Node(CAT, tuple(kids), None, kinds, nullable, size if size < HUGE else HUGE)


def alt(options: Sequence[Node]) -> Node:
    """Union in order of preference; neighbouring single sets become one."""
    kids: list[Node] = []
    for option in options:
        for kid in option.kids if option.op == ALT else (option,):
            if kid.op == SET and kids and kids[-1].op == SET:
                kids[-1] = char_set(kids[-1].data | kid.data)
            else:
                kids.append(kid)
    return kids[0] if len(kids) == 1 else choice(kids)


def choice(kids: Sequence[Node]) -> Node:
    """Union as it stands: nothing is flattened or merged."""
    kinds, nullable, size = 0, False, 0
    for kid in kids:
        kinds |= kid.kinds
        size += kid.size
        if kid.nullable:
            nullable = True
    return Node(ALT, tuple(kids), None, kinds, nullable, size if size < HUGE else HUGE)


def repeat(kid: Node, low: int, high: int | None, mode: int = GREEDY) -> Node:
    """From ``low`` to ``high`` copies (``None``: any number); possessive repeats are atomic, copy by copy."""
    if mode == POSSESSIVE:
        return atomic(repeat(kid if kid.op == SET else atomic(kid), low, high))
    if (low, high) == (1, 1):
        return kid
    if high == 0:
        return EPSILON
    copies = max(low, 1) if high is None else high
    return Node(REPEAT, (kid,), (low, high, mode), kid.kinds, low == 0 or kid.nullable, min(kid.size * copies, HUGE))


def at(kind: int, words: CharSet | None = None) -> Node:
    """An anchor."""
    return Node(AT, (), (kind, words), 1 << kind, True, 0)


def look(kid: Node, behind: bool, negative: bool) -> Node:
    """Lookahead or lookbehind."""
    return Node(LOOK, (kid,), (behind, negative), kid.kinds | OTHER, True, kid.size)


def atomic(kid: Node) -> Node:
    """An atomic group."""
    if kid.op in (SET, ATOMIC):
        return kid
    return Node(ATOMIC, (kid,), None, kid.kinds | OTHER, kid.nullable, kid.size)


def group(kid: Node, number: int) -> Node:
    """A capture that something refers to."""
    return Node(GROUP, (kid,), number, kid.kinds | OTHER, kid.nullable, kid.size)


def reference(number: int, flags: int) -> Node:
    """A back-reference."""
    return Node(REF, (), (number, flags), OTHER, True, 1)


def conditional(number: int, yes: Node, no: Node) -> Node:
    """``(?(number)yes|no)``"""
    return Node(COND, (yes, no), number, yes.kinds | no.kinds | OTHER, yes.nullable or no.nullable, yes.size + no.size)


def complement(kid: Node) -> Node:
    """``~``"""
    return Node(NOT, (kid,), None, kid.kinds | OTHER, not kid.nullable, kid.size)


def intersection(kids: Sequence[Node]) -> Node:
    """``&``"""
    if len(kids) == 1:
        return kids[0]
    kinds = OTHER
    for kid in kids:
        kinds |= kid.kinds
    return Node(AND, tuple(kids), None, kinds, all(kid.nullable for kid in kids), sum(kid.size for kid in kids))
