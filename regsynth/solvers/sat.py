"""The SAT road: one live solver; trees of one more node, and one more sample, at a time.

For each size n in turn the solver is asked for a tree of exactly n nodes that answers
the samples and costs less than the best answer so far. A tree is checked on the whole
problem; a wrong one yields a witness, which joins the samples. Sizes, words and cost
bounds enter as new clauses and assumptions only, so all that was learnt stays.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from regsynth.budget import Budget, Clock
from regsynth.encodings.costs import CostCounter
from regsynth.encodings.tree import TreeEncoding
from regsynth.errors import BudgetExceeded, InputError
from regsynth.solvers.questions import Problem, Question
from regsynth.solvers.results import InferenceProblem, InferenceResult, MinimizationProblem, MinimizationResult

DEFAULT = "glucose4"
BYTES_PER_CLAUSE = 400  # in Python and in the solver together, measured


def solver_names() -> tuple[str, ...]:
    """SAT solvers that PySAT offers here."""
    from pysat.solvers import SolverNames

    return tuple(sorted(name for name in vars(SolverNames) if not name.startswith("_")))


class LiveSolver:
    """A PySAT solver that follows a growing formula and can be stopped by a clock.

    Solvers that cannot be interrupted (CaDiCaL, Lingeling) are stopped only between calls.
    """

    def __init__(self, encoding: TreeEncoding, clock: Clock, name: str = DEFAULT) -> None:
        from pysat.solvers import Solver

        if name not in solver_names():
            raise InputError(f"SAT solver {name!r} is unknown; PySAT offers {', '.join(solver_names())}")
        self.encoding, self.clock = encoding, clock
        self._mark = 0
        self._solver: Any = Solver(name=name)
        self._stoppable = name.startswith(("glucose", "gluecard", "mini", "maple", "mergesat"))

    def __enter__(self) -> LiveSolver:
        return self

    def __exit__(self, *_: object) -> None:
        self._solver.delete()

    def solve(self, assumptions: Iterable[int]) -> list[int] | None:
        """A model, or ``None`` when there is none; :class:`BudgetExceeded` when the clock runs out."""
        self.clock.check()
        clauses = self.encoding.formula.since(self._mark)
        self._mark = len(self.encoding.formula.clauses)
        self._solver.append_formula(clauses)
        if not self._stoppable or self.clock.left == float("inf"):
            found = self._solver.solve(assumptions=list(assumptions))
        else:
            timer = threading.Timer(self.clock.left, self._solver.interrupt)
            timer.start()
            try:
                found = self._solver.solve_limited(assumptions=list(assumptions), expect_interrupt=True)
            finally:
                timer.cancel()
                timer.join()
        if found is None:
            raise BudgetExceeded(f"time budget of {self.clock.budget.seconds} s used up in the SAT solver")
        return list(self._solver.get_model()) if found else None


class SatSearch:
    """Smallest trees first, under one live solver."""

    def __init__(self, question: Question, *, symmetry: str = "all", solver: str = DEFAULT) -> None:
        self.question, self.symmetry, self.solver = question, symmetry, solver
        costs = question.problem.costs.by_op
        allowed = question.task.allowed
        priced = {costs[op] for op in range(10) if op < 3 or allowed >> op & 1}
        self.uniform = len(priced) == 1

    def run(self) -> bool:
        """Search until the optimum is proven (true) or the budget is used up (false)."""
        question, clock = self.question, self.question.clock
        try:
            if question.settled:
                return True
            start = question.least_nodes
            encoding = TreeEncoding(question.task, start, symmetry=self.symmetry, tick=clock.check,
                                    limit=clock.memory // BYTES_PER_CLAUSE)  # fmt: skip
            with LiveSolver(encoding, clock, self.solver) as live:
                counter: CostCounter | None = None
                nodes = start
                while not question.exhausted(nodes - 1):
                    while encoding.nodes < nodes:
                        encoding.add_slot()
                    while True:
                        assumptions = encoding.assumptions(nodes)
                        if question.cost is not None and not self.uniform:
                            if counter is None:
                                counter = CostCounter(encoding.formula, encoding.layout, question.problem.costs, question.cost)
                            counter.grow()
                            assumptions += counter.at_most(question.cost - 1)
                        model = live.solve(assumptions)
                        if model is None:
                            break
                        sample = question.answer(encoding.decode(model))
                        if sample is None:
                            if question.settled or question.exhausted(nodes - 1):
                                return True
                        elif sample[1] > 0:
                            encoding.add_positives([sample[0]])
                        else:
                            encoding.add_negatives([sample[0]])
                    nodes += 1
                    question.raise_floor(question.cheapest_from(nodes))
            return True
        except (BudgetExceeded, MemoryError):
            return False


def solve_minimization(
    problem: MinimizationProblem, budget: Budget | None = None, *, symmetry: str = "all", solver: str = DEFAULT
) -> MinimizationResult:
    """Minimise by SAT.

    Parameters
    ----------
    problem : MinimizationProblem
    budget : Budget, optional
    symmetry : str
        Rules of :data:`regsynth.encodings.symmetry.RULES`, ``"all"`` or ``"none"``.
    solver : str
        A name that PySAT knows.

    Examples
    --------
    >>> from regsynth.syntax.formal import parse
    >>> result = solve_minimization(MinimizationProblem(parse("a?d*(b+d+d+d)")))
    >>> result.cost, result.status
    (9, 'optimal')
    """
    result = _solve(problem, budget, symmetry, solver)
    assert isinstance(result, MinimizationResult)
    return result


def solve_inference(
    problem: InferenceProblem, budget: Budget | None = None, *, symmetry: str = "all", solver: str = DEFAULT
) -> InferenceResult:
    """Infer by SAT; parameters as in :func:`solve_minimization`.

    >>> str(solve_inference(InferenceProblem(frozenset(["", "a", "aaa"]), frozenset(["b", "ab"]))).regex)
    'a*'
    """
    result = _solve(problem, budget, symmetry, solver)
    assert isinstance(result, InferenceResult)
    return result


def _solve(problem: Problem, budget: Budget | None, symmetry: str, solver: str) -> MinimizationResult | InferenceResult:
    question = Question(problem, (budget or Budget()).start())
    finished = SatSearch(question, symmetry=symmetry, solver=solver).run()
    return question.result("sat", finished=finished)
