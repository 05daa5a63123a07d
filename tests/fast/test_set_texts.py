"""Texts of character sets: read back as the same set, without a warning, and never shorter than the bound on them."""

from __future__ import annotations

import random
import re
import warnings

import pytest

from regsynth.practical import compile_pattern
from regsynth.solvers.practical_set_costs import SHORTHANDS, SetCosts
from regsynth.syntax.charset import CharSet
from regsynth.syntax.python_print import set_text

POOL = "]^-[\\abcxyz019_ .&|~+:/\n\x00é٠"
FLAGS = [0, 0, re.A, re.S, re.X]


def read(text: str, flags: int = 0) -> CharSet:
    chars = compile_pattern(text, flags=flags).root.data
    assert isinstance(chars, CharSet)
    return chars


def random_set(rng: random.Random) -> CharSet:
    kind = rng.randrange(5)
    chars = CharSet.chars(rng.sample(POOL, rng.randint(1, 5)))
    if kind == 1:
        ends = [sorted(map(ord, rng.choices(POOL, k=2))) for _ in range(rng.randint(1, 3))]
        chars = CharSet.of((first, last) for first, last in ends)
    elif kind > 1:
        for text in rng.sample([r"\w", r"\d", r"\s", "[a-z]", "[+-:]"], 2):
            chars = chars | read(text)
    return ~chars if kind == 4 else chars


def representatives(chars: CharSet, flags: int) -> set[int]:
    found: set[int] = set()
    for side in (chars, ~chars):
        for n, (first, last) in enumerate(side.ranges()):
            if n < 12:
                found |= {first, last, (first + last) // 2}
        for name in (*SHORTHANDS, "."):
            both = read(name, flags) & side
            if both:
                found.add(ord(both.sample))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_read_back_and_bounded(seed: int) -> None:
    rng = random.Random(seed)
    exact = 0
    for _ in range(60):
        chars, flags = random_set(rng), rng.choice(FLAGS)
        text = set_text(chars, flags)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(text, flags)
        assert read(text, flags) is chars, (text, flags)
        points = representatives(chars, flags)
        costs = SetCosts(points, int(flags))
        least = costs.least(costs.mask(point for point in points if point in chars))
        assert least <= len(text), (text, flags)
        few = rng.sample(sorted(points), min(4, len(points)))  # fewer representatives: a lower bound still
        fewer = SetCosts(few, int(flags))
        members = fewer.mask(point for point in few if point in chars)
        assert not members or fewer.least(members) <= len(text), (text, few)
        exact += least == len(text)
    assert exact >= 30


@pytest.mark.parametrize(
    ("characters", "text"), [("^a", "[a^]"), ("]a", "[]a]"), ("-^", "[-^]"), ("[a", "[\\[a]"), ("]-", "[]-]"), ("\\-", "[\\\\-]")]
)
def test_signs_stand_where_they_need_no_escape(characters: str, text: str) -> None:
    assert set_text(CharSet.chars(characters)) == text
