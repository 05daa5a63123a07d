"""Proven-minimal expressions: whole commands, cold starts, published sets, long random expressions.

Each part is a row of its own in the record:

``command``  RegexPSPACE's 1,685 queries by the command line, a fresh process each time,
             numba's cache warm, no cache of results: wall time of the process.
``cold``     the first example by the command line with an empty numba cache: what
             the first run after an installation takes.
``mre``      all expressions with published optima (Kahrs and Runciman), one of 43,585
             characters among them, in this process.
``depthN``   URMT expressions of depth 4, 5 and 6: seconds of each, and the share proven
             within the budget.

Every answer is verified before a figure is given out: equivalent to the input, of the cost
they claim, and of the published minimal cost where there is one.

Processor seconds are given beside wall time: on a shared machine they are the steadier of the two.

Bias to know of: RegexPSPACE and mre are short over few letters, most need one or two
milliseconds; the long ones are random trees, which collapse more than hand-written ones.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from dated import append, setting

from regsynth.automata.reference import compare
from regsynth.budget import Budget
from regsynth.corpora.regexpspace import urmt
from regsynth.solvers import warmup
from regsynth.solvers.minimise import minimize
from regsynth.solvers.results import MinimizationResult
from regsynth.syntax.formal import parse

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
QUERIES = DATA / "regexpspace" / "regexpspace.jsonl"
PARTS = ("command", "cold", "mre", "depth4", "depth5", "depth6")
COUNTS = {"depth4": 300, "depth5": 100, "depth6": 50}
Figures = dict[str, object]
Time = tuple[float, float]  # wall and processor seconds


class WrongAnswer(Exception):
    """An answer that is not what it claims to be."""


def check(result: MinimizationResult, minimum: int | None = None) -> None:
    """Verify one answer by the product engine, its cost by counting, its optimum by the label."""
    assert result.input is not None
    if result.regex is None or result.cost != result.regex.length or not compare(result.input, result.regex):
        raise WrongAnswer(f"{result.input}: {result.regex} of cost {result.cost}")
    if (result.status == "optimal") != (result.cost == result.lower_bound) or result.lower_bound > result.cost:
        raise WrongAnswer(f"{result.input}: status {result.status}, bounds {result.lower_bound} to {result.cost}")
    if minimum is not None and (result.status, result.cost) != ("optimal", minimum):
        raise WrongAnswer(f"{result.input}: {result.regex} of cost {result.cost}, {result.status}; published {minimum}")


def run(arguments: Sequence[str], **environment: str) -> tuple[Time, str]:
    """Time and output of one ``regsynth`` process."""
    before, began = os.times(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "regsynth", *arguments], capture_output=True, text=True, env=os.environ | environment, cwd=ROOT
    )
    after, wall = os.times(), time.perf_counter() - began
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    if done.returncode:
        raise WrongAnswer(f"regsynth {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()[-200:]}")
    return (wall, cpu), done.stdout


def command(repeats: int) -> Figures:
    """All of RegexPSPACE in one command."""
    arguments = ("minimize", "--input", str(QUERIES), "--field", "query", "--format", "jsonl")
    labels = [json.loads(line) for line in QUERIES.read_text(encoding="utf-8").splitlines()]
    answers = [json.loads(line) for line in run(arguments)[1].splitlines()]
    if len(answers) != len(labels):
        raise WrongAnswer(f"{len(answers)} answers to {len(labels)} queries")
    for label, answer in zip(labels, answers):
        right = answer["id"], answer["status"], answer["cost"], answer["lower_bound"]
        minimum = label["minimized_tree_length"]
        if right != (label["idx"], "optimal", minimum, minimum) or parse(answer["regex"]).length != minimum:
            raise WrongAnswer(f"{label['query']}: {answer}")
        if not compare(parse(label["query"]), parse(answer["regex"])):
            raise WrongAnswer(f"{label['query']} is not {answer['regex']}")
    return figures([run(arguments)[0] for _ in range(repeats)], len(labels), len(labels))


def cold(repeats: int) -> Figures:
    """The first example, nothing compiled: what the first run of all takes."""
    times = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            took, output = run(("minimize", "a?d*(b+d+d+d)", "--format", "json"), NUMBA_CACHE_DIR=folder)
        answer = json.loads(output)
        if (answer["status"], answer["cost"], parse(answer["regex"])) != ("optimal", 9, parse("a?d*(b+d)")):
            raise WrongAnswer(output)
        times.append(took)
    return figures(times, 1, 1)


def published(limit: float) -> Figures:
    """Every expression of mre/s{size}w{letters}, in one process."""
    times: list[Time] = []
    proven = 0
    for file in sorted((DATA / "mre").glob("s*w*")):
        minimum = int(file.name[1 : file.name.index("w")])
        for line in file.read_text(encoding="utf-8").split():
            proven += _one(line, limit, times, minimum)
    return figures(times, len(times), proven)


def long(name: str, limit: float, seed: int, count: int) -> Figures:
    """URMT expressions of one depth."""
    depth = int(name[-1])
    texts = [r["query"] for r in urmt("abcd", 3 * count, seed) if r["depth"] == depth]
    times: list[Time] = []
    proven = sum(_one(text, limit, times, None) for text in texts)
    return figures(times, len(texts), proven)


def _one(text: str, limit: float, times: list[Time], minimum: int | None) -> bool:
    began, used = time.perf_counter(), time.process_time()
    result = minimize(parse(text), budget=Budget(seconds=limit))
    times.append((time.perf_counter() - began, time.process_time() - used))
    check(result, minimum)
    return result.status == "optimal"


def figures(times: Sequence[Time], items: int, proven: int) -> Figures:
    """What a part reports; ``times`` are those of a repeat (command, cold) or of an item."""
    found: Figures = {"items": items, "proven": proven, "times": len(times)}
    for name, values in zip(("wall", "cpu"), zip(*times)):
        ordered = sorted(values)
        middle, ninth = statistics.median(ordered), ordered[int(0.9 * (len(ordered) - 1))]
        figure = {"median": middle, "p90": ninth, "min": ordered[0], "max": ordered[-1], "total": sum(ordered)}
        found |= {f"{name}_{key}": round(value, 4) for key, value in figure.items()}
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Verify, time, print; exit code 1 when any answer is wrong."""
    parser = argparse.ArgumentParser(description="Proven-minimal expressions.")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--repeats", type=int, default=5, help="of command and cold")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for each long expression")
    parser.add_argument("--count", type=int, default=None, help="long expressions of each depth (300, 100, 50)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="append to benchmarks/records/minimise.csv")
    options = parser.parse_args(argv)
    if not QUERIES.exists():
        print("needs ../shared/data/regexpspace/regexpspace.jsonl", file=sys.stderr)
        return 2
    warmup.warm()
    makers: dict[str, Callable[[], Figures]] = {
        "command": lambda: command(options.repeats),
        "cold": lambda: cold(options.repeats),
        "mre": lambda: published(options.timeout),
    }
    for name, count in COUNTS.items():
        makers[name] = lambda name=name, count=count: long(name, options.timeout, options.seed, options.count or count)  # type: ignore[misc]
    for name in options.parts:
        load = round(os.getloadavg()[0], 2)
        try:
            found = makers[name]()
        except WrongAnswer as error:
            print(f"{name}: wrong answer: {error}", file=sys.stderr)
            return 1
        print(f"{name:8s} " + "  ".join(f"{key} {value}" for key, value in found.items()) + f"  (load {load})", flush=True)
        if options.record:
            about = {**setting(), "load": load, "numba": version("numba")}
            append("minimise", [{**about, "part": name, "timeout": options.timeout, "seed": options.seed, **found}])
    return 0


if __name__ == "__main__":
    sys.exit(main())
