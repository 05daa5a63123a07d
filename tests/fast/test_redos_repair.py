"""Repairs: equivalent where they say so, linear always, and honest about what else they keep."""

from __future__ import annotations

import random
import re
from itertools import product

import pytest

from regsynth.budget import Budget
from regsynth.practical import compare_patterns, compile_pattern
from regsynth.redos.normal_form import normal_form
from regsynth.redos.reading import read
from regsynth.redos.repair import repair
from regsynth.redos.repair_moves import loops, moves
from regsynth.redos.repair_proofs import one_end, same_spans, same_starts, width
from regsynth.redos.results import Repair, ScreenResult
from regsynth.redos.screening import screen
from regsynth.redos.unambiguous import expressions
from regsynth.redos.writing import write
from regsynth.syntax.python import parse


def repaired(pattern: str | bytes, semantics: str = "search", flags: int | str = 0) -> Repair:
    result = screen(pattern, semantics=semantics, flags=flags)
    assert result.vulnerable
    found = repair(result, flags=flags, budget=Budget(seconds=8.0, memory=1 << 30)).repair
    assert found is not None
    return found


CASES = [
    ("(a+)+b", "fullmatch", 0),
    ("(a|ab|ba)*", "fullmatch", 0),
    (r"^(\w+\s?)*$", "search", 0),
    (r"^(?:\s*\w+\s*,?)+$", "fullmatch", 0),
    (r"\s+$", "search", 0),
    (r"\[[^\]]*\]", "search", 0),
    (r"ab.*c", "search", 0),
    (r"ab(.+?)c", "search", 0),
    (r".*\.txt$", "search", 0),
    (r"a*a*b", "match", 0),
    (r"^(?:a|A)+$", "fullmatch", "i"),
    (r"^ ( a + ) + $  # words", "fullmatch", "x"),
    (rb"(?:\xff|.)*!", "fullmatch", 0),
    (r"(?s)a.*b", "search", 0),
    (r"^[ ]*(.*?)[ ]*=[ ]*(.*?)$", "search", 0),
]


@pytest.mark.parametrize(("pattern", "semantics", "flags"), CASES)
def test_it_is_equivalent_and_linear(pattern: str | bytes, semantics: str, flags: int | str) -> None:
    found = repaired(pattern, semantics, flags)
    assert found.status == "equivalent" and found.pattern is not None, found
    new = found.pattern.encode("latin-1") if isinstance(pattern, bytes) else found.pattern
    assert screen(new, semantics=semantics, flags=flags).verdict == "safe"
    assert compare_patterns(pattern, new, semantics=semantics, flags=flags).verdict == "equivalent"
    one, other = (re.compile(p, parse(p, 0).flags | _number(flags)) for p in (pattern, new))
    letters = "abcA .t\n[]=" if isinstance(pattern, str) else "a!\xff\n"
    same_place = semantics != "fullmatch" and "at the same place" in found.reason
    for word in _words(letters):
        subject = word.encode("latin-1") if isinstance(pattern, bytes) else word
        first, second = getattr(one, semantics)(subject), getattr(other, semantics)(subject)
        assert (first is None) == (second is None), (word, new)
        if same_place and first is not None and second is not None:
            assert first.span() == second.span(), (word, new)
            if "each at the same place" in found.reason and semantics == "search":
                assert [m.span() for m in one.finditer(subject)] == [m.span() for m in other.finditer(subject)], (subject, new)


def _number(flags: int | str) -> int:
    from regsynth.syntax.python import read_flags

    return read_flags(flags) if isinstance(flags, str) else flags


def _words(letters: str) -> list[str]:
    rng = random.Random(3)
    short = ["".join(w) for n in range(4) for w in product(letters[:6], repeat=n)]
    return short + ["".join(rng.choice(letters) for _ in range(rng.randint(4, 14))) for _ in range(1500)]


def test_a_leading_run_keeps_matches_and_captures() -> None:
    found = repaired(r"([a-z]+)=(\w+)")
    assert found.pattern == r"((?<![a-z])[a-z]+)=(\w+)"
    assert "at the same place" in found.reason and "capture" not in found.reason


@pytest.mark.parametrize(("pattern", "subject"), [("[ab]+?b", "abab"), ("xa|a+b", "xaab"), ("a+b.a", "abxaabxa"), (r"\s+?$", " \n")])
def test_a_match_that_begins_where_one_ended_is_not_called_kept(pattern: str, subject: str) -> None:
    found = repaired(pattern)
    assert found.status == "equivalent" and found.pattern is not None
    if re.findall(pattern, subject) != re.findall(found.pattern, subject):
        assert "each at the same place" not in found.reason


def test_lost_captures_are_counted() -> None:
    found = repaired("((a+))+b", "fullmatch")
    assert "2 of 2 capture groups not kept" in found.reason or re.compile(found.pattern or "").groups == 2


def test_what_is_not_equivalent_is_offered_as_changed_with_a_witness() -> None:
    pattern = r"(?:^|,)[ \t]*([^ \t]+)[ \t]+realm="
    found = repaired(pattern)
    assert found.status == "changed" and found.pattern is not None and found.witness is not None
    assert (re.search(pattern, found.witness) is None) != (re.search(found.pattern, found.witness) is None)
    assert screen(found.pattern).verdict == "safe"


def test_without_a_proof_there_is_no_repair() -> None:
    result = ScreenResult(r"(a*)\1b*b*c", "fullmatch", 0, "polynomial", "", degree=2)
    found = repair(result).repair
    assert found is not None and found.status == "none" and "proof" in found.reason


def test_safe_patterns_are_left_alone() -> None:
    assert repair(screen("abc")).repair is None


def test_a_long_pattern_is_left_alone() -> None:
    found = repair(ScreenResult("a*" * 1500, "search", 0, "polynomial", "", degree=9)).repair
    assert found is not None and found.status == "none" and "longer" in found.reason


def test_the_budget_is_kept() -> None:
    import time

    result = screen(r"^(.*),(.*);(.*):(.*)=(.*)!(.*)$", budget=Budget(seconds=2.0))
    began = time.perf_counter()
    repair(result, budget=Budget(seconds=1.0, memory=1 << 28, states=5_000))
    assert time.perf_counter() - began < 15


@pytest.mark.parametrize(
    "text", ["(?:a+)+b", "(?:a?b?)*", "(?:(?:ab)*c?)*", "(?:a|b*|)*", "(?:a{1,3}|b+)+", "(?:a{2,})*", "(?:a+b?)+", "(?:a*|b)+c"]
)
def test_normal_form_keeps_the_language(text: str) -> None:
    new = write(normal_form(parse(text).root))
    assert compare_patterns(text, new).verdict == "equivalent", new


@pytest.mark.parametrize("text", ["(?:a|ab|ba)*", "(?:a+b?)*c", "a*a*b|a", "(?:ab|a)(?:c|bcd)", "", "(?:a|b){3,5}b*", "[a-c]*b[a-c]{2}"])
def test_expressions_are_equivalent_and_unambiguous(text: str) -> None:
    found = expressions(compile_pattern(text).minimal_dfa(), anchored=True)
    assert found
    for node in found:
        new = write(node)
        assert compare_patterns(text, new).verdict == "equivalent", new
        assert screen(new, semantics="fullmatch").verdict == "safe", new


def test_an_expression_that_stops_early_says_where_the_end_matters() -> None:
    dfa = compile_pattern(r"a$|b", semantics="search").minimal_dfa()
    for node in expressions(dfa, anchored=False):
        for word in ("", "a", "ab", "ca", "a\n", "a\nc", "xb", "aa", "a\n\n"):
            assert bool(re.match(write(node), word)) == bool(re.search(r"a$|b", word)), (write(node), word)


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [(r"^a(?:b|c)*?\Z", 0), (r"(?<=a)b\b", 0), (r"(?>a|b)+c", 0), (r"(?m)^a$", 0), ("a b", re.X), ("[É-Ü]", re.I), (r"[^\W\d]", re.A)],
)
def test_writing_reads_back(pattern: str, flags: int) -> None:
    parsed = parse(pattern, flags)
    again = write(parsed.root, parsed.flags)
    answer = compare_patterns(pattern, again, semantics="search", flags=parsed.flags if "(?m)" in pattern else flags)
    assert answer.verdict == "equivalent", again


@pytest.mark.parametrize(
    ("first", "second", "starts", "spans"),
    [
        ("a+b", "a++b", True, True),
        ("a*ab", "a*+ab", False, False),
        (r"\ba+", r"\ba++", True, False),
        ("(?<!a)a+b", "a+b", False, False),
        ("^a|b", "a|b", False, False),
        ("a|ab", "ab|a", True, True),
        ("a+$", r"a+\Z", False, False),
        ("a(?=b)", "a(?=b|bc)", True, False),  # a lookahead sees too far for spans
    ],
)
def test_proofs_about_places(first: str, second: str, starts: bool, spans: bool) -> None:
    one, other = compile_pattern(first), compile_pattern(second)
    assert same_starts(one, other) is starts
    assert same_spans(one, other) is spans


def test_one_end() -> None:
    assert one_end(compile_pattern("a[^b]*b")) and one_end(compile_pattern(r"a+\Z"))
    assert not one_end(compile_pattern("a*"))
    assert not one_end(compile_pattern(r"(?:a\n?)+$"))


def test_width() -> None:
    assert [width(parse(t).root) for t in ("", "ab", "a|b", "a|bc", "(?:ab){3}", "a{1,2}", r"\bx")] == [0, 2, 1, None, 6, None, 1]


def test_places_know_what_comes_before() -> None:
    reading = read("x(a+|b*)(c+)")
    found = {(p.start, p.stop): p for p in loops(reading, 12)}
    assert set(found) == {(2, 4), (5, 7), (9, 11)}
    assert not any(place.leading for place in found.values())
    assert found[2, 4].first is False and found[9, 11].first is False
    assert loops(read("(a+)b"), 5)[0].leading and loops(read("(a+)b"), 5)[0].first


def test_every_move_compiles() -> None:
    for pattern in (r"(?P<x>[^>]+?)\s*(?:ab|c)*$", r"^a{2,}(b|cd)+?e", r"(?x) a * # b" + "\n b+"):
        for move in moves(read(pattern), pattern, screen(pattern), "search"):
            if move.method != "unambiguous expression":
                re.compile(move.text)


def test_the_flags_of_the_result_are_the_default() -> None:
    result = screen("[a-c]+Z$", flags="i")
    found = repair(result).repair
    assert found is not None and found.status == "equivalent" and found.pattern is not None
    assert compare_patterns("[a-c]+Z$", found.pattern, semantics="search", flags="i").verdict == "equivalent"
    inline = repair(screen("(?i)(?:a|A)*b*b*c", semantics="fullmatch")).repair
    assert inline is not None and inline.pattern is not None
    assert compare_patterns("(?i)(?:a|A)*b*b*c", inline.pattern).verdict == "equivalent"
