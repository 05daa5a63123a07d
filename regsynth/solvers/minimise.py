"""The exact minimiser: search over a sample, refute what is found, enlarge the sample.

Counter-example guided: a search proves that nothing below some cost accepts the
sample P and stays inside L; that bounds the optimum for L from below. The cheapest
candidates are compared with L; one that is equivalent is optimal, and each other one
yields a word of L that it lacks, which joins P.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from math import gcd
from pathlib import Path
from typing import Any, Protocol

from regsynth.automata.dfa import DFA
from regsynth.automata.elimination import eliminate
from regsynth.automata.position import PositionAutomaton, to_dfa
from regsynth.automata.reference import compare, lacking
from regsynth.budget import Budget, Clock
from regsynth.errors import BudgetExceeded, MethodsDisagree
from regsynth.native import ready
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.fooling import first_sample
from regsynth.solvers.results import STANDARD, MinimizationProblem, MinimizationResult, Operators, Status
from regsynth.solvers.sample import Sample, Word
from regsynth.solvers.subtrees import LARGEST, resolve_subtrees
from regsynth.solvers.typed import SOUND, Found, Rules, TypedSearch
from regsynth.syntax import tree
from regsynth.syntax.costs import TREE_LENGTH, Costs
from regsynth.syntax.tree import Expr

PLAIN_COLD = 300_000  # candidates the plain tier tries before kernels are compiled (about half a minute)…
PLAIN_WARM = 3_000  # …or their machine code and numpy loaded (a fifth of a second)
PLAIN_STATES = 1_000  # DFA states the plain tier minimises; beyond, the kernels do
REFUTATIONS = 8  # words one round may add to the sample
HARD = 200_000  # candidates after which a search may not end: the input's sub-trees are minimised, for a good answer

_spent = 0  # candidates this process has tried in the plain tier


class Search(Protocol):
    """Either tier of the typed search."""

    limit: int

    def lower_bound(self) -> int: ...
    def run(self, bound: int, accept: Callable[[Expr], bool]) -> Found: ...


def minimize(
    expr: Expr,
    *,
    costs: Costs = TREE_LENGTH,
    operators: Operators = STANDARD,
    alphabet: Sequence[str] = (),
    budget: Budget | None = None,
    solver: str = "auto",
    rules: Rules = SOUND,
) -> MinimizationResult:
    """Find the cheapest expression of the same language, with a proof.

    Parameters
    ----------
    expr : Expr
        May use every constructor.
    costs : Costs
        Cost function; tree length by default.
    operators : Operators
        Constructors the answer may use; ``?*.+`` by default.
    alphabet : sequence of str
        Letters of Σ beyond those of ``expr`` (matters to ``~``).
    budget : Budget, optional
        60 seconds by default. When it runs out the status is ``feasible``: the best
        expression known, verified, and a proven lower bound.
    solver : str
        ``auto`` and ``enumerate`` are this engine; the others are roads of
        :mod:`regsynth.solvers.roads`.
    rules : Rules
        Pruning rules; anything but the default runs the plain tier only.

    Raises
    ------
    MethodsDisagree
        When an answer fails its final check: a bug.

    Examples
    --------
    >>> from regsynth.syntax.formal import parse
    >>> print(minimize(parse("a?d*(b+d+d+d)")))
    a?d*(b+d)  13 → 9  optimal
    """
    clock = (budget or Budget()).start()
    letters = tuple(sorted({str(s) for s in expr.alphabet} | set(alphabet)))
    problem = MinimizationProblem(expr, costs, operators, letters)
    if solver not in ("auto", "enumerate"):
        from regsynth.solvers.roads import minimize_by

        return minimize_by(solver, problem, clock.budget)
    return _Minimiser(problem, clock, rules).solve()


class _Minimiser:
    """State of one run: the best expression and the bound so far are always valid."""

    def __init__(self, problem: MinimizationProblem, clock: Clock, rules: Rules) -> None:
        self.problem, self.clock, self.rules = problem, clock, rules
        self.costs, self.operators = problem.costs, problem.operators
        self.best: Expr | None = None
        self.cost: int | None = None
        self.bound = problem.costs.atom
        self.candidates = self.rounds = 0
        self.shortened = False  # the input, by way of its sub-trees
        self.tier = "enumerate"
        self.propose(problem.expr)

    def propose(self, expr: Expr) -> None:
        """Take an equivalent expression as the best known if it is allowed and cheaper."""
        whole_atom = expr.op in (tree.EMPTY, tree.EPSILON)
        if whole_atom or not expr.mask & ~self.operators.mask:
            cost = self.costs.of_expr(expr)
            if self.cost is None or cost < self.cost:
                self.best, self.cost = expr, cost

    def solve(self) -> MinimizationResult:
        try:
            dfa = _minimal_dfa(self.problem, self.clock)
            if dfa.is_empty or (dfa.accepting == 1 and not any(dfa.live >> r & 1 for r in dfa.delta[0])):
                self.propose(tree.make(tree.EMPTY if dfa.is_empty else tree.EPSILON))
                self.bound = self.costs.atom
            else:
                if self.best is None and not STANDARD.mask & ~self.operators.mask:
                    self.propose(eliminate(dfa))
                if self.operators.monotone:
                    self._search(dfa)
                else:
                    from regsynth.solvers.extended import search_extended

                    search_extended(self, dfa)
        except BudgetExceeded:
            if self.clock.left > 0 and not self.shortened:  # some other budget
                self._shorten()
        if self.cost is None:
            return self._result("unknown")
        return self._result("optimal" if self.bound >= self.cost else "feasible")

    def _result(self, status: Status) -> MinimizationResult:
        problem = self.problem
        if self.cost is not None and self.bound > self.cost:
            raise MethodsDisagree(f"{problem.expr}: lower bound {self.bound} above the cost {self.cost} of {self.best}")
        if self.best is not None and self.best is not problem.expr:
            check = compare(problem.expr, self.best, alphabet=problem.alphabet, states=self.clock.budget.states)
            if check.verdict == "different":
                raise MethodsDisagree(f"answer {self.best} to {problem.expr} differs on {check.word!r}")
            if check.verdict == "unknown":  # too large to check: do not claim it
                self.best, self.cost, status = None, None, "unknown"
                self.propose(problem.expr)
                if self.best is not None:
                    status = "feasible"
        return MinimizationResult(
            regex=self.best, cost=self.cost, lower_bound=min(self.bound, self.cost) if self.cost is not None else self.bound,
            status=status, solver=self.tier, seconds=self.clock.seconds,
            stats={"rounds": self.rounds, "candidates": self.candidates},
            input=problem.expr, input_cost=self.costs.of_expr(problem.expr),
        )  # fmt: skip

    def _shorten(self) -> None:
        """A good answer where the best is still the input: its sub-trees are minimised, once."""
        expr, self.shortened = self.best, True
        if self.rules is SOUND and expr is not None and expr.length > LARGEST and not expr.mask & tree.EXTENDED_MASK:
            clock = self.clock
            reserve = 0.9 * clock.left if clock.budget.seconds is not None else 0.0
            time_left = lambda: clock.left - reserve  # noqa: E731
            self.propose(resolve_subtrees(expr, self.costs, self.operators, minimize=minimize, time_left=time_left))

    # -- the typed search -------------------------------------------------------------------------

    def _search(self, dfa: DFA) -> None:
        clock = self.clock
        closed = ClosedSets(dfa, check=self.clock.check)
        words = first_sample(closed)
        make = _tiers(closed, dfa, self)
        step = stride(self.costs, self.operators)
        while True:
            self.rounds += 1
            search = make(Sample(closed, words))
            self.bound = max(self.bound, search.lower_bound())
            limit = self.bound
            while True:
                if self.cost is not None:
                    if self.bound >= self.cost:
                        return
                    limit = min(limit, self.cost - 1)
                clock.check()
                if self.candidates > HARD and not self.shortened:
                    self._shorten()
                    continue
                refuter = Refuter(dfa)
                if clock.budget.steps is not None:
                    search.limit = max(1, clock.budget.steps - self.candidates)
                found = search.run(limit, refuter)
                self.candidates += found.candidates
                if found.accepted is not None:
                    self.propose(found.accepted)
                    assert found.cost is not None
                    self.bound = found.cost
                    return
                if found.cost is not None:
                    self.bound = max(self.bound, found.cost)
                    words = words | refuter.words
                    break
                self.bound = limit + 1
                limit += step


def stride(costs: Costs, operators: Operators) -> int:
    """How far to raise the bound at a time: totals are multiples of the gcd; a sixth of a letter is cheap to overshoot."""
    used = [costs.atom] + [c for op, c in enumerate(costs.by_op) if op in operators and op > tree.LETTER]
    unit = costs.atom + min(costs.concat, costs.union)
    return max(gcd(*used), unit // 6)


class Refuter:
    """Compares candidates, which never leave L, with L; collects words of L they lack.

    Parameters
    ----------
    dfa : DFA
        Minimal automaton of L.
    """

    def __init__(self, dfa: DFA) -> None:
        self.dfa = dfa
        self.words: set[Word] = set()
        self._index = {symbol: i for i, symbol in enumerate(dfa.alphabet)}

    def __call__(self, candidate: Expr) -> bool:
        automaton = PositionAutomaton(candidate, self.dfa.alphabet)
        if any(not automaton.accepts(word) for word in self.words):
            return False  # refuted by a word that joins the sample anyway
        missing = lacking(self.dfa, automaton)
        if missing is None:
            return True
        if len(self.words) < REFUTATIONS:
            self.words.add(tuple(missing))
        return False


def _minimal_dfa(problem: MinimizationProblem, clock: Clock) -> DFA:
    """Minimal DFA of the input; the kernels take over when it is large."""
    states = clock.budget.states
    try:
        return to_dfa(problem.expr, problem.alphabet, min(states, PLAIN_STATES))
    except BudgetExceeded:
        if problem.expr.mask & tree.EXTENDED_MASK or states <= PLAIN_STATES:
            raise
    from regsynth.automata.dense import minimal_dfa_fast

    delta, accepting, _ = minimal_dfa_fast(problem.expr, alphabet="".join(problem.alphabet), states=states)
    if len(delta) > 64 * PLAIN_STATES:
        raise BudgetExceeded("the minimal automaton is too large to search")
    accept = sum(1 << int(q) for q in accepting.nonzero()[0])
    return DFA(problem.alphabet, tuple(map(tuple, delta.tolist())), accept)


class _Growing:
    """The plain tier while it is small, then the kernels; the same contract as either."""

    def __init__(self, plain: TypedSearch, compiled: Callable[[Sample], Search]) -> None:
        self.plain, self.compiled = plain, compiled
        self.inner: Search = plain
        self.limit = 1 << 62

    def lower_bound(self) -> int:
        return self.inner.lower_bound()

    def run(self, bound: int, accept: Callable[[Expr], bool]) -> Found:
        global _spent
        if self.inner is self.plain:
            share = (PLAIN_WARM if kernels_ready() else PLAIN_COLD) - _spent
            self.plain.limit = min(share, self.limit)
            try:
                if share > 0:
                    found = self.plain.run(bound, accept)
                    _spent += found.candidates
                    return found
            except BudgetExceeded:
                _spent += share
                if share >= self.limit:
                    raise
            self.inner = self.compiled(self.plain.sample)
        self.inner.limit = self.limit
        return self.inner.run(bound, accept)


def _tiers(closed: ClosedSets, dfa: DFA, run: _Minimiser) -> Callable[[Sample], Search]:
    """Maker of searches: on the plain tier until it has grown, then on the kernels."""
    letters, costs, mask, clock = dfa.alphabet, run.costs, run.operators.mask, run.clock
    epsilon_from_empty = tree.EMPTY in run.operators and tree.EPSILON not in run.operators  # the kernels know no ∅*
    if run.rules is not SOUND or epsilon_from_empty:
        closed.explore()
        return lambda sample: TypedSearch(sample, letters, costs, mask, rules=run.rules)
    lattices: list[Any] = []

    def compiled(sample: Sample) -> Search:
        from regsynth.solvers.typed_compiled import CompiledSearch, Lattice

        if not lattices:
            lattices.append(Lattice(closed))
        return CompiledSearch(sample, letters, costs, mask, lattice=lattices[0], seconds=lambda: clock.left, memory=clock.memory)

    if "regsynth.solvers.typed_compiled" in sys.modules:
        return compiled
    try:
        closed.explore(256)
    except BudgetExceeded:
        clock.check()
        return compiled
    return lambda sample: _Growing(TypedSearch(sample, letters, costs, mask), compiled)


def expect_many() -> None:
    """Say that many problems will come: kernels are loaded at once where numba has them in its cache."""
    global _spent
    if kernels_ready():
        _spent = max(_spent, PLAIN_WARM)


_ready: bool | None = None


def kernels_ready() -> bool:
    """Whether the kernels can be used without compiling them."""
    global _ready
    if _ready is None:
        _ready = ready(Path(__file__).parent / "typed_kernels.py", "search")
    return _ready
