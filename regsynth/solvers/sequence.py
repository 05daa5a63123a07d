"""The sequence engine: enumerate expressions by cost, one for each meaning on the infixes.

Inference needs an expression of least cost that holds P and no word of N. Expressions
are built from stored operands in order of cost; of those that agree on all infixes of
P ∪ N one is kept, so the first that meets the goal is a cheapest one.

**Dominance.** For an occurrence below an even number of complements, a word that is an
infix of positives only can but help, one that is an infix of negatives only can but
hurt: d *dominates* x when both agree on the shared infixes, d has every positive-only
infix that x has, and no negative-only one that x lacks. Below an odd number the roles
are swapped. So an item is *live* for either polarity, or both; it is entered for those
in which its operands are live in the polarity the operator gives them (a complement
and the right of a difference swap it) and in which nothing stored dominates it. By
induction on cost every expression is dominated, in each polarity, by an item no dearer
that is live there; docs/decisions has the argument and that of the skipped operands.

This module is the plain tier, on Python integers: what the kernels are tested against.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded
from regsynth.native import ready
from regsynth.solvers.infixes import Infixes
from regsynth.solvers.news import News
from regsynth.solvers.results import InferenceProblem, InferenceResult
from regsynth.solvers.typed import build_expr
from regsynth.syntax import tree
from regsynth.syntax.costs import Costs
from regsynth.syntax.tree import Expr

POSITIVE, NEGATIVE, BOTH = 1, 2, 3  # polarities, as bits
SWAPPED = (0, 2, 1, 3)
ANTITONE = 1 << tree.COMPLEMENT | 1 << tree.DIFFERENCE
WIDEST = 1_000  # infixes the plain tier takes on
PLAIN = 3_000  # candidates the plain tier tries before the kernels take over, when these are compiled…
PLAIN_COLD = 400_000  # …or are not


@dataclass(slots=True)
class Outcome:
    """What a search came to.

    Attributes
    ----------
    expr : Expr or None
        A cheapest expression that meets the goal.
    cost : int or None
    bound : int
        Nothing cheaper meets the goal: proven.
    exhausted : bool
        No expression at all has a new meaning beyond those tried.
    """

    expr: Expr | None = None
    cost: int | None = None
    bound: int = 0
    exhausted: bool = False
    candidates: int = 0
    items: int = 0
    reason: str = ""
    stats: dict[str, float] = field(default_factory=dict)


class Levels:
    """Costs that expressions can have, in ascending order, known from those of stored items."""

    def __init__(self, costs: Costs, operators: int) -> None:
        self.unary = [costs.by_op[op] for op in tree.UNARY if operators >> op & 1]
        self.binary = sorted({costs.by_op[op] for op in tree.BINARY if operators >> op & 1})
        self.filled: list[int] = []  # costs with stored items
        self._due = [costs.atom]
        self._seen = {costs.atom}

    def fill(self, cost: int) -> None:
        """Items of this cost are stored, and no cheaper ones will be."""
        self.filled.append(cost)
        sums = [cost + c for c in self.unary] + [cost + k + c for c in self.binary for k in self.filled]
        for c in sums:
            if c not in self._seen:
                self._seen.add(c)
                heapq.heappush(self._due, c)

    def peek(self) -> int | None:
        """The next cost, or ``None`` when there is none."""
        return self._due[0] if self._due else None

    def pop(self) -> int:
        """Take the next cost."""
        return heapq.heappop(self._due)


class PlainSearch:
    """The plain tier.

    Parameters
    ----------
    infixes : Infixes
    letters : tuple of str
    costs : Costs
    operators : int
        Mask of allowed constructors.
    dominance : bool
        Keep undominated items only, rather than one of each meaning.
    """

    def __init__(
        self, infixes: Infixes, letters: tuple[str, ...], costs: Costs, operators: int, *, dominance: bool = True
    ) -> None:
        self.infixes, self.letters, self.costs, self.operators = infixes, letters, costs, operators
        antitone = bool(operators & ANTITONE)
        self.everywhere = BOTH if dominance and antitone else POSITIVE
        self.swap = SWAPPED if dominance and antitone else (0, 1, 1, 1)
        self.shared, self.upper, self.lower = (
            (infixes.shared, infixes.upper, infixes.lower) if dominance else (infixes.full, 0, 0)
        )
        self.bits: list[int] = []
        self.op: list[int] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.live: list[int] = []
        self.considered: list[int] = []  # polarities it was entered or dominated in
        self.exact: dict[int, list[int]] = {}
        self.chains: dict[int, list[int]] = {}
        self.levels = Levels(costs, operators)
        self.range: dict[int, range] = {}
        self.candidates = 0

    def run(self, *, start: int, limit: int, check: Callable[[int], None]) -> Outcome:
        """Search all costs below ``limit``; the goal is not looked for below ``start``.

        ``check`` is told the candidates so far and may raise :class:`BudgetExceeded`.
        """
        bound = self.costs.atom
        try:
            while (cost := self.levels.peek()) is not None:
                bound = max(bound, cost)
                if cost >= limit:
                    return self._outcome(bound=limit)
                found = self._level(self.levels.pop(), cost >= start, check)
                if found is not None:
                    expr = build_expr(found, self.op, self.left, self.right, self.letters)
                    return self._outcome(expr=expr, cost=cost, bound=cost)
        except BudgetExceeded as error:
            return self._outcome(bound=bound, reason=str(error))
        return self._outcome(bound=bound, exhausted=True)

    def _outcome(self, **fields: object) -> Outcome:
        return Outcome(candidates=self.candidates, items=len(self.bits), **fields)  # type: ignore[arg-type]

    def _level(self, cost: int, looking: bool, check: Callable[[int], None]) -> tuple[int, int, int] | None:
        first, positives, negatives = len(self.bits), self.infixes.positives, self.infixes.negatives
        ticks = count(1)
        for op, left, right, bits, live in self._candidates(cost):
            if next(ticks) % 1024 == 0:
                check(self.candidates + 1024)
                self.candidates += 1024
            if looking and bits & positives == positives and not bits & negatives:
                return op, left, right
            self._enter(op, left, right, bits, live)
        self.candidates += (next(ticks) - 1) % 1024
        if len(self.bits) > first:
            self.range[cost] = range(first, len(self.bits))
            self.levels.fill(cost)
        return None

    def _candidates(self, cost: int):  # type: ignore[no-untyped-def]
        """All ``(op, left, right, bits, polarities)`` of a cost."""
        price, allowed, infixes = self.costs.by_op, self.operators, self.infixes
        if cost == self.costs.atom:
            for i, bits in enumerate(infixes.letters):
                yield tree.LETTER, i, -1, bits, self.everywhere
            for op, bits in ((tree.EPSILON, 1), (tree.EMPTY, 0)):
                if allowed >> op & 1:
                    yield op, -1, -1, bits, self.everywhere
        for op in tree.UNARY:
            if allowed >> op & 1:
                for i in self.range.get(cost - price[op], ()):
                    if not self._idle(op, i):
                        live = self.swap[self.live[i]] if op == tree.COMPLEMENT else self.live[i]
                        yield op, i, -1, infixes.apply(op, self.bits[i]), live
        for op in tree.BINARY:
            if allowed >> op & 1:
                for k in list(self.range):
                    others = self.range.get(cost - price[op] - k)
                    if others:
                        yield from self._pairs(op, self.range[k], others)

    def _idle(self, op: int, i: int) -> bool:
        """Whether a cheaper expression has the same language."""
        if op == tree.OPTION:
            return bool(self.bits[i] & 1)
        root = self.op[i]
        return root in (tree.STAR, tree.OPTION) if op == tree.STAR else root == tree.COMPLEMENT

    def _pairs(self, op: int, lefts: range, rights: range):  # type: ignore[no-untyped-def]
        commutes = op in (tree.UNION, tree.INTERSECTION)
        if commutes and lefts.start >= rights.stop:
            return
        root, live, bits, swap = self.op, self.live, self.bits, self.swap
        for i in lefts:
            if (commutes or op == tree.CONCAT) and root[i] == op:
                continue  # associativity
            columns = self.infixes.columns(bits[i]) if op == tree.CONCAT else ()
            for j in rights:
                if commutes and i >= (self.left[j] if root[j] == op else j):
                    continue  # summands ascend
                both = live[i] & (swap[live[j]] if op == tree.DIFFERENCE else live[j])
                if not both:
                    continue
                if op == tree.CONCAT:
                    out, y = 0, bits[j]
                    while y:
                        low = y & -y
                        out |= columns[low.bit_length() - 1]
                        y ^= low
                else:
                    out = self.infixes.apply(op, bits[i], bits[j])
                yield op, i, j, out, both

    def _enter(self, op: int, left: int, right: int, bits: int, polarities: int) -> None:
        """Store a candidate for the polarities in which it is neither a duplicate nor dominated."""
        same = self.exact.setdefault(bits, [])
        fresh = polarities
        for i in same:
            fresh &= ~self.considered[i]
        if not fresh:
            return
        considered, upper, lower = fresh, self.upper, self.lower
        chain = self.chains.setdefault(bits & self.shared, [])
        for i in reversed(chain):
            other = self.bits[i]
            if fresh & self.live[i] & POSITIVE and not bits & ~other & upper and not other & ~bits & lower:
                fresh &= ~POSITIVE
            if fresh & self.live[i] & NEGATIVE and not other & ~bits & upper and not bits & ~other & lower:
                fresh &= ~NEGATIVE
            if not fresh:
                return
        same.append(len(self.bits))
        chain.append(len(self.bits))
        self.bits.append(bits)
        self.op.append(op)
        self.left.append(left)
        self.right.append(right)
        self.live.append(fresh)
        self.considered.append(considered)


def search(
    infixes: Infixes, letters: tuple[str, ...], costs: Costs, operators: int, clock: Clock, *,
    start: int = 0, limit: int = 1 << 60, dominance: bool = True, tier: str = "auto", share: int | None = None,
    news: News | None = None,
) -> Outcome:  # fmt: skip
    """Run the plain tier, and the kernels when it has had its share.

    Parameters
    ----------
    start : int
        Costs below it are known to hold no answer.
    limit : int
        Only answers cheaper than this are looked for.
    tier : {"auto", "plain", "compiled"}
    news : News, optional
        Shared with another engine; heard by the compiled tier.
    share : int, optional
        Candidates of the plain tier; by default few when the kernels are ready, many when
        they would have to be compiled, and no end without the other tier.
    """
    if tier == "plain" or (tier == "auto" and len(infixes.words) <= WIDEST):
        most = share or ((PLAIN if kernels_ready() else PLAIN_COLD) if tier == "auto" else 1 << 60)

        def check(candidates: int) -> None:
            clock.spent = candidates
            clock.check()
            if candidates > most:
                raise BudgetExceeded("the plain tier has had its share")

        plain = PlainSearch(infixes, letters, costs, operators, dominance=dominance)
        outcome = plain.run(start=start, limit=limit, check=check)
        done = outcome.expr is not None or outcome.exhausted or outcome.bound >= limit
        if done or tier == "plain" or clock.left <= 0:
            return outcome
        start = max(start, outcome.bound)
    from regsynth.solvers.sequence_compiled import CompiledSearch

    try:
        compiled = CompiledSearch(infixes, letters, costs, operators, clock, dominance=dominance, news=news)
    except BudgetExceeded as error:  # not even the letters can be stored
        return Outcome(bound=max(start, costs.atom), reason=str(error))
    return compiled.run(start=start, limit=limit)


def infer_sequence(problem: InferenceProblem, clock: Clock, *, start: int = 0, limit: int = 1 << 60, dominance: bool = True,
                   tier: str = "auto", share: int | None = None, news: News | None = None) -> InferenceResult:  # fmt: skip
    """Solve an inference problem by characteristic sequences.

    Parameters
    ----------
    problem : InferenceProblem
        Its alphabet must hold every letter of the words.
    start : int
        Costs below it are known to hold no answer.
    limit : int
        Only answers cheaper than this are looked for (a known upper bound).
    news : News, optional
        Shared with another engine; heard by the compiled tier.

    Returns
    -------
    InferenceResult
        ``unknown`` without an answer when the budget ran out or nothing cheaper than
        ``limit`` exists (``lower_bound`` is then ``limit``); ``infeasible`` when the
        operators can express no answer.
    """
    try:
        infixes = Infixes(problem.positives, problem.negatives, problem.alphabet)
    except BudgetExceeded as error:
        bound = max(start, problem.costs.atom)
        return InferenceResult(None, None, bound, "unknown", "sequence", clock.seconds, stats={"reason": str(error)})
    found = search(infixes, problem.alphabet, problem.costs, problem.operators.mask, clock, start=start, limit=limit,
                   dominance=dominance, tier=tier, share=share, news=news)  # fmt: skip
    status = "infeasible" if found.exhausted else "unknown"
    if found.expr is not None:
        status = "optimal" if found.cost == found.bound else "feasible"
    stats = {"candidates": found.candidates, "items": found.items, "infixes": len(infixes.words), **found.stats}
    if found.reason:
        stats["reason"] = found.reason  # type: ignore[assignment]
    return InferenceResult(found.expr, found.cost, found.bound, status, "sequence", clock.seconds, stats=stats)  # type: ignore[arg-type]


def kernels_ready() -> bool:
    """Whether the kernels can be used without compiling them."""
    return "regsynth.solvers.sequence_compiled" in sys.modules or ready(Path(__file__).parent / "sequence_kernels.py", "combine")
