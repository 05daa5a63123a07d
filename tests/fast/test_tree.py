"""Expression trees: hash-consing, derived attributes, and deep trees."""

from __future__ import annotations

import gc
import pickle

from definition import expressions, language
from hypothesis import given, settings

from regsynth.syntax import tree
from regsynth.syntax.formal import parse


@given(expressions())
@settings(deadline=None)
def test_equal_trees_are_one_object(expr: tree.Expr) -> None:
    rebuilt = tree.from_postfix([(node.op, node.symbol) for node in expr.postorder()])
    assert rebuilt is expr
    assert pickle.loads(pickle.dumps(expr)) is expr


@given(expressions())
@settings(deadline=None)
def test_derived_attributes(expr: tree.Expr) -> None:
    nodes = list(expr.postorder())
    assert expr.length == len(nodes)
    assert expr.mask == sum({1 << node.op for node in nodes})
    assert expr.letters == sum(node.op == tree.LETTER for node in nodes)
    assert expr.alphabet == {node.symbol for node in nodes if node.op == tree.LETTER}
    assert expr.nullable == ("" in language(expr, "ab", 0))
    assert nodes[-1] is expr and len(set(map(id, expr.nodes()))) == len(list(expr.nodes()))


def test_nodes_are_freed() -> None:
    gc.collect()
    before = len(tree._table)
    expr = parse("(xy+z)*" * 50)
    assert len(tree._table) > before
    del expr
    gc.collect()
    assert len(tree._table) <= before


def test_deep_trees_need_no_recursion() -> None:
    expr = tree.letter("a")
    for _ in range(50_000):
        expr = tree.option(expr)
    assert expr.length == 50_001 and expr.nullable
    assert pickle.loads(pickle.dumps(expr)) is expr
    assert len(str(expr)) == 50_001
    del expr


def test_notebook_form_is_escaped() -> None:
    assert tree.letter("<")._repr_html_() == "<code>&lt;</code>"
