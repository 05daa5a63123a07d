"""Whole runs: every form of predictions, joins in any order, kills and resumes, workers, exit codes."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import regsynth
from regsynth.bench import published, runner
from regsynth.bench.datasets import load
from regsynth.bench.inputs import given_predictions, join, read_predictions
from regsynth.bench.items import Response, Settings
from regsynth.bench.prompts import digest, examples, prompts, request
from regsynth.bench.results import Run
from regsynth.bench.results import load as load_run
from regsynth.cli.main import main
from regsynth.errors import InputError

RECORDS = [
    {"idx": 0, "query": "a+a", "minimized_regex": "a", "minimized_tree_length": 1, "equivalent_regex": "a", "not_equivalent_regex": "b"},
    {"idx": 1, "query": "bb*+b", "minimized_regex": "bb*", "minimized_tree_length": 4, "equivalent_regex": "b*b",
     "not_equivalent_regex": "b*"},
    {"idx": 2, "query": "(c*)*d", "minimized_regex": "c*d", "minimized_tree_length": 4, "equivalent_regex": "c*d",
     "not_equivalent_regex": "(c+c)*d"},  # a wrong label
]  # fmt: skip
ANSWERS = {"0": "a", "1": "bb*+b", "2": "c*"}


def lines(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return lines(tmp_path / "data.jsonl", RECORDS)


def outcome(run: Run) -> Any:
    """What may not depend on order, workers or kills."""
    records = [{**record.to_dict(), "seconds": 0} for record in run.records]
    return run.metrics, run.categories, run.inputs, run.statistics, records


def batch_line(own: str, text: str) -> dict[str, Any]:
    body = {
        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"completion_tokens": 30, "completion_tokens_details": {"reasoning_tokens": 10}},
    }
    return {"custom_id": own, "response": {"status_code": 200, "body": body}, "error": None}


FORMS: dict[str, list[Any]] = {
    "id and response": [{"id": int(i), "response": text} for i, text in ANSWERS.items()],
    "idx and completion": [{"idx": int(i), "completion": text} for i, text in ANSWERS.items()],
    "EvalPlus": [{"task_id": i, "solution": text} for i, text in ANSWERS.items()],
    "samples": [{"id": i, "samples": [text]} for i, text in ANSWERS.items()],
    "OpenAI batch": [batch_line(i, text) for i, text in ANSWERS.items()],
    "mapping": [ANSWERS],
    "RegexPSPACE's own, no ids": [{"query_regex": "x", "generated_answer": text, "answer": "label"} for text in ANSWERS.values()],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read(form: str, dataset: Path, tmp_path: Path) -> None:
    given = read_predictions(lines(tmp_path / "p.jsonl", FORMS[form]))
    run = runner.run(load("regexmin", dataset), given)
    assert [record.category for record in run.records] == ["minimal", "longer", "different"]
    assert run.inputs["answered"] == 3
    if form == "OpenAI batch":
        assert (run.records[0].tokens, run.records[0].thinking_tokens) == (20, 10)
        assert run.statistics["tokens"]["by_category"]["minimal"]["mean"] == 20
        assert run.statistics["tokens"]["by_length"][0]["n"] >= 1
    else:
        assert run.statistics["tokens"] is None


def test_plain_lines_and_json_lists(dataset: Path, tmp_path: Path) -> None:
    plain = tmp_path / "p.txt"
    plain.write_text("\n".join(ANSWERS.values()))
    listed = tmp_path / "p.json"
    listed.write_text(json.dumps(FORMS["id and response"], indent=1))
    for path in (plain, listed):
        assert runner.run(load("regexmin", dataset), read_predictions(path)).metrics["minimality"] == pytest.approx(1 / 3)


def test_regexeval_output_files(tmp_path: Path) -> None:
    choices = [{"message": {"content": text}, "finish_reason": "stop"} for text in ("a", "b")]
    raw = tmp_path / "raw.json"
    record = {"id": 7, "expression": "^a$", "matches": ["a"], "non_matches": ["b"]}
    raw.write_text(json.dumps([{**record, "gpt3.5_output": {"choices": choices}}]))
    given = read_predictions(raw)
    assert [response.text for response in given.by_id["7"]] == ["a", "b"]
    verdicts = tmp_path / "verdicts.json"
    verdicts.write_text(json.dumps([{"id": 7, "completion": t, "passed": p} for t, p in (("a", True), ("b", True))]))
    data = tmp_path / "data.json"
    data.write_text(json.dumps([record]))
    run = runner.run(load("nl2re", data), given, settings=Settings(k=(1, 2)), verdicts={"pass": read_predictions(verdicts)})
    assert run.metrics["pass@1"] == 0.5
    assert run.metrics["pass@2"] == 1
    assert run.statistics["verdicts"]["pass"]["classes"] == {"example": 1}
    assert run.records[1].details["disagreements"]["pass"] == {
        "ours": False, "theirs": True, "class": "example", "witness": "a", "wanted": True, "confirmed": True,
    }  # fmt: skip


def test_ids_that_do_not_fit_are_counted(dataset: Path, tmp_path: Path) -> None:
    given = lines(tmp_path / "p.jsonl", [
        {"id": 0, "response": "a"}, {"id": 0, "response": "b"}, {"id": 99, "response": "x"}, {"id": 1, "nothing": 1},
        {"id": 2, "response": None},
    ])  # fmt: skip
    run = runner.run(load("regexmin", dataset), read_predictions(given))
    assert {name: run.inputs[name] for name in ("answered", "missing", "duplicate", "unknown", "unreadable")} == {
        "answered": 1, "missing": 2, "duplicate": 1, "unknown": 1, "unreadable": 1,
    }  # fmt: skip
    assert run.inputs["ids"]["unknown"] == ["99"]
    assert run.categories == {"minimal": 1, "missing": 2}


def test_the_order_of_predictions_does_not_matter(dataset: Path, tmp_path: Path) -> None:
    records = [*FORMS["id and response"], {"id": 1, "response": "bb*"}, {"id": 9, "response": "z"}]  # a duplicate that differs
    found = []
    for seed in range(4):
        random.Random(seed).shuffle(records)
        found.append(outcome(runner.run(load("regexmin", dataset), read_predictions(lines(tmp_path / "p.jsonl", records)))))
    assert all(other == found[0] for other in found)


def test_wrong_files_are_refused(dataset: Path, tmp_path: Path) -> None:
    data = load("regexmin", dataset)
    for records, message in (
        ([{"id": "x", "response": "a"}], "none of its 1 ids"),
        ([{"response": "a"}], "1 responses without ids for 3 items"),
        ([{"id": 1, "response": "a"}, {"response": "b"}], "some records have an id"),
        ([{"id": 1}], "no response in it"),
    ):
        with pytest.raises(InputError, match=message):
            join(data, read_predictions(lines(tmp_path / "p.jsonl", records)), several=False)
    with pytest.raises(InputError, match="no such file"):
        read_predictions(tmp_path / "missing.jsonl")
    with pytest.raises(InputError, match=r"data\.jsonl, line 1: unmatched"):
        load("regexmin", lines(tmp_path / "data.jsonl", [{"query": "a)"}]))
    with pytest.raises(InputError, match="given twice"):
        load("regexmin", lines(tmp_path / "data.jsonl", [{"id": 1, "query": "a"}, {"id": 1, "query": "b"}]))


HOSTILE = ["", "\0", "a\0b", "\ud800", "\\boxed{a+a", "(a+)+$" * 3, "x" * 200_000, "(" * 50_000, "a" * 30_000]


def test_hostile_responses_are_scored(dataset: Path, tmp_path: Path) -> None:
    data = lines(tmp_path / "data.jsonl", [{"id": i, "query": "a+a"} for i in range(len(HOSTILE))])
    given = lines(tmp_path / "p.jsonl", [{"id": i, "response": text} for i, text in enumerate(HOSTILE)])
    run = runner.run(load("regexmin", data), read_predictions(given), journal=tmp_path / "j")
    assert len(run.records) == len(HOSTILE)
    assert {record.category for record in run.records} <= {"invalid", "repetition", "different", "timeout"}
    run.save(tmp_path / "run.json")
    assert load_run(tmp_path / "run.json").records == run.records


def test_saved_runs_come_back(dataset: Path, tmp_path: Path) -> None:
    run = runner.run(load("regexmin", dataset), given_predictions(ANSWERS))
    run.save(tmp_path / "run.json")
    assert load_run(tmp_path / "run.json") == run
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(InputError, match="not a scored run"):
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
    assert runner.findings(run) == {"internal_error": 1}
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


def test_command_line_summary(dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = lines(tmp_path / "p.jsonl", [{"id": 0, "response": "a"}, {"id": 7, "response": "a"}])
    prompts_file = tmp_path / "req.jsonl"
    assert main(["bench", "export", "--task", "regexmin", "--dataset", str(dataset), "-o", str(prompts_file)]) == 0
    exported = json.loads(capsys.readouterr().out)
    assert (exported["n"], exported["shots"]) == (3, 0)
    code = main([
        "bench", "score", "--task", "regexmin", "--dataset", str(dataset), "--predictions", str(given), "--prompts", str(prompts_file),
        "--jobs", "1", "--format", "json", "-o", str(tmp_path / "run.json"),
    ])  # fmt: skip
    printed = capsys.readouterr()
    summary = json.loads(printed.out)
    assert code == 0
    assert "2 missing ids, 1 unknown ids" in printed.err
    assert (summary["task"], summary["n"], summary["minimality"]) == ("regexmin", 3, pytest.approx(1 / 3))
    assert summary["provenance"]["prompt"]["name"] == "req.jsonl"
    assert len(summary["provenance"]["dataset"]["sha256"]) == 64
    assert "records" not in summary
    assert len(load_run(tmp_path / "run.json").records) == 3


def test_exit_4_when_an_answer_beats_our_proven_optimum(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from regsynth.bench import regexmin
    from regsynth.corpora.executors import Serial

    monkeypatch.setattr(runner, "Processes", lambda jobs: Serial())
    monkeypatch.setattr(runner, "warm", lambda task: None)
    monkeypatch.setattr(regexmin, "optimum_of", lambda item, source, *_: regexmin.Optimum(source.length, item.input, source.length))
    given = lines(tmp_path / "p.jsonl", FORMS["id and response"])
    arguments = ["--task", "regexmin", "--dataset", str(dataset), "--predictions", str(given), "-o", str(tmp_path / "run.json")]
    assert main(["bench", "score", *arguments]) == 4
    assert "beats_optimum" in capsys.readouterr().err
    assert load_run(tmp_path / "run.json").statistics["findings"] == {"beats_optimum": 1}  # the run is finished and written


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bench"], "say what to do"), (["bench", "scroe"], "say what to do"), (["bench", "score"], "give --task"),
        (["bench", "score", "--task", "x"], "choose from regexmin"),
        (["bench", "score", "--task", "rei", "--dataset", "no.jsonl"], "give --pred"),
        (["bench", "run", "--task", "rei", "--dataset", "no.jsonl"], "no such file"),
        (["bench", "export", "--task", "rei", "a"], "one argument"),
        (["check", "a"], "give a pattern and a task"), (["check", "a", "no.json"], "No such file"),
        (["bench", "run", "--task", "rei", "--dataset", "no.jsonl", "--timeout", "0"], "no such file"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_check_prints_the_verdicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = tmp_path / "task.json"
    task.write_text(json.dumps({"prompt": "digits", "positives": ["1", "23"], "negatives": ["", "a", "1a"], "reference": "[0-9]+"}))
    for pattern, code, first in (("[0-9]+", 0, "5/5"), (r"\d+", 1, "5/5"), ("[0-9]", 1, "4/5"), ("([0-9]+)+", 1, "5/5"), ("[", 1, "0/5")):
        assert main(["check", pattern, str(task), "--format", "table"]) == code, pattern
        assert capsys.readouterr().out.startswith(first)
    assert main(["check", r"\d+", str(task), "--format", "json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["right"], record["total"], record["verdict"]) == (5, 5, "different")
    assert (record["witness"], record["accepted_by"]) == ("٠", "answer")


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


def test_prompts(dataset: Path, tmp_path: Path) -> None:
    few = lines(tmp_path / "few.jsonl", [{**record, "query": f"{record['query']}+d", "minimized_regex": "d"} for record in RECORDS])
    data, train = load("regexmin", dataset), load("regexmin", few)
    zero, some, steps = prompts(data.items), prompts(data.items, examples(train, 2)), prompts(data.items, style="steps")
    assert [len(asked[0].messages) for asked in (zero, some, steps)] == [2, 6, 2]
    assert some[0].messages[2] == {"role": "assistant", "content": "\\boxed{d}"}
    assert "step by step" in steps[0].messages[0]["content"]
    assert "step by step" not in zero[0].messages[0]["content"]
    assert len({digest(asked) for asked in (zero, some, steps)}) == 3
    line = request(zero[0], "openai-batch", model="m")
    assert (line["custom_id"], line["body"]["model"], line["body"]["temperature"]) == ("0", "m", 0)
    pairs = examples(load("regexeq", few), 3)
    assert [item.expected for item in pairs] == [True, False, True]
    with pytest.raises(InputError, match="has 3 examples"):
        examples(train, 5)
    with pytest.raises(InputError, match="also one of the worked examples"):
        prompts(data.items, examples(data, 1))
    rei = lines(tmp_path / "rei.jsonl", [{"positives": ["0"], "negatives": ["1"], "costs": [2, 3, 4, 5, 6, 7, 8, 9], "operators": "all"}])
    text = prompts(load("rei", rei).items)[0].messages[0]["content"]
    assert "each letter, ε or ∅ 2, each ? 3, each * 4, each ~ 5, each concatenation 6, each & 7, each + 8, each - 9" in text


def test_published_rows_are_facts_with_sources_and_notes() -> None:
    rows = published.rows()
    assert all(row["source"] and row["metrics"] and row["task"] in ("regexmin", "regexeq", "rei") for row in rows)
    ratios = [value for row in rows for name, value in row["metrics"].items() if name not in ("precise", "minimal", "cost_ratio")]
    assert all(value is None or 0 <= value <= 1 for value in ratios)
    by_note = {row["name"]: row for row in published.rows("rei") if "note" in row and row["dataset"] in ("DS1", "DS4")}
    assert by_note["PN Ret"]["metrics"]["minimal_ratio_global"] == 1 / 606
    assert by_note["StarChat-beta"]["metrics"]["minimal_ratio_precise"] == 1 / 52
    (third,) = [row for row in published.rows("rei", "DS3") if row["name"] == "PN Ret"]
    assert third["metrics"]["minimal_ratio_global"] == 3 / 606
    assert any("Table 11" in row.get("note", "") for row in published.rows("regexmin"))
    best = next(row for row in published.rows("regexmin") if row["name"] == "gpt-oss-low 20B five-shot")
    assert best["metrics"] == {"minimality": 0.6902, "equivalence": 0.8724, "length_ratio": 0.7796}


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
