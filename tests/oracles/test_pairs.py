"""Both tiers of the comparison against FAdo on random pairs; every witness against Python's ``re``."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from regsynth.automata import batch
from regsynth.automata.reference import compare
from regsynth.syntax import tree
from regsynth.syntax.formal import parse
from regsynth.syntax.tree import Expr

reex = pytest.importorskip("FAdo.reex", reason="FAdo is in the test extra")

ATOMS = [*map(tree.letter, "abcd"), *map(tree.letter, "abcd"), tree.epsilon(), tree.empty()]


def random_tree(rng: random.Random, nodes: int) -> Expr:
    if nodes <= 1:
        return rng.choice(ATOMS[:9] if rng.random() < 0.98 else ATOMS)
    kind = rng.random()
    if kind < 0.3:
        return rng.choice([tree.star, tree.option])(random_tree(rng, nodes - 1))
    left = rng.randint(1, max(nodes - 2, 1))
    return rng.choice([tree.concat, tree.union])(random_tree(rng, left), random_tree(rng, nodes - 1 - left))


def variant(rng: random.Random, expr: Expr) -> Expr:
    """Rewrite nodes by laws that keep the language, and now and then by one that may not."""
    done: list[Expr] = []
    for node in expr.postorder():
        if node.right is not None:
            right, left = done.pop(), done.pop()
            if node.op == tree.UNION and rng.random() < 0.5:
                left, right = right, left
            new = tree.make(node.op, left, right)
            if node.op == tree.CONCAT and left.op == tree.UNION and rng.random() < 0.5:
                assert left.left is not None and left.right is not None
                new = tree.union(tree.concat(left.left, right), tree.concat(left.right, right))
        elif node.left is not None:
            below = done.pop()
            new = tree.make(node.op, below)
            if node.op == tree.STAR and rng.random() < 0.4:
                new = tree.option(tree.concat(below, new))
        else:
            new = node
        if rng.random() < 0.02:
            new = rng.choice([tree.option, tree.star])(new)
        done.append(new)
    return done[0]


def pairs(seed: int, count: int) -> Iterator[tuple[str, str]]:
    rng = random.Random(seed)
    for _ in range(count):
        first = random_tree(rng, rng.randint(1, 22))
        second = variant(rng, first) if rng.random() < 0.7 else random_tree(rng, rng.randint(1, 22))
        yield str(first), str(second)


def for_fado(expr: Expr) -> str:
    """Fully bracketed, with FAdo's names of the atoms."""
    done: list[str] = []
    for node in expr.postorder():
        if node.right is not None:
            right, left = done.pop(), done.pop()
            done.append(f"({left}{'+' if node.op == tree.UNION else ''}{right})")
        elif node.left is not None:
            below = done.pop()
            done.append(f"({below})*" if node.op == tree.STAR else f"(({below})+@epsilon)")
        else:
            done.append({tree.EPSILON: "@epsilon", tree.EMPTY: "@empty_set"}.get(node.op, str(node.symbol)))
    return done[0]


def accepts(text: str, word: str) -> bool:
    """Python's own opinion."""
    pattern = re.sub(r"[*?]{2,}", lambda run: "*" if "*" in run[0] else "?", text.replace("+", "|"))
    return re.fullmatch(pattern.replace("ε", "(?:)").replace("∅", "(?!)"), word) is not None


def check(seed: int, count: int) -> None:
    texts = list(pairs(seed, count))
    found = batch.compare_many([first for first, _ in texts], [second for _, second in texts])
    equal = 0
    for i, (first, second) in enumerate(texts):
        plain = compare(parse(first), parse(second))
        theirs = bool(reex.str2regexp(for_fado(parse(first))).equivalentP(reex.str2regexp(for_fado(parse(second)))))
        assert bool(plain) == (found.name(i) == "equivalent") == theirs, (first, second)
        assert (plain.word, plain.accepted_by) == (found.witness(i), found.side(i)), (first, second)
        equal += theirs
        if plain.word is not None:
            sides = accepts(first, plain.word), accepts(second, plain.word)
            assert sides == (plain.accepted_by == "first", plain.accepted_by == "second"), (first, second)
    assert count * 0.2 < equal < count * 0.8  # both verdicts are well represented


def test_some_pairs() -> None:
    check(seed=1, count=500)


@pytest.mark.slow
def test_twenty_thousand_pairs() -> None:
    check(seed=2, count=20_000)
