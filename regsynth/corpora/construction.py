"""RegexPSPACE's bottom-up construction of all expressions of a depth.

D0 holds the letters, and Dn

* ``x?`` and ``x*`` for x in D(n-1),
* ``x+y`` and ``xy`` for y in D(n-1) and x in D0 ∪ … ∪ D(n-1), every *unordered*
  pair once. Of ``xy`` and ``yx`` the one whose first operand comes first in the
  construction order is kept.

Construction order: level after level; within one the options, the stars, the
unions (by y, then by x) and the concatenations (the same). So the i-th expression
of a level can be written down without the ones before it, which is what makes
sampling from the 10^12 of depth 4 possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt
from typing import NamedTuple

from regsynth.errors import InputError

UNION, CONCAT, TIGHT = 0, 1, 2
LIMIT = 4_000_000  # expressions of a level that are listed at once


class Term(NamedTuple):
    """An expression as text: how tightly its root binds, and its tree length.

    The text parses to exactly this tree: a right operand of the same kind keeps its
    brackets, ``a+(b+c)``, so that distinct trees are distinct texts.
    """

    text: str
    kind: int
    length: int

    @property
    def tight(self) -> str:
        """As the operand of ``?`` or ``*``, or on the right of a concatenation."""
        return self.text if self.kind == TIGHT else f"({self.text})"

    @property
    def factor(self) -> str:
        """On the left of a concatenation."""
        return f"({self.text})" if self.kind == UNION else self.text

    @property
    def summand(self) -> str:
        """On the right of a union."""
        return f"({self.text})" if self.kind == UNION else self.text


class Level:
    """Dn, given the expressions of the levels before (``low``) and of D(n-1) (``last``).

    >>> level = Level([], [Term(c, TIGHT, 1) for c in "ab"])
    >>> len(level), [term.text for term in level]
    (10, ['a?', 'b?', 'a*', 'b*', 'a+a', 'a+b', 'b+b', 'aa', 'ab', 'bb'])
    >>> level[5].text
    'a+b'
    """

    def __init__(self, low: Sequence[Term], last: Sequence[Term]) -> None:
        self.low, self.last = low, last
        n = len(last)
        self.pairs = n * len(low) + n * (n + 1) // 2

    def __len__(self) -> int:
        return 2 * (len(self.last) + self.pairs)

    def __getitem__(self, index: int) -> Term:
        """The expression with this number, 0-based."""
        n = len(self.last)
        if not 0 <= index < len(self):
            raise IndexError(index)
        if index < 2 * n:
            x = self.last[index % n]
            return Term(x.tight + ("?" if index < n else "*"), TIGHT, x.length + 1)
        kind, pair = divmod(index - 2 * n, self.pairs)
        i, j = self._pair(pair)
        x = self.low[i] if i < len(self.low) else self.last[i - len(self.low)]
        y = self.last[j]
        text = f"{x.text}+{y.summand}" if kind == UNION else x.factor + y.tight
        return Term(text, kind, x.length + y.length + 1)

    def __iter__(self) -> Iterator[Term]:
        """All expressions in construction order, about four million a second."""
        for sign in "?*":
            for x in self.last:
                yield Term(x.tight + sign, TIGHT, x.length + 1)
        operands = [*self.low, *self.last]
        for kind, heads in ((UNION, [x.text + "+" for x in operands]), (CONCAT, [x.factor for x in operands])):
            lengths = [x.length + 1 for x in operands]
            for j, y in enumerate(self.last, len(self.low) + 1):
                tail = y.summand if kind == UNION else y.tight
                for head, length in zip(heads[:j], lengths):
                    yield Term(head + tail, kind, length + y.length)

    def _pair(self, pair: int) -> tuple[int, int]:
        """Numbers of x (among all operands) and y (in ``last``) of a pair: row j has ``len(low) + j + 1`` pairs."""
        low = 2 * len(self.low) + 1
        j = (isqrt(low * low + 8 * pair) - low) // 2
        return pair - (j * low + j * j) // 2, j


def sizes(letters: int, depth: int) -> list[int]:
    """Number of expressions of D0 … D(depth).

    >>> sizes(4, 3), sizes(2, 3), sizes(3, 3)
    ([4, 28, 1092, 1265628], [2, 10, 170, 33490], [3, 18, 486, 258066])
    """
    out = [letters]
    while len(out) <= depth:
        n, low = out[-1], sum(out[:-1])
        out.append(2 * n + 2 * (n * low + n * (n + 1) // 2))
    return out


def levels(alphabet: str, depth: int) -> list[Level]:
    """D1 … D(depth), all but the last of them listed in memory.

    Raises
    ------
    InputError
        When a level that must be listed has more than four million expressions.
    """
    if not alphabet or len(set(alphabet)) < len(alphabet) or not all(c.isalnum() for c in alphabet):
        raise InputError(f"alphabet {alphabet!r}: give distinct letters or digits, such as abcd")
    below = sizes(len(alphabet), depth)[:-1]
    if below and max(below) > LIMIT:
        raise InputError(f"depth {depth} over {len(alphabet)} letters: {max(below):,} expressions at once; sample instead: urmt")
    low: list[Term] = []
    last = [Term(c, TIGHT, 1) for c in alphabet]
    out: list[Level] = []
    for n in range(depth):
        out.append(Level(low, last))
        if n + 1 < depth:
            low, last = low + last, list(out[-1])
    return out


def everything(alphabet: str, depth: int) -> Iterator[tuple[int, Term]]:
    """All of D0 … D(depth) in construction order, each with its depth."""
    for c in alphabet:
        yield 0, Term(c, TIGHT, 1)
    for n, level in enumerate(levels(alphabet, depth), 1):
        for term in level:
            yield n, term
