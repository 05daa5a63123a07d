"""REIC: recipe, split, tokens, resuming, metrics and baselines."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from regsynth.bench.reic_baselines import PNRetrieval, RERetrieval, trivial
from regsynth.bench.reic_metrics import evaluate, judge, ranking
from regsynth.corpora.executors import Serial
from regsynth.corpora.generators import Request
from regsynth.corpora.reic import DATASETS, draw_costs, draw_words, from_tokens, generate_reic, instances, split, to_tokens
from regsynth.errors import InputError
from regsynth.solvers.results import Operators


@pytest.mark.parametrize(("kind", "longest"), [(1, 7), (2, 10)])
def test_words_follow_the_recipe(kind: int, longest: int) -> None:
    rng, lengths = random.Random(kind), Counter[int]()
    for _ in range(1500):
        positives, negatives = draw_words(rng, kind)
        assert 1 <= len(positives) <= 10 and 1 <= len(negatives) <= 10
        words = positives + negatives
        assert len(set(words)) == len(words) and set("".join(words)) <= set("01")
        lengths.update(map(len, words))
    assert max(lengths) == longest and lengths[0] > 0
    share = lengths[longest] / sum(lengths.values())
    assert (0.05 < share < 0.2) if kind == 1 else (share < 0.05)  # uniform over words, or over lengths


def test_word_of_type_one_is_uniform() -> None:
    from regsynth.corpora.reic import _type_one

    rng = random.Random(0)
    counts = Counter(_type_one(rng, 2) for _ in range(7000))
    assert set(counts) == {"", "0", "1", "00", "01", "10", "11"} and min(counts.values()) > 850


def test_costs_only_for_allowed_operators() -> None:
    rng = random.Random(1)
    drawn = [draw_costs(rng, Operators.parse("?*.+ε")) for _ in range(200)]
    assert all(c[3] == c[5] == c[7] == 1 for c in drawn)  # ~ & −
    assert {min(c[0] for c in drawn), max(c[0] for c in drawn)} <= {1, 2, 48, 49}


def test_instances_are_reproducible_and_have_their_cost_functions() -> None:
    records = list(instances("DS2", 3, 7))
    assert records == list(instances("DS2", 3, 7)) != list(instances("DS2", 3, 8))
    assert len(records) == 60 and [r["costs"] for r in records[::20]] == [(1,) * 8] * 3
    assert [r["type"] for r in records[::20]] == [1, 2, 1]
    assert DATASETS["DS3"].operators == "all"


def test_split_shares_no_solution() -> None:
    rng = random.Random(2)
    records = [{"regex": rng.choice("abcdefghijklmnopqrstuvwxyz") * 2, "status": "optimal"} for _ in range(400)]
    train, test = split(records, 3)
    assert len(train) + len(test) == 400 and 30 <= len(test) <= 40
    assert not {r["regex"] for r in train} & {r["regex"] for r in test}


def test_generation_goes_on_where_it_stopped(tmp_path: Path) -> None:
    class Dies(Serial):
        def run(self, work, tasks, warm):  # type: ignore[no-untyped-def]
            for done, pair in enumerate(super().run(work, tasks, warm)):
                if done == 5:
                    raise KeyboardInterrupt
                yield pair

    class Counts(Serial):
        solved = 0

        def run(self, work, tasks, warm):  # type: ignore[no-untyped-def]
            for pair in super().run(work, tasks, warm):
                Counts.solved += 1
                yield pair

    request = Request(tmp_path / "a", seed=5, count=12, dataset="DS3", seconds=1.0)
    with pytest.raises(KeyboardInterrupt):
        generate_reic(request, Dies())
    made = generate_reic(request, Counts())
    assert Counts.solved == 7 and made["train"] + made["test"] == 12
    train, test, hidden = ([json.loads(line) for line in (tmp_path / "a" / name).read_text().splitlines()]
                           for name in ("train.jsonl", "test.jsonl", "test_problems.jsonl"))  # fmt: skip
    for record in train + test:
        score = judge(record, record["regex"])
        assert score is not None and score.precise and score.cost == record["cost"]
    assert [r["id"] for r in hidden] == [r["id"] for r in test] and all("regex" not in r for r in hidden)
    for record in train + test:
        assert from_tokens(to_tokens(record)) == {key: record[key] for key in ("positives", "negatives", "costs", "regex")}


def test_unknown_data_set(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--dataset DS1"):
        generate_reic(Request(tmp_path / "x"))


@pytest.mark.parametrize("tokens", [["0"], ["[CLS]", "0"], ["[CLS]", "[POS]", "ab"], ["[CLS]", "[COST_1]", "[POS]"]])
def test_bad_tokens(tokens: list[str]) -> None:
    with pytest.raises(InputError, match="token"):
        from_tokens(tokens)


INSTANCES = [
    {"positives": ["0", "00"], "negatives": ["1"], "costs": [1] * 8, "operators": "?*.+ε", "cost": 2, "regex": "0*"},
    {"positives": ["1"], "negatives": ["", "0"], "costs": [2, 1, 1, 1, 1, 1, 1, 1], "operators": "?*.+ε", "cost": 2, "regex": "1"},
]


def test_metrics_by_hand() -> None:
    metrics = evaluate(INSTANCES, [["0)", "0", "0?0"], ["~0"]])  # the second uses an operator that is not allowed
    assert metrics.compile_ratio == 0.5 and (metrics.precise, metrics.precise_ratio) == (1, 0.5)
    assert (metrics.positive_ratio, metrics.negative_ratio, metrics.pn_ratio) == (0.5, 0.5, 0.5)
    assert (metrics.minimal, metrics.minimal_ratio_precise, metrics.cost_ratio) == (0, 0.0, 2.0)
    perfect = evaluate(INSTANCES, [["0*"], ["1"]])
    assert perfect.minimal_ratio_global == perfect.cost_ratio == perfect.pn_ratio == 1
    nothing = evaluate(INSTANCES, [[], []])
    assert nothing.compile_ratio == nothing.pn_ratio == 0 and nothing.cost_ratio is None
    assert ranking({"a": metrics, "b": perfect}) == ["b", "a"]


def test_a_long_answer_is_judged() -> None:
    score = judge({"positives": ["a"], "negatives": ["aa"], "costs": [1] * 8, "operators": "?*.+"}, "+".join("a" * 70_000))
    assert score is not None and score.precise and score.cost == 139_999


def test_best_sample_counts_ties_by_cost() -> None:
    metrics = evaluate(INSTANCES[:1], [["0+00", "0*", "1"]])
    assert metrics.minimal == 1 and metrics.cost_ratio == 1


def test_baselines() -> None:
    assert [trivial(r) for r in INSTANCES] == ["0+00", "1"]
    nearest = PNRetrieval(INSTANCES)
    assert nearest({"positives": ["00"], "negatives": [], "costs": [1] * 8}) == "0*"
    assert nearest({"positives": [], "negatives": [""], "costs": [1] * 8}) == "1"
    assert PNRetrieval([])(INSTANCES[0]) == "∅"
    best = RERetrieval(["0*", "00?", "1", "0*1"], longest=3)
    assert best(INSTANCES[0]) == "0*"  # as good as 00? and cheaper
    dear_star = {**INSTANCES[0], "costs": [1, 1, 49, 1, 1, 1, 1, 1]}
    assert best(dear_star) == "00?"
    assert best({"positives": ["001"], "negatives": ["0"], "costs": [1] * 8}) == "0*1"
