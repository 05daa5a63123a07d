"""The folder a certificate lives in: ``certificate.json`` and, for SAT, ``proof.lrat``."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regsynth.errors import InputError, RegsynthError
from regsynth.solvers.results import InferenceProblem, MinimizationProblem, Operators
from regsynth.syntax.costs import Costs
from regsynth.syntax.formal import parse, to_text
from regsynth.syntax.tree import Expr

SCHEMA = "regsynth/certificate/1"
CLAIM, PROOF = "certificate.json", "proof.lrat"
MAX_BYTES = 1 << 30  # of one file that a checker will read
MAX_WORD = 400  # letters of one sample that a checker will cut into infixes


class Rejected(RegsynthError):
    """A certificate that does not establish its claim, and why."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a certificate says: this expression is a cheapest answer to this problem.

    Attributes
    ----------
    kind : {"sat", "enumerative"}
    problem : MinimizationProblem or InferenceProblem
    answer : Expr
    cost : int
    positives, negatives : tuple of str
        The samples that stand for the problem.
    evidence : dict
        Whatever else the kind needs.
    """

    kind: str
    problem: MinimizationProblem | InferenceProblem
    answer: Expr
    cost: int
    positives: tuple[str, ...]
    negatives: tuple[str, ...]
    evidence: dict[str, Any]


def write(folder: str, claim: Claim, proof: str | None = None) -> str:
    """Write a certificate; an existing one in the same folder is replaced.

    Raises
    ------
    InputError
        When the folder cannot be made or written.
    """
    problem = claim.problem
    question: dict[str, Any] = {"costs": list(_eight(problem.costs)), "operators": str(problem.operators)}
    question["alphabet"] = "".join(problem.alphabet)
    if isinstance(problem, InferenceProblem):
        question |= {"positives": sorted(problem.positives), "negatives": sorted(problem.negatives)}
    else:
        question["expr"] = to_text(problem.expr)
    body = {
        "schema": SCHEMA, "kind": claim.kind, "problem": question, "answer": to_text(claim.answer), "cost": claim.cost,
        "lower_bound": claim.cost, "positives": list(claim.positives), "negatives": list(claim.negatives), **claim.evidence,
    }  # fmt: skip
    try:
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        if proof is None:
            (path / PROOF).unlink(missing_ok=True)
        else:
            _replace(path / PROOF, proof)
        _replace(path / CLAIM, json.dumps(body, ensure_ascii=False) + "\n")
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror or error}; give --certificate a folder that can be written") from None
    return folder


def _replace(path: Path, text: str) -> None:
    """Whole files only: written aside, then renamed."""
    aside = path.with_suffix(path.suffix + ".part")
    aside.write_text(text, encoding="utf-8")
    os.replace(aside, path)


def read(folder: str) -> Claim:
    """Read a claim and check that it is complete.

    Raises
    ------
    InputError
        No such folder.
    Rejected
        No certificate, or one that is cut short, foreign or inconsistent.
    """
    path = Path(folder)
    if not path.is_dir():
        raise InputError(f"{folder}: no such folder; give the folder that --certificate wrote")
    try:
        body = json.loads(read_text(path / CLAIM))
    except (ValueError, RecursionError) as error:
        raise Rejected(f"{CLAIM} is not JSON: {error}") from None
    if not isinstance(body, dict) or body.get("schema") != SCHEMA:
        raise Rejected(f"{CLAIM} has no schema {SCHEMA!r}: another program's, or another version's")
    question = _field(body, "problem", dict)
    try:
        costs, operators = Costs.of([_number(c) for c in _field(question, "costs", list)]), _field(question, "operators", str)
        if len(question["costs"]) != 8:
            raise Rejected("a problem has eight costs")
        alphabet = tuple(_field(question, "alphabet", str))
        problem: MinimizationProblem | InferenceProblem
        if "expr" in question:
            problem = MinimizationProblem(parse(_field(question, "expr", str)), costs, Operators.parse(operators), alphabet)
        else:
            words = [frozenset(_words(question, side)) for side in ("positives", "negatives")]
            problem = InferenceProblem(words[0], words[1], costs, Operators.parse(operators), alphabet)
        answer, cost = parse(_field(body, "answer", str)), _number(body.get("cost"))
    except InputError as error:
        raise Rejected(f"{CLAIM}: {error}") from None
    if body.get("lower_bound") != cost or problem.costs.of_expr(answer) != cost:
        raise Rejected(f"the answer {answer} costs {problem.costs.of_expr(answer)}, not the claimed {body.get('lower_bound')}")
    known = {"schema", "kind", "problem", "answer", "cost", "lower_bound", "positives", "negatives"}
    evidence = {k: v for k, v in body.items() if k not in known}
    positives, negatives = (tuple(_words(body, side)) for side in ("positives", "negatives"))
    return Claim(_field(body, "kind", str), problem, answer, cost, positives, negatives, evidence)


def read_text(path: Path) -> str:
    """A file of a certificate as text, or :class:`Rejected`."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise Rejected(f"{path.name} is larger than {MAX_BYTES >> 20} MiB")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise Rejected(f"{path.name} is missing") from None
    except (OSError, UnicodeDecodeError) as error:
        raise Rejected(f"{path.name} cannot be read: {error}") from None


def _eight(costs: Costs) -> tuple[int, ...]:
    return tuple(getattr(costs, name) for name in Costs.__slots__)


def _field(body: dict[str, Any], name: str, kind: type) -> Any:
    value = body.get(name)
    if not isinstance(value, kind):
        raise Rejected(f"field {name!r} is missing or no {kind.__name__}")
    return value


def _number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Rejected(f"{value!r} stands where a whole number should")
    return value


def _words(body: dict[str, Any], name: str) -> list[str]:
    words = _field(body, name, list)
    if not all(isinstance(w, str) and len(w) <= MAX_WORD for w in words):
        raise Rejected(f"field {name!r} holds something other than words of at most {MAX_WORD} letters")
    return list(words)
