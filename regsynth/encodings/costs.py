"""Cost functions in a formula: a sequential counter of weights, and soft clauses.

The counter has a variable ``paid[s][v]`` for every total v that the nodes at slots
0 … s can reach: "slots 0 … s cost at least v". It says so in one direction only, which
is enough to forbid totals: one assumption, ``¬paid[n−1][v]`` for the least v above the
bound, moves the bound under a live solver, and a larger tree only adds a row. (A
totalizer in the shape of a list: its outputs are kept by value, so equal sums share
a variable. Costs with few distinct sums stay small: at most n·C outputs for a bound C.)
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from regsynth.encodings.formula import Formula
from regsynth.encodings.layout import Layout
from regsynth.syntax.costs import Costs
from regsynth.syntax.tree import BINARY, UNARY

NEVER = 1 << 60


def _prices(costs: Costs, allowed: int) -> tuple[int, int, int]:
    """Least cost of a leaf, a unary and a binary operator; :data:`NEVER` where there is none."""
    table = costs.by_op
    unary = min((table[op] for op in UNARY if allowed >> op & 1), default=NEVER)
    binary = min((table[op] for op in BINARY if allowed >> op & 1), default=NEVER)
    return costs.atom, unary, binary


def cheapest_by_size(costs: Costs, allowed: int, most: int) -> list[int]:
    """``[n]`` is the least cost of a tree with n nodes; :data:`NEVER` where there is none.

    m leaves come with m − 1 binary operators, and the other n − 2m + 1 nodes are unary: linear
    in m, so the least is at the fewest or at the most leaves.

    >>> cheapest_by_size(Costs(concat=5), 0b101011100, 5)[1:]
    [1, 2, 3, 4, 5]
    """
    leaf, unary, binary = _prices(costs, allowed)

    def price(n: int, m: int) -> int:
        rest = n - 2 * m + 1
        return m * leaf + (m - 1) * binary + (rest * unary if rest else 0)

    return [NEVER, *(min(NEVER, price(n, 1), price(n, (n + 1) // 2)) for n in range(1, most + 1))]


def most_nodes(costs: Costs, allowed: int, bound: int) -> int:
    """Nodes of the largest tree whose cost is at most ``bound`` (0: there is none).

    >>> most_nodes(Costs(), 0b101011100, 9)
    9
    """
    leaf, unary, binary = _prices(costs, allowed)
    most = 0
    for m in range(1, bound // leaf + 1):
        spare = bound - m * leaf - (m - 1) * binary
        if spare < 0:
            break
        most = max(most, 2 * m - 1 + spare // unary)
    return most


def soft_clauses(layout: Layout, costs: Costs) -> list[tuple[int, int]]:
    """Unit soft clauses (literal, weight) whose falsified weight is the tree's cost.

    What every node costs at least is charged to ``used``, which a solver's cores find
    quickly; what a label costs beyond that is charged to the label.
    """
    table = costs.by_op
    base = min(table[op] for (op, _) in layout.labels if op < 3 or layout.allowed >> op & 1)
    soft = []
    for s, label in enumerate(layout.label):
        soft.append((-layout.used[s], base))
        soft += [(-v, table[op] - base) for (op, _), v in label.items() if table[op] > base]
    return soft


class CostCounter:
    """Totals of a growing tree, to be bounded by assumption.

    Parameters
    ----------
    formula, layout :
        Of the encoding.
    costs : Costs
    cap : int
        Totals above it need not be told apart.

    Attributes
    ----------
    paid : list of dict
        Variables by slot and total.
    """

    def __init__(self, formula: Formula, layout: Layout, costs: Costs, cap: int) -> None:
        self.formula, self.layout, self.table, self.cap = formula, layout, costs.by_op, cap
        self.paid: list[dict[int, int]] = []
        self._sorted: list[list[int]] = []

    def grow(self) -> None:
        """Rows for the slots that are new."""
        formula, layout = self.formula, self.layout
        for s in range(len(self.paid), len(layout)):
            by_cost: dict[int, list[int]] = {}
            for (op, _), v in layout.label[s].items():
                by_cost.setdefault(self.table[op], []).append(v)
            before = self.paid[s - 1] if s else {}
            totals = {min(v + c, self.cap + 1) for v in (before or (0,)) for c in by_cost} | set(before)
            order = sorted(totals)
            row = {v: formula.new(f"paid[{s}]≥{v}") for v in order}
            for low, high in pairwise(order):
                formula.add(-row[high], row[low])
            for v, x in before.items():
                formula.add(-x, row[v])
            for c, labels in by_cost.items():
                # One literal for "this slot costs c" keeps the product small.
                one = labels[0]
                if len(labels) > 1:
                    one = formula.new(f"cost[{s}]={c}")
                    for label in labels:
                        formula.add(-label, one)
                if not before:
                    formula.add(-one, row[min(c, self.cap + 1)])
                for v, x in before.items():
                    formula.add(-one, -x, row[min(v + c, self.cap + 1)])
            self.paid.append(row)
            self._sorted.append(order)

    def at_most(self, bound: int) -> list[int]:
        """Literals under which the tree costs at most ``bound`` (≤ ``cap``)."""
        order = self._sorted[-1]
        i = bisect_right(order, bound)
        return [-self.paid[-1][order[i]]] if i < len(order) else []
