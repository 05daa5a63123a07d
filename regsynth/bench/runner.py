"""Score a set of predictions, or a solver: all cores, ten seconds an answer, resumable.

One unit of work is an item and one distinct response to it. Results are kept in a
journal beside the output as they come, so a run that is killed goes on where it
stopped; they do not depend on order, on the number of processes, or on kills.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from regsynth._version import __version__
from regsynth.bench.inputs import Joined, Predictions, join
from regsynth.bench.items import Dataset, Item, Response, Settings
from regsynth.bench.results import Record, Run, aggregate
from regsynth.bench.statistics import statistics
from regsynth.bench.tasks import task_of
from regsynth.corpora.executors import KILLED, Executor, Processes, Serial
from regsynth.corpora.folders import Journal
from regsynth.errors import InputError

SCHEMA = "regsynth/bench-journal/1"
OPEN = ("equivalent", "vulnerable")  # what is not known of an answer whose scoring was ended
MANY = 50  # answers for which loading the kernels (a second) pays
Progress = Callable[[str, int, int], None]
Given = tuple[str | None, int | None, int | None, str | None]  # a response, as a key


class Unit(NamedTuple):
    """An item and one response to it, or the solver that is to answer."""

    item: Item
    response: Response
    solver: str = ""
    number: int = 0  # of the response among the item's distinct ones

    @property
    def key(self) -> str:
        return f"{self.item.id}\t{self.number}"


def work(settings: Settings, unit: Unit) -> dict[str, Any]:
    """One record. A fault of ours in one item must not take the others with it: it becomes a finding."""
    began = time.perf_counter()
    try:
        response = unit.response
        if unit.solver:
            from regsynth.bench.rows import answer

            response = answer(unit.solver, unit.item, settings)
        record = task_of(unit.item.task).score(unit.item, response, settings)
    except Exception as error:
        if isinstance(error, InputError):
            raise
        return lost(unit, f"{type(error).__name__}: {error}", "unknown", time.perf_counter() - began, ("internal_error",)).to_dict()
    return record.to_dict()


def lost(unit: Unit, reason: str, category: str, seconds: float = 0.0, findings: tuple[str, ...] = ()) -> Record:
    """The record of an answer that could not be scored; it counts as wrong."""
    try:
        empty = task_of(unit.item.task).score(unit.item, None, Settings(seconds=1.0))
    except Exception:  # nothing can be said of the item at all
        empty = Record(id=unit.item.id, input=unit.item.input, category=category)
    details = {name: None if name in OPEN else value for name, value in empty.details.items()}
    return replace(
        empty, category=category, details=details, reason=reason, raw=unit.response.text, seconds=round(seconds, 6), findings=findings,
        tokens=unit.response.tokens, thinking_tokens=unit.response.thinking_tokens,
    )  # fmt: skip


def warm(task: str) -> None:
    """Prepare a worker: the watchdog, and one tier of the search for every item, so that ties are broken the same way everywhere."""
    from regsynth.bench.deadline import guard_worker

    load_kernels(task)
    guard_worker()


def load_kernels(task: str) -> None:
    """Have every optimum found by the compiled search: compiled now, where no item's time runs out meanwhile."""
    if task in ("regexmin", "rei"):
        from regsynth.solvers.warmup import warm as compile_kernels

        compile_kernels()


def nothing() -> None:
    """Nothing to prepare in this process."""


def run(
    dataset: Dataset,
    predictions: Predictions | None = None,
    *,
    solver: str = "",
    name: str = "",
    settings: Settings | None = None,
    jobs: int = 0,
    journal: Path | None = None,
    verdicts: Mapping[str, Predictions] | None = None,
    provenance: Mapping[str, Any] | None = None,
    progress: Progress = lambda what, done, total: None,
) -> Run:
    """Score predictions, or a solver's answers, against a dataset.

    Parameters
    ----------
    dataset : Dataset
    predictions : Predictions, optional
        Or else
    solver : str
        A row of :mod:`regsynth.bench.rows`.
    name : str
        Of the row; that of the predictions or the solver by default.
    settings : Settings, optional
    jobs : int
        Worker processes. 0 scores in this process, where compiled code that overlooks a deadline cannot be stopped.
    journal : path, optional
        Where results are kept as they come; removed at the end.
    verdicts : mapping, optional
        nl2re: others' verdicts by ``pass`` or ``dfa-eq``, to compare with ours.
    provenance : mapping, optional
        Added to that of the run.
    progress : callable

    Raises
    ------
    InputError
        No id fits, or the journal is of another run.
    """
    settings = settings or Settings()
    task = task_of(dataset.task)
    began = time.perf_counter()
    if predictions is not None:
        joined = join(dataset, predictions, several=task.several)
    elif solver:
        from regsynth.bench.rows import check

        check(solver, task.name)
        joined = Joined([[Response(None)] for _ in dataset.items], {"answered": len(dataset.items), "missing": 0})
    else:
        raise InputError("give predictions, or a solver")
    units, places = _units(dataset, joined, solver)
    found = _solved(units, settings, jobs, journal, _head(dataset, predictions, solver, settings), progress)
    records: list[Record] = []
    for item, numbers in zip(dataset.items, places, strict=True):
        group = [replace(found[f"{item.id}\t{number}"], sample=i) for i, number in enumerate(numbers)]
        records += task.combine(group, settings)
    metrics = aggregate(task.metrics(settings), (record.values for record in records if record.values))
    if verdicts:
        from regsynth.bench.disagreements import compare_verdicts

        records, compared = compare_verdicts(dataset, records, verdicts)
    else:
        compared = None
    counted = statistics(task.name, records)
    if compared is not None:
        counted["verdicts"] = compared
    if journal is not None:
        journal.unlink(missing_ok=True)
    return Run(
        task=task.name, name=name or solver or (predictions.name if predictions else ""), n=len(dataset.items), metrics=metrics,
        categories=counted.pop("categories"), inputs=joined.report, statistics=counted,
        provenance={**_provenance(dataset, predictions, solver, settings, began), **(provenance or {})}, records=tuple(records),
    )  # fmt: skip


def _units(dataset: Dataset, joined: Joined, solver: str) -> tuple[list[Unit], list[list[int]]]:
    """The distinct units, and for each item the number of each sample's unit."""
    units: list[Unit] = []
    places: list[list[int]] = []
    for item, responses in zip(dataset.items, joined.responses, strict=True):
        seen: dict[Given, int] = {}
        for response in responses:
            if response not in seen:
                seen[response] = len(seen)
                units.append(Unit(item, response, solver, seen[response]))
        places.append([seen[response] for response in responses])
    return units, places


def _solved(
    units: list[Unit], settings: Settings, jobs: int, path: Path | None, head: dict[str, Any], progress: Progress
) -> dict[str, Record]:
    """A record for every unit, those in the journal first."""
    found: dict[str, Record] = {}
    keep: Journal | None = None
    if path is not None:
        keep = Journal(path)
        lines = keep.read()
        if lines and lines[0] != head:
            changed = next((key for key in head if lines[0].get(key) != head[key]), "run")
            raise InputError(f"{path}: left by an unfinished run with another {changed}; delete it, or give another --output")
        for line in lines[1:]:
            found[line["key"]] = Record.from_dict(json.loads(line["record"]))
        keep.__enter__()
        if not lines:
            keep.append([head])
    todo = [unit for unit in units if unit.key not in found]
    total = len(units)
    progress("answers", total - len(todo), total)
    executor: Executor = Processes(jobs) if jobs else Serial()
    if not jobs and total > MANY:
        load_kernels(units[0].item.task)
    prepare = partial(warm, units[0].item.task) if jobs else nothing
    try:
        for unit, result in executor.run(partial(work, settings), todo, prepare) if todo else ():
            if result == KILLED:
                result = lost(unit, "scoring it ended the worker process (time or memory)", "timeout").to_dict()
            if keep is not None:
                keep.append([{"key": unit.key, "record": json.dumps(result)}])  # ASCII within: an answer may hold lone surrogates
            found[unit.key] = Record.from_dict(result)
            progress("answers", len(found), total)
    finally:
        if keep is not None:
            keep.__exit__()
    return found


def _head(dataset: Dataset, predictions: Predictions | None, solver: str, settings: Settings) -> dict[str, Any]:
    """What the results depend on."""
    items = sha256(repr(dataset.items).encode("utf-8", "backslashreplace")).hexdigest()
    head = {
        "schema": SCHEMA, "task": dataset.task, "dataset": dataset.digest, "items": items, "solver": solver,
        "predictions": predictions.digest if predictions else "", "settings": asdict(settings), "version": __version__,
    }  # fmt: skip
    value: dict[str, Any] = json.loads(json.dumps(head))
    return value


def _provenance(
    dataset: Dataset, predictions: Predictions | None, solver: str, settings: Settings, began: float
) -> dict[str, Any]:
    import numba
    import numpy

    given = None if predictions is None else {"name": predictions.name, "sha256": predictions.digest}
    versions = {"regsynth": __version__, "python": platform.python_version(), "numba": numba.__version__, "numpy": numpy.__version__}
    return {
        "command": None, "dataset": {"name": dataset.name, "sha256": dataset.digest, "items": len(dataset.items)},
        "predictions": given, "solver": solver or None, "prompt": None,
        "versions": versions, "options": json.loads(json.dumps(asdict(settings))),
        "date": time.strftime("%Y-%m-%d"), "seconds": round(time.perf_counter() - began, 3),
    }  # fmt: skip
