"""An unambiguous expression for a regular language: state elimination on its minimal DFA.

Each word of the language is one path of the DFA, and each label that elimination
makes stands for paths that it describes in one way only (first visit of the state
removed, loops there, last visit). So the expression is unambiguous (Book, Even,
Greibach & Ott, 1971), and an unambiguous expression all of whose positions lead
to a match has at most one run to each position: a backtracking matcher that has
to begin at the start of the subject is linear on it.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

from regsynth.automata.dfa import DFA, bits
from regsynth.errors import BudgetExceeded
from regsynth.solvers.practical_rules import simplify
from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import EMPTY_SET
from regsynth.syntax.pattern import Node

STATES = 16
TRIED_IN_ALL_ORDERS = 4
NODES = 2_000  # size of a label at which elimination gives up

Labels = dict[int, dict[int, Node]]


def expressions(dfa: DFA, *, anchored: bool) -> list[Node]:
    """Unambiguous expressions of a DFA's language, one for each order of elimination that was tried.

    Parameters
    ----------
    dfa : DFA
        Minimal, its letters character sets.
    anchored : bool
        Whether the whole subject has to be read. If not, an expression may stop where
        nothing that follows matters, and says ``\\Z`` where the subject must end.

    Raises
    ------
    BudgetExceeded
        More than 16 live states, or labels that grow too large.

    Examples
    --------
    >>> from regsynth.practical import compile_pattern
    >>> from regsynth.redos.writing import write
    >>> [write(e) for e in expressions(compile_pattern("(?:a+-?)*").minimal_dfa(), anchored=True)]
    ['(?:a(?:-?a)*-?)?', '(?:a+-)*a*']
    """
    live = list(bits(dfa.live))
    if len(live) > STATES:
        raise BudgetExceeded(f"its minimal DFA has {len(live)} states, more than {STATES}")
    if not live:
        return []
    final = _universal(dfa) if not anchored else set()
    inner = [q for q in live if q not in final]
    orders: list[tuple[int, ...] | None] = [None]
    if len(inner) <= TRIED_IN_ALL_ORDERS:
        orders += list(permutations(inner))
    found: list[Node] = []
    for order in orders:
        node = simplify_all(_eliminate(dfa, inner, final, order, anchored))
        if not any(tree.same(node, other) for other in found):
            found.append(node)
    return found


def _universal(dfa: DFA) -> set[int]:
    """States from which every word is accepted: in a minimal DFA, an accepting one that never moves."""
    return {q for q in bits(dfa.accepting) if all(r == q for r in dfa.delta[q])}


def _eliminate(dfa: DFA, inner: list[int], final: set[int], order: tuple[int, ...] | None, anchored: bool) -> Node:
    start, end = -1, -2
    into: Labels = {q: {} for q in [*inner, start, end]}
    out: dict[int, set[int]] = {q: set() for q in [*inner, start, end]}

    def add(q: int, r: int, label: Node) -> None:
        if label.size > NODES:
            raise BudgetExceeded("an expression for it is too long")
        known = into[r].get(q)
        into[r][q] = label if known is None else _either(known, label)
        out[q].add(r)

    for q in inner:
        steps: dict[int, Any] = {}
        for chars, r in zip(dfa.alphabet, dfa.delta[q], strict=True):
            r = end if r in final else r
            if r == end or r in into:
                steps[r] = steps.get(r, EMPTY_SET) | chars
        for r, chars in steps.items():
            add(q, r, tree.char_set(chars))
        if dfa.accepting >> q & 1:
            add(q, end, tree.EPSILON if anchored else tree.at(tree.END))
    if 0 in final:
        return tree.EPSILON
    add(start, 0, tree.EPSILON)
    remaining = list(inner)
    for step in range(len(inner)):
        q = order[step] if order is not None else min(remaining, key=lambda s: (_weight(s, into, out), s))
        remaining.remove(q)
        loop = into[q].pop(q, None)
        out[q].discard(q)
        around = [] if loop is None else [_star(loop)]
        for p, first in into[q].items():
            out[p].discard(q)
            for r in out[q]:
                add(p, r, tree.cat([first, *around, into[r][q]]))
        for r in out[q]:
            del into[r][q]
    return into[end][start]


def _weight(q: int, into: Labels, out: dict[int, set[int]]) -> int:
    """How much longer all labels get when a state goes (Delgado & Morais, 2004)."""
    loop = into[q].get(q)
    sources = [label.size for p, label in into[q].items() if p != q]
    targets = [into[r][q].size for r in out[q] if r != q]
    extra = 0 if loop is None else loop.size
    return sum(sources) * (len(targets) - 1) + sum(targets) * (len(sources) - 1) + extra * (len(sources) * len(targets) - 1)


def _either(x: Node, y: Node) -> Node:
    for one, other in ((x, y), (y, x)):
        if one is tree.EPSILON:
            return other if other.nullable and other.pure else tree.repeat(other, 0, 1)
    return tree.alt([x, y])


def _star(x: Node) -> Node:
    while x.op == tree.REPEAT and x.data[:2] in ((0, 1), (0, None), (1, None)):
        x = x.kids[0]
    return tree.repeat(x, 0, None)


def simplify_all(node: Node) -> Node:
    """Shorten by identities that keep the expression unambiguous; anchors stay where they are."""
    if node.pure:
        return simplify(node)
    if node.op in (tree.CAT, tree.ALT):
        kids = [simplify_all(kid) for kid in node.kids]
        return tree.cat(_runs(kids)) if node.op == tree.CAT else tree.alt(kids)
    if node.op == tree.REPEAT:
        return tree.repeat(simplify_all(node.kids[0]), *node.data)
    return node


def _runs(kids: list[Node]) -> list[Node]:
    """Neighbouring pure parts are simplified together."""
    out: list[Node] = []
    run: list[Node] = []
    for kid in [*kids, None]:
        if kid is not None and kid.pure:
            run.append(kid)
            continue
        if run:
            out.append(simplify(tree.cat(run)))
            run = []
        if kid is not None:
            out.append(kid)
    return out
