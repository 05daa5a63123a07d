"""Parts solved anew in their context: what may fill a hole, what it must read, and what comes of it."""

from __future__ import annotations

import random
from itertools import product

import pytest
from minimising import random_expression

from regsynth.automata.position import PositionAutomaton, to_dfa
from regsynth.automata.reference import compare
from regsynth.budget import Budget
from regsynth.errors import BudgetExceeded
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.holes import Factors, holes
from regsynth.solvers.minimise import minimize
from regsynth.solvers.refill import STAGES, Needs, Refill
from regsynth.solvers.results import STANDARD, Operators
from regsynth.solvers.tiers import Tiers
from regsynth.syntax import tree
from regsynth.syntax.costs import TREE_LENGTH, Costs
from regsynth.syntax.formal import parse
from regsynth.syntax.tree import Expr


def forever() -> float:
    return float("inf")


def refill_of(expr: Expr, costs: Costs = TREE_LENGTH, operators: Operators = STANDARD) -> Refill:
    dfa = to_dfa(expr)
    return Refill(dfa, ClosedSets(dfa), Tiers(costs, operators, Budget(seconds=None).start()))


@pytest.mark.parametrize("seed", range(6))
def test_holes_are_the_parts_and_their_places(seed: int) -> None:
    expr = random_expression(random.Random(seed), 12)
    found = list(holes(expr, 1, expr.length))
    assert len(found) > 12
    for hole in found:
        whole = hole.fill(hole.part)
        assert whole.length == expr.length and compare(whole, expr).verdict == "equivalent"


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("late", [False, True])
def test_a_factor_is_what_may_fill_a_hole(seed: int, late: bool) -> None:
    """Soundness and, away from stars, completeness, against every short word."""
    expr = random_expression(random.Random(seed), 7)
    dfa = to_dfa(expr)
    factors = Factors(ClosedSets(dfa), dfa.alphabet)
    for hole in holes(expr, 1, 12):
        factor = factors.factor(*factors.type_of(hole, late=late), expr.alphabet)
        part = PositionAutomaton(hole.part, dfa.alphabet)
        starred = any(frame.op == tree.STAR for frame, _ in hole.path())
        for length in range(4):
            for word in product(range(len(dfa.alphabet)), repeat=length):
                text = [dfa.alphabet[a] for a in word]
                if part.accepts(word):
                    assert factor.accepts(text), (str(expr), str(hole.part), text)
                word_alone = tree.epsilon()
                for symbol in text:
                    word_alone = tree.concat(word_alone, tree.letter(symbol))
                inside = bool(compare(hole.fill(word_alone), expr, relation="included"))
                if factor.accepts(text):
                    assert inside, (str(expr), str(hole.part), text)
                elif not starred:
                    assert not inside, (str(expr), str(hole.part), text)


def test_needed_words_are_read_by_the_part_and_refute() -> None:
    expr = parse("a(b+cb*+bb)*(c+b)")
    for hole in holes(expr, 3, 20):
        needs = Needs(hole, to_dfa(expr))
        assert needs(hole.part)
        if not needs(tree.empty()):
            part = PositionAutomaton(hole.part, tuple(sorted(map(str, expr.alphabet))))
            assert needs.words and all(part.accepts(word) for word in needs.words)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(ab+a)b*", "ab*"),  # ab is covered by a·b*
        ("(a+b)*(ab?c)?+b*", "(a+b)*(ac+abc)?"),  # b* is covered by (a+b)*
        ("(a?b)*(a+b)*", "(a+b)*"),
        ("c(a*b*)*c+c(a+b)c", "c(a+b)*c"),
    ],
)
def test_what_is_covered_elsewhere_goes(before: str, after: str) -> None:
    found = refill_of(parse(before)).improve(parse(before), STAGES[0], forever)
    assert compare(found, parse(before)).verdict == "equivalent"
    assert found.length <= parse(after).length


@pytest.mark.parametrize(
    ("costs", "ops"), [("tree", "?*.+"), ("1,6,1,1,1", "?*.+"), ("20,20,20,5,30", "?*.+"), ("tree", "*.+ε"), ("tree", ".+")]
)
def test_same_language_never_dearer_only_allowed_operators(costs: str, ops: str) -> None:
    rng, price, operators = random.Random(11), Costs.parse(costs), Operators.parse(ops)
    saved = tried = 0
    while tried < 10:
        expr = random_expression(rng, rng.randint(6, 16))
        if expr.mask & ~operators.mask & ~(1 << tree.LETTER):
            expr = parse(str(expr).replace("?", "").replace("*", "") if "*" not in ops else str(expr).replace("?", ""))
        tried += 1
        found = refill_of(expr, price, operators).improve(expr, STAGES[0], forever)
        assert compare(found, expr).verdict == "equivalent"
        assert not found.mask & ~(operators.mask | 1 << tree.LETTER)
        assert price.of_expr(found) <= price.of_expr(expr)
        saved += price.of_expr(found) < price.of_expr(expr)
    assert saved > 3


def test_close_to_the_optimum() -> None:
    rng = random.Random(2)
    ours = best = 0
    for _ in range(12):
        expr = random_expression(rng, 10)
        exact = minimize(expr)
        assert exact.status == "optimal" and exact.cost is not None
        found = refill_of(expr).improve(expr, STAGES[0], forever)
        assert found.length >= exact.cost
        ours, best = ours + found.length, best + exact.cost
    assert ours <= 1.1 * best


def test_time_and_size_are_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    expr = parse("(a+b)*a(a+b)(a+b)")
    assert refill_of(expr).improve(expr, STAGES[0], lambda: 0.0) is expr
    factors = refill_of(expr).factors
    assert len(factors.factor(1, 1, frozenset("ab"))) >= 1
    monkeypatch.setattr("regsynth.solvers.holes.FACTOR_STATES", 3)
    with pytest.raises(BudgetExceeded):
        factors.factor(1, factors.closed.final, frozenset("ab"))


def test_long_chains_are_no_trouble() -> None:
    """Holes of a long chain are few thousands, each with what stands around it shared."""
    for text in ("ab" * 120, "+".join("abcdefgh" * 30)):
        expr = parse(text)
        found = list(holes(expr, 2, 36))
        assert 1_000 < len(found) < 10_000
        assert all(hole.fill(hole.part).length == expr.length for hole in found[::500])


def test_long_words_and_large_products_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    expr = parse("(ab?+ac)c*")
    whole = to_dfa(expr)
    hole = next(hole for hole in holes(expr, 3, 20) if str(hole.part) == "ab?")
    assert not Needs(hole, whole)(tree.empty())
    monkeypatch.setattr("regsynth.solvers.refill.LETTERS", 0)
    with pytest.raises(BudgetExceeded):
        Needs(hole, whole)(tree.empty())
    monkeypatch.setattr("regsynth.solvers.refill.PRODUCT", 1)
    with pytest.raises(BudgetExceeded):
        Needs(hole, whole)(hole.part)
