"""RegexEQ: do two expressions denote one language?

``accuracy`` counts over all pairs, a failed answer being wrong; ``precision``, ``recall`` and
``f1`` over answered ones, "equivalent" being the positive class; ``fail_rate`` is the share without
an answer. The truth is ours, proven, and a pair for which it is not (``unknown``) counts only where the answer
failed; ``published_…`` are the same against the dataset's labels.
"""

from __future__ import annotations

import time
from typing import Any

from regsynth.bench.answers import asked, failed
from regsynth.bench.deadline import JUDGING, Deadline, deadline
from regsynth.bench.extraction import extract, to_verdict
from regsynth.bench.items import DEFAULT, Item, Response, Settings, response_of
from regsynth.bench.regexmin import STATES
from regsynth.bench.results import Record, Values
from regsynth.errors import RegsynthError

METRICS = ("accuracy", "precision", "recall", "f1", "fail_rate", "published_accuracy", "published_f1")


def score(item: Item, response: str | Response | None, settings: Settings = DEFAULT) -> Record:
    """Score one response to one pair.

    Examples
    --------
    >>> item = Item(id="1:eq", task="regexeq", input="a*", reference="(aa)*", expected=True)
    >>> record = score(item, r"\\boxed{True}")
    >>> record.category, record.witness, record.findings
    ('fp', 'a', ('label_error',))
    >>> score(item, "No idea.").category
    'invalid'
    """
    from regsynth.automata.reference import compare
    from regsynth.syntax.formal import parse

    began = time.perf_counter()
    response = response_of(response)
    fields = {**asked(item, response), "reference": item.reference}
    said: bool | None = None
    category = ""
    try:
        with deadline(JUDGING * settings.seconds):
            found = extract(response.text or "", settings.mode or "paper")
            said = to_verdict(found.text)
            fields |= {"rule": found.rule, "answer": None if said is None else str(said).lower()}
            category = failed(response, settings) if said is None else ""
    except (Deadline, MemoryError) as error:
        category, fields["reason"] = "timeout", str(error) or "out of memory"
    truth: bool | None = None
    details: dict[str, Any] = {"label": item.expected, "truth_status": "unknown"}
    try:
        with deadline(max(settings.seconds - (time.perf_counter() - began), 0.1)):
            verdict = compare(parse(item.input), parse(item.reference or ""), alphabet=tuple(item.letters), states=STATES)
        if verdict.verdict != "unknown":
            truth, details["truth_status"] = bool(verdict), "proven"
            fields["witness"] = verdict.word
            details["accepted_by"] = verdict.accepted_by
        else:
            fields.setdefault("reason", verdict.reason)
    except (Deadline, RegsynthError, MemoryError) as error:
        fields.setdefault("reason", str(error) or "out of memory")
    wrong_label = truth is not None and item.expected is not None and truth is not item.expected
    if not category:
        category = {(True, True): "tp", (False, False): "tn", (True, False): "fp", (False, True): "fn"}.get((said, truth), "unknown")  # type: ignore[arg-type]
    values = {**contributions(said, truth), "fail_rate": float(said is None)}
    if said is None:
        values["accuracy"] = 0.0  # wrong whatever the truth
    values |= {f"published_{name}": value for name, value in contributions(said, item.expected).items()}
    return Record(
        **fields, category=category, values=values, details={**details, "truth": truth},
        findings=("label_error",) if wrong_label else (), seconds=round(time.perf_counter() - began, 6),
    )  # fmt: skip


def contributions(said: bool | None, truth: bool | None) -> Values:
    """What an answer adds to accuracy, precision and recall; nothing where the truth is not known.

    >>> contributions(True, False), contributions(None, True)
    ({'accuracy': 0.0, 'precision': 0.0, 'recall': None}, {'accuracy': 0.0, 'precision': None, 'recall': None})
    """
    if truth is None:
        return {"accuracy": None, "precision": None, "recall": None}
    right = float(said is truth)
    return {
        "accuracy": right,
        "precision": right if said is True else None,
        "recall": right if truth and said is not None else None,
    }
