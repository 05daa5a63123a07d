"""A good answer from what a search has stored: the cheapest union of stored expressions that holds P.

Every stored expression that holds no negative word holds some of the positives. The
cheapest ones for each such set are the parts; a union of parts that together hold all
positives is an answer, often long before the search comes to a better one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

MOST = 14  # positives: the table has a place for each set of them
FAR = 1 << 40


class Cover:
    """Cheapest parts by the positives they hold.

    Parameters
    ----------
    positives : sequence of int
        Bits of the positive words in a row, at most :data:`MOST`.
    negatives : array of shape (words,)
        Row of the negative words.
    union : int
        Cost of a union.

    Examples
    --------
    >>> cover = Cover([0, 1], np.array([4], np.uint64), 1)
    >>> cover.learn(np.array([[1], [2], [7]], np.uint64), first=10, cost=3)
    >>> cover.solve(100)
    (7, [10, 11])
    """

    def __init__(self, positives: Sequence[int], negatives: Any, union: int) -> None:
        self.positives, self.negatives, self.union = positives, negatives, union
        self.cost = np.full(1 << len(positives), FAR, np.int64)
        self.part = np.full(1 << len(positives), -1, np.int64)
        self._fresh = False

    def learn(self, rows: Any, first: int, cost: int) -> None:
        """Take in stored rows, numbered from ``first``, of a cost not below earlier ones."""
        right = np.flatnonzero(~(rows & self.negatives).any(axis=1))
        held = np.zeros(len(right), np.int64)
        for bit, w in enumerate(self.positives):
            held |= (rows[right, w >> 6] >> np.uint64(w & 63) & np.uint64(1)).astype(np.int64) << bit
        sets, where = np.unique(held, return_index=True)
        new = self.cost[sets] == FAR
        self.cost[sets[new]], self.part[sets[new]] = cost, first + right[where[new]]
        self._fresh = self._fresh or bool(new.any())

    def solve(self, limit: int) -> tuple[int, list[int]] | None:
        """Cost and parts of the cheapest cover, if cheaper than ``limit`` and new parts have come since."""
        full = len(self.cost) - 1
        if not self._fresh or not full:
            return None
        self._fresh = False
        sets = np.flatnonzero(self.cost < FAR)
        if np.bitwise_or.reduce(sets) != full:
            return None
        by_bit = [sets[sets >> bit & 1 == 1] for bit in range(len(self.positives))]
        price = [self.cost[parts] + self.union for parts in by_bit]
        least, chosen = np.full(full + 1, FAR, np.int64), np.zeros(full + 1, np.int64)
        least[0] = 0
        for missing in range(1, full + 1):  # what is left after a part is a smaller number
            bit = (missing & -missing).bit_length() - 1
            total = price[bit] + least[missing & ~by_bit[bit]]
            k = int(total.argmin())
            least[missing], chosen[missing] = total[k], by_bit[bit][k]
        cost = int(least[full]) - self.union
        if cost >= limit:
            return None
        parts, missing = [], full
        while missing:
            parts.append(int(self.part[chosen[missing]]))
            missing &= ~int(chosen[missing])
        return cost, parts
