"""What two engines on one problem tell each other: the best answer, and what is proven."""

from __future__ import annotations

import threading

from regsynth.syntax.tree import Expr

GROWTH = 1.5  # times the work a cost level takes at least, in that of the one before


class News:
    """Best answer and proven bound, from whichever engine.

    Parameters
    ----------
    regex : Expr
        An expression known to be right.
    cost : int
    bound : int
        Nothing cheaper is right.

    Attributes
    ----------
    found : bool
        Whether an engine has found an answer, which then is hardly ever a third too dear.
    alone : bool
        Whether one engine has ended without a proof, so that the other one is the last to go on.
    settled : threading.Event
        Set when answer and bound meet.

    Examples
    --------
    >>> from regsynth.syntax.formal import parse
    >>> news = News(parse("ab+b"), 5, 1)
    >>> news.offer(parse("a?b"), 4)
    >>> news.prove(4)
    >>> news.cost, news.settled.is_set()
    (4, True)
    """

    def __init__(self, regex: Expr, cost: int, bound: int) -> None:
        self._lock = threading.Lock()
        self._regex, self._cost, self._bound = regex, cost, bound
        self.found = self.alone = False
        self.settled = threading.Event()

    @property
    def known(self) -> tuple[Expr, int, int]:
        """Best answer, its cost, the bound."""
        with self._lock:
            return self._regex, self._cost, self._bound

    @property
    def cost(self) -> int:
        """Cost of the best answer."""
        return self._cost

    @property
    def bound(self) -> int:
        """Nothing cheaper is right."""
        return self._bound

    def offer(self, regex: Expr, cost: int) -> None:
        """A right answer."""
        with self._lock:
            if cost < self._cost:
                self._regex, self._cost, self.found = regex, cost, True
        self._settle()

    def prove(self, bound: int) -> None:
        """Nothing cheaper than this is right."""
        with self._lock:
            self._bound = max(self._bound, bound)
        self._settle()

    def _settle(self) -> None:
        if self._bound >= self._cost:
            self.settled.set()


def hopeless(spent: float, levels: float, budget: float) -> bool:
    """Whether so many cost levels more, after ``spent`` seconds, would take longer than the budget in seconds.

    >>> hopeless(1.0, 3, 60), hopeless(10.0, 8, 60), hopeless(10.0, 8_000, 60), hopeless(10.0, 8, float("inf"))
    (False, True, True, False)
    """
    return bool(spent * GROWTH ** min(max(0.0, levels), 1000.0) > budget)  # a greater power is no float
