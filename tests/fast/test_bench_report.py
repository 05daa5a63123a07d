"""The report: its numbers, and that nothing a model wrote can become markup."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import itertools
import json
import random
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from bench_runs import make_run, record

from regsynth.automata.reference import compare
from regsynth.bench import report
from regsynth.bench.bootstrap import intervals
from regsynth.bench.report_drawings import GROUP, NO_TIME, TOO_LARGE, TOO_LONG, Drawer
from regsynth.bench.report_items import columns, curves, details
from regsynth.bench.report_rows import leaderboards
from regsynth.bench.results import Record, Run, Values, aggregate
from regsynth.errors import InputError
from regsynth.syntax.formal import parse

SCRIPT = re.compile(r'<script type="application/json" id="(\w+)">(.*?)</script>', re.S)


def carried(page: str) -> dict[str, Any]:
    """What the page carries as JSON."""
    return {name: json.loads(text) for name, text in SCRIPT.findall(page)}


def unpacked(groups: list[str]) -> list[Any]:
    return [text for group in groups for text in json.loads(zlib.decompress(base64.b64decode(group)))]


def resampled(names: list[str], values: list[Values], resamples: int) -> dict[str, tuple[float, float]]:
    """The bootstrap as it is defined: items drawn one by one, metrics by ``aggregate``."""
    rng = random.Random(5)
    drawn = [aggregate(names, rng.choices(values, k=len(values))) for _ in range(resamples)]
    out = {}
    for name in names:
        column = sorted(float(row[name] or 0.0) for row in drawn)
        out[name] = (column[int(0.025 * resamples)], column[int(0.975 * resamples)])
    return out


def test_intervals_agree_with_drawing_items_one_by_one() -> None:
    rng = random.Random(1)
    values: list[Values] = []
    for _ in range(150):
        right = rng.random() < 0.7
        values.append({
            "minimality": float(right), "length_ratio": rng.choice([0.5, 0.75, 0.9]) if right else 1.0,
            "precision": float(rng.random() < 0.6) if rng.random() < 0.5 else None, "recall": float(rng.random() < 0.8) if right else None,
            "precise": float(right), "cost_ratio": rng.choice([1.0, 1.5, 2.0]) if right else None,
        })  # fmt: skip
    names = ["minimality", "length_ratio", "precision", "recall", "f1", "precise", "cost_ratio"]
    fast, plain, point = intervals(names, values), resampled(names, values, 1500), aggregate(names, values)
    for name in names:
        found = fast[name]
        assert found is not None
        width = plain[name][1] - plain[name][0]
        assert width > 0
        assert found[0] <= float(point[name] or 0) <= found[1]
        assert abs(found[0] - plain[name][0]) < 0.15 * width and abs(found[1] - plain[name][1]) < 0.15 * width, name


def test_an_interval_needs_data() -> None:
    assert intervals(["a", "b"], [{"a": 1.0}, {"a": 0.0, "b": None}])["b"] is None
    assert intervals(["a"], []) == {"a": None}
    assert intervals(["length_ratio"], [{"length_ratio": 0.0}, {"length_ratio": 0.5}] * 20)["length_ratio"] == (0.0, 0.0)
    assert intervals(["f1"], [{"precision": 1.0}, {"precision": 0.0, "recall": None}] * 9)["f1"] == (0.0, 0.0)
    rare: list[Values] = [{"a": 1.0}, *({"a": None} for _ in range(9))]
    assert intervals(["a"], rare)["a"] is None, "some resample has no data at all"


def test_the_same_run_gives_the_same_intervals() -> None:
    values = [r.values for r in make_run(60).records]
    assert intervals(["minimality"], values) == intervals(["minimality"], values)


def test_runs_of_one_dataset_share_a_board_and_papers_stand_beside_them() -> None:
    first, second = make_run(30), make_run(30, name="model B", seed=1)
    provenance = {**second.provenance, "dataset": {"name": "other.jsonl", "sha256": "00"}}
    other = dataclasses.replace(second, name="model C", provenance=provenance)
    papers = [
        {"task": "regexmin", "name": "paper", "metrics": {"minimality": 0.2}, "source": "Table 1"},
        {"task": "rei", "name": "elsewhere", "metrics": {"compile_ratio": 1.0}, "source": "Table 2"},
    ]
    boards = leaderboards([first, second, other], papers, resamples=50)
    assert [[row["name"] for row in board["rows"]] for board in boards] == [["model A", "model B", "paper"], ["model C", "paper"]]
    row = boards[0]["rows"][0]
    low, high = row["intervals"]["minimality"]
    assert low < row["metrics"]["minimality"] < high
    assert boards[0]["lower"] == ["length_ratio"]


def test_curves_hold_every_item_once_and_average_to_the_metric() -> None:
    run = make_run(400)
    points = curves(run)["minimality"]
    assert 1 < len(points) <= 12
    assert sum(n for _, _, n, _ in points) == 400
    assert all(a[1] < b[0] for a, b in itertools.pairwise(points)), "bins do not overlap"
    mean = sum(n * value for _, _, n, value in points) / 400
    assert mean == pytest.approx(run.metrics["minimality"], abs=1e-4)


def test_samples_of_an_item_count_once() -> None:
    twice = (record("a+a", "minimal"), dataclasses.replace(record("a+a", "different"), sample=1, values={}))
    run = dataclasses.replace(make_run(6), records=twice, n=1)
    assert curves(run)["minimality"] == [(3, 3, 1, 1.0)]
    assert columns(run)["sample"] == [0, 1]


def test_the_page_holds_every_record_with_its_witness_and_drawings() -> None:
    run = make_run(150)
    data = carried(report.render([run], published=[]))
    table, opened = data["data"]["runs"][0]["columns"], [json.loads(text) for text in unpacked(data["details"][0])]
    drawings = unpacked(data["drawings"])
    assert len(opened) == 150 and data["data"]["group"] == GROUP
    for i, made in enumerate(run.records):
        assert table["input"][i] == made.input and table["witness"][i] == made.witness
        shown = dict(opened[i].get("drawings", []))
        assert drawings[shown["reference"]].startswith("<svg ")
        if made.category in ("minimal", "longer"):
            assert shown["answer"] == shown["reference"], "equivalent expressions have one minimal automaton"
        elif made.category == "different":
            assert shown["answer"] != shown["reference"] and opened[i]["accepted_by"] == made.accepted_by
            verdict = compare(parse(made.input), parse(str(made.answer)))
            assert verdict.word == made.witness
        else:
            assert "answer" not in shown


NASTY = (
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- ", "]]>", "\u2028\u2029", "a\x00b", "\ud800", "&lt;",
    "\u202eabc", "",
)  # fmt: skip


@pytest.mark.parametrize("text", NASTY)
def test_what_a_model_wrote_never_leaves_its_string(text: str, tmp_path: Path) -> None:
    texts = dict.fromkeys(("raw", "answer", "reason", "id", "input", "reference", "witness"), text)
    made = dataclasses.replace(record("a+a", "invalid"), **texts)
    run = dataclasses.replace(make_run(1), records=(made,), name=text, provenance={"command": text, "dataset": {"name": text}})
    page = report.render([run], title=text, command=text, published=[])
    assert page.count("<script") == 4 and page.count("</script") == 4 and page.count("<!--") == 0
    assert "<img" not in page
    data = carried(page)
    assert data["data"]["runs"][0]["columns"]["answer"] == [text] and data["data"]["command"] == text
    assert json.loads(unpacked(data["details"][0])[0])["raw"] == text
    report.write([run], tmp_path / "r.html", published=[])


def test_the_page_asks_the_network_for_nothing() -> None:
    page = report.render([make_run(8)], published=[])
    assert not re.search(r"(?:src|href)=(?![\"']?(?:#|data:))|@import|url\(|fetch\(|XMLHttpRequest|import\(", page)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy and policy[1].startswith("default-src 'none'")
    script = re.search(r"<script>(.*)</script>", page, re.S)
    assert script is not None
    assert base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode() in policy[1], "the page's own script runs, no other"


def test_huge_answers_are_cut_and_say_so(tmp_path: Path) -> None:
    made = dataclasses.replace(record("a+a", "different"), raw="x" * 1_000_000, answer="a" * 1_000_000, witness="a" * 1_000_000)
    path = report.write([dataclasses.replace(make_run(1), records=(made,))], tmp_path / "r.html", published=[])
    assert path.stat().st_size < 200_000
    opened = json.loads(unpacked(carried(path.read_text())["details"][0])[0])
    assert opened["raw_length"] == 1_000_000 and opened["raw"].endswith("(994000 more characters)")
    assert dict(opened["drawings"])["answer"] == TOO_LONG
    assert not (tmp_path / "r.html.part").exists()


def test_drawings_keep_to_their_time() -> None:
    drawer = Drawer(seconds=0.0)
    assert drawer.take("a+b") == NO_TIME and not drawer.pictures()
    kept = [dict(json.loads(text).get("drawings", [])) for text in unpacked(details(make_run(6), drawer))]
    assert all(why == NO_TIME for shown in kept for why in shown.values())


def test_urgent_drawings_come_first_when_time_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    drawer = Drawer(seconds=60.0)
    numbers = [drawer.take("a" * n, urgent=n == 5) for n in range(1, 9)]
    left = iter([1.0, 1.0, 0.0])
    monkeypatch.setattr(type(drawer.clock), "left", property(lambda clock: next(left)))
    drawn = drawer.pictures()
    assert [bool(drawn[int(n)]) for n in numbers] == [True, False, False, False, True, False, False, False]


def test_many_drawings_are_the_same_on_two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regsynth.bench.report_drawings.FEW", 10)
    drawer = Drawer(seconds=60.0)
    for n in range(1, 20):
        drawer.take(f"({'a' * n}+b)*c")
    assert drawer.pictures(jobs=2) == drawer.pictures(jobs=1)


def test_practical_patterns_are_drawn_with_classes_on_edges() -> None:
    drawer = Drawer(seconds=20.0)
    assert drawer.take(r"^\d{2}[^<&]$", dialect="python", semantics="fullmatch") == 0
    (drawn,) = drawer.pictures()
    assert r">\d</text>" in drawn and ">[^&amp;&lt;]</text>" in drawn
    assert drawer.take(r"(a+)b\1", dialect="python", semantics="search") == "no automaton can be built"
    assert drawer.take(r"(", dialect="python", semantics="search") == "no automaton can be built"
    assert drawer.take(r"(?:a{1000}){1000}", dialect="python", semantics="search") == TOO_LARGE


def test_no_runs_and_bad_paths_are_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no scored run"):
        report.render([])
    with pytest.raises(InputError, match="check --output"):
        report.write([make_run(1)], tmp_path / "none" / "r.html")
    with pytest.raises(InputError, match="not a number JSON can hold"):
        report.render([dataclasses.replace(make_run(1), statistics={"x": float("nan")})])


def test_a_run_without_records_still_has_a_page() -> None:
    empty = Run(task="nl2re", name="none", n=0, metrics={"pass@1": None}, categories={}, inputs={}, statistics={}, provenance={})
    data = carried(report.render([empty]))
    assert data["data"]["boards"][0]["rows"][0]["metrics"] == {"pass@1": None}
    assert data["details"] == [[]]


def test_unknown_categories_of_newer_files_are_shown() -> None:
    run = dataclasses.replace(make_run(1), records=(Record(id=1, input="a", category="brand_new"),))
    assert carried(report.render([run]))["data"]["runs"][0]["categories"][-1] == "brand_new"
