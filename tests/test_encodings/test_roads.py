"""SAT, MaxSAT and SMT against brute force and against the published optima; the parts they are made of."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from test_encodings.brute import meets, trees
from test_encodings.test_counting import ALL, mask_of, random_problem

from regsynth.automata.position import to_dfa
from regsynth.budget import Budget
from regsynth.errors import InputError, MethodsDisagree
from regsynth.solvers import maxsat, portfolio, roads, sat, smt
from regsynth.solvers.letter_bound import letters_needed
from regsynth.solvers.results import InferenceProblem, InferenceResult, MinimizationProblem, Operators
from regsynth.syntax.costs import Costs
from regsynth.syntax.formal import parse

DATA = Path(__file__).parents[3] / "shared" / "data"
BUDGET = Budget(seconds=120)


def brute_optimum(problem: InferenceProblem, most: int) -> int | None:
    positives, negatives = mask_of(problem.positives), mask_of(problem.negatives)
    return min((cost for n in range(1, most + 1) for (mask, cost) in trees(n, problem.operators.mask, problem.costs.by_op)
                if meets(mask, positives, negatives)), default=None)  # fmt: skip


def small_problems(seed: int, count: int) -> list[tuple[InferenceProblem, int]]:
    """Problems whose optimum brute force is sure of: no larger tree can be as cheap."""
    rng, found = random.Random(seed), []
    while len(found) < count:
        problem = random_problem(rng)
        best = brute_optimum(problem, 6)
        if best is not None and best <= 7 * min(problem.costs.by_op):
            found.append((problem, best))
    return found


@pytest.mark.parametrize("road", ["sat", "maxsat", "smt"])
def test_inference_against_brute_force(road: str) -> None:
    for problem, best in small_problems(11, 12):
        result = roads.infer_by(road, problem, BUDGET)
        assert (result.cost, result.lower_bound, result.status) == (best, best, "optimal"), problem


@pytest.mark.slow
@pytest.mark.parametrize("road", ["sat", "maxsat", "smt"])
def test_inference_against_brute_force_200(road: str) -> None:
    for problem, best in small_problems(12, 200):
        assert roads.infer_by(road, problem, BUDGET).cost == best, problem


def test_smt_optimize_is_the_loop() -> None:
    for problem, best in small_problems(13, 6):
        assert smt.solve_inference(problem, BUDGET, method="optimize").cost == best


def queries(longest: int) -> list[dict[str, object]]:
    path = DATA / "regexpspace" / "regexpspace.jsonl"
    if not path.exists():
        pytest.skip("shared/data/regexpspace is missing")
    with path.open() as file:
        return [r for r in map(json.loads, file) if r["minimized_tree_length"] <= longest]


def check_query(road: str, record: dict[str, object]) -> None:
    result = roads.minimize_by(road, MinimizationProblem(parse(str(record["query"]))), BUDGET)
    assert (result.status, result.cost) == ("optimal", record["minimized_tree_length"]), (record, result)


@pytest.mark.parametrize(("road", "step"), [("sat", 40), ("maxsat", 160), ("smt", 400)])
def test_published_optima(road: str, step: int) -> None:
    for record in queries(9)[::step]:
        check_query(road, record)


@pytest.mark.slow
def test_published_optima_all() -> None:
    for record in queries(9):
        check_query("sat", record)


@pytest.mark.slow
def test_published_optima_smt() -> None:
    for record in queries(9)[::26]:
        check_query("smt", record)


@pytest.mark.parametrize("road", ["sat", "maxsat", "smt"])
def test_minimisation_with_every_operator(road: str) -> None:
    """``~(ab)`` needs complement; samples come on both sides."""
    result = roads.minimize_by(road, MinimizationProblem(parse("~(ab+ab)"), operators=ALL), BUDGET)
    assert (str(result.regex), result.cost, result.status) == ("~(ab)", 4, "optimal")


@pytest.mark.parametrize(
    ("text", "costs", "ops", "cost"),
    [
        ("∅", Costs(), "?*.+", 1),
        ("ε", Costs(), "?*.+", 1),
        ("aε+∅", Costs(), "?*.+", 1),
        ("((a+b)(a+b)b*)?", Costs(option=6), "?*.+", 15),
        ("a+ε", Costs(), "*.+", None),
        ("a+a", Costs(), "*", 1),
        ("a?", Costs(union=2), ".+ε", 4),
    ],
)
def test_minimisation_edges(text: str, costs: Costs, ops: str, cost: int | None) -> None:
    """The whole answer may be an atom; one optimum of a cost function that fools weaker rules."""
    result = sat.solve_minimization(MinimizationProblem(parse(text), costs, Operators.parse(ops)), Budget(seconds=3))
    if cost is None:
        assert result.regex is None and result.status in ("unknown", "infeasible")
    else:
        assert (result.cost, result.status) == (cost, "optimal")


def test_no_answer_is_infeasible() -> None:
    problem = InferenceProblem(frozenset(["ab"]), frozenset(["a"]), operators=Operators.parse("?*"))
    assert sat.solve_inference(problem, BUDGET).status == "infeasible"


def test_a_short_budget_gives_a_bound() -> None:
    problem = MinimizationProblem(parse("(bd+ad+a*+da)(d*+ac)(a+a+dd)(b+c?a)(a+b)"))
    result = sat.solve_minimization(problem, Budget(seconds=0.5))
    assert result.status == "feasible"
    assert result.cost is not None and 1 < result.lower_bound < result.cost
    assert result.seconds < 5


@pytest.mark.parametrize("road", roads.ROADS)
def test_without_a_question_there_is_what_was_given(road: str) -> None:
    expr = parse("(a+b)*a" + "(a+b)" * 12)
    found = roads.minimize_by(road, MinimizationProblem(expr), Budget(seconds=20, states=100))
    assert (found.regex, found.status, found.lower_bound) == (expr, "feasible", 1) and "100" in str(found.stats["reason"])


def test_portfolio_raises_on_disagreement() -> None:
    low = InferenceResult(parse("a"), 1, 1, "optimal", "one")
    high = InferenceResult(parse("aa"), 3, 3, "optimal", "other")
    with pytest.raises(MethodsDisagree, match="nothing costs less than 3"):
        portfolio.agree(low, high, 0.0)
    with pytest.raises(MethodsDisagree, match="no answer"):
        portfolio.agree(InferenceResult(None, None, 1, "infeasible", "one"), low, 0.0)
    half = InferenceResult(parse("aa"), 3, 2, "feasible", "other")
    better = InferenceResult(None, None, 3, "unknown", "one")
    assert portfolio.agree(half, better, 0.0).status == "optimal"


def test_unknown_names() -> None:
    problem = MinimizationProblem(parse("a"))
    with pytest.raises(InputError, match=r"cadical153.*glucose4"):
        sat.solve_minimization(MinimizationProblem(parse("ab+ac")), BUDGET, solver="nosuch")
    with pytest.raises(InputError, match="sat, maxsat, smt"):
        roads.minimize_by("nosuch", problem, BUDGET)
    with pytest.raises(InputError, match="right-nested"):
        sat.solve_minimization(MinimizationProblem(parse("ab+ac")), BUDGET, symmetry="nosuch")


@pytest.mark.parametrize("solver", ["cadical153", "minisat22"])
def test_other_sat_solvers(solver: str) -> None:
    assert sat.solve_minimization(MinimizationProblem(parse("(a*+a*)(a+c+ad)")), BUDGET, solver=solver).cost == 9


def test_maxsat_agrees_under_weights() -> None:
    problem = MinimizationProblem(parse("aab?+aab"), Costs(3, 5, 2, 1, 4, 1, 7, 1))
    assert maxsat.solve_minimization(problem, BUDGET).cost == sat.solve_minimization(problem, BUDGET).cost


@pytest.mark.parametrize("seed", range(4))
def test_letter_bound_is_a_bound(seed: int) -> None:
    """No more than the letters of an expression for the language, whatever the expression."""
    rng = random.Random(seed)
    for _ in range(12):
        parts = ["a", "b", "c", "a?", "b*", "(a+b)", "(a+bc)*"]
        expr = parse("+".join("".join(rng.choices(parts, k=2)) for _ in range(rng.randint(1, 3))))
        bound = letters_needed(to_dfa(expr), BUDGET.start())
        assert 1 <= bound <= expr.letters
    assert letters_needed(to_dfa(parse("abc+cba")), BUDGET.start()) == 6
