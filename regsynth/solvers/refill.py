"""A cheaper expression by solving parts of it anew inside their context: local search with the exact engine.

A part S of an expression E for L may be replaced by any r with P ⊆ L(r) ⊆ F(X, Z),
where (X, Z) is the type of its place (:mod:`regsynth.solvers.holes`) and P are words
it must read: so the typed search itself fills the hole. P is found word by word. When
E with r in the hole lacks a word of L, the part S that was there did read it, and
what S read of it joins P. An r that lacks nothing is taken; nothing else is.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from heapq import heappop, heappush

from regsynth.automata.dfa import DFA, bits
from regsynth.automata.position import PositionAutomaton, to_dfa
from regsynth.automata.reference import lacking
from regsynth.errors import BudgetExceeded
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.holes import Factors, Hole, holes
from regsynth.solvers.sample import Sample, Word
from regsynth.solvers.tiers import Maker, Tiers
from regsynth.solvers.typed import cost_of_letters
from regsynth.syntax import tree
from regsynth.syntax.simplify import simplify
from regsynth.syntax.tree import Expr

SMALLEST = 2  # nodes of a part
REFUTATIONS = 4  # words one round may add
ROUNDS = 20  # for one hole
LEAST = 500  # candidates that one hole is counted as, at least
SETS = 256  # closed sets of what may fill a hole
STATES, NODES = 400, 500  # of the largest automata and expressions that are worked on
LETTERS, PRODUCT = 80, 20_000  # letters of a needed word, and states of the product that finds it
PLACES = 200  # types of which the closed sets are remembered


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done, and when.

    Attributes
    ----------
    after, most : int
        Candidates of the whole search after which this is due; a single search that would
        reach ``most`` of them is interrupted for it.
    nodes : int
        Of the largest part that is solved anew.
    steps, total : int
        Candidates for one hole, and for all of them together.
    """

    after: int
    most: int
    nodes: int
    steps: int
    total: int


STAGES = (Effort(200_000, 600_000, 24, 20_000, 1_000_000), Effort(1_000_000, 3_000_000, 36, 100_000, 4_000_000))


class Refill:
    """Local search over the expressions of one language.

    Parameters
    ----------
    dfa : DFA
        Minimal automaton of L.
    closed : ClosedSets
        Of L.
    tiers : Tiers
        Of the problem.
    """

    def __init__(self, dfa: DFA, closed: ClosedSets, tiers: Tiers) -> None:
        self.dfa, self.closed, self.tiers, self.costs, self.allowed = dfa, closed, tiers, tiers.costs, tiers.operators.mask
        self.factors = Factors(closed, dfa.alphabet)
        self.steps = 0
        self._places: dict[tuple[object, ...], tuple[ClosedSets, Maker] | None] = {}
        self._failed: set[tuple[Expr, int, int]] = set()

    def improve(self, expr: Expr, effort: Effort, time_left: Callable[[], float]) -> Expr:
        """A cheapest expression this search reaches from ``expr``, of the same language.

        Parameters
        ----------
        expr : Expr
            Over the allowed constructors.
        effort : Effort
        time_left : callable
            Seconds left, asked between holes.
        """
        self.steps = 0
        while self.closed.n <= STATES and expr.length <= NODES:
            start = expr
            self._failed.clear()
            while (better := self._better(expr, effort, time_left)) is not None:
                expr = better
            if expr is start:
                break
        return expr

    def _better(self, expr: Expr, effort: Effort, time_left: Callable[[], float]) -> Expr | None:
        """The first improvement found, small parts first."""
        cost = self.costs.of_expr(expr)
        for hole in sorted(holes(expr, SMALLEST, effort.nodes), key=lambda hole: hole.part.length):
            for late in (False, True):
                if self.steps >= effort.total or time_left() <= 0:
                    return None
                x, z = self.factors.type_of(hole, late=late)
                if (hole.part, x, z) in self._failed:
                    continue
                self._failed.add((hole.part, x, z))
                before = self.steps
                try:
                    found = self._fill(hole, x, z, effort.steps)
                except BudgetExceeded:
                    found = None
                self.steps = max(self.steps, before + LEAST)
                if found is not None and not found.mask & ~self.allowed and self.costs.of_expr(found) < cost:
                    return found
        return None

    def _place(self, part: Expr, x: int, z: int) -> tuple[ClosedSets, Maker]:
        """Closed sets of U, and the maker of searches there.

        U is F(X, Z) over the letters of the part, or the language of the part where that
        has too many closed sets: then only what the part need not read can go.
        """
        letters = part.alphabet
        for key in ((x, z, letters), (part,)):
            if key not in self._places:
                if len(self._places) >= PLACES:
                    self._places.clear()
                self._places[key] = None
                with suppress(BudgetExceeded):
                    dfa = self.factors.factor(x, z, letters) if len(key) > 1 else to_dfa(part, self.dfa.alphabet, STATES)
                    closed = ClosedSets(dfa, check=self.closed.check)
                    self._places[key] = closed, self.tiers.small(closed, dfa, SETS)
            place = self._places[key]
            if place is not None:
                return place
        raise BudgetExceeded("the language of the hole is too large")

    def _fill(self, hole: Hole, x: int, z: int, steps: int) -> Expr | None:
        """The expression with something cheaper in the hole, or ``None``."""
        needs = Needs(hole, self.dfa)
        for atom in (tree.empty(), tree.epsilon()) if not x & ~z else (tree.empty(),):
            if needs(atom):
                return simplify(hole.fill(atom))
        needs.seed()
        bound = self.costs.of_expr(hole.part) - 1
        closed, make = self._place(hole.part, x, z)
        for _ in range(ROUNDS):
            sample = Sample(closed, needs.words)
            if cost_of_letters(sample.width, self.costs, self.allowed) > bound:
                return None
            search = make(sample)
            search.limit = steps
            needs.added = 0
            try:
                found = search.run(bound, needs)
            except BudgetExceeded:
                self.steps += steps
                raise
            self.steps += found.candidates
            if found.accepted is not None:
                return hole.fill(found.accepted)
            if found.cost is None:
                return None
        return None


class Needs:
    """Decides whether an expression may fill a hole, and collects words it must have.

    Parameters
    ----------
    hole : Hole
    dfa : DFA
        Minimal automaton of L; called only with what keeps the whole inside L.
    """

    def __init__(self, hole: Hole, dfa: DFA) -> None:
        self.hole, self.dfa = hole, dfa
        self.words: set[Word] = set()
        self.added = 0
        self._lacked: list[list[int]] = []
        self._mark = len(dfa.alphabet)
        self._marked: PositionAutomaton | None = None
        self._part = PositionAutomaton(hole.part, dfa.alphabet)

    def __call__(self, candidate: Expr) -> bool:
        automaton = PositionAutomaton(self.hole.fill(candidate), self.dfa.alphabet)
        if any(not automaton.accepts(word) for word in self._lacked):
            return False
        word = lacking(self.dfa, automaton, PRODUCT)
        if word is None:
            return True
        if len(word) > LETTERS:
            raise BudgetExceeded(f"a word of more than {LETTERS} letters is needed")
        if self.added < REFUTATIONS:
            self.added += 1
            self._lacked.append(word)
            self.words |= self._read(word)
        return False

    def seed(self) -> None:
        """Words needed because of each letter of the part."""
        for i, node in enumerate(order := list(self.hole.part.postorder())):
            if node.op == tree.LETTER:
                self.added = 0
                self(tree.from_postfix([(tree.EMPTY, None) if i == j else (n.op, n.symbol) for j, n in enumerate(order)]))

    def _read(self, word: list[int]) -> set[Word]:
        """What the part reads in the run over ``word`` with the fewest words not yet known."""
        if self._marked is None:
            mark = object()
            self._marked = PositionAutomaton(self.hole.fill(tree.letter(mark)), (*self.dfa.alphabet, mark))
        auto, end = self._marked, len(word)
        mark = auto.by_letter[self._mark].bit_length() - 1
        queue: list[tuple[int, int, int, tuple[Word, ...]]] = [(0, 0, -1, ())]  # price, letters read, position, words
        done: set[tuple[int, int]] = set()
        while queue:
            price, i, p, read = heappop(queue)
            if (i, p) in done:
                continue
            done.add((i, p))
            if i == end and (auto.nullable if p < 0 else auto.last >> p & 1):
                return set(read)
            after = auto.first if p < 0 else auto.follow[p]
            if i < end:
                for q in bits(after & auto.by_letter[word[i]]):
                    heappush(queue, (price, i + 1, q, read))
            if after >> mark & 1:
                for j in range(i, end + 1):
                    w = tuple(word[i:j])
                    if self._part.accepts(w):
                        heappush(queue, (price + (w not in self.words), j, mark, (*read, w)))
        raise AssertionError("the whole expression reads every word of its language")
