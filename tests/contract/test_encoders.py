"""A third-party package that imports only public names, encodes its own problem and decodes the answer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PACKAGE = '''
"""thirdparty: shortest expressions that tell two bags of words apart, and how many of them there are."""

from pysat.solvers import Solver

from regsynth.encodings.task import Task
from regsynth.encodings.tree import TreeEncoding
from regsynth.syntax.costs import Costs


class Separator:
    """Has the attributes an encoding asks for, and no regsynth base class."""

    class operators:
        mask = 0b101011100  # letters ? * . +

    costs = Costs()
    alphabet = ("x", "y")

    def __init__(self, positives, negatives):
        self.positives, self.negatives = frozenset(positives), frozenset(negatives)


def smallest(positives, negatives, extra=()):
    encoding = TreeEncoding(Separator(positives, negatives), nodes=1, symmetry="none")
    with Solver(name="glucose4") as solver:
        sent = 0
        while True:
            # an additional constraint of our own: no node may be labelled with these letters
            for label in encoding.layout.label:
                for letter in extra:
                    encoding.formula.add(-label[2, encoding.task.letters.index(letter)])
            solver.append_formula(encoding.formula.since(sent))
            sent = len(encoding.formula.clauses)
            if solver.solve(assumptions=encoding.assumptions(encoding.nodes)):
                return encoding.decode(solver.get_model())
            encoding.add_slot()


if __name__ == "__main__":
    print(smallest(["x", "xx", "xxx"], ["", "y", "xy"]))
    print(smallest(["", "x", "xx"], ["y", "xy"], extra="y"))
    task = Task(("x", "y"), ((0, 1),), ())
    print(len(TreeEncoding(task, 3).cnf().clauses) > 10)
'''


def test_a_third_party_package(tmp_path: Path) -> None:
    package = tmp_path / "thirdparty"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(PACKAGE)
    done = subprocess.run([sys.executable, "-m", "thirdparty"], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(tmp_path)})  # fmt: skip
    assert done.stderr == ""
    first, *others = done.stdout.split()
    assert first in ("xx*", "x*x") and others == ["x*", "True"]  # symmetry breaking is off


def cli(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "regsynth", *arguments], cwd=folder, capture_output=True, text=True, timeout=120)


def test_certificates_on_the_command_line(tmp_path: Path) -> None:
    done = cli("minimize", "aa+ab", "--certificate", "proof", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    done = cli("check-certificate", "proof", folder=tmp_path)
    assert done.returncode == 0 and '"verdict": "accepted"' in done.stdout
    claim = tmp_path / "proof" / "certificate.json"
    claim.write_text(claim.read_text().replace('"cost": 5', '"cost": 4'))
    done = cli("check-certificate", "proof", folder=tmp_path)
    assert done.returncode == 1 and '"verdict": "rejected"' in done.stdout
    done = cli("check-certificate", "nowhere", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "") and "no such folder" in done.stderr and done.stderr.count("\n") == 1


def test_encode_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("words\n++\nab\n--\na\nb\n")
    for form, mark in (("dimacs", "p cnf"), ("wcnf", "p wcnf"), ("smtlib2", "(set-logic QF_BV)")):
        done = cli("encode", "p.txt", "--nodes", "3", "--to", form, "-o", "out", folder=tmp_path)
        assert (done.returncode, done.stderr) == (0, "") and '"status": "written"' in done.stdout
        assert mark in (tmp_path / "out").read_text()
    assert "p cnf" in cli("encode", "aa+ab", "--nodes", "2", folder=tmp_path).stdout
    for arguments, message in (
        (("p.txt",), "--nodes N"), (("p.txt", "--nodes", "0"), "from 1 up"), (("none.txt", "--nodes", "3"), "no such file"),
        (("p.txt", "--nodes", "3", "--to", "xml"), "dimacs, wcnf, smtlib2"), (("a)", "--nodes", "3"), "unmatched"),
        (("p.txt", "--nodes", "3", "--symmetry", "x"), "right-nested"), (("p.txt", "--nodes", "3", "-o", "no/such"), "-o"),
    ):  # fmt: skip
        done = cli("encode", *arguments, folder=tmp_path)
        assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr, done.stderr
