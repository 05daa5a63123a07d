"""What kind of growth do measured times show: a power of the size, or a factor for each unit of it?

Both models are straight lines after taking logarithms, ``log t = a + k log n`` and
``log t = a + n log f``; a robust fit of each, and the smaller remainder wins.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

SUPERLINEAR = 1.4  # least exponent that is called more than linear
WINDOW = 300.0  # times below this part of the longest show start-up, not growth
FLOOR = 2e-5  # seconds below which a clock tells little …
LEAST = 4e-6  # … and below which it tells nothing
STEEP = 7.0  # exponents beyond this are taken for exponential when the fits tie


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted growth.

    Attributes
    ----------
    kind : {"exponential", "polynomial", "linear", "unclear"}
    exponent : float or None
        Of the size, unless exponential.
    factor : float or None
        For each further copy of the pump, when exponential.
    """

    kind: Literal["exponential", "polynomial", "linear", "unclear"]
    exponent: float | None = None
    factor: float | None = None


def line(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """Slope and median remainder of the line of Theil and Sen, which a few disturbed points do not move.

    >>> line([0, 1, 2, 3], [1, 3, 50, 7])
    (2.0, 0.0)
    """
    pairs = list(zip(xs, ys, strict=True))
    slopes = [(v - y) / (u - x) for i, (x, y) in enumerate(pairs) for u, v in pairs[:i] if u != x]
    if not slopes:
        return 0.0, math.inf
    slope = median(slopes)
    level = median(y - slope * x for x, y in pairs)
    return slope, median(abs(y - slope * x - level) for x, y in pairs)


def fit(points: Sequence[tuple[int, float]]) -> Fit:
    """The growth that (size, seconds) pairs show.

    >>> fit([(n, 1e-8 * n * n) for n in range(200, 4000, 200)]).kind
    'polynomial'
    >>> growth = fit([(n, 1e-8 * 2**n) for n in range(10, 24)])
    >>> growth.kind, round(growth.factor, 3)
    ('exponential', 2.0)
    >>> fit([(n, 1e-8 * n) for n in (1000, 10_000, 100_000, 1_000_000)]).kind
    'linear'
    """
    if not points:
        return Fit("unclear")
    longest = max(seconds for _, seconds in points)
    for floor in (max(FLOOR, longest / WINDOW), LEAST):  # a steep growth has few sizes in the window
        used = [(n, t) for n, t in points if t >= floor]
        if len({n for n, _ in used}) >= 3:
            break
    else:
        return Fit("unclear")
    ys = [math.log(t) for _, t in used]
    exponent, power_rest = line([math.log(n) for n, _ in used], ys)
    rate, factor_rest = line([float(n) for n, _ in used], ys)
    steep = exponent > STEEP and factor_rest < 2 * power_rest + 0.1
    if (factor_rest < power_rest and exponent > 2.5) or steep:
        return Fit("exponential", None, math.exp(rate))
    return Fit("polynomial" if exponent >= SUPERLINEAR else "linear", exponent)
