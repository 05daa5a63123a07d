"""Regular-expression inference: the ten metrics of the REI challenge, an item at a time.

Of several samples for an item the one with the best PN ratio counts, ties by cost.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from regsynth.automata.position import PositionAutomaton
from regsynth.bench.answers import asked, failed, read_expression
from regsynth.bench.deadline import JUDGING, Deadline, deadline
from regsynth.bench.items import DEFAULT, Item, Response, Settings, response_of
from regsynth.bench.regexmin import Optimum
from regsynth.bench.reic_metrics import Score
from regsynth.bench.reic_metrics import score as scored
from regsynth.bench.results import Record, Values
from regsynth.budget import Budget
from regsynth.errors import BudgetExceeded, MethodsDisagree, RegsynthError
from regsynth.syntax.costs import Costs
from regsynth.syntax.tree import Expr

METRICS = (
    "compile_ratio", "precise", "precise_ratio", "positive_ratio", "negative_ratio", "pn_ratio", "minimal",
    "minimal_ratio_precise", "minimal_ratio_global", "cost_ratio",
)  # fmt: skip
STATES = 100_000
MEMORY = 1 << 30
LONG = 20_000  # letters of an answer we still run on words: bit sets of positions grow with its square


def score(item: Item, response: str | Response | None, settings: Settings = DEFAULT) -> Record:
    """Score one response to one inference problem.

    Examples
    --------
    >>> item = Item(id=1, task="rei", input="", letters="01", positives=("0", "00"), negatives=("1",), costs=(1,) * 8)
    >>> record = score(item, "0?0")
    >>> record.category, record.cost, record.optimum, record.optimum_regex
    ('precise', 4, 2, '0*')
    >>> record = score(item, "0")
    >>> record.category, record.witness, record.accepted_by
    ('imprecise', '00', 'reference')
    """
    began = time.perf_counter()
    response = response_of(response)
    positives, negatives, costs = item.positives or (), item.negatives or (), Costs.of(item.costs or (1,) * 8)
    fields = {**asked(item, response), "label": item.label, "reference": item.label_regex}
    details: dict[str, Any] = {}
    found: Score | None = None
    try:
        with deadline(JUDGING * settings.seconds):
            answer = read_expression(item, response, settings)
            fields |= answer.fields()
            if answer.expr is None:
                category = failed(response, settings)
            else:
                fields["cost"] = cost = costs.of_expr(answer.expr)
                wrong = wrong_words(answer.expr, item)
                if wrong is None:
                    category, fields["reason"] = "timeout", f"more than {LONG} letters or {STATES} states"
                else:
                    missed, held = wrong
                    problem = {"positives": positives, "negatives": negatives}
                    found = scored(problem, len(positives) - len(missed), len(held), cost)
                    category = "precise" if found.precise else "imprecise"
                    details |= {"missed": missed[:5], "accepted": held[:5]}
                    if not found.precise:
                        side = "reference" if missed else "answer"
                        word = min((missed or held), key=lambda w: (len(w), w))
                        fields |= {"witness": word, "accepted_by": side}
    except (Deadline, MemoryError) as error:
        category, fields["reason"] = "timeout", str(error) or "out of memory"
    left = max(settings.seconds - (time.perf_counter() - began), 0.1)
    best = optimum_of(item, costs, left)
    findings: list[str] = []
    if found is not None and found.precise:
        if best is not None and found.cost < best.lower_bound:  # the bound may be the dataset's: prove it again
            again = optimum_of(replace(item, lower_bound=None), costs, settings.seconds)
            ours = again is not None and found.cost < again.lower_bound
            findings.append("beats_optimum" if ours or item.lower_bound is not None else "label_error")
            details["recheck"] = "our own search proves the same bound" if ours else "the dataset's bound; ours is lower"
        if item.label is not None and found.cost < item.label and "label_error" not in findings:
            findings.append("label_error")
        if best is not None and found.cost <= best.lower_bound:
            category = "minimal"
    if best is not None:
        if best.contradiction:
            findings.append("beats_optimum")
            details["recheck"] = best.contradiction
        fields |= {"optimum": best.cost, "optimum_regex": best.regex, "optimum_status": best.status, "lower_bound": best.lower_bound}
    return Record(
        **fields, category=category, details=details, values=contributions(found, best), findings=tuple(dict.fromkeys(findings)),
        seconds=round(time.perf_counter() - began, 6),
    )  # fmt: skip


def wrong_words(expr: Expr, item: Item) -> tuple[list[str], list[str]] | None:
    """Positives an answer rejects and negatives it accepts; ``None`` beyond the budget."""
    if expr.letters > LONG:
        return None
    try:
        automaton = PositionAutomaton(expr, tuple(item.letters), STATES)
    except BudgetExceeded:
        return None
    index = {symbol: i for i, symbol in enumerate(item.letters)}

    def accepts(word: str) -> bool:
        return automaton.accepts([index[c] for c in word])

    return [w for w in item.positives or () if not accepts(w)], [w for w in item.negatives or () if accepts(w)]


def optimum_of(item: Item, costs: Costs, seconds: float) -> Optimum | None:
    """The dataset's optimum where we proved it when the dataset was made, else the best found now."""
    from regsynth.solvers.inference import infer
    from regsynth.solvers.results import Operators

    label = None if item.label is None else Optimum(item.label, item.label_regex or "", costs.atom)
    if label is not None and item.lower_bound is not None:
        return label._replace(lower_bound=item.lower_bound)
    try:
        with deadline(seconds + 0.5):
            found = infer(
                item.positives or (), item.negatives or (), costs=costs, operators=Operators.parse(item.operators),
                alphabet=tuple(item.letters), budget=Budget(seconds=seconds, memory=MEMORY),
            )  # fmt: skip
    except MethodsDisagree as error:
        return (label or Optimum(0, "", costs.atom))._replace(contradiction=str(error))
    except (Deadline, RegsynthError, MemoryError):
        return label
    bound = found.lower_bound
    if found.regex is not None and found.cost is not None and (label is None or found.cost <= label.cost):
        return Optimum(found.cost, str(found.regex), bound)
    return None if label is None else label._replace(lower_bound=min(bound, label.cost))


def contributions(found: Score | None, best: Optimum | None) -> Values:
    """What an item's answer adds to each metric; ``None`` where the optimum is not known."""
    if found is None:
        return {**dict.fromkeys(METRICS, 0.0), "minimal_ratio_precise": None, "cost_ratio": None}
    minimal: float | None = None
    if best is not None:
        minimal = 1.0 if found.cost <= best.lower_bound else 0.0 if found.cost > best.cost or best.status == "proven" else None
    if not found.precise:
        minimal = 0.0
    precise = float(found.precise)
    return {
        "compile_ratio": 1.0, "precise": precise, "precise_ratio": precise, "positive_ratio": found.positive,
        "negative_ratio": found.negative, "pn_ratio": found.pn, "minimal": minimal,
        "minimal_ratio_precise": minimal if found.precise else None, "minimal_ratio_global": minimal,
        "cost_ratio": found.cost / best.cost if found.precise and best is not None and best.cost else None,
    }  # fmt: skip


def combine(records: list[Record], settings: Settings) -> list[Record]:
    """Move the values of an item's best sample to its first record."""
    if len(records) < 2:
        return records

    def rank(record: Record) -> tuple[float, float, float]:
        values = record.values
        return (values["compile_ratio"] or 0, values["pn_ratio"] or 0, -(record.cost or 0))

    best = max(records, key=rank)
    return [replace(record, values=best.values if i == 0 else {}) for i, record in enumerate(records)]
