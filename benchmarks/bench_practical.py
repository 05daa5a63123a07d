"""Practical patterns against ``regexbench`` and the corpora: answers first, then times.

    python benchmarks/bench_practical.py [SECTION…] [--data FOLDER]

Sections: pairs (5,000 corpus pairs beside regexbench), kb13 (all gold pairs), dfa (published
equivalence verdicts), family (exponential family), minimise (500 patterns), warm (one warm call).
A dated CSV row a figure is appended to ``benchmarks/records/practical.csv``.
"""

from __future__ import annotations

import csv
import datetime
import json
import os
import platform
import random
import re
import signal
import statistics
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from types import FrameType

from regsynth.errors import InputError
from regsynth.practical import Pattern, compare_patterns, compile_pattern

HERE = Path(__file__).parent
MINIMISED = int(os.environ.get("MINIMISED", "500"))
COUNT = int(os.environ.get("PAIRS", "5000"))
RECORD = HERE / "records" / "practical.csv"


class Late(Exception):
    """A peer used up its five seconds."""


def ring(signum: int, frame: FrameType | None) -> None:
    raise Late


def report(name: str, value: object, note: str = "") -> None:
    """Print a figure and append it to the record."""
    print(f"{name:44} {value} {note}", flush=True)
    fresh = not RECORD.exists()
    RECORD.parent.mkdir(exist_ok=True)
    with RECORD.open("a", newline="") as file:
        writer = csv.writer(file)
        if fresh:
            writer.writerow(["date", "python", "machine", "figure", "value", "note"])
        writer.writerow([datetime.date.today().isoformat(), platform.python_version(), platform.machine(), name, value, note])


def rewritten(pattern: str, rng: random.Random) -> str:
    """The same language in other words."""
    choices = [f"(?:{pattern})", f"(?:{pattern}|{pattern})", f"(?:{pattern}){{1}}"]
    swapped = re.sub(r"(?<![\\)\]}\w*+?])(\w)\+(?![+?])", r"\1\1*", pattern)
    if swapped != pattern:
        choices += [swapped] * 3
    return rng.choice(choices)


def pairs(data: Path) -> None:
    """5,000 pairs: a pattern and itself rewritten, a pattern and its neighbour."""
    import regexbench

    patterns = [json.loads(line)["pattern"] for line in (data / "davis2019/pypi.ndjson").open()]
    rng = random.Random(7)
    ours, theirs, ratios = [], [], []
    verdicts: Counter[str] = Counter()
    compare_patterns(r"(?i)\w\d\s\bx", "b")
    regexbench.equivalent("a", "b")
    signal.signal(signal.SIGALRM, ring)
    for i in rng.sample(range(len(patterns) - 1), 2600):
        if len(ours) >= COUNT:
            break
        first, neighbour = patterns[i], patterns[i + 1]
        for second in (rewritten(first, rng), neighbour):
            try:
                re.compile(first), re.compile(second)
            except (re.error, OverflowError):
                continue
            began = time.perf_counter()
            answer = compare_patterns(first, second)
            ours.append(time.perf_counter() - began)
            began = time.perf_counter()
            signal.alarm(5)
            try:
                peer = regexbench.equivalent(first, second)
                verdict, witness = peer.verdict.value, peer.witness
            except (Late, RecursionError) as error:
                verdict, witness = type(error).__name__.lower(), None
            signal.alarm(0)
            theirs.append(time.perf_counter() - began)
            ratios.append(theirs[-1] / ours[-1])
            decided = ("equivalent", "different")
            if answer.verdict in decided and verdict in decided and answer.verdict != verdict:
                word = answer.word if answer.word is not None else witness
                right = word is not None and (re.fullmatch(first, word) is None) != (re.fullmatch(second, word) is None)
                side = "we are right" if right == (answer.verdict == "different") else "WE ARE WRONG"
                verdicts[f"contradiction, {side}"] += 1
                print("  ", repr(first), repr(second), answer.verdict, verdict, repr(word))
            elif answer.verdict in decided and verdict not in decided:
                verdicts[f"decided here, {verdict} there"] += 1
            elif answer.verdict not in decided and verdict in decided:
                verdicts[f"{answer.verdict} here, decided there"] += 1
                print("  ", repr(first), repr(second), answer, verdict)
            else:
                verdicts["same"] += 1
    for name, count in verdicts.most_common():
        report(f"pairs: {name}", count)
    report("pairs: median of ours, us", round(statistics.median(ours) * 1e6))
    report("pairs: median of regexbench, us", round(statistics.median(theirs) * 1e6))
    report("pairs: ratio of medians", round(statistics.median(theirs) / statistics.median(ours), 1))
    report("pairs: median ratio", round(statistics.median(ratios), 1))
    report("pairs: ratio of sums", round(sum(theirs) / sum(ours), 1))


def kb13(data: Path) -> None:
    """All gold/gold pairs of KB13."""
    lines = dict.fromkeys(line.rstrip("\n") for line in (data / "deep_regex/KB13/targ.txt").open())
    began = time.perf_counter()
    compiled: list[Pattern] = [compile_pattern(line, dialect="brics") for line in lines]
    verdicts: Counter[str] = Counter()
    for i, first in enumerate(compiled):
        for second in compiled[i + 1 :]:
            verdicts[compare_patterns(first, second).verdict] += 1
    report("kb13: pairs of distinct gold regexes", sum(verdicts.values()), str(dict(verdicts)))
    report("kb13: seconds", round(time.perf_counter() - began, 1))


def dfa(data: Path) -> None:
    """Published DFA-equivalence verdicts beside ours, under full match of what the anchors leave."""
    gold = {task["id"]: task["expression"] for task in json.loads((data / "regexeval/RegexEval.json").read_text())}
    published = json.loads((data / "regexeval/GPT3.5_Raw_Output_DFA_Result.json").read_text())
    table: Counter[str] = Counter()
    examples: dict[str, str] = {}
    began = time.perf_counter()
    for row in published:
        first, second = gold.get(row["id"]), row["completion"]
        if first is None:
            continue
        theirs = "equivalent" if row["passed"] else "not"
        try:
            answer = compare_patterns(first, second)
            ours = answer.verdict
            if ours == "different":
                word = answer.word
                assert word is not None
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    assert (re.fullmatch(first, word) is None) != (re.fullmatch(second, word) is None), (first, second, word)
        except InputError:
            ours, answer = "rejected by re", None
        key = f"theirs {theirs}, ours {ours}"
        if answer is not None and ours == "different" and theirs == "equivalent":
            other = compare_patterns(first, second, flags="a")
            key += " (equal over ASCII classes)" if other.verdict == "equivalent" else (
                " (only by a final newline)" if compare_patterns(first, second).word in ("\n",) else "")  # fmt: skip
            examples.setdefault(key, f"{first!r} {second!r} witness {answer.word!r}")
        table[key] += 1
    for key, count in table.most_common():
        report(f"dfa: {key}", count, examples.get(key, ""))
    report("dfa: seconds", round(time.perf_counter() - began, 1))


def family(data: Path) -> None:
    """(a|b)*a(a|b){k} against (a|b)*a[ab]{k}, and against k + 1; cold each time."""
    for k in (14, 20, 200):
        for other in (k, k + 1):
            began = time.perf_counter()
            answer = compare_patterns(f"(a|b)*a(a|b){{{k}}}", f"(a|b)*a[ab]{{{other}}}")
            note = answer.verdict + (f", witness of {len(answer.word)} letters" if answer.word is not None else "")
            report(f"family: k={k} against {other}, ms", round(1e3 * (time.perf_counter() - began), 2), note)


def minimise(data: Path) -> None:
    """500 patterns by tree length, each answer crosschecked against the original."""
    from regsynth.budget import Budget
    from regsynth.corpora.crosscheck import Checker
    from regsynth.solvers.practical import minimize_pattern

    patterns = [json.loads(line)["pattern"] for line in (data / "davis2019/pypi.ndjson").open()]
    table: Counter[str] = Counter()
    savings, seconds = [], []
    with Checker() as checker:
        for pattern in random.Random(3).sample(patterns, MINIMISED):
            try:
                result = minimize_pattern(pattern, budget=Budget(seconds=1.0))
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
            found = checker.check(result.regex)
            verdict = compare_patterns(pattern, result.regex).verdict
            table["rechecked" if found.verdict != "disagrees" and verdict == "equivalent" else "RECHECK FAILED"] += 1
    for name, count in table.most_common():
        report(f"minimise: {name}", count)
    report("minimise: median saving of the reduced", round(statistics.median(savings), 3))
    report("minimise: median seconds", round(statistics.median(seconds), 3))


def warm(data: Path) -> None:
    """One warm call on short patterns."""
    for first, second in (("[0-9]+", "[0-9][0-9]*"), (r"\d", "[0-9]"), (r"^\w+@\w+$", r"\w+@\w+"), ("(ab)+", "ab(ab)*")):
        compare_patterns(first, second)
        times = []
        for _ in range(200):
            began = time.perf_counter()
            compare_patterns(first, second)
            times.append(time.perf_counter() - began)
        report(f"warm: {first} / {second}, us", round(statistics.median(times) * 1e6, 1))


SECTIONS = {"family": family, "warm": warm, "kb13": kb13, "dfa": dfa, "minimise": minimise, "pairs": pairs}


def main() -> None:
    """Run the sections named on the command line, or all."""
    arguments = sys.argv[1:]
    data = HERE.parent.parent / "shared" / "data"
    if "--data" in arguments:
        at = arguments.index("--data")
        data = Path(arguments[at + 1])
        del arguments[at : at + 2]
    for name in arguments or SECTIONS:
        SECTIONS[name](data)


if __name__ == "__main__":
    main()
