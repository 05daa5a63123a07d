"""The dk.brics dialect: operators by brute force over short words, intervals, word boundaries, faults."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from regsynth.budget import Budget
from regsynth.errors import ParseError
from regsynth.practical import compare_patterns, compile_pattern
from regsynth.syntax.brics import parse

WORDS = ["".join(w) for n in range(6) for w in itertools.product("ab ", repeat=n)]
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def accepted(text: str) -> set[str]:
    pattern = compile_pattern(text, dialect="brics")
    return {word for word in WORDS if pattern.matches(word)}


A_STAR = accepted("a*")
HAS_B = accepted(".*b.*")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("~(a*)", set(WORDS) - A_STAR),
        ("~a*", set(WORDS) - {"a"}),  # (~a)*
        ("(a*)&(.*b.*)", A_STAR & HAS_B),
        ("a*&~(b)", A_STAR - {"b"}),
        ("a|b&b", {"a", "b"}),
        ("(a|b)&b", {"b"}),
        ("ab&a", set()),
        ("@b@", HAS_B),
        ("#", set()),
        ("()", {""}),
        ("#|a", {"a"}),
        ('"ab"{2}', {"abab"}),
        ("~(~(ab))", {"ab"}),
        ("~(#)", set(WORDS)),
        (r".*\ba\b.*", {w for w in WORDS if "a" in w.split(" ")}),
        (r"(.*\ba\b.*)&(.*\bb\b.*)", {w for w in WORDS if {"a", "b"} <= set(w.split(" "))}),
        (r"~(.*\ba\b.*)", {w for w in WORDS if "a" not in w.split(" ")}),
        (r"~(\ba)b", {w for w in WORDS if w.endswith("b")} - {"ab"}),
        ("~([^a]*)", {w for w in WORDS if "a" in w}),
    ],
)
def test_operators(text: str, expected: set[str]) -> None:
    assert accepted(text) == expected


@pytest.mark.parametrize(("low", "high"), [("0", "9"), ("8", "11"), ("08", "11"), ("5", "300"), ("17", "17"), ("990", "1011")])
def test_intervals(low: str, high: str) -> None:
    pattern = compile_pattern(f"<{low}-{high}>", dialect="brics")
    for value in range(1200):
        for text in {str(value), str(value).zfill(2), str(value).zfill(4)}:
            fits = int(low) <= value <= int(high) and (len(low) != len(high) or len(text) == len(low))
            assert pattern.matches(text) == fits, text
    assert not pattern.matches("")


@pytest.mark.parametrize(
    ("bad", "position"),
    [
        ("", 0),
        ("a)", 1),
        ("(a", 0),
        ("a|", 2),
        ("&a", 0),
        ("*a", 0),
        ("~", 0),
        ("a{", 2),
        ("a{3,1}", 1),
        ("[a", 0),
        ('"a', 0),
        ("<1>", 0),
    ],
)
def test_faults_say_where(bad: str, position: int) -> None:
    with pytest.raises(ParseError) as error:
        parse(bad)
    assert error.value.position == position


def test_pairs() -> None:
    assert compare_patterns("([0-9])&([0-4])", "[0-4]", dialect="brics").verdict == "equivalent"
    assert compare_patterns("(a)&(b)", r"a\&b", dialect="brics").word == "a&b"


def test_nested_complements_end_within_their_budget() -> None:
    text = "~(.*a.{9})&.*b.{8}"
    for _ in range(6):
        text = f"~(({text})(a|b).*)&(.*{text[:20].count('a')}.*|({text})a)"
    answer = compare_patterns(text, "a", dialect="brics", budget=Budget(seconds=3, memory=1 << 30))
    assert answer.verdict in ("different", "unknown")
    deep = "~(" * 2000 + "a" + ")" * 2000
    assert compare_patterns(deep, "a", dialect="brics", budget=Budget(seconds=3)).verdict in ("equivalent", "unknown")


@pytest.mark.parametrize("corpus", ["KB13", "NL-RX-Synth", "NL-RX-Turk"])
def test_every_gold_regex_parses(corpus: str) -> None:
    path = DATA / "deep_regex" / corpus / "targ.txt"
    if not path.exists():
        pytest.skip("../shared/data/deep_regex is missing")
    for line in dict.fromkeys(path.read_text().splitlines()):
        parse(line)
