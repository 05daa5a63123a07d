"""RegexMin: give the shortest expression of the same language.

``minimality``: answers of minimal cost; ``equivalence``: answers proven equivalent;
``length_ratio``: geometric mean of answer length ÷ input length, where an answer that is
not proven equivalent, or is longer than the input, counts as 1.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from regsynth.automata.position import to_dfa
from regsynth.automata.reference import Comparison, compare
from regsynth.bench.answers import asked, failed, read_expression
from regsynth.bench.deadline import JUDGING, Deadline, deadline
from regsynth.bench.items import DEFAULT, Item, Response, Settings, response_of
from regsynth.bench.results import Record, Values
from regsynth.budget import Budget
from regsynth.errors import BudgetExceeded, MethodsDisagree, RegsynthError
from regsynth.solvers.minimise import minimize
from regsynth.syntax.formal import parse
from regsynth.syntax.simplify import simplify
from regsynth.syntax.tree import Expr

METRICS = ("minimality", "equivalence", "length_ratio")
LONG = 5_000  # letters from which the kernels decide equivalence
STATES = 200_000
MEMORY = 1 << 30
WRONG: Values = {"minimality": 0, "equivalence": 0, "length_ratio": 1}


class Optimum(NamedTuple):
    """The least cost known of an item, and what is proven about it."""

    cost: int
    regex: str
    lower_bound: int
    contradiction: str = ""  # how two of our methods disagree: a bug

    @property
    def status(self) -> str:
        """``proven``, ``best_known`` or ``contradicted``."""
        return "contradicted" if self.contradiction else "proven" if self.cost == self.lower_bound else "best_known"


def score(item: Item, response: str | Response | None, settings: Settings = DEFAULT) -> Record:
    """Score one response to one item.

    Parameters
    ----------
    item : Item
    response : str, Response or None
        ``None``: there is none, and the item counts as wrong.
    settings : Settings

    Examples
    --------
    >>> item = Item(id=1, task="regexmin", input="a?d*(b+d+d+d)", letters="abcd")
    >>> record = score(item, r"\\boxed{a?d*(b+d)}")
    >>> record.category, record.cost, record.optimum, record.optimum_status
    ('minimal', 9, 9, 'proven')
    >>> record = score(item, "Answer: a?d*b")
    >>> record.category, record.witness, record.accepted_by
    ('different', 'd', 'reference')
    """
    began = time.perf_counter()
    response = response_of(response)
    source = parse(item.input)
    fields = {**asked(item, response), "label": item.label}
    category, values, expr = "timeout", WRONG, None
    try:
        with deadline(JUDGING * settings.seconds):
            answer = read_expression(item, response, settings)
            fields |= answer.fields()
            expr = answer.expr
            if expr is None:
                category = failed(response, settings)
            else:
                fields["cost"] = expr.length
                verdict = same_language(expr, source, item)
                fields |= {"reference": item.input, "reason": verdict.reason, **witness_of(verdict)}
                category = verdict.verdict
    except (Deadline, MemoryError) as error:
        category, fields["reason"] = "timeout", str(error) or "out of memory"
    left = max(settings.seconds - (time.perf_counter() - began), 0.1)
    best = optimum_of(item, source, settings, left)
    fields |= {
        "optimum": best.cost, "optimum_regex": best.regex, "optimum_status": best.status, "lower_bound": best.lower_bound,
        "details": {"input_cost": source.length, "greedy_cost": simplify(source).length},
    }  # fmt: skip
    findings = ["beats_optimum"] if best.contradiction else []
    if best.contradiction:
        fields["details"]["recheck"] = best.contradiction
    if category == "equivalent" and expr is not None:
        if expr.length < best.lower_bound:
            findings = ["beats_optimum"]
            fields["details"]["recheck"] = recheck(expr, source, item)
        if item.label is not None and expr.length < item.label:
            findings.append("label_error")
        minimal = expr.length <= best.lower_bound
        category = "minimal" if minimal else "longer"
        values = {
            # Unproven optimum, and no cheaper expression known: neither minimal nor not.
            "minimality": int(minimal) if minimal or expr.length > best.cost else None,
            "equivalence": 1, "length_ratio": min(1.0, expr.length / source.length),
        }  # fmt: skip
    return Record(**fields, category=category, values=dict(values), findings=tuple(findings), seconds=_since(began))


def same_language(expr: Expr, source: Expr, item: Item) -> Comparison:
    """Compare an answer with an expression, by the kernels where it is long."""
    if expr.length < 2 * LONG:
        return compare(expr, source, alphabet=tuple(item.letters), states=STATES)
    from regsynth.automata.batch import compare_many

    found = compare_many([str(expr)], [str(source)], states=STATES, jobs=1)
    word = found.witness(0)
    return Comparison(found.name(0), None if word is None else tuple(word), found.side(0), None if word or found.name(0) != "unknown"
                      else f"more than {STATES} product states")  # fmt: skip


def witness_of(verdict: Comparison) -> dict[str, Any]:
    """The witness of a comparison of an answer (first) with its reference (second)."""
    side = {"first": "answer", "second": "reference"}.get(verdict.accepted_by or "")
    return {"witness": verdict.word, "accepted_by": side}


def optimum_of(item: Item, source: Expr, settings: Settings, seconds: float) -> Optimum:
    """The least cost of the item's language: proven, or the best known within the budget.

    The dataset's own minimal expression is a candidate where it is equivalent.
    """
    best = Optimum(source.length, item.input, 1)
    try:
        with deadline(seconds + 0.5):
            found = minimize(source, budget=Budget(seconds=seconds, steps=settings.steps, memory=MEMORY))
            if found.regex is not None and found.cost is not None:
                best = Optimum(found.cost, str(found.regex), found.lower_bound)
            if item.label_regex is not None:
                known = parse(item.label_regex)
                if known.length < best.cost and same_language(known, source, item):
                    wrong = known.length < best.lower_bound
                    why = f"the dataset's {known} costs {known.length}, below the proven bound {best.lower_bound}" if wrong else ""
                    best = Optimum(known.length, item.label_regex, best.lower_bound, why)
    except MethodsDisagree as error:
        best = best._replace(contradiction=str(error))
    except (Deadline, RegsynthError, MemoryError):
        pass
    return best


def recheck(expr: Expr, source: Expr, item: Item) -> str:
    """Decide an equivalence once more by other means: both minimal DFAs, state by state."""
    from regsynth.automata.dfa import minimise

    letters = tuple(item.letters)
    try:
        first, second = (minimise(to_dfa(e, letters, STATES)) for e in (expr, source))
    except BudgetExceeded as error:
        return f"unknown: {error}"
    same = first.delta == second.delta and first.accepting == second.accepting
    return "the minimal DFAs are the same: the proven bound is wrong" if same else "the minimal DFAs differ: the verdict is wrong"


def _since(began: float) -> float:
    return round(time.perf_counter() - began, 6)
