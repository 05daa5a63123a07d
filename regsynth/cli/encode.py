"""``regsynth encode``: write a problem as DIMACS, WCNF or SMT-LIB 2."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from regsynth.api import parse
from regsynth.budget import Budget
from regsynth.cli.arguments import Arguments, Verb
from regsynth.cli.exits import YES
from regsynth.cli.options import Option
from regsynth.cli.outputs import choose_format, clock_text
from regsynth.corpora.folders import write_whole
from regsynth.errors import InputError
from regsynth.solvers.results import STANDARD, InferenceProblem, MinimizationProblem
from regsynth.syntax.costs import TREE_LENGTH

SCHEMA = "regsynth/encode/1"
FORMATS = ("dimacs", "wcnf", "smtlib2")


def problem_of(text: str, arguments: Arguments) -> InferenceProblem | MinimizationProblem:
    """A problem from a file of words under ``++`` and ``--``, or from an expression."""
    costs, operators = arguments["costs"] or TREE_LENGTH, arguments["ops"] or STANDARD
    alphabet = arguments["alphabet"] or ()
    if not os.path.exists(text):
        if text.endswith((".txt", ".json")) or "/" in text:
            raise InputError(f"{text}: no such file")
        return MinimizationProblem(parse(text), costs, operators, alphabet)
    try:
        lines = Path(text).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{text}: cannot be read as text: {error}") from None
    sides: dict[str, set[str]] = {"++": set(), "--": set()}
    into: set[str] | None = None
    for line in map(str.strip, lines):
        if line in sides:
            into = sides[line]
        elif into is not None:
            into.add(line[1:-1] if len(line) > 1 and line[0] == line[-1] == '"' else line)
    if into is None:
        raise InputError(f"{text}: no line '++'; list the positive words under '++' and the negative ones under '--'")
    return InferenceProblem(frozenset(sides["++"]), frozenset(sides["--"]), costs, operators, alphabet)


def main(arguments: Arguments) -> int:
    """Run the verb."""
    from regsynth.encodings.export import export
    from regsynth.encodings.tree import TreeEncoding
    from regsynth.solvers.questions import Question

    if len(arguments.items) != 1:
        raise InputError(f"give one problem: a file, or an expression (found {len(arguments.items)})")
    if arguments["nodes"] is None:
        raise InputError("give the size: --nodes N")
    problem = problem_of(arguments.items[0], arguments)
    clock = Budget(seconds=arguments["timeout"] or None, memory=arguments["memory-limit"]).start()
    task = Question(problem, clock).task
    encoding = TreeEncoding(task, arguments["nodes"], symmetry=arguments["symmetry"], tick=clock.check)
    bound: int | None = arguments["bound"]
    lines = export(encoding, arguments["to"], bound=bound)
    output: str | None = arguments["output"]
    if output is None or output == "-":
        for line in lines:
            sys.stdout.write(line + "\n")
        return YES
    try:
        write_whole(Path(output), (line + "\n" for line in lines))
    except InputError as error:
        raise InputError(f"{error}; give --output a file that can be written") from None
    record = {"schema": SCHEMA, "id": 1, "status": "written", "output": output, "format": arguments["to"],
              "nodes": encoding.nodes, "seconds": round(clock.seconds, 6)}  # fmt: skip
    if choose_format(arguments["format"], many=False) == "table":
        print(f"{output}      {arguments['to']}, {encoding.nodes} nodes      {clock_text(clock.seconds)}")
    else:
        print(json.dumps(record, ensure_ascii=False))
    return YES


def _number(name: str) -> Any:
    def convert(text: str) -> int:
        if not text.isdecimal() or not 1 <= int(text) <= 10**9:
            raise InputError(f"--{name} {text!r}: give a whole number from 1 up")
        return int(text)

    return convert


def _format(text: str) -> str:
    if text not in FORMATS:
        raise InputError(f"--to {text!r}: choose from {', '.join(FORMATS)}")
    return text


def _symmetry(text: str) -> str:
    from regsynth.encodings.tree import rules_of

    rules_of(text)
    return text


VERB = Verb(
    name="encode",
    summary="write a problem as DIMACS, WCNF or SMT-LIB 2 for other solvers",
    usage="PROBLEM --nodes N [options]",
    details="""\
PROBLEM is a file of words (positive ones under a line ++, negative ones under --), or an
expression to minimise. dimacs: is there a tree of exactly N nodes? wcnf: the cheapest tree of
at most N nodes. smtlib2: is there a tree of at most N nodes (that costs at most --bound)?
Comments name every variable. An expression is encoded with the first samples of its language.

  regsynth encode problem.txt --nodes 9 --to dimacs --output out.cnf""",
    options=("ops", "costs", "alphabet", "timeout", "memory-limit", "format", "help"),
    own=(
        Option("nodes", "N", "nodes of the tree", _number("nodes")),
        Option("to", "FORMAT", "dimacs, wcnf or smtlib2 (default dimacs)", _format, "dimacs"),
        Option("output", "FILE", "where to write (also -o; default standard output)"),
        Option("bound", "COST", "most cost, for smtlib2", _number("bound")),
        Option("symmetry", "RULES", "symmetry rules by name, 'all' (default) or 'none'", _symmetry, "all"),
    ),
    run=main,
)
