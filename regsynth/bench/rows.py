"""Rows that need no model: solvers and simple baselines that answer a task."""

from __future__ import annotations

from regsynth.bench.deadline import Deadline, deadline
from regsynth.bench.items import Item, Response, Settings
from regsynth.budget import Budget
from regsynth.errors import InputError, RegsynthError

SOLVERS = ("auto", "enumerate", "sat", "maxsat", "smt", "portfolio")
ROWS = {
    "regexmin": (*SOLVERS, "input", "greedy"),
    "regexeq": ("auto", "label"),
    "rei": (*SOLVERS, "trivial"),
    "nl2re": ("reference",),
}
"""Who can answer each task: a road of the solver; ``input`` (unchanged), ``greedy`` (:mod:`regsynth.syntax.simplify`),
``label`` (the dataset's own), ``trivial`` (the union of the positives), ``reference`` (the dataset's pattern)."""

MEMORY = 1 << 30


def check(solver: str, task: str) -> str:
    """Refuse a row that cannot answer the task; returns its name.

    >>> check("greedy", "rei")
    Traceback (most recent call last):
    ...
    regsynth.errors.InputError: --solver 'greedy' does not answer rei; choose from auto, enumerate, sat, maxsat, smt, portfolio, trivial
    """
    if solver not in ROWS[task]:
        raise InputError(f"--solver {solver!r} does not answer {task}; choose from {', '.join(ROWS[task])}")
    return solver


def answer(solver: str, item: Item, settings: Settings) -> Response:
    """What a row answers to an item; no response where its budget runs out without one.

    >>> answer("auto", Item(id=1, task="regexmin", input="a+a"), Settings()).text
    'a'
    """
    try:
        return Response(_ANSWERS[item.task](solver, item, settings))
    except InputError:
        raise
    except (Deadline, RegsynthError, MemoryError):
        return Response(None)


def _regexmin(solver: str, item: Item, settings: Settings) -> str | None:
    from regsynth.solvers.minimise import minimize
    from regsynth.syntax.formal import parse
    from regsynth.syntax.simplify import simplify

    if solver == "input":
        return item.input
    if solver == "greedy":
        return str(simplify(parse(item.input)))
    found = minimize(parse(item.input), solver=solver, budget=Budget(seconds=settings.seconds, memory=MEMORY))
    return None if found.regex is None else str(found.regex)


def _regexeq(solver: str, item: Item, settings: Settings) -> str | None:
    from regsynth.automata.reference import compare
    from regsynth.syntax.formal import parse

    if solver == "label":
        return None if item.expected is None else str(item.expected)
    with deadline(settings.seconds):
        found = compare(parse(item.input), parse(item.reference or ""), alphabet=tuple(item.letters))
    return None if found.verdict == "unknown" else str(bool(found))


def _rei(solver: str, item: Item, settings: Settings) -> str | None:
    from regsynth.bench.reic_baselines import trivial
    from regsynth.solvers.inference import infer
    from regsynth.solvers.results import Operators
    from regsynth.syntax.costs import Costs

    if solver == "trivial":
        return trivial({"positives": item.positives or ()})
    found = infer(
        item.positives or (), item.negatives or (), costs=Costs.of(item.costs or (1,) * 8), operators=Operators.parse(item.operators),
        alphabet=tuple(item.letters), solver=solver, budget=Budget(seconds=settings.seconds, memory=MEMORY),
    )  # fmt: skip
    return None if found.regex is None else str(found.regex)


def _nl2re(solver: str, item: Item, settings: Settings) -> str | None:
    return item.reference


_ANSWERS = {"regexmin": _regexmin, "regexeq": _regexeq, "rei": _rei, "nl2re": _nl2re}
