"""The formal dialect: precedence, positions of errors, and the printer's round trip."""

from __future__ import annotations

import pytest
from definition import expressions, language
from hypothesis import given, settings
from hypothesis import strategies as st

from regsynth.errors import ParseError
from regsynth.syntax import tree
from regsynth.syntax.formal import SPECIAL, parse, to_text


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a+bc*", "a+(b(c*))"),
        ("a|b", "a+b"),
        ("a.b", "ab"),
        ("a b", "ab"),
        ("a&b+c", "(a&b)+c"),
        ("a&bc", "a&(bc)"),
        ("~ab", "(~a)b"),
        ("~a*", "~(a*)"),
        ("~a?&b", "(~(a?))&b"),
        ("a-b-c", "(a-b)-c"),
        ("a-b+c", "(a-b)+c"),
        ("a+b-c", "(a+b)-c"),
        ("a?*", "(a?)*"),
        ("(((a)))", "a"),
        ("~~a", "~(~a)"),
        ("a~b", "a(~b)"),
    ],
)
def test_precedence(text: str, same: str) -> None:
    assert parse(text) is parse(same)


def test_letters() -> None:
    assert parse("\\+").symbol == "+"
    assert parse("\\a") is parse("a")
    assert parse("\\ ").symbol == " "
    assert parse("é[").length == 3


@pytest.mark.parametrize(
    ("text", "position"),
    [("", 0), ("  ", 2), ("a)", 1), ("(a", 0), ("((a)", 0), ("a(b", 1), ("()", 1), ("*a", 0), ("a+", 2), ("+a", 0), ("a++b", 2),
     ("a&)", 2), ("(a+)", 3), ("a\\", 1), ("~", 1), ("~*", 1), ("a(+b)", 2)],
)  # fmt: skip
def test_errors_name_their_position(text: str, position: int) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert caught.value.position == position
    shown, arrow = caught.value.caret().split("\n")
    assert arrow.index("^") == position and shown == text


def test_caret_in_a_long_text() -> None:
    with pytest.raises(ParseError) as caught:
        parse("a" * 1000 + ")" + "b" * 1000)
    shown, arrow = caught.value.caret().split("\n")
    assert shown[arrow.index("^")] == ")" and len(shown) < 120


@given(expressions("ab"))
@settings(max_examples=400, deadline=None)
def test_printing_round_trips(expr: tree.Expr) -> None:
    text = to_text(expr)
    again = parse(text)
    assert again.length == expr.length  # associativity changes neither cost…
    assert language(again, "ab", 4) == language(expr, "ab", 4)  # …nor language
    assert to_text(again) == text


@given(expressions("ab"))
@settings(max_examples=150, deadline=None)
def test_printing_uses_the_fewest_parentheses(expr: tree.Expr) -> None:
    text = to_text(expr)
    for i in [i for i, c in enumerate(text) if c == "("]:
        depth, j = 1, i
        while depth:
            j += 1
            depth += (text[j] == "(") - (text[j] == ")")
        less = text[:i] + text[i + 1 : j] + text[j + 1 :]
        try:
            other = parse(less)
        except ParseError:
            continue
        assert to_text(other) != text, f"{text} could be {less}"  # equal text: the same tree up to associativity


@given(st.text(alphabet="ab+|-&.~*?()\\ε∅ é", max_size=30))
@settings(max_examples=500, deadline=None)
def test_any_text_parses_or_says_where(text: str) -> None:
    try:
        expr = parse(text)
    except ParseError as error:
        assert 0 <= error.position <= len(text)
        return
    assert parse(to_text(expr)).length == expr.length


def test_special_characters_print_as_letters() -> None:
    for c in SPECIAL:
        assert parse(to_text(tree.letter(c))) is tree.letter(c)


def test_deep_and_long_input() -> None:
    assert parse("(" * 100_000 + "a" + ")" * 100_000) is parse("a")
    deep = parse("~(" * 20_000 + "a" + ")" * 20_000)
    assert deep.length == 20_001 and parse(to_text(deep)) is deep
    long = parse("ab+" * 20_000 + "c")
    assert long.length == 80_001 and to_text(long) == "ab+" * 20_000 + "c"
