"""Three records, answers to them, and the files they stand in; what of a run may not depend on how it was made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from regsynth.bench.results import Run

RECORDS = [
    {"idx": 0, "query": "a+a", "minimized_regex": "a", "minimized_tree_length": 1, "equivalent_regex": "a", "not_equivalent_regex": "b"},
    {"idx": 1, "query": "bb*+b", "minimized_regex": "bb*", "minimized_tree_length": 4, "equivalent_regex": "b*b",
     "not_equivalent_regex": "b*"},
    {"idx": 2, "query": "(c*)*d", "minimized_regex": "c*d", "minimized_tree_length": 4, "equivalent_regex": "c*d",
     "not_equivalent_regex": "(c+c)*d"},  # a wrong label
]  # fmt: skip
ANSWERS = {"0": "a", "1": "bb*+b", "2": "c*"}


def lines(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def outcome(run: Run) -> Any:
    """What may not depend on order, workers or kills."""
    records = [{**record.to_dict(), "seconds": 0} for record in run.records]
    return run.metrics, run.categories, run.inputs, run.statistics, records
