"""Certificates are accepted, and no change to a claim or its evidence goes unnoticed."""

from __future__ import annotations

import ast
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from regsynth.budget import Budget
from regsynth.errors import InputError, UnsupportedError
from regsynth.solvers import certificates, roads
from regsynth.solvers.certificates import check_enumerative, enumerative, sat, trim
from regsynth.solvers.certificates.folder import Rejected
from regsynth.solvers.certificates.verdict import check_folder
from regsynth.solvers.results import InferenceProblem, MinimizationProblem, Operators
from regsynth.syntax.costs import Costs
from regsynth.syntax.formal import parse

BUDGET = Budget(seconds=120)
PROBLEMS: list[MinimizationProblem | InferenceProblem] = [
    MinimizationProblem(parse("a?d*(b+d+d)")),
    MinimizationProblem(parse("(c+c?)(b+d)d*")),
    MinimizationProblem(parse("(a*b*)*a"), Costs(2, 3, 4, 1, 2, 1, 3, 1)),
    InferenceProblem(frozenset(["10", "101", "100"]), frozenset(["", "0", "1", "00", "11"])),
]


def solved(problem: MinimizationProblem | InferenceProblem) -> Any:
    solve = roads.minimize_by if isinstance(problem, MinimizationProblem) else roads.infer_by
    return solve("sat", problem, BUDGET)  # type: ignore[arg-type]


@pytest.mark.parametrize("way", [enumerative, sat])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_accepted(way: Any, problem: Any, tmp_path: Path) -> None:
    if way is sat:
        pytest.importorskip("drup", reason="the extra [certify] is missing")
    result = solved(problem)
    way.certify(problem, result, str(tmp_path), BUDGET)
    assert check_folder(str(tmp_path)).cost == result.cost


def mutations(body: dict[str, Any], rng: random.Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """Changed claims: cost and bound, answer, goal, operators, costs, a foreign sample."""

    def changed(**fields: Any) -> dict[str, Any]:
        return {**body, **fields}

    problem = body["problem"]
    yield "cheaper", changed(cost=body["cost"] - 1, lower_bound=body["lower_bound"] - 1)
    yield "dearer", changed(cost=body["cost"] + 1, lower_bound=body["lower_bound"] + 1)
    yield "bound", changed(lower_bound=body["lower_bound"] + rng.choice((-1, 1)))
    yield "answer", changed(answer=f"({body['answer']})?b")
    longer = parse(f"({body['answer']})?b")
    costs = Costs(*problem["costs"])
    yield "answer and cost", changed(answer=str(longer), cost=costs.of_expr(longer), lower_bound=costs.of_expr(longer))
    doubled = parse(f"({body['answer']})+({body['answer']})")  # right, but not the cheapest
    yield "not cheapest", changed(answer=str(doubled), cost=costs.of_expr(doubled), lower_bound=costs.of_expr(doubled))
    if "expr" in problem:
        yield "goal", changed(problem={**problem, "expr": f"({problem['expr']})+bbbbb"})
        yield "sample", changed(positives=[*body["positives"], "bbbbbb"])
        yield "foreign letter", changed(positives=[*body["positives"], "z"])
    else:
        word = rng.choice(problem["positives"])
        swapped = {"positives": [w for w in problem["positives"] if w != word], "negatives": [*problem["negatives"], word]}
        yield "goal", changed(problem={**problem, **swapped})
    used = next(sign for sign in "?*+." if sign in body["answer"] or sign == ".")
    yield "operators", changed(problem={**problem, "operators": problem["operators"].replace(used, "")})
    yield "costs", changed(problem={**problem, "costs": [c + 1 for c in problem["costs"]]})
    yield "schema", changed(schema="other/1")
    yield "kind", changed(kind="other")


def write(folder: Path, body: dict[str, Any]) -> None:
    (folder / "certificate.json").write_text(json.dumps(body))


@pytest.mark.parametrize("way", [enumerative, sat])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_mutated_claims_are_rejected(way: Any, problem: Any, tmp_path: Path) -> None:
    if way is sat:
        pytest.importorskip("drup", reason="the extra [certify] is missing")
    way.certify(problem, solved(problem), str(tmp_path), BUDGET)
    body = json.loads((tmp_path / "certificate.json").read_text())
    for name, mutated in mutations(body, random.Random(3)):
        write(tmp_path, mutated)
        with pytest.raises(Rejected):
            check_folder(str(tmp_path))
            pytest.fail(f"{name}: accepted")


def removable(body: dict[str, Any], i: int) -> list[list[int]]:
    """The table without entry i and all that is built from it."""
    gone, number, rows = {i}, {}, []
    for k, (x, op, left, right) in enumerate(body["table"]):
        if k in gone or (op != 2 and (left in gone or right in gone)):
            gone.add(k)
        else:
            number[k] = len(rows)
            rows.append([x, op, left if op == 2 else number.get(left, -1), number.get(right, -1)])
    return rows


@pytest.mark.parametrize("problem", PROBLEMS)
def test_needed_entries(problem: Any, tmp_path: Path) -> None:
    """An entry that no other one covers is needed; without it the table is not closed."""
    enumerative.certify(problem, solved(problem), str(tmp_path), BUDGET)
    body = json.loads((tmp_path / "certificate.json").read_text())
    claim = check_folder(str(tmp_path))
    needed = 0
    for i in range(len(body["table"])):
        if not entry_is_needed(claim, i):
            continue
        needed += 1
        claim.evidence["table"], whole = removable(body, i), claim.evidence["table"]
        with pytest.raises(Rejected, match="not closed"):
            check_enumerative.check(claim)
        claim.evidence["table"] = whole
    assert needed > len(body["table"]) // 3


def entry_is_needed(claim: Any, i: int) -> bool:
    """Whether no other entry of the same source covers entry i."""
    upper, letters = check_enumerative.check_answer(claim)
    number = {c: a for a, c in enumerate(letters)}
    samples = [tuple(number[c] for c in w) for w in claim.positives]
    places = check_enumerative.Places(upper, len(letters), samples, [tuple(p) for p in claim.evidence["fooling"]])
    table = check_enumerative.Table(claim, places, claim.cost - 1)
    x = claim.evidence["table"][i][0]
    mine = table.made[i]
    covering = [e for e in table.at[x] if e is not mine and e.cost <= mine.cost and not mine.cover & ~e.cover
                and not e.target & ~mine.target]  # fmt: skip
    return not covering


def test_false_fooling_sets_and_tables(tmp_path: Path) -> None:
    problem = PROBLEMS[0]
    enumerative.certify(problem, solved(problem), str(tmp_path), BUDGET)
    body = json.loads((tmp_path / "certificate.json").read_text())
    place = body["fooling"][0]
    for fooling in ([*body["fooling"], place], [[99, 0]], [[0, 99]], [[0]], None, "x"):
        write(tmp_path, {**body, "fooling": fooling})
        with pytest.raises(Rejected):
            check_folder(str(tmp_path))
    for table in ([], None, [[1, 2, 3]], [[0, 2, 0, -1]], [[body["table"][0][0], 6, 0, 0]], [[body["table"][0][0], 2, 77, -1]]):
        write(tmp_path, {**body, "table": table})
        with pytest.raises(Rejected):
            check_folder(str(tmp_path))


def test_broken_proofs_are_rejected(tmp_path: Path) -> None:
    pytest.importorskip("drup", reason="the extra [certify] is missing")
    problem = PROBLEMS[0]
    sat.certify(problem, solved(problem), str(tmp_path), BUDGET)
    proof = (tmp_path / "proof.lrat").read_text()
    lines = proof.splitlines(keepends=True)
    first = lines[0].split()
    negated = " ".join([str(-int(first[0])), *first[1:]]) + "\n"
    cases = {
        "cut short": "".join(lines[:-1]),
        "cut in a line": proof[: len(proof) // 2],
        "empty": "",
        "a line left out": "".join(lines[1:]),
        "no hints": "0 0\n",
        "another literal": negated + "".join(lines[1:]),
        "no numbers": "hello\n",
        "a later clause": f"0 {10**7} 0\n",
    }
    for name, text in cases.items():
        (tmp_path / "proof.lrat").write_text(text)
        with pytest.raises(Rejected):
            check_folder(str(tmp_path))
            pytest.fail(f"{name}: accepted")
    (tmp_path / "proof.lrat").unlink()
    with pytest.raises(Rejected, match="missing"):
        check_folder(str(tmp_path))


def test_fewer_samples_are_no_proof(tmp_path: Path) -> None:
    """With too few samples something cheaper answers them: the rebuilt formula is another one."""
    pytest.importorskip("drup", reason="the extra [certify] is missing")
    problem = PROBLEMS[0]
    for way in (sat, enumerative):
        way.certify(problem, solved(problem), str(tmp_path), BUDGET)
        body = json.loads((tmp_path / "certificate.json").read_text())
        write(tmp_path, {**body, "positives": body["positives"][:2]})
        with pytest.raises(Rejected):
            check_folder(str(tmp_path))


def test_not_a_certificate(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        check_folder(str(tmp_path / "none"))
    for text in ("", "{", "[]", "null", '{"schema": "regsynth/certificate/1"}', "\x00\xff"):
        (tmp_path / "certificate.json").write_text(text)
        with pytest.raises(Rejected):
            check_folder(str(tmp_path))
    (tmp_path / "certificate.json").write_bytes(b"\xff\xfe")
    with pytest.raises(Rejected):
        check_folder(str(tmp_path))
    shutil.rmtree(tmp_path)


def test_only_optima_and_only_typed_operators(tmp_path: Path) -> None:
    problem = MinimizationProblem(parse("~(ab+ab)"), operators=Operators.parse("all"))
    result = solved(problem)
    with pytest.raises(UnsupportedError):
        enumerative.certify(problem, result, str(tmp_path), BUDGET)
    with pytest.raises(UnsupportedError):
        sat.certify(problem, result.but(status="feasible"), str(tmp_path), BUDGET)
    if pytest.importorskip("drup", reason="the extra [certify] is missing"):
        assert roads.certify(problem, result, str(tmp_path), BUDGET).certificate == str(tmp_path)
        assert check_folder(str(tmp_path)).kind == "sat"


def test_trim_refuses_what_does_not_follow() -> None:
    with pytest.raises(trim.ProofError, match="lemma 1"):
        trim.trim([[1, 2]], [[1]], 2)
    with pytest.raises(trim.ProofError, match="empty clause"):
        trim.trim([[1, 2], [1, -2]], [[1]], 2)


def test_the_checker_shares_no_code_with_the_engine() -> None:
    """Its imports, followed through the package, never reach a search engine."""
    folder = Path(certificates.__file__).parent
    engine = {
        "typed", "typed_kernels", "settle_kernels", "bit_kernels", "typed_compiled", "sample", "closed", "closed_kernels", "fooling",
        "minimise", "sequence",
    }  # fmt: skip
    waiting, seen = ["check_enumerative"], set()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        for node in ast.walk(ast.parse((folder / f"{name}.py").read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("regsynth.solvers."):
                part = node.module.split(".")[2:]
                assert part[0] not in engine, (name, node.module)
                if part[0] == "certificates" and len(part) > 1 and part[1] not in seen:
                    waiting.append(part[1])
    assert seen == {"check_enumerative", "folder", "languages", "places"}
