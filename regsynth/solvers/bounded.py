"""The loop of the MaxSAT and SMT roads: the cheapest tree of n nodes, for n = 1, 2, …"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from regsynth.encodings.task import Task
from regsynth.encodings.words import Word
from regsynth.errors import BudgetExceeded
from regsynth.solvers.questions import Question
from regsynth.syntax.tree import Expr


class Backend(Protocol):
    """Finds cheapest trees of one size."""

    def cheapest(self, below: int | None) -> Expr | None:
        """The cheapest tree, or ``None`` when none is cheaper than ``below``."""

    def add(self, word: Word, sign: int) -> None:
        """One more sample."""

    def close(self) -> None:
        """Give back memory."""


def search(question: Question, backend: Callable[[Task, int], Backend]) -> bool:
    """Run a backend size by size until the optimum is proven (true) or the budget is used up (false)."""
    try:
        nodes = question.least_nodes
        while not question.settled and not question.exhausted(nodes - 1):
            engine = backend(question.task, nodes)
            try:
                while True:
                    question.clock.check()
                    expr = engine.cheapest(question.cost)
                    if expr is None:
                        break
                    sample = question.answer(expr)
                    if sample is None:
                        break  # the cheapest of its size on the samples, and right
                    engine.add(*sample)
            finally:
                engine.close()
            nodes += 1
            question.raise_floor(question.cheapest_from(nodes))
        return True
    except (BudgetExceeded, MemoryError):
        return False
