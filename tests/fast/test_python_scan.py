"""The quick reader of Python patterns against the standard library's parser: same trees, nothing taken that ``re`` rejects."""

from __future__ import annotations

import contextlib
import random
import re
import time

import pytest

from regsynth.errors import InputError
from regsynth.practical import Pattern, compare_patterns
from regsynth.syntax import pattern as tree
from regsynth.syntax import python
from regsynth.syntax.charset import ALL
from regsynth.syntax.python_scan import scan

UNICODE = int(re.U)
PIECES = [
    "a", "b", "ab", ".", "^", "$", r"\d", r"\b", r"\Z", r"\.", r"\x41", "[ab]", "[^]a]", "[]b-d]", "[a", r"\q", "(", "(?:", ")", "|", "*",
    "+", "?", "*?", "{2}", "{,3}", "{1,}", "{,}", "{}", "{", "}", "{3,2}", "a{2}{3}", "(?=", "(?!", "(?P<n>", "(?P<n>", "(?<=", "(?i)",
    "a++", "(?>", "\\", "]", "é", "(?#c)", r"\1", "(|a)", "(ab|ac|a)", "((a)b|(a)c)",
]  # fmt: skip


def standard(text: str, flags: int) -> tree.Node | None:
    """What the standard library's parser makes of it; ``None`` when it is rejected."""
    try:
        parsed = python._standard(text, text, flags)
        return python._convert(parsed, int(parsed.state.flags), False, python._REFERS.search(text) is not None)
    except (re.error, OverflowError):
        return None


def quick(text: str, flags: int) -> tree.Node | None:
    """What the quick reader makes of it."""
    try:
        found = scan(text, flags, python._atom)
    except (re.error, OverflowError):
        return None
    return found and found[0]


@pytest.mark.parametrize("flags", [0, re.I, re.M | re.S, re.A], ids=["plain", "ignore case", "lines", "ASCII"])
def test_agrees_with_the_standard_parser(flags: int) -> None:
    whole = int(flags) if flags & re.A else int(flags) | UNICODE
    rng = random.Random(int(flags))
    taken = shaped = 0
    for _ in range(6_000):
        text = "".join(rng.choices(PIECES, k=rng.randint(1, 7)))
        ours, theirs = quick(text, whole), standard(text, whole)
        if ours is None:
            continue
        taken += 1
        assert theirs is not None, f"{text!r} is taken, but re rejects it"
        if not tree.same(ours, theirs):
            shaped += 1
            sides = [Pattern(text, "python", "fullmatch", whole, root, ALL, lambda number: None) for root in (ours, theirs)]
            assert compare_patterns(*sides).verdict == "equivalent", text
    assert taken > 500
    assert shaped < taken // 5


@pytest.mark.parametrize("text", ["(a", "a)", "*", "a**", "^*", "(?P<n>a)(?P<n>b)", "a{2,1}", "[b-a]", r"\q"])
def test_what_re_rejects_is_rejected_with_its_words(text: str) -> None:
    with pytest.raises(re.error) as theirs:
        re.compile(text)
    with pytest.raises(python.ParseError) as ours:
        python.parse(text)
    assert theirs.value.msg in str(ours.value)


def test_named_groups_are_numbered() -> None:
    assert python.parse("(a)(?P<x>b)(?:c)(?P<y>d)").groups == {"x": 2, "y": 3}


def test_common_atoms_of_alternatives_are_taken_out_as_re_does() -> None:
    assert tree.same(python.parse("(?:ab|ac)").root, python.parse("a[bc]").root)
    for text in ("(a)b|(a)c", "a+b|a+c"):  # not captures, not repeats: what is written is what the input costs
        assert python.parse(text).root.op == tree.ALT


@pytest.mark.parametrize("text", ["(?P<a\u00b2>x)", "(?P<a\u00bd>x)"])
def test_names_of_groups_are_identifiers(text: str) -> None:
    with pytest.raises(python.ParseError, match="bad character in group name"):
        python.parse(text)


@pytest.mark.parametrize("text", ["", "()", "|", "(?=)"])
def test_contradictory_flags_are_refused_without_an_atom(text: str) -> None:
    with pytest.raises(InputError, match="incompatible"):
        python.parse(text, re.A | re.U)


@pytest.mark.parametrize("text", ["[" * 20_000, "[a" * 10_000, "a{" + "1" * 20_000])
def test_reading_is_linear(text: str) -> None:
    began = time.perf_counter()
    with contextlib.suppress(python.ParseError):
        python.parse(text)
    assert time.perf_counter() - began < 2.0


def test_nesting_beyond_the_quick_reader_is_read_all_the_same() -> None:
    depth = 60
    assert tree.same(python.parse("(" * depth + "a" + ")" * depth).root, python.parse("a").root)
