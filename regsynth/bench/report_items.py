"""The items of a scored run as its report shows them: columns for the table, and details unpacked when an item is opened."""

from __future__ import annotations

import json
from typing import Any

from regsynth.bench.report_drawings import Drawer, packed
from regsynth.bench.results import CATEGORIES, Record, Run, aggregate

CLIP = 300  # characters of a text that the table keeps; searching looks at these
RAW = 6_000  # characters of a response that the page keeps; the results file has all of it
BINS = 12

FAILED = frozenset(("invalid", "repetition", "cutoff", "timeout", "missing"))
"""Categories whose answers are no expressions."""

DRAWN = {"regexeq": (("input", "first"), ("reference", "second"))}
"""Which two fields of a record are drawn and what they are called, where it is not reference and answer."""
_READ = {"dialect": "python", "semantics": "search", "flags": ""}
_USUAL = (("reference", "reference"), ("answer", "answer"))


def columns(run: Run) -> dict[str, list[Any]]:
    """What the table shows, filters and sorts by: a list a column, an entry a record.

    >>> from regsynth.bench.results import Record, Run
    >>> records = (Record(id=7, input="a+a", answer="a", category="minimal", cost=1, optimum=1),)
    >>> run = Run(task="regexmin", name="x", n=1, metrics={}, categories={}, inputs={}, statistics={}, provenance={}, records=records)
    >>> {name: column for name, column in columns(run).items() if name in ("id", "answer", "category", "length", "excess")}
    {'id': [7], 'answer': ['a'], 'category': [0], 'length': [3], 'excess': [1.0]}
    """
    order = {name: i for i, name in enumerate(category_names(run))}
    rows, found = run.records, [findings(r) for r in run.records]
    return {
        "id": [r.id if isinstance(r.id, int) else clip(str(r.id)) for r in rows],
        "sample": [r.sample for r in rows] if any(r.sample for r in rows) else [],
        "input": [clip(r.input) for r in rows],
        "reference": [None if r.reference is None else clip(r.reference) for r in rows] if run.task in DRAWN else [],
        "answer": [None if r.answer is None else clip(r.answer) for r in rows],
        "category": [order[r.category] for r in rows],
        "witness": [None if r.witness is None else clip(r.witness) for r in rows],
        "length": [length(r) for r in rows],
        "cost": [r.cost for r in rows],
        "optimum": [r.optimum for r in rows],
        "excess": [round(r.cost / r.optimum, 4) if r.cost is not None and r.optimum else None for r in rows],
        "status": [r.optimum_status for r in rows],
        "tokens": [r.tokens for r in rows] if any(r.tokens is not None for r in rows) else [],
        "findings": found if any(found) else [],
    }


def findings(record: Record) -> list[str]:
    """What was found beside the score: ours, and where others' verdicts are not ours.

    >>> findings(Record(id=1, input="a", category="failed", details={"disagreements": {"pass": {"class": "anchoring"}}}))
    ['pass verdict of others: anchoring']
    """
    others = record.details.get("disagreements")
    judged = others.items() if isinstance(others, dict) else ()
    return [*record.findings, *(f"{kind} verdict of others: {told.get('class')}" for kind, told in judged if isinstance(told, dict))]


def category_names(run: Run) -> list[str]:
    """The task's categories, best first, and whatever else the records hold."""
    known = CATEGORIES.get(run.task, ())
    return [*known, *sorted({r.category for r in run.records} - set(known))]


def details(run: Run, drawer: Drawer) -> list[str]:
    """Everything else, in compressed groups in the records' order."""
    return packed([json.dumps(_detail(run, record, drawer)) for record in run.records])


def _detail(run: Run, record: Record, drawer: Drawer) -> dict[str, Any]:
    kept = {
        "input": _beyond(record.input), "answer": _beyond(record.answer), "witness": _beyond(record.witness),
        "raw": None if record.raw is None else clip(record.raw, RAW), "raw_length": None if record.raw is None else len(record.raw),
        "reference": None if record.reference is None else clip(record.reference, RAW),
        "rule": record.rule, "practical_union": record.practical_union or None, "optimum_regex": record.optimum_regex,
        "lower_bound": record.lower_bound, "label": record.label, "accepted_by": record.accepted_by or record.details.get("accepted_by"),
        "reason": None if record.reason is None else clip(record.reason, RAW), "seconds": round(record.seconds, 4),
        "thinking_tokens": record.thinking_tokens,
        "values": {name: value for name, value in record.values.items() if value is not None} or None,
        "details": {name: text for name, value in record.details.items() if (text := _fact(value))} or None,
        "drawings": _drawings(run, record, drawer) or None,
    }  # fmt: skip
    return {name: value for name, value in kept.items() if value is not None}


def _fact(value: Any) -> str:
    """A detail in words; empty where there is nothing to tell."""
    if value is None or value in ([], {}, ""):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return clip(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), RAW)


def _drawings(run: Run, record: Record, drawer: Drawer) -> list[tuple[str, int | str]]:
    """Name and picture (or why there is none) of the two expressions compared."""
    fields = [(field, name) for field, name in DRAWN.get(run.task, _USUAL) if field != "answer" or record.category not in FAILED]
    pair = [(name, str(getattr(record, field))) for field, name in fields if getattr(record, field) is not None]
    urgent = record.witness is not None
    if run.task == "nl2re":
        read = {name: str(record.details.get(name) or usual) for name, usual in _READ.items()}
        return [(name, drawer.take(text, urgent=urgent, **read)) for name, text in pair]
    letters = sorted({c for name, text in pair for c in text if c.isalnum()})
    return [(name, drawer.take(text, letters, urgent=urgent)) for name, text in pair]


def length(record: Record) -> int:
    """Characters of the input."""
    return len(record.input)


def curves(run: Run) -> dict[str, list[tuple[int, int, int, float]]]:
    """Each metric against the input's length: least and greatest length, items and value of at most twelve bins.

    Bins hold about equally many items; items of one length stay together.

    >>> from regsynth.bench.results import Record, Run
    >>> records = tuple(Record(id=i, input="a" * (1 + i % 2), category="minimal", values={"minimality": i % 2}) for i in range(10))
    >>> run = Run(task="regexmin", name="x", n=10, metrics={"minimality": 0.5}, categories={}, inputs={}, statistics={}, provenance={},
    ...           records=records)
    >>> curves(run)
    {'minimality': [(1, 1, 5, 0.0), (2, 2, 5, 1.0)]}
    """
    scored = sorted((r for r in run.records if r.values), key=length)
    bins: list[list[Record]] = []
    for record in scored:
        full = bins and len(bins[-1]) >= len(scored) / BINS
        if not bins or (full and length(record) > length(bins[-1][-1])):
            bins.append([])
        bins[-1].append(record)
    out: dict[str, list[tuple[int, int, int, float]]] = {}
    for group in bins:
        for name, value in aggregate(run.metrics, [r.values for r in group]).items():
            if value is not None:
                out.setdefault(name, []).append((length(group[0]), length(group[-1]), len(group), round(value, 5)))
    timed = [r for r in scored if r.tokens is not None]
    if timed:
        for group in bins:
            known = [r.tokens for r in group if r.tokens is not None]
            if known:
                out.setdefault("tokens", []).append((length(group[0]), length(group[-1]), len(known), sum(known) / len(known)))
    return out


def clip(text: str, limit: int = CLIP) -> str:
    """A text of at most ``limit`` characters; what is left out is said.

    >>> clip("abc" * 200, 10)
    'abcabcabca… (590 more characters)'
    """
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit} more characters)"


def _beyond(text: str | None) -> str | None:
    """A text the table has clipped, longer."""
    return None if text is None or len(text) <= CLIP else clip(text, RAW)
