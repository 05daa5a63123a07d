"""The leftover bound of the compiled tier: it prunes, and never what the optimum needs."""

from __future__ import annotations

import random

import pytest
from minimising import Truth, Vector, costs_of, table

from regsynth.automata.dfa import DFA
from regsynth.solvers import settle_kernels as k
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.results import Operators
from regsynth.solvers.sample import Sample
from regsynth.solvers.typed_compiled import CompiledSearch, Lattice

TABLES: list[tuple[Vector, int]] = [
    ((1, 1, 1, 1, 1), 6), ((1, 10, 1, 1, 1), 7), ((1, 1, 1, 1, 5), 7), ((2, 3, 5, 7, 4), 14), ((1, 1, 6, 1, 1), 6),
]  # fmt: skip


def engine(words: list[str], upper: DFA, vector: Vector) -> CompiledSearch:
    closed, number = ClosedSets(upper), {symbol: i for i, symbol in enumerate(upper.alphabet)}
    sample = Sample(closed, {tuple(number[c] for c in word) for word in words})
    return CompiledSearch(
        sample, upper.alphabet, costs_of(vector), Operators.parse("?*.+").mask,
        lattice=Lattice(closed), seconds=lambda: 60.0, memory=1 << 28,
    )  # fmt: skip


def wrong_answers(drop: int) -> tuple[int, int, int]:
    """Mistakes, and candidates without and with the bound; ``drop`` inflates what removing an item saves."""
    wrong = plain = bounded = 0
    for vector, bound in TABLES:
        truth, rng = Truth(table("ab", vector, bound), "ab"), random.Random(5)
        for words, upper in truth.questions(rng, 60):
            right = truth.cheapest(words, upper)
            search, without = engine(words, upper, vector), engine(words, upper, vector)
            search.leftover(rng.randint(1, bound))
            search.number[[k.C_DROP, k.C_DROP_NULL]] += drop
            limit = right[0] if right else bound
            found = search.run(limit, lambda candidate: True)
            wrong += found.cost != (right[0] if right else None)
            plain, bounded = plain + without.run(limit, lambda candidate: True).candidates, bounded + found.candidates
    return wrong, plain, bounded


def test_leftover_bound() -> None:
    wrong, plain, bounded = wrong_answers(0)
    assert wrong == 0 and bounded < plain


def test_too_large_a_leftover_bound_is_caught() -> None:
    assert wrong_answers(3)[0] > 0


@pytest.mark.parametrize("depth", [0, 3, 30])
def test_any_depth(depth: int) -> None:
    truth = Truth(table("ab", (1, 1, 1, 1, 1), 6), "ab")
    for words, upper in truth.questions(random.Random(8), 20):
        right = truth.cheapest(words, upper)
        search = engine(words, upper, (1, 1, 1, 1, 1))
        search.leftover(depth)
        assert search.run(6, lambda candidate: True).cost == (right[0] if right else None)
