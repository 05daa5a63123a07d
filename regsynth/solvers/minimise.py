"""The exact minimiser: search over a sample, refute what is found, enlarge the sample.

Counter-example guided: a search proves that nothing below some cost accepts the
sample P and stays inside L; that bounds the optimum for L from below. The cheapest
candidates are compared with L; one that is equivalent is optimal, and each other one
yields a word of L that it lacks, which joins P.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import gcd

from regsynth.automata.dfa import DFA
from regsynth.automata.elimination import eliminate
from regsynth.automata.position import PositionAutomaton, to_dfa
from regsynth.automata.reference import compare, lacking
from regsynth.automata.words import count
from regsynth.budget import Budget, Clock
from regsynth.errors import BudgetExceeded, MethodsDisagree
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.fooling import first_sample
from regsynth.solvers.refill import STAGES, Refill
from regsynth.solvers.results import STANDARD, MinimizationProblem, MinimizationResult, Operators, Status
from regsynth.solvers.sample import Sample, Word
from regsynth.solvers.subtrees import LARGEST, resolve_subtrees
from regsynth.solvers.tiers import NO_LIMIT, PLAIN_SETS, Tiers
from regsynth.solvers.typed import SOUND, Rules, TypedSearch, cost_of_letters
from regsynth.syntax import tree
from regsynth.syntax.costs import TREE_LENGTH, Costs
from regsynth.syntax.tree import Expr

PLAIN_STATES = 1_000  # DFA states the plain tier minimises; beyond, the kernels do
SHARE = 0.2  # of the time left, for one stage of making a good answer
EXHAUSTIBLE = 20_000  # candidates tried to see that the operators have no expression of L: half a second at most
REFUTATIONS = 8  # words one round may add to the sample


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
        self.tiers = Tiers(problem.costs, problem.operators, clock, rules)
        self.best: Expr | None = None
        self.cost: int | None = None
        self.bound = problem.costs.atom
        self.candidates = self.rounds = 0
        self.infeasible = False
        self.stage = 0  # of what is done for a good answer while the search has not ended
        self.tier = "enumerate"
        self.refill: Refill | None = None
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
        except BudgetExceeded:  # where it is not the time, what is left of it goes into a good answer
            while self.clock.left > 0 and self.stage < len(STAGES):
                self._shorten(share=0.8)
        if self.cost is None:
            return self._result("infeasible" if self.infeasible else "unknown")
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

    def _shorten(self, share: float = SHARE) -> None:
        """The next stage of what makes a good answer without a proof, in a share of the time left.

        Sub-trees are minimised by themselves first, then solved anew in their context.
        """
        effort, first, expr, clock = STAGES[self.stage], self.stage == 0, self.best, self.clock
        self.stage += 1
        if self.rules is not SOUND or expr is None or expr.mask & tree.EXTENDED_MASK:
            return
        reserve = (1 - share) * clock.left if clock.budget.seconds is not None else 0.0
        time_left = lambda: clock.left - reserve  # noqa: E731
        if first and expr.length > LARGEST:
            expr = resolve_subtrees(expr, self.costs, self.operators, minimize=minimize, time_left=time_left)
            self.propose(expr)
        steps = clock.budget.steps  # those who asked for few wait for no local search, sub-trees least of all
        if self.refill is not None and self.best is not None and (steps is None or steps > effort.after):
            self.propose(self.refill.improve(self.best, effort, time_left))

    # -- the typed search -------------------------------------------------------------------------

    def _search(self, dfa: DFA) -> None:
        clock = self.clock
        closed = ClosedSets(dfa, check=clock.check)
        self.refill = Refill(dfa, closed, self.tiers)
        words = first_sample(closed)
        make = self.tiers(closed, dfa)
        step = stride(self.costs, self.operators)
        while True:
            self.rounds += 1
            sample = Sample(closed, words)
            if self.rules.letter_bound:
                self.bound = max(self.bound, cost_of_letters(sample.width, self.costs, self.operators.mask))
            if self.cost is None and self._inexpressible(sample, dfa):
                self.infeasible = True
                return
            search = make(sample)
            self.bound = max(self.bound, search.lower_bound())
            limit = self.bound
            while True:
                if self.cost is not None:
                    if self.bound >= self.cost:
                        return
                    limit = min(limit, self.cost - 1)
                clock.check()
                if self.stage < len(STAGES) and self.candidates > STAGES[self.stage].after:
                    self._shorten()
                    continue
                refuter = Refuter(dfa)
                patience = STAGES[self.stage].most - self.candidates if self.stage < len(STAGES) else NO_LIMIT
                steps = NO_LIMIT if clock.budget.steps is None else max(1, clock.budget.steps - self.candidates)
                search.limit = min(steps, patience)
                try:
                    found = search.run(limit, refuter)
                except BudgetExceeded:
                    clock.check()
                    if patience >= steps:
                        raise
                    self.candidates += patience  # a better answer first: it makes the search shorter
                    continue
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


    def _inexpressible(self, sample: Sample, dfa: DFA) -> bool:
        """Whether these operators have no expression of L, where that is soon seen.

        Without a star every language is finite. Else a search without any bound may
        run out of meanings: then nothing at all accepts the sample within L.
        """
        if tree.STAR not in self.operators and count(dfa, [1] * len(dfa.alphabet)) is None:
            return True
        rules = replace(self.rules, letter_bound=False)
        try:
            sample.closed.explore(PLAIN_SETS)  # all of them, or nothing is known
            search = TypedSearch(sample, dfa.alphabet, self.costs, self.operators.mask, rules=rules, limit=EXHAUSTIBLE)
            return search.run(NO_LIMIT, lambda _: True).cost is None
        except BudgetExceeded:
            self.clock.check()
            return False


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
