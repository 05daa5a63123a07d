"""The infix closure of a set of words, and how its words split."""

from __future__ import annotations

from collections.abc import Iterable

from regsynth.errors import BudgetExceeded

MAX_SPLITS = 3_000_000  # of all infixes together: beyond it no solver could use the formula

Word = tuple[int, ...]
"""Letters by their number in Σ."""


class InfixClosure:
    """Every infix of some words, numbered in the order they were met.

    A language's membership in every infix of a word is all that the ten
    constructors need to know about their operands to tell whether they accept the
    word. Words may be added later; numbers never change, and every infix of a word
    has a smaller number than the word.

    Attributes
    ----------
    words : list of tuple of int
        Number 0 is ε.
    index : dict
        Number of each.
    splits : list of list of (int, int)
        ``splits[i]`` lists the |w|+1 pairs (u, v) with u·v = w, ε·w first.

    Examples
    --------
    >>> closure = InfixClosure()
    >>> closure.add([(0, 1)])
    [0, 1, 2, 3]
    >>> closure.words
    [(), (0,), (1,), (0, 1)]
    >>> closure.splits[3]
    [(0, 3), (1, 2), (3, 0)]
    """

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.index: dict[Word, int] = {}
        self.splits: list[list[tuple[int, int]]] = []

    def __len__(self) -> int:
        return len(self.words)

    def add(self, words: Iterable[Word]) -> list[int]:
        """Numbers of the infixes that are new."""
        words = list(words)
        if sum(len(w) ** 3 // 6 for w in words) > MAX_SPLITS:
            raise BudgetExceeded(f"words of length {max(map(len, words))} have too many infixes for an encoding")
        found: set[Word] = {()}
        for w in words:
            found.update(w[i:j] for i in range(len(w)) for j in range(i + 1, len(w) + 1))
        new = []
        for w in sorted(found - self.index.keys(), key=lambda w: (len(w), w)):
            new.append(len(self.words))
            self.index[w] = len(self.words)
            self.words.append(w)
            self.splits.append([(self.index[w[:i]], self.index[w[i:]]) for i in range(len(w) + 1)])
        return new
