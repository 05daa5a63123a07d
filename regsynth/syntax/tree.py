"""The expression tree: immutable, hash-consed nodes over ten constructors.

A node is made by the functions below, never by calling :class:`Expr`. Equal
trees are one object while alive, so ``is`` decides structural equality and a
deep tree is compared and hashed in constant time.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Iterator
from typing import Final

EMPTY: Final = 0  # ∅
EPSILON: Final = 1  # ε
LETTER: Final = 2
OPTION: Final = 3  # ?
STAR: Final = 4  # *
COMPLEMENT: Final = 5  # ~
CONCAT: Final = 6  # ·
INTERSECTION: Final = 7  # &
UNION: Final = 8  # +
DIFFERENCE: Final = 9  # −

ATOMS: Final = (EMPTY, EPSILON, LETTER)
UNARY: Final = (OPTION, STAR, COMPLEMENT)
BINARY: Final = (CONCAT, INTERSECTION, UNION, DIFFERENCE)
NAMES: Final = ("empty", "epsilon", "letter", "option", "star", "complement",
                "concatenation", "intersection", "union", "difference")  # fmt: skip
EXTENDED_MASK: Final = 1 << COMPLEMENT | 1 << INTERSECTION | 1 << DIFFERENCE


class Expr:
    """A node of an expression tree.

    Attributes
    ----------
    op : int
        One of the ten constructors, ``EMPTY`` … ``DIFFERENCE``.
    left, right : Expr or None
        Operands; a unary operator has only ``left``.
    symbol : hashable or None
        A letter's symbol (a one-character string in the formal dialect, a
        character set in the practical ones).
    length : int
        Tree length: the number of nodes.
    mask : int
        Bit ``op`` is set for every constructor in the tree.
    nullable : bool
        Whether the language holds the empty word.
    """

    __slots__ = ("__weakref__", "left", "length", "mask", "nullable", "op", "right", "symbol")

    op: int
    left: Expr | None
    right: Expr | None
    symbol: Hashable
    length: int
    mask: int
    nullable: bool

    def __repr__(self) -> str:
        return f"parse({str(self)!r})"

    def __str__(self) -> str:
        from regsynth.syntax.formal import to_text

        return to_text(self)

    def _repr_html_(self) -> str:
        import html

        return f"<code>{html.escape(str(self))}</code>"

    def __reduce__(self) -> tuple[Callable[[list[tuple[int, Hashable]]], Expr], tuple[list[tuple[int, Hashable]]]]:
        return (from_postfix, ([(node.op, node.symbol) for node in self.postorder()],))

    @property
    def letters(self) -> int:
        """Alphabetic width: the number of letter occurrences."""
        return sum(1 for node in self.postorder() if node.op == LETTER)

    @property
    def alphabet(self) -> frozenset[Hashable]:
        """The set of symbols that occur."""
        found: set[Hashable] = set()
        stack, seen = [self], set()
        while stack:
            node = stack.pop()
            if node.left is None:
                if node.op == LETTER:
                    found.add(node.symbol)
            elif id(node) not in seen:
                seen.add(id(node))
                stack.append(node.left)
                if node.right is not None:
                    stack.append(node.right)
        return frozenset(found)

    def postorder(self) -> Iterator[Expr]:
        """Every occurrence, operands before their operator, without recursion.

        >>> from regsynth.syntax.formal import parse
        >>> [str(node) for node in parse("ab*").postorder()]
        ['a', 'b', 'b*', 'ab*']
        """
        reversed_order: list[Expr] = []
        stack = [self]
        while stack:
            node = stack.pop()
            reversed_order.append(node)
            if node.left is not None:
                stack.append(node.left)
            if node.right is not None:
                stack.append(node.right)
        return reversed(reversed_order)

    def nodes(self) -> Iterator[Expr]:
        """Every *distinct* node once, operands first."""
        seen: set[int] = set()
        for node in self.postorder():
            if id(node) not in seen:
                seen.add(id(node))
                yield node


_table: weakref.WeakValueDictionary[tuple[int, Hashable, int, int], Expr] = weakref.WeakValueDictionary()


def _nullable(op: int, left: Expr | None, right: Expr | None) -> bool:
    if op in (EPSILON, OPTION, STAR):
        return True
    if left is None:
        return False
    if op == COMPLEMENT:
        return not left.nullable
    assert right is not None
    if op == UNION:
        return left.nullable or right.nullable
    if op == DIFFERENCE:
        return left.nullable and not right.nullable
    return left.nullable and right.nullable


def make(op: int, left: Expr | None = None, right: Expr | None = None, symbol: Hashable = None) -> Expr:
    """The one node with this operator and these operands."""
    key = (op, symbol, id(left), id(right))
    node = _table.get(key)
    if node is not None:
        return node
    node = Expr()
    node.op, node.left, node.right, node.symbol = op, left, right, symbol
    length, mask = 1, 1 << op
    if left is not None:
        length += left.length
        mask |= left.mask
        if right is not None:
            length += right.length
            mask |= right.mask
    node.length, node.mask, node.nullable = length, mask, _nullable(op, left, right)
    _table[key] = node
    return node


def empty() -> Expr:
    """∅, the empty language."""
    return make(EMPTY)


def epsilon() -> Expr:
    """ε, the language of the empty word."""
    return make(EPSILON)


def letter(symbol: Hashable) -> Expr:
    """A single letter."""
    return make(LETTER, symbol=symbol)


def option(x: Expr) -> Expr:
    """``x?``"""
    return make(OPTION, x)


def star(x: Expr) -> Expr:
    """``x*``"""
    return make(STAR, x)


def complement(x: Expr) -> Expr:
    """``~x``, relative to Σ*."""
    return make(COMPLEMENT, x)


def concat(x: Expr, y: Expr) -> Expr:
    """``xy``"""
    return make(CONCAT, x, y)


def intersection(x: Expr, y: Expr) -> Expr:
    """``x&y``"""
    return make(INTERSECTION, x, y)


def union(x: Expr, y: Expr) -> Expr:
    """``x+y``"""
    return make(UNION, x, y)


def difference(x: Expr, y: Expr) -> Expr:
    """``x-y``, the words of x that are not in y."""
    return make(DIFFERENCE, x, y)


def from_postfix(items: list[tuple[int, Hashable]]) -> Expr:
    """Rebuild a tree from ``(op, symbol)`` pairs in postorder."""
    stack: list[Expr] = []
    for op, symbol in items:
        if op in BINARY:
            right = stack.pop()
            stack[-1] = make(op, stack[-1], right)
        elif op in UNARY:
            stack[-1] = make(op, stack[-1])
        else:
            stack.append(make(op, symbol=symbol))
    (root,) = stack
    return root
