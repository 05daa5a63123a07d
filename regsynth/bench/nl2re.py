"""A practical pattern from a description: right on the examples, equivalent to the reference, safe to run?

With n samples of an item of which c are right, the unbiased estimator of a metric at k is
1 − C(n−c, k) / C(n, k), averaged over items:

``pass@k``             right on every example
``dfa-eq@k``           proven equivalent to the reference; what cannot be decided is not
``dfa-eq-decided@k``   the same over the samples that can be decided
``exact@k``            the same text as the reference
``usable@k``           proven not vulnerable, not proven different from the reference, right on every
                       example, and proven equivalent where there are no examples
``vulnerable@k``       a backtracking matcher needs more than linearly many steps, proven

``None`` where a dataset has no data for a metric. Patterns run in a sandbox only.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from math import comb
from typing import Any, NamedTuple

from regsynth.automata.reference import Comparison
from regsynth.bench.answers import asked, failed
from regsynth.bench.deadline import Deadline, deadline
from regsynth.bench.extraction import extract
from regsynth.bench.items import DEFAULT, Item, Response, Settings, response_of
from regsynth.bench.regexmin import witness_of
from regsynth.bench.results import Record, Values
from regsynth.budget import Budget, Clock
from regsynth.errors import BudgetExceeded, InputError, MatchTimeout, RegsynthError
from regsynth.practical import Pattern, compare_patterns, compile_pattern
from regsynth.redos.sandbox import Sandbox

BASES = ("pass", "dfa-eq", "dfa-eq-decided", "exact", "usable", "vulnerable")
FACTS = {"pass": "passed", "dfa-eq": "equivalent", "exact": "exact", "usable": "usable", "vulnerable": "vulnerable"}
WORD_SECONDS = 1.0  # re may take for an example; then the automaton decides
MEMORY = 1 << 30
SHOWN = 5  # wrong examples a record names


class Examples(NamedTuple):
    """How a pattern does on the examples; ``undecided`` neither ``re`` nor the automaton could do in time."""

    right: int
    wrong: list[str]
    slow: list[str]
    undecided: list[str]

    @property
    def passed(self) -> bool | None:
        """Whether all are right; ``None`` when that is not known."""
        return False if self.wrong else None if self.undecided else True


def metrics(k: Sequence[int]) -> tuple[str, ...]:
    """Names of all metrics.

    >>> metrics((1,))[:2]
    ('pass@1', 'dfa-eq@1')
    """
    return tuple(f"{base}@{n}" for n in k for base in BASES)


def score(item: Item, response: str | Response | None, settings: Settings = DEFAULT) -> Record:
    """Score one answer to one item.

    Examples
    --------
    >>> item = Item(id=1, task="nl2re", input="two letters a", reference="^aa$", dialect="python", semantics="search",
    ...             positives=("aa",), negatives=("a", "b"))
    >>> record = score(item, "^a{2}$")
    >>> record.category, record.details["right"], record.details["vulnerable"]
    ('equivalent', 3, False)
    >>> record = score(item, "a+")
    >>> record.category, record.details["wrong"], record.witness, record.accepted_by
    ('failed', ['a'], 'a', 'answer')
    """
    began = time.perf_counter()
    response = response_of(response)
    fields = {**asked(item, response), "reference": item.reference}
    has_examples = item.positives is not None or item.negatives is not None
    facts: dict[str, Any] = {"equivalent": None, "exact": False, "usable": False, "vulnerable": None}
    facts |= {"passed": False if has_examples else None}
    facts |= {"dialect": item.dialect, "semantics": item.semantics, "flags": item.flags or None}
    category = ""
    try:
        with deadline(settings.seconds):
            clock = Budget(seconds=settings.seconds, memory=MEMORY).start()
            found = extract(response.text or "", settings.mode or "raw")
            fields |= {"rule": found.rule, "answer": found.text}
            facts["exact"] = response.text is not None and found.text == item.reference
            pattern = _compiled(item, found.text) if found.text.strip() else "no answer" if response.text is None else "empty answer"
            if isinstance(pattern, str):
                category, fields["reason"] = failed(response, settings), pattern
                facts |= {"equivalent": False, "vulnerable": False}  # no pattern at all
            else:
                category = _judge(item, pattern, clock, settings, fields, facts)
    except (Deadline, MemoryError) as error:
        category, fields["reason"] = "timeout", str(error) or "out of memory"
    if item.dialect == "brics":  # matched by automata, never by backtracking: nothing to measure
        facts["vulnerable"] = None
    elif not settings.vulnerability:
        facts["vulnerable"] = facts["usable"] = None
    if facts["exact"]:
        facts["equivalent"] = True
    return Record(**fields, category=category, details=facts, seconds=round(time.perf_counter() - began, 6))


def _compiled(item: Item, text: str) -> Pattern | str:
    """The pattern, or why it is none."""
    try:
        pattern = compile_pattern(text, dialect=item.dialect, semantics=item.semantics, flags=item.flags)
        if item.dialect == "python":
            _sandbox().match("search", text, "", flags=pattern.flags, timeout=WORD_SECONDS)
    except MatchTimeout:
        pass
    except (RegsynthError, RecursionError, OverflowError) as error:
        return str(error)
    return pattern


def _judge(item: Item, pattern: Pattern, clock: Clock, settings: Settings, fields: dict[str, Any], facts: dict[str, Any]) -> str:
    """Category of a valid answer; adds what is found to the record."""
    if item.positives is not None or item.negatives is not None:
        examples = try_examples(item, pattern, clock)
        facts |= {"passed": examples.passed, "right": examples.right, "wrong": examples.wrong[:SHOWN], "slow": examples.slow[:SHOWN],
                  "examples": len(item.positives or ()) + len(item.negatives or ())}  # fmt: skip
    else:
        examples = None
    verdict = Comparison("unknown", reason="no reference")
    if item.reference is not None:
        verdict = same_subjects(item, pattern, clock)
        facts["equivalent"] = {"equivalent": True, "different": False}.get(verdict.verdict)
        fields |= {"reason": verdict.reason, **witness_of(verdict)}
    facts["verdict"] = verdict.verdict
    if settings.vulnerability and item.dialect == "python":
        facts |= screened(str(pattern.text), item, clock)
    if settings.vulnerability or item.dialect == "brics":
        safe = item.dialect == "brics" or facts["vulnerable"] is False
        facts["usable"] = (
            safe and verdict.verdict != "different"
            and (examples.passed is True if examples is not None else facts["equivalent"] is True)
        )  # fmt: skip
    if verdict.verdict == "equivalent":
        return "equivalent"
    if examples is None:
        return verdict.verdict
    return {True: "passed", False: "failed", None: "timeout"}[examples.passed]


def same_subjects(item: Item, pattern: Pattern, clock: Clock) -> Comparison:
    """Compare an answer with the reference; one text is one language, even where nothing can be decided."""
    if item.reference is None or pattern.text == item.reference:
        return Comparison("equivalent")
    budget = Budget(seconds=max(0.1, clock.left / 2), memory=MEMORY)
    try:
        return compare_patterns(pattern, item.reference, dialect=item.dialect, semantics=item.semantics, flags=item.flags, budget=budget)
    except InputError as error:
        return Comparison("unsupported", reason=f"reference: {error}")


def try_examples(item: Item, pattern: Pattern, clock: Clock) -> Examples:
    """Run a pattern on every example: ``re`` in the sandbox, the automaton where that is too slow or is no ``re``."""
    right = 0
    wrong: list[str] = []
    slow: list[str] = []
    undecided: list[str] = []
    for words, wanted in ((item.positives or (), True), (item.negatives or (), False)):
        for word in words:
            matched: bool | None = None
            if item.dialect == "python" and len(slow) < 3:
                try:
                    seconds = min(WORD_SECONDS, max(0.05, clock.left / 4))
                    matched = bool(_sandbox().match(item.semantics, str(pattern.text), word, flags=pattern.flags, timeout=seconds))  # type: ignore[arg-type]
                except BudgetExceeded:
                    slow.append(word)
            if matched is None:
                try:
                    pattern.machine(clock)
                    matched = pattern.matches(word)
                except RegsynthError:
                    undecided.append(word)
                    continue
            if matched is wanted:
                right += 1
            else:
                wrong.append(word)
    return Examples(right, wrong, slow, undecided)


def screened(pattern: str, item: Item, clock: Clock) -> dict[str, Any]:
    """Whether a backtracking matcher needs more than linearly many steps: true, false, or ``None`` (not known)."""
    from regsynth.redos.screening import screen

    try:
        found = screen(pattern, flags=item.flags, semantics=item.semantics, budget=Budget(seconds=max(0.1, clock.left / 2)))
    except RegsynthError as error:
        return {"vulnerable": None, "growth": f"unknown: {error}"}
    known = {"safe": False, "polynomial": True, "exponential": True}
    return {"vulnerable": known.get(found.verdict), "growth": str(found.growth)}


@lru_cache(maxsize=1)
def _sandbox() -> Sandbox:
    return Sandbox()


def at_k(n: int, right: int, k: int) -> float | None:
    """The unbiased estimator: how likely k of n samples hold a right one; ``None`` with fewer than k samples.

    >>> at_k(10, 3, 1), at_k(10, 10, 10), at_k(2, 1, 5)
    (0.3, 1.0, None)
    """
    return None if n < k or n == 0 else (comb(n, k) - comb(n - right, k)) / comb(n, k)


def combine(records: list[Record], settings: Settings) -> list[Record]:
    """Put the item's values on its first record."""
    values: Values = {}
    facts = [record.details for record in records]
    for k in settings.k:
        for base, fact in FACTS.items():
            known = [f[fact] for f in facts]
            no_data = all(value is None for value in known) and (base != "dfa-eq" or records[0].reference is None)
            values[f"{base}@{k}"] = None if no_data else at_k(len(known), sum(value is True for value in known), k)
        decided = [f["equivalent"] for f in facts if f["equivalent"] is not None]
        values[f"dfa-eq-decided@{k}"] = at_k(len(decided), sum(decided), k) if records[0].reference is not None else None
        if records[0].reference is None:
            values[f"dfa-eq@{k}"] = values[f"exact@{k}"] = None
    ordered = {name: values[name] for name in metrics(settings.k)}
    return [replace(record, values=ordered if i == 0 else {}) for i, record in enumerate(records)]
