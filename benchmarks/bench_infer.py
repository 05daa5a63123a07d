"""Inference on the published suites: AlphaRegex's 25, Paresy's random types 1 and 2, its 24 hardest.

Each answer is checked on its words, and against the published costs where there are
some, before its time counts. The baseline is our own plain enumeration of the same
sequences (compiled, one thread, no dominance, no look-ahead) in the same run, so ratios
hold on any machine; Paresy's times on the machine it was timed on stand beside it.
``growth`` follows one problem level by level.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from dated import append, setting

from regsynth.budget import Budget
from regsynth.cli.problems import read_words
from regsynth.solvers.inference import infer, problem_of
from regsynth.solvers.infixes import Infixes
from regsynth.solvers.results import STANDARD, InferenceResult, Operators
from regsynth.solvers.sequence_compiled import CompiledSearch
from regsynth.syntax.costs import TREE_LENGTH, Costs

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data" / "paresy"
SUITES = ("alpha", "alpha-weighted", "type1", "type2", "hardest24", "growth")
WEIGHTED = Costs.of((20, 20, 20, 5, 30))
ALPHA = (5, 7, 17, 8, 14, 12, 14, 9, None, 10, 5, 12, 14, 16, 12, 11, 14, 10, 8, 9, 13, 14, 12, 13, 12)  # Paresy's, no1…no25
PARESY = {  # its CPU program: seconds and cost
    "alpha_regex/no3.txt": (10.9, 17), "alpha_regex/no14.txt": (4.9, 16), "alpha_regex/no7.txt": (0.25, 14),
    "type1/type1_exp1.txt": (12.6, 20), "type1/type1_exp11.txt": (3.54, 19), "type1/type1_exp35.txt": (1.49, 17),
    "type1/type1_exp17.txt": (23.9, 22), "type1/type1_exp43.txt": (21.1, 19), "type1/type1_exp46.txt": (18.0, 19),
    "type1/type1_exp52.txt": (12.3, 18), "type1/type1_exp154.txt": (40.7, 18),
}  # fmt: skip


class Problem(NamedTuple):
    """A file, a cost function and the published cost."""

    file: str
    costs: Costs
    known: int | None


def problems(suite: str, step: int) -> Iterator[Problem]:
    """The problems of a suite, or every ``step``-th of them."""
    if suite.startswith("alpha"):
        for number in range(1, 26, step):
            costs, known = (TREE_LENGTH, ALPHA[number - 1]) if suite == "alpha" else (WEIGHTED, None)
            yield Problem(f"alpha_regex/no{number}.txt", costs, known)
    elif suite == "hardest24":
        with (DATA / "hardest24.tsv").open(encoding="utf-8") as file:
            for row in list(csv.DictReader(file, delimiter="\t"))[::step]:
                numbers = [int(row[name]) for name in ("letter", "option", "star", "concatenation", "union")]
                yield Problem(row["file"], Costs.of(numbers), None)
    else:
        files = sorted((DATA / suite).glob("*.txt"), key=lambda p: int(p.stem.rpartition("exp")[2]))
        for path in files[::step]:
            name = f"{suite}/{path.name}"
            yield Problem(name, TREE_LENGTH, PARESY.get(name, (0, None))[1])


def words(file: str) -> tuple[list[str], list[str]]:
    return read_words((DATA / file).read_text(encoding="utf-8"), file)


def solve(problem: Problem, budget: Budget) -> InferenceResult:
    """Our answer, which :func:`regsynth.solvers.inference.infer` has tried on every word."""
    positives, negatives = words(problem.file)
    return infer(positives, negatives, costs=problem.costs, budget=budget)


def baseline(problem: Problem, budget: Budget) -> float | None:
    """Seconds of plain enumeration; ``None`` when it ends without a proof."""
    positives, negatives = words(problem.file)
    task = problem_of(positives, negatives, costs=problem.costs, operators=STANDARD)
    clock = budget.start()
    infixes = Infixes(task.positives, task.negatives, task.alphabet)
    search = CompiledSearch(infixes, task.alphabet, task.costs, STANDARD.mask, clock, dominance=False, look_ahead=False)
    found = search.run(start=0, limit=1 << 60)
    return clock.seconds if found.expr is not None else None


def run_suite(suite: str, options: argparse.Namespace) -> bool:
    """Solve, check, print and perhaps record a suite; whether all answers agree with the published costs."""
    budget = Budget(seconds=options.seconds, memory=options.memory << 30)
    good, rows, ratios, peers = True, [], [], []
    for problem in problems(suite, options.step):
        began = time.perf_counter()
        found = solve(problem, budget)
        seconds = time.perf_counter() - began
        plain = baseline(problem, Budget(seconds=options.baseline, memory=options.memory << 30)) if options.baseline else None
        if found.status == "optimal" and problem.known is not None and found.cost != problem.known:
            print(f"WRONG: {problem.file} costs {problem.known}, not {found.cost}")
            good = False
        if found.status == "optimal" and plain is not None:
            ratios.append(plain / seconds)
        paresy = PARESY.get(problem.file, (None, None))[0] if problem.costs.is_tree else None
        if found.status == "optimal" and paresy is not None:
            peers.append(paresy / seconds)
        rows.append((problem, found, seconds, plain))
        beside = f"  plain {plain:.2f} s" if plain is not None else ""
        outcome = f"{found.cost!s:>6s} ≥ {found.lower_bound:<5d}{found.status:9s}"
        print(f"{problem.file:28s}{outcome}{seconds:8.2f} s{beside}", flush=True)
    proven = [row for row in rows if row[1].status == "optimal"]
    total, mean = sum(row[2] for row in rows), _geometric(ratios)
    print(f"{suite}: {len(proven)} of {len(rows)} proven, {total:.1f} s in all, mean {total / max(1, len(rows)):.2f} s")
    print(f"  plain enumeration {mean:.1f}x over {len(ratios)}; Paresy's CPU times {_geometric(peers):.1f}x over {len(peers)}")
    if options.record:
        append("infer", [{
            **setting(), "numba": version("numba"), "suite": suite,
            "problems": len(rows), "step": options.step, "budget_s": options.seconds, "proven": len(proven),
            "total_s": round(total, 2),
            "mean_s": round(total / max(1, len(rows)), 3), "slowest_s": round(max(row[2] for row in rows), 2),
            "plain_ratio": round(mean, 2), "plain_compared": len(ratios), "paresy_ratio": round(_geometric(peers), 2),
            "paresy_compared": len(peers),
        }])  # fmt: skip
    return good


def _geometric(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def growth(options: argparse.Namespace) -> None:
    """Classes, candidates and time of the sequence engine as the cost grows, with and without its rules."""
    positives, negatives = words("type1/type1_exp1.txt")
    for signs in ("?*.+", "all"):
        task = problem_of(positives, negatives, costs=TREE_LENGTH, operators=Operators.parse(signs))
        for dominance, ahead in ((False, False), (True, False), (True, True)):
            infixes = Infixes(task.positives, task.negatives, task.alphabet)
            clock = Budget(seconds=options.seconds, memory=options.memory << 30).start()
            search = CompiledSearch(infixes, task.alphabet, task.costs, task.operators.mask, clock,
                                    dominance=dominance, look_ahead=ahead)  # fmt: skip
            found = search.run(start=0, limit=1 << 60)
            sizes = [search.range[cost][1] - search.range[cost][0] for cost in search.levels.filled]
            print(f"ops {signs}, dominance {dominance}, look-ahead {ahead}: cost {found.cost} ≥ {found.bound}, "
                  f"{found.items:,} classes, {found.candidates:,} candidates, {search.ahead.tested:,} pairs tested ahead, "
                  f"{clock.seconds:.2f} s, "
                  f"{search.store.item_bytes} bytes a class")  # fmt: skip
            print("  classes by cost:", *sizes, flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 1 when any cost disagrees with a published one."""
    parser = argparse.ArgumentParser(description="Inference on Paresy's suites.")
    parser.add_argument("--suites", nargs="+", choices=SUITES, default=list(SUITES))
    parser.add_argument("--step", type=int, default=1, help="take every n-th problem")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--memory", type=int, default=12, help="GiB a problem")
    parser.add_argument("--baseline", type=float, default=30.0, help="seconds for plain enumeration, 0 to leave it out")
    parser.add_argument("--record", action="store_true", help="append to benchmarks/records/infer.csv")
    options = parser.parse_args(argv)
    if not DATA.exists():
        print("needs ../shared/data/paresy", file=sys.stderr)
        return 2
    warm = Problem("type1/type1_exp35.txt", TREE_LENGTH, None)
    solve(warm, Budget(seconds=120))
    baseline(warm, Budget(seconds=5))
    good = True
    for suite in options.suites:
        if suite == "growth":
            growth(options)
        else:
            good &= run_suite(suite, options)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
