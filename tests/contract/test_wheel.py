"""The built wheel, installed into a clean environment, does the main job."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def check(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
def test_wheel_in_a_clean_environment(tmp_path: Path) -> None:
    source = tmp_path / "source"  # a copy: building in place leaves a build folder behind
    shutil.copytree(ROOT / "regsynth", source / "regsynth", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    check(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, source, cwd=tmp_path)
    (wheel,) = tmp_path.glob("regsynth-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "regsynth/py.typed" in names and "regsynth/cli/main.py" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "encodings/", "solvers/", "corpora/"))]
    sources = {str(path.relative_to(ROOT)) for path in (ROOT / "regsynth").rglob("*.py")}
    assert sources <= set(names), "modules are missing from the wheel"

    check(sys.executable, "-m", "venv", "env", cwd=tmp_path)
    python = tmp_path / "env" / "bin" / "python"
    check(python, "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    out = check(tmp_path / "env" / "bin" / "regsynth", "minimize", "a?d*(b+d+d+d)", cwd=tmp_path)
    record = json.loads(out)
    assert (record["cost"], record["status"]) == (9, "optimal")
    check(python, "-c", "import regsynth; assert regsynth.equivalent('a+b', 'b+a')", cwd=tmp_path)
