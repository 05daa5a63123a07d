"""Every case of tests/cases through every engine: the cases know no engine, the engines below no case."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from definition import language, words

import regsynth
from regsynth.automata import batch
from regsynth.automata.dfa import product
from regsynth.automata.position import to_dfa
from regsynth.automata.reference import compare
from regsynth.syntax.costs import Costs

Case = dict[str, Any]
Answer = tuple[bool, str | None, str | None]  # equivalent, witness, accepted by

CASES = Path(__file__).parents[1] / "cases"


def cases(name: str) -> list[Any]:
    loaded = tomllib.loads((CASES / name).read_text(encoding="utf-8"))["case"]
    return [pytest.param(case, id=case["name"]) for case in loaded]


def _letters(case: Case) -> list[str]:
    first, second = regsynth.parse(case["first"]), regsynth.parse(case["second"])
    return sorted({*map(str, first.alphabet | second.alphabet), *case.get("alphabet", "")})


def by_reference(case: Case) -> Answer:
    answer = compare(regsynth.parse(case["first"]), regsynth.parse(case["second"]), alphabet=case.get("alphabet", ""))
    return bool(answer), answer.word, answer.accepted_by


def by_batch(case: Case) -> Answer:
    found = batch.compare_many([case["first"]], [case["second"]], alphabet=case.get("alphabet"))
    return found.name(0) == "equivalent", found.witness(0), found.side(0)


def by_automata(case: Case) -> Answer:
    letters = _letters(case)
    first, second = (to_dfa(regsynth.parse(case[side]), letters) for side in ("first", "second"))
    word = product(first, second, lambda p, q: p != q, 10_000).shortest_word()
    if word is None:
        return first == second, None, None
    return first == second, "".join(map(str, word)), "first" if first.accepts(word) else "second"


def by_definition(case: Case) -> Answer:
    letters = "".join(_letters(case))
    first, second = (language(regsynth.parse(case[side]), letters, 5) for side in ("first", "second"))
    word = next((word for word in words(letters, 5) if (word in first) != (word in second)), None)
    return word is None, word, None if word is None else "first" if word in first else "second"


ENGINES: tuple[Callable[[Case], Answer], ...] = (by_reference, by_batch, by_automata, by_definition)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.__name__)
@pytest.mark.parametrize("case", cases("equivalence.toml"))
def test_equivalence(case: Case, engine: Callable[[Case], Answer]) -> None:
    assert engine(case) == (case["verdict"] == "equivalent", case.get("witness"), case.get("accepted_by"))


@pytest.mark.parametrize("case", cases("equivalence.toml"))
def test_containment(case: Case) -> None:
    first, second, alphabet = case["first"], case["second"], case.get("alphabet")
    answer = compare(regsynth.parse(first), regsynth.parse(second), relation="included", alphabet=alphabet or "")
    found = batch.compare_many([first], [second], relation="included", alphabet=alphabet)
    assert bool(answer) == (found.name(0) == "included") == case["included"]
    assert answer.word == found.witness(0)


@pytest.mark.parametrize("case", cases("minimal.toml"))
def test_minimal(case: Case) -> None:
    result = regsynth.minimize(case["regex"], costs=case.get("costs", "tree"), operators=case.get("ops", "?*.+"))
    assert (result.input_cost, result.cost, result.lower_bound) == (case["input_cost"], case["cost"], case["cost"])
    assert result.status == "optimal" and result.regex is not None
    assert Costs.parse(case.get("costs", "tree")).of_expr(result.regex) == case["cost"]
    assert regsynth.equivalent(result.regex, case["regex"])
