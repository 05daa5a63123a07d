"""``regsynth infer``: the cheapest expression that separates two sets of words."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import Any, NamedTuple

from regsynth.budget import Budget
from regsynth.cli.arguments import Arguments, Verb
from regsynth.cli.exits import Record
from regsynth.cli.inputs import Item
from regsynth.cli.limits import alarm, cap_memory
from regsynth.cli.options import TABLE, Option
from regsynth.cli.outputs import clock_text
from regsynth.cli.problems import problems
from regsynth.cli.proofs import Proofs
from regsynth.cli.runner import run
from regsynth.cli.settings import budget_of
from regsynth.errors import BudgetExceeded, InputError
from regsynth.solvers.results import STANDARD, Operators
from regsynth.syntax.costs import TREE_LENGTH, Costs

SCHEMA = "regsynth/infer/1"


class Settings(NamedTuple):
    """Options of the verb; those given on the command line win over a record's own."""

    costs: Costs | None
    operators: Operators | None
    alphabet: tuple[str, ...] | None
    budget: Budget
    solver: str
    notes: bool
    proofs: Proofs | None = None


def solve(settings: Settings, item: Item) -> Record:
    """The fields of one record."""
    from regsynth.solvers.inference import infer, problem_of  # not needed for --help and usage errors

    problem: dict[str, Any] = json.loads(item.texts[0])
    positives, negatives = problem["positives"], problem["negatives"]
    limit, clock = settings.budget.seconds, settings.budget.start()
    where = problem.get("where")
    try:
        costs, operators, alphabet = _own(settings, problem)
        with alarm(None if limit is None else 1.25 * limit + 5, limit):
            result = infer(
                positives, negatives, costs=costs, operators=operators, alphabet=alphabet, budget=settings.budget,
                solver=settings.solver,
            )  # fmt: skip
        if settings.proofs is not None:
            question = problem_of(positives, negatives, costs=costs, operators=operators, alphabet=alphabet)
            result = settings.proofs.certify(question, result, settings.budget, item.id)
    except InputError as error:
        raise InputError(f"{where}: {error}" if where else str(error)) from None
    except (BudgetExceeded, MemoryError):
        return _without_answer(positives, negatives, costs, operators, alphabet, settings, clock.seconds)
    note = result.stats.get("note")
    if note and settings.notes:
        print(f"regsynth: {item.id}: {note}" if where else f"regsynth: {note}", file=sys.stderr)
    return {
        "positives": len(set(positives)),
        "negatives": len(set(negatives)),
        "regex": None if result.regex is None else str(result.regex),
        "cost": result.cost,
        "lower_bound": result.lower_bound,
        "status": result.status,
        "solver": result.solver,
        "certificate": result.certificate,
        "seconds": round(result.seconds, 6),
        **({"note": note} if note else {}),
    }


def _own(settings: Settings, problem: dict[str, Any]) -> tuple[Costs, Operators, tuple[str, ...]]:
    """Costs, operators and alphabet of a problem."""
    costs, operators, alphabet = settings.costs, settings.operators, settings.alphabet
    if costs is None:
        own = problem.get("costs", TREE_LENGTH)
        costs = own if isinstance(own, Costs) else Costs.parse(own) if isinstance(own, str) else Costs.of(own)
    if operators is None:
        operators = Operators.parse(problem["operators"]) if "operators" in problem else STANDARD
    if alphabet is None:
        text = problem.get("alphabet")
        alphabet = () if text is None else TABLE["alphabet"].convert(text)
    return costs, operators, alphabet


def _without_answer(positives: list[str], negatives: list[str], costs: Costs, operators: Operators, alphabet: tuple[str, ...],
                    settings: Settings, seconds: float) -> Record:  # fmt: skip
    """What is known when the solver overlooked its budget: the union of the positives, where it can be said."""
    from regsynth.solvers.inference import problem_of
    from regsynth.solvers.unions import flat_union

    regex = flat_union(sorted(set(positives)), problem_of(positives, negatives, costs=costs, operators=operators, alphabet=alphabet))
    return {
        "positives": len(set(positives)), "negatives": len(set(negatives)), "regex": None if regex is None else str(regex),
        "cost": None if regex is None else costs.of_expr(regex), "lower_bound": costs.atom,
        "status": "unknown" if regex is None else "feasible", "solver": settings.solver, "certificate": None,
        "seconds": round(seconds, 6),
    }  # fmt: skip


def columns(many: bool, record: Record) -> list[str]:
    """The line for people: ``10(0+1)*      cost 8      proven minimal      0.010 s``."""
    name = [str(record["id"])] if many else []
    time = clock_text(record["seconds"])
    if record["regex"] is None:
        shown = "no expression with these operators" if record["status"] == "infeasible" else "no answer within the budget"
        return [shown, f"at least {record['lower_bound']}", "", time, *name]
    proof = "proven minimal" if record["status"] == "optimal" else f"best found, at least {record['lower_bound']}"
    return [record["regex"], f"cost {record['cost']}", proof, time, *name]


def main(arguments: Arguments) -> int:
    """Run the verb."""
    files = [*arguments.items, *([arguments["input"]] if arguments["input"] else [])]
    items, many = problems(files, arguments["positive"], arguments["negative"])
    settings = Settings(
        costs=arguments["costs"], operators=arguments["ops"], alphabet=arguments["alphabet"], budget=budget_of(arguments),
        solver=arguments["solver"], notes=not arguments["quiet"],
        proofs=Proofs(arguments["certificate"], many) if arguments["certificate"] else None,
    )  # fmt: skip
    assert settings.budget.memory is not None
    cap_memory(settings.budget.memory)
    return run(arguments, items, many, SCHEMA, partial(solve, settings), partial(columns, many))


VERB = Verb(
    name="infer",
    summary="find the cheapest expression that accepts all positive and no negative words, and prove that none is cheaper",
    usage="[-p WORD…] [-n WORD…] | [FILE…] [options]",
    details="""\
A file holds a problem in Paresy's format (a title, a line ++, the positives, a line --, the
negatives; "" or an empty line is the empty word), or JSON or JSONL problems:
{"id", "positives": […], "negatives": […], "costs": […], "operators": "?*.+", "alphabet": "01"}.
An option given here wins over a problem's own field.

  regsynth infer -p 10 -p 101 -p 100 -n '' -n 0 -n 1 -n 00 -n 11
  regsynth infer problem.txt --costs 20,20,20,1,5,1,30,1 --ops '?*.+'
  regsynth infer problems/*.txt --format jsonl --timeout 60""",
    options=("ops", "costs", "alphabet", "solver", "certificate", "timeout", "memory-limit", "input", "format", "jobs", "quiet", "help"),
    run=main,
    own=(
        Option("positive", "WORD", "a word to accept; give it once for each word", short="p", repeats=True),
        Option("negative", "WORD", "a word to reject", short="n", repeats=True),
    ),
)
