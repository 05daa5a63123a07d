"""The minimiser against brute force over all languages: more costs, more operators, both tiers."""

from __future__ import annotations

import random
from functools import partial

import pytest
from minimising import TIERS, Truth, Vector, costs_of, disguise, mistakes, search, solve, table

import regsynth
from regsynth.solvers.results import Operators
from regsynth.solvers.typed import Rules

pytestmark = pytest.mark.slow

TREE: Vector = (1, 1, 1, 1, 1)
# letters, costs of letter ? * · +, bound, operators
TABLES: list[tuple[str, Vector, int, str]] = [
    ("ab", TREE, 7, "?*.+"),
    ("abc", TREE, 6, "?*.+"),
    ("ab", (1, 4, 1, 1, 1), 8, "?*.+"),
    ("ab", (1, 6, 1, 1, 1), 8, "?*.+"),
    ("ab", (1, 10, 1, 1, 1), 8, "?*.+"),  # the option never pays
    ("ab", (2, 10, 3, 1, 4), 16, "?*.+"),
    ("ab", (1, 1, 6, 1, 1), 8, "?*.+"),
    ("ab", (2, 3, 5, 7, 4), 18, "?*.+"),
    ("ab", (1, 1, 1, 5, 1), 9, "?*.+"),
    ("ab", (1, 1, 1, 1, 5), 9, "?*.+"),
    ("ab", (1, 1, 1, 1, 10), 8, "?*.+"),  # stars over nullable operands
    ("ab", (5, 1, 1, 1, 1), 20, "?*.+"),
    ("ab", (3, 9, 3, 1, 2), 16, "?*.+"),
    ("ab", TREE, 7, "*.+"),
    ("ab", TREE, 7, "?.+"),
    ("ab", TREE, 8, "?*."),
    ("ab", TREE, 7, "?*+"),
    ("ab", TREE, 7, "?*.+ε"),
    ("ab", (1, 10, 1, 1, 1), 8, "?*.+ε"),
    ("ab", TREE, 7, "*.+ε"),
    ("ab", (1, 1, 1, 1, 10), 8, "?*.+ε"),
    ("ab", (1, 10, 1, 1, 1), 8, "?*.+∅"),  # ε is ∅*
    ("ab", TREE, 7, "*.+∅"),
    ("ab", (2, 10, 3, 1, 4), 16, "?*.+∅"),
]


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize(("letters", "vector", "bound", "ops"), TABLES, ids=str)
def test_every_language(letters: str, vector: Vector, bound: int, ops: str, tier: str) -> None:
    rng = random.Random(2)
    costs, operators = costs_of(vector), Operators.parse(ops)
    wrong = []
    for cost, expr in table(letters, vector, bound, ops).values():
        if not expr.alphabet:
            continue  # ∅ and {ε} as whole answers are atoms, allowed or not
        given = disguise(expr, rng, rng.randint(1, 8))
        result = solve(given, vector, ops=ops, tier=tier)
        assert result.regex is not None and regsynth.equivalent(str(result.regex), str(given))
        allowed = not result.regex.mask & ~operators.mask and costs.of_expr(result.regex) == result.cost
        if (result.status, result.cost, result.lower_bound, allowed) != ("optimal", cost, cost, True):
            wrong.append((str(given), str(expr), cost, result))
    assert wrong == []


QUESTIONS = [row for row in TABLES if row[0] == "ab"]


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize(("letters", "vector", "bound", "ops"), QUESTIONS, ids=str)
def test_fixed_samples(letters: str, vector: Vector, bound: int, ops: str, tier: str) -> None:
    if "∅" in ops and tier == "compiled":
        pytest.skip("the minimiser leaves ∅ as an operand to the plain tier")
    truth = Truth(table(letters, vector, bound, ops), letters)
    ask = partial(search, vector=vector, bound=bound, ops=ops, tier=tier)
    assert mistakes(truth.questions(random.Random(13), 500), truth, ask) == []


@pytest.mark.parametrize("rule", ["dominance", "letter_bound", "left_concat", "ordered_union", "nullable_option", "starred_star"])
@pytest.mark.parametrize(("letters", "vector", "bound", "ops"), QUESTIONS[::3], ids=str)
def test_each_rule_off(letters: str, vector: Vector, bound: int, ops: str, rule: str) -> None:
    truth = Truth(table(letters, vector, bound, ops), letters)
    ask = partial(search, vector=vector, bound=bound, ops=ops, rules=Rules(**{rule: False}))
    assert mistakes(truth.questions(random.Random(17), 40), truth, ask) == []
