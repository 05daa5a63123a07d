"""Two readings of one text, and what a terminal shows."""

from __future__ import annotations

import re

import pytest

from regsynth.redos.explain import attack_text, explain, quote, underlines
from regsynth.redos.reading import read
from regsynth.redos.readings import two_readings
from regsynth.redos.results import Attack, HotSpot, ScreenResult
from regsynth.redos.screening import screen


@pytest.mark.parametrize(
    ("pattern", "pump", "searching"),
    [
        ("(?:a+)+$", "a", False),
        ("(?:a|ab|ba)*$", "aab", False),
        ("a*a*b", "a", False),
        ("(?:(?:ab)*)*c", "ab", False),
        (r"(?:.|\s)*!", " ", False),
        (r"\s+$", " ", True),
        (r"(?:\w+\s?)*-", "a", False),
        ("(?:a{1,3}){2,}!", "aa", False),
    ],
)
def test_the_readings_differ_and_read_the_same_text(pattern: str, pump: str, searching: bool) -> None:
    found = two_readings(read(pattern), Attack("", pump, "!"), searching=searching)
    assert found is not None
    first, second = found
    assert first != second
    for way in found:
        assert "".join(piece.text for piece in way) == pump * 3
        for piece in way:
            if piece.by is not None:
                part = re.sub(r"[*+?]$|\{.*\}$", "", pattern[slice(*piece.by)])
                assert re.fullmatch(f"(?:{part})+", piece.text), (piece, part)


def test_an_unambiguous_pattern_has_one_reading() -> None:
    assert two_readings(read("(?:ab)*c"), Attack("", "ab", ""), searching=False) is None


def test_many_empty_ways_do_not_explode() -> None:
    pattern = "(?:" + "(?:a?|b?)*" * 40 + ")*!"
    two_readings(read(pattern), Attack("", "a", ""), searching=False)


def test_hot_spots_are_underlined_where_they_are() -> None:
    pattern = r"x(\w+\s?)*$"
    lines = explain(screen(pattern)).splitlines()
    assert lines[0] == pattern
    marked = {pattern[m.start() : m.end()] for line in lines[1:4] for m in re.finditer("~+", line)}
    assert {r"(\w+\s?)*", r"\w+"} <= marked
    assert any(line.startswith("one way to read it") for line in lines)


def test_colour_only_when_asked() -> None:
    result = screen("(a+)+$")
    assert "\x1b[" in explain(result, colour=True)
    assert "\x1b" not in explain(result)


def test_control_characters_do_not_reach_the_terminal() -> None:
    shown = explain(screen("(?:\x1b+)+\n\x07$"))
    assert not set(shown) & {"\x1b", "\x07"}


def test_a_safe_pattern_is_explained_too() -> None:
    assert explain(ScreenResult("a", "search", 0, "safe", "nothing repeats")).splitlines() == ["a", "safe: nothing repeats"]


def test_underlines_keep_inside_the_pattern() -> None:
    assert underlines(3, (HotSpot(1, 9),)) == [" ~~"]


def test_words() -> None:
    assert attack_text(Attack("", "a", "")) == '"a"×n'
    assert quote("\x00\u2028\U000e0001") == '"\\x00\\u2028\\U000e0001"'
