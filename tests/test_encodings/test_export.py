"""Exported files, read back by other people's programs."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from test_encodings.test_counting import random_problem
from test_encodings.test_roads import small_problems

from regsynth.encodings.export import export
from regsynth.encodings.tree import TreeEncoding
from regsynth.errors import InputError
from regsynth.solvers.results import InferenceProblem

PROBLEM = InferenceProblem(frozenset(["", "a", "aaa"]), frozenset(["b", "ab"]))


def program(name: str) -> str:
    """A program outside Python's own environment (``z3`` is also a script of its package)."""
    for folder in ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"):
        path = shutil.which(name, path=folder)
        if path:
            return path
    pytest.skip(f"{name} is not installed")


def save(path: Path, encoding: TreeEncoding, form: str, bound: int | None = None) -> str:
    path.write_text("\n".join(export(encoding, form, bound=bound)) + "\n")
    return str(path)


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=120).stdout


def test_cadical_reads_dimacs_and_we_decode_its_model(tmp_path: Path) -> None:
    cadical = program("cadical")
    out = run(cadical, "-q", save(tmp_path / "a.cnf", TreeEncoding(PROBLEM, 1), "dimacs"))
    assert "s UNSATISFIABLE" in out
    encoding = TreeEncoding(PROBLEM, 2)
    out = run(cadical, "-q", save(tmp_path / "b.cnf", encoding, "dimacs"))
    assert "s SATISFIABLE" in out
    model = [int(x) for line in out.splitlines() if line.startswith("v") for x in line.split()[1:]]
    assert str(encoding.decode(model)) == "a*"


def test_cadical_and_pysat_agree(tmp_path: Path) -> None:
    from pysat.formula import CNF
    from pysat.solvers import Solver

    cadical, rng = program("cadical"), random.Random(2)
    for _ in range(8):
        encoding = TreeEncoding(random_problem(rng), rng.randint(1, 6))
        path = save(tmp_path / "c.cnf", encoding, "dimacs")
        with Solver(bootstrap_with=encoding.cnf()) as ours, Solver(bootstrap_with=CNF(from_file=path)) as again:
            found = ours.solve()
            assert again.solve() is found
        assert ("s SATISFIABLE" in run(cadical, "-q", path)) is found


def test_rc2_reads_wcnf(tmp_path: Path) -> None:
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    for problem, best in small_problems(21, 6):
        encoding = TreeEncoding(problem, 6)
        formula = WCNF(from_file=save(tmp_path / "d.wcnf", encoding, "wcnf"))
        for wcnf in (formula, encoding.wcnf()):
            with RC2(wcnf) as rc2:
                model = rc2.compute()
                assert rc2.cost == best
                assert problem.costs.of_expr(encoding.decode(model)) == best


def test_debians_z3_reads_smtlib2(tmp_path: Path) -> None:
    z3 = program("z3")
    for problem, best in small_problems(22, 3):
        encoding = TreeEncoding(problem, 6)
        for bound, answer in ((best, "sat"), (best - 1, "unsat")):
            path = save(tmp_path / "e.smt2", encoding, "smtlib2", bound)
            assert run(z3, path).split()[0] == answer


def test_smtlib2_is_plain_bit_vectors(tmp_path: Path) -> None:
    text = "\n".join(export(TreeEncoding(PROBLEM, 3), "smtlib2", bound=2))
    assert "(set-logic QF_BV)" in text and "(check-sat)" in text
    assert "pbeq" not in text and "pble" not in text and "Int" not in text


def test_every_variable_is_named() -> None:
    encoding = TreeEncoding(PROBLEM, 3)
    lines = list(export(encoding, "dimacs"))
    named = [int(line.split()[2]) for line in lines if line.startswith("c var ")]
    assert named == list(range(1, encoding.formula.variables + 1))
    assert len({line.split(" ", 3)[3] for line in lines if line.startswith("c var ")}) == len(named)
    with pytest.raises(InputError, match="dimacs, wcnf, smtlib2"):
        export(encoding, "xml")


@pytest.mark.parametrize("nodes", [0, -1, True, 2.5, "3"])
def test_sizes_below_one(nodes: object) -> None:
    with pytest.raises(InputError, match="from 1 up"):
        TreeEncoding(PROBLEM, nodes)  # type: ignore[arg-type]


def test_no_model_to_decode() -> None:
    with pytest.raises(InputError, match="no model"):
        TreeEncoding(PROBLEM, 2).decode(None)


def test_the_example_of_the_documentation(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "encodings.md").read_text()
    code = page.split("```python\n")[1].split("```")[0]
    exec(compile(code, "docs/encodings.md", "exec"), {})
    printed = capsys.readouterr().out.strip()
    assert printed.endswith(" 6") and f"prints `{printed}`" in page
