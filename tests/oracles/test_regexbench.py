"""Every case that ``regexbench`` 0.4 documents: decided the same here, or more precisely.

The pairs are those of its README and of its engine's documentation; a row says what it
documents. Its own answer is asked for as well, so a row can't say what it does not do. Each witness is given to ``re``.
"""

from __future__ import annotations

import re

import pytest

from regsynth.corpora.crosscheck import crosscheck
from regsynth.errors import ParseError
from regsynth.practical import compare_patterns, compile_pattern
from regsynth.redos.screening import screen

regexbench = pytest.importorskip("regexbench", reason="regexbench is in the test extra")

SAME, APART, CANNOT, OPEN = "equivalent", "different", "unsupported", "undecidable"

# first, second, dialect, semantics, its verdict, ours
DOCUMENTED = [
    ("(ab)+", "ab(ab)*", "python", "fullmatch", SAME, SAME),
    ("[0-9]+", "[0-9][0-9]*", "python", "fullmatch", SAME, SAME),
    ("a+", "a*", "python", "fullmatch", APART, APART),
    (r"(a)\1", "aa", "python", "fullmatch", OPEN, SAME),
    (r"(a)\1", r"(a)\1", "python", "fullmatch", SAME, SAME),
    (r"(a*)\1", r"(a*)\1", "python", "fullmatch", SAME, SAME),
    ("(?=a)ab", "ab", "python", "fullmatch", SAME, SAME),
    (r"\d", "[0-9]", "python", "fullmatch", APART, APART),
    ("a", ".*a.*", "python", "fullmatch", APART, APART),
    ("a", ".*a.*", "python", "search", SAME, SAME),
    ("a|b$", ".*(a|b$)", "python", "search", CANNOT, SAME),
    ("(a)&(b)", r"a\&b", "python", "fullmatch", SAME, SAME),
    ("(a)&(b)", r"a\&b", "brics", "fullmatch", APART, APART),
    ("([0-9])&([0-4])", "[0-4]", "brics", "fullmatch", SAME, SAME),
    ("[0-9]{3}-[0-9]{4}", "[0-9][0-9][0-9]-[0-9]{4}", "python", "fullmatch", SAME, SAME),
    # anchors away from the ends
    ("a^", "(?!)", "python", "fullmatch", SAME, SAME),
    ("a?^c", "c", "python", "fullmatch", SAME, SAME),
    ("(^a)*", "a?", "python", "fullmatch", SAME, SAME),
    ("(^a)+", "a", "python", "fullmatch", SAME, SAME),
    ("(^a){2}", "(?!)", "python", "fullmatch", SAME, SAME),
    ("a?(^a)", "a", "python", "fullmatch", SAME, SAME),
    ("a?(^a)", "a?a", "python", "fullmatch", APART, APART),
    ("a?^", "", "python", "fullmatch", SAME, SAME),
    ("a*^b", "b", "python", "fullmatch", SAME, SAME),
    ("(?=a)^a", "a", "python", "fullmatch", SAME, SAME),
    ("a$(^)+", "a", "python", "fullmatch", APART, APART),
    ("a^b", "(?!)", "python", "search", CANNOT, SAME),
    ("a$b", "(?!)", "python", "search", CANNOT, SAME),
    ("b$", "b", "python", "search", APART, APART),
    ("b$", r"b\n?\Z", "python", "search", None, SAME),
    (r"(a|\n)b", r"(a|\n)b$", "python", "search", APART, APART),
    ("a$\\n", "a\\n", "python", "fullmatch", CANNOT, SAME),
    ("a(?=b$)", "ab$", "python", "search", CANNOT, SAME),
    # lookarounds
    ("(?=(?=^a))a", "a", "python", "fullmatch", SAME, SAME),
    ("(?=a(?=b))ab", "ab", "python", "fullmatch", CANNOT, SAME),
    ("(?=(?![0-9])?a)a", "a", "python", "fullmatch", CANNOT, SAME),
    (r"\b(?=b)b", "b", "python", "fullmatch", CANNOT, SAME),
    (r"\b(x?)(?=b)b", "x?b", "python", "fullmatch", CANNOT, SAME),
    ("(?<=a|b)c", "(?!)", "python", "fullmatch", SAME, SAME),
    ("a(?<=a)b", "ab", "python", "fullmatch", SAME, SAME),
    # word boundaries and classes
    (r"\B", "(?!)", "python", "fullmatch", SAME, SAME),
    (r"\bé", "é", "python", "fullmatch", SAME, SAME),
    (r"[\D0-9]", r"[\s\S]", "python", "fullmatch", CANNOT, APART),
    (r".*\b[A-Za-z]*er\b.*", ".*b[A-Za-z]*erb.*", "brics", "fullmatch", APART, APART),
    (r"\x41\u0042\U00000043\N{DIGIT ONE}\a\060", "ABC1\x070", "python", "fullmatch", SAME, SAME),
    # atomic groups and possessive repeats
    ("(?>ab)c", "abc", "python", "fullmatch", SAME, SAME),
    ("(?>a|ab)c", "ac", "python", "fullmatch", CANNOT, SAME),
    ("a*+b", "a*b", "python", "fullmatch", CANNOT, SAME),
    ("(?:a|ab)*+c", "a*c", "python", "fullmatch", CANNOT, SAME),
    # dk.brics: any string, the empty language, precedence
    ("@", "~#", "brics", "fullmatch", SAME, SAME),
    ("~a*", "(~a)*", "brics", "fullmatch", SAME, SAME),
    ("a|b&c", "a|(b&c)", "brics", "fullmatch", SAME, SAME),
    ("^a$", "a", "brics", "fullmatch", APART, APART),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "dialect", "semantics", "theirs", "ours"), DOCUMENTED)
def test_same_or_more_precise(first: str, second: str, dialect: str, semantics: str, theirs: str | None, ours: str) -> None:
    peer = regexbench.equivalent(first, second, dialect=regexbench.Dialect(dialect), semantics=regexbench.Semantics(semantics))
    assert theirs in (None, peer.verdict.value)
    answer = compare_patterns(first, second, dialect=dialect, semantics=semantics)
    assert answer.verdict == ours
    assert peer.verdict.value in (ours, CANNOT, OPEN)  # never contradicted
    if answer.word is not None and dialect == "python":
        method = getattr(re, semantics)
        sides = method(first, answer.word) is not None, method(second, answer.word) is not None
        assert sides == (answer.accepted_by == "first", answer.accepted_by == "second")
        assert len(answer.word) <= len(peer.witness or answer.word)  # no longer than theirs


@pytest.mark.parametrize("pattern", ["a**", r"\b*", r"\q", r"[\d-z]"])
def test_rejected_as_by_re(pattern: str) -> None:
    with pytest.raises(ParseError):
        compile_pattern(pattern)


def test_crosscheck_says_more() -> None:
    assert crosscheck("(ab)+").verdict == "agrees"
    assert not regexbench.crosscheck(r"(a)\1").compared
    assert crosscheck(r"(a)\1").verdict == "agrees"


@pytest.mark.parametrize(("pattern", "verdict"), [("(a+)+", "exponential"), (r"\d{3}-\d{4}", "safe")])
def test_screening(pattern: str, verdict: str) -> None:
    assert regexbench.screen(pattern).risk.value == verdict
    assert screen(pattern, semantics="fullmatch").verdict == verdict  # a search for (a+)+ cannot fail late


def test_nested_complements_and_intersections_end() -> None:
    """Non-elementary in general: both sides end, in a verdict or in a refusal."""
    deep = "a"
    for _ in range(6):
        deep = f"~(({deep})(a|b)*)&(b*({deep}))"
    assert compare_patterns(deep, "a*", dialect="brics").verdict in (SAME, APART, "unknown")
