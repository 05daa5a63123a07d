"""The shortest text of characters that have several escapes: no bound above a shorter way to write them."""

from __future__ import annotations

import re

import pytest

from regsynth.errors import InputError
from regsynth.solvers.practical import minimize_pattern
from regsynth.solvers.practical_set_costs import SetCosts

EQUAL = [
    (r"\{", "{"), (r"a\{|b\{", "[ab]{"), (r"\x00", r"\0"), (r"\x07", r"\a"), (r"\x01a", r"\01a"), (r"[{}]", "{|}"),
    (r"\{2}", r"\{2}"), (r"\x007", r"\x007"), (r"\x08", r"\x08"), (r"[\x01\x03]", r"[\1\3]"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "shorter"), EQUAL)
def test_no_bound_is_above_a_known_text(text: str, shorter: str) -> None:
    result = minimize_pattern(text, costs="chars")
    assert result.lower_bound <= len(shorter)
    assert result.regex is not None and len(result.regex) == result.cost
    for subject in ("{", "}", "\0", "\a", "\x01a", "a{", "{2}", "\x007", "\0007", "{{", "\b", "\x03"):
        assert bool(re.fullmatch(text, subject)) == bool(re.fullmatch(shorter, subject)) == bool(re.fullmatch(result.regex, subject))


def test_costs_of_single_characters_are_below_every_text() -> None:
    points = range(0x200)
    costs = SetCosts(points, 0)
    ways = [f"\\{i}" for i in "0aftnrvb"] + [f"\\{i:02o}" for i in range(8)] + [f"\\0{i:02o}" for i in range(64)]
    ways += [chr(i) for i in points if chr(i).isprintable()] + [f"[\\{i:o}]" for i in range(256)] + [r"[\b]"]
    for way in ways:
        try:
            read = re.compile(way)
        except re.error:
            continue
        members = [i for i in points if read.fullmatch(chr(i))]
        if members:
            assert costs.least(costs.mask(members)) <= len(way), way


@pytest.mark.parametrize("costs", ["tree", "chars"])
def test_bytes_are_refused_in_a_line(costs: str) -> None:
    with pytest.raises(InputError, match="not bytes"):
        minimize_pattern(b"[a-c]|d", costs=costs)  # type: ignore[arg-type]
