"""Drawings: everything that should be there is there, nothing overlaps, and every format is well formed."""

from __future__ import annotations

import itertools
import re
from math import hypot
from xml.etree import ElementTree

import pytest
from definition import expressions
from hypothesis import given, settings

from regsynth.automata.drawing import LIMIT, graph_of, label, to_dot, to_mermaid, to_svg
from regsynth.automata.layout import RADIUS, arrange
from regsynth.automata.position import to_dfa
from regsynth.errors import InputError
from regsynth.syntax import tree
from regsynth.syntax.formal import parse
from regsynth.syntax.tree import Expr

NS = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{NS}text")]


@given(expressions("abc"))
@settings(max_examples=150, deadline=None)
def test_svg_holds_every_state_and_edge(expr: Expr) -> None:
    dfa = to_dfa(expr, "abc")
    graph = graph_of(dfa)
    svg = to_svg(dfa)
    assert sorted(texts(svg)) == sorted([*map(str, graph.states), *graph.labels.values()])
    root = ElementTree.fromstring(svg)
    circles = [element.get("class") for element in root.iter(f"{NS}circle")]
    assert circles.count("ring") == circles.count("state goal") == len(graph.accepting)
    assert len(circles) == len(graph.states) + len(graph.accepting)
    paths = [element.get("class") for element in root.iter(f"{NS}path")]
    assert paths.count("edge") == paths.count("head") == len(graph.labels) + 1  # and the start arrow


@given(expressions("abc", leaves=16))
@settings(max_examples=100, deadline=None)
def test_states_keep_their_distance(expr: Expr) -> None:
    graph = graph_of(to_dfa(expr, "abc"))
    layout = arrange(0, dict.fromkeys(graph.labels, 10.0))
    assert sorted(layout.place) == graph.states
    for (x1, y1), (x2, y2) in itertools.combinations(layout.place.values(), 2):
        assert hypot(x1 - x2, y1 - y2) > 2 * RADIUS + 10
    assert min(layout.place.values())[0] == layout.place[0][0]  # the start is leftmost
    for (q, r), points in layout.via.items():
        assert len(points) == abs(layout.layer[q] - layout.layer[r]) - 1


def test_the_sink_is_hidden_unless_wanted() -> None:
    dfa = to_dfa(parse("ab"))
    assert len(dfa) == 4 and to_svg(dfa).count('class="state') == 3
    assert to_svg(dfa, sink=True).count('class="state') == 4
    assert to_dot(dfa).count("->") == 3 and to_dot(dfa, sink=True).count("->") == 1 + 3 + 3


def test_the_empty_language_has_its_start() -> None:
    dfa = to_dfa(parse("∅"))
    assert texts(to_svg(dfa)) == ["0"] and "0;" in to_dot(dfa) and "q0((0))" in to_mermaid(dfa)


def test_forty_states_and_the_limit() -> None:
    dfa = to_dfa(parse("(a+b)*a(a+b)(a+b)(a+b)(a+b)"))
    assert len(dfa) == 32 and dfa._repr_svg_() == to_svg(dfa)
    long = to_dfa(parse("a" * (LIMIT + 5)))
    assert long._repr_svg_() is None
    with pytest.raises(InputError, match="to_dot"):
        to_svg(long)


def test_the_svg_stands_alone() -> None:
    svg = to_svg(to_dfa(parse("a*b")))
    assert set(re.findall(r"https?://[^\s\"']+", svg)) == {"http://www.w3.org/2000/svg"}
    assert "prefers-color-scheme:dark" in svg and " id=" not in svg  # ids of two drawings on a page would clash


def test_awkward_letters() -> None:
    expr = tree.concat(tree.letter('"'), tree.concat(tree.letter("<"), tree.concat(tree.letter("\\"), tree.letter("\n"))))
    dfa = to_dfa(expr)
    assert {'"', "<", "\\", "\\x0a"} <= set(texts(to_svg(dfa)))
    assert '[label="\\""]' in to_dot(dfa) and '[label="\\\\"]' in to_dot(dfa)
    assert "#quot;" in to_mermaid(dfa) and "#lt;" in to_mermaid(dfa)


def test_labels() -> None:
    assert label("ab") == "a,b"
    assert label("abc") == "a–c"
    assert label("acdef ") == "a,c–f,␣"
    assert label("ab", "ab") == "a,b"
