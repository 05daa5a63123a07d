"""Percentile bootstrap intervals of a run's metrics (Efron, 1979).

Items are drawn with replacement, and each metric is computed anew from the values of
the items drawn. A metric depends on the items through sums alone, so a resample needs
only how often each *distinct* row of values was drawn: a multinomial over a few hundred
rows instead of a draw of 20,000 items. The two have the same distribution.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from regsynth.bench.results import AGGREGATES, Values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Interval = tuple[float, float]

BLOCK = 4_000_000  # counts held at a time: 32 MB


def intervals(
    names: Sequence[str], values: Sequence[Values], *, resamples: int = 2000, level: float = 0.95, seed: int = 0
) -> dict[str, Interval | None]:
    """Interval of each metric over resampled items.

    Parameters
    ----------
    names : sequence of str
        Metrics; how each comes from the values is :data:`regsynth.bench.results.AGGREGATES`.
    values : sequence of dict
        Contributions, one an item.
    resamples : int
        Draws of as many items as there are.
    level : float
        Probability the interval leaves (1 − level) / 2 of on each side.
    seed : int
        The same seed gives the same intervals.

    Returns
    -------
    dict
        ``None`` for a metric without data, or where some resample leaves none.

    Examples
    --------
    >>> found = intervals(["minimality"], [{"minimality": 1.0}] * 60 + [{"minimality": 0.0}] * 40)
    >>> low, high = found["minimality"]
    >>> 0.48 < low < 0.53 and 0.67 < high < 0.72
    True
    >>> intervals(["minimality"], [{"minimality": 1.0}] * 60)["minimality"]
    (1.0, 1.0)
    """
    import numpy as np

    parts = list(dict.fromkeys([*names, *(part for name in names for part in parts_of(name))]))
    rows = Counter(tuple(row.get(name) for name in parts) for row in values)
    if not rows:
        return dict.fromkeys(names)
    table = np.array([[np.nan if value is None else float(value) for value in row] for row in rows])
    weight = np.array(list(rows.values()), dtype=np.int64)
    random, share = np.random.default_rng(seed), weight / weight.sum()
    block = max(1, BLOCK // len(weight))
    drawn = [_metrics(random.multinomial(weight.sum(), share, min(block, resamples - i)), table, parts)
             for i in range(0, resamples, block)]  # fmt: skip
    samples = np.concatenate(drawn)
    out: dict[str, Interval | None] = {}
    for name in names:
        column = samples[:, parts.index(name)]
        if np.isnan(column).any():
            out[name] = None
            continue
        low, high = np.quantile(column, [(1 - level) / 2, (1 + level) / 2])
        out[name] = (float(low), float(high))
    return out


def _metrics(counts: NDArray[np.int64], table: NDArray[np.float64], parts: Sequence[str]) -> NDArray[np.float64]:
    """Metrics of resamples: ``counts`` is resamples × distinct rows, ``table`` distinct rows × metrics."""
    import numpy as np

    known = ~np.isnan(table)
    total = counts @ known.astype(np.int64)  # items with a value, by resample and metric
    plain = np.where(known, table, 0.0)
    sums = counts @ plain
    out = np.full(sums.shape, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        for j, name in enumerate(parts):
            how = AGGREGATES.get(name, "mean")
            if how == "sum":
                out[:, j] = sums[:, j]
            elif how == "geometric_mean":
                zero = known[:, j] & (plain[:, j] == 0)
                logs = np.log(np.where(known[:, j] & ~zero, plain[:, j], 1.0))
                mean = np.exp((counts @ logs) / total[:, j])
                out[:, j] = np.where(counts @ zero.astype(np.int64) > 0, 0.0, mean)
            elif not parts_of(name):
                out[:, j] = sums[:, j] / total[:, j]
        for j, name in enumerate(parts):
            if wanted := parts_of(name):
                out[:, j] = _harmonic(out[:, [parts.index(part) for part in wanted]])
    return out


def parts_of(name: str) -> tuple[str, ...]:
    """The metrics whose harmonic mean a metric is; none for other metrics.

    >>> parts_of("f1"), parts_of("accuracy")
    (('precision', 'recall'), ())
    """
    how = AGGREGATES.get(name, "")
    return tuple(how.partition("(")[2].rstrip(")").split(", ")) if how.startswith("harmonic") else ()


def _harmonic(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Harmonic mean of each row, as :func:`regsynth.bench.results.aggregate` has it: 0 where one value is missing or 0."""
    import numpy as np

    missing = np.isnan(values)
    usable = ~missing.any(axis=1) & (values > 0).all(axis=1)
    out = np.where(missing.all(axis=1), np.nan, 0.0)
    out[usable] = values.shape[1] / (1 / values[usable]).sum(axis=1)
    return out
