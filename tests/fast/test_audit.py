"""The audit: true claims pass, every kind of wrong claim is found with its proof."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import regsynth
from regsynth.automata import position
from regsynth.automata.reference import compare
from regsynth.corpora.audit import Audit, audit
from regsynth.corpora.executors import Serial
from regsynth.corpora.labelling import label
from regsynth.errors import InputError
from regsynth.syntax.formal import parse

DATA = Path(__file__).parents[3] / "shared" / "data"
TRUE = {
    "id": "x", "query": "a?d*(b+d+d+d)", "tree_length": 13, "minimized_regex": "a?d*(b+d)", "minimized_tree_length": 9,
    "lower_bound": 9, "equivalent_regex": "a?(d*(b+d)+d?b)", "not_equivalent_regex": "(a+b)b?(d*+d?)",
    "positive_example": "dd", "negative_example": "ddab", "positive_examples": ["b", "adb"], "negative_examples": ["", "c"],
}  # fmt: skip


def run(folder: Path, *records: Any) -> Audit:
    path = folder / "corpus.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return audit(path)


def test_true_claims(tmp_path: Path) -> None:
    found = run(tmp_path, TRUE)
    assert found.findings == [] and sum(found.checked.values()) == 13 and not found.undecided


def test_a_long_expression_does_not_end_the_audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(position, "MEMORY", 1 << 20)
    long = {"id": "long", "regex": "ab" * 4_000 + "+b", "positives": ["a"], "negatives": ["ab"]}
    boolean = {"id": "boolean", "regex": "~(" + "ab" * 4_000 + ")", "positives": ["a"], "negatives": ["ab"]}
    found = run(tmp_path, long, boolean, {"id": "short", "regex": "a*", "positives": ["b"], "negatives": []})
    wrong = [(finding.id, finding.field) for finding in found.findings]
    assert ("long", "positives") in wrong and ("short", "positives") in wrong and ("long", "negatives") not in wrong
    assert ("boolean", "positives") not in wrong and found.undecided == {"positives": 1, "negatives": 1}


@pytest.mark.parametrize(
    ("change", "field", "proof"),
    [
        ({"tree_length": 12}, "tree_length", {"found": 13}),
        ({"minimized_regex": "a?d*b"}, "minimized_regex", {"witness": "d"}),
        ({"minimized_regex": "a?d*(b+d)?"}, "minimized_regex", {"witness": ""}),
        (
            {"minimized_regex": "a?d*(b+d+d)", "minimized_tree_length": 11, "lower_bound": 1},
            "minimized_tree_length",
            {"cheaper": "a?d*(b+d)"},
        ),
        ({"minimized_tree_length": 8}, "minimized_tree_length", {"found": 9}),
        ({"lower_bound": 10}, "lower_bound", {"cheaper": "a?d*(b+d)"}),
        ({"equivalent_regex": "a*d*(b+d)"}, "equivalent_regex", {"witness": "aab"}),
        ({"not_equivalent_regex": "a?d*(d+b)"}, "not_equivalent_regex", {"common": "a?d*(b+d)"}),
        ({"positive_example": "ab?"}, "positive_example", {"witness": "ab?"}),
        ({"negative_example": "add"}, "negative_example", {"witness": "add"}),
        ({"negative_examples": ["a", "ad"]}, "negative_examples", {"witness": "ad"}),
    ],
)
def test_wrong_claims(tmp_path: Path, change: dict[str, Any], field: str, proof: dict[str, Any]) -> None:
    found = run(tmp_path, {**TRUE, "id": 1}, {**TRUE, **change})
    assert found.findings and {f.id for f in found.findings} == {"x"} and field in {f.field for f in found.findings}
    finding = next(f for f in found.findings if f.field == field and all(getattr(f, k) is not None for k in proof))
    for name, value in proof.items():
        ours = getattr(finding, name)
        if name in ("cheaper", "common"):
            assert compare(parse(ours), parse(value)) and parse(ours).length == parse(value).length
        else:
            assert ours == value


def test_unreadable_records_do_not_stop_it(tmp_path: Path) -> None:
    found = run(
        tmp_path,
        {**TRUE, "query": "a)"},
        {**TRUE, "id": 2, "query": 7},
        [1],
        {"id": 3},
        {**TRUE, "id": 4, "tree_length": "13"},
        {**TRUE, "id": 5},
    )
    assert {f.verdict for f in found.findings} == {"unreadable"} and sum(found.wrong.values()) == 0
    assert {f.id for f in found.findings} == {"x", 2, 3, 4} and found.records == 6
    with pytest.raises(InputError, match="given twice"):
        run(tmp_path, TRUE, TRUE)


def test_our_own_labels_pass_and_a_forged_one_does_not(tmp_path: Path) -> None:
    source = tmp_path / "source.txt"
    source.write_text("aa*+a\n(ab+ac)?\nb*b*\n(a+b)(a+b)\n", encoding="utf-8")
    label(source, tmp_path / "out", executor=Serial())
    found = audit(tmp_path / "out")
    assert found.findings == [] and found.records == 4 and found.checked["minimized_tree_length"] == 8
    shard = tmp_path / "out" / "labels" / "00000.jsonl"
    shard.write_text(shard.read_text(encoding="utf-8").replace('"minimized_regex": "b*"', '"minimized_regex": "b*b*"')
                     .replace('"minimized_tree_length": 2', '"minimized_tree_length": 5'), encoding="utf-8")  # fmt: skip
    (finding,) = audit(tmp_path / "out").findings
    assert (finding.id, finding.field, finding.claim, finding.cheaper) == (3, "minimized_tree_length", 5, "b*")


@pytest.mark.skipif(not (DATA / "regexpspace").exists(), reason="needs ../shared/data/regexpspace")
def test_published_benchmark_has_wrong_labels() -> None:
    found = audit(DATA / "regexpspace" / "regexpspace.jsonl")
    assert found.records == 1685 and sum(found.checked.values()) == 13_480 and not found.undecided
    assert dict(found.wrong) == {"not_equivalent_regex": 38}
    for finding in found.findings:
        assert finding.common is not None and compare(parse(str(finding.claim)), parse(finding.common))


def test_inference_problems(tmp_path: Path) -> None:
    problem = {"positives": ["ab", "aab"], "negatives": ["", "b"], "regex": "a*ab", "costs": [1] * 8}
    right = run(tmp_path, {**problem, "regex": "aa?a*b"}, {**problem, "id": 2, "regex": None, "status": "unknown"})
    cheaper = regsynth.infer(problem["positives"], problem["negatives"])
    assert [(f.field, f.found) for f in right.findings] == [("cost", cheaper.cost)] and right.findings[0].cheaper
    best = run(tmp_path, {**problem, "regex": str(cheaper.regex), "cost": cheaper.cost})
    assert best.findings == [] and best.checked["cost"] == 1
    wrong = run(tmp_path, {**problem, "regex": "ab", "cost": 9}, {**problem, "id": 2, "regex": "~b", "status": "feasible"})
    found = [(f.id, f.field, f.witness) for f in wrong.findings]
    assert found == [(1, "positives", "aab"), (1, "cost", None), (2, "negatives", "")]
