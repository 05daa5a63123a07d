"""Two engines on one problem: the first proof wins, the other one is stopped, bounds are merged."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from regsynth.budget import Budget, Clock
from regsynth.errors import BudgetExceeded, MethodsDisagree
from regsynth.solvers.race import run_race
from regsynth.solvers.results import InferenceResult, Status
from regsynth.syntax.formal import parse

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
    clock = Budget(seconds=0.3).start()
    merged = run_race(clock, until_stopped(answer("a?b", 2, "feasible")), until_stopped(answer("ab", 3, "feasible")))
    assert (str(merged.regex), merged.cost, merged.lower_bound, merged.status) == ("ab", 3, 3, "optimal")
    merged = run_race(Budget(seconds=0.3).start(), until_stopped(answer(None, 5, "unknown")), until_stopped(answer("a?b*", 2, "feasible")))
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
