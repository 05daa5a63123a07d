"""Scored runs made for tests: six categories with true witnesses, of any size."""

from __future__ import annotations

import random

import regsynth
from regsynth.bench.results import Record, Run, aggregate
from regsynth.syntax.formal import parse

EXPRESSIONS = (
    "a+a", "aa*+a?", "(a+b)*a(a+b)", "a?d*(b+d+d+d)", "(a+a)(b+b+c)", "b*bc+c?d*", "(ab)*+ab", "c*c*(a+b)?", "dc*(a*+cc)", "a(b+c)+ab",
)  # fmt: skip
METRICS = ("minimality", "equivalence", "length_ratio")
WEIGHTS = {"longer": 0.2, "different": 0.15, "invalid": 0.06, "repetition": 0.05, "cutoff": 0.04}
_optima: dict[str, str] = {}


def optimum(text: str) -> str:
    """A minimal expression, found once."""
    if text not in _optima:
        _optima[text] = str(regsynth.minimize(text).regex)
    return _optima[text]


def record(text: str, category: str) -> Record:
    """A record of one category; what it says is true."""
    best = optimum(text)
    least = parse(best).length
    made = {
        "id": 0, "input": text, "reference": text, "category": category, "optimum": least, "optimum_regex": best,
        "optimum_status": "proven", "lower_bound": least, "rule": "boxed", "seconds": 0.001,
        "values": {"minimality": 0.0, "equivalence": 0.0, "length_ratio": 1.0},
    }  # fmt: skip
    answer = {"minimal": best, "longer": f"{best}+{best}", "different": f"({best})d(a+d)", "invalid": "a(b"}.get(category)
    if answer is None:
        raw = "and then again " * 60 if category == "repetition" else "The expression"
        return Record.from_dict({**made, "raw": raw, "reason": "no answer"})
    made |= {"raw": f"Let me think.\n\\boxed{{{answer}}}", "answer": answer}
    if category == "invalid":
        return Record.from_dict({**made, "reason": "'(' is never closed"})
    made["cost"] = cost = parse(answer).length
    if category == "different":
        verdict = regsynth.equivalent(text, answer)
        made |= {"witness": verdict.word, "accepted_by": {"first": "reference", "second": "answer"}[str(verdict.accepted_by)]}
    else:
        ratio = min(1.0, cost / parse(text).length)
        made["values"] = {"minimality": float(category == "minimal"), "equivalence": 1.0, "length_ratio": ratio}
    return Record.from_dict(made)


def make_run(n: int, *, name: str = "model A", seed: int = 0, good: float = 0.5) -> Run:
    """A run of ``regexmin`` with ``n`` items; the first six are of the six categories."""
    rng = random.Random(seed)
    weights = {"minimal": good, **WEIGHTS}
    kinds = list(weights)
    drawn = [*kinds, *rng.choices(kinds, list(weights.values()), k=n)][:n]
    cache = {(text, kind): record(text, kind).to_dict() for text in EXPRESSIONS for kind in kinds}
    records = tuple(
        Record.from_dict({**cache[EXPRESSIONS[(7 * i + i // 10) % len(EXPRESSIONS)], kind], "id": i, "tokens": 20 + (7 * i) % 90})
        for i, kind in enumerate(drawn)
    )
    return Run(
        task="regexmin", name=name, n=n, metrics=aggregate(METRICS, [r.values for r in records]),
        categories={kind: drawn.count(kind) for kind in kinds},
        inputs={"answered": n, "missing": 0, "duplicate": 0, "unknown": 0, "ids": {}}, statistics={"rules": {"boxed": n}}, records=records,
        provenance={
            "command": "regsynth bench score --task regexmin --dataset made.jsonl --predictions answers.jsonl",
            "dataset": {"name": "made.jsonl", "sha256": "ab" * 32}, "predictions": {"name": "answers.jsonl", "sha256": "cd" * 32},
            "prompt": {"sha256": "ef" * 32}, "versions": {"regsynth": regsynth.__version__}, "options": {},
            "date": "2026-01-02", "seconds": 0.1,
        },
    )  # fmt: skip
