"""Expressions with published minimal lengths, and long random ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from regsynth.automata.reference import compare
from regsynth.budget import Budget
from regsynth.corpora.regexpspace import urmt
from regsynth.solvers.minimise import minimize
from regsynth.solvers.results import MinimizationResult
from regsynth.syntax.formal import parse

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def regexpspace() -> list[tuple[str, int]]:
    """Queries with their minimal tree lengths."""
    path = DATA / "regexpspace" / "regexpspace.jsonl"
    if not path.exists():
        pytest.skip("needs ../shared/data/regexpspace/regexpspace.jsonl")
    records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [(record["query"], record["minimized_tree_length"]) for record in records]


def mre() -> list[tuple[str, int]]:
    """Expressions of Kahrs and Runciman, with their minimal tree lengths."""
    files = sorted((DATA / "mre").glob("s*w*"))
    if not files:
        pytest.skip("needs ../shared/data/mre/s*")
    return [(line, int(f.name[1 : f.name.index("w")])) for f in files for line in f.read_text(encoding="utf-8").split()]


def check_published(expressions: list[tuple[str, int]]) -> None:
    """Each is proven minimal, at the published length."""
    wrong = []
    for text, minimum in expressions:
        result = verified(text, 60)
        if (result.status, result.cost) != ("optimal", minimum):
            wrong.append((text[:80], minimum, result.status, result.cost, str(result.regex)))
    assert wrong == []


def check_long(depth: int, *, count: int, seconds: float, seed: int) -> int:
    """Verify the answers to URMT expressions of one depth; how many are proven minimal."""
    texts = [record["query"] for record in urmt("abcd", 3 * count, seed) if record["depth"] == depth]
    assert len(texts) == count
    return sum(verified(text, seconds).status == "optimal" for text in texts)


def verified(text: str, seconds: float) -> MinimizationResult:
    """An answer whose equivalence, cost, bound and status have been checked."""
    expr = parse(text)
    result = minimize(expr, budget=Budget(seconds=seconds))
    assert result.regex is not None and result.cost == result.regex.length <= expr.length
    assert compare(expr, result.regex).verdict == "equivalent", (text, result)
    assert 1 <= result.lower_bound <= result.cost
    assert (result.status == "optimal") == (result.lower_bound == result.cost) and result.status in ("optimal", "feasible")
    return result
