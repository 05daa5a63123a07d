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
        self.counter: CostCounter | None = None

    def run(self) -> bool:
        """Search until the optimum is proven (true) or the budget is used up (false)."""
        question, clock = self.question, self.question.clock
        if question.settled:
            return True
        try:
            nodes = question.least_nodes
            self.encoding = TreeEncoding(question.task, nodes, symmetry=self.symmetry, tick=clock.check,
                                         limit=clock.memory // BYTES_PER_CLAUSE)  # fmt: skip
            with Live(self.encoding.formula, clock, self.solver) as live:
                try:
                    while not question.exhausted(nodes - 1):
                        self._refute(live, nodes)
                        nodes += 1
                        question.raise_floor(question.cheapest_from(nodes))
                finally:
                    question.stats["conflicts"] = live.conflicts
            return True
        except (BudgetExceeded, MemoryError):
            return False

    def _refute(self, live: Live, nodes: int) -> None:
        """Find what there is of this size, until no tree of it is cheaper than the best answer."""
        question, encoding = self.question, self.encoding
        while encoding.nodes < nodes:
            encoding.add_slot()
        while not question.exhausted(nodes - 1):
            model = live.solve(encoding.assumptions(nodes) + self._cheaper())
            if model is None:
                return
            sample = question.answer(encoding.decode(model))
            if sample is not None:
                (encoding.add_positives if sample[1] > 0 else encoding.add_negatives)([sample[0]])

    def _cheaper(self) -> list[int]:
        """Literals that say: cheaper than the best answer (nothing where the size says it)."""
        question = self.question
        if question.cost is None or self.uniform:
            return []
        if self.counter is None:
            self.counter = CostCounter(self.encoding.formula, self.encoding.layout, question.problem.costs, question.cost)
        self.counter.grow()
        return self.counter.at_most(question.cost - 1)


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
