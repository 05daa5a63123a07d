"""One practical pattern against one task, and whole lists of both: the public functions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from regsynth.bench.datasets import items_of
from regsynth.bench.items import Dataset, Item, Settings
from regsynth.bench.results import Record, Run
from regsynth.errors import InputError

TASK_FIELDS = "prompt, positives, negatives, reference; perhaps dialect, semantics, flags"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How a pattern does on a task.

    Attributes
    ----------
    right, total : int
        Examples.
    wrong : tuple of str
        The first examples it gets wrong.
    passed : bool or None
        Right on every example; ``None`` where there are none, or ``re`` and the automaton were both too slow.
    verdict : str or None
        Against the reference: ``equivalent``, ``different``, ``undecidable``, ``unsupported``, ``unknown``; ``None`` without one.
    witness, accepted_by : str or None
        A shortest subject that only one of them matches, and which: ``answer`` or ``reference``.
    vulnerable : bool or None
        Whether a backtracking matcher needs more than linearly many steps; ``None``: not known.
    growth : str or None
        How many, in words.
    exact, usable : bool
        Same text as the reference; fit for use, see :mod:`regsynth.bench.nl2re`.
    category : str
    reason : str or None
        Why invalid, or without a verdict.
    """

    right: int
    total: int
    wrong: tuple[str, ...]
    passed: bool | None
    verdict: str | None
    witness: str | None
    accepted_by: str | None
    vulnerable: bool | None
    growth: str | None
    exact: bool
    usable: bool | None
    category: str
    reason: str | None

    def __bool__(self) -> bool:
        return self.usable is True

    def __str__(self) -> str:
        safety = {True: "vulnerable", False: "not vulnerable", None: "vulnerability unknown"}[self.vulnerable]
        return "  ".join(filter(None, [f"{self.right}/{self.total}", self.verdict, safety if self.category != "invalid" else "invalid"]))


def evaluate(pattern: str, task: Mapping[str, Any] | Path | str, *, seconds: float = 10.0) -> Evaluation:
    """Score one practical pattern.

    Parameters
    ----------
    pattern : str
    task : mapping or path
        ``prompt``, ``positives``, ``negatives``, ``reference``; perhaps ``dialect`` (python), ``semantics`` (fullmatch) and
        ``flags``. A path is a JSON file with such an object. Records of RegexEval do as they are (and mean search).
    seconds : float

    Returns
    -------
    Evaluation
        True when usable.

    Raises
    ------
    InputError
        When the task lacks examples and reference, or the file is none.

    Examples
    --------
    >>> found = evaluate("[0-9]+", {"positives": ["1", "23"], "negatives": ["", "a", "1a"], "reference": "[0-9][0-9]*"})
    >>> print(found)
    5/5  equivalent  not vulnerable
    >>> found = evaluate("(a|a)*b?", {"positives": ["aa"], "negatives": ["b"], "reference": "a+"})
    >>> found.right, found.wrong, found.witness, found.accepted_by, found.growth
    (1, ('b',), '', 'answer', 'exponential')
    """
    from regsynth.bench.nl2re import score

    item = task_item(task)
    return of_record(score(item, pattern, Settings(seconds=seconds)), item)


def task_item(task: Mapping[str, Any] | Path | str) -> Item:
    """A task as an item of nl2re."""
    if isinstance(task, Mapping):
        return items_of("nl2re", [("task", task.get("id", 1), task)])[0]
    path = Path(task)
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({error}); give an object with {TASK_FIELDS}") from None
    if not isinstance(record, dict):
        raise InputError(f"{path}: give one JSON object with {TASK_FIELDS}")
    return items_of("nl2re", [(str(path), record.get("id", 1), record)])[0]


def of_record(record: Record, item: Item) -> Evaluation:
    """What a scored record says."""
    facts = record.details
    total = len(item.positives or ()) + len(item.negatives or ())
    verdict = facts.get("verdict") if item.reference is not None else None
    unknown = not total or (record.category == "timeout" and not facts.get("wrong"))  # a timeout scores as a failure, but proves none
    return Evaluation(
        facts.get("right", 0), total, tuple(facts.get("wrong", ())), None if unknown else facts["passed"], verdict, record.witness,
        record.accepted_by, facts["vulnerable"], facts.get("growth"), facts["exact"], facts["usable"], record.category, record.reason,
    )  # fmt: skip


def run(
    tasks: Sequence[Mapping[str, Any]] | Path | str,
    predictions: Mapping[Any, Any] | Sequence[Any] | Path | str,
    *,
    task: str | None = None,
    name: str = "",
    settings: Settings | None = None,
    jobs: int = 0,
) -> Run:
    """Score predictions.

    Parameters
    ----------
    tasks : sequence of mappings, or path
        Records of a dataset, or its file.
    predictions : mapping, sequence or path
        Responses by id, or aligned with the tasks; several samples are a list. Or their file.
    task : {"regexmin", "regexeq", "rei", "nl2re"}, optional
        Told from the records' fields by default (those of RegexPSPACE are taken for regexmin).
    name : str
        Of the row.
    settings : Settings, optional
    jobs : int
        Worker processes, which need a main module that can be imported, as with :mod:`multiprocessing`. 0: this process.

    Returns
    -------
    Run

    Examples
    --------
    >>> found = run([{"id": "x", "query": "a+a"}, {"id": "y", "query": "bb*+b"}], {"y": "bb*", "x": "Answer: a"})
    >>> found.metrics["minimality"], found.categories
    (1.0, {'minimal': 2})
    >>> run([{"query": "a+a"}], ["a?"]).records[0].witness
    ''
    """
    from regsynth.bench.datasets import load
    from regsynth.bench.inputs import given_predictions, read_predictions
    from regsynth.bench.runner import run as score_all

    if isinstance(tasks, (str, Path)):
        dataset = load(task or _guess_file(Path(tasks)), tasks)
    else:
        records = list(tasks)
        if not records or not all(isinstance(record, Mapping) for record in records):
            raise InputError("tasks: give a sequence of records (mappings), or the path of a dataset")
        kind = task or guess(records[0])
        places = ((f"task {i}", record.get("id", record.get("idx", i)), record) for i, record in enumerate(records, 1))
        items = items_of(kind, places)
        ids = [str(item.id) for item in items]
        if len(set(ids)) < len(ids):
            raise InputError(f"tasks: id {next(i for i in ids if ids.count(i) > 1)!r} is given twice; give every task its own id")
        dataset = Dataset(kind, tuple(items), "given", sha256(repr(items).encode("utf-8", "backslashreplace")).hexdigest())
    given = read_predictions(predictions) if isinstance(predictions, (str, Path)) else given_predictions(predictions)
    return score_all(dataset, given, name=name, settings=settings, jobs=jobs)


def guess(record: Mapping[str, Any]) -> str:
    """The task a record looks like.

    >>> guess({"query": "a"}), guess({"positives": [], "negatives": [], "costs": [1]}), guess({"first": "a", "second": "b"})
    ('regexmin', 'rei', 'regexeq')
    """
    if "first" in record and "second" in record:
        return "regexeq"
    practical = ("prompt", "raw_prompt", "reference", "expression", "description")
    if any(name in record for name in practical):
        return "nl2re"
    return "rei" if "positives" in record or "P" in record else "regexmin"


def _guess_file(path: Path) -> str:
    from regsynth.corpora.records import files_of, read

    _, record = next(iter(read(files_of(path)[0])))
    return guess(record) if isinstance(record, dict) else "regexmin"
