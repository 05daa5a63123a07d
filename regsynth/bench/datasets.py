"""Read a dataset as the items of a task.

=========  ===========================================================================
regexmin   records with ``query`` (or ``regex``, ``pattern``); RegexPSPACE's minimal
           expression and length are taken along as its labels
regexeq    two pairs a record: ``<idx>:eq`` with ``equivalent_regex``, ``<idx>:ne`` with
           ``not_equivalent_regex``; or records with ``first``, ``second``, ``equivalent``
rei        records with ``positives``, ``negatives``, ``costs``, ``operators``
nl2re      RegexEval, the corpora of descriptions, or records with ``prompt``,
           ``positives``, ``negatives``, ``reference``
=========  ===========================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from regsynth.bench.items import Dataset, Item
from regsynth.corpora.records import Record, files_of, identity, lines_of, read
from regsynth.errors import InputError, RegsynthError

TASKS = ("regexmin", "regexeq", "rei", "nl2re")
QUERY = ("query", "regex", "pattern")
PROMPT = ("prompt", "raw_prompt", "description", "text")
LETTERS = "abcd"


def load(task: str, path: Path | str, *, corpus: str | None = None, semantics: str | None = None) -> Dataset:
    """The items of a dataset file or folder.

    Parameters
    ----------
    task : {"regexmin", "regexeq", "rei", "nl2re"}
    path : path
    corpus : str, optional
        nl2re: its name in :mod:`regsynth.corpora.catalogue`; guessed by default. rei: ``paresy`` reads that layout.
    semantics : {"search", "match", "fullmatch"}, optional
        nl2re: what "matches" means; the corpus' own by default.

    Raises
    ------
    InputError
        For a record the task cannot be asked about, with its place; ids given twice.
    """
    path = Path(path)
    if task not in TASKS:
        raise InputError(f"task {task!r} is unknown; choose from {', '.join(TASKS)}")
    corpora = task == "nl2re" or (task == "rei" and corpus == "paresy")
    files = files_of(path) if path.is_file() or not corpora else [p for p in sorted(path.rglob("*")) if p.is_file()]
    digest = sha256()
    for file in files:
        for _ in lines_of(file, digest):
            pass
    if task == "nl2re":
        items = list(_corpus_items(path, corpus, semantics))
    elif corpora:
        from regsynth.corpora.loaders import load as load_corpus

        items = items_of("rei", ((f"{path}, {entry.id}", entry.id, entry.record) for entry in load_corpus(path, corpus)))
    else:
        items = items_of(task, _records(files))
    return Dataset(task, tuple(_distinct(items, str(path))), path.name, digest.hexdigest())


def items_of(task: str, records: Iterable[tuple[str, Any, Mapping[str, Any]]]) -> list[Item]:
    """Items from records, each with its place (for messages) and its own id."""
    items = []
    for place, own, record in records:
        try:
            items += _MAKERS[task](own, record)
        except (RegsynthError, TypeError, ValueError) as error:
            raise InputError(f"{place}: {error}") from None
    if task in ("regexmin", "regexeq"):  # an answer may use the letters of the whole dataset
        letters = "".join(sorted({*LETTERS, *(c for item in items for c in item.letters)}))
        items = [_with_letters(item, letters) for item in items]
    return items


def _with_letters(item: Item, letters: str) -> Item:
    from dataclasses import replace

    return replace(item, letters=letters)


def _records(files: list[Path]) -> Iterator[tuple[str, Any, Record]]:
    offset = 0
    for file in files:
        number = 0
        for number, record in read(file):
            place = f"{file}, line {number}"
            if isinstance(record, str):
                record = {"query": record}
            if isinstance(record, InputError) or not isinstance(record, dict):
                raise InputError(f"{place}: {record!s:.80}")
            yield place, identity(record, offset + number), record
        offset += number


def _distinct(items: list[Item], path: str) -> list[Item]:
    seen: set[str] = set()
    for item in items:
        if not isinstance(item.id, (str, int)):
            raise InputError(f"{path}: id {item.id!r:.40} is neither text nor number")
        if str(item.id) in seen:
            raise InputError(f"{path}: id {item.id!r} is given twice; give every record its own id")
        seen.add(str(item.id))
    if not items:
        raise InputError(f"{path}: no items in it")
    return items


def _text(record: Mapping[str, Any], names: tuple[str, ...]) -> str:
    name = next((name for name in names if record.get(name) is not None), None)
    if name is None:
        raise InputError(f"no field {' or '.join(map(repr, names))}")
    if not isinstance(record[name], str):
        raise InputError(f"field {name!r} is not text")
    value: str = record[name]
    return value


def _regexmin(own: Any, record: Mapping[str, Any]) -> list[Item]:
    from regsynth.corpora.claims import LENGTH, MINIMAL
    from regsynth.syntax.formal import parse

    query = _text(record, QUERY)
    label = next((record[name] for name in LENGTH if isinstance(record.get(name), int)), None)
    known = next((record[name] for name in MINIMAL if isinstance(record.get(name), str)), None)
    if known is not None:
        parse(known)
    letters = "".join(sorted(map(str, parse(query).alphabet)))
    return [Item(id=own, task="regexmin", input=query, letters=letters, label=label, label_regex=known)]


def _regexeq(own: Any, record: Mapping[str, Any]) -> list[Item]:
    from regsynth.syntax.formal import parse

    if "first" in record and "second" in record:
        pairs = [(own, record["first"], record["second"], record.get("equivalent", record.get("label")))]
    else:
        query = _text(record, QUERY)
        fields = (("eq", "equivalent_regex", True), ("ne", "not_equivalent_regex", False))
        pairs = [(f"{own}:{kind}", query, record[name], said) for kind, name, said in fields if record.get(name) is not None]
        if not pairs:
            raise InputError("neither 'equivalent_regex' nor 'not_equivalent_regex', nor 'first' and 'second'")
    items = []
    for place, first, second, said in pairs:
        letters = "".join(sorted(map(str, parse(first).alphabet | parse(second).alphabet)))
        expected = said if isinstance(said, bool) else None
        items.append(Item(id=place, task="regexeq", input=first, reference=second, expected=expected, letters=letters))
    return items


def _words(record: Mapping[str, Any], *names: str) -> tuple[str, ...] | None:
    for name in names:
        value = record.get(name)
        if value is not None:
            if not isinstance(value, (list, tuple)) or not all(isinstance(word, str) for word in value):
                raise InputError(f"field {name!r} is no list of words")
            return tuple(value)
    return None


def _rei(own: Any, record: Mapping[str, Any]) -> list[Item]:
    from regsynth.solvers.results import Operators
    from regsynth.syntax.costs import Costs

    positives, negatives = _words(record, "positives", "P"), _words(record, "negatives", "N")
    if positives is None or negatives is None:
        raise InputError("no lists of words 'positives' and 'negatives'")
    costs = tuple(record.get("costs") or (1,) * 8)
    Costs.of(costs)
    operators = record.get("operators") or "?*.+"
    Operators.parse(operators)
    letters = "".join(sorted({*record.get("alphabet", ""), *"".join((*positives, *negatives))}))
    proven = record.get("status") == "optimal" and record.get("cost") == record.get("lower_bound")
    return [Item(
        id=own, task="rei", input=_problem(positives, negatives), letters=letters, operators=operators, costs=costs,
        label=record.get("cost"), label_regex=record.get("regex"), lower_bound=record["lower_bound"] if proven else None,
        positives=positives, negatives=negatives,
    )]  # fmt: skip


def _problem(positives: tuple[str, ...], negatives: tuple[str, ...]) -> str:
    shown = [", ".join(word or "ε" for word in words) for words in (positives, negatives)]
    return f"+ {shown[0]} / − {shown[1]}"


def _nl2re(own: Any, record: Mapping[str, Any]) -> list[Item]:
    """From a record of one's own; see :func:`regsynth.evaluate`."""
    reference = next((record[name] for name in ("reference", "expression", *QUERY, "target") if isinstance(record.get(name), str)), None)
    positives, negatives = _words(record, "positives", "matches"), _words(record, "negatives", "non_matches")
    if reference is None and positives is None and negatives is None:
        raise InputError("give 'reference', or 'positives' and 'negatives', or both")
    usual = "search" if "matches" in record or "non_matches" in record else "fullmatch"  # RegexEval's layout means search
    semantics, dialect = record.get("semantics", usual), record.get("dialect", "python")
    if semantics not in ("search", "match", "fullmatch") or dialect not in ("python", "brics"):
        raise InputError(f"semantics {semantics!r} or dialect {dialect!r} is unknown; use search, match or fullmatch; python or brics")
    flags = record.get("flags", "")
    if not isinstance(flags, str) or not set(flags) <= set("imsxaLu"):
        raise InputError(f"flags {flags!r}: give letters of imsxaLu")
    if reference is None and record.get("reference") is not None:
        raise InputError(f"reference {record['reference']!r}: give a pattern in quotes")
    prompt = next((record[name] for name in PROMPT if isinstance(record.get(name), str)), "")
    return [Item(
        id=own, task="nl2re", input=prompt, reference=reference, positives=positives, negatives=negatives, dialect=dialect,
        semantics=semantics, flags=flags,
    )]  # fmt: skip


_MAKERS: dict[str, Callable[[Any, Mapping[str, Any]], list[Item]]] = {
    "regexmin": _regexmin, "regexeq": _regexeq, "rei": _rei, "nl2re": _nl2re,
}  # fmt: skip


def _corpus_items(path: Path, corpus: str | None, semantics: str | None) -> Iterator[Item]:
    """Items of a corpus of descriptions: patterns as its authors mean them."""
    from regsynth.corpora.loaders import guess
    from regsynth.corpora.loaders import load as load_corpus
    from regsynth.corpora.structured import to_brics

    if corpus is None and path.is_file() and guess(path).layout in ("records", "words"):
        for place, own, record in _records([path]):
            if semantics is not None:
                record = {**record, "semantics": semantics}
            yield from items_of("nl2re", [(place, own, record)])
        return
    for entry in load_corpus(path, corpus):
        if entry.pattern is None:
            raise InputError(f"{path}, record {entry.id!r}: {entry.fault or 'no pattern'}")
        structured = entry.dialect == "structured"
        try:
            reference = to_brics(entry.pattern) if structured else entry.pattern
        except RegsynthError as error:
            raise InputError(f"{path}, record {entry.id!r}: {error}") from None
        record = {**entry.record, "reference": reference, "dialect": "brics" if structured else entry.dialect,
                  "semantics": semantics or entry.semantics}  # fmt: skip
        yield from items_of("nl2re", [(f"{path}, record {entry.id!r}", entry.id, record)])
