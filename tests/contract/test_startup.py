"""Start-up is a promise: what is loaded, how long it takes, and that nothing shadows Python's own modules."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = ("numba", "numpy", "z3", "pysat", "rich", "click", "concurrent.futures", "multiprocessing", "dataclasses")


def python(*arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout


def loaded_by(statement: str) -> set[str]:
    """Modules a fresh interpreter has after a statement, less those it starts with."""
    after = "print(json.dumps(sorted(set(sys.modules) - before)))"
    listing = f"import sys, json; before = set(sys.modules)\n{statement}\n{after}"
    return set(json.loads(python("-c", listing).splitlines()[-1]))


@pytest.mark.parametrize(
    "statement",
    [
        "import regsynth",
        "import regsynth; dir(regsynth)",
        "import regsynth.cli.main",
        "from regsynth.cli.main import main; main(['--help'])",
    ],
)
def test_nothing_heavy_is_loaded(statement: str) -> None:
    assert not loaded_by(statement) & set(HEAVY)


@pytest.mark.parametrize(
    "statement",
    [
        "import regsynth; regsynth.equivalent('a', 'b')",
        "from regsynth.cli.main import main; main(['eq', 'a', 'a'])",
        "from regsynth.cli.main import main; main(['minimize', '--help'])",
    ],
)
def test_simple_commands_load_no_solver(statement: str) -> None:
    assert not loaded_by(statement) & {"numba", "z3", "pysat", "rich"}


def test_the_public_names_are_there() -> None:
    names = ["parse", "minimize", "infer", "equivalent", "contains", "Costs", "Operators", "Budget", "errors", "__version__"]
    code = f"import regsynth\nfor name in {names}: assert name in dir(regsynth) and getattr(regsynth, name) is not None, name"
    python("-c", code)
    with pytest.raises(subprocess.CalledProcessError):
        python("-c", "import regsynth; regsynth.nonsense")


def _seconds(*arguments: str) -> float:
    began = time.perf_counter()
    python(*arguments)
    return time.perf_counter() - began


def test_help_is_fast() -> None:
    """150 ms; on a machine too busy to start Python itself in 60 ms, two and a half times what that takes."""
    runs = [(_seconds("-m", "regsynth", "--help"), _seconds("-c", "pass")) for _ in range(8)]
    took, bare = (min(times) for times in zip(*runs))
    assert took < max(0.150, 2.5 * bare), f"{took:.3f} s, of which Python {bare:.3f} s"


def test_import_is_fast() -> None:
    code = "import time; t = time.perf_counter(); import regsynth; print(time.perf_counter() - t)"
    assert min(float(python("-c", code)) for _ in range(5)) < 0.050


def test_start_from_the_root_on_the_path() -> None:
    """The root link ``encodings`` must not hide Python's package of that name, which it loads before anything else."""
    python("-c", "import encodings.idna, regsynth; assert 'regsynth' not in encodings.__file__", PYTHONPATH=".")
    assert not (ROOT / "regsynth" / "encodings" / "__init__.py").exists()
    for name in ("encodings", "solvers", "corpora"):
        assert (ROOT / name).is_symlink() and os.readlink(ROOT / name) == f"regsynth/{name}"
