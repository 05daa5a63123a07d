"""What a run's records add up to beside its metrics: categories, tokens, rules, optima, findings, baselines."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any

from regsynth.bench.regexmin import METRICS as REGEXMIN
from regsynth.bench.results import CATEGORIES, Record, Values, aggregate

BUCKETS = 10  # ranges of input length in which tokens are averaged


def statistics(task: str, records: Sequence[Record]) -> dict[str, Any]:
    """Counts of a run; see :attr:`regsynth.bench.results.Run.statistics`.

    >>> found = statistics("regexeq", [Record(id=1, input="a", category="tp", rule="boxed", tokens=7)])
    >>> found["categories"], found["tokens"]["by_category"]["tp"]
    ({'tp': 1}, {'n': 1, 'mean': 7.0, 'least': 7, 'most': 7})
    """
    counts = Counter(record.category for record in records)
    order = [*CATEGORIES[task], *sorted(set(counts) - set(CATEGORIES[task]))]
    out: dict[str, Any] = {
        "categories": {name: counts[name] for name in order if counts[name]},
        "rules": _counted(record.rule for record in records),
        "practical_unions": sum(record.practical_union for record in records),
        "optima": _counted(record.optimum_status for record in records if not record.sample),
        "findings": _counted(finding for record in records for finding in record.findings),
        "tokens": tokens(records),
    }
    minimal = {"regexmin": "minimality", "rei": "minimal"}.get(task)
    if minimal is not None:
        out["minimality_undecided"] = sum(minimal in r.values and r.values[minimal] is None for r in records)
    if task == "regexmin":
        out["baselines"] = baselines(records)
    if task == "regexeq":
        out["labels"] = labels(records)
    if task == "nl2re":
        out["vulnerability_unknown"] = sum(r.details.get("vulnerable") is None for r in records if r.answer)
        out["equivalence_undecided"] = sum(r.details.get("equivalent") is None for r in records if r.answer)
    return out


def _counted(values: Iterable[str | None]) -> dict[str, int]:
    return dict(Counter(value for value in values if value is not None).most_common())


def tokens(records: Sequence[Record]) -> dict[str, Any] | None:
    """Tokens of responses by category, and against input length; ``None`` where no counts are given."""
    out: dict[str, Any] = {}
    for name in ("", "thinking_"):
        by: dict[str, list[int]] = defaultdict(list)
        pairs: list[tuple[int, int]] = []
        for record in records:
            count = record.thinking_tokens if name else record.tokens
            if count is not None:
                by[record.category].append(count)
                pairs.append((len(record.input), count))
        if by:
            out[f"{name}by_category"] = {category: _spread(values) for category, values in by.items()}
            out[f"{name}by_length"] = _by_length(pairs)
    return out or None


def _spread(values: list[int]) -> dict[str, float]:
    return {"n": len(values), "mean": round(fmean(values), 2), "least": min(values), "most": max(values)}


def _by_length(pairs: list[tuple[int, int]]) -> list[dict[str, float]]:
    """Mean tokens in ranges of input length (characters)."""
    least, most = min(length for length, _ in pairs), max(length for length, _ in pairs)
    width = max(1, -(-(most - least + 1) // BUCKETS))
    groups: dict[int, list[int]] = defaultdict(list)
    for length, count in pairs:
        groups[(length - least) // width].append(count)
    return [{"from": least + i * width, "to": least + (i + 1) * width - 1, **_spread(groups[i])} for i in sorted(groups)]


def baselines(records: Sequence[Record]) -> dict[str, Values]:
    """RegexMin's rows that need no model: the input unchanged, a greedy simplifier, the exact minimiser."""
    costs: dict[str, Callable[[Record], int]] = {
        "input unchanged": lambda r: int(r.details["input_cost"]),
        "greedy simplifier": lambda r: int(r.details["greedy_cost"]),
        "regsynth exact": lambda r: r.optimum or 0,
    }
    out = {}
    for name, cost in costs.items():
        rows: list[Values] = []
        for record in records:
            if record.optimum is None or record.lower_bound is None or "input_cost" not in record.details:
                continue
            own = cost(record)
            minimal = 1.0 if own <= record.lower_bound else 0.0 if own > record.optimum else None
            rows.append({"minimality": minimal, "equivalence": 1.0, "length_ratio": own / record.details["input_cost"]})
        out[name] = aggregate(REGEXMIN, rows)
    return out


def labels(records: Sequence[Record]) -> dict[str, Any]:
    """How the dataset's labels do against the proven truth."""
    known = [r for r in records if r.details.get("truth_status") == "proven" and r.details.get("label") is not None]
    wrong = [r.id for r in known if r.details["label"] is not r.details["truth"]]
    return {
        "pairs": len(known), "wrong": len(wrong), "accuracy": (len(known) - len(wrong)) / len(known) if known else None,
        "wrong_ids": wrong[:100],
    }  # fmt: skip
