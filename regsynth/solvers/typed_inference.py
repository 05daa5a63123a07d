"""Inference by the typed search, guided by counter-examples on both sides.

The lattice of closed sets can grow exponentially with the negatives, but few of them
decide a problem. So the search starts with one, solves that exactly, and takes in
those that all its cheapest answers accept, with all others that cost no closed sets;
likewise for positives where there are many. Fewer examples can only make an optimum
cheaper: every bound proved on the way holds for the whole problem, and the first answer
right on all examples is optimal.

Which negatives decide, and a good answer, are found by quick searches first, which
exaggerate the leftover bound and so prove nothing. What is left is mostly one search
below the cost of that answer, which usually finds nothing: the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from regsynth.automata.dfa import DFA, renumber
from regsynth.automata.position import PositionAutomaton
from regsynth.automata.prefix_tree import prefix_tree
from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.news import News
from regsynth.solvers.results import InferenceProblem, InferenceResult, Operators
from regsynth.solvers.sample import Sample, Word
from regsynth.solvers.typed import Found
from regsynth.solvers.typed_compiled import MAX_SETS, NO_LIMIT, CompiledSearch, Lattice, lattice_size
from regsynth.syntax import tree
from regsynth.syntax.tree import Expr

FEW = 24  # positives taken at once; of more, only some to begin with
SMALL = 64  # closed sets up to which all negatives are taken in at once
FREE_TRIALS, FREE_LETTERS = 100, 50_000  # groups of negatives looked at for free ones, and letters of the largest…
FREE_SHARE = 0.1  # …and of the time left
WORTH = 5_000  # candidates of a search above which a deeper leftover bound is looked at
WEIGHTS = (3.0, 2.0)  # of the leftover bound in the quick searches
QUICK, DIRECT = 6_000_000, 40_000_000  # most candidates of a quick search, and of one straight below the best cost


def typed_applies(operators: Operators) -> bool:
    """Whether answers over these operators can be typed: no ``~ & −``, and no ∅ that stands in for a missing ε."""
    return operators.monotone and (tree.EMPTY not in operators or tree.EPSILON in operators)


def all_words_but(negatives: Iterable[Word], alphabet: tuple[str, ...], check: Callable[[], None] = lambda: None) -> DFA:
    """Minimal automaton of Σ* without some words; ``check`` is called now and then.

    Nodes of the prefix tree with equal subtrees are one state, found from the leaves
    up (Revuz 1992): linear in the letters.

    >>> len(all_words_but([(0, 1)], ("a", "b")))
    4
    """
    children, rejected = prefix_tree(negatives, check)
    free = (False, (0,) * len(alphabet))  # whatever has left the tree is accepted
    number = {free: 0}
    state = [0] * len(children)
    for node in range(len(children) - 1, -1, -1):  # children come after their parents
        row = tuple(state[children[node][a]] if a in children[node] else 0 for a in range(len(alphabet)))
        state[node] = number.setdefault((rejected[node], row), len(number))
        if not node & 1023:
            check()
    accepting = sum(1 << i for i, (no, _) in enumerate(number) if not no)
    return renumber(alphabet, [row for _, row in number], accepting, state[0])


def infer_typed(problem: InferenceProblem, clock: Clock, upper: Expr | None = None, news: News | None = None) -> InferenceResult:
    """Solve an inference problem exactly, or bound it.

    Parameters
    ----------
    problem : InferenceProblem
        With at least one positive word; see :func:`typed_applies`.
    clock : Clock
    upper : Expr, optional
        An expression known to be right: the first upper bound.
    news : News, optional
        Shared with another engine.

    Examples
    --------
    >>> from regsynth.budget import Budget
    >>> problem = InferenceProblem(frozenset(["ab", "aab"]), frozenset(["a", "b"]), alphabet=("a", "b"))
    >>> result = infer_typed(problem, Budget().start())
    >>> result.cost, result.status
    (6, 'optimal')
    """
    run = _Inference(problem, clock, upper, news)
    with suppress(BudgetExceeded):
        run.search()
    run.share()
    status: Any = "unknown" if run.cost is None else "optimal" if run.bound >= run.cost else "feasible"
    return InferenceResult(
        regex=run.best, cost=run.cost, lower_bound=run.bound if run.cost is None else min(run.bound, run.cost), status=status,
        solver="enumerate", seconds=clock.seconds, stats=run.stats,
    )  # fmt: skip


class _Inference:
    """State of one run; best, cost and bound are valid at every moment."""

    def __init__(self, problem: InferenceProblem, clock: Clock, upper: Expr | None, news: News | None) -> None:
        self.problem, self.clock, self.best, self.news = problem, clock, upper, news
        self.cost = None if upper is None else problem.costs.of_expr(upper)
        self.bound = problem.costs.atom
        index = {symbol: i for i, symbol in enumerate(problem.alphabet)}
        self.positives = sorted((tuple(index[c] for c in w) for w in problem.positives), key=lambda w: (len(w), w))
        self.negatives = sorted((tuple(index[c] for c in w) for w in problem.negatives), key=lambda w: (len(w), w))
        self.stats: dict[str, Any] = {"rounds": 0, "candidates": 0, "items": 0, "negatives": 0, "closed": 0}
        self.unit = problem.costs.atom + min(problem.costs.concat, problem.costs.union)
        self.taken: set[Word] = set(self.negatives[:1])
        self.words: set[Word] = set()
        self.table: tuple[tuple[Word, ...], Any] | None = None  # the leftover bound so far
        self.last = 0  # candidates of the last search

    def search(self) -> None:
        """Quick searches, then the proof."""
        self.words, self.taken = self._first_positives(), self._first_negatives()
        sure = tree.OPTION in self.problem.operators and self.cost is not None
        if sure:
            for weight in WEIGHTS:
                sure = self._climb(weight, self.bound, QUICK)
        if not (sure and self.cost is not None and self._climb(1.0, self.cost - 1, DIRECT)):
            self._climb(1.0, self.bound)

    def _climb(self, weight: float, bound: int, most: int = NO_LIMIT) -> bool:
        """Search at rising bounds until an answer is right on all examples, or none is cheaper than the best known.

        False when a search takes more than ``most`` candidates. Only weight 1 proves anything.
        """
        exact, step = weight == 1.0, max(1, self.unit // 2)
        before_it = self.taken
        while True:
            try:
                search = self._prepare()
            except BudgetExceeded:  # too many closed sets: the proof begins without the last negative
                if exact or self.clock.left <= 0:
                    raise
                self.taken = before_it
                return False
            search.weight = weight
            if exact:
                self.bound = max(self.bound, search.lower_bound())
            bound, before = max(bound, search.lower_bound()), 0
            while True:
                self.share()
                bound = max(bound, self.bound)
                if self.cost is not None:
                    if self.bound >= self.cost:
                        return True
                    bound = min(bound, self.cost - 1)
                self.clock.check()
                self._deepen(search, bound)
                judge = _Judge(self.problem, self.positives, self.negatives)
                steps = self.clock.budget.steps
                search.limit = most if steps is None else max(1, min(most, steps - self.stats["candidates"]))
                try:
                    found = search.run(bound, judge)
                except BudgetExceeded:
                    if most == NO_LIMIT or self.clock.left <= 0 or search.limit < most:
                        raise
                    self.stats["candidates"] += most
                    return False
                self._count(found)
                if found.accepted is not None:
                    self.best, self.cost = found.accepted, found.cost
                    if exact:
                        assert found.cost is not None
                        self.bound = found.cost
                    self.share()
                    return True
                if found.cost is not None:
                    if exact:
                        self.bound = max(self.bound, found.cost)
                    break
                if exact:
                    self.bound = bound + 1
                if self.cost is not None and bound >= self.cost - 1:
                    return True
                if before:  # a search should take a few times as long as the one before
                    step = 2 * step if self.last < 2 * before else max(1, step // 2) if self.last > 8 * before else step
                before = self.last
                bound += step
            before_it = self.taken
            self.taken = self._with_refuting(judge.accepted)
            self.words |= judge.missed

    def share(self) -> None:
        """Tell the other engine what is known here, and hear what is known there."""
        if self.news is not None:
            if self.best is not None and self.cost is not None:
                self.news.offer(self.best, self.cost)
            self.news.prove(self.bound)
            self.best, self.cost, self.bound = self.news.known

    def _prepare(self) -> CompiledSearch:
        """A search for the examples taken in so far."""
        problem, clock = self.problem, self.clock
        closed = ClosedSets(all_words_but(self.taken, problem.alphabet, clock.check), check=clock.check)
        lattice = Lattice(closed)
        search = CompiledSearch(
            Sample(closed, self.words, nodes=2000), problem.alphabet, problem.costs, problem.operators.mask, lattice=lattice,
            seconds=lambda: clock.left, memory=clock.memory,
        )  # fmt: skip
        if self.table is not None:
            search.reuse(*self.table)
        self.stats["rounds"] += 1
        self.stats.update(negatives=len(self.taken), closed=lattice.size)
        return search

    def _count(self, found: Found) -> None:
        self.last = found.candidates
        self.stats["candidates"] += found.candidates
        self.clock.spent = self.stats["candidates"]
        self.stats["items"] = max(self.stats["items"], found.items)

    def _first_positives(self) -> set[Word]:
        """All positives where they are few; else the shortest, the longest, and those that hold a fooling set."""
        if len(self.positives) <= FEW:
            return set(self.positives)
        short = [w for w in self.negatives if len(w) <= 5][:6]
        sample = Sample(ClosedSets(all_words_but(short, self.problem.alphabet)), self.positives, nodes=500)
        return {*self.positives[:4], self.positives[-1], *sample.fooling_words}

    def _first_negatives(self) -> set[Word]:
        """All of them where that makes few closed sets, else the shortest and what is free with it."""
        if self._size(self.negatives, SMALL) <= SMALL:
            return set(self.negatives)
        return self._with_free(self.taken)

    def _with_refuting(self, accepted: list[list[Word]]) -> set[Word]:
        """What is taken in, a negative that refutes many candidates and leaves few closed sets, and what is free with it.

        Their number is what a search costs.
        """
        if not accepted:
            return self.taken
        refuted: dict[Word, int] = {}
        for wrong in accepted:
            for w in wrong:
                refuted[w] = refuted.get(w, 0) + 1
        best, least, value = accepted[0][0], MAX_SETS, float("inf")
        for w in sorted(refuted, key=lambda w: (len(w), w)):
            share = refuted[w] / len(accepted)
            size = self._size({*self.taken, w}, min(MAX_SETS, 4 * least))
            if size / share < value:
                best, least, value = w, size, size / share
        return self._with_free({*self.taken, best})

    def _with_free(self, taken: set[Word]) -> set[Word]:
        """These negatives, and others that can be added without more closed sets: whole groups of them, else their halves.

        Only so many groups are tried: what is not found free can still refute something later.
        """
        left = self.clock.left
        most = self._size(taken, MAX_SETS)
        groups = [[w for w in self.negatives if w not in taken and len(w) + 2 <= most]]  # each prefix is a state, and one more
        trials = 0
        while groups and trials < FREE_TRIALS and self.clock.left >= (1 - FREE_SHARE) * left:
            group = groups.pop()
            narrow = bool(group) and sum(map(len, group)) <= FREE_LETTERS
            trials += narrow
            if narrow and self._size({*taken, *group}, most) <= most:
                taken = {*taken, *group}
            elif len(group) > 1:
                half = len(group) // 2
                groups += [group[half:], group[:half]]
        return taken

    def _size(self, negatives: Iterable[Word], cap: int) -> int:
        """Number of closed sets of "all words but these", or ``cap + 1`` when there are more, or far more right languages."""
        dfa = all_words_but(negatives, self.problem.alphabet, self.clock.check)
        if len(dfa) > cap:  # each state has a closed set of its own, its closure
            return cap + 1
        try:
            return lattice_size(ClosedSets(dfa, min(MAX_SETS, 4 * cap), self.clock.check), cap)
        except BudgetExceeded:
            self.clock.check()
            return cap + 1

    def _deepen(self, search: CompiledSearch, bound: int) -> None:
        """Deepen the leftover bound while that is cheap beside the last search."""
        while self.last > max(WORTH, 8 * search.depth_work):
            if search.depth:
                depth = max(bound // 2, search.depth + max(1, self.unit // 2))
            else:
                depth = max(bound // 3, 3 * self.unit)
            if depth >= bound - 1 or (self.cost is not None and depth > self.cost // 2 + self.unit):
                return
            self.clock.check()
            try:
                search.leftover(depth, self.last)
            except BudgetExceeded:  # dear after all: the bound stays as it is
                self.clock.check()
                search.depth_work = self.last
                self.stats["candidates"] += self.last
                return
            self.stats["candidates"] += search.depth_work
            self.table = search.leftover_words, search.without


class _Judge:
    """Tests candidates on all examples, and remembers on which each of them fails."""

    def __init__(self, problem: InferenceProblem, positives: list[Word], negatives: list[Word]) -> None:
        self.alphabet, self.positives, self.negatives = problem.alphabet, positives, negatives
        self.accepted: list[list[Word]] = []  # negatives each candidate accepts
        self.missed: set[Word] = set()

    def __call__(self, candidate: Expr) -> bool:
        automaton = PositionAutomaton(candidate, self.alphabet)
        wrong = [w for w in self.negatives if automaton.accepts(w)]
        if wrong:
            self.accepted.append(wrong)
            return False
        missed = next((w for w in self.positives if not automaton.accepts(w)), None)
        if missed is not None and len(self.missed) < 4:
            self.missed.add(missed)
        return missed is None
