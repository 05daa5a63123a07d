"""Published rows: what the RegexPSPACE and REIC papers report, as facts, so that a new model stands beside them.

Ratios are fractions here and percent there. Each row has its source; where a source
contradicts itself the row has a note, and the ratio is that of the source's own counts.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def rows(task: str | None = None, dataset: str | None = None) -> list[dict[str, Any]]:
    """The published rows of a task, or of all.

    Returns
    -------
    list of dict
        ``task``, ``name``, ``dataset``, ``source``, ``metrics``, perhaps ``note`` and ``deviations``.

    Examples
    --------
    >>> row = next(row for row in rows("rei", "DS1") if row["name"] == "PN Ret")
    >>> round(row["metrics"]["minimal_ratio_global"], 5), "1.7" in row["note"]
    (0.00165, True)
    """
    text = files("regsynth.bench").joinpath("published.json").read_text(encoding="utf-8")
    known: list[dict[str, Any]] = json.loads(text)
    return [row for row in known if task in (None, row["task"]) and dataset in (None, row["dataset"])]
