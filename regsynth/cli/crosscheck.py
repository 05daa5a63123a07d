"""``regsynth crosscheck``: does our automaton agree with Python's ``re``?"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from regsynth.budget import Budget
from regsynth.cli.arguments import Arguments, Verb
from regsynth.cli.exits import Record
from regsynth.cli.inputs import Item, Shape, items_of
from regsynth.cli.options import BATCH, Option
from regsynth.cli.outputs import clock_text
from regsynth.cli.practical import budget_of, quoted
from regsynth.cli.runner import records, run
from regsynth.errors import InputError

if TYPE_CHECKING:
    from regsynth.corpora.crosscheck import Checker

SCHEMA = "regsynth/crosscheck/1"
PATTERN = Shape(1, "a pattern", ("pattern",))


class Settings(NamedTuple):
    """Options of the verb; goes to worker processes."""

    semantics: str
    flags: str
    words: int
    seed: int
    budget: Budget


@cache
def checker() -> Checker:
    """One child process for each of ours."""
    import atexit

    from regsynth.corpora.crosscheck import Checker

    made = Checker()
    atexit.register(made.close)
    return made


def solve(settings: Settings, item: Item) -> Record:
    """The fields of one record."""
    (pattern,) = item.texts
    found = checker().check(
        pattern, semantics=settings.semantics, flags=settings.flags, words=settings.words, seed=settings.seed,
        budget=settings.budget,
    )  # fmt: skip
    word = found.word.decode("latin-1") if isinstance(found.word, bytes) else found.word
    return {"pattern": pattern, "verdict": found.verdict, "reason": found.reason, "word": word, "words_tried": found.words_tried}


def columns(record: Record) -> list[str]:
    """The line for people."""
    why = f"on {quoted(record['word'])}" if record["word"] is not None else record["reason"] or f"{record['words_tried']} words"
    return [record["verdict"], why, clock_text(record["seconds"])]


def of_registry(path: str, registry: str) -> Iterator[Item]:
    """Patterns of JSON records ``{"pattern": …, "pypi": [modules, …], …}`` that a registry's packages use."""
    known = False
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    record = json.loads(line)
                    pattern, counts = record["pattern"], record.get(registry)
                except (ValueError, KeyError, TypeError, AttributeError):
                    yield Item(number, (), f"{path}, line {number}: no JSON record with a field 'pattern'")
                    continue
                known = known or counts is not None
                if any(counts or ()) if isinstance(counts, list) else counts:
                    yield Item(record.get("id", number), (pattern,))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; check --input") from None
    if not known:
        raise InputError(f"{path}: no record has counts for registry {registry!r}; see its field names")


def main(arguments: Arguments) -> int:
    """Run the verb."""
    arguments = _with_file(arguments)
    registry = arguments["registry"]
    if registry is None:
        items, many = items_of(arguments, PATTERN)
    elif arguments["input"] in (None, "-"):
        raise InputError("--registry selects records of a file; give --input FILE too")
    else:
        items, many = of_registry(arguments["input"], registry), True
    settings = Settings(arguments["semantics"], arguments["flags"], arguments["words"], arguments["seed"], budget_of(arguments))
    one = partial(solve, settings)
    tally: Counter[str] = Counter()

    def counted(source: Iterator[Item]) -> Iterator[Record]:
        for record in records(source, SCHEMA, one, arguments["jobs"]):
            verdict = record.get("verdict")
            kind = (record.get("reason") or "").partition(":")[0] if verdict == "unchecked" else ""
            tally[f"{verdict} ({kind})" if kind else verdict or "rejected by re"] += 1
            yield record

    code = run(arguments, items, many, SCHEMA, one, columns, counted)
    if many and not arguments["quiet"]:
        print("  ".join(f"{name}: {n:,}" for name, n in sorted(tally.items())), file=sys.stderr)
    return code


def _with_file(arguments: Arguments) -> Arguments:
    """``crosscheck patterns.json``: one item that names a file of patterns is read like ``--input``."""
    if len(arguments.items) != 1 or arguments["input"] is not None:
        return arguments
    path = arguments.items[0]
    if not path.endswith((".json", ".jsonl", ".ndjson")) or not os.path.isfile(path):
        return arguments
    return Arguments([], {**arguments._values, "input": path}, arguments.given | {"input"})


def _words(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise InputError(f"--words {text!r}: give a whole number from 1 up")
    return int(text)


VERB = Verb(
    name="crosscheck",
    summary="compare a pattern's automaton with Python's re, word by word",
    usage="[PATTERN…] [options]",
    details="""\
Words lead through every transition of the automaton and to both sides of acceptance, hold the ends of every character
range, or are random. re runs in a child process under limits. A disagreement is a bug of regsynth (or of re).

  regsynth crosscheck '(?<=a)b|\\bc' --semantics search
  regsynth crosscheck patterns.json
  regsynth crosscheck --input pypi.ndjson --registry pypi --format jsonl""",
    options=("semantics", "flags", "seed", *BATCH),
    run=main,
    own=(
        Option("registry", "NAME", "only records with counts for this registry, such as pypi"),
        Option("words", "N", "words to try on each pattern (default 200)", _words, 200),
    ),
)
