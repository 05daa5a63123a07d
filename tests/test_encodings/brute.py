"""Every small tree over {a,b} and what it accepts, by plain enumeration of languages cut at length 3.

Cutting all words longer than 3 commutes with every constructor, so a tree's cut language is a
bit mask over the 15 words and trees are counted by mask, without building them.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from regsynth.syntax import tree

WORDS = ["".join(w) for n in range(4) for w in product("ab", repeat=n)]
INDEX = {w: i for i, w in enumerate(WORDS)}
FULL = (1 << len(WORDS)) - 1


@cache
def concat(x: int, y: int) -> int:
    out = 0
    for i, u in enumerate(WORDS):
        if x >> i & 1:
            for j, v in enumerate(WORDS):
                if y >> j & 1 and len(u) + len(v) <= 3:
                    out |= 1 << INDEX[u + v]
    return out


@cache
def star(x: int) -> int:
    out = 1
    while True:
        grown = out | concat(x, out)
        if grown == out:
            return out
        out = grown


def unary(op: int, x: int) -> int:
    return {tree.OPTION: x | 1, tree.STAR: star(x), tree.COMPLEMENT: FULL & ~x}[op]


def binary(op: int, x: int, y: int) -> int:
    if op == tree.CONCAT:
        return concat(x, y)
    return {tree.UNION: x | y, tree.INTERSECTION: x & y, tree.DIFFERENCE: x & ~y}[op]


Table = dict[tuple[int, int], int]  # (language, cost) -> number of trees


@cache
def trees(nodes: int, allowed: int, costs: tuple[int, ...], operand: bool = False) -> Table:
    """Trees of exactly so many nodes; ∅ and ε are operands only when allowed."""
    table: Table = {}

    def add(mask: int, cost: int, count: int) -> None:
        table[mask, cost] = table.get((mask, cost), 0) + count

    if nodes == 1:
        add(1 << INDEX["a"], costs[2], 1)
        add(1 << INDEX["b"], costs[2], 1)
        if allowed & 1 or not operand:
            add(0, costs[0], 1)
        if allowed & 2 or not operand:
            add(1, costs[1], 1)
        return table
    for op in tree.UNARY:
        if allowed >> op & 1:
            for (x, c), count in trees(nodes - 1, allowed, costs, True).items():
                add(unary(op, x), c + costs[op], count)
    for op in tree.BINARY:
        if allowed >> op & 1:
            for left in range(1, nodes - 1):
                for (x, c), count in trees(left, allowed, costs, True).items():
                    for (y, d), more in trees(nodes - 1 - left, allowed, costs, True).items():
                        add(binary(op, x, y), c + d + costs[op], count * more)
    return table


def meets(mask: int, positives: int, negatives: int) -> bool:
    return not positives & ~mask and not negatives & mask
