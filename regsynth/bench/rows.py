"""Rows that need no model: solvers and simple baselines that answer a task."""

from __future__ import annotations

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
"""Who can answer each task: a road of the solver; ``input`` (unchanged), ``greedy`` (:mod:`regsynth.bench.greedy`),
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
    except RegsynthError as error:
        if isinstance(error, InputError):
            raise
        return Response(None)


def _regexmin(solver: str, item: Item, settings: Settings) -> str | None:
    from regsynth.api import minimize
    from regsynth.bench.greedy import simplify
    from regsynth.syntax.formal import parse

    if solver == "input":
        return item.input
    if solver == "greedy":
        return str(simplify(parse(item.input)))
    found = minimize(item.input, solver=solver, budget=Budget(seconds=settings.seconds, memory=MEMORY))
    return None if found.regex is None else str(found.regex)


def _regexeq(solver: str, item: Item, settings: Settings) -> str | None:
    from regsynth.api import equivalent

    if solver == "label":
        return None if item.expected is None else str(item.expected)
    found = equivalent(item.input, item.reference or "", budget=Budget(seconds=settings.seconds))
    return None if found.verdict == "unknown" else str(bool(found))


def _rei(solver: str, item: Item, settings: Settings) -> str | None:
    from regsynth.api import infer
    from regsynth.bench.reic_baselines import trivial

    if solver == "trivial":
        return trivial({"positives": item.positives or ()})
    found = infer(
        item.positives or (), item.negatives or (), costs=item.costs or (1,) * 8, operators=item.operators, alphabet=item.letters,
        solver=solver, budget=Budget(seconds=settings.seconds, memory=MEMORY),
    )  # fmt: skip
    return None if found.regex is None else str(found.regex)


def _nl2re(solver: str, item: Item, settings: Settings) -> str | None:
    return item.reference


_ANSWERS = {"regexmin": _regexmin, "regexeq": _regexeq, "rei": _rei, "nl2re": _nl2re}
