"""Machine code of kernels: kept once compiled, called without numba, never trusted beyond its types."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = '''
import numpy as np
from regsynth.native import kernel

@kernel
def add(a, n):
    """Sum of row n, and n."""
    total = 0
    for v in a[n]:
        total += v
    return total, n

@kernel
def outer(a, out):
    for i in range(a.shape[0]):
        out[i] = add(a, i)[0] > 5
'''
CALL = """
import sys, numpy as np, kernels_here as k
a = np.arange(6, dtype=np.int64).reshape(2, 3)
out = np.zeros(2, np.bool_)
assert k.outer(a, out) is None and out.tolist() == [False, True], out
assert k.add(a, 1) == (12, 1)
print("numba" in sys.modules)
"""
OTHER_TYPES = """
import sys, numpy as np, kernels_here as k
a = np.arange(12, dtype=np.int64).reshape(2, 6)
assert k.add(a[:, ::2], 1) == (24, 1)
assert k.add(a.astype(np.int32), 1) == (51, 1)
print("numba" in sys.modules)
"""


def run(folder: Path, code: str) -> str:
    paths = os.pathsep.join([str(folder), str(Path(__file__).parents[2])])
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("native")
    (folder / "kernels_here.py").write_text(MODULE)
    assert run(folder, CALL) == "True"
    return folder


def test_a_later_process_needs_no_numba(folder: Path) -> None:
    assert len(list((folder / "__pycache__").glob("kernels_here.*.o"))) == 2
    assert run(folder, CALL) == "False"


def test_other_types_go_through_numba(folder: Path) -> None:
    assert run(folder, OTHER_TYPES) == "True"


def test_a_damaged_file_is_ignored(folder: Path) -> None:
    (file,) = (folder / "__pycache__").glob("kernels_here.add-*.o")
    whole = file.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], whole[:-1] + bytes([whole[-1] ^ 1]), b"{}\n", b"\xff\n"):
        file.write_bytes(damaged)
        assert run(folder, CALL) == "True"
    assert run(folder, CALL) == "False"  # written anew


def test_a_changed_source_is_compiled_anew(folder: Path) -> None:
    source = folder / "kernels_here.py"
    source.write_text(MODULE.replace("> 5", "> 2"))
    out = run(folder, CALL.replace("[False, True]", "[True, True]"))
    source.write_text(MODULE)
    assert out == "True"
