"""What the tests of the exact minimiser share: brute-force tables, disguises, either tier.

The truth is :func:`enumeration.languages`. Inputs are *disguised*, rewritten at random
into longer equivalents, so that the engine starts from an automaton and not from a
cheapest expression.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import product as tuples

from enumeration import languages

from regsynth.automata.dfa import DFA, product
from regsynth.budget import Budget
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.minimise import minimize
from regsynth.solvers.results import MinimizationResult, Operators
from regsynth.solvers.sample import Sample
from regsynth.solvers.typed import Found, Rules, TypedSearch
from regsynth.syntax import tree
from regsynth.syntax.costs import Costs
from regsynth.syntax.tree import Expr

TIERS = ("plain", "compiled")
Vector = tuple[int, int, int, int, int]
Table = dict[DFA, tuple[int, Expr]]


def costs_of(vector: Vector) -> Costs:
    """Costs from letter, ?, *, · and +."""
    return Costs.of(list(vector))


@cache
def table(letters: str, vector: Vector, bound: int, ops: str = "?*.+") -> Table:
    """Every language up to a cost, by brute force."""
    return languages(letters, costs_of(vector), bound, Operators.parse(ops).mask)


def solve(
    expr: Expr, vector: Vector = (1, 1, 1, 1, 1), *, ops: str = "?*.+", tier: str = "plain", seconds: float = 120
) -> MinimizationResult:
    """Minimise on one tier only."""
    costs, operators, budget = costs_of(vector), Operators.parse(ops), Budget(seconds=seconds)
    if tier == "plain":  # rules other than the default object keep to the plain tier
        return minimize(expr, costs=costs, operators=operators, budget=budget, rules=Rules())
    import regsynth.solvers.typed_compiled  # noqa: F401 - once loaded, it is what minimize uses

    return minimize(expr, costs=costs, operators=operators, budget=budget)


def search(
    words: Iterable[str],
    dfa: DFA,
    vector: Vector,
    bound: int,
    *,
    ops: str = "?*.+",
    tier: str = "plain",
    rules: Rules | None = None,
) -> Found:
    """The cheapest r with P ⊆ L(r) ⊆ L(dfa) up to a cost, by one typed search."""
    closed, costs, mask = ClosedSets(dfa), costs_of(vector), Operators.parse(ops).mask
    number = {symbol: i for i, symbol in enumerate(dfa.alphabet)}
    sample = Sample(closed, {tuple(number[c] for c in word) for word in words})
    if tier == "plain":
        closed.explore()
        return TypedSearch(sample, dfa.alphabet, costs, mask, rules=rules or Rules()).run(bound, lambda expr: True)
    from regsynth.solvers.typed_compiled import CompiledSearch, Lattice

    lattice = Lattice(closed)
    engine = CompiledSearch(sample, dfa.alphabet, costs, mask, lattice=lattice, seconds=lambda: 60.0, memory=1 << 28)
    return engine.run(bound, lambda expr: True)


# -- disguises -------------------------------------------------------------------------------------


def disguise(expr: Expr, rng: random.Random, steps: int = 6) -> Expr:
    """A random equivalent, mostly longer."""
    for _ in range(steps):
        if expr.length > 60:
            break
        expr = _rewrite_at(expr, rng.randrange(expr.length), rng)
    return expr


def _rewrite_at(expr: Expr, place: int, rng: random.Random) -> Expr:
    """Rewrite the node with number ``place`` in prefix order."""
    if place == 0 or expr.left is None:
        return rng.choice(_rewritings(expr, rng))
    if place <= expr.left.length:
        return tree.make(expr.op, _rewrite_at(expr.left, place - 1, rng), expr.right)
    assert expr.right is not None
    return tree.make(expr.op, expr.left, _rewrite_at(expr.right, place - 1 - expr.left.length, rng))


def _rewritings(x: Expr, rng: random.Random) -> list[Expr]:
    union, concat, star, option = tree.union, tree.concat, tree.star, tree.option
    out = [union(x, x), union(x, tree.empty()), concat(tree.epsilon(), x), concat(x, tree.epsilon())]
    a, b = x.left, x.right
    if x.nullable:
        out += [option(x), union(tree.epsilon(), x)]
    if x.op == tree.STAR and a is not None:
        out += [star(x), concat(x, x), star(option(a)), option(concat(a, x)), option(concat(x, a)), union(x, a)]
        out.append(star(union(a, concat(a, a))))
    if x.op == tree.OPTION and a is not None:
        out += [union(a, tree.epsilon()), union(tree.epsilon(), a), union(x, a)]
    if x.op == tree.UNION and a is not None and b is not None:
        out += [union(b, a), union(b, x), union(x, a)]
    if x.op == tree.CONCAT and a is not None and b is not None:
        if b.op == tree.UNION and b.left and b.right:
            out += [union(concat(a, b.left), concat(a, b.right))] * 2
        if a.op == tree.UNION and a.left and a.right:
            out += [union(concat(a.left, b), concat(a.right, b))] * 2
        if b.op == tree.OPTION and b.left:
            out += [union(a, concat(a, b.left))] * 2
        if b.op == tree.CONCAT and b.left and b.right:
            out.append(concat(concat(a, b.left), b.right))
    if x.op == tree.STAR and a is not None and a.op == tree.UNION and a.left and a.right:
        c, d = a.left, a.right
        out += [star(concat(star(c), star(d))), concat(star(c), star(concat(d, star(c)))), star(union(d, c))] * 2
    return out


# -- questions about a fixed sample ----------------------------------------------------------------


def words_up_to(letters: str, length: int) -> list[str]:
    """All words, shortest first."""
    return ["".join(w) for n in range(length + 1) for w in tuples(letters, repeat=n)]


class Truth:
    """The cheapest language between P and U, among all up to a cost."""

    def __init__(self, found: Table, letters: str, length: int = 6) -> None:
        self.words = words_up_to(letters, length)
        self.bit = {w: 1 << i for i, w in enumerate(self.words)}
        self.rows = sorted(((c, sum(self.bit[w] for w in self.words if dfa.accepts(w)), dfa, e) for dfa, (c, e) in found.items()),
                           key=lambda row: row[0])  # fmt: skip

    def cheapest(self, words: Iterable[str], upper: DFA) -> tuple[int, Expr] | None:
        """Cost and an expression; ``None`` when there is none in the table."""
        low, high = sum(self.bit[w] for w in words), sum(self.bit[w] for w in self.words if upper.accepts(w))
        for cost, bits, dfa, expr in self.rows:
            if not low & ~bits and not bits & ~high and included(dfa, upper):
                return cost, expr
        return None

    def questions(self, rng: random.Random, count: int) -> Iterable[tuple[list[str], DFA]]:
        """Pairs P, U: U a language of the table or everything but a few words; P some words of U."""
        letters = self.rows[0][2].alphabet
        while count:
            if rng.random() < 0.5:
                upper = rng.choice(self.rows)[2]
            else:
                upper = all_but(rng.sample(self.words[:15], rng.randint(0, 4)), letters)
            inside = [w for w in self.words[:63] if upper.accepts(w)]
            if inside:
                count -= 1
                words = rng.sample(inside, min(len(inside), rng.randint(1, 4)))
                yield (sorted({"", words[0]}) if inside[0] == "" and rng.random() < 0.5 else words), upper  # ε alone is the trap


def included(first: DFA, second: DFA) -> bool:
    """Whether the first language lies inside the second."""
    return product(first, second, lambda p, q: p and not q, 10_000).shortest_word() is None


def all_but(words: Sequence[str], letters: Sequence[object]) -> DFA:
    """Minimal automaton of Σ* without some words."""
    prefixes = sorted({w[:i] for w in [*words, ""] for i in range(len(w) + 1)}, key=lambda w: (len(w), w))
    number = {w: i for i, w in enumerate(prefixes)}
    rest = len(prefixes)
    rows = [tuple(number.get(w + str(a), rest) for a in letters) for w in prefixes] + [(rest,) * len(letters)]
    accepting = sum(1 << i for i, w in enumerate(prefixes) if w not in words) | 1 << rest
    return DFA(tuple(letters), tuple(rows), accepting).minimal()


def mistakes(questions: Iterable[tuple[list[str], DFA]], truth: Truth, ask: Callable[[list[str], DFA], Found]) -> list[str]:
    """Questions that a search answers with another cost than brute force."""
    wrong = []
    for words, upper in questions:
        right = truth.cheapest(words, upper)
        found = ask(words, upper)
        if found.cost != (None if right is None else right[0]):
            wrong.append(f"P={words} U={upper.delta},{upper.accepting:b}: {found.cost} {found.accepted}, right {right}")
    return wrong


def random_expression(rng: random.Random, letters: int) -> Expr:
    """A random tree over ``abc`` with so many letters."""
    stack = [tree.letter(rng.choice("abc")) for _ in range(letters)]
    while len(stack) > 1:
        left, right = stack.pop(rng.randrange(len(stack))), stack.pop(rng.randrange(len(stack)))
        made = tree.concat(left, right) if rng.random() < 0.5 else tree.union(left, right)
        wrap = rng.random()
        stack.append(tree.star(made) if wrap < 0.15 else tree.option(made) if wrap < 0.3 else made)
    return stack[0]
