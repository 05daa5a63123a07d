"""``regsynth minimize``: the cheapest expression of the same language."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from regsynth.api import check_letters, parse
from regsynth.budget import Budget
from regsynth.cli import practical
from regsynth.cli.arguments import Arguments, Verb
from regsynth.cli.exits import Record
from regsynth.cli.inputs import EXPRESSION, Item, items_of
from regsynth.cli.limits import alarm, cap_memory
from regsynth.cli.options import BATCH
from regsynth.cli.outputs import clock_text
from regsynth.cli.proofs import Proofs
from regsynth.cli.runner import run
from regsynth.cli.settings import budget_of, letters_of_command
from regsynth.errors import BudgetExceeded, InputError
from regsynth.solvers.results import STANDARD, MinimizationProblem, Operators
from regsynth.syntax.costs import TREE_LENGTH, Costs

SCHEMA = "regsynth/minimize/1"


class Settings(NamedTuple):
    """Options of the verb; goes to worker processes."""

    costs: Costs
    operators: Operators
    letters: tuple[str, ...]  # allowed letters, when --alphabet is given
    alphabet: tuple[str, ...]  # Σ
    budget: Budget
    solver: str
    dialect: str
    proofs: Proofs | None = None


def solve(settings: Settings, item: Item) -> Record:
    """The fields of one record."""
    from regsynth.solvers.minimise import minimize  # not needed for --help and usage errors
    from regsynth.solvers.roads import unsolved

    (text,) = item.texts
    expr = parse(text, dialect=settings.dialect)
    if settings.letters:
        check_letters((expr,), settings.letters, (text,))
    limit, clock = settings.budget.seconds, settings.budget.start()
    problem = MinimizationProblem(expr, settings.costs, settings.operators, settings.alphabet)
    try:
        with alarm(None if limit is None else 1.25 * limit + 2, limit):
            result = minimize(
                expr,
                costs=settings.costs,
                operators=settings.operators,
                alphabet=settings.alphabet,
                budget=settings.budget,
                solver=settings.solver,
            )
    except (BudgetExceeded, MemoryError) as error:
        result = unsolved(problem, settings.solver, clock.seconds, str(error))
    if settings.proofs is not None:
        result = settings.proofs.certify(problem, result, settings.budget, item.id)
    regex = result.regex
    return {
        "input": text,
        "input_cost": result.input_cost,
        "regex": None if regex is None else str(regex),
        "cost": result.cost,
        "lower_bound": result.lower_bound,
        "status": result.status,
        "solver": result.solver,
        "certificate": result.certificate,
        "seconds": round(result.seconds, 6),
    }


def columns(word: str, record: Record) -> list[str]:
    """The line for people: ``a?d*(b+d)      length 13 → 9      proven minimal      0.004 s``."""
    status = record["status"]
    if record["regex"] is None:
        shown = "no expression with these operators" if status == "infeasible" else "no answer within the budget"
        return [shown, f"{word} {record['input_cost']}", f"at least {record['lower_bound']}", clock_text(record["seconds"])]
    proof = "proven minimal" if status == "optimal" else f"best found, at least {record['lower_bound']}"
    return [record["regex"], f"{word} {record['input_cost']} → {record['cost']}", proof, clock_text(record["seconds"])]


def main(arguments: Arguments) -> int:
    """Run the verb."""
    practical.check_options(arguments)
    if arguments["dialect"] != "formal":
        from regsynth.cli import minimize_practical

        return minimize_practical.main(SCHEMA, arguments)
    if arguments["costs"] == "chars":
        raise InputError("--costs chars is for --dialect python; give 'tree', 5 or 8 numbers")
    items, many = items_of(arguments, EXPRESSION)
    letters = arguments["alphabet"] or ()
    costs = arguments["costs"] or TREE_LENGTH
    settings = Settings(
        costs=costs,
        operators=arguments["ops"] or STANDARD,
        letters=letters,
        alphabet=letters or letters_of_command(arguments),
        budget=budget_of(arguments),
        solver=arguments["solver"],
        dialect=arguments["dialect"],
        proofs=Proofs(arguments["certificate"], many) if arguments["certificate"] else None,
    )
    assert settings.budget.memory is not None
    cap_memory(settings.budget.memory)
    word = "length" if costs.is_tree else "cost"
    return run(arguments, items, many, SCHEMA, partial(solve, settings), partial(columns, word))


VERB = Verb(
    name="minimize",
    summary="find the cheapest expression of the same language, and prove that none is cheaper",
    usage="[EXPR…] [options]",
    details="""\
Expressions: union + or |, difference -, intersection &, concatenation by juxtaposition or .,
complement ~, star *, option ?, ε, ∅, parentheses; any other character, or \\x, is a letter.

  regsynth minimize 'a?d*(b+d+d+d)'
  regsynth minimize --costs 1,2,3,1,1 '(a+b)*a?'
  regsynth minimize --dialect python '(?:a|b|c|d)+x?x?x?'
  regsynth minimize --input queries.jsonl --field query --format jsonl > out.jsonl""",
    options=("dialect", "semantics", "flags", "ops", "costs", "alphabet", "solver", "certificate", *BATCH),
    run=main,
)
