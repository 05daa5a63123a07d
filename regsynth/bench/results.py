"""A scored run: its summary, one record an answer, and the JSON file that keeps both.

The file is one object. ``metrics`` maps names to fractions in 0…1 (``cost_ratio`` and
counts as they are; ``null`` where nothing can be averaged). Each record's ``values``
are its contributions, so that a metric is an aggregate (:data:`AGGREGATES`) of the
values that are not null; a report can resample them without scoring again. Where an
item has several samples each has a record, and the item's values stand on its first.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from statistics import fmean
from types import NoneType
from typing import Any

from regsynth.corpora.folders import write_whole
from regsynth.errors import InputError

SCHEMA = "regsynth/bench/1"

Values = dict[str, float | None]

CATEGORIES = {
    "regexmin": ("minimal", "longer", "different", "invalid", "repetition", "cutoff", "timeout", "unknown", "missing"),
    "regexeq": ("tp", "tn", "fp", "fn", "invalid", "repetition", "cutoff", "timeout", "unknown", "missing"),
    "rei": ("minimal", "precise", "imprecise", "invalid", "repetition", "cutoff", "timeout", "missing"),
    "nl2re": ("equivalent", "passed", "different", "failed", "undecidable", "unsupported", "unknown", "invalid", "repetition",
              "cutoff", "timeout", "missing"),
}  # fmt: skip
"""Categories of each task, best first. ``longer``: equivalent, but not minimal; ``different``: valid, not equivalent;
``unknown``: our budget ran out, so the answer is neither proven right nor wrong; ``missing``: no prediction for the item.
nl2re: ``passed``: right on the examples, not equivalent; ``failed``: wrong on an example."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """How one answer to one item was scored.

    Attributes
    ----------
    id : str or int
        The item's.
    sample : int
        Which of the item's samples, from 0.
    input : str
        The expression, problem or description asked about.
    reference : str or None
        What the answer is compared with: the input again (regexmin), the partner (regexeq),
        the cheapest known expression (rei), the dataset's pattern (nl2re).
    raw : str or None
        The response as given; ``None`` when there is none.
    rule : str or None
        The extraction rule that found the answer, see :mod:`regsynth.bench.extraction`.
    answer : str or None
        What was extracted.
    practical_union : bool
        Whether a ``|`` was read as union.
    category : str
        One of the task's :data:`CATEGORIES`.
    cost, optimum : int or None
        Of the answer, and the least known.
    optimum_regex : str or None
    optimum_status : str or None
        ``proven`` (optimum = proven bound), ``best_known``.
    lower_bound : int or None
        Proven: nothing equivalent is cheaper.
    label : int or None
        The dataset's own minimal cost, where it has one.
    witness : str or None
        Shortest word that tells the answer from the reference, or an example it gets wrong.
    accepted_by : str or None
        ``answer`` or ``reference``: the side that accepts the witness.
    reason : str or None
        Why invalid, unsupported, undecidable or unknown.
    findings : tuple of str
        ``label_error`` (cheaper than the dataset's label), ``beats_optimum`` (cheaper than our proven bound: a bug).
    values : dict
        The answer's contributions to the metrics.
    seconds : float
        Time to score.
    tokens, thinking_tokens : int or None
        Of the response, where given.
    details : dict
        What only this task has.
    """

    id: str | int
    input: str
    category: str
    sample: int = 0
    reference: str | None = None
    raw: str | None = None
    rule: str | None = None
    answer: str | None = None
    practical_union: bool = False
    cost: int | None = None
    optimum: int | None = None
    optimum_regex: str | None = None
    optimum_status: str | None = None
    lower_bound: int | None = None
    label: int | None = None
    witness: str | None = None
    accepted_by: str | None = None
    reason: str | None = None
    findings: tuple[str, ...] = ()
    values: Values = field(default_factory=dict)
    seconds: float = 0.0
    tokens: int | None = None
    thinking_tokens: int | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """As JSON keeps it."""
        return {**asdict(self), "findings": list(self.findings)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Record:
        """From :meth:`to_dict`; unknown fields are left out, so that newer files can be read.

        >>> Record.from_dict({"id": 1, "input": "a+a", "category": "minimal", "new": 0}).category
        'minimal'
        """
        known = {name: values[name] for name in _KINDS if name in values}
        if "id" not in known or "input" not in known or "category" not in known:
            raise InputError("a record without 'id', 'input' or 'category'")
        _check_kinds(known, _KINDS)
        return cls(**{**known, "findings": tuple(known.get("findings") or ())})


_ALLOWED: dict[str, tuple[type, ...]] = {
    "str": (str,), "str | None": (str, NoneType), "str | int": (str, int), "int": (int,), "int | None": (int, NoneType), "bool": (bool,),
    "float": (float, int), "tuple[str, ...]": (list, tuple, NoneType), "Values": (dict,), "dict[str, Any]": (dict,),
    "dict[str, int]": (dict,),
}  # fmt: skip
"""What JSON may hold for a field, by its annotation."""


def _check_kinds(values: Mapping[str, Any], kinds: Mapping[str, str]) -> None:
    """Refuse a field whose value is not of its kind, lest whoever reads it stumbles."""
    for name, value in values.items():
        numbers = value.values() if kinds[name] == "Values" and isinstance(value, dict) else ()
        if not isinstance(value, _ALLOWED[kinds[name]]) or not all(isinstance(number, (int, float, NoneType)) for number in numbers):
            raise InputError(f"field {name!r} is not {kinds[name]}")


_KINDS = {f.name: str(f.type) for f in fields(Record)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A scored run.

    Attributes
    ----------
    task : str
        ``regexmin``, ``regexeq``, ``rei`` or ``nl2re``.
    name : str
        Of the row: a model, a solver, a baseline.
    n : int
        Items of the dataset.
    metrics : dict
        By name.
    categories : dict of str to int
        Records of each category.
    inputs : dict
        Counts ``answered``, ``missing``, ``duplicate``, ``unknown`` and under ``ids`` the first of each kind.
    statistics : dict
        ``tokens`` by category and against input length (where counts are given), ``findings`` by kind,
        ``rules`` of extraction, ``optima`` by status; what only a task has.
    provenance : dict
        ``command``, ``dataset`` and ``predictions`` (each ``name`` and ``sha256``), ``prompt`` (or null), ``versions``,
        ``options``, ``date`` and ``seconds``.
    records : tuple of Record
        In the dataset's order, an item's samples together.
    """

    task: str
    name: str
    n: int
    metrics: Values
    categories: dict[str, int]
    inputs: dict[str, Any]
    statistics: dict[str, Any]
    provenance: dict[str, Any]
    records: tuple[Record, ...] = ()

    def summary(self) -> dict[str, Any]:
        """Everything but the records: what the command line prints."""
        names = ("inputs", "categories", "statistics", "provenance")
        return {"schema": SCHEMA, "task": self.task, "name": self.name, "n": self.n, **self.metrics,
                **{name: getattr(self, name) for name in names}}  # fmt: skip

    def save(self, path: Path | str) -> None:
        """Write the file whole or not at all: a head line, then a record a line."""
        write_output(Path(path), self._lines())

    def _lines(self) -> Iterator[str]:
        head = {"schema": SCHEMA, **{name: getattr(self, name) for name in _HEAD}}
        yield _encode(head)[:-1] + ', "records": [\n'
        for i, record in enumerate(self.records):
            yield (",\n" if i else "") + _encode(record.to_dict())
        yield "\n]}\n"


_HEAD = tuple(f.name for f in fields(Run) if f.name != "records")


def write_output(path: Path, lines: Iterable[str]) -> None:
    """Write a file that ``--output`` names, whole or not at all."""
    try:
        write_whole(path, lines)
    except InputError as error:
        raise InputError(f"{error}; check --output") from None


def _encode(value: Any) -> str:
    # ASCII: lone surrogates, which models' answers may hold, survive.
    return json.dumps(value, ensure_ascii=True, check_circular=False)


def load(path: Path | str) -> Run:
    """Read a scored run.

    Raises
    ------
    InputError
        When the file is no scored run.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({error}); give a file written by 'regsynth bench score --output'") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA or data.get("task") not in list(CATEGORIES):
        raise InputError(f"{path}: not a scored run ({SCHEMA}); give a file written by 'regsynth bench score --output'")
    missing = next((name for name in (*_HEAD, "records") if name not in data), None)
    if missing is not None:
        raise InputError(f"{path}: a scored run without {missing!r}; score again")
    try:
        _check_kinds({name: data[name] for name in _HEAD}, {f.name: str(f.type) for f in fields(Run)})
        records = tuple(map(Record.from_dict, data["records"]))
    except (TypeError, AttributeError, InputError) as error:
        raise InputError(f"{path}: {error}; score again") from None
    return Run(**{name: data[name] for name in _HEAD}, records=records)


def _geometric(values: list[float]) -> float:
    from statistics import geometric_mean

    return geometric_mean(values) if all(values) else 0.0


AGGREGATES = {"length_ratio": "geometric_mean", "precise": "sum", "minimal": "sum", "f1": "harmonic_mean(precision, recall)",
              "published_f1": "harmonic_mean(published_precision, published_recall)"}  # fmt: skip
"""How a metric comes from the values of its records; ``mean`` of those that are not null where it is not listed."""


def aggregate(names: Iterable[str], values: Iterable[Values]) -> Values:
    """Metrics from the contributions of records: pure, so that a bootstrap may call it on resampled records.

    Parameters
    ----------
    names : iterable of str
        The metrics wanted, in order.
    values : iterable of dict
        Contributions; a metric that a record lacks or has as ``None`` is left out there.

    Examples
    --------
    >>> aggregate(["minimality", "length_ratio", "rest"], [{"minimality": 1, "length_ratio": 0.25}, {"minimality": 0, "length_ratio": 1}])
    {'minimality': 0.5, 'length_ratio': 0.5, 'rest': None}
    >>> aggregate(["f1"], [{"precision": 1, "recall": 1}, {"recall": 0}])
    {'f1': 0.6666666666666666}
    """
    rows = list(values)
    out: Values = {}
    for name in names:
        how = AGGREGATES.get(name, "mean")
        if how.startswith("harmonic"):
            parts = aggregate(how.partition("(")[2].rstrip(")").split(", "), rows)
            known = [value for value in parts.values() if value is not None]
            # One of both without a denominator: no true positive, so 0; neither: nothing to average.
            out[name] = None if not known else 2 / sum(1 / v for v in known) if len(known) == 2 and all(known) else 0.0
            continue
        known = [float(value) for row in rows if (value := row.get(name)) is not None]
        if how == "sum":
            out[name] = sum(known)
        else:
            out[name] = None if not known else _geometric(known) if how == "geometric_mean" else fmean(known)
    return out
