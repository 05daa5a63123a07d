"""What two engines on one problem tell each other: the best answer, and what is proven."""

from __future__ import annotations

import threading

from regsynth.syntax.tree import Expr


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
                self._regex, self._cost = regex, cost
        self._settle()

    def prove(self, bound: int) -> None:
        """Nothing cheaper than this is right."""
        with self._lock:
            self._bound = max(self._bound, bound)
        self._settle()

    def _settle(self) -> None:
        if self._bound >= self._cost:
            self.settled.set()
