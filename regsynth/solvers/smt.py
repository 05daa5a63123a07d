"""The SMT road: z3 over bit vectors of infixes, by ``Optimize`` or by a bound that is lowered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from regsynth.budget import Budget, Clock
from regsynth.encodings.smt import TreeModel
from regsynth.encodings.task import Task
from regsynth.encodings.words import Word
from regsynth.errors import BudgetExceeded, InputError
from regsynth.solvers.bounded import search
from regsynth.solvers.questions import Problem, Question
from regsynth.solvers.results import InferenceProblem, InferenceResult, MinimizationProblem, MinimizationResult
from regsynth.syntax.tree import Expr


class Z3:
    """z3 over trees of exactly ``nodes`` nodes.

    Parameters
    ----------
    method : {"loop", "optimize"}
        Lower a bound on the cost until there is no model, or let ``Optimize`` do it.
    """

    def __init__(self, task: Task, nodes: int, clock: Clock, method: str = "loop") -> None:
        if method not in ("loop", "optimize"):
            raise InputError(f"method {method!r} is unknown; choose from loop, optimize")
        self.task, self.nodes, self.clock, self.method = task, nodes, clock, method

    def cheapest(self, below: int | None) -> Expr | None:
        """See :class:`regsynth.solvers.bounded.Backend`."""
        model = TreeModel(self.task, self.nodes, self.nodes)
        engine = model.optimize() if self.method == "optimize" else model.solver()
        best: Expr | None = None
        while True:
            if below is not None:
                engine.add(model.at_most(below - 1))
            found = self._check(engine, model.z3)
            if found is None:
                return best
            best = model.decode(found)
            if self.method == "optimize":
                return best
            below = self.task.costs.of_expr(best)

    def _check(self, engine: Any, z3: Any) -> Any:
        self.clock.check()
        if self.clock.left != float("inf"):
            engine.set("timeout", max(1, int(self.clock.left * 1000)))
        verdict = engine.check()
        if verdict == z3.unknown:
            raise BudgetExceeded(f"z3 gave up: {engine.reason_unknown()}")
        return engine.model() if verdict == z3.sat else None

    def add(self, word: Word, sign: int) -> None:
        """See :class:`regsynth.solvers.bounded.Backend`."""
        if sign > 0:
            self.task = replace(self.task, positives=(*self.task.positives, word))
        else:
            self.task = replace(self.task, negatives=(*self.task.negatives, word))

    def close(self) -> None:
        """See :class:`regsynth.solvers.bounded.Backend`."""


def solve_minimization(problem: MinimizationProblem, budget: Budget | None = None, *, method: str = "loop") -> MinimizationResult:
    """Minimise by SMT.

    Parameters
    ----------
    problem : MinimizationProblem
    budget : Budget, optional
    method : {"loop", "optimize"}
        See :class:`Z3`.
    """
    result = _solve(problem, budget, method)
    assert isinstance(result, MinimizationResult)
    return result


def solve_inference(problem: InferenceProblem, budget: Budget | None = None, *, method: str = "loop") -> InferenceResult:
    """Infer by SMT; parameters as in :func:`solve_minimization`."""
    result = _solve(problem, budget, method)
    assert isinstance(result, InferenceResult)
    return result


def _solve(problem: Problem, budget: Budget | None, method: str) -> MinimizationResult | InferenceResult:
    question = Question(problem, (budget or Budget()).start())
    finished = search(question, lambda task, nodes: Z3(task, nodes, question.clock, method))
    return question.result("smt", finished=finished)
