"""Practical patterns against ``re``, ``regexbench`` and the corpora: answers first, then times.

    python benchmarks/bench_practical.py [SECTION…] [--smoke] [--record] [--output FOLDER] [--data FOLDER]

Sections: crosscheck (our automata against ``re`` on corpora: the coverage table), crosscheck-search (the same under
search), generated (5,000 patterns drawn by Hypothesis), pairs (5,000 corpus pairs beside regexbench), kb13 (all gold
pairs), dfa (published equivalence verdicts; ``--output`` lists the disagreements), family (exponential family), minimise
(500 patterns by nodes), chars (the same 500 by length of text), warm (one warm call). ``--record`` appends a dated row a
figure to ``benchmarks/records/practical.csv``. Biases: see the file of each section.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from figures import record, report
from practical_coverage import crosscheck, generated
from practical_pairs import pairs
from practical_published import dfa

from regsynth.errors import InputError
from regsynth.practical import Pattern, compare_patterns, compile_pattern

HERE = Path(__file__).resolve().parent


def kb13(data: Path, step: int = 1) -> None:
    """All gold/gold pairs of KB13."""
    lines = [*dict.fromkeys(line.rstrip("\n") for line in (data / "deep_regex/KB13/targ.txt").open())][::step]
    began = time.perf_counter()
    compiled: list[Pattern] = [compile_pattern(line, dialect="brics") for line in lines]
    verdicts: Counter[str] = Counter()
    for i, first in enumerate(compiled):
        for second in compiled[i + 1 :]:
            verdicts[compare_patterns(first, second).verdict] += 1
    report("kb13: pairs of distinct gold regexes", sum(verdicts.values()), str(dict(verdicts)))
    report("kb13: seconds", round(time.perf_counter() - began, 1))


def family(data: Path, step: int = 1) -> None:
    """(a|b)*a(a|b){k} against (a|b)*a[ab]{k}, and against k + 1; cold each time."""
    for k in (14, 20, 200):
        for other in (k, k + 1):
            began = time.perf_counter()
            answer = compare_patterns(f"(a|b)*a(a|b){{{k}}}", f"(a|b)*a[ab]{{{other}}}")
            note = answer.verdict + (f", witness of {len(answer.word)} letters" if answer.word is not None else "")
            report(f"family: k={k} against {other}, ms", round(1e3 * (time.perf_counter() - began), 2), note)


def minimise(data: Path, step: int = 1) -> None:
    """500 patterns by tree length, each answer crosschecked against the original."""
    _minimised("minimise", "tree", data, step)


def chars(data: Path, step: int = 1) -> None:
    """The same 500 by length of text."""
    _minimised("chars", "chars", data, step)


def _minimised(name: str, costs: str, data: Path, step: int) -> None:
    from regsynth.budget import Budget
    from regsynth.corpora.crosscheck import Checker
    from regsynth.solvers.practical import minimize_pattern

    patterns = [json.loads(line)["pattern"] for line in (data / "davis2019/pypi.ndjson").open()]
    table: Counter[str] = Counter()
    savings, seconds = [], []
    with Checker() as checker:
        for pattern in random.Random(3).sample(patterns, 500 // step):
            try:
                result = minimize_pattern(pattern, costs=costs, budget=Budget(seconds=1.0))
            except InputError:
                table["rejected by re"] += 1
                continue
            except Exception as error:
                table[type(error).__name__] += 1
                continue
            table[result.status] += 1
            seconds.append(result.seconds)
            if result.regex is None or result.cost is None:
                continue
            if result.cost < result.input_cost:
                table["reduced"] += 1
                savings.append(1 - result.cost / result.input_cost)
            assert result.cost <= result.input_cost and (costs == "tree" or len(result.regex) <= len(pattern))
            found = checker.check(result.regex)
            verdict = compare_patterns(pattern, result.regex).verdict
            table["rechecked" if found.verdict != "disagrees" and verdict == "equivalent" else "RECHECK FAILED"] += 1
    for kind, count in table.most_common():
        report(f"{name}: {kind}", count)
    report(f"{name}: median saving of the reduced", round(statistics.median(savings), 3))
    report(f"{name}: median seconds", round(statistics.median(seconds), 3))


def warm(data: Path, step: int = 1) -> None:
    """One warm call on short patterns."""
    for first, second in (("[0-9]+", "[0-9][0-9]*"), (r"\d", "[0-9]"), (r"^\w+@\w+$", r"\w+@\w+"), ("(ab)+", "ab(ab)*")):
        compare_patterns(first, second)
        times = []
        for _ in range(200):
            began = time.perf_counter()
            compare_patterns(first, second)
            times.append(time.perf_counter() - began)
        report(f"warm: {first} / {second}, us", round(statistics.median(times) * 1e6, 1))


SECTIONS: dict[str, Callable[[Path, int], None]] = {
    "family": family, "warm": warm, "kb13": kb13, "dfa": dfa, "crosscheck": crosscheck,
    "crosscheck-search": partial(crosscheck, semantics="search"), "generated": generated,
    "minimise": minimise, "chars": chars, "pairs": pairs,
}  # fmt: skip


def main() -> int:
    """Run the sections named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--smoke", action="store_true", help="one item of a hundred")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="where dfa writes dfa_disagreements.tsv")
    parser.add_argument("--data", type=Path, default=HERE.parents[1] / "shared" / "data")
    options = parser.parse_args()
    strange = set(options.sections) - set(SECTIONS)
    if strange:
        parser.error(f"unknown section {min(strange)!r}; choose from {', '.join(SECTIONS)}")
    try:
        for name in options.sections or SECTIONS:
            section = partial(dfa, output=options.output) if name == "dfa" else SECTIONS[name]
            section(options.data, 100 if options.smoke else 1)
    finally:
        if options.record:
            record("practical")
    return 0


if __name__ == "__main__":
    sys.exit(main())
