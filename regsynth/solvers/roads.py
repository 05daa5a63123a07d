"""The roads by name: ``sat``, ``maxsat``, ``smt`` and ``portfolio``, and certificates for any of them."""

from __future__ import annotations

from typing import Any, TypeVar

from regsynth.budget import Budget
from regsynth.errors import BudgetExceeded, InputError, UnsupportedError
from regsynth.solvers.results import InferenceProblem, InferenceResult, MinimizationProblem, MinimizationResult, Result, Status

R = TypeVar("R", bound=Result)
ROADS = ("sat", "maxsat", "smt", "portfolio")


def minimize_by(
    solver: str, problem: MinimizationProblem, budget: Budget, certificate: str | None = None
) -> MinimizationResult:
    """Minimise by a road.

    Parameters
    ----------
    solver : {"sat", "maxsat", "smt", "portfolio"}
    problem : MinimizationProblem
    budget : Budget
    certificate : str, optional
        Folder for a certificate, written when the result is optimal.

    Examples
    --------
    >>> from regsynth.syntax.formal import parse
    >>> minimize_by("maxsat", MinimizationProblem(parse("aa+ab")), Budget()).cost
    5
    """
    clock = budget.start()
    try:
        result = _module(solver).solve_minimization(problem, budget)
    except BudgetExceeded as error:  # before there was a question to work on
        result = unsolved(problem, solver, clock.seconds, str(error))
    assert isinstance(result, MinimizationResult)
    return _certified(problem, result, budget, certificate)


def infer_by(solver: str, problem: InferenceProblem, budget: Budget, certificate: str | None = None) -> InferenceResult:
    """Infer by a road; parameters as in :func:`minimize_by`."""
    result = _module(solver).solve_inference(problem, budget)
    assert isinstance(result, InferenceResult)
    return _certified(problem, result, budget, certificate)


def unsolved(problem: MinimizationProblem, solver: str, seconds: float, reason: str = "") -> MinimizationResult:
    """What is known of a problem without working on it: its expression, where that is an answer.

    Examples
    --------
    >>> from regsynth.syntax.formal import parse
    >>> print(unsolved(MinimizationProblem(parse("a+a")), "sat", 0.5))
    a+a  3 → 3  feasible
    """
    expr, floor = problem.expr, problem.costs.atom
    cost = problem.costs.of_expr(expr)
    stats = {"reason": reason} if reason else {}
    if expr.mask & ~problem.operators.mask:
        return MinimizationResult(None, None, floor, "unknown", solver, seconds, stats=stats, input=expr, input_cost=cost)
    status: Status = "optimal" if cost == floor else "feasible"
    return MinimizationResult(expr, cost, floor, status, solver, seconds, stats=stats, input=expr, input_cost=cost)


def _module(solver: str) -> Any:
    from importlib import import_module

    if solver not in ROADS:
        raise InputError(f"solver {solver!r} is unknown; choose from auto, enumerate, {', '.join(ROADS)}")
    return import_module(f"regsynth.solvers.{solver}")


def _certified(problem: MinimizationProblem | InferenceProblem, result: R, budget: Budget, folder: str | None) -> R:
    return result if folder is None else certify(problem, result, folder, budget)


def certify(problem: MinimizationProblem | InferenceProblem, result: R, folder: str, budget: Budget) -> R:
    """Write a certificate of an optimal result: of its own kind where that exists, else by SAT.

    Parameters
    ----------
    problem, result :
        As solved. A result that is not optimal is returned as it is, without a certificate.
    folder : str
    budget : Budget
        For the certificate alone.

    Returns
    -------
    Result
        With ``certificate`` set to the folder, or to ``None`` when the budget did not allow one.
    """
    from regsynth.solvers.certificates import enumerative, sat

    if result.status != "optimal":
        return result
    ways = [enumerative.certify, sat.certify]
    if result.solver in ("sat", "maxsat", "smt"):
        ways = [sat.certify]
    for way in ways:
        try:
            return result.but(certificate=way(problem, result, folder, budget))  # type: ignore[no-any-return]
        except (BudgetExceeded, UnsupportedError, MemoryError):
            continue
    return result
