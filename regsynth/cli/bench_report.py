"""``regsynth bench report``: scored runs as one self-contained page."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from regsynth.cli.arguments import Arguments
from regsynth.cli.exits import YES, Record
from regsynth.cli.options import Option
from regsynth.cli.outputs import choose_format
from regsynth.cli.values import seconds
from regsynth.errors import InputError

DRAWINGS = Option(
    "drawings", "SECONDS", "time for drawing automata in a report, 0 for none (default 60)", seconds("drawings", "no drawings"), 60.0
)  # fmt: skip
TITLE = Option("title", "TEXT", "heading of a report", default="")


def report(arguments: Arguments, paths: Sequence[str]) -> int:
    """Write the page of the scored runs in files; the record says where it is."""
    from regsynth.bench.report import read, write

    if not paths:
        raise InputError("bench report: name files written by 'regsynth bench score --output', such as results/*.json")
    if not arguments["output"]:
        raise InputError("bench report: say where the page goes: -o leaderboard.html")
    check_place(arguments, "output")
    began = time.perf_counter()
    runs = read(paths)
    written = write(runs, arguments["output"], title=arguments["title"], command=command(), drawings=arguments["drawings"])
    record: Record = {
        "schema": "regsynth/bench-report/1", "id": str(written), "output": str(written), "runs": len(runs),
        "records": sum(len(run.records) for run in runs), "bytes": written.stat().st_size, "seconds": round(time.perf_counter() - began, 3),
    }  # fmt: skip
    if choose_format(arguments["format"], many=False) == "table":
        print(f"{record['output']}: {record['runs']} runs, {record['records']:,} records, {record['bytes'] / 1e6:.1f} MB")
    else:
        print(json.dumps(record, ensure_ascii=False))
    return YES


def check_place(arguments: Arguments, *names: str) -> None:
    """Refuse, before any work, an output that cannot be written after it."""
    for name in names:
        if arguments[name] is None:
            continue
        path = Path(arguments[name])
        if path.is_dir():
            raise InputError(f"{path}: is a folder; name a file in it by --{name}")
        if not path.parent.is_dir():
            raise InputError(f"{path}: no such folder as {path.parent}; check --{name}")


def command() -> str:
    """The command line as it would be typed again."""
    return shlex.join(["regsynth", *sys.argv[1:]])
