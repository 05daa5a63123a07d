"""Random patterns and a brute-force measure of how their steps grow, for the tests of the ReDoS analysis."""

from __future__ import annotations

import itertools
import random
import re
from itertools import pairwise

from regsynth.redos.counting import Counter
from regsynth.redos.reading import read
from regsynth.redos.results import ScreenResult
from regsynth.redos.screening import screen

ATOMS = ["a", "b", "a", "b", "[ab]", "[^a]", "."]
REPEATS = ["*", "+", "*", "+", "?", "{0,2}", "{2}", "{1,2}", "*?", "+?", "??"]
ANCHORS = ["(?<=a)", "(?<!b)", "(?<=ab)", "^", "$", r"\b", r"\B", r"\Z"]

PUMPS = [u for k in (1, 2, 3) for u in map("".join, itertools.product("ab", repeat=k)) if u not in ("aa", "bb", "aaa", "bbb")]
FAMILIES = [(x, u, y) for u in PUMPS for x in ("", "a", "b") for y in ("", "a", "b", "c")]


def random_pattern(rnd: random.Random, depth: int = 4) -> str:
    """A pattern over a and b with every construct but captures."""
    draw = rnd.random()
    if depth == 0 or draw < 0.25:
        return rnd.choice(ATOMS)
    inner = random_pattern(rnd, depth - 1)
    if draw < 0.5:
        return inner + random_pattern(rnd, depth - 1)
    if draw < 0.62:
        return f"(?:{inner}|{random_pattern(rnd, depth - 1)})"
    if draw < 0.85:
        return f"(?:{inner}){rnd.choice(REPEATS)}"
    if draw < 0.94:
        return f"(?{rnd.choice(['=', '=', '!', '>'])}{inner})"
    if draw < 0.97:
        return rnd.choice(ANCHORS)
    return f"(?:{inner}){rnd.choice(['*+', '++', '?+', '|)'])}" if draw < 0.99 else f"(?:{inner}|)"


def patterns(seed: int, count: int) -> list[str]:
    """Patterns ``re`` compiles."""
    rnd = random.Random(seed)
    out: list[str] = []
    while len(out) < count:
        text = random_pattern(rnd)
        if rnd.random() < 0.4:
            text = rnd.choice(["^", ""]) + text + rnd.choice(["c", "$", "b", ""])
        try:
            re.compile(text)
        except re.error:
            continue
        out.append(text)
    return out


def referring_patterns(seed: int, count: int) -> list[str]:
    """Patterns with captures, back-references, conditionals and lookbehinds that are not modelled."""
    rnd = random.Random(seed)
    out: list[str] = []
    while len(out) < count:
        parts = []
        for _ in range(rnd.randint(2, 5)):
            part = random_pattern(rnd, 2)
            draw = rnd.random()
            if draw < 0.4:
                part = f"({part})"
            elif draw < 0.7:
                part = rnd.choice([r"\1", r"\2", f"(?(1){part}|{random_pattern(rnd, 2)})", f"(?(1)|{part})", r"(?<=\b.)", r"(?<!\b.)"])
            parts.append(f"(?:{part}){rnd.choice(REPEATS)}" if rnd.random() < 0.4 else part)
        at = rnd.randrange(len(parts))
        text = rnd.choice(["^", ""]) + "".join(parts[:at]) + rnd.choice(["", f"(?:{parts[at]}|{random_pattern(rnd, 2)})"])
        text += "".join(parts[at:]) + rnd.choice(["c", "$", ""])
        try:
            re.compile(text)
        except re.error:
            continue
        if "\\" in text or "(?(" in text:
            out.append(text)
    return out


def attack_falls_short(result: ScreenResult) -> str | None:
    """Whether the attack grows less than the verdict says: what was counted, or ``None`` when all is well."""
    assert result.attack is not None and isinstance(result.pattern, str)
    counter = Counter(read(result.pattern, result.flags))

    def steps(repeats: int) -> int:
        return counter.run(result.attack.text(repeats), result.semantics, 1_000_000)[1]

    if result.verdict == "exponential":
        one, two, three, four = (steps(k) for k in (4, 8, 12, 16))
        return None if four >= 1_000_000 or four - three > 2.5 * (two - one) else f"{result.attack}: {[one, two, three, four]}"
    degree = result.degree or 0
    small = 16 if degree < 4 else 4
    counted = [steps(k) for k in (small, 2 * small, 4 * small)]
    if counted[-1] >= 1_000_000:
        return None
    ratio = (counted[2] - counted[1]) / max(counted[1] - counted[0], 1)
    # Lower powers of n slow the rise at small sizes, more so at high degrees.
    return None if ratio > 2 ** (degree - (0.7 if degree < 4 else 1.6)) else f"{result.attack}: {counted}"


def grows_faster(result: ScreenResult) -> str | None:
    """A family of subjects on which the steps grow faster than the verdict says, if brute force finds one."""
    assert isinstance(result.pattern, str)
    if result.verdict == "exponential":
        return None
    degree = result.degree or 1
    counter = Counter(read(result.pattern, result.flags))
    for prefix, pump, suffix in FAMILIES:
        first = (12 if len(pump) == 1 else 8) // (1 if degree <= 2 else 2)
        sizes = [first * 2**i for i in range(3 if degree > 2 else 5)]
        counted: list[int] = []
        while len(counted) < len(sizes):
            counted.append(counter.run(prefix + pump * sizes[len(counted)] + suffix, result.semantics, 400_000)[1])
            if counted[-1] >= 400_000:
                break
            rises = [b - a for a, b in pairwise(counted)]
            if len(rises) >= 2 and rises[-1] <= 2**degree * 1.6 * rises[-2]:
                counted = []
                break  # slow enough
        if len(counted) > 2:
            return f"{(prefix, pump, suffix)}: {counted}"
    return None


def hold_against_brute_force(text: str, semantics: str) -> None:
    """Assert that no family of subjects grows faster than the verdict says, and the attack no slower."""
    result = screen(text, semantics=semantics)
    assert result.verdict != "unknown"
    assert grows_faster(result) is None, (text, semantics, result.growth)
    if result.attack is not None:
        assert attack_falls_short(result) is None, (text, semantics, result.growth)
