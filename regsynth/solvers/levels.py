"""The costs that expressions can have, in ascending order, found from the costs that do occur."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator


class Levels:
    """Costs due, cheapest first; with large costs they are few among many numbers.

    Parameters
    ----------
    atoms : iterable of int
        Costs of expressions without operands.
    unary, binary : iterable of int
        Costs of the operators allowed.

    Attributes
    ----------
    filled : list of int
        Costs at which something is stored, ascending.

    Examples
    --------
    >>> levels = Levels([5], [100], [1_000])
    >>> seen = []
    >>> for cost in levels.up_to(1_200):
    ...     seen.append(cost)
    ...     levels.fill(cost)
    >>> seen
    [5, 105, 205, 305, 405, 505, 605, 705, 805, 905, 1005, 1010, 1105, 1110]
    """

    def __init__(self, atoms: Iterable[int], unary: Iterable[int], binary: Iterable[int]) -> None:
        self.unary, self.binary = sorted(set(unary)), sorted(set(binary))
        self.filled: list[int] = []
        self._due = sorted(set(atoms))
        self._seen = set(self._due)

    def up_to(self, bound: int) -> Iterator[int]:
        """The costs due, while the caller fills them."""
        self._bound = bound
        while self._due and self._due[0] <= bound:
            yield heapq.heappop(self._due)

    def fill(self, cost: int) -> None:
        """Something of this cost is stored, and nothing cheaper will be."""
        self.filled.append(cost)
        sums = [cost + price for price in self.unary] + [cost + price + other for price in self.binary for other in self.filled]
        for total in sums:
            if total <= self._bound and total not in self._seen:
                self._seen.add(total)
                heapq.heappush(self._due, total)
