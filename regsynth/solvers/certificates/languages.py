"""Minimal automata the checker's own way: bottom up, one operator at a time, minimised after each.

Slower than :mod:`regsynth.automata` and independent of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from regsynth.solvers.certificates.folder import Rejected
from regsynth.syntax import tree
from regsynth.syntax.tree import Expr

MAX_STATES = 20_000


class Automaton(NamedTuple):
    """Complete, minimal, states numbered as a breadth-first search in letter order meets them."""

    delta: list[list[int]]
    accepting: set[int]

    def run(self, word: Iterable[int], state: int = 0) -> int:
        """State after a word of letter numbers."""
        for a in word:
            state = self.delta[state][a]
        return state

    def accepts(self, word: Iterable[int]) -> bool:
        """Whether a word of letter numbers is in the language."""
        return self.run(word) in self.accepting


def automaton(start: Hashable, step: Callable[[Any, int], Hashable], accept: Callable[[Any], bool], letters: int) -> Automaton:
    """Explore an automaton given by functions, and minimise it (Moore's refinement)."""
    number = {start: 0}
    states = [start]
    delta: list[list[int]] = []
    for q in states:
        row = []
        for a in range(letters):
            r = step(q, a)
            if r not in number:
                if len(states) >= MAX_STATES:
                    raise Rejected(f"an automaton of more than {MAX_STATES} states is too large to check")
                number[r] = len(states)
                states.append(r)
            row.append(number[r])
        delta.append(row)
    block = [int(accept(q)) for q in states]
    accepting = {i for i, b in enumerate(block) if b}
    while True:
        names: dict[tuple[int, ...], int] = {}
        finer = [names.setdefault((block[q], *(block[r] for r in row)), len(names)) for q, row in enumerate(delta)]
        if len(names) == len(set(block)):
            break
        block = finer
    order: dict[int, int] = {block[0]: 0}
    member = [0]
    rows: list[list[int]] = []
    for q in member:
        row = []
        for r in delta[q]:
            if block[r] not in order:
                order[block[r]] = len(member)
                member.append(r)
            row.append(order[block[r]])
        rows.append(row)
    return Automaton(rows, {i for i, q in enumerate(member) if q in accepting})


def language(expr: Expr, letters: Sequence[Hashable]) -> Automaton:
    """Automaton of an expression over Σ.

    >>> from regsynth.syntax.formal import parse
    >>> language(parse("a*b"), "ab")
    Automaton(delta=[[0, 1], [2, 2], [2, 2]], accepting={1})
    """
    k, number = len(letters), {symbol: a for a, symbol in enumerate(letters)}
    done: dict[int, Automaton] = {}
    for node in expr.nodes():
        op = node.op
        x, y = (None if child is None else done[id(child)] for child in (node.left, node.right))
        if x is None:
            if op == tree.LETTER and node.symbol not in number:
                raise Rejected(f"letter {node.symbol!r} is not in the alphabet")
            word = {tree.LETTER: (number.get(node.symbol),), tree.EPSILON: ()}.get(op)
            done[id(node)] = words([] if word is None else [word], k)  # type: ignore[list-item]
        elif y is None:
            done[id(node)] = _unary(op, x, k)
        else:
            done[id(node)] = _concat(x, y, k) if op == tree.CONCAT else _boolean(op, x, y, k)
    return done[id(expr)]


def words(members: Iterable[tuple[int, ...]], letters: int, *, others: bool = False) -> Automaton:
    """Automaton of a finite set of words, or (``others``) of all words but these."""
    members = set(members)
    prefixes = {w[:i] for w in members for i in range(len(w) + 1)} | {()}

    def step(q: tuple[int, ...] | None, a: int) -> tuple[int, ...] | None:
        return (*q, a) if q is not None and (*q, a) in prefixes else None

    return automaton((), step, lambda q: (q in members) != others, letters)


def _unary(op: int, x: Automaton, k: int) -> Automaton:
    if op == tree.COMPLEMENT:
        return automaton(0, lambda q, a: x.delta[q][a], lambda q: q not in x.accepting, k)
    # A new start state None; a star starts again wherever x accepts.
    if op == tree.OPTION:
        return automaton(None, lambda q, a: x.delta[q or 0][a], lambda q: q is None or q in x.accepting, k)

    def step(states: frozenset[int] | None, a: int) -> frozenset[int]:
        after = {x.delta[q][a] for q in (states if states is not None else (0,))}
        return frozenset(after | {0} if after & x.accepting else after)

    return automaton(None, step, lambda states: states is None or bool(states & x.accepting), k)


def _concat(x: Automaton, y: Automaton, k: int) -> Automaton:
    def enter(p: int, states: frozenset[int]) -> tuple[int, frozenset[int]]:
        return p, states | {0} if p in x.accepting else states

    def step(state: tuple[int, frozenset[int]], a: int) -> tuple[int, frozenset[int]]:
        return enter(x.delta[state[0]][a], frozenset(y.delta[q][a] for q in state[1]))

    return automaton(enter(0, frozenset()), step, lambda state: bool(state[1] & y.accepting), k)


def _boolean(op: int, x: Automaton, y: Automaton, k: int) -> Automaton:
    def accept(state: tuple[int, int]) -> bool:
        p, q = state[0] in x.accepting, state[1] in y.accepting
        return {tree.UNION: p or q, tree.INTERSECTION: p and q, tree.DIFFERENCE: p and not q}[op]

    return automaton((0, 0), lambda s, a: (x.delta[s[0]][a], y.delta[s[1]][a]), accept, k)
