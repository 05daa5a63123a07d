"""The exact search over sets and bounded repeats against brute force over every cheap expression."""

from __future__ import annotations

import random

import pytest

from regsynth.automata.letters import LetterAutomaton, SubsetDFA
from regsynth.budget import Budget
from regsynth.solvers.practical import minimize_pattern
from regsynth.solvers.practical_rules import cost_of
from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import CharSet
from regsynth.syntax.pattern import Node
from regsynth.syntax.python_print import to_text

AB = CharSet.chars("ab")
BOUND = 3


def language(node: Node) -> tuple[object, ...]:
    dfa = SubsetDFA(LetterAutomaton(tree.alt([node, node]), AB), Budget().start())
    # Over {a, b}: one row a state, letters in a fixed order whatever the classes are.
    minimal = dfa.minimal()
    columns = [next(i for i, chars in enumerate(minimal.alphabet) if c in chars) for c in "ab"]  # type: ignore[operator]
    number, order, rows = {0: 0}, [0], []
    for q in order:
        row = []
        for column in columns:
            r = minimal.delta[q][column]
            if r not in number:
                number[r] = len(order)
                order.append(r)
            row.append(number[r])
        rows.append(tuple(row))
    return tuple(rows), tuple(minimal.accepting >> q & 1 for q in order)


def every_language(top: int) -> dict[tuple[object, ...], int]:
    """The least cost of every language of cost at most ``top``, by brute force without any pruning rule."""
    best: dict[tuple[object, ...], int] = {}
    levels: list[list[Node]] = [[]]

    def enter(node: Node, cost: int) -> None:
        key = language(node)
        if key not in best:
            best[key] = cost
            levels[cost].append(node)

    for cost in range(1, top + 1):
        levels.append([])
        if cost == 1:
            for text in ("a", "b", "ab"):
                enter(tree.char_set(CharSet.chars(text)), 1)
        for x in levels[cost - 1] if cost > 1 else []:
            for low in range(BOUND + 1):
                for high in [*range(max(low, 1), BOUND + 1), None]:
                    if (low, high) != (1, 1):
                        enter(tree.repeat(x, low, high), cost)
        for left in range(1, cost - 1):
            for x in levels[left]:
                for y in levels[cost - 1 - left]:
                    enter(tree.cat([x, y]), cost)
                    enter(tree.alt([x, y]), cost)
    return best


@pytest.fixture(scope="module")
def known() -> dict[tuple[object, ...], int]:
    return every_language(5)


def random_node(rng: random.Random, depth: int) -> Node:
    if depth == 0 or rng.random() < 0.25:
        return tree.char_set(CharSet.chars(rng.choice(["a", "b", "ab"])))
    kind = rng.randrange(3)
    if kind == 0:
        low = rng.randrange(3)
        return tree.repeat(random_node(rng, depth - 1), low, rng.choice([None, max(low, 1), low + 1]))
    pair = [random_node(rng, depth - 1), random_node(rng, depth - 1)]
    return tree.cat(pair) if kind == 1 else tree.alt(pair)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_never_dearer_than_brute_force(known: dict[tuple[object, ...], int], seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(6):
        node = random_node(rng, 3)
        result = minimize_pattern(to_text(node), budget=Budget(seconds=5))
        assert result.cost is not None and result.lower_bound <= result.cost <= cost_of(node)
        least = known.get(language(node))
        if least is not None:
            assert result.lower_bound <= least, (to_text(node), result)
            if result.status == "optimal":
                assert result.cost <= least, (to_text(node), result)
        elif result.status == "optimal" and result.limit <= BOUND:
            assert result.cost > 5, (to_text(node), result)
