"""The minimiser's parts against their definitions: closed sets, samples, fooling sets, cliques."""

from __future__ import annotations

import random
from itertools import combinations

from minimising import Vector, all_but, table, words_up_to

from regsynth.automata.dfa import DFA
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.fooling import first_sample, max_clique
from regsynth.solvers.sample import Sample
from regsynth.syntax.tree import Expr

TREE: Vector = (1, 1, 1, 1, 1)


def some_automata(count: int) -> list[tuple[DFA, int, Expr]]:
    found = [(dfa, cost, expr) for dfa, (cost, expr) in table("ab", TREE, 6).items()]
    return random.Random(11).sample(found, count)


def test_closed_sets() -> None:
    """Closed sets are the intersections of right languages; cl is the least one around a set."""
    for dfa, _, _ in some_automata(40):
        closed = ClosedSets(dfa)
        closed.explore()
        live = [q for q in range(len(dfa)) if dfa.live >> q & 1]
        ys = set()
        for word in words_up_to("ab", 6):
            ys.add(sum(1 << i for i, q in enumerate(live) if dfa.accepting >> (dfa.run(word, q) or 0) & 1))
        ys.discard(0)
        assert ys == set(closed.ys)
        for y, tail in zip(closed.ys, closed.tails):
            word = [dfa.alphabet[a] for a in tail]
            assert y == sum(1 << i for i, q in enumerate(live) if dfa.accepting >> (dfa.run(word, q) or 0) & 1)
        meets = {0}
        for y in ys:
            meets |= {y} | {y & m for m in meets if m}
        meets.discard(0)
        assert set(closed.sets) <= meets
        for states in range(1, 1 << len(live)):
            around = [m for m in meets if not states & ~m]
            assert closed.close(states) == min(around, key=int.bit_count, default=0)
        reached = {closed.close(1)}
        while True:
            more = {closed.close(x | y) for x in reached for y in reached}
            more |= {closed.step(x, a) for x in reached for a in range(2)}
            if more - {0} <= reached:
                break
            reached |= more - {0}
        assert set(closed.sets) == reached


def test_type_masks() -> None:
    """M(X,Z): the infixes w of a sampled u·w·v with u into X and v accepted from all of Z."""
    rng = random.Random(5)
    for dfa, _, _ in some_automata(30):
        closed = ClosedSets(dfa)
        closed.explore()
        inside = [w for w in words_up_to("ab", 5) if dfa.accepts(w)]
        words = {tuple("ab".index(c) for c in w) for w in rng.sample(inside, min(4, len(inside)))}
        sample = Sample(closed, words)
        tail_states = dict(zip(closed.tails, closed.ys))
        for x in closed.sets:
            for z in closed.sets:
                mask = 0
                for word in words:
                    for i in range(len(word) + 1):
                        for j in range(i, len(word) + 1):
                            q, rest = 0, closed.final
                            for a in word[:i]:
                                q = closed.delta[q][a]
                            for a in reversed(word[j:]):
                                rest = closed.backward(rest, a)
                            assert tail_states.get(word[j:], rest) == rest
                            if x >> q & 1 and not z & ~rest:
                                mask |= 1 << sample.number[word[i:j]]
                found, letters = sample.type_masks(x, z)
                assert found == mask
                for w, bits in letters.items():
                    assert mask >> w & 1 and not bits & ~sum(sample.fooling_of.get(a, 0) for a in set(sample.infixes[w]))


def test_infix_products() -> None:
    """Concatenation and star of sets of infixes, by definition."""
    rng = random.Random(2)
    closed = ClosedSets(all_but([], "ab"))
    sample = Sample(closed, {(0, 1, 1, 0, 1), (1, 0, 0), (0, 0, 1, 0)})
    n = len(sample.infixes)
    for _ in range(200):
        left, right = rng.getrandbits(n) & rng.getrandbits(n), rng.getrandbits(n) & rng.getrandbits(n)
        lefts, rights = ([w for i, w in enumerate(sample.infixes) if side >> i & 1] for side in (left, right))
        products = {u + v for u in lefts for v in rights}
        assert sample.concatenate(left, right) == sum(1 << i for i, w in enumerate(sample.infixes) if w in products)
        star = {()}
        while True:
            more = {u + v for u in star for v in lefts if len(u + v) <= 5} - star
            if not more:
                break
            star |= more
        assert sample.star(left) == sum(1 << i for i, w in enumerate(sample.infixes) if w in star)


def test_max_clique() -> None:
    rng = random.Random(4)
    for _ in range(100):
        n = rng.randint(0, 9)
        edges = {frozenset(pair) for pair in combinations(range(n), 2) if rng.random() < 0.6}
        neighbours = [sum(1 << y for y in range(n) if frozenset((x, y)) in edges and x != y) for x in range(n)]
        cliques = (
            c for k in range(n + 1) for c in combinations(range(n), k) if all(frozenset(p) in edges for p in combinations(c, 2))
        )
        best = max(map(len, cliques))
        clique = max_clique(neighbours, 10_000)
        members = [x for x in range(n) if clique >> x & 1]
        assert len(members) == best and all(frozenset(p) in edges for p in combinations(members, 2))
        hasty = [x for x in range(n) if max_clique(neighbours, 0) >> x & 1]
        assert all(frozenset(p) in edges for p in combinations(hasty, 2))


def test_fooling_sets_never_exceed_the_width() -> None:
    """No expression of the language has fewer letters than the fooling set (dear letters make the witness narrow)."""
    for dfa, (_, expr) in table("ab", (4, 1, 1, 1, 1), 15).items():
        closed = ClosedSets(dfa)
        assert Sample(closed, first_sample(closed)).fooling <= expr.letters


def test_first_sample_is_inside() -> None:
    for dfa, _, _ in some_automata(60):
        for word in first_sample(ClosedSets(dfa)):
            assert dfa.accepts([dfa.alphabet[a] for a in word])
