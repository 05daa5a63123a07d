"""Write a SAT certificate: CaDiCaL's refutation of "something is cheaper", trimmed and with hints."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from regsynth.budget import Budget, Clock
from regsynth.encodings.tree import TreeEncoding
from regsynth.errors import BudgetExceeded, MethodsDisagree, UnsupportedError
from regsynth.solvers.certificates.folder import Claim, write
from regsynth.solvers.certificates.question import cheaper_than
from regsynth.solvers.certificates.trim import Lemma, trim
from regsynth.solvers.live import BYTES_PER_CLAUSE
from regsynth.solvers.questions import Question
from regsynth.solvers.results import InferenceProblem, MinimizationProblem, Result

SOLVER = "cadical153"

_PROVER = """\
import sys
from pysat.formula import CNF
from pysat.solvers import Solver
with Solver(name=sys.argv[2], bootstrap_with=CNF(from_file=sys.argv[1]), with_proof=True) as solver:
    if solver.solve():
        print("s SATISFIABLE")
        print(*solver.get_model())
    else:
        print("s UNSATISFIABLE")
        print("\\n".join(line for line in solver.get_proof() if not line.startswith("d")))
"""


def certify(problem: MinimizationProblem | InferenceProblem, result: Result, folder: str, budget: Budget | None = None) -> str:
    """Prove by SAT that nothing is cheaper than an optimal result, and write the proof.

    Samples are added until the formula of "something cheaper answers the samples" is
    unsatisfiable, however the result was found.

    Parameters
    ----------
    problem : MinimizationProblem or InferenceProblem
    result : Result
        With status ``optimal``.
    folder : str
        Made when it is missing.
    budget : Budget, optional

    Raises
    ------
    BudgetExceeded
        When the solver or the trimming of its proof needs longer.
    MethodsDisagree
        When something cheaper turns up.
    """
    if result.status != "optimal" or result.regex is None or result.cost is None:
        raise UnsupportedError("a certificate of a result that is not optimal")
    clock = (budget or Budget()).start()
    question = Question(problem, clock)
    while True:
        clauses = cheaper_than(question.task, result.cost, limit=clock.memory // BYTES_PER_CLAUSE, tick=clock.check)
        if clauses is None:
            proof: list[Lemma] = []
            break
        model, lemmas = refute(clauses, clock)
        if model is None:
            variables = max((abs(x) for c in clauses for x in c), default=0)
            proof = trim(clauses, lemmas, variables, clock.check)
            break
        expr = TreeEncoding(question.task, most(question, result.cost), tick=clock.check).decode(model)
        if question.answer(expr) is None:
            raise MethodsDisagree(f"{expr} is right and cheaper than {result.regex}")
    task = question.task
    sides = [tuple("".join(str(task.letters[a]) for a in w) for w in side) for side in (task.positives, task.negatives)]
    if isinstance(problem, InferenceProblem):  # its samples are its own words
        sides = [(), ()]
    claim = Claim("sat", problem, result.regex, result.cost, sides[0], sides[1], {"symmetry": "all"})
    return write(folder, claim, "".join(" ".join(map(str, [*c, 0, *(h + 1 for h in hints), 0])) + "\n" for c, hints in proof))


def most(question: Question, cost: int) -> int:
    """Nodes that the formula has room for."""
    from regsynth.encodings.costs import most_nodes

    return most_nodes(question.task.costs, question.task.allowed, cost - 1)


def refute(clauses: list[list[int]], clock: Clock, solver: str = SOLVER) -> tuple[list[int] | None, list[list[int]]]:
    """Run a proof-writing solver in a process of its own, so that the clock can stop it.

    Returns
    -------
    model, lemmas
        A model and nothing, or ``None`` and the clauses of a DRUP proof (deletions left out).
    """
    clock.check()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "formula.cnf"
        variables = max((abs(x) for c in clauses for x in c), default=0)
        with path.open("w") as file:
            file.write(f"p cnf {variables} {len(clauses)}\n")
            file.writelines(" ".join(map(str, c)) + " 0\n" for c in clauses)
        limit = None if clock.left == float("inf") else clock.left
        try:
            command = [sys.executable, "-c", _PROVER, str(path), solver]
            done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            raise BudgetExceeded(f"time budget of {clock.budget.seconds} s used up while proving") from None
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        raise BudgetExceeded(f"the proving solver ended with {done.returncode}: {done.stderr.strip()[-200:]}")
    if lines[0] == "s SATISFIABLE":
        return [int(x) for x in lines[1].split()], []
    return None, [[int(x) for x in line.split()[:-1]] for line in lines[1:]]
