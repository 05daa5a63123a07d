"""The Inspect AI plug-in, run as its users run it, without a network: its scores are those of ``regsynth bench``."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from crashing import work_or_die

import regsynth
from regsynth.bench.datasets import load
from regsynth.bench.inputs import read_predictions
from regsynth.bench.runner import run
from regsynth.bench.samples import sample
from regsynth.syntax.formal import parse

pytest.importorskip("inspect_ai", reason="needs inspect-ai: pip install 'regsynth[inspect]'")
pytestmark = pytest.mark.slow

COUNT = 30


def evaluate(folder: Path, *arguments: str, fails: bool = False) -> dict[str, Any]:
    """Run ``inspect eval`` and return its log. Every way to the network leads to a closed port of this machine."""
    closed = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")
    logs = folder / "logs"
    done = subprocess.run(
        [sys.executable, "-m", "inspect_ai", "eval", *arguments, "--display", "none", "--log-format", "json", "--log-dir", str(logs)],
        cwd=folder, env={**os.environ, **closed, "HF_HUB_OFFLINE": "1"}, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert fails or done.returncode == 0, done.stdout + done.stderr
    (log,) = logs.glob("*.json")
    made: dict[str, Any] = json.loads(log.read_text())
    assert fails or made["status"] == "success", made.get("error")
    return made


def metrics(log: dict[str, Any]) -> dict[str, float]:
    (score,) = log["results"]["scores"]
    return {metric["name"]: metric["value"] for metric in score["metrics"].values()}


def records(log: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {str(made["id"]): made["scores"]["regsynth_scorer"]["metadata"] for made in log["samples"]}


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text(sample("regexmin", count=COUNT, seed=3))
    return path


def answers(dataset: Path) -> list[dict[str, Any]]:
    """An answer of each kind in turn, without one for the last item."""
    out = []
    for i, line in enumerate(dataset.read_text().splitlines()[:-1]):
        made = json.loads(line)
        said = [made["minimized_regex"], made["query"], made["not_equivalent_regex"], "a(b", ("a*" * 30) + "|b"][i % 5]
        out.append({"id": made["idx"], "response": f"So it is \\boxed{{{said}}}.", "tokens": 20 + i, "thinking_tokens": 3})
    out[4] |= {"response": "on and on we go, " * 300}
    out[9] |= {"response": "x" * 1_000_000}
    out[14] |= {"response": "\\boxed{" + "(" * 50_000}
    out[19] |= {"response": "", "tokens": 1024}
    return out[::-1]


def test_a_replayed_file_scores_as_bench_scores_it(tmp_path: Path, dataset: Path) -> None:
    predictions = tmp_path / "answers.jsonl"
    predictions.write_text("".join(json.dumps(made) + "\n" for made in answers(dataset)))
    log = evaluate(
        tmp_path, "regsynth/regexmin", "--model", "regsynth_replay/someone", "-M", f"predictions={predictions}", "-T", f"dataset={dataset}",
    )  # fmt: skip
    expected = run(load("regexmin", dataset), read_predictions(predictions))
    assert metrics(log) == pytest.approx(expected.metrics)
    found = records(log)
    assert len(found) == COUNT
    for record in expected.records:
        for name in ("category", "cost", "optimum", "witness", "accepted_by", "rule", "answer", "tokens", "thinking_tokens"):
            assert found[str(record.id)][name] == getattr(record, name), (record.id, name)
    assert {r.category for r in expected.records} >= {"minimal", "longer", "different", "invalid", "repetition", "cutoff", "missing"}
    usage = log["stats"]["model_usage"]["regsynth_replay/someone"]
    assert usage["reasoning_tokens"] == 3 * (COUNT - 1)


@pytest.mark.parametrize(
    ("task", "perfect"),
    [
        ("regexmin", {"minimality": 1.0, "equivalence": 1.0}),
        ("regexeq", {"accuracy": 1.0, "f1": 1.0, "fail_rate": 0.0}),
        ("rei", {"compile_ratio": 1.0, "precise_ratio": 1.0, "minimal_ratio_global": 1.0, "cost_ratio": 1.0}),
    ],
)
def test_the_exact_solver_is_perfect(tmp_path: Path, task: str, perfect: dict[str, float]) -> None:
    log = evaluate(tmp_path, f"regsynth/{task}", "--solver", "regsynth/exact", "--model", "none", "-T", "count=12")
    found = metrics(log)
    assert {name: found[name] for name in perfect} == perfect
    assert not log["stats"]["model_usage"], "no model was asked"


def test_samples_in_turn_and_answers_without_ids(tmp_path: Path, dataset: Path) -> None:
    lines = [json.loads(line) for line in dataset.read_text().splitlines()]
    predictions = tmp_path / "answers.jsonl"
    predictions.write_text("".join(json.dumps({"responses": [made["minimized_regex"], made["query"]]}) + "\n" for made in lines))
    log = evaluate(
        tmp_path, "regsynth/regexmin", "--model", "regsynth_replay/x", "-M", f"predictions={predictions}", "-T", f"dataset={dataset}",
        "--epochs", "2",
    )  # fmt: skip
    categories = [s["scores"]["regsynth_scorer"]["metadata"]["category"] for s in log["samples"]]
    assert categories.count("minimal") == categories.count("longer") == COUNT


def test_worked_examples_and_style_reach_the_prompt(tmp_path: Path, dataset: Path) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text(sample("regexmin", count=5, seed=99))
    log = evaluate(
        tmp_path, "regsynth/regexmin", "--solver", "regsynth/exact", "--model", "none", "-T", f"dataset={dataset}", "-T", "shots=2",
        "-T", f"fewshot={few}", "-T", "style=steps", "--limit", "1",
    )  # fmt: skip
    turns = log["samples"][0]["input"]
    assert [turn["role"] for turn in turns] == ["system", "user", "assistant", "user", "assistant", "user"]
    first = json.loads(few.read_text().splitlines()[0])
    assert turns[1]["content"] == f"Expression: {first['query']}" and turns[2]["content"] == f"\\boxed{{{first['minimized_regex']}}}"
    assert "step by step" in turns[0]["content"]
    assert len(log["eval"]["metadata"]["prompts_sha256"]) == 64


def test_a_wrong_argument_is_one_clear_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "inspect_ai", "eval", "regsynth/regexmin", "--model", "regsynth_replay/x", "--log-dir", str(tmp_path)],
        cwd=tmp_path, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert done.returncode != 0
    assert "regsynth_replay takes -M predictions=FILE" in " ".join((done.stdout + done.stderr).split())


def test_a_worker_that_ends_is_a_timeout_and_spares_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    from regsynth.bench.inspect import _apart
    from regsynth.bench.items import Item, Response, Settings

    async def both() -> Any:
        item = Item(id=1, task="regexmin", input="a+a", letters="a")
        settings = Settings(seconds=5.0)
        killer = asyncio.to_thread(_apart._apart, _apart.Unit(item, Response("a"), "kill"), settings)
        others = [asyncio.to_thread(_apart.score_apart, item, Response("a"), settings) for _ in range(6)]
        return await asyncio.gather(killer, *others)

    monkeypatch.setattr(_apart, "work", work_or_die)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
    killed, *others = asyncio.run(both())
    assert killed["category"] == "timeout" and killed["values"]["minimality"] == 0
    assert [record.category for record in others] == ["minimal"] * 6


def test_own_samples_are_true_and_the_same_each_time() -> None:
    text = sample("regexmin", count=25, seed=7)
    assert text == sample("regexmin", count=25, seed=7) != sample("regexmin", count=25, seed=8)
    for line in text.splitlines():
        made = json.loads(line)
        found = regsynth.minimize(made["query"], solver="enumerate")
        assert found.status == "optimal" and found.cost == made["minimized_tree_length"] == parse(made["minimized_regex"]).length
        assert regsynth.equivalent(made["query"], made["equivalent_regex"]) and regsynth.equivalent(made["query"], made["minimized_regex"])
        assert regsynth.equivalent(made["query"], made["not_equivalent_regex"]).verdict == "different"
    for line in sample("rei", count=10, seed=7).splitlines():
        made = json.loads(line)
        solved = regsynth.infer(made["positives"], made["negatives"], costs=made["costs"], operators=made["operators"], alphabet="01")
        assert solved.cost == made["cost"] and solved.status == "optimal"
