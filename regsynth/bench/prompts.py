"""Prompts: what is asked, in which notation the answer must be, and how to mark it.

A prompt is a conversation: a system message that defines the notation and the task,
worked examples as turns where shots are asked for, and the question. ``steps`` style asks
for reasoning first. The answer always goes into one ``\\boxed{}``, except for practical
patterns, of which nothing but the pattern is wanted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, Literal, NamedTuple

from regsynth.bench.items import Dataset, Item
from regsynth.errors import InputError
from regsynth.solvers.results import Operators
from regsynth.syntax import tree

Style = Literal["plain", "steps"]
STYLES = ("plain", "steps")

_NOTATION = """\
A regular expression over the letters {letters} is built from these parts alone:
- a letter by itself denotes the word of that one letter;
- XY (one after the other) denotes every word of X followed by a word of Y;
- X+Y denotes the words of X together with the words of Y;
- X* denotes any number of words of X in a row, none included;
- X? denotes the words of X and the empty word;
- parentheses group. * and ? bind tightest, then concatenation, then +.
Nothing else is allowed: + between two expressions is union and never "one or more", and there are no character classes, \
no |, no dots, no {{m,n}}, no anchors, no look-around, no back-references and no backslashes."""

_REGEXMIN = """\
The length of an expression is the number of letters and operators in it: each letter, each *, each ?, each + counts one, and so does \
each concatenation, although it is written without a sign; parentheses count nothing. So (a+b)*c has length 6.
You are given an expression. Give an expression that denotes exactly the same set of words and is as short as possible."""

_REGEXEQ = """\
Two expressions are equivalent when they denote exactly the same set of words. You are given two expressions. Decide whether they are \
equivalent: answer True or False."""

_REI = """\
You are given words that an expression must accept and words that it must reject. Give an expression that does so at the least cost. \
Its cost is the sum over its parts: {costs}. Parentheses cost nothing."""

_EXTRA = {
    tree.EPSILON: "- ε denotes the empty word alone;",
    tree.EMPTY: "- ∅ denotes no word at all;",
    tree.COMPLEMENT: "- ~X denotes every word over the letters that is not in X;",
    tree.INTERSECTION: "- X&Y denotes the words that are both in X and in Y;",
    tree.DIFFERENCE: "- X-Y denotes the words of X that are not in Y;",
}

_NL2RE = """\
You are given a description of texts. Answer with one regular expression of Python's re module that matches them, and with nothing else."""

_BOXED = {
    "plain": "Answer with nothing but the result in \\boxed{}.",
    "steps": "Think step by step, and check your result before you give it. End with the result in \\boxed{}.",
}


class Prompt(NamedTuple):
    """A question as a conversation, under its item's id."""

    id: str | int
    messages: list[dict[str, str]]


def system_text(item: Item, style: Style = "plain") -> str:
    """The system message of an item: notation, task, form of the answer.

    >>> text = system_text(Item(id=1, task="regexmin", input="a+a", letters="abcd"))
    >>> "letters a, b, c, d" in text, text.endswith("in \\\\boxed{}.")
    (True, True)
    """
    if item.task == "nl2re":
        return _NL2RE
    notation = _NOTATION.format(letters=", ".join(item.letters))
    if item.task == "rei":
        allowed = Operators.parse(item.operators)
        extra = [line for op, line in _EXTRA.items() if op in allowed]
        notation = notation.replace("- parentheses group", "\n".join([*extra, "- parentheses group"]))
        task = _REI.format(costs=_costs(item, allowed))
    else:
        task = _REGEXMIN if item.task == "regexmin" else _REGEXEQ
    return "\n\n".join([notation, task, _BOXED[style]])


def _costs(item: Item, allowed: Operators) -> str:
    atom = "letter, ε or ∅" if tree.EPSILON in allowed or tree.EMPTY in allowed else "letter"
    names = (atom, "?", "*", "~", "concatenation", "&", "+", "-")
    ops = (tree.LETTER, tree.OPTION, tree.STAR, tree.COMPLEMENT, tree.CONCAT, tree.INTERSECTION, tree.UNION, tree.DIFFERENCE)
    return ", ".join(f"each {name} {cost}" for name, op, cost in zip(names, ops, item.costs or (1,) * 8, strict=True) if op in allowed)


def question(item: Item) -> str:
    """The question itself.

    >>> question(Item(id="0:eq", task="regexeq", input="a+b", reference="b+a"))
    'First: a+b\\nSecond: b+a'
    """
    if item.task == "regexeq":
        return f"First: {item.input}\nSecond: {item.reference}"
    if item.task == "rei":
        accept, reject = (json.dumps(list(words or ()), ensure_ascii=False) for words in (item.positives, item.negatives))
        return f"Accept: {accept}\nReject: {reject}"
    return f"Expression: {item.input}" if item.task == "regexmin" else item.input


def answer(item: Item) -> str | None:
    """The right answer of a worked example, by the dataset's labels."""
    if item.task == "regexeq":
        return None if item.expected is None else f"\\boxed{{{item.expected}}}"
    if item.task == "nl2re":
        return item.reference
    return None if item.label_regex is None else f"\\boxed{{{item.label_regex}}}"


def examples(dataset: Dataset, shots: int) -> list[Item]:
    """The first worked examples of a file; regexeq takes equivalent and other pairs in turn, one a record.

    Raises
    ------
    InputError
        When it has too few with an answer.
    """
    known = [item for item in dataset.items if answer(item) is not None]
    if dataset.task == "regexeq":
        wanted, known, rest = True, [], known
        used: set[str] = set()
        for item in rest:
            record = str(item.id).rpartition(":")[0] or str(item.id)
            if item.expected is wanted and record not in used:
                used.add(record)
                known.append(item)
                wanted = not wanted
    if len(known) < shots:
        raise InputError(f"--shots {shots}: {dataset.name} has {len(known)} examples with an answer; give more in --fewshot")
    return known[:shots]


def prompts(items: Iterable[Item], shots: Sequence[Item] = (), style: Style = "plain") -> list[Prompt]:
    """A prompt for every item.

    Raises
    ------
    InputError
        When a worked example is among the items: its answer would be given away.
    """
    turns = [turn for item in shots for turn in (_turn("user", question(item)), _turn("assistant", answer(item) or ""))]
    asked = {question(item) for item in shots}
    out = []
    for item in items:
        if question(item) in asked:
            raise InputError(f"item {item.id!r} is also one of the worked examples; take them from the training split")
        out.append(Prompt(item.id, [_turn("system", system_text(item, style)), *turns, _turn("user", question(item))]))
    return out


def _turn(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def digest(asked: Sequence[Prompt]) -> str:
    """SHA-256 of every prompt, in order: what a leaderboard names."""
    return sha256(json.dumps([[str(p.id), p.messages] for p in asked], ensure_ascii=True).encode()).hexdigest()


def request(prompt: Prompt, form: str, *, model: str = "MODEL", tokens: int = 1024) -> dict[str, Any]:
    """A prompt as a line of a batch of requests (greedy), or as plain ``id`` and ``messages``."""
    if form == "jsonl":
        return {"id": prompt.id, "messages": prompt.messages}
    body = {"model": model, "messages": prompt.messages, "max_tokens": tokens, "temperature": 0}
    return {"custom_id": str(prompt.id), "method": "POST", "url": "/v1/chat/completions", "body": body}
