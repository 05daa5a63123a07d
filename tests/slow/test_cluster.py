"""Labelling on a Dask cluster: the bytes of a serial run, with a worker killed half way; no silent local run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="needs the extra regsynth[cluster]")
pytestmark = pytest.mark.slow


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and two workers of one thread each."""
    place = tmp_path / "scheduler.json"
    environment = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "3"}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment, "cwd": tmp_path}
    dask = [sys.executable, "-m", "dask"]
    options = ["--scheduler-file", str(place)]
    scheduler = subprocess.Popen([*dask, "scheduler", *options, "--port", "0", "--no-dashboard"], **quiet)  # type: ignore[call-overload]
    worker = [*dask, "worker", *options, "--nthreads", "1", "--no-dashboard", "--no-nanny"]
    workers = [subprocess.Popen(worker, **quiet) for _ in range(2)]  # type: ignore[call-overload]
    yield str(place), workers
    for process in (*workers, scheduler):
        process.kill()
        process.wait()


def results(folder: Path) -> dict[str, bytes]:
    paths = [p for p in folder.rglob("*") if p.is_file() and not p.name.startswith(".") and p.name != "journal.jsonl"]
    return {str(p.relative_to(folder)): p.read_bytes() for p in paths}


def label(corpus: Path, output: Path, where: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "regsynth", "label", str(corpus), "--output", str(output), "--scheduler", where]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def test_a_killed_worker_changes_no_byte(cluster: tuple[str, list[subprocess.Popen[bytes]]], tmp_path: Path) -> None:
    place, workers = cluster
    corpus = tmp_path / "corpus"
    subprocess.run(
        [sys.executable, "-m", "regsynth", "corpus", "generate", "lrd", "--letters", "ab", "--output", str(corpus)], check=True
    )
    assert label(corpus, tmp_path / "serial", "serial").wait() == 0
    journal = tmp_path / "dask" / "journal.jsonl"
    run = label(corpus, tmp_path / "dask", place)
    while run.poll() is None and (not journal.exists() or journal.read_bytes().count(b"\n") < 100):
        time.sleep(0.02)
    workers[0].send_signal(signal.SIGKILL)
    assert run.poll() is None, "killed too late to show anything"
    _, errors = run.communicate(timeout=500)
    assert run.returncode == 0, errors.decode()
    assert results(tmp_path / "dask") == results(tmp_path / "serial")


@pytest.mark.parametrize("where", ["tcp://127.0.0.1:9", "nowhere.json"])
def test_an_unreachable_scheduler_is_bad_input(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "corpus.txt").write_text("aa*\n", encoding="utf-8")
    code = """
import sys, regsynth.corpora.cluster as cluster
cluster.PATIENCE = 3.0
from regsynth.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
    command = [sys.executable, "-c", code, "label", str(tmp_path / "corpus.txt"), "--output", str(tmp_path / "out")]
    for options, environment in ((["--scheduler", where], {}), ([], {"DASK_SCHEDULER_ADDRESS": where})):
        run = subprocess.run([*command, *options], env={**os.environ, **environment}, capture_output=True, text=True)
        assert run.returncode == 2 and where in run.stderr and len(run.stderr.strip().splitlines()) == 1, run.stderr
        assert not (tmp_path / "out" / "labels").exists()
