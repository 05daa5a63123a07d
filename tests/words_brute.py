"""Inference by plain brute force on word sets: what the inference engines are checked against.

Every expression over cheapest operands, cheapest first; a meaning is the set of those
words of P ∪ N and their infixes that the language holds, each operator written as in a
textbook. No rule skips anything but an exact duplicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from regsynth.syntax import tree
from regsynth.syntax.costs import Costs


class GaveUp(Exception):
    """More classes than allowed; ``bound`` costs are known to hold no answer."""

    def __init__(self, bound: int) -> None:
        super().__init__(bound)
        self.bound = bound


def cheapest(
    positives: Iterable[str], negatives: Iterable[str], alphabet: str, costs: Costs, mask: int, classes: int = 20_000
) -> int:
    """Least cost of an expression that holds ``positives`` and rejects ``negatives``."""
    yes, no = frozenset(positives), frozenset(negatives)
    infixes = frozenset(w[i:j] for w in yes | no for i in range(len(w) + 1) for j in range(i, len(w) + 1)) | {""}
    where = {w: 1 << i for i, w in enumerate(sorted(infixes))}
    cuts = [(where[w], [(where[w[:i]], where[w[i:]]) for i in range(len(w) + 1)]) for w in sorted(infixes, key=len)]
    everything = sum(where.values())
    goal, wrong = sum(where[w] for w in yes), sum(where[w] for w in no)
    price = costs.by_op

    def product(x: int, y: int) -> int:
        return sum(w for w, pairs in cuts if any(x & u and y & v for u, v in pairs))

    def star(x: int) -> int:
        out = where[""]
        for w, pairs in cuts[1:]:
            if any(x & u and out & v for u, v in pairs[1:]):
                out |= w
        return out

    level: dict[int, list[int]] = {}
    seen: set[int] = set()
    atoms = [where.get(c, 0) for c in alphabet]
    atoms += [where[""]] if mask >> tree.EPSILON & 1 else []
    atoms += [0] if mask >> tree.EMPTY & 1 else []
    unary: dict[int, Callable[[int], int]] = {
        tree.OPTION: lambda x: x | where[""],
        tree.STAR: star,
        tree.COMPLEMENT: lambda x: everything & ~x,
    }
    binary: dict[int, Callable[[int, int], int]] = {
        tree.CONCAT: product,
        tree.UNION: lambda x, y: x | y,
        tree.INTERSECTION: lambda x, y: x & y,
        tree.DIFFERENCE: lambda x, y: x & ~y,
    }
    for cost in range(1, 100_000):
        found: set[int] = set()
        if cost == price[tree.LETTER]:
            found.update(atoms)
        for op, apply in unary.items():
            if mask >> op & 1:
                found.update(apply(x) for x in level.get(cost - price[op], ()))
        for op, combine in binary.items():
            if mask >> op & 1:
                for k, lefts in level.items():
                    rights = level.get(cost - price[op] - k, ())
                    if len(lefts) * len(rights) > 40 * classes:
                        raise GaveUp(cost)
                    found.update(combine(x, y) for x in lefts for y in rights)
        if any(x & goal == goal and not x & wrong for x in found):
            return cost
        found -= seen
        seen |= found
        if found:
            level[cost] = sorted(found)
        if len(seen) > classes:
            raise GaveUp(cost + 1)
    raise GaveUp(cost)
