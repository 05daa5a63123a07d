"""StructuredRegex's functional notation, translated to the dk.brics dialect.

``and(startwith(<let>),not(contain(<num>)))`` becomes ``([A-Za-z].*)&(~(.*[0-9].*))``.
"""

from __future__ import annotations

import re

from regsynth.errors import ParseError

_CLASSES = {"let": "[A-Za-z]", "num": "[0-9]", "cap": "[A-Z]", "low": "[a-z]", "any": ".", "vow": "[AEIOUaeiou]",
            "alphanum": "[A-Za-z0-9]", "alnum": "[A-Za-z0-9]", "spec": r"[\-,;.+:!@#_$%&*=\^]", "hex": "[0-9A-Fa-f]",
            "space": " ", "null": "()"}  # fmt: skip
_UNARY = {"not": "~({})", "star": "({})*", "optional": "({})?", "startwith": "({}).*", "endwith": ".*({})", "contain": ".*({}).*",
          "const": "{}"}  # fmt: skip
_BINARY = {"and": "({})&({})", "or": "({})|({})", "concat": "({})({})"}
_COUNTED = {"repeat": "({}){{{}}}", "repeatatleast": "({}){{{},}}", "repeatrange": "({}){{{},{}}}"}
_TOKEN = re.compile(r"\s*(?:<([^<>]+|<|>)>|([a-z]+)\s*\(|(\d+)|([,)]))")


def to_brics(text: str) -> str:
    """Translate one expression.

    Raises
    ------
    ParseError
        With the 0-based position.

    Examples
    --------
    >>> to_brics("or(repeatatleast(<num>,2),startwith(<->))")
    '(([0-9]){2,})|((\\\\-).*)'
    """
    calls: list[tuple[str, list[str]]] = [("", [])]
    i = 0
    while i < len(text):
        token = _TOKEN.match(text, i)
        if token is None:
            if not text[i:].strip():
                break
            raise ParseError("no name, <class>, number, ',' or ')' here", text, i)
        char_class, name, number, sign = token.groups()
        if char_class is not None:
            calls[-1][1].append(_class(char_class, text, token.start()))
        elif name is not None:
            calls.append((name, []))
        elif number is not None:
            calls[-1][1].append(number)
        elif sign == ")":
            if len(calls) == 1:
                raise ParseError("unmatched ')'", text, token.start(4))
            function, arguments = calls.pop()
            calls[-1][1].append(_apply(function, arguments, text, token.start(4)))
        i = token.end()
    if len(calls) > 1:
        raise ParseError(f"{calls[-1][0]}( is not closed", text, len(text))
    if len(calls[0][1]) != 1:
        raise ParseError("not one expression", text, 0)
    return calls[0][1][0]


def _class(name: str, text: str, position: int) -> str:
    if len(name) == 1:
        return name if name.isalnum() else "\\" + name
    known = _CLASSES.get(name)
    if known is None:
        raise ParseError(f"unknown class <{name}>", text, position)
    return known


def _apply(function: str, arguments: list[str], text: str, position: int) -> str:
    n = len(arguments)
    if function == "notcc" and n == 1:
        return f"~({arguments[0]})&."
    for table, arity in ((_UNARY, (1,)), (_BINARY, (2,)), (_COUNTED, (2, 3))):
        if function in table:
            form = table[function]
            if n not in arity or form.count("{}") != n:
                raise ParseError(f"{function} takes {form.count('{}')} arguments, not {n}", text, position)
            return form.format(*arguments)
    raise ParseError(f"unknown function {function}", text, position)
