"""The formal dialect: parser and printer.

From loosest to tightest::

    union + or |  and difference -   (one level, read from the left)
    intersection &
    concatenation                    (juxtaposition or .)
    complement ~                     (prefix: ~a* is ~(a*))
    star *  and option ?             (postfix, may be stacked)

``ε`` and ``∅`` are atoms, parentheses group, white space is ignored, and any
other character, or any character after a backslash, is a letter.
"""

from __future__ import annotations

from regsynth.errors import ParseError
from regsynth.syntax import tree
from regsynth.syntax.tree import (
    COMPLEMENT,
    CONCAT,
    DIFFERENCE,
    EMPTY,
    EPSILON,
    INTERSECTION,
    LETTER,
    OPTION,
    STAR,
    UNION,
    Expr,
)  # fmt: skip

SPACES = " \t\n\r\f\v"
SPECIAL = frozenset("+|-&.~*?()\\ε∅" + SPACES)

_BINARY = {"+": UNION, "|": UNION, "-": DIFFERENCE, "&": INTERSECTION, ".": CONCAT}
_LEVEL = {UNION: 1, DIFFERENCE: 1, INTERSECTION: 2, CONCAT: 3, COMPLEMENT: 4}
_OPEN = -1  # marks "(" on the operator stack


def parse(text: str) -> Expr:
    """Parse a formal expression.

    Parameters
    ----------
    text : str
        The expression.

    Returns
    -------
    Expr

    Raises
    ------
    ParseError
        With the 0-based position of the offending character.

    Examples
    --------
    >>> parse("a?d*(b+d)").length
    9
    >>> parse("a+b-c") is parse("(a+b)-c")
    True
    """
    operands: list[Expr] = []
    operators: list[int] = []
    places: list[int] = []  # position of each operator, for messages
    letters: dict[str, Expr] = {}
    make = tree.make
    want_operand = True  # an operand must come next
    i, n = 0, len(text)

    def reduce_to(level: int) -> None:
        while operators and operators[-1] != _OPEN and _LEVEL[operators[-1]] >= level:
            op = operators.pop()
            places.pop()
            if op == COMPLEMENT:
                operands[-1] = make(COMPLEMENT, operands[-1])
            else:
                right = operands.pop()
                operands[-1] = make(op, operands[-1], right)

    while i < n:
        c = text[i]
        if c not in SPECIAL or c == "\\" or c == "ε" or c == "∅" or c == "(" or c == "~":
            if not want_operand:  # juxtaposition
                reduce_to(3)
                operators.append(CONCAT)
                places.append(i)
                want_operand = True
            if c == "(":
                operators.append(_OPEN)
                places.append(i)
            elif c == "~":
                operators.append(COMPLEMENT)
                places.append(i)
            else:
                if c == "ε":
                    node = make(EPSILON)
                elif c == "∅":
                    node = make(EMPTY)
                else:
                    if c == "\\":
                        i += 1
                        if i == n:
                            raise ParseError("nothing follows the backslash; write \\\\ for the letter itself", text, n - 1)
                        c = text[i]
                    known = letters.get(c)
                    node = known if known is not None else letters.setdefault(c, make(LETTER, symbol=c))
                operands.append(node)
                want_operand = False
        elif c == "*" or c == "?":
            if want_operand:
                raise ParseError(f"{c!r} has nothing before it; write \\{c} for the letter itself", text, i)
            operands[-1] = make(STAR if c == "*" else OPTION, operands[-1])
        elif c == ")":
            if want_operand:
                what = "empty parentheses; write ε for the empty word" if operators and operators[-1] == _OPEN \
                    and not _dangling(text, i) else "an operand is missing before ')'"  # fmt: skip
                raise ParseError(what, text, i)
            reduce_to(0)
            if not operators:
                raise ParseError("unmatched ')'; remove it or add '(' before it", text, i)
            operators.pop()
            places.pop()
            # A postfix operator applies to the group, which is the top operand.
        elif c in _BINARY:
            if want_operand:
                raise ParseError(f"{c!r} has no left operand; write \\{c} for the letter itself", text, i)
            op = _BINARY[c]
            reduce_to(_LEVEL[op])
            operators.append(op)
            places.append(i)
            want_operand = True
        i += 1
    if want_operand:
        what = "empty expression; write ε for the empty word" if not text.strip(SPACES) else "an operand is missing at the end"
        raise ParseError(what, text, n)
    reduce_to(0)
    if operators:
        raise ParseError("unmatched '('; close it with ')'", text, places[-1])
    return operands[0]


def _dangling(text: str, i: int) -> bool:
    """Whether the last visible character before ``text[i]`` is an operator."""
    before = text[:i].rstrip(SPACES)
    return not before.endswith("(")


_SIGN = {UNION: "+", DIFFERENCE: "-", INTERSECTION: "&", CONCAT: ""}


def to_text(root: Expr) -> str:
    """Print with the fewest parentheses.

    Parsing the result gives the same tree up to the associativity of union,
    concatenation and intersection (which changes neither language nor cost).

    >>> to_text(parse("((a)(b))+((c)*)"))
    'ab+c*'
    >>> to_text(parse("~(a*)&(~a)*"))
    '~a*&(~a)*'
    """
    out: list[str] = []
    stack: list[Expr | str] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        op = item.op
        if op == LETTER:
            out.append(_letter(item.symbol))
        elif op == EPSILON:
            out.append("ε")
        elif op == EMPTY:
            out.append("∅")
        elif op in (OPTION, STAR):
            assert item.left is not None
            stack.append("*" if op == STAR else "?")
            _push(stack, item.left, item.left.op in _LEVEL)
        elif op == COMPLEMENT:
            assert item.left is not None
            _push(stack, item.left, _LEVEL.get(item.left.op, 9) < _LEVEL[COMPLEMENT])
            stack.append("~")
        else:
            assert item.left is not None and item.right is not None
            level, right = _LEVEL[op], item.right
            right_level = _LEVEL.get(right.op, 9)
            # Right-nested chains of one associative operator need no brackets, unless the
            # chain hides a difference on the same level: a+(b-c) is not flattened.
            nested = right_level < level or (right_level == level and not (right.op == op and op != DIFFERENCE))
            if right.op == op == UNION and _leads_with_difference(right):
                nested = True
            _push(stack, right, nested)
            if _SIGN[op]:
                stack.append(_SIGN[op])
            _push(stack, item.left, _LEVEL.get(item.left.op, 9) < level)
    return "".join(out)


def _leads_with_difference(node: Expr) -> bool:
    """Whether a union's leftmost summand would print as a bare difference."""
    while node.op == UNION and node.left is not None:
        node = node.left
    return node.op == DIFFERENCE


def _push(stack: list[Expr | str], node: Expr, brackets: bool) -> None:
    if brackets:
        stack.append(")")
        stack.append(node)
        stack.append("(")
    else:
        stack.append(node)


def _letter(symbol: object) -> str:
    text = str(symbol)
    return "\\" + text if text in SPECIAL else text
