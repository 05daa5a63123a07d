"""The infix closure of the sample words, and what an expression means on it.

The *characteristic sequence* of a language is the set of those infixes of P ∪ N that
it holds, here an integer used as a bit set. Membership of a word depends on that of
its infixes only, so the sequence of ``x·y`` follows from those of x and y, and so for
all ten constructors (Paresy, PLDI 2023). Complement is relative to Σ*, hence bitwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from regsynth.automata.dfa import bits
from regsynth.errors import BudgetExceeded
from regsynth.syntax import tree

MAX_SPLITS = 2_000_000  # ways to cut an infix in two, over all infixes


class Infixes:
    """All infixes of the words, shortest first, then in letter order.

    Parameters
    ----------
    positives, negatives : iterable of str
    alphabet : sequence of str
        Letters in order; one that occurs in no word has the sequence of ∅.

    Attributes
    ----------
    words : list of str
        ``words[0]`` is the empty word.
    splits : list of list of (int, int)
        For each infix w the pairs (u, v) with w = u·v, by number.
    positives, negatives : int
        The two sets, as bit sets.
    shared, upper, lower : int
        Infixes of both positives and negatives, of positives only, of negatives only.

    Raises
    ------
    BudgetExceeded
        When the closure has more than :data:`MAX_SPLITS` splits.

    Examples
    --------
    >>> closure = Infixes(["ab"], ["b"], "ab")
    >>> closure.words, bin(closure.shared), bin(closure.upper)
    (['', 'a', 'b', 'ab'], '0b101', '0b1010')
    """

    def __init__(self, positives: Iterable[str], negatives: Iterable[str], alphabet: Sequence[str]) -> None:
        yes, no = sorted(positives), sorted(negatives)
        room = sum(len(w) * (len(w) + 1) * (len(w) + 2) // 6 for w in (*yes, *no))
        if room > 8 * MAX_SPLITS:
            raise BudgetExceeded("the words are too long for their infixes to be listed")
        above, below = _infixes(yes), _infixes(no)
        rank = {symbol: i for i, symbol in enumerate(alphabet)}
        self.words = sorted(above | below | {""}, key=lambda w: (len(w), [rank[c] for c in w]))
        if sum(len(w) + 1 for w in self.words) > MAX_SPLITS:
            raise BudgetExceeded(f"the infixes of the words can be cut in more than {MAX_SPLITS} ways")
        number = {w: i for i, w in enumerate(self.words)}
        self.number = number
        self.splits = [[(number[w[:i]], number[w[i:]]) for i in range(len(w) + 1)] for w in self.words]
        self.letters = [1 << number[c] if c in number else 0 for c in alphabet]
        self.full = (1 << len(self.words)) - 1
        self.positives, self.negatives = self._set(yes), self._set(no)
        up, low = self._set(above), self._set(below)
        self.shared, self.upper, self.lower = up & low, up & ~low, low & ~up
    def _set(self, words: Iterable[str]) -> int:
        number, out = self.number, bytearray(len(self.words) // 8 + 1)
        for w in words:
            out[number[w] >> 3] |= 1 << (number[w] & 7)
        return int.from_bytes(out, "little")

    @cached_property
    def _by_right(self) -> list[list[tuple[int, int]]]:
        """For each v the pairs (u, u·v), as single bits."""
        by_right: list[list[tuple[int, int]]] = [[] for _ in self.words]
        for w, pairs in enumerate(self.splits):
            for u, v in pairs:
                by_right[v].append((1 << u, 1 << w))
        return by_right

    def columns(self, x: int) -> list[int]:
        """For each v, the words u·v with u in x: what v adds to a product with x on its left."""
        return [sum(w for u, w in pairs if x & u) for pairs in self._by_right]

    def concat(self, x: int, y: int) -> int:
        """Sequence of the product."""
        out, by_right = 0, self._by_right
        for v in bits(y):
            for u, w in by_right[v]:
                if x & u:
                    out |= w
        return out

    def star(self, x: int) -> int:
        """Sequence of the star: a word is in it when a non-empty prefix is in x and the rest is in it."""
        out = 1
        for w, pairs in enumerate(self.splits[1:], 1):
            if x >> w & 1 or any(x >> u & 1 and out >> v & 1 for u, v in pairs[1:-1]):
                out |= 1 << w
        return out

    def apply(self, op: int, x: int, y: int = 0) -> int:
        """Sequence of an operator's result."""
        if op == tree.OPTION:
            return x | 1
        if op == tree.STAR:
            return self.star(x)
        if op == tree.COMPLEMENT:
            return self.full & ~x
        if op == tree.CONCAT:
            return self.concat(x, y)
        if op == tree.INTERSECTION:
            return x & y
        return x | y if op == tree.UNION else x & ~y


def _infixes(words: Iterable[str]) -> set[str]:
    return {w[i:j] for w in words for i in range(len(w) + 1) for j in range(i, len(w) + 1)}
