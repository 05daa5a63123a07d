"""Quick searches only look for answers: whatever they do, what is proven stays the same."""

from __future__ import annotations

import itertools
import random

import pytest
from inferring import WORDS
from words_brute import cheapest

from regsynth.budget import Budget
from regsynth.solvers import race, typed_inference
from regsynth.solvers.inference import infer
from regsynth.solvers.results import STANDARD, InferenceProblem
from regsynth.solvers.unions import union_of
from regsynth.syntax.costs import Costs

VECTORS = ((1, 1, 1, 1, 1), (10, 10, 10, 10, 1), (1, 10, 1, 1, 1), (20, 20, 20, 5, 30), (1, 1, 1, 1, 10))


def problems(count: int) -> list[InferenceProblem]:
    rng = random.Random(11)
    made = []
    while len(made) < count:
        words = rng.sample(WORDS, rng.randint(4, 9))
        cut = rng.randint(2, len(words) - 1)
        p, n = frozenset(words[:cut]), frozenset(words[cut:])
        if p != {""}:
            made.append(InferenceProblem(p, n, Costs.parse(",".join(map(str, rng.choice(VECTORS)))), STANDARD, ("a", "b")))
    return made


def cost_of(problem: InferenceProblem) -> tuple[int | None, str]:
    found = typed_inference.infer_typed(problem, Budget(seconds=60).start(), union_of(problem))
    return found.cost, found.status


@pytest.fixture(scope="module")
def known() -> list[tuple[InferenceProblem, int]]:
    chosen = problems(25)
    return [(p, cheapest(sorted(p.positives), sorted(p.negatives), "ab", p.costs, p.operators.mask, 100_000)) for p in chosen]


@pytest.mark.parametrize(
    ("weights", "quick", "direct"),
    [((2.0, 1.5), 2_000_000, 5_000_000), ((), 1, 1), ((50.0, 1.01), 300, 300), ((0.1,), 100, 1 << 40), ((3.0,), 1 << 40, 50)],
)
def test_any_weights(
    known: list[tuple[InferenceProblem, int]], weights: tuple[float, ...], quick: int, direct: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typed_inference, "WEIGHTS", weights)
    monkeypatch.setattr(typed_inference, "QUICK", quick)
    monkeypatch.setattr(typed_inference, "DIRECT", direct)
    monkeypatch.setattr(typed_inference, "WORTH", 5)  # leftover bounds from the start
    for problem, least in known:
        assert cost_of(problem) == (least, "optimal"), problem


def test_both_engines_at_once(known: list[tuple[InferenceProblem, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first moment, each hearing what the other knows: the same costs."""
    monkeypatch.setattr(race, "HEAD_START", 0.0)
    monkeypatch.setattr(typed_inference, "QUICK", 300)
    for problem, least in known:
        upper = union_of(problem)
        assert upper is not None
        found = race.race(problem, Budget(seconds=60).start(), upper)
        assert (found.cost, found.lower_bound, found.status) == (least, least, "optimal"), problem


def test_negatives_that_cost_no_closed_sets_come_along() -> None:
    """"The second letter from the end is 1": all negatives make no more closed sets than a few of them."""
    words = ["".join(w) for n in range(2, 6) for w in itertools.product("01", repeat=n)]
    positives, negatives = [w for w in words if w[-2] == "1"], [w for w in words if w[-2] == "0"]
    problem = InferenceProblem(frozenset(positives), frozenset(negatives), alphabet=("0", "1"))
    run = typed_inference._Inference(problem, Budget(seconds=60).start(), union_of(problem), None)
    one = {run.negatives[0]}
    taken = run._with_free(one)
    assert one < taken <= set(run.negatives)
    assert run._size(taken, 4096) <= run._size(one, 4096)
    assert run._size(run.negatives, 4096) <= typed_inference.SMALL
    assert run._first_negatives() == set(run.negatives)
    assert infer(positives, negatives).cost == cheapest(positives, negatives, "01", problem.costs, problem.operators.mask, 200_000)
