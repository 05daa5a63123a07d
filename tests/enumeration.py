"""Plain enumeration of languages by cost: what the engines are checked against.

Every expression is built from cheapest representatives of its operands, cheapest
first, and a language (its minimal DFA) keeps the first cost it is met at. No
pruning of any other kind.
"""

from __future__ import annotations

from regsynth.automata.dfa import DFA
from regsynth.automata.position import to_dfa
from regsynth.syntax import tree
from regsynth.syntax.costs import Costs
from regsynth.syntax.tree import Expr


def languages(letters: str, costs: Costs, bound: int, mask: int) -> dict[DFA, tuple[int, Expr]]:
    """Each language of an expression of cost ≤ ``bound`` with its minimal cost and a witness.

    Parameters
    ----------
    letters : str
        Σ.
    mask : int
        Allowed constructors; letters always, ε and ∅ as operands only when set.
    """
    price = costs.by_op
    found: dict[DFA, tuple[int, Expr]] = {}
    levels: list[list[Expr]] = [[] for _ in range(bound + 1)]

    def meet(c: int, expr: Expr) -> None:
        dfa = to_dfa(expr, letters)
        if dfa not in found:
            found[dfa] = c, expr
            levels[c].append(expr)

    for c in range(1, bound + 1):
        if c == costs.atom:
            for symbol in letters:
                meet(c, tree.letter(symbol))
            for op in (tree.EMPTY, tree.EPSILON):
                if mask >> op & 1:
                    meet(c, tree.make(op))
        for op in tree.UNARY:
            if mask >> op & 1 and c > price[op]:
                for x in list(levels[c - price[op]]):
                    meet(c, tree.make(op, x))
        for op in tree.BINARY:
            if mask >> op & 1:
                for k in range(1, c - price[op]):
                    for x in list(levels[k]):
                        for y in list(levels[c - price[op] - k]):
                            meet(c, tree.make(op, x, y))
    return found
