"""Growth measured by counting steps, for what the automata only bound from above.

Back-references, and conditionals that could not be written out, are run by the
counting matcher on the subjects the bound suggests. What is seen to grow is a lower
bound; together with the automaton's upper bound it is a verdict.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from regsynth.budget import Clock
from regsynth.redos.counting import Counter, TooLarge
from regsynth.redos.pumping import EXPONENTIAL
from regsynth.redos.reading import Reading

Family = tuple[str, str, str]

LIMIT = 20_000  # steps of one run
SIZES = (4, 8, 16, 32, 64, 128)
SECONDS = 1.0  # for all families
TOLERANCE = 0.3  # in the exponent


def measured(reading: Reading, semantics: str, families: Sequence[Family], bound: int, clock: Clock) -> tuple[int, Family | None]:
    """The highest degree seen among families (prefix, pump, suffix), and the family that shows it.

    >>> from regsynth.budget import Budget
    >>> from regsynth.redos.reading import read
    >>> measured(read(r"^(a+)\\1+$"), "search", [("", "a", "!")], 2, Budget().start())
    (2, ('', 'a', '!'))
    """
    try:
        counter = Counter(reading)
    except TooLarge:
        return 0, None
    until = clock.seconds + SECONDS
    best: tuple[int, Family | None] = (0, None)
    for family in families:
        if clock.seconds > until or clock.left <= 0:
            break
        degree = _degree(counter, semantics, family, bound)
        if degree > best[0]:
            best = (degree, family)
            if degree >= bound:
                break
    return best


def _degree(counter: Counter, semantics: str, family: Family, bound: int) -> int:
    prefix, pump, suffix = family
    steps: list[int] = []
    for size in SIZES:
        _, taken = counter.run(prefix + pump * size + suffix, semantics, LIMIT)
        if taken >= LIMIT:
            break
        steps.append(taken)
    if bound == EXPONENTIAL and len(steps) < len(SIZES):
        return _exponential(counter, semantics, family) or _polynomial(steps)
    return _polynomial(steps)


def _polynomial(steps: list[int]) -> int:
    """The exponent, from the last two doublings, when they agree."""
    rises = [b - a for a, b in pairwise(steps)]
    if len(rises) < 3 or min(rises) <= 0:
        return 0
    last, before = (math.log2(b / a) for a, b in ((rises[-2], rises[-1]), (rises[-3], rises[-2])))
    degree = round(last)
    return degree if abs(last - degree) <= TOLERANCE and abs(last - before) <= 2 * TOLERANCE else math.floor(last + TOLERANCE)


def _exponential(counter: Counter, semantics: str, family: Family) -> int:
    """EXPONENTIAL when each further pump multiplies the steps, as far as can be counted."""
    prefix, pump, suffix = family
    steps: list[int] = []
    for size in range(2, 40, 2):
        _, taken = counter.run(prefix + pump * size + suffix, semantics, LIMIT)
        if taken >= LIMIT:
            break
        steps.append(taken)
    factors = [b / a for a, b in pairwise(steps)]
    last = factors[-3:]
    return EXPONENTIAL if len(last) == 3 and min(last) > 1.3 and last[2] > 0.93 * last[0] else 0
