"""Run the benchmarks: ``python -m benchmarks.run [NAME…] [--smoke]``.

Each verifies its answers before it times them and appends a row to
``benchmarks/records/NAME.csv``. ``--smoke`` runs a small part of each and records
nothing: it shows that they still work.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "shared" / "data"


class Benchmark(NamedTuple):
    """A script beside this one, and the arguments of a full and of a small run."""

    full: tuple[str, ...]
    smoke: tuple[str, ...]
    data: str  # what it needs below ../shared/data


BENCHMARKS = {
    "corpora": Benchmark(
        ("--record",),
        ("--parts", "lrd", "audit", "urmt", "populations", "--smoke", "--count", "12", "--count-populations", "2", "--timeout", "1"),
        "mre",
    ),
    "equivalence": Benchmark(("--record",), ("--pairs", "20000", "--sample", "50", "--repeats", "1"), "regexpspace"),
    "encodings": Benchmark(("--record",), ("queries", "certificates", "--count", "5", "--timeout", "20"), "regexpspace"),
    "infer": Benchmark(("--record",), ("--suites", "alpha", "--step", "6", "--seconds", "5", "--baseline", "3"), "paresy"),
    "practical": Benchmark(("--record",), ("family", "warm", "crosscheck", "generated", "minimise", "--smoke"), "davis2019"),
    "redos": Benchmark(("--record",), ("labelled", "repair", "--count", "4"), "redos"),
    "reic": Benchmark(("--record",), ("--sets", "12", "--wide", "1", "--seconds", "2"), "published"),
    "scoring": Benchmark(("--record",), ("--smoke",), "regexeval"),
    "minimise": Benchmark(
        ("--record",),
        ("--parts", "command", "cold", "depth4", "depth5", "--count", "5", "--timeout", "5", "--repeats", "1"),
        "regexpspace",
    ),
}


def main(argv: Sequence[str]) -> int:
    """Exit code 1 when a benchmark fails."""
    smoke = "--smoke" in argv
    names = [name for name in argv if name != "--smoke"] or list(BENCHMARKS)
    unknown = [name for name in names if name not in BENCHMARKS]
    if unknown:
        print(f"unknown benchmark {unknown[0]!r}; choose from {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    failed = []
    for name in names:
        benchmark = BENCHMARKS[name]
        print(f"--- {name}", flush=True)
        if not (DATA / benchmark.data).exists():
            print(f"skipped: needs ../shared/data/{benchmark.data}")
            continue
        command = [sys.executable, str(HERE / f"bench_{name}.py"), *(benchmark.smoke if smoke else benchmark.full)]
        if subprocess.run(command, cwd=HERE.parent).returncode:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
