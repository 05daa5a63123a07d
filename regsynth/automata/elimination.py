"""An expression for a DFA, by state elimination (Brzozowski & McCluskey)."""

from __future__ import annotations

from regsynth.automata.dfa import DFA, bits
from regsynth.errors import BudgetExceeded
from regsynth.syntax import tree
from regsynth.syntax.tree import EPSILON, OPTION, STAR, Expr


def eliminate(dfa: DFA, limit: int = 1_000_000) -> Expr:
    """An equivalent expression over ``? * . +`` (∅ or ε only as the whole answer).

    States are eliminated lightest first (Delgado & Morais' weight).

    Parameters
    ----------
    dfa : DFA
    limit : int
        Largest tree length of a label.

    Raises
    ------
    BudgetExceeded
        When a label outgrows ``limit``.

    Examples
    --------
    >>> from regsynth.automata.position import to_dfa
    >>> from regsynth.syntax.formal import parse
    >>> print(eliminate(to_dfa(parse("~(a*)"), "a")))
    ∅
    >>> print(eliminate(to_dfa(parse("(aa)*"))))
    (aa)*
    """
    live = list(bits(dfa.live))
    if not live:
        return tree.empty()
    start, end = -1, -2
    into: dict[int, dict[int, Expr]] = {q: {} for q in [*live, start, end]}  # into[r][q]: label from q to r
    out: dict[int, set[int]] = {q: set() for q in [*live, start, end]}

    def add(q: int, r: int, label: Expr) -> None:
        if label.length > limit:
            raise BudgetExceeded(f"an expression of more than {limit} nodes")
        known = into[r].get(q)
        into[r][q] = label if known is None else _union(known, label)
        out[q].add(r)

    for q in live:
        for symbol, r in zip(dfa.alphabet, dfa.delta[q], strict=True):
            if dfa.live >> r & 1:
                add(q, r, tree.letter(symbol))
        if dfa.accepting >> q & 1:
            add(q, end, tree.epsilon())
    add(start, 0, tree.epsilon())
    remaining = set(live)
    while remaining:
        q = min(remaining, key=lambda s: (_weight(s, into, out), s))
        remaining.discard(q)
        loop = into[q].pop(q, None)
        out[q].discard(q)
        around = None if loop is None else _star(loop)
        for p, first in into[q].items():
            out[p].discard(q)
            for r in out[q]:
                middle = first if around is None else _concat(first, around)
                add(p, r, _concat(middle, into[r][q]))
        for r in out[q]:
            del into[r][q]
    return into[end][start]


def _weight(q: int, into: dict[int, dict[int, Expr]], out: dict[int, set[int]]) -> int:
    loop = into[q].get(q)
    sources = [label.length for p, label in into[q].items() if p != q]
    targets = [into[r][q].length for r in out[q] if r != q]
    extra = 0 if loop is None else loop.length
    return sum(sources) * (len(targets) - 1) + sum(targets) * (len(sources) - 1) + extra * (len(sources) * len(targets) - 1)


def _union(x: Expr, y: Expr) -> Expr:
    if x is y:
        return x
    for one, other in ((x, y), (y, x)):
        if one.op == EPSILON:
            return other if other.nullable else tree.option(other)
    return tree.union(x, y)


def _concat(x: Expr, y: Expr) -> Expr:
    if x.op == EPSILON:
        return y
    return x if y.op == EPSILON else tree.concat(x, y)


def _star(x: Expr) -> Expr:
    if x.op == EPSILON:
        return x
    while x.op in (STAR, OPTION):
        assert x.left is not None
        x = x.left
    return tree.star(x)
