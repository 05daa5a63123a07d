"""``regsynth label``: proven minimal expressions for a whole corpus."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from regsynth.cli.arguments import Arguments, Verb
from regsynth.cli.exits import BAD_INPUT, INTERRUPTED, NO_ANSWER, YES, Record, gravest
from regsynth.cli.options import Option
from regsynth.cli.outputs import choose_format, clock_text
from regsynth.cli.values import whole
from regsynth.cli.watching import Watch
from regsynth.errors import InputError
from regsynth.solvers.results import STANDARD
from regsynth.syntax.costs import TREE_LENGTH

if TYPE_CHECKING:
    from regsynth.corpora.executors import Executor
    from regsynth.corpora.labelling import Summary

SCHEMA = "regsynth/label-summary/1"


def main(arguments: Arguments) -> int:
    """Run the verb."""
    from regsynth.corpora.labelling import SAFETY, STEPS, Settings, label

    if len(arguments.items) != 1:
        raise InputError(f"label: give one corpus, a file or a folder (found {len(arguments.items)})")
    if arguments["output"] is None:
        raise InputError("label: say where the labels go: --output FOLDER")
    seconds = arguments["timeout"] if "timeout" in arguments.given else SAFETY
    settings = Settings(
        costs=arguments["costs"] or TREE_LENGTH, operators=arguments["ops"] or STANDARD, steps=arguments["steps"] or STEPS,
        seconds=seconds or None, memory=arguments["memory-limit"] or 2 << 30,
    )  # fmt: skip
    fields = (arguments["field"],) if arguments["field"] else ("query", "regex", "pattern")
    began = time.perf_counter()
    try:
        with Watch(arguments["quiet"]) as watch:
            found = label(
                arguments.items[0], arguments["output"], settings=settings, fields=fields, shard=arguments["shard"],
                executor=executor_of(arguments), progress=watch,
            )  # fmt: skip
    except KeyboardInterrupt:
        print(f"regsynth: interrupted; run the same command again to go on from {arguments['output']}", file=sys.stderr)
        return INTERRUPTED
    report(found, arguments, time.perf_counter() - began)
    code = YES
    for status, kind in (("feasible", NO_ANSWER), ("unknown", NO_ANSWER), ("error", BAD_INPUT)):
        if found.status.get(status):
            code = gravest(code, kind)
    return code


def executor_of(arguments: Arguments) -> Executor:
    """What ``--scheduler`` and ``--jobs`` ask for: a cluster where an address is given, never a local run instead."""
    from regsynth.corpora.executors import Processes, Serial

    where = arguments["scheduler"] or os.environ.get("DASK_SCHEDULER_ADDRESS")
    if where in (None, "", "processes"):
        return Processes(arguments["jobs"])
    if where == "serial":
        return Serial()
    from regsynth.corpora.cluster import Cluster

    return Cluster(None if where == "dask" else where)


def report(found: Summary, arguments: Arguments, seconds: float) -> None:
    """The summary, as a record or for people."""
    statuses = found.status
    status = next((name for name in ("error", "unknown", "feasible") if statuses.get(name)), "optimal")
    if choose_format(arguments["format"], many=False) != "table":
        record: Record = {
            "schema": SCHEMA, "id": Path(arguments.items[0]).name, "status": status, "records": found.records,
            "languages": found.languages, "classes": found.classes, "by_status": statuses, "minimal_costs": found.lengths,
            "mean_gap": round(found.gap, 6), "ratio": round(found.ratio, 6), "seconds": round(seconds, 3),
        }  # fmt: skip
        print(json.dumps(record, ensure_ascii=False))
        return
    counts = f"{found.records:,} records, {found.languages:,} languages, {found.classes:,} up to renaming and reversal"
    print(f"{counts}      {clock_text(seconds)}")
    print("status       " + ", ".join(f"{name} {n:,} ({100 * n / found.records:.2f} %)" for name, n in statuses.items()))
    print(f"gap          {100 * found.gap:.3f} % on average; output / input {100 * found.ratio:.2f} % (geometric mean)")
    print("minimal cost " + ", ".join(f"{cost}: {n:,}" for cost, n in found.lengths.items()))


VERB = Verb(
    name="label",
    summary="label a corpus with proven minimal expressions, on this machine or on a Dask cluster",
    usage="CORPUS --output FOLDER [options]",
    details="""\
CORPUS is a folder made by 'corpus generate', or a file: JSONL, a JSON list, or one expression a line.
An interrupted run goes on where it stopped when the same command is given again. What decides a label
is counted in steps, so that the labels are the same bytes wherever they are made.

  regsynth label lrd/ --output labelled/ --jobs 2
  regsynth label urmt/ --output labelled/ --scheduler tcp://host:8786""",
    options=("ops", "costs", "field", "memory-limit", "format", "quiet", "help"),
    run=main,
    own=(
        Option("output", "FOLDER", "where the labels go"),
        Option("steps", "N", "candidates an item may try (default 5000000, some ten seconds)", whole("steps", 1)),
        Option("timeout", "SECONDS", "safety net of one item, 0 for none (default 300); one that meets it is marked",
               lambda text: _timeout(text), 300.0),
        Option("shard", "N", "records a file, 1000 to 5000 (default 5000)", whole("shard", 1000), 5000),
        Option("jobs", "N", "local worker processes (default 2)", whole("jobs", 1), 2),
        Option("scheduler", "WHERE", "Dask: an address, a scheduler file, or 'dask' for DASK_SCHEDULER_ADDRESS; or 'serial'"),
    ),
)  # fmt: skip


def _timeout(text: str) -> float:
    from regsynth.cli.options import TABLE

    seconds: float = TABLE["timeout"].convert(text)
    return seconds
