"""The public functions: text or trees, options, and errors."""

from __future__ import annotations

from typing import Any

import pytest

import regsynth
from regsynth.errors import InputError, ParseError


def test_text_and_trees_are_the_same() -> None:
    expr = regsynth.parse("aa*+a")
    assert regsynth.minimize(expr).regex is regsynth.minimize("aa*+a").regex
    assert regsynth.equivalent(expr, "aa*") and regsynth.contains("a", expr)


def test_costs_in_every_form() -> None:
    wanted = regsynth.Costs(1, 2, 3, 1, 1, 1, 5, 1)
    for costs in (wanted, "1,2,3,1,5", "1,2,3,1,1,1,5,1", [1, 2, 3, 1, 5], (1, 2, 3, 1, 1, 1, 5, 1)):
        assert regsynth.minimize("a+b", costs=costs).cost == 7


def test_operators_in_every_form() -> None:
    for operators in ("?*.+~", regsynth.Operators.parse("?*.+~")):
        result = regsynth.minimize("(b+bb)(a+b)*", operators=operators)
        assert result.cost == 4 and regsynth.equivalent(str(result.regex), "(b+bb)(a+b)*", alphabet="ab")


def test_alphabet() -> None:
    assert not regsynth.equivalent("~a", "ε+aaa*", alphabet="ab")
    assert regsynth.equivalent("~a", "ε+aaa*")
    with pytest.raises(InputError, match="'b' is not in the alphabet 'a'"):
        regsynth.equivalent("ab", "a", alphabet="a")
    with pytest.raises(InputError, match="'c'"):
        regsynth.minimize("c", alphabet="ab")


def test_state_budget() -> None:
    hard = "(a+b)*a" + "(a+b)" * 16
    answer = regsynth.equivalent(hard, hard.replace("(a+b)", "(b+a)"), budget=regsynth.Budget(states=1000))
    assert answer.verdict == "unknown" and not answer and answer.reason


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: regsynth.parse("a)"), ParseError),
        (lambda: regsynth.parse(5), InputError),  # type: ignore[arg-type]
        (lambda: regsynth.parse("a", dialect="latin"), InputError),
        (lambda: regsynth.minimize("a", costs=[1, 2]), InputError),
        (lambda: regsynth.minimize("a", costs="1,2,3,4,0"), InputError),
        (lambda: regsynth.minimize("a", operators="!"), InputError),
        (lambda: regsynth.minimize("a", solver="oracle"), InputError),
        (lambda: regsynth.minimize(None), InputError),  # type: ignore[arg-type]
    ],
)
def test_bad_arguments(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


def test_options_are_keyword_only() -> None:
    with pytest.raises(TypeError):
        regsynth.minimize("a", "tree")  # type: ignore[misc]
