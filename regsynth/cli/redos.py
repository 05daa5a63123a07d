"""``regsynth redos``: can a subject make a pattern slow, how slow, and what to use instead?"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from regsynth.budget import Budget
from regsynth.cli.arguments import Arguments, Verb
from regsynth.cli.exits import Record
from regsynth.cli.inputs import Item, Shape, items_of
from regsynth.cli.limits import alarm, cap_memory
from regsynth.cli.options import BATCH, TABLE, Option
from regsynth.cli.outputs import choose_format, clock_text, use_colour
from regsynth.cli.practical import budget_of
from regsynth.cli.runner import run
from regsynth.cli.values import choice
from regsynth.errors import BudgetExceeded, InputError

if TYPE_CHECKING:
    from regsynth.redos.results import ScreenResult

SCHEMA = "regsynth/redos/1"
PATTERN = Shape(1, "a pattern", ("pattern",))
SECONDS = 7.0  # screening's share of the ten seconds a huge pattern may take
BATCH_SECONDS = 2.0  # of a pattern among many: one in four hundred needs more
WAIT = 30.0  # seconds an item may take beyond its budget, for confirming and repairing


class Settings(NamedTuple):
    """Options of the verb; goes to worker processes."""

    semantics: str
    flags: str
    profile: str
    confirm: bool
    repair: bool
    budget: Budget
    explain: bool
    colour: bool


def solve(settings: Settings, item: Item) -> Record:
    """The fields of one record."""
    from regsynth.redos.results import ScreenResult
    from regsynth.redos.screening import screen

    (pattern,) = item.texts
    limit = settings.budget.seconds
    result: ScreenResult | None = None
    try:
        with alarm(None if limit is None else limit + 0.5, limit):
            result = screen(pattern, flags=settings.flags, semantics=settings.semantics, profile=settings.profile, budget=settings.budget)
    except (BudgetExceeded, MemoryError) as error:
        why = str(error) or "out of memory; see --memory-limit"
        result = ScreenResult(pattern, settings.semantics, 0, "unknown", why, settings.profile, method="none", seconds=limit or 0.0)
    result = _followed(settings, result)
    record = {**result.record(), "seconds": round(result.seconds, 6)}
    del record["schema"]
    if settings.explain:
        record["explanation"] = _explanation(settings, result)
    return record


def _followed(settings: Settings, result: ScreenResult) -> ScreenResult:
    """Confirm and repair, each within limits of its own; what fails says so and does not touch the verdict."""
    from regsynth.redos.confirm import CONFIRM_BUDGET, confirm
    from regsynth.redos.results import Confirmation, Repair

    if settings.confirm and result.attack is not None and result.vulnerable:
        try:
            with alarm(WAIT):
                result = confirm(result, budget=_at_most(settings.budget, CONFIRM_BUDGET))
        except (BudgetExceeded, MemoryError) as error:
            result = result.but(confirmed=Confirmation(note=str(error) or "out of memory"))
    if settings.repair and result.vulnerable:
        from regsynth.redos.repair import REPAIR_BUDGET, repair

        try:
            with alarm(WAIT):
                result = repair(result, flags=settings.flags, budget=_at_most(settings.budget, REPAIR_BUDGET))
        except (BudgetExceeded, MemoryError) as error:
            result = result.but(repair=Repair(reason=str(error) or "out of memory"))
    return result


def _at_most(budget: Budget, own: Budget) -> Budget:
    seconds = own.seconds if budget.seconds is None else min(budget.seconds, own.seconds or budget.seconds)
    return Budget(seconds=seconds, memory=own.memory, states=own.states)


def _explanation(settings: Settings, result: ScreenResult) -> str:
    from regsynth.redos.explain import explain

    return explain(result, colour=settings.colour)


def columns(settings: Settings, many: bool, record: Record) -> list[str]:
    """The line for people, and one below it for the repair."""
    from regsynth.redos.confirm import growth_text
    from regsynth.redos.explain import attack_text
    from regsynth.redos.results import Attack, Confirmation

    if "explanation" in record:
        cells = [record["explanation"].rstrip("\n")]
    else:
        degree = f" n^{record['degree']}" if record["degree"] else ""
        cells = [record["verdict"] + degree, *([record["pattern"]] if many else []), record["reason"]]
        if record["attack"]:
            given = record["attack"]
            attack = Attack(given["prefix"], given["pump"], given["suffix"], tuple((a, b) for a, b in given.get("further", ())))
            cells.append(f"attack: {attack_text(attack)}")
        if record["confirmed"]["status"] != "not tried":
            given = record["confirmed"]
            measured = tuple((n, seconds) for n, seconds in given["measured"])
            cells.append(growth_text(Confirmation(given["status"], given["exponent"], given["factor"], measured, given["note"])))
        cells.append(clock_text(record["seconds"]))
    if record["cpython"]:
        cells[-1] += f"\n  this Python: {_short(record['cpython'])}"
    if record["repair"]:
        cells[-1] += f"\n  repair: {_repair_text(record['repair'])}"
    return cells


def _short(growth: dict[str, Any]) -> str:
    return f"{growth['verdict']}{' n^' + str(growth['degree']) if growth['degree'] else ''}"


def _repair_text(repair: dict[str, Any]) -> str:
    if repair["status"] == "none":
        return f"none: {repair['reason']}"
    shown = repair["pattern"] or "(the empty pattern)"
    if repair["status"] == "changed":
        from regsynth.redos.explain import quote

        return f"{shown}      changed, linear; they differ on {quote(repair['witness'])}"
    return f"{shown}      {repair['reason']}, linear"


def main(arguments: Arguments) -> int:
    """Run the verb."""
    items, many = items_of(arguments, PATTERN)
    budget = budget_of(arguments)
    if "timeout" not in arguments.given:
        budget = Budget(seconds=BATCH_SECONDS if many else SECONDS, memory=budget.memory)
    table = choose_format(arguments["format"], many) == "table"
    settings = Settings(
        arguments["semantics"], arguments["flags"], arguments["profile"], _wanted(arguments["confirm"], not many),
        _wanted(arguments["repair"], not many), budget, arguments["explain"], table and use_colour(sys.stdout),
    )  # fmt: skip
    if settings.explain and not table:
        raise InputError("--explain draws for people; use it with --format table")
    assert budget.memory is not None
    cap_memory(budget.memory)
    return run(arguments, items, many, SCHEMA, partial(solve, settings), partial(columns, settings, many))


def _wanted(given: str, otherwise: bool) -> bool:
    return otherwise if given == "auto" else given == "yes"


def _when(name: str) -> Callable[[str], str]:
    return choice(name, "auto", "yes", "no")


VERB = Verb(
    name="redos",
    summary="decide whether a subject can make a pattern slow, with the degree, an attack and a proven repair",
    usage="[PATTERN…] [options]",
    details="""\
The verdict is safe (linear in the subject), polynomial with its degree, exponential, or unknown. An attack is tried
in a child process and a repair is looked for when one pattern is given; for many, ask with --confirm and --repair.
The default semantics is search, and the verdict is about any backtracking matcher unless --profile cpython is given.

  regsynth redos '^(\\w+\\s?)*$' --semantics fullmatch
  regsynth redos '\\s+$' --explain --format table
  regsynth redos --input patterns.txt --format jsonl --jobs 2""",
    options=tuple(name for name in BATCH if name != "timeout"),
    run=main,
    own=(
        TABLE["semantics"]._replace(help="the method called: search, match or fullmatch (default search)", default="search"),
        TABLE["timeout"]._replace(help="time budget of screening one pattern, 0 for none (default 7)"),
        TABLE["flags"]._replace(help="flags of re, from imsxaLu"),
        Option("profile", "NAME", "the matcher: theory (any) or cpython (this Python's) (default theory)",
               choice("profile", "theory", "cpython"), "theory"),
        Option("confirm", "WHEN", "try the attack: yes, no, or auto (if there is one pattern)", _when("confirm"), "auto"),
        Option("repair", "WHEN", "look for a repair: yes, no, or auto (if there is one pattern)", _when("repair"), "auto"),
        Option("explain", "", "draw the hot spots and two readings of the attack"),
    ),
)  # fmt: skip
