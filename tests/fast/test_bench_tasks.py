"""Scoring one answer: every category of every task, and what stands beside it."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest

from regsynth.bench import answers, nl2re, regexeq, regexmin
from regsynth.bench.deadline import Deadline
from regsynth.bench.evaluation import of_record
from regsynth.bench.items import Item, Response, Settings
from regsynth.bench.nl2re import at_k, combine
from regsynth.bench.rei import combine as combine_rei
from regsynth.bench.reic_metrics import evaluate as reic_evaluate
from regsynth.bench.results import AGGREGATES, CATEGORIES, aggregate
from regsynth.bench.tasks import TASKS
from regsynth.cli.check import code_of
from regsynth.syntax.formal import parse
from regsynth.syntax.simplify import simplify

MIN = Item(id=1, task="regexmin", input="a?d*(b+d+d+d)", letters="abcd", label=9, label_regex="a?d*(b+d)")
LOOP = "I will now check the next word. " * 4


@pytest.mark.parametrize(
    ("response", "category", "values"),
    [
        (r"\boxed{a?d*(b+d)}", "minimal", (1, 1, 9 / 13)),
        (r"\boxed{a?d*(b|d)}", "minimal", (1, 1, 9 / 13)),
        (r"\boxed{a?d*(b+d+d)}", "longer", (0, 1, 11 / 13)),
        (r"\boxed{a?d*(b+d+d+d)+∅}", "invalid", (0, 0, 1)),  # ∅ is no operand of the task
        (r"\boxed{a?d*(b+d+d+d+d+d)}", "longer", (0, 1, 1)),  # longer than the input
        (r"\boxed{a?d*b}", "different", (0, 0, 1)),
        (r"\boxed{ε}", "different", (0, 0, 1)),
        (r"\boxed{a?d*(b+e)}", "invalid", (0, 0, 1)),
        (r"\boxed{a?d*(b&d)}", "invalid", (0, 0, 1)),
        (r"\boxed{a?d*(b+d}", "invalid", (0, 0, 1)),
        ("I cannot tell", "invalid", (0, 0, 1)),
        ("", "invalid", (0, 0, 1)),
        ("\0", "invalid", (0, 0, 1)),
        (LOOP, "repetition", (0, 0, 1)),
        (Response(LOOP, tokens=1024), "repetition", (0, 0, 1)),
        (Response("Let me see", tokens=1024), "cutoff", (0, 0, 1)),
        (Response(r"\boxed{a?d*(b+d)}", tokens=1024), "minimal", (1, 1, 9 / 13)),  # it did answer
        (None, "missing", (0, 0, 1)),
    ],
)
def test_regexmin(response: str | Response | None, category: str, values: tuple[float, ...]) -> None:
    record = TASKS["regexmin"].score(MIN, response)
    assert record.category == category
    assert tuple(record.values[name] for name in regexmin.METRICS) == pytest.approx(values)
    assert (record.optimum, record.lower_bound, record.optimum_status) == (9, 9, "proven")
    assert record.findings == ()


def test_regexmin_witness_and_side() -> None:
    record = TASKS["regexmin"].score(MIN, r"\boxed{a*d*(b+d)}")
    assert (record.category, record.witness, record.accepted_by) == ("different", "aab", "answer")
    record = TASKS["regexmin"].score(MIN, r"\boxed{d*(b+d)}")
    assert (record.witness, record.accepted_by) == ("ab", "reference")


def test_raw_rule_and_answer_are_kept() -> None:
    said = r"So $\boxed{a?d^{*}(b \mid d)}$"
    record = TASKS["regexmin"].score(MIN, said)
    assert (record.raw, record.rule, record.answer, record.practical_union) == (said, "boxed", "a?d*(b|d)", True)
    strict = TASKS["regexmin"].score(MIN, said, Settings(mode="strict"))
    assert (strict.category, strict.practical_union) == ("invalid", True)


def test_a_label_that_is_beaten_is_a_label_error() -> None:
    record = TASKS["regexmin"].score(replace(MIN, label=11, label_regex="a?d*(b+d+d)"), "a?d*(b+d)")
    assert (record.category, record.findings, record.optimum) == ("minimal", ("label_error",), 9)


def test_an_answer_below_our_bound_is_rechecked(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = regexmin.Optimum(11, "a?d*(b+d+d)", 11)
    monkeypatch.setattr(regexmin, "optimum_of", lambda *_: wrong)
    record = TASKS["regexmin"].score(MIN, "a?d*(b+d)")
    assert record.findings == ("beats_optimum",)
    assert "proven bound is wrong" in record.details["recheck"]
    assert regexmin.recheck(parse("a"), parse("b"), MIN).endswith("the verdict is wrong")


def test_a_dataset_answer_below_our_bound_is_a_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = regexmin.minimize

    def lying(expr: object, **options: object) -> object:
        return honest(expr, **options).but(regex=expr, cost=13, lower_bound=13)  # type: ignore[arg-type]

    monkeypatch.setattr(regexmin, "minimize", lying)
    record = TASKS["regexmin"].score(MIN, "b")
    assert record.findings == ("beats_optimum",)
    assert record.optimum_status == "contradicted"


def test_unproven_optimum_makes_minimality_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regexmin, "optimum_of", lambda *_: regexmin.Optimum(11, "a?d*(b+d+d)", 5))
    score = TASKS["regexmin"].score
    assert score(MIN, "a?d*(b+d+d)").values["minimality"] is None  # the best known
    assert score(MIN, "a?d*(b+d+d+d)").values["minimality"] == 0  # a cheaper one is known
    assert score(MIN, "a?d*(b+d)").findings == ()  # cheaper than the best known, not than the bound


EQ = Item(id="1:eq", task="regexeq", input="a*", reference="a*a*", expected=True, letters="a")
NE = Item(id="1:ne", task="regexeq", input="a*", reference="aa*", expected=False, letters="a")


@pytest.mark.parametrize(
    ("item", "response", "category"),
    [
        (EQ, r"\boxed{True}", "tp"), (EQ, "False", "fn"), (NE, "Answer: no", "tn"), (NE, "Yes", "fp"), (EQ, "who knows", "invalid"),
        (EQ, LOOP, "repetition"), (EQ, Response("Let", tokens=2000), "cutoff"), (EQ, None, "missing"), (EQ, "", "invalid"),
    ],
)  # fmt: skip
def test_regexeq(item: Item, response: str | Response | None, category: str) -> None:
    record = TASKS["regexeq"].score(item, response)
    assert record.category == category
    assert record.values["accuracy"] == (category in ("tp", "tn"))
    assert record.values["fail_rate"] == (category not in ("tp", "tn", "fp", "fn"))
    assert record.findings == ()
    assert record.witness == (None if item is EQ else "")


def test_a_wrong_label_is_found_and_both_scores_stand() -> None:
    record = TASKS["regexeq"].score(replace(NE, reference="a*a*"), "True")
    assert (record.category, record.findings) == ("tp", ("label_error",))
    assert (record.values["accuracy"], record.values["published_accuracy"]) == (1, 0)


def test_f1_is_over_answered_pairs() -> None:
    rows = [TASKS["regexeq"].score(item, said).values for item, said in
            ((EQ, "yes"), (EQ, "no"), (EQ, "?"), (NE, "yes"), (NE, "no"), (NE, "?"))]  # fmt: skip
    metrics = aggregate(TASKS["regexeq"].metrics(), rows)
    assert metrics["accuracy"] == pytest.approx(2 / 6)
    assert metrics["fail_rate"] == pytest.approx(2 / 6)
    assert metrics["precision"] == metrics["recall"] == metrics["f1"] == 0.5  # 1 TP, 1 FP, 1 FN
    assert aggregate(["f1"], [{"recall": 0.0, "precision": None}]) == {"f1": 0.0}
    assert aggregate(["f1"], [{}]) == {"f1": None}


REI = Item(
    id=1, task="rei", input="", letters="01", positives=("0", "00", "000"), negatives=("1", "01"), costs=(1,) * 8, label=2,
    label_regex="0*", lower_bound=2,
)  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "category"),
    [
        ("0*", "minimal"), ("00*", "precise"), ("0", "imprecise"), ("(0+1)*", "imprecise"), ("0&0", "invalid"), ("x", "invalid"),
        ("0(", "invalid"),
    ],
)  # fmt: skip
def test_rei(answer: str, category: str) -> None:
    record = TASKS["rei"].score(REI, answer)
    assert record.category == category
    assert record.findings == ()
    if category == "imprecise":
        assert record.witness is not None
        assert (record.witness in ("0", "00", "000")) == (record.accepted_by == "reference")


def test_rei_agrees_with_the_ten_metrics() -> None:
    rng = random.Random(2)
    answers = ["0*", "00*", "0", "(0+1)*", "1*", "0?0?0?", "x", "(", "0*+1", "0&0"]
    items, instances, samples = [], [], []
    for i in range(30):
        positives, negatives = tuple({"0" * rng.randint(1, 5) for _ in range(3)}), tuple({"1" + "0" * rng.randint(0, 3) for _ in range(3)})
        item = replace(REI, id=i, positives=positives, negatives=negatives)
        items.append(item)
        words = {"positives": positives, "negatives": negatives}
        instances.append({**words, "costs": [1] * 8, "operators": "?*.+", "cost": 2, "alphabet": "01"})
        samples.append([rng.choice(answers) for _ in range(rng.randint(1, 3))])
    rows = []
    for item, group in zip(items, samples, strict=True):
        records = combine_rei([TASKS["rei"].score(item, answer) for answer in group], Settings())
        rows += [record.values for record in records if record.values]
    found = aggregate(TASKS["rei"].metrics(), rows)
    for name, value in reic_evaluate(instances, samples)._asdict().items():
        assert found[name] == pytest.approx(value), name


def test_rei_label_and_bug_findings() -> None:
    wrong = replace(REI, label=4, label_regex="00*", lower_bound=None)
    assert TASKS["rei"].score(wrong, "0*").findings == ("label_error",)
    ours = replace(REI, label=4, label_regex="00*", lower_bound=4)  # a bound of ours that is wrong
    assert TASKS["rei"].score(ours, "0*").findings[0] == "beats_optimum"


RE = Item(
    id=1, task="nl2re", input="", reference="^[0-9]+$", dialect="python", semantics="search", positives=("1", "23"), negatives=("", "x1")
)


@pytest.mark.parametrize(
    ("answer", "category", "facts"),
    [
        ("^[0-9]+$", "equivalent", {"exact": True, "passed": True, "equivalent": True, "usable": True, "vulnerable": False}),
        ("^[0-9][0-9]*$", "equivalent", {"exact": False, "passed": True, "equivalent": True, "usable": True}),
        (r"^\d+$", "passed", {"passed": True, "equivalent": False, "usable": False}),
        ("[0-9]+", "failed", {"passed": False, "equivalent": False, "wrong": ["x1"]}),
        ("^([0-9]+)+$", "equivalent", {"passed": True, "equivalent": True, "vulnerable": True, "usable": False}),
        (r"^(?=([0-9]+))\1$", "passed", {"passed": True, "equivalent": None}),
        ("[", "invalid", {"passed": False, "equivalent": False, "vulnerable": False}),
        ("", "invalid", {"passed": False}),
        (" ", "invalid", {"passed": False}),
    ],
)
def test_nl2re(answer: str, category: str, facts: dict[str, object]) -> None:
    record = TASKS["nl2re"].score(RE, answer)
    assert record.category == category
    assert {name: record.details[name] for name in facts} == facts


def test_identical_text_is_equivalent_even_where_undecidable() -> None:
    item = replace(RE, reference=r"(a*)b\1", positives=("aba",), negatives=("x",))
    record = TASKS["nl2re"].score(item, r"(a*)b\1")
    assert (record.category, record.details["equivalent"]) == ("equivalent", True)
    assert TASKS["nl2re"].score(item, r"(a*)c\1").details["equivalent"] is not True


def test_without_examples_equivalence_makes_usable() -> None:
    item = replace(RE, positives=None, negatives=None)
    same, other = (combine([TASKS["nl2re"].score(item, text)], Settings())[0] for text in ("^[0-9][0-9]*$", "^[0-9]$"))
    assert (same.category, other.category) == ("equivalent", "different")
    assert (same.values["usable@1"], other.values["usable@1"]) == (1, 0)
    assert same.values["pass@1"] is None  # no data is no 0


def test_what_a_corpus_lacks_is_null() -> None:
    record = combine([TASKS["nl2re"].score(replace(RE, reference=None), "1")], Settings())[0]
    assert record.values["dfa-eq@1"] is None
    assert record.values["exact@1"] is None
    assert record.values["pass@1"] == 0
    brics = replace(RE, dialect="brics", semantics="fullmatch", reference="[0-9]+")
    values = combine([TASKS["nl2re"].score(brics, "[0-9]+")], Settings())[0].values
    assert values["vulnerable@1"] is None  # dk.brics matches by automata
    assert values["usable@1"] == 1
    unscreened = combine([TASKS["nl2re"].score(RE, "[0-9]+", Settings(vulnerability=False))], Settings())[0].values
    assert unscreened["vulnerable@1"] is None
    assert unscreened["usable@1"] is None


def test_estimator_against_counting() -> None:
    from itertools import combinations

    for n in range(1, 7):
        for right in range(n + 1):
            for k in range(1, n + 1):
                draws = list(combinations(range(n), k))
                assert at_k(n, right, k) == pytest.approx(sum(min(draw) < right for draw in draws) / len(draws))
    assert at_k(3, 3, 4) is None


def test_a_catastrophic_pattern_neither_hangs_nor_fools_the_score() -> None:
    item = replace(RE, reference="^a+$", positives=("a" * 40,), negatives=("a" * 40 + "!",))
    record = TASKS["nl2re"].score(item, "^(a+)+$")
    assert record.details["passed"] is True  # the automaton decides where re cannot
    assert record.details["slow"]
    assert record.details["vulnerable"] is True


def test_every_category_is_a_known_one_and_every_aggregate_a_metric() -> None:
    names = {name for task in TASKS.values() for name in task.metrics()}
    assert set(AGGREGATES) <= names | {"minimal", "precise"}
    assert set(TASKS) == set(CATEGORIES)


def test_the_greedy_simplifier_keeps_the_language() -> None:
    from regsynth.automata.reference import compare

    rng = random.Random(3)

    def draw(depth: int) -> str:
        if not depth:
            return rng.choice("aabbcε∅")
        op = rng.choice("?*..++")
        left = draw(depth - 1)
        return f"({left}){op}" if op in "?*" else f"({left}{'+' if op == '+' else ''}{draw(rng.randint(0, depth - 1))})"

    for _ in range(1500):
        expr = parse(draw(rng.randint(1, 6)))
        less = simplify(expr)
        assert less.length <= expr.length
        assert compare(expr, less), str(expr)


def test_an_answer_that_takes_too_long_is_a_timeout() -> None:
    began = time.monotonic()
    record = TASKS["nl2re"].score(RE, "[a-z]*" * 50_000, Settings(seconds=1))
    assert (record.category, record.details["usable"], record.details["passed"]) == ("timeout", False, False)
    assert time.monotonic() - began < 5
    record = TASKS["regexmin"].score(MIN, "a" * 10**6, Settings(seconds=0.5))
    assert (record.category, record.values["equivalence"]) == ("timeout", 0)
    assert record.raw == "a" * 10**6


@pytest.mark.parametrize("item", [MIN, EQ, REI, RE], ids=lambda item: item.task)
def test_a_timeout_claims_nothing_and_keeps_its_tokens(item: Item, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object) -> None:
        raise Deadline("time is up")

    for module in (answers, regexeq, nl2re):
        monkeypatch.setattr(module, "extract", late)
    record = TASKS[item.task].score(item, Response("a", tokens=7, thinking_tokens=3))
    assert (record.category, record.reason) == ("timeout", "time is up")
    assert (record.raw, record.tokens, record.thinking_tokens) == ("a", 7, 3)
    assert record.details.get("equivalent") is record.details.get("vulnerable") is None
    if item is RE:
        found = of_record(record, item)
        assert (found.passed, found.verdict, code_of(found)) == (None, None, 3)


def test_a_pair_beyond_the_budget_is_unknown_whatever_its_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regexeq, "STATES", 1)
    pair = replace(EQ, input="(a+b)*a(a+b)(a+b)", reference="(a+b)*a(a+b)(b+a)", letters="ab")
    record = TASKS["regexeq"].score(pair, "True")
    assert (record.category, record.details["truth"], record.values["accuracy"]) == ("unknown", None, None)
    assert record.category in CATEGORIES["regexeq"]
    assert record.reason
    assert record.values["published_accuracy"] == 1
    assert TASKS["regexeq"].score(pair, "?").values["accuracy"] == 0  # no answer is wrong whatever the truth
