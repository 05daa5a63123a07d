"""A million distinct pairs of expressions: equivalent or not, and a shortest witness.

Ours is timed on all pairs, from Python lists of strings to arrays of verdicts.
The peers (automata-lib, FAdo, greenery) decide a subsample in the same run and
give no witness; each gets the expressions in its own syntax, converted before the
clock starts, but parsed within the time, as ours are. All answers are compared
before anything is timed, and every witness of the subsample is checked with
Python's ``re``.

The pairs: each RegexPSPACE query with its minimised form, the regex labelled
equivalent and the one labelled different, all in shuffled order with four letters
drawn from a to z. Pairs are distinct; nothing is remembered between them.

Bias to know of: short expressions (10 to 25 characters) over four letters, two
thirds of them equivalent. Long expressions are another benchmark.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from dated import append, setting

from regsynth.automata import batch

ROOT = Path(__file__).resolve().parents[1]
QUERIES = ROOT.parent / "shared" / "data" / "regexpspace" / "regexpspace.jsonl"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
Pair = tuple[str, str]


def make_pairs(n: int, seed: int, source: Path = QUERIES) -> list[Pair]:
    """``n`` distinct pairs, the same for the same seed."""
    base: list[Pair] = []
    for line in source.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        for other in ("minimized_regex", "equivalent_regex", "not_equivalent_regex"):
            base.append((record["query"], record[other]))
    rng = random.Random(seed)
    pairs: set[Pair] = set()
    while len(pairs) < n:
        renaming = str.maketrans("abcd", "".join(rng.sample(LETTERS, 4)))
        first, second = rng.choice(base)
        pair = first.translate(renaming), second.translate(renaming)
        pairs.add(pair if rng.random() < 0.5 else pair[::-1])
    out = sorted(pairs)
    rng.shuffle(out)
    return out


def with_bars(text: str) -> str:
    """Union as ``|``; a run of postfix operators as the one it amounts to (greenery reads no stacks)."""
    return re.sub(r"[*?]{2,}", lambda run: "*" if "*" in run[0] else "?", text.replace("+", "|"))


def peers() -> dict[str, tuple[Callable[[str], str], Callable[[str, str], bool]]]:
    """Name -> (conversion of syntax, decision), for the peers that are installed."""
    found: dict[str, tuple[Callable[[str], str], Callable[[str, str], bool]]] = {}
    try:
        from automata.regex import regex

        found["automata-lib"] = with_bars, regex.isequal
    except ImportError:
        pass
    try:
        from FAdo.reex import str2regexp

        found["FAdo"] = str, lambda x, y: bool(str2regexp(x).equivalentP(str2regexp(y)))
    except ImportError:
        pass
    try:
        import greenery

        found["greenery"] = with_bars, lambda x, y: bool(greenery.parse(x).equivalent(greenery.parse(y)))
    except ImportError:
        pass
    return found


def verify(pairs: Sequence[Pair]) -> dict[str, int]:
    """Check our answers on ``pairs`` against every peer, and our witnesses with ``re``; disagreements by name."""
    found = batch.equivalent_many([x for x, _ in pairs], [y for _, y in pairs])
    wrong = {"witness": 0}
    for i, (x, y) in enumerate(pairs):
        word = found.witness(i)
        if word is not None:
            sides = [bool(re.fullmatch(with_bars(text), word)) for text in (x, y)]
            wrong["witness"] += sides != [found.side(i) == "first", found.side(i) == "second"]
    for name, (convert, decide) in peers().items():
        wrong[name] = sum(
            decide(convert(x), convert(y)) != bool(found.verdict[i] == batch.EQUIVALENT) for i, (x, y) in enumerate(pairs)
        )
    return wrong


def time_ours(pairs: Sequence[Pair], jobs: int | None, repeats: int) -> list[float]:
    """Seconds of each run over all pairs (after one small run that loads the kernels)."""
    first, second = [x for x, _ in pairs], [y for _, y in pairs]
    batch.equivalent_many(first[:100], second[:100])
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        batch.equivalent_many(first, second, jobs=jobs)
        seconds.append(time.perf_counter() - began)
    return seconds


def time_peer(pairs: Sequence[Pair], convert: Callable[[str], str], decide: Callable[[str, str], bool]) -> float:
    """Seconds for all pairs."""
    ready = [(convert(x), convert(y)) for x, y in pairs]
    began = time.perf_counter()
    for x, y in ready:
        decide(x, y)
    return time.perf_counter() - began


def main(argv: Sequence[str] | None = None) -> int:
    """Verify, time, print; exit code 1 when any answer is wrong."""
    parser = argparse.ArgumentParser(description="Equivalence of many short expressions, against peers.")
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--sample", type=int, default=300, help="pairs the peers decide")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="append to benchmarks/records/equivalence.csv")
    options = parser.parse_args(argv)
    if not QUERIES.exists():
        print("needs ../shared/data/regexpspace/regexpspace.jsonl", file=sys.stderr)
        return 2
    pairs = make_pairs(options.pairs, options.seed)
    sample = pairs[: options.sample]
    wrong = verify(sample)
    print(f"verified {len(sample)} pairs; wrong or disagreeing: {wrong}")
    if any(wrong.values()):
        return 1
    seconds = time_ours(pairs, options.jobs, options.repeats)
    rate = len(pairs) / statistics.median(seconds)
    jobs = options.jobs or os.cpu_count() or 1
    spread = f"median of {len(seconds)}, {min(seconds):.2f} to {max(seconds):.2f} s, {jobs} jobs"
    print(f"regsynth      {rate:12,.0f} pairs/s  ({spread})")
    row: dict[str, object] = {
        **setting(), "numba": version("numba"), "pairs": len(pairs), "seed": options.seed, "jobs": jobs,
        "seconds_median": round(statistics.median(seconds), 3), "seconds_min": round(min(seconds), 3),
        "seconds_max": round(max(seconds), 3), "pairs_per_second": round(rate), "peer_sample": len(sample),
    }  # fmt: skip
    available = peers()
    for name in ("automata-lib", "FAdo", "greenery"):
        row[f"{name}_version"] = version(name) if name in available else ""
        row[f"{name}_pairs_per_second"] = ""
        if name in available:
            theirs = len(sample) / time_peer(sample, *available[name])
            row[f"{name}_pairs_per_second"] = round(theirs, 1)
            print(f"{name:13s} {theirs:12,.1f} pairs/s  (ratio {rate / theirs:,.0f})")
    if options.record:
        append("equivalence", [row])
    return 0


if __name__ == "__main__":
    sys.exit(main())
