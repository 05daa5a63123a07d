"""Two exact engines on one problem: the first proof wins, and each hears what the other knows.

The sequence engine is nearly always the faster one, but where infixes are many its work
grows, and that of the typed engine need not. The kernels release Python's lock, so both
run on two cores; the second one starts late, so that easy problems never pay for it. What either
finds or proves is :class:`~regsynth.solvers.news.News` to the other: the race also ends
when the best answer of one costs what the other proved to be necessary.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from regsynth.budget import Budget, Clock
from regsynth.errors import BudgetExceeded, MethodsDisagree
from regsynth.solvers.news import News
from regsynth.solvers.results import InferenceProblem, InferenceResult, Result, Status
from regsynth.syntax.tree import Expr

HEAD_START = 0.3  # seconds the first engine has for itself
NARROW = 128  # infixes up to which the sequence engine is first; beyond it is second, and later by the fifth power of their number
MANY = 100_000  # infixes that are not told apart only to be counted
MOMENT = 0.01  # seconds an engine is waited for once there is a proof

R = TypeVar("R", bound=Result)


class StoppableClock(Clock):
    """A clock that is also up when an event is set."""

    __slots__ = ("stop",)

    def __init__(self, budget: Budget, began: float, stop: threading.Event) -> None:
        super().__init__(budget, began)
        self.stop = stop

    @property
    def left(self) -> float:
        """Seconds left; negative once stopped."""
        if self.stop.is_set():
            return -1.0
        limit = self.budget.seconds
        return float("inf") if limit is None else limit - self.seconds


def race(problem: InferenceProblem, clock: Clock, upper: Expr) -> InferenceResult:
    """Solve an inference problem over ``? * · +`` by the typed engine and the sequence engine at the same time.

    Parameters
    ----------
    problem : InferenceProblem
    clock : Clock
    upper : Expr
        An expression known to be right.
    """
    from regsynth.solvers.sequence import infer_sequence
    from regsynth.solvers.typed_inference import infer_typed

    news = News(upper, problem.costs.of_expr(upper), problem.costs.atom)

    def by_types(own: Clock) -> InferenceResult:
        return infer_typed(problem, own, upper, news)

    def by_sequences(own: Clock) -> InferenceResult:
        found = infer_sequence(problem, own, limit=news.cost, tier="compiled", news=news)
        if found.regex is not None:
            return found
        best, cost, _ = news.known
        bound = cost if found.status == "infeasible" else min(found.lower_bound, cost)
        status: Status = "optimal" if bound >= cost else "feasible"
        return InferenceResult(best, cost, bound, status, "sequence", own.seconds, stats=found.stats)

    def together() -> InferenceResult:
        best, cost, bound = news.known
        if bound > cost:
            raise MethodsDisagree(f"{best} costs {cost}, and one engine proves that nothing cheaper than {bound} is right")
        return InferenceResult(best, cost, cost, "optimal", "race", clock.seconds)

    infixes = infix_count(problem)
    first, second = (by_sequences, by_types) if infixes <= NARROW else (by_types, by_sequences)
    delay = min(3600.0, HEAD_START * max(1.0, infixes / NARROW) ** 5)
    try:
        result = run_race(clock, first, second, (news.settled, together), delay)
    except (BudgetExceeded, MemoryError) as error:  # what was known before still holds
        best, cost, bound = news.known
        return InferenceResult(best, cost, min(bound, cost), "feasible", "race", clock.seconds, stats={"reason": str(error)})
    if news.bound > news.cost:  # an engine that hears of both takes them for a proof
        return together()
    return result


def infix_count(problem: InferenceProblem) -> int:
    """Number of infixes of all words; of long words an upper bound."""
    words = problem.positives | problem.negatives
    most = 1 + sum(len(w) * (len(w) + 1) // 2 for w in words)
    return most if most > MANY else len({w[i:j] for w in words for i in range(len(w)) for j in range(i + 1, len(w) + 1)}) + 1


def run_race(clock: Clock, first: Callable[[Clock], R], second: Callable[[Clock], R],
             settled: tuple[threading.Event, Callable[[], R]] | None = None, head_start: float = HEAD_START) -> R:  # fmt: skip
    """The better result of two engines, each given a clock that stops when the other has a proof.

    Parameters
    ----------
    clock : Clock
    first, second : callable
        Take a clock and return a result, valid whenever the clock stops them. Each runs
        in a thread of its own with half of the memory; the loser is told to stop, and
        not waited for.
    settled : (threading.Event, callable), optional
        Set when both together have a proof, and what that is.
    head_start : float
        Seconds after which the second begins.

    Returns
    -------
    Result
        An optimal one, else the cheaper one with the greater of the two lower bounds.

    Raises
    ------
    MethodsDisagree
        When both have a proof, of different costs; or what an engine raised.
    """
    budget = replace(clock.budget, memory=clock.memory // 2)
    stop, proven = threading.Event(), settled[0] if settled else threading.Event()
    results: list[R] = []
    errors: list[BaseException] = []
    first_over = threading.Event()

    def run(engine: Callable[[Clock], R], delay: float) -> None:
        try:
            if delay:
                first_over.wait(delay)
                if stop.is_set() or proven.is_set() or (results and clock.left <= 0):
                    return
            found = engine(StoppableClock(budget, clock.began, stop))
            results.append(found)
            if found.status in ("optimal", "infeasible"):
                proven.set()
        except BaseException as error:  # raised again below, in the caller's thread
            errors.append(error)
        finally:
            if not delay:
                first_over.set()

    helpers = [threading.Thread(target=run, args=args, daemon=True) for args in ((first, 0.0), (second, head_start))]
    try:
        for helper in helpers:
            helper.start()
        while not proven.is_set() and any(helper.is_alive() for helper in helpers):
            proven.wait(0.005 if clock.seconds < 1 else 0.05)
    finally:
        together = proven.is_set()
        stop.set()
        proven.set()
        first_over.set()
    for helper in helpers:  # a moment for what is about to come: its figures, or a contradiction
        helper.join(MOMENT)
    faults = [error for error in errors if not isinstance(error, (BudgetExceeded, MemoryError))]
    if faults:
        raise faults[0]
    proofs = [found for found in results if found.status in ("optimal", "infeasible")]
    if len({(found.status, found.cost) for found in proofs}) > 1:
        raise MethodsDisagree(f"{proofs[0].solver} proves {proofs[0]}, {proofs[1].solver} proves {proofs[1]}")
    if proofs:
        return proofs[0]
    if together and settled is not None:
        return settled[1]()
    if not results:  # what one engine knows counts, whatever the other ran out of
        raise errors[0] if errors else BudgetExceeded("both engines were stopped")
    return _merged(*results)


def _merged(result: R, *others: R) -> R:
    for other in others:
        if other.status in ("optimal", "infeasible"):
            return other
        better = other.cost is not None and (result.cost is None or other.cost < result.cost)
        best, bound = (other if better else result), max(result.lower_bound, other.lower_bound)
        optimal = best.cost is not None and bound >= best.cost
        result = best.but(lower_bound=min(bound, best.cost) if best.cost is not None else bound,
                          status="optimal" if optimal else best.status)  # fmt: skip
    return result
