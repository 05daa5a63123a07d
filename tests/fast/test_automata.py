"""The plain automata tier against languages by definition."""

from __future__ import annotations

import subprocess
import sys

import pytest
from definition import expressions, language, words
from hypothesis import given, settings

from regsynth.automata import position
from regsynth.automata.dfa import DFA, bits, minimise
from regsynth.automata.position import PositionAutomaton, to_dfa
from regsynth.automata.recogniser import Thompson
from regsynth.automata.reference import compare
from regsynth.errors import BudgetExceeded, InputError
from regsynth.syntax.formal import parse
from regsynth.syntax.tree import Expr

LONGEST = 4


@given(expressions("ab"))
@settings(max_examples=300, deadline=None)
def test_membership(expr: Expr) -> None:
    dfa = to_dfa(expr, "ab")
    assert {word for word in words("ab", LONGEST) if dfa.accepts(word)} == language(expr, "ab", LONGEST)
    assert not dfa.accepts("c")


@given(expressions("ab"))
@settings(max_examples=200, deadline=None)
def test_minimal_automata_are_canonical(expr: Expr) -> None:
    raw = PositionAutomaton(expr, "ab").determinise()
    small = minimise(raw)
    assert minimise(small) == small
    assert len(small) == len(_moore(raw))


def _moore(dfa: DFA) -> set[int]:
    """Classes of states by Moore's refinement: an independent way to count them."""
    colour = {q: dfa.accepting >> q & 1 for q in range(len(dfa))}
    while True:
        keys = {q: (colour[q], *(colour[r] for r in dfa.delta[q])) for q in colour}
        number = {key: i for i, key in enumerate(dict.fromkeys(keys.values()))}
        finer = {q: number[keys[q]] for q in colour}
        if len(set(finer.values())) == len(set(colour.values())):
            return set(finer.values())
        colour = finer


@given(expressions("ab", leaves=7), expressions("ab", leaves=7))
@settings(max_examples=300, deadline=None)
def test_comparison(first: Expr, second: Expr) -> None:
    left, right = language(first, "ab", LONGEST), language(second, "ab", LONGEST)
    answer = compare(first, second, alphabet="ab")
    least = next((word for word in words("ab", LONGEST) if (word in left) != (word in right)), None)
    if least is None:
        assert answer.verdict == "equivalent" or len(answer.word or "") > LONGEST
    else:
        assert (answer.verdict, answer.word) == ("different", least)
        assert answer.accepted_by == ("first" if least in left else "second")
    inside = compare(first, second, relation="included", alphabet="ab")
    least = next((word for word in words("ab", LONGEST) if word in left and word not in right), None)
    if least is None:
        assert inside.verdict == "included" or len(inside.word or "") > LONGEST
    else:
        assert (inside.verdict, inside.word, inside.accepted_by) == ("not_included", least, "first")


@given(expressions("ab", leaves=7), expressions("ab", leaves=7))
@settings(max_examples=200, deadline=None)
def test_comparison_agrees_with_canonical_automata(first: Expr, second: Expr) -> None:
    assert bool(compare(first, second, alphabet="ab")) == (to_dfa(first, "ab") == to_dfa(second, "ab"))


@given(expressions("ab"))
@settings(max_examples=100, deadline=None)
def test_shortest_word_and_live_states(expr: Expr) -> None:
    dfa = to_dfa(expr, "ab")
    word = dfa.shortest_word()
    assert dfa.is_empty == (word is None)
    found = language(expr, "ab", LONGEST)
    if word is not None and len(word) <= LONGEST:
        assert "".join(map(str, word)) == min(found, key=lambda w: (len(w), w))
    assert dfa.complement().complement() == dfa
    for q in range(len(dfa)):
        rest = minimise(_from(dfa, q))
        assert bool(dfa.live >> q & 1) == (not rest.is_empty)


def _from(dfa: DFA, q: int) -> DFA:
    from regsynth.automata.dfa import renumber

    return renumber(dfa.alphabet, dfa.delta, dfa.accepting, q)


def test_budgets_end_in_unknown() -> None:
    hard = "(a+b)*a" + "(a+b)" * 16
    answer = compare(parse(hard), parse("(a+b)*b" + "(a+b)" * 16 + "a"), states=1000)
    assert answer.verdict in ("different", "unknown")
    answer = compare(parse(hard), parse("(b+a)*a" + "(b+a)" * 16), states=1000)
    assert answer.verdict == "unknown" and "1000" in (answer.reason or "")
    with pytest.raises(BudgetExceeded):
        to_dfa(parse(hard), states=1000)


def test_a_letter_outside_the_alphabet_is_refused() -> None:
    with pytest.raises(InputError, match="'c'"):
        to_dfa(parse("abc"), "ab")


def test_bits() -> None:
    assert list(bits(0)) == [] and list(bits(1 << 200 | 5)) == [0, 2, 200]


@given(expressions("ab", extended=False))
@settings(max_examples=300, deadline=None)
def test_thompson_automaton(expr: Expr) -> None:
    automaton = Thompson(expr, "abc")
    found = {word for word in words("ab", LONGEST) if automaton.accepts(["ab".index(a) for a in word])}
    assert found == language(expr, "ab", LONGEST)
    assert not automaton.accepts([2]) and not automaton.accepts([0, 2])


def test_long_expressions_are_recognised_without_the_square_of_their_length() -> None:
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))\n"
        "from regsynth.automata.recogniser import recogniser\n"
        "from regsynth.solvers.results import InferenceProblem\n"
        "from regsynth.solvers.unions import union_of\n"
        "word = 'ab' * 75_000\n"
        "automaton = recogniser(union_of(InferenceProblem(frozenset([word, 'b']), frozenset(), alphabet=('a', 'b'))), 'ab')\n"
        "assert automaton.accepts([0, 1] * 75_000) and automaton.accepts([1]) and not automaton.accepts([0, 1] * 74_999)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


@pytest.mark.parametrize("text", ["a" * 70_000, "a+(" * 30_000 + "a" + ")" * 30_000], ids=["word", "open operands"])
def test_automata_beyond_their_memory_are_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(position, "MEMORY", 1 << 26)
    expr = parse(text)
    with pytest.raises(BudgetExceeded, match="MiB"):
        PositionAutomaton(expr, "a")
    assert compare(expr, parse("b")).verdict == "unknown"


def test_many_positions_that_do_not_follow_one_another_take_no_memory() -> None:
    assert len(to_dfa(parse("a+b+" * 40_000 + "a"), "ab")) == 3
