"""Unions of stored expressions: the cheapest cover, and an answer for problems that are not finished."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from regsynth.budget import Budget
from regsynth.solvers import sequence_compiled
from regsynth.solvers.cover import FAR, Cover
from regsynth.solvers.infixes import Infixes
from regsynth.solvers.results import STANDARD, Operators
from regsynth.syntax import tree
from regsynth.syntax.costs import TREE_LENGTH
from regsynth.syntax.tree import Expr


@pytest.mark.parametrize("seed", range(30))
def test_cheapest_cover(seed: int) -> None:
    rng = random.Random(seed)
    m, union = rng.randint(2, 5), rng.randint(1, 9)
    places = rng.sample([i for i in range(100) if i != 63], m)
    cover = Cover(places, np.array([1 << 63, 0], np.uint64), union)
    parts: list[tuple[int, set[int]]] = []
    cost = 1
    for _ in range(rng.randint(1, 4)):
        rows = np.zeros((rng.randint(1, 5), 2), np.uint64)
        for row in rows:
            held = {b for b in range(m) if rng.random() < 0.4}
            for b in held:
                row[places[b] >> 6] |= np.uint64(1) << np.uint64(places[b] & 63)
            if rng.random() < 0.2:
                row[0] |= np.uint64(1 << 63)  # a negative
                held = set()
            parts.append((cost, held))
        cover.learn(rows, len(parts) - len(rows), cost)
        cost += rng.randint(1, 6)
    least = FAR
    for n in range(1, m + 1):
        for chosen in itertools.combinations(parts, n):
            if set().union(*(held for _, held in chosen)) == set(range(m)):
                least = min(least, sum(c for c, _ in chosen) + union * (n - 1))
    found = cover.solve(FAR)
    assert (FAR if found is None else found[0]) == least
    if found is not None:
        assert set().union(*(parts[i][1] for i in found[1])) == set(range(m))
        assert sum(parts[i][0] for i in found[1]) + union * (len(found[1]) - 1) == least
        assert cover.solve(FAR) is None  # nothing has come since


@pytest.mark.parametrize(("operators", "steps"), [(STANDARD, 400_000), (Operators.parse("all"), 6_000_000)])
def test_unfinished_problems_have_more_than_the_union_of_the_words(
    operators: Operators, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sequence_compiled, "COVERED", 0)
    rng = random.Random(3)
    words = ["".join(w) for n in range(1, 7) for w in itertools.product("01", repeat=n)]
    chosen = rng.sample(words, 20)
    infixes = Infixes(chosen[:10], chosen[10:], "01")
    budget = Budget(steps=steps)
    search = sequence_compiled.CompiledSearch(infixes, ("0", "1"), TREE_LENGTH, operators.mask, budget.start())
    outcome = search.run(start=0, limit=1 << 40)
    assert outcome.expr is not None
    assert outcome.cost is not None
    assert outcome.bound < outcome.cost == outcome.expr.length < sum(2 * len(w) for w in chosen[:10]) - 1
    found = infixes_of(outcome.expr, infixes)
    assert infixes.positives & ~found == 0 == infixes.negatives & found


def infixes_of(expr: Expr, infixes: Infixes) -> int:
    """The infixes an expression holds, by the plain tier's tables."""
    if expr.op == tree.LETTER:
        return infixes.letters["01".index(str(expr.symbol))]
    if expr.op in (tree.EPSILON, tree.EMPTY):
        return int(expr.op == tree.EPSILON)
    parts = [infixes_of(part, infixes) for part in (expr.left, expr.right) if part is not None]
    return infixes.apply(expr.op, *parts)
