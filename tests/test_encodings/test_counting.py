"""The encoding against brute force: models are trees, and every symmetry rule leaves an optimum."""

from __future__ import annotations

import random

import pytest
from pysat.solvers import Solver
from test_encodings.brute import INDEX, WORDS, meets, trees

from regsynth.automata.position import to_dfa
from regsynth.encodings.costs import CostCounter, cheapest_by_size
from regsynth.encodings.symmetry import RULES
from regsynth.encodings.tree import TreeEncoding
from regsynth.solvers.results import STANDARD, InferenceProblem, Operators
from regsynth.syntax.costs import Costs
from regsynth.syntax.formal import parse

ALL = Operators.parse("all")
SMALL = Operators.parse("?*.+ε")


def mask_of(words: frozenset[str]) -> int:
    return sum(1 << INDEX[w] for w in words)


def random_problem(rng: random.Random) -> InferenceProblem:
    """A few words on either side, any costs, and a third each of all, standard and ε-operand operators."""
    words = rng.sample(WORDS, rng.randint(2, 7))
    cut = rng.randint(1, len(words) - 1)
    costs = Costs() if rng.random() < 0.3 else Costs(*(rng.choice((1, 1, 2, 3, 5, 7, 11)) for _ in range(8)))
    operators = rng.choice((ALL, STANDARD, SMALL, Operators(rng.getrandbits(10) | 4)))
    return InferenceProblem(frozenset(words[:cut]), frozenset(words[cut:]), costs, operators, ("a", "b"))


def count_models(enc: TreeEncoding, limit: int) -> int:
    count = 0
    with Solver(name="glucose4", bootstrap_with=enc.clauses()) as solver:
        while count <= limit and solver.solve():
            true = {v for v in solver.get_model() if v > 0}
            enc.layout.decode(true)
            solver.add_clause([-v for v in enc.labels() if v in true])
            count += 1
    return count


@pytest.mark.parametrize("seed", range(40))
def test_models_are_the_trees(seed: int) -> None:
    """Without symmetry breaking the models, projected to labels, are all trees that meet the examples."""
    rng = random.Random(seed)
    checked = 0
    while checked < 5:
        problem, nodes = random_problem(rng), rng.randint(1, 6)
        positives, negatives = mask_of(problem.positives), mask_of(problem.negatives)
        table = trees(nodes, problem.operators.mask, problem.costs.by_op)
        expected = sum(count for (mask, _), count in table.items() if meets(mask, positives, negatives))
        if expected > 600:
            continue
        checked += 1
        ways = ["words", "automaton"] if problem.operators.monotone and not problem.operators.mask & 1 else ["words"]
        for upper in ways:
            enc = TreeEncoding(problem, nodes, symmetry="none", upper=upper)
            assert count_models(enc, expected + 5) == expected, (problem, nodes, upper)


def optimum(problem: InferenceProblem, most: int) -> int | None:
    positives, negatives = mask_of(problem.positives), mask_of(problem.negatives)
    found = [cost for n in range(1, most + 1) for (mask, cost) in trees(n, problem.operators.mask, problem.costs.by_op)
             if meets(mask, positives, negatives)]  # fmt: skip
    return min(found, default=None)


def encoded_optimum(problem: InferenceProblem, most: int, rules: str, upper: str) -> int | None:
    """Least cost with at most so many nodes, by lowering an assumed bound under one live solver."""
    enc = TreeEncoding(problem, most, symmetry=rules, upper=upper)
    counter = CostCounter(enc.formula, enc.layout, problem.costs, cap=most * max(problem.costs.by_op))
    counter.grow()
    best: int | None = None
    with Solver(name="glucose4", bootstrap_with=enc.formula.clauses) as solver:
        bound: list[int] = []
        while solver.solve(assumptions=enc.assumptions() + bound):
            expr = enc.decode(solver.get_model())
            cost = problem.costs.of_expr(expr)
            assert best is None or cost < best, "the bound was not kept"
            best, bound = cost, counter.at_most(cost - 1)
    return best


@pytest.mark.parametrize("seed", range(20))
def test_an_optimum_survives(seed: int) -> None:
    """Each rule alone, and all of them together, leave a tree of the least cost."""
    rng = random.Random(1000 + seed)
    for _ in range(10):
        problem = random_problem(rng)
        most = rng.randint(3, 6)
        best = optimum(problem, most)
        rules = rng.sample(list(RULES), 2)
        for symmetry in ["none", "all", *rules, ",".join(rules)]:
            for upper in ("words", "auto"):
                assert encoded_optimum(problem, most, symmetry, upper) == best, (problem, most, symmetry, upper)


@pytest.mark.slow
@pytest.mark.parametrize("rule", [*RULES, "all"])
def test_an_optimum_survives_each_rule(rule: str) -> None:
    """200 problems for each rule."""
    rng = random.Random(rule)
    for _ in range(200):
        problem = random_problem(rng)
        most = rng.randint(2, 6)
        assert encoded_optimum(problem, most, rule, "auto") == optimum(problem, most), (problem, most)


PATTERNS = {
    "unary": ["a**", "a?*", "a*?", "a??", "~~a"],
    "nullable-option": ["(a*b*)?", "(a+ε)?"],
    "nullable-star": ["(a?b?)*", "(a*+b)*"],
    "units": ["aε", "εa", "a+ε", "a∅b", "a-∅", "ε*"],
    "progress": ["a+aa*", "aa*+a*", "a&(a+b)", "a-b", "a*a*", "a?a*"],
    "right-nested": ["(ab)a", "(a+b)+aa"],
    "sorted-operands": ["b+a", "a+a", "ab+a", "aa*+ab"],
    "option-above-union": ["a?+b", "a+(b?+ab)"],
    "letters-first": ["a*a", "a?a", "a*(ab)"],
    "common-letter": ["ab+ab*", "a+ab", "ab+a", "ab+(ab*+b)"],
}


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_forbids_its_patterns(rule: str) -> None:
    """A rule that forbids nothing would pass every other test."""
    for text in PATTERNS[rule]:
        expr = parse(text)
        dfa = to_dfa(expr, "ab")
        words = frozenset(w for w in WORDS if dfa.accepts(w))
        problem = InferenceProblem(words, frozenset(WORDS) - words, Costs(), ALL, ("a", "b"))
        if rule in ("nullable-star",):  # for monotone answers only
            problem = InferenceProblem(words, frozenset(WORDS) - words, Costs(), SMALL, ("a", "b"))
        for symmetry, expected in (("none", True), (rule, False)):
            enc = TreeEncoding(problem, expr.length, symmetry=symmetry, upper="words")
            with Solver(name="glucose4", bootstrap_with=enc.clauses()) as solver:
                assert solver.solve(assumptions=enc.layout.encode(expr)) is expected, (text, symmetry)


def test_cheapest_by_size_is_least() -> None:
    rng = random.Random(5)
    for _ in range(30):
        costs = Costs(*(rng.randint(1, 9) for _ in range(8)))
        allowed = rng.getrandbits(10) | 0b110
        least = cheapest_by_size(costs, allowed, 6)
        for n in range(1, 7):
            found = min((c for _, c in trees(n, allowed, costs.by_op)), default=None)
            assert found == (least[n] if least[n] < 1 << 40 else None)
