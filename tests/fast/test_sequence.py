"""The sequence engine: both tiers and dominance against brute force on word sets; widths, memory, look-ahead."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inferring import ALL, WORDS, brute_forced, check_extended, random_problem, solve
from words_brute import GaveUp, cheapest

from regsynth.budget import Budget
from regsynth.solvers import sequence, sequence_compiled
from regsynth.solvers.infixes import Infixes
from regsynth.solvers.results import InferenceProblem, Operators
from regsynth.solvers.sequence import infer_sequence
from regsynth.syntax import tree
from regsynth.syntax.costs import Costs

pytestmark = pytest.mark.usefixtures("compiled")


@pytest.mark.parametrize("tier", ["plain", "compiled"])
def test_costs_are_those_of_brute_force(tier: str) -> None:
    for problem, least in brute_forced(random.Random(3), 40):
        for dominance in (True, False):
            found = solve(*problem, tier=tier, dominance=dominance)
            assert (found.cost, found.lower_bound, found.status) == (least, least, "optimal"), problem


@pytest.mark.parametrize("operators", ["?*.+&", "all"])
def test_dominance_stores_less(operators: str) -> None:
    positives, negatives = ["abba", "aabb", "bb", "abab"], ["a", "ba", "aab", "baba"]
    allowed = Operators.parse(operators)
    on, off = (solve(positives, negatives, operators=allowed, dominance=d, tier="plain") for d in (True, False))
    assert on.cost == off.cost and on.stats["items"] < off.stats["items"]


def test_dominance_without_polarity_would_be_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test has teeth: dominance that ignores what is below a complement loses optima."""
    monkeypatch.setattr(sequence, "ANTITONE", 0)
    rng, wrong = random.Random(5), 0
    for _ in range(60):
        positives, negatives, costs, _ = random_problem(rng)
        try:
            least = cheapest(positives, negatives, "ab", costs, ALL.mask, 1500)
        except GaveUp:
            continue
        wrong += solve(positives, negatives, costs, tier="plain").cost != least
    assert wrong


@pytest.mark.parametrize(("length", "words"), [(5, 1), (13, 2), (40, 12)])
def test_widths(length: int, words: int) -> None:
    """Closures of one, two and many machine words; the tiers agree."""
    rng = random.Random(length)
    long = "".join(rng.choice("ab") for _ in range(length))
    positives, negatives = [long], [long[1:] + "a", "b" + long]
    infixes = Infixes(positives, negatives, "ab")
    assert (len(infixes.words) + 63) // 64 == words
    operators = Operators.parse("?*.+~&-")
    plain, compiled = (solve(positives, negatives, operators=operators, tier=tier) for tier in ("plain", "compiled"))
    assert plain.status == compiled.status == "optimal" and plain.cost == compiled.cost


def test_look_ahead_when_memory_is_full() -> None:
    """With room for few items the search goes on by look-ahead, and stays right."""
    rng, compared = random.Random(11), 0
    for _ in range(40):
        positives, negatives = (sorted(rng.sample(WORDS, 4)) for _ in range(2))
        if set(positives) & set(negatives):
            continue
        free = solve(positives, negatives, tier="compiled")
        tight = solve(positives, negatives, tier="compiled", memory=700_000, seconds=20)
        assert tight.lower_bound <= free.cost
        if tight.status == "optimal":
            compared += 1
            assert tight.cost == free.cost
        else:
            assert tight.status == "unknown" and "memory" in tight.stats["reason"]
    assert compared > 10


def test_tests_without_storing_are_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """However early storing stops: what is then called optimal is, and bounds are never too high."""
    reserve, room = sequence_compiled.Store.reserve, [0]

    def limited(store: sequence_compiled.Store, more: int) -> None:
        if len(store.bits) and store.size + more > room[0]:
            raise sequence_compiled.StorageFull
        reserve(store, more)

    monkeypatch.setattr(sequence_compiled.Store, "reserve", limited)
    rng, optimal = random.Random(8), 0
    for _ in range(40):
        positives, negatives, costs, operators = random_problem(rng)
        try:
            least = cheapest(positives, negatives, "ab", costs, operators.mask, 1000)
        except GaveUp:
            continue
        room[0] = rng.choice([6, 10, 30, 100, 300])
        found = solve(positives, negatives, costs, operators, tier="compiled", seconds=20)
        optimal += found.status == "optimal"
        assert found.lower_bound <= least and found.cost in (None, least), (positives, negatives, costs, operators)
    assert optimal > 10


def test_costs_of_a_million_do_not_hang() -> None:
    costs = Costs(999_983, 999_979, 999_961, 999_959, 999_953, 999_931, 999_917, 999_907)
    found = solve(["abba", "b"], ["a", "ba"], costs, tier="compiled", seconds=10)
    assert found.status == "optimal" and found.seconds < 12


def test_no_room_at_all_leaves_an_honest_bound() -> None:
    found = solve(["abba", "aabb", "bbab", "abab"], ["a", "ba", "aab", "baba"], tier="compiled", memory=400_000)
    assert found.status in ("optimal", "unknown") and 1 <= found.lower_bound <= 20


def test_time_budget_is_kept() -> None:
    rng = random.Random(2)
    words = ["".join(rng.choice("abcdefgh") for _ in range(9)) for _ in range(16)]
    found = solve(words[:8], words[8:], alphabet="abcdefgh", seconds=1)
    assert found.status == "unknown" and found.seconds < 8 and found.lower_bound > 3


def test_what_operators_cannot_express_is_infeasible() -> None:
    assert solve(["ab"], ["a"], operators=Operators.parse("?+")).status == "infeasible"
    assert solve(["aa"], [], operators=Operators.parse("~&"), tier="compiled").cost == 2  # ~a


def test_limit_and_start() -> None:
    positives, negatives = ["ab", "aab"], ["a", "b"]
    best = solve(positives, negatives, operators=Operators.parse("?*.+&")).cost
    assert best is not None
    for tier in ("plain", "compiled"):
        operators = Operators.parse("?*.+&")
        below = solve(positives, negatives, operators=operators, limit=best, tier=tier)
        assert (below.regex, below.lower_bound) == (None, best)
        assert solve(positives, negatives, operators=operators, start=best - 1, tier=tier).cost == best


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_sequences_follow_the_definition(data: st.DataObject) -> None:
    """The closure's operators mean what they mean on languages."""
    from definition import expressions, language

    words = data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
    expr = data.draw(expressions("ab", leaves=6))
    infixes = Infixes(words, [], "ab")
    meaning: dict[object, int] = {}
    for node in expr.nodes():
        if node.op == tree.LETTER:
            meaning[node] = infixes.letters["ab".index(str(node.symbol))]
        elif node.op in (tree.EMPTY, tree.EPSILON):
            meaning[node] = node.op
        else:
            right = meaning[node.right] if node.right is not None else 0
            meaning[node] = infixes.apply(node.op, meaning[node.left], right)
    held = language(expr, "ab", 4)
    assert meaning[expr] == sum(1 << i for i, w in enumerate(infixes.words) if w in held)


EXTENDED = [("?*.+~&-", 5, "tree"), ("all", 5, "tree"), ("?*.+~&-", 20, "5,9,3,4,2,3,7,1")]


@pytest.mark.parametrize(("ops", "bound", "costs"), EXTENDED)
def test_extended_minima_are_those_of_enumeration(ops: str, bound: int, costs: str) -> None:
    check_extended(ops, bound, costs, 4)


@pytest.mark.parametrize("costs", ["1,1,1,1,1", "2,1,1,3,1", "1,5,2,1,4"])
def test_stars_ahead_agree_with_the_plain_tier(costs: str) -> None:
    rng = random.Random(costs)
    solved = 0
    for _ in range(12):
        words = {"".join(rng.choices("ab", k=rng.randint(1, 5))) for _ in range(8)}
        problem = InferenceProblem(
            frozenset(sorted(words)[::2]), frozenset(sorted(words)[1::2]), costs=Costs.parse(costs), alphabet=("a", "b")
        )
        plain = infer_sequence(problem, Budget(seconds=5).start(), tier="plain")
        compiled = infer_sequence(problem, Budget(seconds=20).start(), tier="compiled")
        if plain.status == compiled.status == "optimal":
            assert plain.cost == compiled.cost
            solved += 1
        assert plain.cost is None or compiled.lower_bound <= plain.cost
        assert compiled.cost is None or plain.lower_bound <= compiled.cost
    assert solved > 4
