"""Goals of the look-ahead, against what operators do to sets of infixes."""

from __future__ import annotations

import random

import pytest
from inferring import brute_forced, solve

from regsynth.automata.position import to_dfa
from regsynth.budget import Budget
from regsynth.solvers import goal_kernels as k
from regsynth.solvers import sequence_ahead
from regsynth.solvers.infixes import Infixes
from regsynth.solvers.results import InferenceProblem, Operators
from regsynth.solvers.sequence import infer_sequence
from regsynth.solvers.sequence_ahead import Ahead
from regsynth.solvers.sequence_compiled import CompiledSearch
from regsynth.syntax import tree
from regsynth.syntax.costs import TREE_LENGTH, Costs
from regsynth.syntax.formal import parse

pytestmark = pytest.mark.usefixtures("compiled")


def grown(rng: random.Random, ops: str, *, stored: int, around: int, longest: int = 6) -> CompiledSearch:
    """A search over random words with its first levels stored, and goals up to a cost."""
    words = sorted({"".join(rng.choices("ab", k=rng.randint(1, longest))) for _ in range(6)})
    rng.shuffle(words)
    infixes = Infixes(words[: len(words) // 2], words[len(words) // 2 :], "ab")
    mask = Operators.parse(ops).mask
    search = CompiledSearch(infixes, ("a", "b"), TREE_LENGTH, mask, Budget(seconds=600).start(), look_ahead=False)
    while (cost := search.levels.peek()) is not None and cost <= stored:
        search._fill(search.levels.pop(), False)
    search.ahead.frontier = stored + 1
    assert search.ahead.reach(stored + 1 + around)
    return search


def meets(ahead: Ahead, z: int, g: int) -> bool:
    """Whether a set of infixes meets a goal, by the definition."""
    number = lambda row: int.from_bytes(row.tobytes(), "little")  # noqa: E731
    must, avoid = (number(row) for row in ahead._masks[g])
    start, mid, end = (int(n) for n in ahead._goals[g, : k.G_END + 1])
    hits, misses = ([number(row) for row in ahead._clauses[a:b]] for a, b in ((start, mid), (mid, end)))
    return not must & ~z and not avoid & z and all(hit & z for hit in hits) and all(miss & ~z for miss in misses)


def applied(search: CompiledSearch, g: int, z: int) -> int:
    """The set that the last step to a goal makes of z."""
    op, row, side = search.ahead._goals[g, [k.G_OP, k.G_ROW, k.G_SIDE]].tolist()
    if op in tree.UNARY:
        return search.infixes.apply(op, z)
    x = int.from_bytes(search.store.bits[row].tobytes(), "little")
    return search.infixes.apply(op, z, x) if side else search.infixes.apply(op, x, z)


@pytest.mark.parametrize("ops", ["?*.+", "all", "*.-&", "~.+*"])
def test_a_goal_asks_for_what_meets_its_parent(ops: str) -> None:
    """Exactly that where it is exact, nothing more where it is not."""
    rng, both, steps = random.Random(ops), 0, set()
    for _ in range(12):
        search = grown(rng, ops, stored=6, around=6)
        ahead, n = search.ahead, len(search.infixes.words)
        goals = range(1, int(ahead.number[k.N_GOALS]))
        for g in rng.sample(goals, min(60, len(goals))):
            steps.add(int(ahead._goals[g, k.G_OP]))
            exact, parent = bool(ahead._goals[g, k.G_EXACT]), int(ahead._goals[g, k.G_PARENT])
            for _ in range(60):
                z = rng.getrandbits(n)
                for _ in range(rng.randint(0, 3)):
                    z &= rng.getrandbits(n)
                must, avoid = (int.from_bytes(row.tobytes(), "little") for row in ahead._masks[g])
                z = (z | must) & ~avoid if rng.random() < 0.7 else z  # few others meet anything
                here, there = meets(ahead, z, g), meets(ahead, applied(search, g, z), parent)
                assert here or not there
                assert there or not here or not exact
                both += here and there
    assert both > 500 and steps == {op for op in (*tree.UNARY, *tree.BINARY) if Operators.parse(ops).mask >> op & 1}, steps


def starred(rng: random.Random) -> tuple[str, list[str], list[str]]:
    """A star of a union, long words of it, and infixes of these and short words that are not in it."""
    parts = ["".join(rng.choices("ab", k=rng.randint(1, 4))) for _ in range(rng.randint(2, 3))]
    text = f"({'+'.join(parts)})*" if rng.random() < 0.7 else f"a({'+'.join(parts)})*"
    dfa = to_dfa(parse(text), ("a", "b"))
    words = {text[: text.index("(")] + "".join(rng.choices(parts, k=rng.randint(2, 6))) for _ in range(20)}
    positives = rng.sample(sorted(words), min(len(words), 3))
    others = {w[i:j] for w in positives for i in range(len(w)) for j in range(i + 1, len(w) + 1)}
    others |= {"".join(rng.choices("ab", k=rng.randint(1, 5))) for _ in range(15)}
    return text, positives, [w for w in sorted(others) if not dfa.accepts(w)][:30]


@pytest.mark.parametrize("kept", [1, 2, 128])
def test_goals_that_lack_clauses_ask_for_less(monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    """They are marked: no operand is idle there, and what closes them is tried up to an exact goal."""
    monkeypatch.setattr(sequence_ahead, "COVERS_KEPT", kept)
    monkeypatch.setattr(sequence_ahead, "PATIENCE", 1e9)
    rng, proven = random.Random(kept), 0
    for _ in range(80):
        text, positives, negatives = starred(rng)
        found = solve(positives, negatives, operators=Operators.parse("*.+"), tier="compiled", seconds=5)
        proven += found.status == "optimal"
        assert found.lower_bound <= parse(text).length, (text, positives, negatives)
    assert proven > 60
    search = grown(rng, "?*.+", stored=4, around=4, longest=8)
    inexact = int((search.ahead._goals[: search.ahead.number[k.N_GOALS], k.G_EXACT] == 0).sum())
    assert inexact > 0 or kept == 128


def test_no_room_for_goals_ends_the_search() -> None:
    """It used to go round for ever when the memory for clauses was used up."""
    rng = random.Random(6)
    words = sorted({"".join(rng.choices("ab", k=10)) for _ in range(14)})
    for megabytes in (6, 8, 10):
        found = solve(words[:7], words[7:], operators=Operators.parse("?*.+"), tier="compiled", memory=megabytes << 20, seconds=60)
        assert found.seconds < 30 and found.lower_bound > 3


def test_costs_far_apart_do_not_overflow() -> None:
    costs = Costs(1000, 301, 401, 1000, 991, 1000, 997, 1000)
    found = solve(["ab", "ba"], ["a", "b"], costs, tier="compiled", start=2793, seconds=10)
    assert found.lower_bound >= 2793


@pytest.mark.parametrize("words", [["aba", "bbab"], ["abaabbab"], ["aaaaa", "ababa", "bbaaba"], ["abbabaabbaab"], ["a" * 70]])
def test_covers_and_parts_are_those_of_the_star(words: list[str]) -> None:
    rng = random.Random(len(words))
    infixes = Infixes(words, [], "ab")
    ahead = CompiledSearch(infixes, ("a", "b"), TREE_LENGTH, Operators.parse("*.").mask, Budget(seconds=600).start()).ahead
    covers, parts, first = ahead._star
    number = lambda row: int.from_bytes(row.tobytes(), "little")  # noqa: E731
    for _ in range(200):
        x = rng.getrandbits(len(infixes.words)) & rng.getrandbits(len(infixes.words))
        whole = infixes.star(x)
        for w in range(1, len(infixes.words)):
            covered = all(number(covers[i]) & x for i in range(first[0, w], first[0, w + 1]))
            put_together = any(not number(parts[i]) & ~x for i in range(first[1, w], first[1, w + 1]))
            inside = bool(whole >> w & 1)
            assert (covered or not inside) and (inside or not put_together)
            if not first[2, w]:
                assert covered == put_together == inside


@pytest.mark.parametrize("seed", [1, 2])
def test_as_far_ahead_as_can_be_seen(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """With as little stored as will do, costs are those of brute force."""
    monkeypatch.setattr(sequence_ahead, "PATIENCE", 1e9)
    for problem, least in brute_forced(random.Random(seed), 25):
        for dominance in (True, False):
            found = solve(*problem, tier="compiled", dominance=dominance)
            assert (found.cost, found.status) == (least, "optimal"), problem


@pytest.mark.parametrize("costs", ["1,1,1,1,1", "2,1,1,3,1", "1,5,2,1,4", "3,1,1,1,2"])
def test_long_products_ahead(monkeypatch: pytest.MonkeyPatch, costs: str) -> None:
    """Factors none of which is stored with its neighbour: products associate in more than one way."""
    monkeypatch.setattr(sequence_ahead, "PATIENCE", 1e9)
    rng = random.Random(costs)
    for _ in range(6):
        word = "".join(rng.choices("ab", k=rng.randint(5, 8)))
        others = {"".join(rng.choices("ab", k=rng.randint(4, 8))) for _ in range(5)} - {word}
        problem = InferenceProblem(frozenset([word]), frozenset(others), Costs.parse(costs), Operators.parse("*.+"), ("a", "b"))
        plain = infer_sequence(problem, Budget(seconds=10).start(), tier="plain")
        found = infer_sequence(problem, Budget(seconds=20).start(), tier="compiled")
        assert found.status == "optimal" and plain.lower_bound <= (found.cost or 0)
        assert plain.status != "optimal" or plain.cost == found.cost
