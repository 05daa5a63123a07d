"""``minimize`` under the python dialect."""

from __future__ import annotations

import sys
from functools import partial
from typing import NamedTuple

from regsynth.budget import Budget
from regsynth.cli.arguments import Arguments
from regsynth.cli.exits import Record
from regsynth.cli.inputs import EXPRESSION, Item, items_of
from regsynth.cli.limits import alarm, cap_memory
from regsynth.cli.outputs import clock_text
from regsynth.cli.practical import budget_of
from regsynth.cli.runner import run
from regsynth.errors import BudgetExceeded, InputError


class Settings(NamedTuple):
    """Options of the verb; goes to worker processes."""

    semantics: str
    flags: str
    costs: str
    budget: Budget
    quiet: bool


def solve(settings: Settings, item: Item) -> Record:
    """The fields of one record."""
    from regsynth.solvers.practical import minimize_pattern

    (text,) = item.texts
    limit = settings.budget.seconds
    try:
        with alarm(None if limit is None else 2 * limit + 2, limit):
            result = minimize_pattern(
                text,
                semantics=settings.semantics,
                flags=settings.flags,
                costs=settings.costs,
                budget=settings.budget,
            )
    except (BudgetExceeded, MemoryError) as error:
        return {"input": text, "input_cost": None, "regex": text, "cost": None, "lower_bound": 1, "status": "unknown",
                "solver": "practical", "certificate": None, "reason": str(error) or "out of memory"}  # fmt: skip
    if result.dropped and result.regex != text and not settings.quiet:
        plural = "s are" if result.dropped > 1 else " is"
        print(
            f"regsynth: {text!r}: {result.dropped} capture group{plural} not kept (groups 1 to {result.dropped})", file=sys.stderr
        )
    return {
        "input": text,
        "input_cost": result.input_cost,
        "regex": result.regex,
        "cost": result.cost,
        "lower_bound": result.lower_bound,
        "status": result.status,
        "solver": "practical",
        "certificate": None,
        "reason": result.reason,
        "seconds": round(result.seconds, 6),
    }


def columns(word: str, record: Record) -> list[str]:
    """The line for people: ``[a-d]+x{,3}      length 11 → 5      proven minimal      0.1 s``."""
    if record["regex"] is None or record["cost"] is None:
        return [record["status"], record["reason"] or ""]
    proof = "proven minimal" if record["status"] == "optimal" else f"best found, at least {record['lower_bound']}"
    shown = record["regex"] or "(the empty pattern)"
    return [shown, f"{word} {record['input_cost']} → {record['cost']}", proof, clock_text(record["seconds"])]


def main(schema: str, arguments: Arguments) -> int:
    """Run the verb for ``--dialect python``."""
    if arguments["dialect"] != "python":
        raise InputError("minimize reads the formal and python dialects; brics patterns are decided by eq and include")
    for name in ("ops", "alphabet"):
        if arguments[name]:
            raise InputError(f"--{name} is for --dialect formal; practical patterns use sets, |, concatenation and repeats")
    costs = arguments["costs"]
    if costs is not None and costs != "chars" and not costs.is_tree:
        raise InputError("--costs for --dialect python: give tree (every node 1) or chars (length of the printed pattern)")
    items, many = items_of(arguments, EXPRESSION)
    budget = budget_of(arguments)
    settings = Settings(
        arguments["semantics"], arguments["flags"], "chars" if costs == "chars" else "tree", budget, arguments["quiet"]
    )
    assert budget.memory is not None
    cap_memory(budget.memory)
    word = "characters" if settings.costs == "chars" else "length"
    return run(arguments, items, many, schema, partial(solve, settings), partial(columns, word))
