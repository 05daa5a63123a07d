"""A first run ever: kernels are compiled before items are timed, so that the scores are those of any later run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import regsynth

pytestmark = pytest.mark.slow

QUERIES = ("aa+b+aa+ab*", "(a+b)c+c?+b+aa", "ab*+ab*+c?+(a+b)c", "c?+aa+b+b", "aa+ab*+aa+(a+b)c", "b+b+c?+aa")


def test_scores_do_not_depend_on_compiled_code_being_there(tmp_path: Path) -> None:
    source = Path(regsynth.__file__).parent
    shutil.copytree(source, tmp_path / "regsynth", ignore=shutil.ignore_patterns("__pycache__"))
    words = [{"positives": ["0" * i, "01" * i], "negatives": ["1" * i, "10"]} for i in range(1, 5)]
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    compiled = []
    for task, metric, records in (("regexmin", "minimality", [{"query": q} for q in QUERIES]), ("rei", "minimal_ratio_global", words)):
        (tmp_path / "data.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        done = subprocess.run(
            [sys.executable, "-m", "regsynth", "bench", "run", "--task", task, "--dataset", "data.jsonl", "--format", "json"],
            cwd=tmp_path, env={**environment, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, timeout=900,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        summary = json.loads(done.stdout)
        assert summary[metric] == 1, "the solver's own row is perfect"
        assert summary["statistics"]["optima"] == {"proven": len(records)}
        assert summary["statistics"]["findings"] == {}
        compiled.append(len(list((tmp_path / "regsynth" / "solvers" / "__pycache__").glob("*.nbc"))))
    assert 0 < compiled[0] == compiled[1], "what either task calls is compiled before its first item"
