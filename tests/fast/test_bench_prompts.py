"""Prompts of the tasks, and the rows that papers report."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_files import RECORDS, lines

from regsynth.bench import published
from regsynth.bench.datasets import load
from regsynth.bench.prompts import digest, examples, prompts, request
from regsynth.errors import InputError


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return lines(tmp_path / "data.jsonl", RECORDS)


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
