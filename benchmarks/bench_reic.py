"""The REI challenge: a sample of each data set solved, and its three baselines scored beside the published table.

``--sets`` PN-sets of DS1 and DS3, ``--wide`` of DS2 and DS4 (twenty cost functions each).
Retrieval has what the sample's training part holds, so only the trivial baseline is
comparable with the paper's numbers, which rest on thousands of training instances.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dated import append, setting

from regsynth.bench.reic_baselines import PNRetrieval, RERetrieval, trivial
from regsynth.bench.reic_metrics import Metrics, evaluate
from regsynth.corpora.generators import Request
from regsynth.corpora.reic import DATASETS, generate_reic, read_part

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = ROOT.parent / "shared" / "data" / "published" / "reic_table2.tsv"
PAIRS = {"DS1": ("DS1", "DS2"), "DS2": ("DS1", "DS2"), "DS3": ("DS3", "DS4"), "DS4": ("DS3", "DS4")}
NAMES = {"Trivial": "Trivial", "PN retrieval": "PN Ret", "RE retrieval": "RE Ret"}


def published() -> dict[tuple[str, str], dict[str, str]]:
    """The paper's rows by data set and system."""
    if not PUBLISHED.exists():
        return {}
    with PUBLISHED.open(encoding="utf-8") as file:
        return {(row["dataset"].replace("Dataset ", "DS"), row["system"]): row for row in csv.DictReader(file, delimiter="\t")}


def show(dataset: str, name: str, metrics: Metrics, paper: dict[str, str] | None) -> str:
    """A line of the table: ours, and the paper's in brackets."""
    cost = f"{metrics.cost_ratio:.2f}" if metrics.cost_ratio is not None else "–"
    line = (f"{dataset}  {name:13s}precise {100 * metrics.precise_ratio:5.1f} %  PN {100 * metrics.pn_ratio:5.1f} %  "
            f"minimal {100 * metrics.minimal_ratio_global:5.1f} %  cost ratio {cost}")  # fmt: skip
    if paper is None:
        return line
    fields = ("precise_ratio", "pn_ratio", "minimal_ratio_global", "cost_ratio")
    return f"{line}   (paper: {', '.join(paper[name] for name in fields)})"


def main(argv: Sequence[str] | None = None) -> int:
    """Generate, label, score, print."""
    parser = argparse.ArgumentParser(description="Samples of the REI challenge's data sets.")
    parser.add_argument("--sets", type=int, default=200, help="PN-sets of DS1 and DS3")
    parser.add_argument("--wide", type=int, default=200, help="PN-sets of DS2 and DS4")
    parser.add_argument("--seconds", type=float, default=60.0, help="budget of an instance")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="folder of the data sets, to go on from a stopped run")
    parser.add_argument("--record", action="store_true", help="append to benchmarks/records/reic.csv")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as scratch:
        return compare(options, options.output or Path(scratch))


def compare(options: argparse.Namespace, folder: Path) -> int:
    train: dict[str, list[dict[str, Any]]] = {}
    test: dict[str, list[dict[str, Any]]] = {}
    rows: list[dict[str, object]] = []
    for dataset in DATASETS:
        count = options.sets if DATASETS[dataset].functions == 1 else options.wide
        began = time.perf_counter()
        made = generate_reic(Request(folder / dataset, seed=options.seed, count=count, jobs=options.jobs, dataset=dataset,
                                     seconds=options.seconds))  # fmt: skip
        proven = made["status"].get("optimal", 0)
        print(f"{dataset}: {proven} of {made['instances']} instances proven ({100 * proven / made['instances']:.1f} %), "
              f"{made['seconds_solving']} s of solving, {time.perf_counter() - began:.0f} s wall", flush=True)  # fmt: skip
        train[dataset], test[dataset] = read_part(folder / dataset / "train.jsonl"), _part(folder / dataset / "test.jsonl")
        rows.append({
            **setting(), "dataset": dataset, "pn_sets": count, "instances": made["instances"],
            "budget_s": options.seconds, "proven": proven, "solving_s": made["seconds_solving"],
            "wall_s": round(time.perf_counter() - began, 1), "test": len(test[dataset]),
        })  # fmt: skip
    paper = published()
    for dataset, row in zip(DATASETS, rows, strict=True):
        expressions = [record["regex"] for name in PAIRS[dataset] for record in train[name] if record["regex"] is not None]
        known = [record for name in PAIRS[dataset] for record in train[name]]
        systems = {"Trivial": trivial, "PN retrieval": PNRetrieval(known), "RE retrieval": RERetrieval(expressions)}
        for name, system in systems.items():
            metrics = evaluate(test[dataset], [[system(record)] for record in test[dataset]])
            print(show(dataset, name, metrics, paper.get((dataset, NAMES[name]))), flush=True)
            key = name.lower().replace(" ", "_")
            row[f"{key}_minimal"], row[f"{key}_cost_ratio"] = round(metrics.minimal_ratio_global, 4), metrics.cost_ratio
    if options.record:
        append("reic", rows)
    return 0


def _part(path: Path) -> list[dict[str, Any]]:
    """A part that may be empty."""
    return read_part(path) if path.stat().st_size else []


if __name__ == "__main__":
    sys.exit(main())
