"""Two engines on one problem: the first proof wins, the other one is stopped, bounds are merged."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from regsynth.budget import Budget, Clock
from regsynth.errors import BudgetExceeded, MethodsDisagree
from regsynth.solvers.inference import infer, problem_of
from regsynth.solvers.news import News
from regsynth.solvers.race import run_race
from regsynth.solvers.results import STANDARD, InferenceResult, Status
from regsynth.solvers.sequence import infer_sequence
from regsynth.solvers.typed_inference import infer_typed
from regsynth.syntax.costs import TREE_LENGTH
from regsynth.syntax.formal import parse

pytestmark = pytest.mark.usefixtures("compiled")

Engine = Callable[[Clock], InferenceResult]


def answer(text: str | None, bound: int, status: Status) -> InferenceResult:
    regex = None if text is None else parse(text)
    return InferenceResult(regex, None if regex is None else regex.length, bound, status, "test")


def at_once(result: InferenceResult) -> Engine:
    return lambda clock: result


def until_stopped(result: InferenceResult, stopped: threading.Event | None = None) -> Engine:
    def engine(clock: Clock) -> InferenceResult:
        while clock.left > 0:
            time.sleep(0.005)
        with pytest.raises(BudgetExceeded):
            clock.check()
        if stopped is not None:
            stopped.set()
        return result

    return engine


def test_a_proof_stops_the_other_engine() -> None:
    for flip in (False, True):
        stopped, proof = threading.Event(), answer("ab", 3, "optimal")
        engines = [at_once(proof), until_stopped(answer("a?b", 1, "feasible"), stopped)]
        began = time.perf_counter()
        assert run_race(Budget(seconds=30).start(), *(reversed(engines) if flip else engines)) is proof
        assert time.perf_counter() - began < 10
        if flip:
            assert stopped.wait(5)


def test_bounds_of_both_count() -> None:
    def merge(*results: InferenceResult) -> InferenceResult:
        return run_race(Budget(seconds=0.3).start(), *map(until_stopped, results), head_start=0.05)

    merged = merge(answer("a?b", 2, "feasible"), answer("ab", 3, "feasible"))
    assert (str(merged.regex), merged.cost, merged.lower_bound, merged.status) == ("ab", 3, 3, "optimal")
    merged = merge(answer(None, 5, "unknown"), answer("a?b*", 2, "feasible"))
    assert (merged.cost, merged.lower_bound, merged.status) == (5, 5, "optimal")


def test_faults_come_through_but_not_spent_budgets() -> None:
    def broken(clock: Clock) -> InferenceResult:
        raise MethodsDisagree("no")

    def spent(clock: Clock) -> InferenceResult:
        raise BudgetExceeded("no more")

    for second in (until_stopped(answer("ab", 1, "feasible")), at_once(answer("ab", 3, "optimal"))):
        with pytest.raises(MethodsDisagree):
            run_race(Budget(seconds=1).start(), broken, second)
    assert run_race(Budget(seconds=5).start(), spent, at_once(answer("ab", 3, "optimal"))).cost == 3


def test_two_proofs_of_different_costs_are_a_bug() -> None:
    gate = threading.Barrier(2)

    def proving(text: str, cost: int) -> Engine:
        def engine(clock: Clock) -> InferenceResult:
            gate.wait(5)
            return answer(text, cost, "optimal")

        return engine

    disagreed = 0
    for _ in range(10):  # both results are seen when they come before the next look, 5 ms later
        try:
            run_race(Budget(seconds=5).start(), proving("ab", 3), proving("abb", 5))
        except MethodsDisagree:
            disagreed += 1
    assert disagreed


def test_an_answer_here_and_a_bound_there_are_a_proof() -> None:
    news = News(parse("a?b+b"), 6, 1)

    def finding(clock: Clock) -> InferenceResult:
        news.offer(parse("a?b"), 4)
        return until_stopped(answer("a?b", 1, "feasible"))(clock)

    def proving(clock: Clock) -> InferenceResult:
        time.sleep(0.05)
        news.prove(4)
        return until_stopped(answer(None, 4, "unknown"))(clock)

    began = time.perf_counter()
    proof = answer("a?b", 4, "optimal")
    found = run_race(Budget(seconds=30).start(), finding, proving, (news.settled, lambda: proof))
    assert time.perf_counter() - began < 10
    assert found is proof
    assert news.known == (parse("a?b"), 4, 4)


def test_the_second_begins_when_the_first_gives_up() -> None:
    proof = answer("ab", 3, "optimal")
    began = time.perf_counter()
    assert run_race(Budget(seconds=60).start(), at_once(answer("ab", 1, "feasible")), at_once(proof), head_start=50.0) is proof
    assert time.perf_counter() - began < 20


def test_what_one_engine_knows_the_other_uses() -> None:
    """Whatever the news, as long as they are true: the same proven cost."""
    positives, negatives = ["aab", "ab", "aaab", "abab"], ["a", "b", "ba", "bb", "aba", "baab"]
    problem = problem_of(positives, negatives, costs=TREE_LENGTH, operators=STANDARD)
    least = infer(positives, negatives).cost
    assert least is not None
    upper = parse("aab+ab+aaab+abab")
    cost = upper.length
    for bound in range(1, least + 1):
        news = News(upper, cost, bound)
        assert infer_typed(problem, Budget(seconds=30).start(), upper, news).cost == least
        assert news.cost == news.bound == least
        news = News(upper, cost, bound)
        found = infer_sequence(problem, Budget(seconds=30).start(), limit=cost, tier="compiled", news=news)
        assert (found.cost, found.lower_bound, news.bound) == (least, least, least)
    known = infer(positives, negatives).regex
    assert known is not None
    news = News(known, least, 1)  # the optimum is known: only the proof is missing
    found = infer_sequence(problem, Budget(seconds=30).start(), limit=cost, tier="compiled", news=news)
    assert found.regex is None
    assert found.lower_bound == least == news.bound
    assert news.settled.is_set()
