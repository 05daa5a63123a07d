"""Inference problems from arguments and files: lists of words, Paresy's format, JSON and JSONL.

A problem travels as the JSON text of one object. A fault inside a file of many
problems is kept in the item; a file that holds a single problem raises it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from regsynth.cli.inputs import Item
from regsynth.errors import InputError

POSITIVE, NEGATIVE = "++", "--"
FIELDS = {"positives": ("positives", "P"), "negatives": ("negatives", "N")}


def problems(
    files: Sequence[str], positives: Sequence[str] | None, negatives: Sequence[str] | None
) -> tuple[Iterator[Item], bool]:
    """The problems of a command, and whether there are (or may be) many of them.

    Raises
    ------
    InputError
        For no problem at all, or both words and files.
    """
    words = positives is not None or negatives is not None
    if words and files:
        raise InputError(f"give words with -p and -n, or files, not both (found {files[0]!r})")
    if words:
        for option, value in (("-p", positives), ("-n", negatives)):
            for word in value or ():
                _check_text(word, option)
        return iter([_item(1, list(positives or ()), list(negatives or ()))]), False
    if not files:
        raise InputError("nothing to do: give words with -p and -n, or a file of problems")
    if len(files) > 1:
        return _all_files(files), True
    first = list(_first_two(items := _from_file(files[0], alone=True)))
    many = len(first) > 1
    if not first:
        raise InputError(f"{_name(files[0])}: holds no problem")
    return _chain(first, items), many


def _all_files(files: Sequence[str]) -> Iterator[Item]:
    for path in files:
        try:
            yield from _from_file(path, alone=False)
        except InputError as error:
            yield Item(path, (), str(error))


def _first_two(items: Iterator[Item]) -> Iterator[Item]:
    for _, item in zip(range(2), items):
        yield item


def _chain(first: list[Item], rest: Iterator[Item]) -> Iterator[Item]:
    yield from first
    yield from rest


def _item(name: Any, positives: list[str], negatives: list[str], **fields: Any) -> Item:
    return Item(name, (json.dumps({"positives": positives, "negatives": negatives, **fields}, ensure_ascii=False),))


def _name(path: str) -> str:
    return "standard input" if path == "-" else path


def _check_text(word: str, where: str) -> None:
    try:
        word.encode()
    except UnicodeEncodeError:
        raise InputError(f"{where} {word!a}: bytes that are not UTF-8 text") from None


def _read(path: str) -> str:
    try:
        if path == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as file:
                data = file.read()
            if data[:2] == b"\x1f\x8b":
                import gzip

                data = gzip.decompress(data)
    except (OSError, EOFError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}; check the path") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        what = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise InputError(f"{_name(path)}, line {line}: {what}; save the file as UTF-8") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise InputError(f"{_name(path)}, line {line}: binary data (a zero byte); give text")
    return text


def _from_file(path: str, *, alone: bool) -> Iterator[Item]:
    text, name = _read(path), _name(path)
    start = text.lstrip()
    if not start:
        raise InputError(f"{name}: empty; give a problem in Paresy's format (title, ++, words, --, words) or JSON")
    if start[0] in "[{":
        yield from _from_json(text, name, alone)
    else:
        positives, negatives = read_words(text, name)
        yield _item(1 if alone else path, positives, negatives)


def read_words(text: str, name: str) -> tuple[list[str], list[str]]:
    """Words of Paresy's format.

    A title of any number of lines, a line ``++``, the positives, a line ``--``, the
    negatives; one word a line, bare or in double quotes; an empty line or ``""`` is
    the empty word.

    Raises
    ------
    InputError
        With file and line.

    >>> read_words('title\\n++\\n10\\n""\\n--\\n"0"\\n', "x.txt")
    (['10', ''], ['0'])
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    sides: dict[str, list[str]] = {}
    into: list[str] | None = None
    where: dict[str, tuple[str, int]] = {}
    for number, raw in enumerate(lines, 1):
        word = raw.strip()
        if word in (POSITIVE, NEGATIVE):
            if word in sides:
                raise InputError(f"{name}, line {number}: a second line {word}; a file holds one problem")
            if word == NEGATIVE and POSITIVE not in sides:
                raise InputError(f"{name}, line {number}: -- before ++; write ++, the positives, --, the negatives")
            into = sides[word] = []
            side = "positive" if word == POSITIVE else "negative"
            continue
        if into is None:
            continue  # the title
        if word.startswith('"'):
            if len(word) < 2 or not word.endswith('"'):
                raise InputError(f'{name}, line {number}: the quote before {word[1:20]!r} is not closed; end the word with "')
            word = word[1:-1]
        elif any(c.isspace() for c in word):
            raise InputError(f"{name}, line {number}: {word[:40]!r} holds a space; put the word in quotes")
        known = where.setdefault(word, (side, number))
        if known[0] != side:
            raise InputError(f"{name}, line {number}: word {word!r} is {side} here and {known[0]} in line {known[1]}; remove one")
        into.append(word)
    for sign, what in ((POSITIVE, "positive"), (NEGATIVE, "negative")):
        if sign not in sides:
            raise InputError(f"{name}, line {len(lines) + 1}: no line {sign} before the end; it begins the {what} words")
    return sides[POSITIVE], sides[NEGATIVE]


def _from_json(text: str, name: str, alone: bool) -> Iterator[Item]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        first, _, rest = text.strip().partition("\n")
        if not first.startswith("{") or not rest.strip():
            line = getattr(error, "lineno", 1)
            raise InputError(f"{name}, line {line}: not JSON: {getattr(error, 'msg', error)}") from None
    else:
        if isinstance(value, list):
            for number, record in enumerate(value, 1):
                yield _problem(record, number, f"{name}, record {number}")
            return
        item = _problem(value, 1, name)
        if item.fault is not None and alone:
            raise InputError(item.fault)
        yield item
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                yield Item(number, (), f"{name}, line {number}: not JSON: {getattr(error, 'msg', error)}")
                continue
            yield _problem(record, number, f"{name}, line {number}")


def _problem(record: Any, number: int, where: str) -> Item:
    """A problem from a JSON object, or what is wrong with it."""
    if not isinstance(record, dict):
        return Item(number, (), f"{where}: {json.dumps(record)[:40]} where an object with positives and negatives should be")
    name = record.get("id", record.get("idx", number))
    lists: dict[str, list[str]] = {}
    for field, names in FIELDS.items():
        key = next((key for key in names if key in record), None)
        if key is None:
            return Item(name, (), f"{where}: no field {field!r}; it has {', '.join(map(repr, record)) or 'none'}")
        words = record[key]
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            return Item(name, (), f"{where}: {key!r} holds {json.dumps(words)[:40]}; give a list of words")
        lists[field] = words
    both = set(lists["positives"]) & set(lists["negatives"])
    if both:
        return Item(name, (), f"{where}: word {min(both)!r} is both positive and negative; remove it from one side")
    extra: dict[str, Any] = {}
    costs, operators, alphabet = record.get("costs"), record.get("operators"), record.get("alphabet")
    if costs is not None:
        if not isinstance(costs, (str, list)):
            return Item(name, (), f"{where}: 'costs' holds {json.dumps(costs)[:40]}; give 8 or 5 whole numbers, or \"tree\"")
        extra["costs"] = costs
    for field, value in (("operators", operators), ("alphabet", alphabet)):
        if isinstance(value, list) and all(isinstance(sign, str) and len(sign) == 1 for sign in value):
            value = "".join(value)
        if value is not None:
            if not isinstance(value, str):
                return Item(name, (), f"{where}: {field!r} holds {json.dumps(value)[:40]}; give text")
            extra[field] = value
    return _item(name, lists["positives"], lists["negatives"], **extra, where=where)
