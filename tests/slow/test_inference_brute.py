"""Random inference problems with all ten constructors against plain brute force; extended minima up to length 6.

REGSYNTH_PROBLEMS sets how many: 200 unless told, so that CI ends in time; 2,000 take about ten minutes.
"""

from __future__ import annotations

import os
import random

import pytest
from inferring import WORDS, check_extended, solve
from words_brute import GaveUp, cheapest

from regsynth.budget import Budget
from regsynth.solvers.inference import infer
from regsynth.solvers.results import Operators
from regsynth.syntax.costs import Costs

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("compiled")]


@pytest.mark.timeout(3600)
def test_random_problems() -> None:
    rng, compared, bounded = random.Random(2023), 0, 0
    problems = int(os.environ.get("REGSYNTH_PROBLEMS", "200"))
    operators = Operators.parse("all")
    for _ in range(problems):
        p, n = rng.randint(1, 5), rng.randint(0, 5)
        words = rng.sample(WORDS, p + n)
        positives, negatives = words[:p], words[p:]
        costs = Costs(*[rng.randint(1, 49) for _ in range(8)])
        try:
            least = cheapest(positives, negatives, "ab", costs, operators.mask, 5000)
        except GaveUp as error:
            bounded += 1
            found = infer(positives, negatives, costs=costs, operators=operators, budget=Budget(seconds=10), alphabet="ab")
            assert found.cost is not None and found.cost >= error.bound
            continue
        compared += 1
        found = infer(positives, negatives, costs=costs, operators=operators, alphabet="ab")
        assert (found.cost, found.status) == (least, "optimal"), (positives, negatives, costs)
        for tier in ("plain", "compiled"):
            for dominance in (True, False):
                assert solve(positives, negatives, costs, operators, tier=tier, dominance=dominance).cost == least
    print(f"{compared} equal, {bounded} beyond brute force")
    assert compared >= problems * 3 // 4


@pytest.mark.parametrize("ops", ["?*.+~&-", "all", "~&.", "*-."])
def test_every_extended_language_up_to_length_6(ops: str) -> None:
    check_extended(ops, 6, "tree", 1)
