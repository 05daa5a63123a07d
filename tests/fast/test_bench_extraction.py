"""Finding answers: every rule, every written form, every failure category."""

from __future__ import annotations

import random

import pytest

from regsynth.bench.extraction import extract, to_expression, to_verdict
from regsynth.bench.failures import Limits, category, cut_off, repeats


@pytest.mark.parametrize(
    ("response", "rule", "text"),
    [
        (r"So \boxed{a?d*(b+d)}.", "boxed", "a?d*(b+d)"),
        (r"First \boxed{a}, no, \boxed{b}.", "boxed", "b"),  # the last box counts
        (r"\boxed{a} as asked in \boxed{}", "boxed", "a"),  # an empty one only where all are
        (r"\boxed{a^{*}b^{?}}", "boxed", "a^{*}b^{?}"),  # balanced braces
        (r"\boxed{\text{a+b}}", "boxed", "a+b"),
        (r"\boxed{\mathtt{\text{a}}*}", "boxed", "a*"),
        (r"\boxed{\boxed{a}}", "boxed", "a"),
        (r"\boxed{(a\}b}", "boxed", r"(a\}b"),  # an escaped brace closes nothing
        ("\x08oxed{ab}", "boxed", "ab"),  # "\b" in sloppy JSON is a backspace
        ("boxed{ab}", "boxed", "ab"),
        (r"\boxed{a" + "\nAnswer: b", "answer", "b"),  # never closed: no box
        (r"\boxed{a}" + "\nThe answer is b</s>", "boxed", "a"),
        ("Answer: a\nSo we go on.\nAnswer: b\nThat was it.", "answer", "b"),  # from the bottom up
        ("**Answer:** `a*b`", "answer", "a*b"),
        ("**Final answer**: a*b", "answer", "a*b"),
        ("Answer:\n\n  a*b\n", "answer", "a*b"),  # nothing follows in the line
        ("The minimal regex is a*b.", "phrase", "a*b"),
        ("minimal regex: a*b\nIt has length 4.", "phrase", "a*b"),
        ("The simplified regex for it is $a^*b$\nThis is short: yes.", "phrase", "a^*b"),
        ("This is it: yes\na*b", "last_line", "a*b"),  # "is" without a phrase marks nothing
        ("Because of x.\n\n**a*b**\n", "last_line", "a*b"),
        ("<think>\\boxed{wrong}</think>\na*b", "last_line", "a*b"),
        ("a*b<|im_end|>", "last_line", "a*b"),
        ("", "none", ""),
        (" \n\t\n", "none", ""),
    ],
)
def test_rules_of_the_paper(response: str, rule: str, text: str) -> None:
    assert extract(response) == (text, rule)


def test_strict_takes_a_closed_box_or_nothing() -> None:
    assert extract(r"\boxed{a}", "strict") == ("a", "boxed")
    assert extract("Answer: a", "strict") == ("", "none")
    assert to_expression("a|b", strict=True) == ("", True)
    assert to_expression("a^+b", strict=True) == ("", False)
    assert to_expression("a^*b", strict=True) == ("a*b", False)


def test_raw_takes_everything() -> None:
    assert extract("  ^\\d+$\n", "raw") == ("  ^\\d+$\n", "whole")


@pytest.mark.parametrize(
    ("written", "expression"),
    [
        ("a^{*}", "a*"), ("a^*b^?", "a*b?"), ("( a + b ) * c", "(a+b)*c"), ("{a}{b}", "ab"), (r"a \cdot b", "ab"),
        (r"\varepsilon", "ε"), (r"\epsilon+a", "ε+a"), (r"a \mid b", "a|b"), (r"a\vert b", "a|b"), (r"(a\cup b)^\ast", "(a+b)*"),
        (r"\left(a+b\right)^{*}", "(a+b)*"), (r"\(a\+b\)\*", "(a+b)*"), (r"a\*b\?", "a*b?"), (r"\emptyset", "∅"), ("a∗b·c", "a*bc"),
        (r"a \, b \; c", "abc"), (r"\text{a}^{*}\text{b}", "a*b"), ("$a^*$", "a*"), (r"a\cdotb", "ab"),
    ],
)  # fmt: skip
def test_written_forms(written: str, expression: str) -> None:
    text, union = to_expression(written)
    assert text == expression
    assert union == ("|" in expression)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("True", True), ("false", False), ("Yes.", True), ("No", False), ("Equivalent", True), ("not equivalent", False),
        ("They are not the same", False), ("inequivalent", False), ("non-equivalent", False), ("They aren't equal.", False),
        ("no idea", None), ("True or False", None), ("a*b", None), ("", None), (r"\text{True}", True), ("no, they are different", False),
        ("untrue", None), ("yes, equivalent", True), ("nothing", None),
    ],
)  # fmt: skip
def test_verdicts(said: str, verdict: bool | None) -> None:
    assert to_verdict(said) is verdict


def test_repetition_is_more_than_ten_characters_more_than_twice_at_the_end() -> None:
    phrase = "the answer "  # 11 characters
    assert repeats("So: " + phrase.replace(" ", "_") * 3)
    assert not repeats("So: " + phrase.replace(" ", "_") * 2)
    assert not repeats("So: " + "0123456789" * 2)
    assert not repeats((phrase.replace(" ", "_") * 3) + "and so on")  # not at the end
    assert repeats("x" + "abcdefghijk" * 3 + "abcde")  # cut short


def test_repetition_against_its_definition() -> None:
    rng = random.Random(5)
    for _ in range(3000):
        unit = "".join(rng.choice("ab") for _ in range(rng.randint(1, 14)))
        text = "".join(rng.choice("ab") for _ in range(rng.randint(0, 6))) + unit * rng.randint(1, 6) + unit[: rng.randint(0, 14)]
        n = len(text)
        plain = any(text[n - 3 * p : n - 2 * p] == text[n - 2 * p : n - p] == text[n - p :] for p in range(11, n // 3 + 1))
        assert repeats(text) == plain, text


def test_repetition_outranks_the_token_limit() -> None:
    looping = "we try again and " * 5
    assert category(looping, 1024, None, "length") == "repetition"
    assert category("we try", 1024, None, None) == "cutoff"
    assert category("we try", 1023, None, None) == "invalid"
    assert category("we try", None, 4096, None) == "cutoff"
    assert category("we try", None, None, "length") == "cutoff"
    assert category("we try", None, None, None) == "invalid"
    assert not cut_off(1024, None, None, Limits(answer=2048))


@pytest.mark.parametrize(
    "hostile", ["\\boxed{" * 150_000, "\\text{" * 170_000, "{" * 10**6, "\\" * 10**6, "answer:" * 140_000, "not " * 250_000]
)
def test_a_megabyte_takes_a_few_seconds(hostile: str) -> None:
    found = extract(hostile)
    to_expression(found.text)
    assert to_verdict(found.text) is None
    repeats(hostile)
