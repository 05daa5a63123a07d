"""The command line where output, input or time fail it: links, pipes, devices, closed streams, late solvers, odd JSON."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Run, caller, lines

from regsynth.errors import BudgetExceeded


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return caller(capsys)


def test_encode_writes_through_links_and_into_pipes(run: Run, tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old\n")
    link.symlink_to(target)
    assert run("encode", "ab", "--nodes", "3", "--output", str(link))[0] == 0
    assert link.is_symlink() and target.read_text().startswith("c expression trees")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    assert run("encode", "ab", "--nodes", "3", "--output", str(pipe))[0] == 0
    assert reader.communicate(timeout=20)[0] == target.read_text() and pipe.is_fifo()


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no device that is always full")
@pytest.mark.parametrize(
    ("tail", "message"),
    [("minimize a > /dev/full", "standard output: No space left"), ("minimize a >&-", "standard output is closed"),
     ("minimize --input - <&-", "standard input is closed")],
)  # fmt: skip
def test_streams_that_cannot_be_used(tail: str, message: str) -> None:
    done = subprocess.run(["sh", "-c", f"{sys.executable} -m regsynth {tail}"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and message in done.stderr and done.stderr.count("\n") == 1


def test_no_time_for_the_last_check_is_no_bug(run: Run) -> None:
    code, out, err = run("minimize", "--dialect", "python", "(a?){3000}a{3000}", "--timeout", "1")
    assert code == 3 and lines(out)[0]["status"] in ("feasible", "unknown") and "bug" not in err


def test_infer_has_an_answer_when_the_solver_overlooks_its_budget(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object, **__: object) -> None:
        raise BudgetExceeded("late")

    monkeypatch.setattr("regsynth.solvers.inference.infer", late)
    code, out, _ = run("infer", "-p", "ab", "-p", "", "-n", "b")
    assert code == 3 and lines(out)[0]["status"] == "feasible" and lines(out)[0]["regex"] == "(ab)?" and lines(out)[0]["cost"] == 4


def test_json_too_deep_to_read(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "deep"
    path.write_text("[" * 100_000)
    code, _, err = run("minimize", "--input", str(path))
    assert code == 2 and "nested too deeply" in err


@pytest.mark.parametrize(
    "task", ['{"positives":["a"],"flags":7}', '{"positives":["a"],"reference":5}', '{"positives":["a"],"reference":"("}']
)
def test_check_refuses_fields_of_the_wrong_kind(run: Run, tmp_path: Path, task: str) -> None:
    path = tmp_path / "task.json"
    path.write_text(task)
    code, out, err = run("check", "a", str(path))
    assert code == 2 and out == "" and err.count("\n") <= 3
