"""Typed search, plain tier: the cheapest r with P ⊆ L(r) ⊆ L(U), by cost levels.

An *item* is an expression in a type (X, Z): reading any of its words takes the
closed set X into the closed set Z, so nothing built from items can leave U. Inside
a type only coverage counts: which infixes of P, among those that occur in such a
place, the expression accepts. An item is dropped when one of its type, no dearer,
covers as much; and when the letters that the rest of the tree must still supply
(:mod:`regsynth.solvers.fooling`) push the total above the bound under test.
``docs/decisions/0003-typed-search.md`` proves that an optimum survives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from regsynth.errors import BudgetExceeded
from regsynth.solvers.levels import Levels
from regsynth.solvers.sample import Sample
from regsynth.syntax import tree
from regsynth.syntax.costs import Costs
from regsynth.syntax.tree import CONCAT, EMPTY, EPSILON, LETTER, OPTION, STAR, UNION, Expr


@dataclass(frozen=True, slots=True)
class Rules:
    """Pruning rules, each of which can be switched off (tests do).

    The last three are *wrong* on purpose: they show that the tests have teeth.
    """

    dominance: bool = True
    letter_bound: bool = True
    left_concat: bool = True
    ordered_union: bool = True
    nullable_option: bool = True
    starred_star: bool = True
    wrong_right_concat: bool = False
    wrong_cover_needed: bool = False
    wrong_any_type: bool = False


SOUND = Rules()


@dataclass(slots=True)
class Found:
    """Outcome of one search.

    ``cost`` is the level at which candidates that meet P first appeared, or
    ``None`` when there is none up to the bound; ``accepted`` the one that the
    caller's test took.
    """

    cost: int | None = None
    accepted: Expr | None = None
    candidates: int = 0
    items: int = 0
    tested: int = field(default=0)


def star_strips(costs: Costs, allowed: int) -> bool:
    """Whether ``x*`` may be skipped for every nullable x.

    x* = (x°)*, where x° drops ε: (y?)° = (y*)° = y°, (s+t)° = s°+t°, (st)° = s°+t° for
    nullable s and t. So it needs unions, and they must be no dearer than what goes.

    >>> from regsynth.solvers.results import STANDARD
    >>> star_strips(Costs(), STANDARD.mask), star_strips(Costs(union=10), STANDARD.mask)
    (True, False)
    """
    return bool(allowed >> UNION & 1) and costs.union <= costs.concat + min(costs.option, costs.star)


def cheapest_binary(costs: Costs, allowed: int) -> int:
    """Cost of the cheaper of ``·`` and ``+``, where they are allowed."""
    return min([c for op, c in ((CONCAT, costs.concat), (UNION, costs.union)) if allowed >> op & 1], default=0)


def cost_of_letters(letters: int, costs: Costs, allowed: int) -> int:
    """Least cost of an expression with so many letters.

    >>> from regsynth.solvers.results import STANDARD
    >>> cost_of_letters(4, Costs(), STANDARD.mask)
    7
    """
    binary = cheapest_binary(costs, allowed)
    return max(costs.atom, letters * (costs.atom + binary) - binary)


def epsilon_atom(costs: Costs, allowed: int) -> tuple[int | None, Expr | None]:
    """Cost of the cheapest expression of {ε} without a letter, and that expression.

    ε itself where it is allowed as an operand, else ``∅*`` or ``∅?`` where ∅ is: nothing
    else is worth building from ∅.

    >>> from regsynth.solvers.results import Operators
    >>> epsilon_atom(Costs(option=5), Operators.parse("?*.+∅").mask)
    (2, parse('∅*'))
    """
    if allowed >> EPSILON & 1:
        return costs.atom, tree.epsilon()
    unary = [(costs.by_op[op], op) for op in (OPTION, STAR) if allowed >> op & 1]
    if allowed >> EMPTY & 1 and unary:
        price, op = min(unary)
        return costs.atom + price, tree.make(op, tree.empty())
    return None, None


class TypedSearch:
    """One bounded search over a sample.

    Parameters
    ----------
    sample : Sample
    letters : sequence of symbols
        Σ, to rebuild expressions.
    costs : Costs
    allowed : int
        Mask of constructors an answer may use.
    rules : Rules
    limit : int
        Most candidates; beyond it :class:`BudgetExceeded`. The time is watched by the
        ``check`` of the sample's closed sets.
    """

    def __init__(
        self, sample: Sample, letters: tuple[object, ...], costs: Costs, allowed: int, *, rules: Rules = SOUND, limit: int = 1 << 62
    ) -> None:
        self.sample, self.letters, self.costs, self.allowed = sample, letters, costs, allowed
        self.rules, self.limit = rules, limit
        self.closed = sample.closed
        self.binary = cheapest_binary(costs, allowed)
        self.unit = costs.atom + self.binary  # least cost of one more letter
        self.epsilon, self.epsilon_expr = epsilon_atom(costs, allowed)
        self.star_nullable = not star_strips(costs, allowed)
        self.filled: list[int] = []  # costs with stored items
        self.op: list[int] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.target: list[int] = []
        self.cover: list[int] = []
        self.held: list[int] = []  # fooling letters that may lie inside
        self.count: list[int] = []  # and how many of them at most
        self.nullable: list[bool] = []
        self.found = Found()

    def lower_bound(self) -> int:
        """Cost that the fooling set alone proves necessary."""
        return cost_of_letters(self.sample.width if self.rules.letter_bound else 0, self.costs, self.allowed)

    def run(self, bound: int, accept: Callable[[Expr], bool]) -> Found:
        """Search all costs up to ``bound``.

        Parameters
        ----------
        bound : int
        accept : callable
            Called with each candidate r, P ⊆ L(r) ⊆ L(U), of the cheapest level
            that has any; the search ends when it returns true.
        """
        self._prepare(bound)
        costs, allowed, price_of = self.costs, self.allowed, self.costs.by_op
        unary, binary = ([price_of[op] for op in ops if allowed >> op & 1] for ops in ((OPTION, STAR), (CONCAT, UNION)))
        levels = Levels([costs.atom, self.epsilon or costs.atom], unary, binary)
        self.filled = levels.filled
        for c in levels.up_to(bound):
            stored = len(self.op)
            for make, op, price in (
                (self._atoms, LETTER, costs.atom), (self._options, OPTION, costs.option), (self._stars, STAR, costs.star),
                (self._unions, UNION, costs.union), (self._concats, CONCAT, costs.concat),
            ):  # fmt: skip
                if allowed >> op & 1 and c >= price and make(c, c - price, accept):
                    return self.found
            if self.found.cost is not None:
                break
            if len(self.op) > stored:
                levels.fill(c)
        self.found.items = len(self.op)
        return self.found

    def _prepare(self, bound: int) -> None:
        closed, sample = self.closed, self.sample
        self.bound = bound
        self.fooling = sample.fooling if self.rules.letter_bound else 0
        # An item of cost c that holds at most m fooling letters survives while c ≤ room + unit·m.
        self.room = bound - self.unit * self.fooling
        self.level: list[dict[int, list[int]]] = [{} for _ in closed.sets]  # items by closed set and cost
        self.active: list[dict[int, list[int]]] = [{} for _ in closed.sets]
        self.at: list[list[int]] = [[] for _ in closed.sets]
        self.found = Found()
        self._accepted_before = False

    # -- storing ----------------------------------------------------------------------------------

    def _offer(self, x: int, target: int, cover: int, held: int, count: int, nullable: bool, node: tuple[int, int, int],
               c: int, accept: Callable[[Expr], bool]) -> bool:  # fmt: skip
        """Test a candidate for the goal and for dominance, and store it; true ends the search."""
        found, sets = self.found, self.closed.sets
        found.candidates += 1
        if found.candidates > self.limit:
            raise BudgetExceeded(f"candidate budget of {self.limit} used up")
        if not found.candidates & 255:
            self.closed.check()
        z = sets[target]
        mask, letters = self.sample.type_masks(sets[x], z)
        cover &= mask
        if self.fooling:
            inside = 0
            for w, bits in letters.items():
                if cover >> w & 1:
                    inside |= bits
            held &= inside
            count = min(count, held.bit_count())
            if c > self.room + self.unit * count:
                return False
        if x == 0 and not z & ~self.closed.final and not self.sample.goal & ~cover:
            found.cost = c
            found.tested += 1
            expr = self.build(node)
            if accept(expr):
                found.accepted = expr
                return True
        if c == self.bound:
            return False
        entries = self.active[x].get(target)
        if entries is None:
            entries = [self.cover[i] for i in self.at[x] if not sets[self.target[i]] & ~z]
            self.active[x][target] = entries
        if self.rules.dominance:
            for other in entries:
                if not cover & ~other:
                    return False
            if self.rules.wrong_any_type and any(not cover & ~o for e in self.active[x].values() for o in e):
                return False
        elif any(cover == other for other in entries):
            return False
        if self.rules.wrong_cover_needed and not cover:
            return False
        i = len(self.op)
        self.op.append(node[0])
        self.left.append(node[1])
        self.right.append(node[2])
        self.target.append(target)
        self.cover.append(cover)
        self.held.append(held)
        self.count.append(count)
        self.nullable.append(nullable)
        self.level[x].setdefault(c, []).append(i)
        self.at[x].append(i)
        for other_target, others in self.active[x].items():
            if not z & ~sets[other_target]:
                others.append(cover)
        return False

    # -- the constructors -------------------------------------------------------------------------

    def _atoms(self, c: int, rest: int, accept: Callable[[Expr], bool]) -> bool:
        closed, sample = self.closed, self.sample
        for x, states in enumerate(closed.sets):
            if c == self.epsilon and self._offer(x, x, 1, 0, 0, True, (EPSILON, -1, -1), c, accept):
                return True
            for a in range(0 if rest else closed.k):
                z = closed.step(states, a)
                if z:
                    w = sample.number.get((a,))
                    cover = 0 if w is None else 1 << w
                    if self._offer(x, closed.index[z], cover, sample.fooling_of.get(a, 0), 1, False, (LETTER, a, -1), c, accept):
                        return True
        return False

    def _options(self, c: int, rest: int, accept: Callable[[Expr], bool]) -> bool:
        closed = self.closed
        for x, states in enumerate(closed.sets):
            for i in self.level[x].get(rest, ()):
                if self.nullable[i] and self.rules.nullable_option:
                    continue
                z = closed.close(states | closed.sets[self.target[i]])
                if z and self._offer(x, closed.index[z], self.cover[i] | 1, self.held[i], self.count[i], True,
                                     (OPTION, i, -1), c, accept):  # fmt: skip
                    return True
        return False

    def _stars(self, c: int, rest: int, accept: Callable[[Expr], bool]) -> bool:
        sets = self.closed.sets
        for w, loop in enumerate(sets):
            for i in self.level[w].get(rest, ()):
                if sets[self.target[i]] & ~loop:
                    continue
                if self.rules.starred_star and (self.op[i] in (STAR, OPTION) or (self.nullable[i] and not self.star_nullable)):
                    continue
                cover = self.sample.star(self.cover[i])
                for x, states in enumerate(sets):
                    if not states & ~loop and self._offer(x, w, cover, self.held[i], self.count[i], True, (STAR, i, -1), c, accept):
                        return True
        return False

    def _unions(self, c: int, rest: int, accept: Callable[[Expr], bool]) -> bool:
        closed, op, held, count = self.closed, self.op, self.held, self.count
        ordered = self.rules.ordered_union
        least = (c - self.room + self.unit - 1) // self.unit  # fooling letters the pair must hold between them
        for x in range(len(closed.sets)):
            level = self.level[x]
            for split in self.filled:
                seconds = level.get(rest - split)
                if not seconds:
                    continue
                for i in level.get(split, ()):
                    self.closed.check()
                    if ordered and op[i] == UNION:
                        continue
                    for j in seconds:
                        if ordered and i >= (self.left[j] if op[j] == UNION else j):
                            continue
                        m, f = count[i] + count[j], held[i] | held[j]
                        if m < least or f.bit_count() < least:
                            continue
                        z = closed.close(closed.sets[self.target[i]] | closed.sets[self.target[j]])
                        if z and self._offer(x, closed.index[z], self.cover[i] | self.cover[j], f, m,
                                             self.nullable[i] or self.nullable[j], (UNION, i, j), c, accept):  # fmt: skip
                            return True
        return False

    def _concats(self, c: int, rest: int, accept: Callable[[Expr], bool]) -> bool:
        op, held, count, target = self.op, self.held, self.count, self.target
        least = (c - self.room + self.unit - 1) // self.unit
        for x, level in enumerate(self.level):
            for split in self.filled:
                for i in level.get(split, ()):
                    if self.rules.left_concat and op[i] == CONCAT:
                        continue
                    self.closed.check()
                    for j in self.level[target[i]].get(rest - split, ()):
                        m, f = count[i] + count[j], held[i] | held[j]
                        if m < least or f.bit_count() < least:
                            continue
                        if self.rules.wrong_right_concat and op[j] == CONCAT:
                            continue
                        cover = self.sample.concatenate(self.cover[i], self.cover[j])
                        if self._offer(x, target[j], cover, f, m, self.nullable[i] and self.nullable[j], (CONCAT, i, j), c, accept):
                            return True
        return False

    def build(self, node: tuple[int, int, int]) -> Expr:
        """The expression of a candidate (no recursion: operands come before their operator)."""
        return build_expr(node, self.op, self.left, self.right, self.letters, self.epsilon_expr)


def build_expr(node: tuple[int, int, int], op: Any, left: Any, right: Any, letters: tuple[object, ...],
               epsilon: Expr | None = None) -> Expr:  # fmt: skip
    """Expression of ``(op, left, right)`` over stored items; ``epsilon`` is what ε is written as."""
    needed: set[int] = set()
    stack = [i for i in node[1:] if i >= 0 and node[0] != LETTER]
    while stack:
        i = stack.pop()
        if i not in needed:
            needed.add(i)
            if op[i] != LETTER:
                stack += [j for j in (left[i], right[i]) if j >= 0]
    made: dict[int, Expr] = {}

    def make(o: int, a: int, b: int) -> Expr:
        if o == LETTER:
            return tree.letter(letters[a])
        if a < 0:
            return epsilon if o == EPSILON and epsilon is not None else tree.make(o)
        return tree.make(o, made[a], made[b] if b >= 0 else None)

    for i in sorted(needed):  # operands have smaller numbers
        made[i] = make(op[i], left[i], right[i])
    return make(*node)
