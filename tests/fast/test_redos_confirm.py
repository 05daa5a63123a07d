"""Fitting growth, and trying attacks."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from regsynth.budget import Budget
from regsynth.redos.confirm import confirm, growth_text, measure
from regsynth.redos.growth import fit
from regsynth.redos.results import Attack, Confirmation, ScreenResult

Law = Callable[[int], float]


@pytest.mark.parametrize(
    ("law", "sizes", "kind", "value"),
    [
        (lambda n: 5e-9 * n, range(20_000, 400_000, 30_000), "linear", 1),
        (lambda n: 1e-5 + 3e-8 * n + 2e-9 * n * n, range(300, 12_000, 900), "polynomial", 2),
        (lambda n: 1e-9 * n**3, range(50, 900, 50), "polynomial", 3),
        (lambda n: 1e-10 * n**5, range(10, 90, 5), "polynomial", 5),
        (lambda n: 1e-7 * 2**n, range(8, 23), "exponential", 2),
        (lambda n: 1e-7 * 1.3**n, range(20, 60, 3), "exponential", 1.3),
        (lambda n: 1e-7 * 6**n, range(4, 9), "exponential", 6),
    ],
)
def test_the_law_is_found_through_noise(law: Law, sizes: range, kind: str, value: float) -> None:
    random.seed(1)
    points = [(n, law(n) * random.uniform(0.95, 1.1)) for n in sizes]
    points[len(points) // 2] = (points[len(points) // 2][0], 3 * points[len(points) // 2][1])  # one disturbed
    found = fit(points)
    assert found.kind == kind
    assert (found.factor if kind == "exponential" else found.exponent) == pytest.approx(value, rel=0.2)


def test_too_little_is_unclear() -> None:
    assert fit([]).kind == fit([(1, 1e-7), (2, 1e-7), (4, 1e-7)]).kind == fit([(9, 0.1), (10, 0.3)]).kind == "unclear"


@pytest.mark.parametrize(
    ("pattern", "attack", "semantics", "status"),
    [
        ("(?:a|ab|b)*$", Attack("", "ab", "!"), "match", "confirmed"),
        (r"\s+$", Attack("", " ", "!"), "search", "confirmed"),
        (r"\s+$", Attack("", " ", "!"), "fullmatch", "not confirmed"),
        (rb"(?:\xff|.)*!", Attack("", "\xff", "\n"), "match", "confirmed"),
        ("a*b*c*!", Attack("", "a", "", (("", "b"), ("", "c"))), "fullmatch", "not confirmed"),
        ("a*a*b*b*!", Attack("", "a", "", (("", "b"),)), "fullmatch", "confirmed"),
    ],
)
def test_an_attack_is_tried(pattern: str | bytes, attack: Attack, semantics: str, status: str) -> None:
    result = ScreenResult(pattern, semantics, 0, "unknown", "", attack=attack)
    found = confirm(result, budget=Budget(seconds=1.5)).confirmed
    assert found.status == status, found
    assert len(found.measured) > 2


def test_nothing_is_tried_without_time_or_attack() -> None:
    assert confirm(ScreenResult("a", "search", 0, "safe", "")).confirmed.status == "not tried"
    assert measure("a", lambda n: "a" * n, budget=Budget(seconds=0)).note == "no time"
    assert measure("(", lambda n: "a" * n).status == "not tried"


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (Confirmation(), "not tried"),
        (Confirmation("confirmed", 2.02, None, ((9, 0.1), (20_000, 1.26))), "confirmed: n^2.0, 1.3 s at 20,000"),
        (Confirmation("not confirmed", note="too slow"), "not confirmed: too slow"),
    ],
)
def test_words(found: Confirmation, text: str) -> None:
    assert growth_text(found) == text
