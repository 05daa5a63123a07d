"""Real data: the solver's own rows on RegexPSPACE, RegexEval's references, and GPT-3.5's answers beside its authors' verdicts."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from regsynth.bench import runner
from regsynth.bench.datasets import load
from regsynth.bench.inputs import given_predictions, read_predictions
from regsynth.bench.items import Settings
from regsynth.cli.main import main

DATA = Path(__file__).parents[2].parent / "shared" / "data"
PSPACE, REGEXEVAL = DATA / "regexpspace" / "regexpspace.jsonl", DATA / "regexeval"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PSPACE.exists(), reason="needs the shared research data (../shared/data)"),
]


def test_the_solvers_own_row_is_perfect(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--dataset", str(PSPACE), "--solver", "auto", "--jobs", "2", "--format", "json"]
    assert main(["bench", "run", "--task", "regexmin", *arguments]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["n"], summary["minimality"], summary["equivalence"]) == (1685, 1, 1)
    lengths = [json.loads(line) for line in PSPACE.read_text().splitlines()]
    product = 1.0
    for record in lengths:
        product *= (record["minimized_tree_length"] / record["tree_length"]) ** (1 / len(lengths))
    assert summary["length_ratio"] == pytest.approx(product)  # the dataset's best achievable: 72.70 %
    assert summary["statistics"]["optima"] == {"proven": 1685}
    assert summary["statistics"]["findings"] == {}
    assert main(["bench", "run", "--task", "regexeq", *arguments]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["n"], summary["accuracy"], summary["f1"], summary["fail_rate"]) == (3370, 1, 1, 0)
    assert summary["statistics"]["labels"]["wrong"] == 38
    assert summary["published_accuracy"] == pytest.approx(3332 / 3370)


@pytest.mark.parametrize(("semantics", "passing"), [("search", 762), ("fullmatch", 716)])
def test_references_against_themselves(semantics: str, passing: int, capsys: pytest.CaptureFixture[str]) -> None:
    code = main([
        "bench", "score", "--task", "nl2re", "--dataset", str(REGEXEVAL / "RegexEval.json"), "--use-reference", "--semantics", semantics,
        "--jobs", "2", "--format", "json", "--no-screen",
    ])  # fmt: skip
    summary = json.loads(capsys.readouterr().out)
    assert code == 0
    assert round(summary["pass@1"] * 762) == passing
    assert summary["pass@1"] == pytest.approx(passing / 762)
    assert summary["dfa-eq@1"] == summary["exact@1"] == 1


def test_gpt35_beside_its_authors_verdicts() -> None:
    began = time.monotonic()
    verdicts = {
        "pass": read_predictions(REGEXEVAL / "GPT3.5_Raw_Output_Compiled_Result.json"),
        "dfa-eq": read_predictions(REGEXEVAL / "GPT3.5_Raw_Output_DFA_Result.json"),
    }
    data = load("nl2re", REGEXEVAL / "RegexEval.json")
    given = read_predictions(REGEXEVAL / "GPT3.5_Raw_Output.json")
    run = runner.run(data, given, settings=Settings(k=(1, 5, 10)), jobs=2, verdicts=verdicts)
    assert time.monotonic() - began < 300
    assert (run.n, len(run.records)) == (762, 7620)
    assert run.metrics["pass@1"] == pytest.approx(2543 / 7620)
    found = run.statistics["verdicts"]
    assert found["pass"]["counts"] == {"theirs_false_ours_false": 5074, "theirs_true_ours_false": 3, "theirs_true_ours_true": 2543}
    assert found["pass"]["classes"] == {"inline_flags_of_older_python": 3}
    assert found["dfa-eq"]["judged"] == 7620
    assert found["dfa-eq"]["unconfirmed"] == 0  # re itself bears out every one of our contradictions
    notes: list[dict[str, Any]] = [note for r in run.records if (note := r.details.get("disagreements", {}).get("dfa-eq"))]
    assert len(notes) == found["dfa-eq"]["disagree"] > 400
    assert "other" not in found["dfa-eq"]["classes"]
    assert all(note["witness"] is not None or note["ours"] for note in notes)


def test_order_and_workers_change_nothing() -> None:
    lines = [json.loads(line) for line in PSPACE.read_text().splitlines()][:400]
    answers = {r["idx"]: r["minimized_regex"] if r["idx"] % 2 else r["not_equivalent_regex"] for r in lines}
    data = load("regexmin", PSPACE)
    one = runner.run(data, given_predictions(answers), jobs=1)
    two = runner.run(data, given_predictions(dict(reversed(answers.items()))), jobs=2)
    assert (one.metrics, one.categories, one.inputs, one.statistics) == (two.metrics, two.categories, two.inputs, two.statistics)
    for first, second in zip(one.records, two.records, strict=True):
        assert {**first.to_dict(), "seconds": 0} == {**second.to_dict(), "seconds": 0}
