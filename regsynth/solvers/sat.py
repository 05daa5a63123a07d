"""The SAT road: one live solver; trees of one more node, and one more sample, at a time.

For each size n in turn the solver is asked for a tree of exactly n nodes that answers
the samples and costs less than the best answer so far. A tree is checked on the whole
problem; a wrong one yields a witness, which joins the samples. Sizes, words and cost
bounds enter as new clauses and assumptions only, so all that was learnt stays.
"""

from __future__ import annotations

from regsynth.budget import Budget
from regsynth.encodings.costs import CostCounter
from regsynth.encodings.tree import TreeEncoding
from regsynth.errors import BudgetExceeded
from regsynth.solvers.live import BYTES_PER_CLAUSE, DEFAULT, Live
from regsynth.solvers.questions import Problem, Question
from regsynth.solvers.results import InferenceProblem, InferenceResult, MinimizationProblem, MinimizationResult


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
            with Live(encoding.formula, clock, self.solver) as live:
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
