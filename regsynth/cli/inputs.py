"""Read the items of a command: arguments, lines, JSONL or a JSON list, from a file or standard input.

Items are read as they are needed. A fault in one of them is kept in the item and
becomes an error record; a fault of the whole input is raised.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import IO, Any, NamedTuple

from regsynth.cli.arguments import Arguments
from regsynth.errors import InputError

SNIFF = 8192  # bytes looked at to tell text from binary data
HELD = 10_000  # records without the field that are held back before the first that has it


class Item(NamedTuple):
    """One thing to work on: texts under an id, or why it cannot be read."""

    id: Any
    texts: tuple[str, ...]
    fault: str | None = None


class Shape(NamedTuple):
    """What one item is made of.

    ``fields`` are the default JSON fields (empty: ``--field`` is needed), and
    ``arity`` the number of texts; items of two texts are TSV in a file of lines.
    ``paths`` says that the texts name files or folders.
    """

    arity: int
    what: str
    fields: tuple[str, ...] = ()
    paths: bool = False


EXPRESSION = Shape(1, "an expression")
PAIR = Shape(2, "two expressions", ("first", "second"))


def items_of(arguments: Arguments, shape: Shape) -> tuple[Iterator[Item], bool]:
    """The items of a command, and whether there are many of them."""
    path: str | None = arguments["input"]
    positional = arguments.items
    if path is not None:
        if positional:
            raise InputError(f"give {shape.what} or --input, not both (found {positional[0]!r} and --input {path})")
        return from_file(path, arguments["field"], shape), True
    if arguments["field"] is not None:
        raise InputError("--field names a field of the records in --input; give --input too, or leave --field out")
    if not positional:
        raise InputError(f"nothing to do: give {shape.what}, or --input FILE")
    if len(positional) % shape.arity:
        raise InputError(f"give {shape.what} (found {len(positional)}); quote each of them for the shell")
    if not shape.paths and not arguments["quiet"]:
        for name in filter(_is_file, positional):
            print(f"regsynth: {name!r} is itself taken as the pattern; to read the file of that name, give --input {name}", file=sys.stderr)
    groups = [tuple(positional[i : i + shape.arity]) for i in range(0, len(positional), shape.arity)]
    return iter([Item(i, texts) for i, texts in enumerate(groups, 1)]), len(groups) > 1


def _is_file(text: str) -> bool:
    """Whether an argument looks like the name of a file here: one with a dot or a slash."""
    return len(text) < 4096 and ("." in text or os.sep in text) and os.path.isfile(text)


def from_file(path: str, field: str | None, shape: Shape) -> Iterator[Item]:
    """The items of a file; faults of the whole file are raised before the first item."""
    fields = shape.fields if field is None else tuple(name.strip() for name in field.split(","))
    if fields and len(fields) != shape.arity:
        example = ",".join(shape.fields) or "NAME"
        raise InputError(f"--field {field!r}: give {shape.arity} field name(s), as in --field {example}")
    name = "standard input" if path == "-" else path
    lines = _lines(_open(path), name)
    number, first = _first_line(lines, name)
    start = first.lstrip("\ufeff \t")
    if start.startswith("["):
        rest = [first, *(text if isinstance(text, str) else "\ufffd" for _, text in lines)]
        values = _json_list("\n".join(rest))
        if values is not None:
            return _held(_from_records(enumerate(values, 1), fields, name), name)
        lines = iter([(number + i, text) for i, text in enumerate(rest)])
        first = ""
    if _json_object(start) is not None:
        if not fields:
            raise InputError(f"{name}: holds JSON records; say which field to read: --field {_some_field(start)}")
        return _held(_from_records(_parsed(_chain(number, first, lines)), fields, name), name)
    if field is not None:
        raise InputError(f"{name}: --field is for JSON records, and line {number} is none: {first[:60]!r}")
    if first:
        lines = _chain(number, first, lines)
    return _from_lines(lines, shape, name)


def count_lines(path: str) -> int | None:
    """Number of items to expect, for a progress bar; ``None`` where unknown."""
    if path == "-":
        return None
    try:
        with _open(path) as file:
            return sum(1 for line in file if line.strip())
    except (OSError, InputError):
        return None


def _open(path: str) -> IO[bytes]:
    if path == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed; give --input a file")
        return sys.stdin.buffer
    try:
        file = open(path, "rb")  # noqa: SIM115 (read lazily by the generator that owns it)
        head = file.peek(2)[:2]
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; check --input") from None
    if head == b"\x1f\x8b":
        import gzip

        return gzip.open(file, "rb")  # type: ignore[return-value]
    return file


def _lines(file: IO[bytes], name: str) -> Iterator[tuple[int, str | InputError]]:
    """Numbered lines without their ends; a line that is no text is an error value."""
    import zlib

    offset = 0
    try:
        for number, raw in enumerate(file, 1):
            zero = raw.find(b"\0", 0, SNIFF) if offset < SNIFF else -1
            if zero >= 0:
                raise InputError(f"{name}: binary data (a zero byte at offset {offset + zero}); give text, one item a line")
            offset += len(raw)
            try:
                yield number, raw.decode().rstrip("\r\n")
            except UnicodeDecodeError as error:
                where = f"byte 0x{raw[error.start]:02x} at position {error.start} is not UTF-8"
                yield number, InputError(f"{where}; save the file as UTF-8")
    except (EOFError, zlib.error, OSError) as error:
        raise InputError(f"{name}: cannot be read to its end: {error}") from None


def _first_line(lines: Iterator[tuple[int, str | InputError]], name: str) -> tuple[int, str]:
    for number, text in lines:
        if isinstance(text, InputError):
            raise InputError(f"{name}, line {number}: {text}")
        if text.strip():
            return number, text.removeprefix("\ufeff")
    raise InputError(f"{name}: empty; give one item a line, JSON records with --field, or a JSON list")


def _chain(number: int, first: str, lines: Iterator[tuple[int, str | InputError]]) -> Iterator[tuple[int, str | InputError]]:
    yield number, first
    yield from lines


def _from_lines(lines: Iterator[tuple[int, str | InputError]], shape: Shape, name: str) -> Iterator[Item]:
    for number, text in lines:
        if isinstance(text, InputError):
            yield Item(number, (), f"{name}, line {number}: {text}")
        elif text.strip():
            texts = tuple(text.split("\t")) if shape.arity > 1 else (text,)
            if len(texts) == shape.arity:
                yield Item(number, texts)
            else:
                yield Item(number, (), f"{name}, line {number}: {len(texts)} column(s); give {shape.what} separated by a tab")


def _parsed(lines: Iterator[tuple[int, str | InputError]]) -> Iterator[tuple[int, Any]]:
    for number, text in lines:
        if isinstance(text, InputError):
            yield number, text
        elif text.strip():
            try:
                yield number, json.loads(text)
            except (ValueError, RecursionError) as error:
                yield number, InputError(f"not JSON: {error}")


def _from_records(records: Iterator[tuple[int, Any]], fields: Sequence[str], name: str) -> Iterator[Item]:
    for number, record in records:
        where = f"{name}, record {number}"
        if isinstance(record, str) and len(fields) < 2:
            yield Item(number, (record,))
        elif isinstance(record, list) and len(record) == 2 == len(fields) and all(isinstance(text, str) for text in record):
            yield Item(number, (record[0], record[1]))
        elif isinstance(record, dict):
            own = record.get("id", record.get("idx", number))
            values: list[Any] = [record.get(field) for field in fields]
            missing = next((field for field in fields if field not in record), None)
            other = next((value for value in values if not isinstance(value, str)), "")
            if not fields:
                yield Item(own, (), f"{where}: a JSON object; say which field to read: --field {next(iter(record), 'NAME')}")
            elif missing is not None:
                yield _Missing(own, (), f"{where}: no field {missing!r}; it has {', '.join(map(repr, record)) or 'none'}")
            elif other != "":
                yield Item(own, (), f"{where}: field {fields[values.index(other)]!r} holds {json.dumps(other)[:40]}, not text")
            else:
                yield Item(own, tuple(values))
        elif isinstance(record, InputError):
            yield Item(number, (), f"{where}: {record}")
        else:
            yield Item(number, (), f"{where}: {json.dumps(record)[:40]} where {'text' if not fields else 'an object'} should be")


class _Missing(Item):
    """An item whose record lacks the field."""


def _held(items: Iterator[Item], name: str) -> Iterator[Item]:
    """Refuse the whole input when *no* record has the field: a misspelt ``--field``."""
    held: list[Item] = []
    for item in items:
        held.append(item)
        if not isinstance(item, _Missing) or len(held) >= HELD:
            break
    else:
        raise InputError(held[0].fault or f"{name}: no records" if held else f"{name}: an empty list; there is nothing to do")
    return _both(held, items)


def _both(held: list[Item], items: Iterator[Item]) -> Iterator[Item]:
    yield from held
    yield from items


def _json(text: str) -> Any:
    """The value of a JSON text; ``None`` when it is no JSON.

    Raises
    ------
    InputError
        When it is, but cannot be read.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None
    except RecursionError:
        raise InputError(f"JSON nested too deeply: {text[:20]!r}…; flatten it") from None
    except ValueError as error:  # an integer of thousands of digits
        raise InputError(f"JSON that cannot be read: {error}") from None


def _json_list(text: str) -> list[Any] | None:
    value = _json(text)
    return value if isinstance(value, list) else None


def _json_object(text: str) -> dict[str, Any] | None:
    if not text.startswith("{"):
        return None
    value = _json(text)
    return value if isinstance(value, dict) else None


def _some_field(text: str) -> str:
    record = _json_object(text) or {}
    return next((name for name, value in record.items() if isinstance(value, str)), "NAME")
