"""``eq`` and ``include`` under the practical dialects."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from regsynth.automata.reference import Comparison, Relation
from regsynth.budget import Budget
from regsynth.cli.arguments import Arguments
from regsynth.cli.exits import Record
from regsynth.cli.inputs import PAIR, Item, items_of
from regsynth.cli.limits import alarm, cap_memory
from regsynth.cli.outputs import clock_text
from regsynth.cli.runner import run
from regsynth.errors import BudgetExceeded, InputError

SECONDS, MEMORY = 10.0, 2 << 30  # default budget of a pair


class Settings(NamedTuple):
    """Options of the verb; goes to worker processes."""

    relation: Relation
    dialect: str
    semantics: str
    flags: str
    budget: Budget


def budget_of(arguments: Arguments) -> Budget:
    """10 s and 2 GB a pair unless the command says otherwise."""
    seconds = arguments["timeout"] if "timeout" in arguments.given else SECONDS
    return Budget(seconds=seconds or None, memory=arguments["memory-limit"] or MEMORY)


def check_options(arguments: Arguments) -> None:
    """Refuse options that mean nothing for the dialect."""
    if arguments["dialect"] == "formal":
        for name in ("semantics", "flags"):
            if name in arguments.given:
                raise InputError(f"--{name} is for --dialect python or brics; formal expressions have none")
    elif arguments["dialect"] == "brics" and arguments["flags"]:
        raise InputError("--flags is for --dialect python; the brics dialect has none")


def solve(settings: Settings, item: Item) -> Record:
    """The fields of one record."""
    from regsynth.practical import compare_patterns

    (first, second), limit = item.texts, settings.budget.seconds
    try:
        with alarm(None if limit is None else limit + 1, limit):
            answer = compare_patterns(
                first, second, relation=settings.relation, dialect=settings.dialect, semantics=settings.semantics,
                flags=settings.flags, budget=settings.budget)  # fmt: skip
    except (BudgetExceeded, MemoryError) as error:
        answer = Comparison("unknown", reason=str(error) or "out of memory; see --memory-limit")
    return {
        "first": first,
        "second": second,
        "verdict": answer.verdict,
        "witness": answer.word,
        "accepted_by": answer.accepted_by,
        "reason": answer.reason,
    }


def quoted(word: str) -> str:
    """A witness for people, with the code points of what can't be read.

    >>> quoted("a"), quoted("\\u0660")
    ("'a'", "'٠' (U+0660)")
    """
    shown = repr(word)
    strange = [c for c in word if not c.isascii()]
    return f"{shown} ({' '.join(f'U+{ord(c):04X}' for c in strange)})" if strange else shown


def columns(record: Record) -> list[str]:
    """The line for people: ``different      witness '٠' (U+0660), accepted by the first      0.001 s``."""
    if record["witness"] is not None:
        why = f"witness {quoted(record['witness'])}, accepted by the {record['accepted_by']}"
    else:
        why = record["reason"] or ""
    return [cell for cell in (record["verdict"].replace("_", " "), why, clock_text(record["seconds"])) if cell]


def main(relation: Relation, schema: str, arguments: Arguments) -> int:
    """Run either verb."""
    if arguments["alphabet"]:
        raise InputError("--alphabet is for --dialect formal; practical patterns range over all of Unicode")
    items, many = items_of(arguments, PAIR)
    budget = budget_of(arguments)
    settings = Settings(relation, arguments["dialect"], arguments["semantics"], arguments["flags"], budget)
    assert budget.memory is not None
    cap_memory(budget.memory)
    return run(arguments, items, many, schema, partial(solve, settings), columns)
