"""Cost functions and operator sets."""

from __future__ import annotations

import pytest
from definition import expressions
from hypothesis import given
from hypothesis import strategies as st

from regsynth.errors import InputError
from regsynth.solvers.results import STANDARD, InferenceProblem, Operators
from regsynth.syntax import tree
from regsynth.syntax.costs import LIMIT, TREE_LENGTH, Costs
from regsynth.syntax.formal import parse


def test_order_of_the_eight_numbers() -> None:
    costs = Costs.parse("1,2,3,4,5,6,7,8")
    for text, own in [("a", 1), ("ε", 1), ("∅", 1), ("a?", 2), ("a*", 3), ("~a", 4)]:
        assert costs.of_expr(parse(text)) == own + (1 if own > 1 else 0)
    for text, own in [("ab", 5), ("a&b", 6), ("a+b", 7), ("a-b", 8)]:
        assert costs.of_expr(parse(text)) == own + 2


def test_five_numbers_leave_the_rest_at_one() -> None:
    assert Costs.parse("9,2,3,5,7") == Costs(9, 2, 3, 1, 5, 1, 7, 1)


@pytest.mark.parametrize("text", ["", "1", "1,2,3,4", "1,2,3,4,5,6", "a,b,c,d,e", "0,1,1,1,1", "1,1,-1,1,1", "1,1,1.5,1,1",
                                  f"1,1,1,1,{LIMIT + 1}", "1,,1,1,1", "1 2 3 4 5"])  # fmt: skip
def test_bad_costs_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="cost"):
        Costs.parse(text)


@pytest.mark.parametrize("value", [0, -1, 1.0, "1", True, None])
def test_bad_values_are_refused(value: object) -> None:
    with pytest.raises(InputError, match="star"):
        Costs(star=value)  # type: ignore[arg-type]


@given(expressions(), st.lists(st.integers(1, 50), min_size=8, max_size=8))
def test_cost_is_the_sum_over_the_nodes(expr: tree.Expr, numbers: list[int]) -> None:
    costs = Costs.of(numbers)
    assert costs.of_expr(expr) == sum(costs.by_op[node.op] for node in expr.postorder())
    assert TREE_LENGTH.of_expr(expr) == expr.length == sum(1 for _ in expr.postorder())


def test_operators() -> None:
    assert str(STANDARD) == "?*.+" and STANDARD.monotone
    assert tree.UNION in STANDARD and tree.COMPLEMENT not in STANDARD and tree.LETTER in STANDARD
    assert not Operators.parse("all").monotone
    assert Operators.parse("|·−") == Operators.parse("+.-")
    with pytest.raises(InputError, match="'x' at position 1"):
        Operators.parse("?x")


def test_a_word_on_both_sides_is_refused() -> None:
    with pytest.raises(InputError, match="'a'"):
        InferenceProblem(frozenset({"a", "b"}), frozenset({"a"}))
