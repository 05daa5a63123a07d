"""Both roads, one after the other, held against each other.

The enumerative engine has half of the time, the SAT road what is left. They share no
code below the problem and the automata, so a contradiction between them is a bug in
one of them, and is raised, never settled.
"""

from __future__ import annotations

from dataclasses import replace

from regsynth.budget import Budget
from regsynth.errors import MethodsDisagree
from regsynth.solvers import sat
from regsynth.solvers.results import InferenceProblem, InferenceResult, MinimizationProblem, MinimizationResult, Result


def solve_minimization(problem: MinimizationProblem, budget: Budget | None = None) -> MinimizationResult:
    """Minimise by enumeration and by SAT.

    Raises
    ------
    MethodsDisagree
        When one of them proves what the other refutes.

    Examples
    --------
    >>> from regsynth.syntax.formal import parse
    >>> result = solve_minimization(MinimizationProblem(parse("aa+ab")))
    >>> result.cost, result.status, result.solver
    (5, 'optimal', 'portfolio')
    """
    from regsynth.solvers.minimise import minimize

    clock = (budget or Budget()).start()
    first = minimize(problem.expr, costs=problem.costs, operators=problem.operators, alphabet=problem.alphabet,
                     budget=_share(clock.budget, clock.left / 2))  # fmt: skip
    second = sat.solve_minimization(problem, _share(clock.budget, clock.left))
    result = agree(first, second, clock.seconds)
    assert isinstance(result, MinimizationResult)
    return result


def solve_inference(problem: InferenceProblem, budget: Budget | None = None) -> InferenceResult:
    """Infer by enumeration and by SAT; see :func:`solve_minimization`."""
    from regsynth.solvers.inference import infer

    clock = (budget or Budget()).start()
    first = infer(problem.positives, problem.negatives, costs=problem.costs, operators=problem.operators,
                  alphabet=problem.alphabet, budget=_share(clock.budget, clock.left / 2))  # fmt: skip
    second = sat.solve_inference(problem, _share(clock.budget, clock.left))
    result = agree(first, second, clock.seconds)
    assert isinstance(result, InferenceResult)
    return result


def _share(budget: Budget, seconds: float) -> Budget:
    return budget if seconds == float("inf") else replace(budget, seconds=max(0.01, seconds))


def agree(first: Result, second: Result, seconds: float) -> Result:
    """The better of two answers with the better of two bounds.

    Raises
    ------
    MethodsDisagree
        When a verified answer of one is cheaper than the bound the other proved, or one
        found an answer where the other proved that there is none.
    """
    for one, other in ((first, second), (second, first)):
        if one.status == "infeasible" and other.cost is not None:
            raise MethodsDisagree(f"{one.solver} proves that there is no answer, and {other.solver} found {other.regex}")
        if other.cost is not None and one.lower_bound > other.cost:
            raise MethodsDisagree(
                f"{one.solver} proves that nothing costs less than {one.lower_bound}, and {other.solver} found {other.regex} "
                f"of cost {other.cost}"
            )
    best = second if first.cost is None or (second.cost is not None and second.cost < first.cost) else first
    floor = max(first.lower_bound, second.lower_bound)
    if best.cost is None:
        status = "infeasible" if "infeasible" in (first.status, second.status) else "unknown"
    else:
        status = "optimal" if best.cost <= floor else "feasible"
    stats = {"roads": {r.solver: {"status": r.status, "cost": r.cost, "lower_bound": r.lower_bound, "seconds": r.seconds}
                       for r in (first, second)}}  # fmt: skip
    merged = best.but(lower_bound=floor, status=status, solver="portfolio", seconds=seconds, stats=stats)
    assert isinstance(merged, Result)
    return merged
