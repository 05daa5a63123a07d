"""``crosscheck`` over corpora and generated patterns: no disagreement, and how many patterns are decided.

A pattern is decided when its automaton answers membership for every word tried, within 10 s and 2 GB; ``re`` then runs on
the same words, and where it is too slow for all of them the pattern counts as decided but not compared. Bias: corpora
come without their flags, so most patterns are tried without any.
"""

from __future__ import annotations

import json
import re
import time
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]

from figures import report
from generated_patterns import Drawn, draw

from regsynth.corpora.crosscheck import Checker
from regsynth.errors import InputError

GENERATED = 5_000
WORDS = 200
REFERENCES = (_constants.GROUPREF, _constants.GROUPREF_EXISTS)


def refers(pattern: str | bytes, flags: int) -> bool:
    """Whether a back-reference or a conditional stands anywhere in it."""
    stack = [*_parser.parse(pattern, flags)]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            if item and any(item[0] is code for code in REFERENCES):  # opcodes are numbers: bounds may equal them
                return True
            stack += item
        elif isinstance(item, (list, _parser.SubPattern)):
            stack += list(item)
    return False


def crosscheck(data: Path, step: int = 1, semantics: str = "fullmatch") -> None:
    """The coverage table of corpora; every ``step``-th pattern. Fails where there is a disagreement, after all are printed."""
    pypi = [json.loads(line)["pattern"] for line in (data / "davis2019/pypi.ndjson").open(encoding="utf-8")]
    gold = [task["expression"] for task in json.loads((data / "regexeval/RegexEval.json").read_text(encoding="utf-8"))]
    _checked((f"{name}, {semantics}", [Drawn(pattern, 0, semantics) for pattern in patterns[::step]])
             for name, patterns in (("RegexEval", gold), ("PyPI", pypi)))  # fmt: skip


def generated(data: Path, step: int = 1) -> None:
    """The coverage table of patterns drawn by Hypothesis, under random flags and semantics."""
    _checked([("Hypothesis, seed 5", draw(GENERATED // step, 5))])


def _checked(bodies: Iterable[tuple[str, list[Drawn]]]) -> None:
    with Checker() as checker:
        faults = sum(_body(name, questions, checker) for name, questions in bodies)
    assert not faults, f"{faults} disagreements"


def _body(name: str, questions: list[Drawn], checker: Checker) -> int:
    table: Counter[str] = Counter()
    plain: Counter[str] = Counter()
    constructs: Counter[str] = Counter()
    words = faults = 0
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for pattern, flags, semantics in questions:
            kind, construct, tried, word = _one(checker, pattern, flags, semantics)
            words += tried
            table[kind] += 1
            if word is not None:
                faults += 1
                print("   DISAGREES", repr(pattern), flags, semantics, repr(word))
            if construct:
                constructs[f"{kind}: {construct}"] += 1
            if kind != "rejected by re" and not refers(pattern, flags):
                plain[kind] += 1
                if construct:
                    print("   ", kind, repr(pattern)[:160], semantics, construct)
    compiled = sum(plain.values())
    decided = plain["decided"] + plain["decided, re too slow to compare"]
    for kind, count in sorted(table.items()):
        report(f"crosscheck, {name}: {kind}", count)
    report(f"crosscheck, {name}: disagreements", faults, f"{words:,} words compared, {time.perf_counter() - began:.0f} s")
    report(f"crosscheck, {name}: decided without references", f"{decided}/{compiled}", f"{decided / max(compiled, 1):.2%}")
    for construct, count in constructs.most_common():
        report(f"crosscheck, {name}: {construct}", count)
    return faults


def _one(checker: Checker, pattern: str | bytes, flags: int, semantics: str) -> tuple[str, str, int, str | bytes | None]:
    """(kind, construct when undecided, words tried, the word of a disagreement)."""
    try:
        found = checker.check(pattern, flags=flags, semantics=semantics, words=WORDS)
    except InputError as error:
        try:
            re.compile(pattern, flags)  # type: ignore[call-overload]
        except (re.error, OverflowError, RecursionError):
            return "rejected by re", "", 0, None
        return "WRONGLY REJECTED", str(error), 0, None
    if found.verdict != "unchecked":
        return "decided", "", found.words_tried, found.word
    assert found.reason is not None
    kind, _, reason = found.reason.partition(": ")
    if kind == "re":
        return "decided, re too slow to compare", "", 0, None
    return kind, re.sub(r"\d[\d,]*", "n", reason), 0, None
