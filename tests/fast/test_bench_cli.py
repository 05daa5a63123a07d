"""``regsynth bench`` and ``regsynth check`` as they are typed: summaries, verdicts, exit codes, bad usage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench_files import ANSWERS, RECORDS, lines

from regsynth.bench import runner
from regsynth.bench.results import load as load_run
from regsynth.cli.main import main


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return lines(tmp_path / "data.jsonl", RECORDS)


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
    given = lines(tmp_path / "p.jsonl", [{"id": i, "response": text} for i, text in ANSWERS.items()])
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
        (["bench", "run", "--task", "rei", "--dataset", "no.jsonl", "--k", "1", "²"], "'²' is one argument too many"),
        (["bench", "report", "no.json", "-o", "."], "is a folder"), (["bench", "report", "no.json", "-o", "no/r.html"], "no such folder"),
        (["bench", "report", "no.json", "-o", "r.html", "--drawings", "many"], "--drawings 'many': give seconds"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("option", ["--output", "--report"])
def test_a_place_that_cannot_be_written_is_said_before_scoring(
    option: str, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runner, "run", lambda *_, **__: pytest.fail("scored in vain"))
    for place, message in ((tmp_path, "is a folder"), (tmp_path / "none" / "x", "no such folder")):
        assert main(["bench", "run", "--task", "regexmin", "--dataset", str(dataset), option, str(place)]) == 2
        assert message in capsys.readouterr().err


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
