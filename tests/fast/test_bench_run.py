"""Whole runs: solvers' rows, faults of ours, kills and resumes, workers that end; the public functions."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from bench_files import ANSWERS, RECORDS, lines, outcome

import regsynth
from regsynth.bench import runner
from regsynth.bench.datasets import load
from regsynth.bench.inputs import given_predictions, read_predictions
from regsynth.bench.items import Response, Settings
from regsynth.bench.results import load as load_run
from regsynth.corpora.executors import Processes
from regsynth.errors import InputError, RegsynthError


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return lines(tmp_path / "data.jsonl", RECORDS)


def test_saved_runs_come_back(dataset: Path, tmp_path: Path) -> None:
    run = runner.run(load("regexmin", dataset), given_predictions(ANSWERS))
    run.save(tmp_path / "run.json")
    assert load_run(tmp_path / "run.json") == run
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(InputError, match="not a scored run"):
        load_run(tmp_path / "other.json")
    good = json.loads((tmp_path / "run.json").read_text())
    (record, *_) = good["records"]
    head = [{**good, name: 5.5} for name in ("task", "metrics", "provenance", "n", "name", "records")]
    inside = [{**good, "records": [{**record, name: wrong}]} for name in record if name != "seconds" for wrong in (5.5, {"a": []})
              if name != "details" or wrong == 5.5]  # fmt: skip
    for wrong in [*head, *inside, {**good, "metrics": {"minimality": "x"}}]:
        (tmp_path / "other.json").write_text(json.dumps(wrong))
        with pytest.raises(InputError, match=r"other\.json: "):
            load_run(tmp_path / "other.json")


def test_regexeq_pairs_and_their_labels(dataset: Path) -> None:
    given = {"0:eq": "True", "0:ne": "False", "1:eq": True, "1:ne": "no", "2:eq": "yes", "2:ne": "yes"}
    run = runner.run(load("regexeq", dataset), given_predictions(given))
    assert run.metrics["accuracy"] == 1
    assert run.metrics["published_accuracy"] == pytest.approx(5 / 6)
    assert run.statistics["labels"]["wrong_ids"] == ["2:ne"]


def test_solvers_and_baselines_as_rows(dataset: Path) -> None:
    data = load("regexmin", dataset)
    exact, unchanged, greedy = (runner.run(data, solver=name).metrics for name in ("auto", "input", "greedy"))
    assert exact["minimality"] == exact["equivalence"] == 1
    assert (unchanged["minimality"], unchanged["length_ratio"]) == (0, 1)
    assert exact["length_ratio"] <= greedy["length_ratio"] <= 1  # type: ignore[operator]
    beside = runner.run(data, given_predictions(ANSWERS)).statistics["baselines"]
    assert beside["regsynth exact"] == exact
    assert beside["greedy simplifier"] == greedy
    assert beside["input unchanged"] == unchanged
    assert runner.run(load("regexeq", dataset), solver="auto").metrics["accuracy"] == 1
    with pytest.raises(InputError, match="does not answer"):
        runner.run(data, solver="trivial")


def test_a_fault_of_ours_is_a_finding_and_the_run_goes_on(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from regsynth.bench import regexmin

    honest = regexmin.same_language

    def faulty(expr: Any, *rest: Any) -> Any:
        if str(expr) == "bb*+b":
            raise ZeroDivisionError("boom")
        return honest(expr, *rest)

    monkeypatch.setattr(regexmin, "same_language", faulty)
    run = runner.run(load("regexmin", dataset), given_predictions(ANSWERS))
    assert [record.findings for record in run.records] == [(), ("internal_error",), ()]
    assert run.statistics["findings"] == {"internal_error": 1}
    assert run.records[1].values["equivalence"] == 0


def test_a_journal_is_continued_and_another_runs_is_refused(dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, given, journal = load("regexmin", dataset), given_predictions(ANSWERS), tmp_path / "run.json.journal"
    whole = runner.run(data, given)
    calls: list[str] = []
    honest = runner.work

    def killed(settings: Settings, unit: runner.Unit) -> dict[str, Any]:
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(unit.key)
        return honest(settings, unit)

    monkeypatch.setattr(runner, "work", killed)
    with pytest.raises(KeyboardInterrupt):
        runner.run(data, given, journal=journal)
    with open(journal, "a") as file:
        file.write('{"key": "torn')
    monkeypatch.setattr(runner, "work", lambda settings, unit: calls.append(unit.key) or honest(settings, unit))
    with pytest.raises(InputError, match="left by an unfinished run with another settings"):
        runner.run(data, given, journal=journal, settings=Settings(seconds=5))
    again = runner.run(data, given, journal=journal)
    assert calls == ["0\t0", "1\t0", "2\t0"]  # none was scored twice
    assert outcome(again) == outcome(whole)
    assert not journal.exists()


def command(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "regsynth", *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)


def test_workers_and_this_process_agree_after_a_kill_too(tmp_path: Path) -> None:
    rng = random.Random(1)
    records = [{"id": i, "query": "+".join(rng.choice(["ab*", "b", "aa", "(a+b)c", "c?"]) for _ in range(4))} for i in range(150)]
    data = lines(tmp_path / "data.jsonl", records)
    given = lines(tmp_path / "p.jsonl", [{"id": r["id"], "response": r["query"] if r["id"] % 3 else "b"} for r in records])
    here = runner.run(load("regexmin", data), read_predictions(given), name="m")
    output = tmp_path / "run.json"
    base = ["bench", "score", "--task", "regexmin", "--dataset", data, "--predictions", given, "--name", "m", "-o", output]
    for jobs in ("1", "2"):
        process = subprocess.Popen(
            [sys.executable, "-m", "regsynth", *map(str, base), "--jobs", jobs], stdout=subprocess.DEVNULL, start_new_session=True
        )
        journal = Path(f"{output}.journal")
        until = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < until and not (journal.exists() and journal.stat().st_size > 3000):
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        done = command(*base, "--jobs", jobs)
        assert done.returncode == 0, done.stderr
        assert outcome(load_run(output)) == outcome(here)
        output.unlink()


def test_evaluate_and_run_are_public() -> None:
    task = {"positives": ["1"], "negatives": ["a"], "reference": "[0-9]"}
    assert regsynth.evaluate("[0-9]", task)
    assert not regsynth.evaluate("[0-9]+", task)
    assert str(regsynth.evaluate("1|a", task)).startswith("1/2  different")
    with pytest.raises(InputError, match="give 'reference'"):
        regsynth.evaluate("a", {"prompt": "x"})
    run = regsynth.bench.run([task, task], [["[0-9]", "b"], "a"], settings=Settings(k=(1, 2)))
    assert (run.n, run.metrics["pass@1"], run.metrics["pass@2"]) == (2, 0.25, None if len(run.records) < 3 else 1.0)
    assert regsynth.bench.run([{"id": "x", "query": "a+a"}], {"x": Response("a", tokens=3)}).records[0].tokens == 3
    with pytest.raises(InputError, match="given twice"):
        regsynth.bench.run([{"id": 1, "query": "a"}, {"id": 1, "query": "b"}], ["a", "b"])


def test_an_answer_that_ends_its_worker_is_a_timeout(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from regsynth.corpora.executors import KILLED, Serial

    class Deadly(Serial):
        def run(self, work: Any, tasks: Any, warm: Any) -> Any:
            for task, result in super().run(work, tasks, lambda: None):
                yield task, KILLED if task.item.id == 1 else result

    monkeypatch.setattr(runner, "Processes", lambda jobs: Deadly())
    run = runner.run(load("regexmin", dataset), given_predictions(ANSWERS), jobs=2)
    assert [record.category for record in run.records] == ["minimal", "timeout", "different"]
    assert run.records[1].raw == "bb*+b"
    assert run.metrics["equivalence"] == pytest.approx(1 / 3)
    practical = [{"id": i, "reference": "a", "positives": ["a"]} for i in range(3)]
    killed = regsynth.bench.run(practical, ["a"] * 3, jobs=2).records[1]
    assert (killed.category, killed.details["equivalent"], killed.details["vulnerable"]) == ("timeout", None, None)


def test_the_watchdog_ends_a_worker_that_compiled_code_holds() -> None:
    code = (
        "import time, re\n"
        "from regsynth.bench import deadline as d\n"
        "d.GRACE = 0.5\n"
        "d.guard_worker()\n"
        "with d.deadline(0.5):\n"
        "    sum(range(10 ** 11))\n"  # one call: no signal handler runs until it is done
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr == ""
    assert time.monotonic() - began < 20


def test_a_script_without_a_guard_ends_with_one_clear_error(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import regsynth\n"
        "regsynth.bench.run([{'query': 'a+a'}], ['a'], jobs=2)\n"  # each worker imports this, and so would start workers
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert time.monotonic() - began < 60
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1
    assert done.stderr.splitlines()[-1].startswith("regsynth.errors.RegsynthError: worker processes end as they start")
    assert "if __name__ == '__main__':" in done.stderr.splitlines()[-1]


def test_workers_that_cannot_start_are_not_blamed_on_tasks() -> None:
    with pytest.raises(RegsynthError, match="end as they start"):
        list(Processes(2).run(str, range(10), partial(os._exit, 3)))
