"""From a response to a formal expression: extract, normalise, parse with the task's operators and letters alone."""

from __future__ import annotations

from typing import Any, NamedTuple

from regsynth.bench import failures
from regsynth.bench.extraction import extract, to_expression
from regsynth.bench.items import Item, Response, Settings
from regsynth.errors import RegsynthError
from regsynth.solvers.results import Operators
from regsynth.syntax import tree
from regsynth.syntax.formal import parse
from regsynth.syntax.tree import Expr

SHOWN = 200  # characters of an answer quoted in a message


class Answer(NamedTuple):
    """An answer read, or why it is invalid."""

    text: str
    rule: str
    practical_union: bool
    expr: Expr | None
    reason: str | None = None

    def fields(self) -> dict[str, Any]:
        """What a record keeps of it."""
        return {"rule": self.rule, "answer": self.text, "practical_union": self.practical_union, "reason": self.reason}


def asked(item: Item, response: Response) -> dict[str, Any]:
    """What every record keeps, even of a response that nothing can be said of."""
    return {
        "id": item.id, "input": item.input, "raw": response.text, "tokens": response.tokens, "thinking_tokens": response.thinking_tokens,
    }  # fmt: skip


def read_expression(item: Item, response: Response, settings: Settings) -> Answer:
    """The expression a response gives to a formal item.

    >>> item = Item(id=1, task="regexmin", input="a+a", letters="ab")
    >>> read_expression(item, Response("Answer: a|b"), Settings()).expr
    parse('a+b')
    >>> read_expression(item, Response("Answer: c"), Settings()).reason
    "letter 'c' is not among the task's: ab"
    """
    mode = settings.mode or "paper"
    found = extract(response.text or "", mode)
    text, union = to_expression(found.text, strict=mode == "strict") if mode != "raw" else (found.text.strip(), "|" in found.text)
    try:
        expr = parse(text)
    except RegsynthError as error:
        return Answer(text, found.rule, union, None, str(error)[:SHOWN])
    return Answer(text, found.rule, union, *checked(expr, item))


def checked(expr: Expr, item: Item) -> tuple[Expr | None, str | None]:
    """The expression if the task allows it, else why not. ∅ and ε may be a whole answer."""
    if expr.op in (tree.EMPTY, tree.EPSILON):
        return expr, None
    strange = expr.mask & ~Operators.parse(item.operators).mask
    if strange:
        name = tree.NAMES[(strange & -strange).bit_length() - 1]
        return None, f"{name} is not among the task's operators: {item.operators}"
    foreign = sorted(map(str, expr.alphabet - set(item.letters)))
    if foreign:
        return None, f"letter {foreign[0]!r} is not among the task's: {item.letters}"
    return expr, None


def failed(response: Response, settings: Settings) -> str:
    """Category of a response without a valid answer."""
    if response.text is None:
        return "missing"
    return failures.category(response.text, response.tokens, response.thinking_tokens, response.finish, settings.limits)
