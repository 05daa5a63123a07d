"""Read any corpus: every record comes back, marked where it cannot be represented.

>>> from pathlib import Path; from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     _ = Path(folder, "mine.txt").write_text("a*\\na)\\n")
...     [(entry.id, entry.pattern, entry.fault is None) for entry in load(Path(folder, "mine.txt"))]
[(1, 'a*', True), (2, 'a)', False)]
"""

from __future__ import annotations

import ast
import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from regsynth.corpora.catalogue import BY_NAME, Corpus
from regsynth.corpora.records import Record, files_of, identity, lines_of, read
from regsynth.errors import InputError, RegsynthError

PATTERN_FIELDS = ("query", "pattern", "regex", "expression", "regex_pattern", "target")


class Entry(NamedTuple):
    """A record of a corpus.

    Attributes
    ----------
    id
        Its own ``id`` or ``idx``, else its place in the corpus from 1.
    pattern : str or None
        ``None`` for an inference problem.
    dialect, semantics : str
        How its authors mean the pattern.
    record : dict
        All its fields; example words under ``positives`` and ``negatives``.
    fault : str or None
        Why the pattern cannot be represented.
    """

    id: Any
    pattern: str | None
    dialect: str
    semantics: str
    record: Record
    fault: str | None = None


def load(path: Path | str, corpus: str | None = None) -> Iterator[Entry]:
    """All records of a corpus.

    Parameters
    ----------
    path : path
        File or folder.
    corpus : str, optional
        Its name in :mod:`regsynth.corpora.catalogue`, for how it is laid out and meant;
        guessed from its fields by default (plain records are formal, full match).

    Raises
    ------
    InputError
        When nothing there can be read. A single bad record comes back with a ``fault``.
    """
    path = Path(path)
    if corpus is not None and corpus not in BY_NAME:
        raise InputError(f"corpus {corpus!r} is unknown; choose from {', '.join(BY_NAME)}")
    known = BY_NAME[corpus] if corpus else guess(path)
    for number, (pattern, record, fault) in enumerate(_READERS[known.layout](path), 1):
        fault = fault or represent(pattern, known.dialect)
        yield Entry(identity(record, number), pattern, known.dialect, known.semantics, record, fault)


def guess(path: Path) -> Corpus:
    """The corpus a file looks like."""
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    folder = path if path.is_dir() else path.parent
    if (folder / "targ.txt").exists():
        return BY_NAME["kb13"]
    if path.is_dir() and not list(path.glob("*.jsonl")) and (list(path.rglob("*_exp*.txt")) or list(path.rglob("no1.txt"))):
        return BY_NAME["paresy"]
    if path.is_dir() and not list(path.glob("*.jsonl")):
        return BY_NAME["mre"]
    file = files_of(path)[0]
    first = next((text for _, text in lines_of(file) if text.strip()), "").lstrip("\ufeff")
    if file.suffix == ".csv":
        return BY_NAME["icpc2024"]
    if "\t" in first and not first.startswith(("{", "[")):
        return BY_NAME["structuredregex"]
    sample = next((r for _, r in read(file) if isinstance(r, dict)), None)
    if sample is None:
        second = [text for _, text in zip(range(2), (text for _, text in lines_of(file)))]
        return BY_NAME["paresy" if second[1:] == ["++"] else "mre"]
    if "matches" in sample and "expression" in sample:
        return BY_NAME["regexeval"]
    if "query" not in sample and ("positives" in sample or "P" in sample):
        return BY_NAME["reic"]
    if "pattern" in sample:
        return BY_NAME["davis2019"]
    return BY_NAME["regexpspace"]


def represent(pattern: str | None, dialect: str) -> str | None:
    """Why a pattern cannot be represented; ``None`` when it can."""
    if pattern is None:
        return None
    try:
        if dialect == "formal":
            from regsynth.syntax.formal import parse

            parse(pattern)
        else:
            from regsynth.corpora.structured import to_brics
            from regsynth.practical import compile_pattern

            if dialect == "structured":
                compile_pattern(to_brics(pattern), dialect="brics")
            else:
                compile_pattern(pattern, dialect=dialect)
    except RegsynthError as error:
        return str(error)
    return None


class Info(NamedTuple):
    """Counts of a corpus.

    ``operators`` counts patterns that use a sign; ``lengths`` are the least, the median
    and the greatest number of characters.
    """

    records: int
    patterns: int
    represented: int
    distinct: int
    duplicated_ids: int
    lengths: tuple[int, int, int]
    operators: dict[str, int]
    faults: dict[str, int]


def info(path: Path | str, corpus: str | None = None) -> Info:
    """Count the records of a corpus, what its patterns use, and how many of them we can represent."""
    records = represented = 0
    ids: Counter[Any] = Counter()
    texts: list[str] = []
    operators: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    for entry in load(path, corpus):
        records += 1
        ids[str(entry.id)] += 1
        if entry.fault is not None:
            faults[entry.fault.split(" (position")[0][:80]] += 1
        else:
            represented += 1
        if entry.pattern is not None:
            texts.append(entry.pattern)
            operators.update(_signs(entry.pattern))
    lengths = sorted(map(len, texts)) or [0]
    return Info(
        records, len(texts), represented, len(set(texts)), sum(n - 1 for n in ids.values()),
        (lengths[0], lengths[len(lengths) // 2], lengths[-1]), dict(operators.most_common()), dict(faults.most_common(10)),
    )  # fmt: skip


def _signs(pattern: str) -> set[str]:
    signs: set[str] = set()
    escaped = in_class = False
    for c in pattern:
        if escaped:
            signs.add("\\" + c if c.isalnum() else "\\")
            escaped = False
        elif c == "\\":
            escaped = True
        elif in_class:
            in_class = c != "]"
        elif c == "[":
            in_class = True
            signs.add("[]")
        elif c in "?*+|&~-.{^$(":
            signs.add(c)
    return signs


Read = Iterator[tuple[str | None, Record, str | None]]


def _records(path: Path) -> Read:
    for file in files_of(path):
        for number, record in read(file):
            if isinstance(record, str):
                yield record, {}, None
            elif isinstance(record, dict):
                text = next((record[name] for name in PATTERN_FIELDS if isinstance(record.get(name), str)), None)
                yield text, record, None if text is not None else f"no field {' or '.join(PATTERN_FIELDS)}"
            else:
                yield None, {}, f"{file.name}, line {number}: {record!s:.80}"


def _words(path: Path) -> Read:
    for file in files_of(path):
        for number, record in read(file):
            if not isinstance(record, dict):
                yield None, {}, f"{file.name}, line {number}: {record!s:.80}"
                continue
            out = dict(record)
            for name, short in (("positives", "P"), ("negatives", "N")):
                out.setdefault(name, record.get(short))
            good = all(isinstance(out[name], list) for name in ("positives", "negatives"))
            yield None, out, None if good else f"{file.name}, line {number}: no lists of words 'positives' and 'negatives'"


def _lines(path: Path) -> Read:
    files = [path] if path.is_file() else sorted(file for file in path.iterdir() if file.is_file())
    for file in files:
        for number, text in lines_of(file):
            if text.strip():
                yield text, {"id": number if len(files) == 1 else f"{file.name}:{number}"}, None


def _parallel(path: Path) -> Read:
    folder = path if path.is_dir() else path.parent
    target, source = folder / "targ.txt", folder / "src.txt"
    descriptions = [text for _, text in lines_of(source)] if source.exists() else []
    for number, text in lines_of(target):
        described = descriptions[number - 1] if number <= len(descriptions) else None
        yield text, {"id": number, "description": described}, None


def _regexeval(path: Path) -> Read:
    for file in files_of(path):
        for number, record in read(file):
            if not isinstance(record, dict) or not isinstance(record.get("expression"), str):
                yield None, {}, f"{file.name}, record {number}: no field 'expression'"
                continue
            out, fault = dict(record), None
            for name, ours in (("matches", "positives"), ("non_matches", "negatives")):
                try:  # lists are written as Python literals
                    value = record.get(name, "[]")
                    out[ours] = ast.literal_eval(value) if isinstance(value, str) else value
                except (ValueError, SyntaxError, RecursionError, MemoryError):
                    fault = f"{file.name}, record {number}: {name!r} is no list"
            yield record["expression"], out, fault


def _csv(path: Path) -> Read:
    csv.field_size_limit(1 << 30)
    try:
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                text = next((row[name] for name in PATTERN_FIELDS if row.get(name) is not None), None)
                yield text, {key: value for key, value in row.items() if key != "id"}, None if text is not None else "no pattern"
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from None


def _table(path: Path) -> Read:
    header: list[str] | None = None
    for number, text in lines_of(path):
        cells = text.split("\t")
        if header is None:
            header = [name.strip().lower() for name in cells]
            if not set(header) & set(PATTERN_FIELDS):
                raise InputError(f"{path}: no column {' or '.join(PATTERN_FIELDS)} in its first line")
            continue
        record: Record = dict(zip(header, cells))
        if len(cells) != len(header):
            yield None, record, f"line {number}: {len(cells)} columns where the first line has {len(header)}"
            continue
        for name, ours in (("pos_examples", "positives"), ("neg_examples", "negatives")):
            if name in record:
                try:
                    record[ours] = json.loads(record[name])
                except ValueError:
                    record[ours] = record[name].split(",")
        yield next(record[name] for name in PATTERN_FIELDS if name in record), record, None


def _paresy(path: Path) -> Read:
    files = [path] if path.is_file() else sorted(path.rglob("*.txt"))
    for file in files:
        lists: dict[str, list[str]] = {"++": [], "--": []}
        into = None
        for _, text in lines_of(file):  # a title of any number of lines comes first
            if text.strip() in lists:
                into = lists[text.strip()]
            elif into is not None:
                word = text.strip()
                into.append(word[1:-1] if len(word) > 1 and word[0] == word[-1] == '"' else word)
        record = {"id": file.stem, "positives": lists["++"], "negatives": lists["--"]}
        yield None, record, None if into is not None else f"{file.name}: no line '++' and no line '--'"


_READERS: dict[str, Callable[[Path], Read]] = {
    "records": _records, "words": _words, "lines": _lines, "parallel": _parallel, "regexeval": _regexeval,
    "csv": _csv, "table": _table, "paresy": _paresy,
}  # fmt: skip
