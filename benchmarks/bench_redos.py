"""ReDoS screening, confirmation and repair on published patterns: answers measured, then times.

    python benchmarks/bench_redos.py [PART…] [--count N] [--record]

Parts: labelled (patterns.tsv, both semantics), pypi (all 33,465 patterns in one command), confirm (200 random
super-linear ones measured), fuzz (200 random safe ones attacked), repair (500 random super-linear ones), icpc (6,000
model-written patterns against the published verdicts, 100 disagreements measured). ``--record`` appends the figures to
``benchmarks/records/redos.csv``. Biases: PyPI patterns come without their flags; most are searched for, which makes the
restarted search (SLQ) the commonest finding; measuring sees CPython only, so patterns that its compiler rewrites into
linear ones are counted apart.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from figures import record, report

from regsynth.automata.separators import words_of
from regsynth.budget import Budget
from regsynth.errors import InputError, RegsynthError
from regsynth.practical import compile_pattern
from regsynth.redos.confirm import confirm, measure
from regsynth.redos.repair import repair
from regsynth.redos.results import Attack, ScreenResult
from regsynth.redos.sandbox import safe_search
from regsynth.redos.screening import screen
from regsynth.syntax import pattern as tree
from regsynth.syntax.python import parse

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "shared" / "data"
MEASURE = Budget(seconds=2.0)


def pypi_patterns() -> list[str]:
    """The patterns that ``re`` compiles, in a fixed random order."""
    patterns = [json.loads(line)["pattern"] for line in (DATA / "davis2019/pypi.ndjson").open()]
    random.Random(6).shuffle(patterns)
    return patterns


def chosen(vulnerable: bool, count: int) -> list[ScreenResult]:
    """So many random results of the wanted kind."""
    out = []
    for pattern in pypi_patterns():
        try:
            result = screen(pattern, budget=Budget(seconds=2.0))
        except InputError:
            continue
        if result.vulnerable if vulnerable else result.verdict == "safe":
            out.append(result)
            if len(out) == count:
                break
    return out


def spread(work: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """Work on every core; order is kept."""
    with multiprocessing.get_context("spawn").Pool(os.cpu_count(), initializer=warnings.simplefilter, initargs=("ignore",)) as pool:
        return list(pool.imap(work, items, chunksize=1))


def labelled(count: int) -> None:
    """Class, degree, precision and recall on the labelled list."""
    rows = list(csv.DictReader((DATA / "redos/patterns.tsv").open(), delimiter="\t", quoting=csv.QUOTE_NONE))
    for semantics in ("fullmatch", "search"):
        right = degrees = with_degree = 0
        found: Counter[str] = Counter()
        for row in rows:
            label = row[f"label_{semantics}"]
            result = screen(json.loads(row["pattern_json"]), semantics=semantics)
            kind = {"exp": "exponential", "safe": "safe"}.get(label, "polynomial")
            right += kind == result.verdict
            if kind == "polynomial":
                with_degree += 1
                degrees += result.verdict == kind and result.degree == int(label.split(":")[1])
            found[f"{'bad' if kind != 'safe' else 'good'} called {'bad' if result.vulnerable else 'good'}"] += 1
            if kind != result.verdict:
                print("   wrong:", semantics, row["id"], row["pattern_json"], label, result.growth)
        hits, misses, false = found["bad called bad"], found["bad called good"], found["good called bad"]
        report(f"labelled, {semantics}: class right", f"{right}/{len(rows)}")
        report(f"labelled, {semantics}: degree right", f"{degrees}/{with_degree}")
        report(
            f"labelled, {semantics}: precision",
            round(hits / (hits + false), 3),
            "recheck 1.00, redoctor 1.00, regexploit 1.00, regexbench 0.86",
        )
        report(
            f"labelled, {semantics}: recall",
            round(hits / (hits + misses), 3),
            "recheck 0.98, redoctor 0.52, regexbench 0.52, regexploit 0.34",
        )


def pypi(count: int) -> None:
    """Every PyPI pattern in one command."""
    command = [sys.executable, "-m", "regsynth", "redos", "--input", str(DATA / "davis2019/pypi.ndjson"), "--format", "jsonl", "--quiet"]
    with tempfile.TemporaryFile("w+") as out:
        began = time.perf_counter()
        code = subprocess.run(command, stdout=out, check=False).returncode
        seconds = time.perf_counter() - began
        out.seek(0)
        records = [json.loads(line) for line in out]
    compiled = [r for r in records if "verdict" in r]
    verdicts = Counter(r["verdict"] for r in compiled)
    degrees = Counter(r["degree"] for r in compiled if r["degree"])
    others = Counter(r["status"] for r in records if "verdict" not in r)
    differ = sum(r["cpython"] is not None for r in compiled)
    report("pypi: patterns, seconds", f"{len(records):,}, {seconds:.1f}", f"exit code {code}, {os.cpu_count()} cores")
    report("pypi: records without a verdict field", dict(others), "error: re rejects the pattern")
    report("pypi: verdicts", dict(verdicts.most_common()))
    report("pypi: degrees", dict(sorted(degrees.items())))
    report("pypi: families", dict(Counter(r["family"] for r in compiled if r["family"]).most_common()))
    report("pypi: with a verdict that is not unknown", f"{1 - verdicts['unknown'] / len(compiled):.4f}")
    report("pypi: this Python differs from theory", differ)
    report("pypi: median ms a pattern", round(statistics.median(r["seconds"] for r in compiled) * 1e3, 3), "in the workers")
    report("pypi: slowest, s", round(max(r["seconds"] for r in compiled), 2))


def confirmed(result: ScreenResult) -> tuple[str, str, str]:
    """Status, expected growth and measured growth."""
    found = confirm(result, budget=MEASURE).confirmed
    shown = f"×{found.factor:.2f}" if found.factor else f"n^{found.exponent:.2f}" if found.exponent else found.note
    return found.status, str(result.growth), shown


def confirm_part(count: int) -> None:
    """Random super-linear patterns, their attacks measured."""
    results = chosen(True, count)
    linear_here = [r for r in results if r.cpython is not None and r.cpython.verdict == "safe"]
    tried = [r for r in results if r not in linear_here]
    outcomes = spread(confirmed, tried)
    good = sum(status == "confirmed" for status, _, _ in outcomes)
    for result, (status, expected, shown) in zip(tried, outcomes, strict=True):
        if status != "confirmed":
            print("   ", status, repr(result.pattern)[:120], expected, shown, result.attack)
    report(
        "confirm: super-linear as measured", f"{good}/{len(tried)}", f"{len(linear_here)} more are linear in this Python, as screening says"
    )


class Fuzzer:
    """Random subjects for a pattern: texts from its own letters, repeated."""

    def __init__(self, pattern: str, seed: int) -> None:
        self.rng = random.Random(seed)
        root = parse(pattern).root
        self.letters = [chars.sample for chars in root.sets() if chars] or ["a"]
        self.letters += ["!", "\n", " "]
        literal = "".join(node.data.sample for node in root.nodes() if node.op == tree.SET and len(node.data) == 1)
        self.pieces = re.findall(r"\w+|\W+", literal)[:6]

    def word(self, longest: int) -> str:
        """A few letters, or a piece of the pattern."""
        if self.pieces and self.rng.random() < 0.3:
            return self.rng.choice(self.pieces)
        return "".join(self.rng.choice(self.letters) for _ in range(self.rng.randint(1, longest)))

    def attack(self) -> Attack:
        """A random family of subjects."""
        prefix = self.word(4) if self.rng.random() < 0.6 else ""
        return Attack(prefix, self.word(3), self.word(2) if self.rng.random() < 0.7 else "")


def fuzzed(item: tuple[str, int]) -> tuple[int, str | None]:
    """Tries within two seconds, and an attack that grows faster than its text, if one was found."""
    pattern, seed = item
    fuzzer = Fuzzer(pattern, seed)
    tries = 0
    deadline = time.perf_counter() + 2.0
    while time.perf_counter() < deadline:
        attack = fuzzer.attack()
        tries += 1
        took = []
        for repeats in (300, 3000):
            began = time.perf_counter()
            try:
                safe_search(pattern, attack.text(repeats), timeout=1.0)
            except RegsynthError:
                took.append(1.0)
                break
            took.append(time.perf_counter() - began)
        if took[-1] > 0.02 and (len(took) < 2 or took[1] > 25 * took[0]):
            found = measure(pattern, attack.text, budget=MEASURE)
            if found.status == "confirmed":
                return tries, f"{attack} {found.exponent} {found.factor}"
    return tries, None


def fuzz_part(count: int) -> None:
    """Random patterns called safe, attacked for two seconds each."""
    results = [r for r in chosen(False, 4 * count) if r.method != "no loop"][:count]
    outcomes = spread(fuzzed, [(r.pattern, i) for i, r in enumerate(results)])
    for result, (_, found) in zip(results, outcomes, strict=True):
        if found:
            print("    slow:", repr(result.pattern)[:200], found)
    report(
        "fuzz: safe patterns with a super-linear subject", f"{sum(f is not None for _, f in outcomes)}/{len(outcomes)}", "all have loops"
    )
    report("fuzz: subjects tried", sum(tries for tries, _ in outcomes))


def repaired(result: ScreenResult) -> dict[str, Any]:
    """A repair, screened and compared with the original by ``re`` once more."""
    began = time.perf_counter()
    found = repair(result).repair
    assert found is not None
    out = {"status": found.status, "method": found.method, "reason": found.reason, "seconds": time.perf_counter() - began}
    if found.status == "equivalent":
        assert found.pattern is not None and isinstance(result.pattern, str)
        out["again"] = screen(found.pattern, semantics=result.semantics).verdict
        out["words"], out["wrong"] = crosschecked(result.pattern, found.pattern)
        attack = result.attack
        # Twice, the second time for longer: on a busy machine a short measurement can mislead.
        out["slow"] = attack is not None and all(
            measure(found.pattern, attack.text, budget=Budget(seconds=seconds)).status == "confirmed" for seconds in (1.0, 6.0)
        )
    return out


def crosschecked(first: str, second: str) -> tuple[int, str | None]:
    """Words of both automata on which ``re`` was asked, and one on which the patterns differ."""
    words: dict[str, None] = {}
    for pattern in (first, second):
        words.update(dict.fromkeys(words_of(compile_pattern(pattern, semantics="search").machine(), limit=100, seed=0)))
    tried = 0
    for word in words:
        try:
            answers = [safe_search(pattern, word, timeout=2.0) is not None for pattern in (first, second)]
        except RegsynthError:
            continue
        tried += 1
        if answers[0] != answers[1]:
            return tried, word
    return tried, None


def repair_part(count: int) -> None:
    """Random super-linear patterns, repaired."""
    results = chosen(True, count)
    outcomes = spread(repaired, results)
    statuses = Counter(o["status"] for o in outcomes)
    proven = [o for o in outcomes if o["status"] == "equivalent"]
    for result, outcome in zip(results, outcomes, strict=True):
        if outcome.get("wrong") is not None or outcome.get("slow") or outcome.get("again", "safe") != "safe":
            print("    WRONG:", repr(result.pattern), outcome)
    report("repair: repaired with proof", f"{len(proven)}/{len(outcomes)}", str(dict(statuses)))
    kept = Counter(
        re.split(r" \(proven\)|[,;]", o["reason"].removeprefix("matches the same subjects"))[0:2][-1].strip() or "-" for o in proven
    )
    report("repair: what else is kept", dict(kept.most_common()))
    report("repair: methods", dict(Counter(o["method"] for o in proven).most_common(8)))
    report("repair: safe when screened again", f"{sum(o['again'] == 'safe' for o in proven)}/{len(proven)}")
    report(
        "repair: re agrees on every word",
        f"{sum(o['wrong'] is None for o in proven)}/{len(proven)}",
        f"{sum(o['words'] for o in proven):,} words",
    )
    report("repair: old attack is slow on the new pattern", sum(o["slow"] for o in proven))
    report(
        "repair: median and mean seconds",
        f"{statistics.median(o['seconds'] for o in outcomes):.2f}, {statistics.mean(o['seconds'] for o in outcomes):.2f}",
    )


_ATTACK = re.compile(r'\A"?(?P<prefix>.*?)"\+"(?P<pump>.*)"\*(?P<n>\d+)\+"(?P<suffix>.*?)"?\Z', re.S)


def icpc_class(row: dict[str, str]) -> tuple[str, float]:
    """Our verdict under full match, and the seconds."""
    began = time.perf_counter()
    try:
        verdict = str(screen(row["regex_pattern"], semantics="fullmatch", budget=Budget(seconds=5.0)).growth)
    except InputError:
        verdict = "rejected by re"
    return verdict, time.perf_counter() - began


def icpc_measured(item: tuple[str, str, str]) -> str:
    """Who is right about a pattern, as measured: with their attack, and with ours."""
    pattern, attack, _ = item
    try:
        ours = screen(pattern, semantics="fullmatch")
    except InputError:
        return "rejected by re"
    given = _ATTACK.match(attack)
    theirs = None
    if given is not None:
        pieces = [bytes(given[name], "utf-8").decode("unicode_escape", "replace") for name in ("prefix", "pump", "suffix")]
        theirs = measure(pattern, Attack(*pieces).text, semantics="fullmatch", budget=MEASURE)
    mine = None if ours.attack is None else confirm(ours, budget=MEASURE).confirmed
    shown = [
        ("none" if f is None else "linear" if f.status != "confirmed" else "exponential" if f.factor else f"n^{f.exponent:.1f}")
        for f in (theirs, mine)
    ]
    return f"ours {ours.growth}; measured with their attack {shown[0]}, with ours {shown[1]}"


def icpc_part(count: int) -> None:
    """Our class under full match beside the published one."""
    rows = list(csv.DictReader((DATA / "icpc2024/sample.csv").open(newline="")))
    outcomes = spread(icpc_class, rows)
    table: Counter[str] = Counter()
    apart = []
    for row, (verdict, _) in zip(rows, outcomes, strict=True):
        theirs = row["main_redos_pattern"].strip().lower()
        kind = verdict.split()[0]
        table[f"{theirs} there, {kind} here"] += 1
        if kind not in ("rejected", "unknown") and not theirs.startswith(kind[:4]):
            apart.append((row["regex_pattern"], row["attack_string"], theirs))
    for name, number in table.most_common():
        report(f"icpc: {name}", number)
    report("icpc: median ms a pattern", round(statistics.median(s for _, s in outcomes) * 1e3, 2))
    sample = random.Random(6).sample(apart, min(count, len(apart)))
    tally: Counter[str] = Counter()
    for (pattern, _, theirs), shown in zip(sample, spread(icpc_measured, sample), strict=True):
        kind = "safe" if shown.startswith("ours safe") else shown.split(";")[0]
        tally[f"{theirs} there, {kind}; {shown.partition('; ')[2]}"] += 1
        if kind == "safe" and "their attack linear" not in shown and "their attack none" not in shown:
            print("    ", repr(pattern)[:200], theirs, shown)
    for name, number in tally.most_common(30):
        report(f"icpc, measured: {name}", number)


PARTS: dict[str, tuple[Callable[[int], None], int]] = {
    "labelled": (labelled, 0), "pypi": (pypi, 0), "confirm": (confirm_part, 200), "fuzz": (fuzz_part, 200),
    "repair": (repair_part, 500), "icpc": (icpc_part, 100),
}  # fmt: skip


def main() -> None:
    """Run the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="by default all")
    parser.add_argument("--count", type=int, help="size of the random samples")
    parser.add_argument("--record", action="store_true", help="append the figures to the record")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in options.parts or PARTS:
        part, count = PARTS[name]
        began = time.perf_counter()
        part(options.count or count)
        print(f"--- {name}: {time.perf_counter() - began:.0f} s", flush=True)
    if options.record:
        record("redos")


if __name__ == "__main__":
    main()
