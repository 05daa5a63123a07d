"""Random slow patterns, repaired: every claim of a repair held against ``re`` on all short subjects."""

from __future__ import annotations

import os
import random
import re
from itertools import product

import pytest

from regsynth.budget import Budget
from regsynth.redos.repair import repair
from regsynth.redos.screening import screen

COUNT = int(os.environ.get("REPAIRS", "100"))
LETTERS = "ab\n"
WORDS = ["".join(word) for length in range(8) for word in product("ab", repeat=length)]
WORDS += ["".join(word) for length in range(6) for word in product(LETTERS, repeat=length) if "\n" in word]


def pattern(rng: random.Random, depth: int) -> str:
    if depth == 0:
        return rng.choice(["a", "b", "[ab]", ".", "[^a]", "a", r"\s", "ab"])
    kind = rng.random()
    if kind < 0.4:
        return pattern(rng, depth - 1) + pattern(rng, depth - 1)
    if kind < 0.55:
        return f"(?:{pattern(rng, depth - 1)}|{pattern(rng, depth - 1)})"
    inner = pattern(rng, depth - 1)
    group = "(" if rng.random() < 0.3 else "(?:"
    return f"{group}{inner}){rng.choice(['*', '+', '?', '*?', '+?', '{2,}', '*+'])}"


def whole(rng: random.Random) -> str:
    return rng.choice(["", "", "^", r"\b", "(?<=a)"]) + pattern(rng, 3) + rng.choice(["", "", "$", "b", r"\Z", "(?=a)"])


@pytest.mark.slow
@pytest.mark.parametrize("semantics", ["search", "match", "fullmatch"])
def test_repairs_do_what_they_say(semantics: str) -> None:
    rng = random.Random(semantics)
    tried = proven = same_place = 0
    while tried < COUNT:
        text = whole(rng)
        result = screen(text, semantics=semantics)
        if not result.vulnerable:
            continue
        tried += 1
        found = repair(result, budget=Budget(seconds=2.0, memory=1 << 30, states=20_000)).repair
        assert found is not None
        if found.status == "changed":
            assert found.pattern is not None and found.witness is not None
            old, new = (getattr(re.compile(p), semantics)(found.witness) for p in (text, found.pattern))
            assert (old is None) != (new is None), (text, found)
        if found.status != "equivalent":
            continue
        assert found.pattern is not None
        proven += 1
        assert screen(found.pattern, semantics=semantics).verdict == "safe"
        places = "at the same place" in found.reason
        captures = places and "capture" not in found.reason
        same_place += places
        one, other = (getattr(re.compile(p), semantics) for p in (text, found.pattern))
        for word in WORDS:
            old, new = one(word), other(word)
            assert (old is None) == (new is None), (text, found, word)
            if places and old is not None:
                assert old.span() == new.span(), (text, found, word)
            if "each at the same place" in found.reason and semantics == "search":
                spans = [[m.span() for m in re.finditer(p, word)] for p in (text, found.pattern)]
                assert spans[0] == spans[1], (text, found, word)
            if "from the same starts" in found.reason and old is not None:
                assert old.start() == new.start(), (text, found, word)
            if captures and old is not None:
                assert old.regs == new.regs, (text, found, word)
    assert proven > tried // 2 and same_place > 0
