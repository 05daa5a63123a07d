"""5,000 pairs beside ``regexbench``, in one process: no contradiction, and the ratio of times.

Each pattern is paired with itself in other words and with its neighbour in the file. Both tools start from the text. Ours is
timed three times: as a user calls it, one pair after the other; a second time with the patterns dropped, but not what is known
of their classes of characters ("cold"); and the second call of the same pair ("warm"). They take turns, 250 pairs each. A pair
on which regexbench is not done after two seconds counts as two. Where the two contradict each other the witness is given to
``re``, which says who is right. Biases: patterns of at most 60 characters, since regexbench takes seconds on longer ones,
which favours it; most pairs of neighbours differ on a word of one letter.
"""

from __future__ import annotations

import gc
import json
import random
import re
import signal
import statistics
import time
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import NamedTuple, TypeVar

from figures import report

from regsynth import practical
from regsynth.automata.reference import Comparison
from regsynth.practical import compare_patterns

PATIENCE = 2.0
LONGEST = 60  # characters
CHUNK = 250  # pairs one tool does before the other does the same ones
DECIDED = ("equivalent", "different")
Answer = TypeVar("Answer")
WORD_PLUS = re.compile(r"(?<![\\)\]}\w*+?])(\w)\+(?![+?])")


class Late(Exception):
    """regexbench used up its time."""


class Pair(NamedTuple):
    """Two patterns of one dialect."""

    first: str
    second: str
    dialect: str


def ring(signum: int, frame: FrameType | None) -> None:
    """End the call."""
    raise Late


def rewritten(pattern: str, rng: random.Random) -> str:
    """The same language in other words."""
    choices = [f"({pattern})", f"({pattern}|{pattern})", f"({pattern}){{1}}"]
    swapped = WORD_PLUS.sub(r"\1\1*", pattern)
    return swapped if swapped != pattern and rng.random() < 0.6 else rng.choice(choices)


def compiles(pattern: str) -> bool:
    """Whether ``re`` takes it."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def pairs_of(data: Path, count: int) -> list[Pair]:
    """In the shares 3 : 1 : 1 from PyPI, RegexEval (or all it has) and the dk.brics corpora."""
    rng = random.Random(7)
    pypi = [json.loads(line)["pattern"] for line in (data / "davis2019/pypi.ndjson").open(encoding="utf-8")]
    gold = [task["expression"] for task in json.loads((data / "regexeval/RegexEval.json").read_text(encoding="utf-8"))]
    brics = [line for name in ("KB13", "NL-RX-Turk") for line in (data / f"deep_regex/{name}/targ.txt").read_text().splitlines()]
    found: list[Pair] = []
    for patterns, dialect, upto in ((pypi, "python", count * 3 // 5), (gold, "python", count * 4 // 5), (brics, "brics", count)):
        patterns = [p for p in dict.fromkeys(patterns) if len(p) <= LONGEST and (dialect == "brics" or compiles(p))]
        for i in rng.sample(range(len(patterns) - 1), len(patterns) - 1):
            if len(found) >= upto:
                break
            first = patterns[i]
            other = rewritten(first, rng)
            if dialect == "brics" or compiles(other):
                found.append(Pair(first, other, dialect))
            found.append(Pair(first, patterns[i + 1], dialect))
    return found[:count]


def pairs(data: Path, step: int = 1) -> None:
    """Time and compare."""
    import regexbench

    compare_patterns(r"(?i)\w\d\s\bx", "b")  # tables of the running Python are made once a process
    regexbench.equivalent("a", "b")
    signal.signal(signal.SIGALRM, ring)
    gc.freeze()
    ours: list[float] = []
    cold: list[float] = []
    warm: list[float] = []
    theirs: list[float] = []
    verdicts: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every = pairs_of(data, 5_000 // step)
        for start in range(0, len(every), CHUNK):
            chunk = every[start : start + CHUNK]
            gc.collect()
            answers = [timed(compared, pair, ours) for pair in chunk]
            kept = dict(practical._patterns)
            for pair in chunk:
                practical._patterns.clear()
                timed(compared, pair, cold)
                timed(compared, pair, warm)
            practical._patterns.update(kept)
            gc.collect()
            peers = [timed(partial(ask, regexbench), pair, theirs) for pair in chunk]
            for pair, answer, (verdict, witness) in zip(chunk, answers, peers, strict=True):
                verdicts[f"{judged(pair, answer, verdict, witness)}, {pair.dialect}"] += 1
            print(f"   {start + len(chunk):,} pairs, {sum(theirs):.0f} s", flush=True)
    faults = sum(number for kind, number in verdicts.items() if "WRONG" in kind)
    for name, number in sorted(verdicts.items()):
        report(f"pairs: {name}", number)
    report("pairs: ours wrong", faults, f"of {len(ours):,} pairs")
    for name, times in (("ours", ours), ("ours cold", cold), ("ours warm", warm), ("regexbench", theirs)):
        report(f"pairs: {name}, median us", round(statistics.median(times) * 1e6), f"sum {sum(times):.1f} s")
    report("pairs: ratio of medians", round(statistics.median(theirs) / statistics.median(ours), 1))
    report("pairs: ratio of medians, cold", round(statistics.median(theirs) / statistics.median(cold), 1))
    report("pairs: median of ratios", round(statistics.median(y / x for x, y in zip(ours, theirs, strict=True)), 1))
    report("pairs: ratio of sums", round(sum(theirs) / sum(ours), 1))
    assert not faults


def timed(work: Callable[[Pair], Answer], pair: Pair, times: list[float]) -> Answer:
    """Its answer; the time is kept."""
    began = time.perf_counter()
    answer = work(pair)
    times.append(time.perf_counter() - began)
    return answer


def compared(pair: Pair) -> Comparison:
    """By our engine."""
    return compare_patterns(pair.first, pair.second, dialect=pair.dialect)


def ask(regexbench: object, pair: Pair) -> tuple[str, str | None]:
    """regexbench's verdict and witness, or how it ended."""
    try:
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        peer = regexbench.equivalent(pair.first, pair.second, dialect=regexbench.Dialect(pair.dialect))  # type: ignore[attr-defined]
        signal.setitimer(signal.ITIMER_REAL, 0)
    except (Late, RecursionError, MemoryError) as error:
        return type(error).__name__.lower(), None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return peer.verdict.value, peer.witness


def judged(pair: Pair, answer: Comparison, verdict: str, witness: str | None) -> str:
    """How the two verdicts compare; our witness is always tried on ``re``."""
    if answer.verdict == "different" and pair.dialect == "python" and not _apart(pair, answer.word):
        print("   WITNESS WRONG", pair, repr(answer.word))
        return "WRONG witness of ours"
    if answer.verdict not in DECIDED:
        if verdict in DECIDED:
            print("   ", pair, answer, verdict)
        return f"{answer.verdict} here, {verdict if verdict not in DECIDED else 'decided'} there"
    if verdict not in DECIDED:
        return f"decided here, {verdict} there"
    if answer.verdict == verdict:
        return f"both {verdict}"
    word = answer.word if answer.verdict == "different" else witness
    print("   CONTRADICTION", pair, answer.verdict, verdict, repr(word))
    if pair.dialect == "brics":
        return "contradiction, to be decided by hand"
    ours_right = _apart(pair, word) == (answer.verdict == "different")
    return "contradiction, re says ours is right" if ours_right else "WRONG: re says theirs is right"


def _apart(pair: Pair, word: str | None) -> bool:
    assert word is not None
    return (re.fullmatch(pair.first, word) is None) != (re.fullmatch(pair.second, word) is None)
