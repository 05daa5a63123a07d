"""The MaxSAT road: RC2 finds the cheapest tree of each size, the cost being soft clauses.

Core-guided: it raises a lower bound until it is met, so its proof of optimality is the
last core (Ignatiev, Morgado, Marques-Silva, RC2, JSAT 2019; here as PySAT has it).
"""

from __future__ import annotations

import threading
from typing import Any

from regsynth.budget import Budget, Clock
from regsynth.encodings.costs import soft_clauses
from regsynth.encodings.task import Task
from regsynth.encodings.tree import TreeEncoding
from regsynth.encodings.words import Word
from regsynth.errors import BudgetExceeded
from regsynth.solvers.bounded import search
from regsynth.solvers.live import BYTES_PER_CLAUSE, Live
from regsynth.solvers.questions import Problem, Question
from regsynth.solvers.results import InferenceProblem, InferenceResult, MinimizationProblem, MinimizationResult
from regsynth.syntax.tree import Expr


class MaxSat:
    """RC2 over trees of exactly ``nodes`` nodes."""

    def __init__(self, task: Task, nodes: int, clock: Clock, symmetry: str = "all") -> None:
        self.clock, self.nodes = clock, nodes
        self.encoding = TreeEncoding(task, nodes, symmetry=symmetry, tick=clock.check, limit=clock.memory // BYTES_PER_CLAUSE)
        self.soft = soft_clauses(self.encoding.layout, task.costs)

    def cheapest(self, below: int | None) -> Expr | None:
        """See :class:`regsynth.solvers.bounded.Backend`."""
        from pysat.examples.rc2 import RC2Stratified
        from pysat.formula import WCNF

        encoding = self.encoding
        with Live(encoding.formula, self.clock) as live:  # most sizes have no tree at all
            if live.solve(encoding.assumptions(self.nodes)) is None:
                return None
        wcnf = WCNF()
        wcnf.hard = [*encoding.formula.clauses, *([x] for x in encoding.assumptions(self.nodes))]
        wcnf.soft, wcnf.wght = [[x] for x, _ in self.soft], [w for _, w in self.soft]
        wcnf.nv, wcnf.topw = encoding.formula.variables, sum(wcnf.wght) + 1
        with RC2Stratified(wcnf, solver="g4", adapt=True, exhaust=True, minz=True) as rc2:
            model = self._compute(rc2)
            if model is None or (below is not None and rc2.cost >= below):
                return None
            return encoding.decode(model)

    def _compute(self, rc2: Any) -> list[int] | None:
        if self.clock.left == float("inf"):
            model = rc2.compute()
        else:
            timer = threading.Timer(max(0.0, self.clock.left), rc2.interrupt)
            timer.start()
            try:
                model = rc2.compute(expect_interrupt=True)
            finally:
                timer.cancel()
                timer.join()
            if model is None and self.clock.left <= 0:
                raise BudgetExceeded(f"time budget of {self.clock.budget.seconds} s used up in the MaxSAT solver")
        return None if model is None else list(model)

    def add(self, word: Word, sign: int) -> None:
        """See :class:`regsynth.solvers.bounded.Backend`."""
        (self.encoding.add_positives if sign > 0 else self.encoding.add_negatives)([word])

    def close(self) -> None:
        """See :class:`regsynth.solvers.bounded.Backend`."""


def solve_minimization(
    problem: MinimizationProblem, budget: Budget | None = None, *, symmetry: str = "all"
) -> MinimizationResult:
    """Minimise by MaxSAT; see :func:`regsynth.solvers.sat.solve_minimization`."""
    result = _solve(problem, budget, symmetry)
    assert isinstance(result, MinimizationResult)
    return result


def solve_inference(problem: InferenceProblem, budget: Budget | None = None, *, symmetry: str = "all") -> InferenceResult:
    """Infer by MaxSAT; see :func:`regsynth.solvers.sat.solve_inference`."""
    result = _solve(problem, budget, symmetry)
    assert isinstance(result, InferenceResult)
    return result


def _solve(problem: Problem, budget: Budget | None, symmetry: str) -> MinimizationResult | InferenceResult:
    question = Question(problem, (budget or Budget()).start())
    finished = search(question, lambda task, nodes: MaxSat(task, nodes, question.clock, symmetry))
    return question.result("maxsat", finished=finished)
