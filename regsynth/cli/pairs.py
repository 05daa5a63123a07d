"""What ``eq`` and ``include`` share: both decide a relation between two expressions."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import NamedTuple

from regsynth.api import check_letters, parse
from regsynth.automata.reference import Comparison, Relation, compare
from regsynth.budget import Budget
from regsynth.cli import practical
from regsynth.cli.arguments import Arguments
from regsynth.cli.exits import Record
from regsynth.cli.inputs import PAIR, Item, items_of
from regsynth.cli.limits import alarm, cap_memory
from regsynth.cli.outputs import clock_text
from regsynth.cli.runner import PAYS, run, work
from regsynth.cli.settings import budget_of, letters_of_command
from regsynth.errors import BudgetExceeded, UnsupportedError

BLOCK = 8192  # pairs decided together


class Settings(NamedTuple):
    """Options of the verb; goes to worker processes."""

    relation: Relation
    letters: tuple[str, ...]  # allowed letters, when --alphabet is given
    alphabet: tuple[str, ...]  # Σ
    budget: Budget
    dialect: str


def solve(settings: Settings, item: Item) -> Record:
    """The fields of one record."""
    first, second = item.texts
    try:
        left, right = parse(first, dialect=settings.dialect), parse(second, dialect=settings.dialect)
        if settings.letters:
            check_letters((left, right), settings.letters, item.texts)
        with alarm(settings.budget.seconds):
            answer = compare(left, right, relation=settings.relation, alphabet=settings.alphabet, states=settings.budget.states)
    except UnsupportedError as error:
        answer = Comparison("unsupported", reason=str(error))
    except BudgetExceeded as error:
        answer = Comparison("unknown", reason=str(error))
    except MemoryError:
        answer = Comparison("unknown", reason="out of memory; see --memory-limit")
    return fields(first, second, answer)


def fields(first: str, second: str, answer: Comparison) -> Record:
    """A comparison as the fields of a record."""
    return {
        "first": first,
        "second": second,
        "verdict": answer.verdict,
        "witness": answer.word,
        "accepted_by": answer.accepted_by,
        "reason": answer.reason,
    }


def columns(record: Record) -> list[str]:
    """The line for people: ``different      'ab' only in the first      0.001 s``."""
    if record["witness"] is not None:
        why = f"{record['witness'] or 'ε'} is only in the {record['accepted_by']}"
    else:
        why = record["reason"] or ""
    cells = [record["verdict"].replace("_", " "), why, clock_text(record["seconds"])]
    return [cell for cell in cells if cell]


def main(relation: Relation, schema: str, arguments: Arguments) -> int:
    """Run either verb."""
    practical.check_options(arguments)
    if arguments["dialect"] != "formal":
        return practical.main(relation, schema, arguments)
    items, many = items_of(arguments, PAIR)
    letters = arguments["alphabet"] or ()
    budget = budget_of(arguments)
    settings = Settings(relation, letters, letters or letters_of_command(arguments), budget, arguments["dialect"])
    assert budget.memory is not None
    cap_memory(budget.memory)
    one = partial(solve, settings)
    stream = None
    if many and settings.dialect == "formal" and not letters and arguments["input"] not in (None, "-"):
        jobs = arguments["jobs"] if "jobs" in arguments.given else None
        stream = partial(in_blocks, settings, schema, jobs)
    return run(arguments, items, many, schema, one, columns, stream)


def in_blocks(settings: Settings, schema: str, jobs: int | None, items: Iterator[Item]) -> Iterator[Record]:
    """Records of a long file: the first few pairs in plain Python, the others in blocks by the batch kernels.

    Importing the kernels takes about a second, so a short file never does. A
    pair's ``seconds`` is then its share of the block's.
    """
    one = partial(work, schema, partial(solve, settings))
    began = time.perf_counter()
    for item in items:
        yield one(item)
        if time.perf_counter() - began > PAYS:
            break
    while block := list(islice(items, BLOCK)):
        yield from _block(settings, schema, jobs, block, one)


def _block(
    settings: Settings, schema: str, jobs: int | None, block: list[Item], one: Callable[[Item], Record]
) -> Iterator[Record]:
    from regsynth.automata.batch import ERROR, compare_many

    good = [item for item in block if item.fault is None]
    first, second = [item.texts[0] for item in good], [item.texts[1] for item in good]
    began = time.perf_counter()
    found = compare_many(first, second, relation=settings.relation, states=settings.budget.states, jobs=jobs)
    share = round((time.perf_counter() - began) / max(len(good), 1), 9)
    i = 0
    for item in block:
        if item.fault is not None:
            yield one(item)
            continue
        if found.verdict[i] == ERROR:
            yield one(item)  # for the message and its position
        else:
            verdict = found.name(i)
            record: Record = {"schema": schema, "id": item.id, "first": first[i], "second": second[i], "verdict": verdict}
            record["witness"], record["accepted_by"] = found.witness(i), found.side(i)
            record["reason"] = "state budget used up" if verdict == "unknown" else None
            record["seconds"] = share
            yield record
        i += 1
