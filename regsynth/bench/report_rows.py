"""Leaderboards: scored runs with bootstrap intervals, published rows beside them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from regsynth.bench.bootstrap import intervals
from regsynth.bench.results import Run

LOWER_IS_BETTER = ("length_ratio", "cost_ratio", "fail", "fail_rate", "vulnerable")
"""Metrics, or what their names begin with, of which less is better."""


def leaderboards(runs: Sequence[Run], published: Iterable[Mapping[str, Any]] = (), *, resamples: int = 2000) -> list[dict[str, Any]]:
    """A board for every task and dataset, in the order in which the runs name them.

    Parameters
    ----------
    runs : sequence of Run
    published : iterable of mapping
        Rows of papers: ``task``, ``name``, ``metrics``, ``source``, perhaps ``dataset`` and ``note``.
    resamples : int
        Of the bootstrap.

    Returns
    -------
    list of dict
        ``task``, ``dataset``, ``n``, ``metrics`` (names in order), ``lower`` (those of which less is better), ``rows``.

    Examples
    --------
    >>> run = Run(task="regexmin", name="x", n=0, metrics={"minimality": None}, categories={}, inputs={}, statistics={},
    ...           provenance={"dataset": {"name": "d.jsonl", "sha256": "0" * 64}})
    >>> board = leaderboards([run], [{"task": "regexmin", "name": "y", "metrics": {"minimality": 0.25}, "source": "a paper"}])[0]
    >>> [(row["name"], row["kind"], row["metrics"]) for row in board["rows"]]
    [('x', 'run', {'minimality': None}), ('y', 'published', {'minimality': 0.25})]
    """
    boards: dict[tuple[str, str], dict[str, Any]] = {}
    known = list(published)
    for i, run in enumerate(runs):
        dataset = run.provenance.get("dataset") or {}
        key = (run.task, str(dataset.get("sha256") or dataset.get("name") or ""))
        board = boards.setdefault(key, {"task": run.task, "dataset": dict(dataset), "n": run.n, "metrics": [], "rows": []})
        board["metrics"] += [name for name in run.metrics if name not in board["metrics"]]
        values = [record.values for record in run.records if record.values]
        found = intervals(list(run.metrics), values, resamples=resamples) if values else {}
        board["rows"].append({
            "name": run.name, "kind": "run", "run": i, "n": run.n,
            "metrics": {name: _finite(value) for name, value in run.metrics.items()},
            "intervals": {name: [round(end, 6) for end in ends] for name, ends in found.items() if ends is not None},
        })  # fmt: skip
    for (task, _), board in boards.items():
        board["rows"] += [
            {**{name: row[name] for name in ("name", "source", "note", "dataset") if row.get(name)}, "kind": "published",
             "metrics": {name: _finite(value) for name, value in row["metrics"].items()}}
            for row in known if row["task"] == task and any(row["metrics"].get(name) is not None for name in board["metrics"])
        ]  # fmt: skip
        board["lower"] = [name for name in board["metrics"] if name.startswith(LOWER_IS_BETTER)]
    return list(boards.values())


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
