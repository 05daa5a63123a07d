"""The ReDoS analysis against brute force and against itself, on many random and real patterns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from redos_random import attack_falls_short, grows_faster, hold_against_brute_force, patterns, referring_patterns

from regsynth.budget import Budget
from regsynth.redos.ambiguity import Runs
from regsynth.redos.attacks import find
from regsynth.redos.exact import exact_runs, letters_that_differ
from regsynth.redos.machine import Machine
from regsynth.redos.outlooks import Outlooks
from regsynth.redos.program import write_program
from regsynth.redos.pumping import EXPONENTIAL
from regsynth.redos.reading import read, read_again
from regsynth.redos.screening import screen
from regsynth.syntax import pattern as tree
from regsynth.syntax.pattern import Node, same
from regsynth.syntax.python import parse

PYPI = Path(__file__).parents[3] / "shared" / "data" / "davis2019" / "pypi.ndjson"

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(6))
def test_verdicts_against_brute_force(seed: int) -> None:
    for text in patterns(1000 + seed, 120):
        for semantics in ("fullmatch", "search"):
            hold_against_brute_force(text, semantics)


@pytest.mark.parametrize("seed", range(3))
def test_references_and_conditionals_against_brute_force(seed: int) -> None:
    for text in referring_patterns(3000 + seed, 25):
        for semantics in ("match", "search"):
            result = screen(text, semantics=semantics)
            if result.verdict == "safe":
                assert grows_faster(result) is None, (text, semantics)


@pytest.mark.parametrize("seed", range(4))
def test_the_short_road_agrees_with_the_exact_automaton(seed: int) -> None:
    """The plain automaton with an attack, and the automaton of the runs tried, give one degree."""
    for text in patterns(2000 + seed, 250):
        for semantics in ("fullmatch", "match", "search"):
            clock = Budget(seconds=30.0).start()
            machine = Machine(write_program(read(text).root, semantics, False), clock)
            short = find(machine, clock)
            outlooks = Outlooks(machine)
            exact = exact_runs(outlooks, letters_that_differ(outlooks), clock)
            runs = Runs(exact.moves, exact.starts, clock, meets=[outlook for _, outlook in exact.states]).growth()
            degree = EXPONENTIAL if runs.exponential else runs.degree
            assert max(short.degree, 1) == max(degree, 1), (text, semantics)


def _as_parsed(node: Node, referred: bool) -> Node:
    """A tree made anew with the constructors that merge."""
    kids = [_as_parsed(kid, referred) for kid in node.kids]
    if node.op == tree.CAT:
        return tree.cat(kids)
    if node.op == tree.ALT:
        return tree.alt(kids)
    if node.op == tree.REPEAT:
        return tree.repeat(kids[0], *node.data)
    if node.op == tree.GROUP:
        return tree.group(kids[0], node.data) if referred else kids[0]
    if node.op == tree.ATOMIC:
        return tree.atomic(kids[0])
    if node.op == tree.LOOK:
        return tree.look(kids[0], *node.data)
    if node.op == tree.COND:
        return tree.conditional(node.data, *kids)
    return Node(node.op, tuple(kids), node.data, node.pure, node.nullable, node.size)


@pytest.mark.skipif(not PYPI.exists(), reason="shared data is not here")
def test_reading_agrees_with_the_standard_parser() -> None:
    """With the profile ``cpython``, and merged further, the tree is the one the standard library's parser gives."""
    checked = 0
    with PYPI.open(encoding="utf-8") as file:
        for i, line in enumerate(file):
            if i % 8:
                continue
            text = json.loads(line)["pattern"]
            try:
                parsed = parse(text)
            except Exception:
                continue
            referred = any(node.op == tree.GROUP for node in parsed.root.nodes())
            mine = _as_parsed(read_again(parsed, "cpython").root, referred)
            assert same(_as_parsed(parsed.root, referred), mine), text
            checked += 1
    assert checked > 4000


@pytest.mark.skipif(not PYPI.exists(), reason="shared data is not here")
def test_real_patterns_get_verdicts_and_attacks_that_grow() -> None:
    unknown = total = 0
    with PYPI.open(encoding="utf-8") as file:
        for i, line in enumerate(file):
            if i % 100 != 17:
                continue
            text = json.loads(line)["pattern"]
            try:
                result = screen(text, budget=Budget(seconds=20.0))
            except Exception as error:
                assert type(error).__name__ in ("ParseError", "InputError"), text
                continue
            total += 1
            unknown += result.verdict == "unknown"
            if result.vulnerable and not (result.attack is not None and result.attack.further):
                assert attack_falls_short(result) is None, (text, result.growth)
    assert unknown <= 0.02 * total
