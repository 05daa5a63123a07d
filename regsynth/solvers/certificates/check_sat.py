"""Check a SAT certificate: only the encoding is shared with whoever wrote it.

1. The answer's cost and operators are checked, and that it solves the problem is decided
   again, with the checker's own automata.
2. Every sample is shown to be in (or outside) the language.
3. The CNF of "some tree that costs less answers the samples" is built again from the claim. No
   clause is read from the folder.
4. Each line of ``proof.lrat`` is a clause and the numbers of clauses (of the CNF, or of
   earlier lines) from which it follows. The PyPI package ``drup``, extracted from verified
   code, confirms that the named clauses and the line's negation are refuted by unit
   propagation; the line is an *empty* clause for it, so it can only be RUP, never RAT. The
   last line must be empty.

So the CNF is unsatisfiable, no tree that costs less answers the samples, and every
expression for the problem answers them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from regsynth.encodings.task import Task
from regsynth.errors import BudgetExceeded, InputError, RegsynthError
from regsynth.solvers.certificates.check_enumerative import check_answer
from regsynth.solvers.certificates.folder import PROOF, Claim, Rejected, read_text
from regsynth.solvers.certificates.question import cheaper_than, with_samples
from regsynth.solvers.results import MinimizationProblem

MAX_CLAUSES = 20_000_000


def check(claim: Claim, folder: str) -> None:
    """Raise :class:`Rejected` unless the certificate proves its claim."""
    refuted = _drup()
    upper, letters = check_answer(claim)
    symmetry = claim.evidence.get("symmetry")
    try:
        task = Task.of(claim.problem)
        if isinstance(claim.problem, MinimizationProblem):
            number = {symbol: a for a, symbol in enumerate(letters)}
            sides = []
            for texts, inside in ((claim.positives, True), (claim.negatives, False)):
                for text in texts:
                    if any(c not in number for c in text) or upper.accepts(number[c] for c in text) is not inside:
                        raise Rejected(f"the sample {text!r} is not {'in' if inside else 'outside'} the language")
                sides.append(tuple(tuple(number[c] for c in text) for text in texts))
            if task.upper is not None and [list(row) for row in task.upper.delta] != upper.delta:
                raise Rejected("the encoding's automaton of the language is not the checker's")
            if not upper.accepting:
                task = Task(task.letters, (), (), None, task.costs, task.allowed)
            task = with_samples(task, sides[0], sides[1])
        elif claim.positives or claim.negatives:
            raise Rejected("the samples of an inference problem are its own words")
        if not isinstance(symmetry, str):
            raise Rejected("field 'symmetry' is missing")
        clauses = cheaper_than(task, claim.cost, symmetry=symmetry, limit=MAX_CLAUSES)
    except (Rejected, BudgetExceeded):
        raise
    except RegsynthError as error:
        raise Rejected(str(error)) from None
    if clauses is None:
        return  # no tree is that cheap
    known = list(clauses)
    last: list[int] | None = None
    for n, line in enumerate(read_text(Path(folder) / PROOF).splitlines(), 1):
        lemma, hints = _parse(line, n)
        if any(not 0 < h <= len(known) for h in hints):
            raise Rejected(f"line {n} of the proof names a clause that is not there yet")
        named = [known[h - 1] for h in hints]
        if not refuted([*named, *([-x] for x in lemma)]):
            raise Rejected(f"line {n} of the proof does not follow from the clauses it names")
        known.append(lemma)
        last = lemma
        if not lemma:
            break
    if last != []:
        raise Rejected("the proof ends before the empty clause")


def _parse(line: str, n: int) -> tuple[list[int], list[int]]:
    try:
        numbers = [int(text) for text in line.split()]
        middle = numbers.index(0)
        if numbers[-1] != 0 or numbers.count(0) != 2 or any(abs(x) >= 1 << 31 for x in numbers):
            raise ValueError
    except ValueError:
        raise Rejected(f"line {n} of the proof is cut short or no LRAT") from None
    return numbers[:middle], numbers[middle + 1 : -1]


def _drup() -> Callable[[list[list[int]]], bool]:
    """Whether unit propagation refutes some clauses, asked of the ``drup`` package."""
    try:
        import drup
    except ImportError:
        raise InputError("checking a SAT certificate needs the package 'drup'; pip install 'regsynth[certify]'") from None
    module: Any = drup

    def refuted(clauses: list[list[int]]) -> bool:
        return bool(clauses) and module.check_proof(clauses, [[]]).outcome == module.Outcome.VALID

    return refuted
