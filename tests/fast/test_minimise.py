"""The exact minimiser against brute force, its parts against their definitions, and its limits."""

from __future__ import annotations

import random
import time
from functools import partial

import pytest
from minimising import TIERS, Truth, Vector, all_but, costs_of, disguise, mistakes, search, solve, table

import regsynth
from regsynth.automata.position import to_dfa
from regsynth.budget import Budget
from regsynth.solvers import typed
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.fooling import first_sample
from regsynth.solvers.minimise import minimize
from regsynth.solvers.results import Operators
from regsynth.solvers.sample import Sample
from regsynth.solvers.typed import Rules
from regsynth.syntax import tree
from regsynth.syntax.formal import parse

TREE: Vector = (1, 1, 1, 1, 1)
# costs, bound and operators: one of each kind of trap; tests/slow has many more
SMALL: list[tuple[str, Vector, int, str]] = [
    ("ab", TREE, 5, "?*.+"),
    ("abc", TREE, 4, "?*.+"),
    ("ab", (1, 6, 1, 1, 1), 5, "?*.+"),
    ("ab", (1, 1, 1, 1, 10), 6, "?*.+"),
    ("ab", TREE, 6, "?*."),
    ("ab", TREE, 5, "*.+"),
    ("ab", TREE, 5, "?.+"),
    ("ab", (1, 10, 1, 1, 1), 5, "?*.+ε"),
    ("ab", (1, 10, 1, 1, 1), 5, "?*.+∅"),
    ("ab", (1, 1, 1, 1, 1), 5, "*.+∅"),
]


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize(("letters", "vector", "bound", "ops"), SMALL, ids=str)
def test_every_small_language(letters: str, vector: Vector, bound: int, ops: str, tier: str) -> None:
    rng = random.Random(1)
    costs, operators = costs_of(vector), Operators.parse(ops)
    for cost, expr in table(letters, vector, bound, ops).values():
        if not expr.alphabet:
            continue  # ∅ and {ε} as whole answers are atoms, allowed or not
        given = disguise(expr, rng)
        result = solve(given, vector, ops=ops, tier=tier)
        assert (result.status, result.cost, result.lower_bound) == ("optimal", cost, cost), (given, expr, result)
        assert result.regex is not None and costs.of_expr(result.regex) == cost
        assert not result.regex.mask & ~operators.mask
        assert regsynth.equivalent(str(result.regex), str(given))


@pytest.mark.parametrize("tier", TIERS)
def test_dear_option(tier: str) -> None:
    """The trap of "covers some sampled word": brute force over 865,002 languages says 15."""
    result = solve(parse("((a+b)(a+b)b*)?"), (1, 6, 1, 1, 1), tier=tier)
    assert (result.cost, result.status) == (15, "optimal")


@pytest.mark.parametrize("tier", TIERS)
def test_star_of_nullable(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A star may skip nullable operands only while unions are allowed and no dearer than what is stripped."""
    words, everything = ["", "b", "aabab", "abbba"], all_but([], "ab")
    dear: Vector = (1, 1, 1, 1, 10)
    assert search(words, everything, dear, 10, tier=tier).cost == 6
    result = solve(parse("a*(ba*)*"), ops="?*.", tier=tier)
    assert (result.cost, result.status) == (6, "optimal")
    for module in ("typed", "typed_compiled"):
        monkeypatch.setattr(f"regsynth.solvers.{module}.star_strips", lambda costs, allowed: True)
    assert search(words, everything, dear, 10, tier=tier).cost == 8  # so this test would notice


# -- a fixed sample: where a wrong rule shows -------------------------------------------------------

QUESTIONS: list[tuple[str, Vector, int, str]] = [
    ("ab", TREE, 6, "?*.+"),
    ("ab", (1, 10, 1, 1, 1), 7, "?*.+"),
    ("ab", (1, 4, 1, 1, 1), 7, "?*.+"),
    ("ab", (2, 10, 3, 1, 4), 13, "?*.+"),
    ("ab", TREE, 6, "*.+"),
]


def wrong_answers(rules: Rules | None, tier: str = "plain", count: int = 60) -> list[str]:
    """Mistakes of a rule set on the seeded questions."""
    out = []
    for letters, vector, bound, ops in QUESTIONS:
        truth = Truth(table(letters, vector, bound, ops), letters)
        ask = partial(search, vector=vector, bound=bound, ops=ops, tier=tier, rules=rules)
        out += mistakes(truth.questions(random.Random(7), count), truth, ask)
    return out


@pytest.mark.parametrize("tier", TIERS)
def test_fixed_samples(tier: str) -> None:
    assert wrong_answers(None, tier) == []


@pytest.mark.parametrize("rule", ["dominance", "letter_bound", "left_concat", "ordered_union", "nullable_option", "starred_star"])
def test_each_rule_off(rule: str) -> None:
    assert wrong_answers(Rules(**{rule: False}), count=15) == []


@pytest.mark.parametrize("rule", ["wrong_right_concat", "wrong_cover_needed", "wrong_any_type"])
def test_wrong_rules_are_caught(rule: str) -> None:
    assert wrong_answers(Rules(**{rule: True})) != []


def test_too_large_a_letter_bound_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    scan = Sample._scan

    def inflated(self: Sample, nodes: int) -> None:
        scan(self, nodes)
        self.fooling += 1

    monkeypatch.setattr(Sample, "_scan", inflated)
    assert wrong_answers(None, count=20) != []


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("vector", [TREE, (1, 1, 1, 1, 5), (2, 3, 5, 7, 4)], ids=str)
def test_nothing_below_the_optimum(vector: Vector, tier: str) -> None:
    """A bound on the cost, even the tightest, never hides the optimum, and nothing shows below it."""
    truth = Truth(table("ab", vector, 14 if vector[0] > 1 else 6), "ab")
    for words, upper in truth.questions(random.Random(3), 60):
        right = truth.cheapest(words, upper)
        if right is not None:
            assert search(words, upper, vector, right[0], tier=tier).cost == right[0]
            assert search(words, upper, vector, right[0] - 1, tier=tier).cost is None


# -- budgets ---------------------------------------------------------------------------------------

HARD = "(a+b)*a(b+c)(a+c?)(ab+c*)*(b+ac)b?(c+ba)*(a+bb)"


@pytest.mark.parametrize("tier", TIERS)
def test_out_of_time(tier: str) -> None:
    began = time.perf_counter()
    result = solve(parse(HARD), tier=tier, seconds=0.05)
    assert time.perf_counter() - began < 3
    assert result.status == "feasible" and result.regex is not None and result.cost is not None
    assert 1 <= result.lower_bound < result.cost <= parse(HARD).length
    assert regsynth.equivalent(str(result.regex), HARD)


def test_bounds_under_any_budget() -> None:
    """Whatever the time, lower bound ≤ optimum ≤ cost."""
    text, optimum = "(((c+c)*+a*b*)+ddb?(d+d))+(((d+d)+ad)+(d+(b+b))+(b+dd)((d+d)+(d+d)))", 20
    for seconds in (0.0, 0.001, 0.003, 0.01, 0.03, 0.1):
        result = minimize(parse(text), budget=Budget(seconds=seconds))
        assert result.cost is not None and result.lower_bound <= optimum <= result.cost
        assert (result.status == "optimal") == (result.lower_bound == result.cost)


def test_no_answer_in_the_operators() -> None:
    """{ε, a} has no expression without ?, ε or ∅: never a wrong one, never "optimal"."""
    result = solve(parse("a?"), ops="*.+", seconds=0.2)
    assert result.regex is None and result.status in ("unknown", "infeasible")


def test_stop_flag() -> None:
    """A search told to stop says so, and leaves a search that can run again."""
    from regsynth.errors import BudgetExceeded
    from regsynth.solvers.typed_compiled import CompiledSearch, Lattice

    expr = parse(HARD)
    dfa = to_dfa(expr, "abc")
    closed = ClosedSets(dfa)
    sample, costs, mask = Sample(closed, first_sample(closed)), costs_of(TREE), Operators.parse("?*.+").mask
    hurried = CompiledSearch(sample, dfa.alphabet, costs, mask, lattice=Lattice(closed), seconds=lambda: 0.0, memory=1 << 30)
    began = time.perf_counter()
    with pytest.raises(BudgetExceeded, match="time"):
        hurried.run(expr.length + 10, lambda candidate: False)
    assert time.perf_counter() - began < 5
    with pytest.raises(BudgetExceeded, match="memory"):
        small = CompiledSearch(sample, dfa.alphabet, costs, mask, lattice=Lattice(closed), seconds=lambda: 9.0, memory=1 << 20)
        small.run(60, lambda candidate: False)


@pytest.mark.parametrize("scale", [1_000, 199_999])
def test_large_costs(scale: int) -> None:
    """Costs that differ a lot, or are large, are no more work than small ones; totals do not overflow."""
    expr = parse("a?d*(b+d+d+d)+a?")
    small, large = (2, 3, 5, 1, 4), (2 * scale, 3 * scale, 5 * scale, scale, 4 * scale)
    assert solve(expr, large).cost == (solve(expr, small).cost or 0) * scale
    uneven: Vector = (999_983, 1, 999_979, 1, 7)
    result = solve(expr, uneven)
    assert result.status == "optimal" and result.regex is not None
    assert costs_of(uneven).of_expr(result.regex) == result.cost


def test_more_letters_than_a_machine_word() -> None:
    letters = [chr(0x4E00 + i) for i in range(150)]
    result = minimize(parse("+".join(letters)))
    assert (result.status, result.cost) == ("optimal", 299)
    result = minimize(parse("".join(letters)), budget=Budget(seconds=5))
    assert result.cost == 299 and 1 <= result.lower_bound <= 299


def test_candidate_limit_of_the_plain_tier() -> None:
    dfa = to_dfa(parse(HARD), "abc")
    closed = ClosedSets(dfa)
    closed.explore()
    sample, mask = Sample(closed, first_sample(closed)), Operators.parse("?*.+").mask
    engine = typed.TypedSearch(sample, dfa.alphabet, costs_of(TREE), mask, limit=500)
    with pytest.raises(regsynth.errors.BudgetExceeded, match="500"):
        engine.run(60, lambda candidate: False)


@pytest.mark.parametrize(
    ("text", "operators"), [("a*", "?.+"), ("a?", "*.+"), ("a+b", "?*."), ("ab+ba", "?*."), ("ab", "?*+"), ("abc+a*", "*+"), ("a*b*", ".?")]
)
def test_what_the_operators_cannot_say_is_infeasible_at_once(text: str, operators: str) -> None:
    result = minimize(parse(text), operators=Operators.parse(operators), budget=Budget(seconds=20))
    assert (result.status, result.regex, result.cost) == ("infeasible", None, None) and result.seconds < 10


@pytest.mark.parametrize("operators", ["?.+", "*.+", "?*.", "?*+", "*+", "?.", "*.", "+.", "*", "?"])
def test_infeasible_agrees_with_plain_enumeration(operators: str) -> None:
    """Every expression over {a, b} of cost up to 6 that the operators allow denotes a language found feasible, at most as dear."""
    allowed = Operators.parse(operators)
    made = {1: [parse("a"), parse("b")]}
    for cost in range(2, 6):
        made[cost] = [tree.make(op, x) for op in (tree.OPTION, tree.STAR) if op in allowed for x in made[cost - 1]]
        made[cost] += [
            tree.make(op, x, y)
            for op in (tree.UNION, tree.CONCAT) if op in allowed
            for left in range(1, cost - 1) for x in made[left] for y in made[cost - 1 - left]
        ]  # fmt: skip
    for cost, several in made.items():
        for expr in several[:: max(1, len(several) // 40)]:
            # written with every operator, so that the input is no first answer
            result = minimize(parse(f"({expr})&({expr})"), operators=allowed, budget=Budget(seconds=20))
            assert result.status == "optimal" and result.cost is not None and result.cost <= cost, (expr, operators)
