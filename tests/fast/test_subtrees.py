"""Minimising sub-trees: the same language, never dearer, and an answer where the search does not end."""

from __future__ import annotations

import random

import pytest
from minimising import random_expression

from regsynth.automata.reference import compare
from regsynth.budget import Budget
from regsynth.solvers.minimise import minimize
from regsynth.solvers.results import STANDARD, Operators
from regsynth.solvers.subtrees import resolve_subtrees
from regsynth.syntax.costs import Costs


@pytest.mark.parametrize("costs", ["tree", "1,6,1,1,1", "20,20,20,5,30"])
def test_same_language_and_never_dearer(costs: str) -> None:
    rng, price = random.Random(5), Costs.parse(costs)
    saved = 0
    for _ in range(12):
        expr = random_expression(rng, rng.randint(8, 40))
        after = resolve_subtrees(expr, price, STANDARD, minimize=minimize, time_left=lambda: float("inf"))
        assert compare(expr, after).verdict == "equivalent"
        assert price.of_expr(after) <= price.of_expr(expr)
        saved += price.of_expr(after) < price.of_expr(expr)
    assert saved > 6


def test_operators_of_the_problem_only() -> None:
    rng, operators = random.Random(6), Operators.parse("*.+ε")
    for _ in range(6):
        expr = random_expression(rng, 20)
        if expr.mask & ~operators.mask:
            continue
        after = resolve_subtrees(expr, Costs(), operators, minimize=minimize, time_left=lambda: float("inf"))
        assert not after.mask & ~operators.mask


def test_an_unfinished_search_still_has_a_shorter_answer() -> None:
    rng = random.Random(1)
    expr = random_expression(rng, 150)
    found = minimize(expr, budget=Budget(seconds=None, steps=30_000))
    again = minimize(expr, budget=Budget(seconds=None, steps=30_000))
    assert found.status == "feasible" and found.cost is not None
    assert found.lower_bound < found.cost < expr.length
    assert (found.regex, found.lower_bound) == (again.regex, again.lower_bound)


def test_a_late_call_leaves_sub_trees_as_they_are() -> None:
    asked = []

    def time_left() -> float:
        asked.append(True)
        return 0.0

    expr = random_expression(random.Random(3), 40)
    after = resolve_subtrees(expr, Costs(), STANDARD, minimize=minimize, time_left=time_left)
    assert asked and compare(expr, after).verdict == "equivalent"
