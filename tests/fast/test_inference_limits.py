"""Inference at its limits: many long words, next to no memory, an engine that fails, a contradiction."""

from __future__ import annotations

import random
import time

import pytest

from regsynth.budget import Budget, Clock
from regsynth.errors import BudgetExceeded, MethodsDisagree
from regsynth.solvers import race as races
from regsynth.solvers import sequence, typed_inference
from regsynth.solvers.inference import infer, problem_of
from regsynth.solvers.news import News
from regsynth.solvers.results import STANDARD, InferenceProblem, InferenceResult
from regsynth.syntax.costs import TREE_LENGTH
from regsynth.syntax.formal import parse
from regsynth.syntax.tree import Expr

pytestmark = pytest.mark.usefixtures("compiled")


def random_words(count: int, length: int, letters: str) -> set[str]:
    rng = random.Random(1)
    return {"".join(rng.choice(letters) for _ in range(length)) for _ in range(count)}


def test_many_long_negatives_keep_to_the_time() -> None:
    began = time.perf_counter()
    result = infer(["01" * i for i in range(1, 6)], random_words(500, 200, "01"), budget=Budget(seconds=2))
    assert result.regex is not None and time.perf_counter() - began < 30  # minimising their prefix tree took 80 s


def test_without_memory_there_is_an_answer() -> None:
    words = sorted(random_words(80, 12, "0123456789"))
    problem = problem_of(words[:40], words[40:], costs=TREE_LENGTH, operators=STANDARD)
    found = sequence.infer_sequence(problem, Budget(seconds=20, memory=1 << 10).start(), tier="compiled")
    assert found.regex is None and found.status == "unknown" and "memory" in str(found.stats["reason"])
    assert infer(words[:40], words[40:], budget=Budget(seconds=1, memory=1 << 10)).regex is not None


def test_one_engine_out_of_memory_leaves_the_answer_of_the_other() -> None:
    def fails(clock: Clock) -> InferenceResult:
        raise MemoryError

    known = InferenceResult(parse("a?b"), 4, 2, "feasible", "test")
    for engines in ((fails, lambda clock: known), (lambda clock: known, fails)):
        assert races.run_race(Budget(seconds=30).start(), *engines, head_start=0.01) == known


PROBLEM = problem_of(["ab", "aab"], ["a", "b", "ba"], costs=TREE_LENGTH, operators=STANDARD)
UPPER = parse("ab+aab")


def test_both_engines_out_of_memory_leave_what_was_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: object, **options: object) -> InferenceResult:
        raise MemoryError

    monkeypatch.setattr(typed_inference, "infer_typed", fails)
    monkeypatch.setattr(sequence, "infer_sequence", fails)
    found = races.race(PROBLEM, Budget(seconds=30).start(), UPPER)
    assert (found.regex, found.cost, found.status) == (UPPER, UPPER.length, "feasible")


def test_a_bound_above_an_answer_is_a_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    def unsound(problem: InferenceProblem, clock: Clock, upper: Expr, news: News) -> InferenceResult:
        news.prove(99)
        return InferenceResult(upper, upper.length, upper.length, "optimal", "test")

    monkeypatch.setattr(typed_inference, "infer_typed", unsound)
    monkeypatch.setattr(races, "NARROW", 1)  # it begins
    with pytest.raises(MethodsDisagree):
        races.race(PROBLEM, Budget(seconds=30).start(), UPPER)


def test_a_search_without_time_is_not_begun() -> None:
    begun: list[Clock] = []

    def second(clock: Clock) -> InferenceResult:
        begun.append(clock)
        raise BudgetExceeded("no time")

    known = InferenceResult(parse("a?b"), 4, 2, "feasible", "test")

    def first(clock: Clock) -> InferenceResult:
        while clock.left > 0:
            time.sleep(0.005)
        return known

    assert races.run_race(Budget(seconds=0.05).start(), first, second, head_start=60) == known
    assert not begun
