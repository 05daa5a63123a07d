"""Read records one by one: JSONL, a JSON list or plain lines, a file or a whole corpus folder."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from regsynth.corpora.folders import MANIFEST, read_json
from regsynth.errors import InputError

Record = dict[str, Any]


@dataclass(slots=True)
class Texts:
    """The expressions of a corpus.

    Attributes
    ----------
    ids : list
        Each record's ``id`` or ``idx``, else its line number from 1; all distinct.
    texts : list of str
        Empty where ``faults`` says that there is none.
    faults : dict of int to str
        By place, why a record has no expression.
    digest : str
        SHA-256 of the bytes read.
    """

    ids: list[Any] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    faults: dict[int, str] = field(default_factory=dict)
    digest: str = ""


def files_of(path: Path) -> list[Path]:
    """The data files of a corpus: the file itself, or those its folder's manifest lists, in order.

    A folder without a manifest is read in order of the names of its ``.jsonl`` files.
    """
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    if not path.is_dir():
        return [path]
    if (path / MANIFEST).exists():
        names = read_json(path / MANIFEST).get("files", [])
        files = [path / name for name in names]
        if not files:
            files = sorted((path / "labels").glob("*.jsonl")) or sorted(path.glob("*.jsonl"))
    else:
        files = sorted(path.glob("*.jsonl")) or sorted(path.glob("*.txt"))
    missing = next((file for file in files if not file.exists()), None)
    if missing is not None:
        raise InputError(f"{missing}: listed in {path / MANIFEST} but missing; make the corpus again")
    if not files:
        raise InputError(f"{path}: no .jsonl file in this folder")
    return files


def lines_of(path: Path, digest: Any = None) -> Iterator[tuple[int, str]]:
    """Numbered lines of a text file (gzip too); faults of the file are raised as one clear line."""
    try:
        with open(path, "rb") as raw:
            packed = raw.peek(2)[:2] == b"\x1f\x8b"
            with gzip.open(raw) if packed else raw as file:
                for number, line in enumerate(file, 1):
                    if digest is not None:
                        digest.update(line)
                    yield number, line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: a byte at position {error.start} of a line is not UTF-8 text; is it a text file?") from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read to its end: {error}") from None


def read(path: Path, digest: Any = None) -> Iterator[tuple[int, Record | str | InputError]]:
    """Numbered records of one file: objects, bare texts, or what is wrong with a line."""
    lines = lines_of(path, digest)
    first = next(((n, text) for n, text in lines if text.strip()), None)
    if first is None:
        raise InputError(f"{path}: empty; there is nothing to read")
    start = first[1].lstrip("\ufeff \t")
    if start.startswith("["):
        try:
            values = json.loads("\n".join([start, *(text for _, text in lines)]))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}: a JSON list that cannot be read to its end ({error}); is the file truncated?") from None
        yield from enumerate(values, 1)
        return
    loads = json.loads
    if start.startswith("{"):
        yield first[0], _parsed(start)
        for number, text in lines:
            if text:
                try:
                    yield number, loads(text)
                except (ValueError, RecursionError):
                    yield number, _parsed(text)
        return
    yield first[0], start
    yield from ((number, text) for number, text in lines if text.strip())


def _parsed(text: str) -> Record | InputError:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        return InputError(f"not JSON ({error}); is the file truncated?")
    return value if isinstance(value, dict) else InputError(f"{text[:40]} where an object should be")


def identity(record: Record, number: int) -> Any:
    """A record's own ``id`` or ``idx``, else its number."""
    return record.get("id", record.get("idx", number))


def read_texts(path: Path, fields: Iterable[str] = ("query", "regex", "pattern")) -> Texts:
    """The expressions of a corpus: the first of ``fields`` that a record has.

    Raises
    ------
    InputError
        For files that cannot be read, an id given twice, or when no record has any of the fields.
    """
    out, digest, fields = Texts(), sha256(), tuple(fields)
    files = files_of(path)
    seen: set[Any] = set()
    known = ""
    offset = 0
    for file in files:
        number = 0
        for number, record in read(file, digest):
            fault, text = "", ""
            place: Any = offset + number
            if isinstance(record, dict):
                place = record.get("id", record.get("idx", place))
                if isinstance(place, (list, dict)):
                    place, fault = offset + number, f"its id {json.dumps(place)[:40]} is neither text nor number"
                if known not in record:
                    known = next((name for name in fields if name in record), "")
                value = record.get(known)
                if isinstance(value, str):
                    text = value
                else:
                    fault = fault or (f"{known!r} is not text" if known else f"no field {' or '.join(map(repr, fields))}")
            elif isinstance(record, str):
                text = record
            else:
                fault = str(record) if isinstance(record, InputError) else f"{record!r:.40} where an object should be"
            if place in seen:
                raise InputError(f"{file}, line {number}: id {place!r} is given twice; give every record its own id")
            seen.add(place)
            if fault:
                out.faults[len(out.ids)] = f"{file.name}, line {number}: {fault}"
            out.ids.append(place)
            out.texts.append(text)
        offset += number
    if len(out.faults) == len(out.ids):
        raise InputError(f"{path}: no record to work on; the first: {out.faults[0] if out.faults else 'none'}")
    out.digest = digest.hexdigest()
    return out
