"""What the SAT, MaxSAT and SMT roads share: a problem as a question that samples sharpen (CEGIS)."""

from __future__ import annotations

from dataclasses import replace

from regsynth.automata.dfa import DFA
from regsynth.automata.position import PositionAutomaton, to_dfa
from regsynth.automata.reference import compare
from regsynth.budget import Clock
from regsynth.encodings.costs import cheapest_by_size
from regsynth.encodings.task import Task
from regsynth.encodings.words import Word
from regsynth.errors import BudgetExceeded, MethodsDisagree
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.fooling import contexts_of, first_sample, fooling_set
from regsynth.solvers.letter_bound import letters_needed
from regsynth.solvers.results import InferenceProblem, InferenceResult, MinimizationProblem, MinimizationResult, Status
from regsynth.syntax import tree
from regsynth.syntax.tree import CONCAT, UNION, Expr

Problem = MinimizationProblem | InferenceProblem
UNARY_TREES = 3  # with ? and * only, any tree says the same as x, x?, x* or (x?)*
LONG = 8  # letters from which a bound by position automata is worth its time
AHEAD = 64  # sizes looked ahead for a cheaper larger tree


class Question:
    """A problem, the samples that stand for it so far, and what is known about its optimum.

    Attributes
    ----------
    task : Task
        The current snapshot. Every expression for the problem answers it, so its
        optimum is a lower bound.
    best, cost : Expr or None, int or None
        The cheapest verified answer.
    floor : int
        No answer is cheaper: proven.
    """

    def __init__(self, problem: Problem, clock: Clock) -> None:
        self.problem, self.clock = problem, clock
        self.best: Expr | None = None
        self.cost: int | None = None
        self.rounds = 0
        self.stats: dict[str, int | None] = {}
        self.dfa: DFA | None = None
        self.letters_needed = 0
        costs, mask = problem.costs, problem.operators.mask
        self.floor = costs.atom
        if isinstance(problem, InferenceProblem):
            self.task = Task.of(problem)
            if self.task.letters:
                self.task = self.task.with_automaton()
        else:
            letters = tuple(sorted(problem.expr.alphabet | set(problem.alphabet), key=str))
            self.dfa = to_dfa(problem.expr, letters, clock.budget.states)
            self.task = Task.of(problem, states=clock.budget.states)
            if self.dfa.is_empty:
                self._found(tree.empty())
                self.task = replace(self.task, upper=None)
            else:
                self._first_samples(self.dfa)
            if not problem.expr.mask & ~mask or problem.expr.op in (tree.EMPTY, tree.EPSILON):
                self._found(problem.expr)
        self._least = cheapest_by_size(costs, mask, AHEAD)

    def _first_samples(self, dfa: DFA) -> None:
        number = {symbol: i for i, symbol in enumerate(self.task.letters)}
        shortest = dfa.shortest_word()
        assert shortest is not None
        words: set[Word] = {tuple(number[c] for c in shortest)}
        if self.task.monotone:
            try:
                closed = ClosedSets(dfa)
                words |= first_sample(closed)
                self.letters_needed = len(fooling_set(closed, contexts_of(closed)))
            except BudgetExceeded:
                pass
            if self.letters_needed < self.problem_letters >= LONG:
                share = replace(self.clock.budget, seconds=min(1.0, max(0.0, self.clock.left) / 20))
                self.letters_needed = max(self.letters_needed, letters_needed(dfa, share.start()))
            table = self.task.costs.by_op
            binary = min((table[op] for op in (CONCAT, UNION) if self.task.allowed >> op & 1), default=0)
            self.floor = max(self.floor, self.letters_needed * (table[2] + binary) - binary)
        self.task = replace(self.task, positives=tuple(sorted(words, key=lambda w: (len(w), w))))

    @property
    def problem_letters(self) -> int:
        """Letters of the expression to minimise."""
        return self.problem.expr.letters if isinstance(self.problem, MinimizationProblem) else 0

    def _found(self, expr: Expr) -> None:
        cost = self.problem.costs.of_expr(expr)
        if self.cost is None or cost < self.cost:
            self.best, self.cost = expr, cost

    @property
    def least_nodes(self) -> int:
        """A tree needs at least so many nodes (k letters need k−1 binary operators)."""
        return max(1, 2 * self.letters_needed - 1)

    def cheapest_from(self, nodes: int) -> int:
        """Least cost of any tree with at least so many nodes."""
        base = min(self.problem.costs.by_op)
        here = min(self._least[nodes:AHEAD], default=nodes * base)
        return min(here, max(nodes, AHEAD) * base)

    def exhausted(self, nodes: int) -> bool:
        """Whether trees of more than so many nodes cannot matter."""
        growing = any(self.problem.operators.mask >> op & 1 for op in (*tree.BINARY, tree.COMPLEMENT))
        return (not growing and nodes > UNARY_TREES) or (self.cost is not None and self.cheapest_from(nodes + 1) >= self.cost)

    def raise_floor(self, bound: int) -> None:
        """Note that nothing cheaper than ``bound``, or than the best answer, exists."""
        self.floor = max(self.floor, bound if self.cost is None else min(bound, self.cost))

    @property
    def settled(self) -> bool:
        """Whether the best answer meets the floor."""
        return self.cost is not None and self.floor >= self.cost

    def answer(self, expr: Expr) -> tuple[Word, int] | None:
        """Check an answer to the task: ``None`` when it solves the problem, else a new sample and its sign.

        Raises
        ------
        MethodsDisagree
            When an encoding broke its own promise.
        """
        problem = self.problem
        number = {symbol: i for i, symbol in enumerate(self.task.letters)}
        if isinstance(problem, InferenceProblem):
            dfa = PositionAutomaton(expr, self.task.letters, self.clock.budget.states).determinise()
            wrong = [w for w in problem.positives if not dfa.accepts(w)] + [w for w in problem.negatives if dfa.accepts(w)]
            if wrong:
                raise MethodsDisagree(f"an encoding answered {expr}, which is wrong about the word {wrong[0]!r}")
            self._found(expr)
            return None
        comparison = compare(problem.expr, expr, alphabet=self.task.letters, states=self.clock.budget.states)
        if comparison.verdict == "unknown":
            raise BudgetExceeded(comparison.reason or "state budget used up")
        if comparison:
            self._found(expr)
            return None
        assert comparison.witness is not None
        word = tuple(number[c] for c in comparison.witness)
        sign = 1 if comparison.accepted_by == "first" else -1
        if sign < 0 and self.task.upper is not None:
            raise MethodsDisagree(f"an encoding answered {expr}, which is not inside the language of {problem.expr}")
        known = self.task.positives if sign > 0 else self.task.negatives
        if word in known:
            raise MethodsDisagree(f"an encoding answered {expr}, which is wrong about a sample")
        if sign > 0:
            self.task = replace(self.task, positives=(*known, word))
        else:
            self.task = replace(self.task, negatives=(*known, word))
        self.rounds += 1
        return word, sign

    def result(self, solver: str, *, finished: bool) -> MinimizationResult | InferenceResult:
        """The result as it stands; ``finished`` when nothing cheaper can exist."""
        status: Status
        if self.cost is not None:
            floor = self.cost if finished or self.settled else min(self.floor, self.cost)
            status = "optimal" if floor == self.cost else "feasible"
        else:
            floor = self.floor
            status = "infeasible" if finished else "unknown"
        stats = {**self.stats, "rounds": self.rounds, "samples": len(self.task.positives) + len(self.task.negatives)}
        common = (self.best, self.cost, floor, status, solver, self.clock.seconds, None, stats)
        if isinstance(self.problem, InferenceProblem):
            return InferenceResult(*common)
        return MinimizationResult(*common, self.problem.expr, self.problem.costs.of_expr(self.problem.expr))
