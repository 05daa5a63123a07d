"""The shortest text of a pattern against brute force over every text of few characters."""

from __future__ import annotations

import itertools
import random
import warnings

import pytest

from regsynth.budget import Budget
from regsynth.errors import InputError
from regsynth.practical import Pattern, compare_patterns, compile_pattern
from regsynth.solvers.practical import minimize_pattern
from regsynth.syntax.charset import EMPTY_SET, CharSet

CHARACTERS = "ab|*+?.[]^-"
Language = tuple[object, ...]


def language(pattern: Pattern) -> Language:
    """Its minimal automaton, states in breadth-first order, characters that lead the same way in one set."""
    dfa = pattern.minimal_dfa()
    number, order, rows = {0: 0}, [0], []
    for q in order:
        moves: dict[int, CharSet] = {}
        for chars, r in zip(dfa.alphabet, dfa.delta[q], strict=True):
            assert isinstance(chars, CharSet)
            moves[r] = moves.get(r, EMPTY_SET) | chars
        for r in sorted(moves, key=lambda r: ord(moves[r].sample)):
            if r not in number:
                number[r] = len(order)
                order.append(r)
        rows.append(frozenset((number[r], chars) for r, chars in moves.items()))
    return tuple(rows), tuple(dfa.accepting >> q & 1 for q in order)


def shortest_texts(longest: int) -> dict[Language, str]:
    """A shortest text of every language that some text of the grammar has, over eleven characters."""
    best: dict[Language, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for length in range(longest + 1):
            for letters in itertools.product(CHARACTERS, repeat=length):
                text = "".join(letters)
                try:
                    pattern = compile_pattern(text)
                except InputError:
                    continue
                if pattern.root.pure:
                    best.setdefault(language(pattern), text)
    return best


def check(longest: int, count: int, share: float) -> None:
    known = shortest_texts(longest)
    keys = {text: key for key, text in known.items()}
    proven = 0
    chosen = random.Random(longest).sample(sorted(keys), min(count, len(keys)))
    for text in chosen:
        for given in (text, f"(?:{text})", f"(?:{text}|{text})"):
            result = minimize_pattern(given, costs="chars", budget=Budget(seconds=3))
            assert result.regex is not None and result.cost == len(result.regex) <= len(given)
            assert language(compile_pattern(result.regex)) == keys[text]
            assert result.lower_bound <= len(text), (given, result)
            if result.status == "optimal":
                assert result.cost <= len(text), (given, result)
        proven += result.status == "optimal"
    assert proven >= share * len(chosen)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("[ab]", "a|b"), ("(?:ab)?", "ab|"), ("(?:[0-9]|1[0-9])", "1?[0-9]"), ("abc|abd", "ab[cd]"), (r"[^\n]*", ".*"),
        ("a{2}b{2}", "aabb"), ("aaaaaaaa", "a{8}"), (r"(?:\w|\d|_)-\d", r"\w-\d"), ("^a+$", "a+"), ("(?:a?b?)c", "a?b?c"), ("a|", "a?"),
    ],
)  # fmt: skip
def test_proven(given: str, text: str) -> None:
    result = minimize_pattern(given, costs="chars")
    assert (result.status, result.cost, result.lower_bound) == ("optimal", len(text), len(text))
    assert result.regex is not None and compare_patterns(result.regex, text).verdict == "equivalent"


def test_bounds_past_two_digits_are_written() -> None:
    """A repeat of nine characters is among what is tried: ``{100,120}``."""
    result = minimize_pattern("(?:a?){100,120}", costs="chars", budget=Budget(seconds=2))
    assert result.lower_bound <= len("a{,120}") and result.cost == len("a{,120}")


def test_nothing_is_claimed_beyond_full_match() -> None:
    result = minimize_pattern("a|", costs="chars", semantics="search")  # the empty pattern would do
    assert result.cost is not None and result.lower_bound == 0 and (result.status == "optimal") == (result.cost == 0)


def test_an_input_the_grammar_cannot_write_is_kept() -> None:
    result = minimize_pattern("(ab)+", costs="chars")
    assert (result.regex, result.status) == ("(ab)+", "optimal")  # (?:ab)+ is longer


def test_ignorecase_claims_nothing() -> None:
    result = minimize_pattern("aa|bb", costs="chars", flags="i")
    assert result.lower_bound <= 1 and result.status == "feasible"


def test_every_text_of_three_characters() -> None:
    check(longest=3, count=60, share=0.8)


@pytest.mark.slow
def test_every_text_of_five_characters() -> None:
    check(longest=5, count=250, share=0.8)


def test_no_text_of_the_empty_language_is_called_shortest() -> None:
    """``(?!)`` is outside the grammar that a proof is for, and ``$a`` is shorter."""
    result = minimize_pattern("abc(?!)", costs="chars")
    assert (result.regex, result.status) == ("(?!)", "feasible")
    assert compare_patterns("(?!)", "$a").verdict == "equivalent"
