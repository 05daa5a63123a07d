"""Predictions in every form, joined with a dataset by id in any order; files that do not fit; hostile responses."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from bench_files import ANSWERS, RECORDS, lines, outcome

from regsynth.bench import runner
from regsynth.bench.datasets import load
from regsynth.bench.inputs import join, read_predictions
from regsynth.bench.items import Settings
from regsynth.bench.results import load as load_run
from regsynth.errors import InputError


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return lines(tmp_path / "data.jsonl", RECORDS)


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
