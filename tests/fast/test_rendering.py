"""Results in a terminal and in a notebook."""

from __future__ import annotations

import io

from rich.console import Console

from regsynth.solvers.results import InferenceResult, MinimizationResult, Result
from regsynth.syntax.formal import parse


def shown(result: Result) -> str:
    console = Console(file=io.StringIO(), width=100)
    console.print(result)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


INPUT = parse("a?d*(b+d+d+d)")
OPTIMAL = MinimizationResult(parse("a?d*(b+d)"), 9, 9, "optimal", "enumerate", 0.0042, input=INPUT, input_cost=13)
FEASIBLE = InferenceResult(parse("a<b"), 5, 3, "feasible", "enumerate", 60.0)
NOTHING = InferenceResult(None, None, 7, "unknown", "sat", 1.0)


def test_terminal() -> None:
    text = shown(OPTIMAL)
    assert "a?d*(b+d)" in text and "13 → 9" in text and "proven minimal" in text and "lower bound" not in text
    text = shown(FEASIBLE)
    assert "not proven" in text and "lower bound  3" in text
    assert "no answer" in shown(NOTHING)


def test_terminal_leaves_brackets_alone() -> None:
    assert "[red]" in shown(OPTIMAL.but(regex=parse("[red]")))


def test_notebook() -> None:
    html = OPTIMAL._repr_html_()
    assert "<code>a?d*(b+d)</code>" in html and "<svg" in html and "13 → 9" in html
    assert "a&lt;b" in FEASIBLE._repr_html_()
    assert "<svg" not in NOTHING._repr_html_()
    assert "<svg" not in OPTIMAL.but(regex=parse("(a+b)*a" + "(a+b)" * 12))._repr_html_()  # too large to draw
