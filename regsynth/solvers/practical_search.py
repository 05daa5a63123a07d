"""Exact search for the cheapest pattern over character sets and bounded repeats.

The method is that of the formal engine (signatures by increasing cost, refuted and
refined by counter-examples) with two changes. A letter is a *set*, and one set
suffices for each pair of closed state sets X, Z: all characters that lead from X
into Z, because under a uniform cost a larger set inside the same factor only
covers more. And ``x{m,n}`` is one operator for every pair of bounds up to a limit.

Signatures are those of :mod:`regsynth.solvers.practical_signatures`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from regsynth.automata.dfa import DFA, bits
from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded
from regsynth.solvers.practical_signatures import GARBAGE, Rows, Signatures
from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import EMPTY_SET
from regsynth.syntax.pattern import Node

CLASSES = 60_000  # signatures kept

_ABSORBED = ((0, 1), (0, None), (1, None))  # a repeat of x?, x* or x+ is a repeat of x

Made = tuple[Rows, int, Node]


class PracticalSearch(Signatures):
    """Search for one language and one growing sample; parameters and errors are those of :class:`Signatures`."""

    def __init__(self, dfa: DFA, limit: int, clock: Clock) -> None:
        super().__init__(dfa, limit, clock)
        self.sets = self._letter_sets()
        self.level = 0  # every expression up to this cost has been tried

    def _letter_sets(self) -> list[tuple[Rows, Node, int]]:
        """One set for each mask of classes, with its relation."""
        out = []
        for mask in self.masks():
            rows = self.rows_of(mask)
            if any(row != GARBAGE for row in rows):
                chars = EMPTY_SET
                for i in bits(mask):
                    chars = chars | self.dfa.alphabet[i]  # type: ignore[operator]
                out.append((rows, tree.char_set(chars), mask))
        return out

    def run(self, bound: int, accept: Callable[[Node], bool]) -> Node | None:
        """The cheapest consistent expression that ``accept`` takes, of cost below ``bound``.

        ``level`` is raised as costs are finished without one that is consistent.

        Raises
        ------
        BudgetExceeded
        """
        self.kept: dict[Rows, list[int]] = {}
        self.count = 0
        self.accept, self.refuted = accept, False
        self.levels: list[list[Made]] = [[]]
        accepting = self.closure(self.dfa.accepting)
        assert accepting == self.dfa.accepting
        for cost in range(1, bound):
            self.levels.append([])
            for rows, coverage, node in self._candidates(cost):
                found = self._enter(cost, rows, coverage, node)
                if found is not None:
                    return found
                if self.refuted:
                    return None
            self.level = max(self.level, cost)
        return None

    def _enter(self, cost: int, rows: Rows, coverage: int, node: Node) -> Node | None:
        if not coverage or all(row == GARBAGE for row in rows):
            return None
        if not self.goal & ~coverage and self.inside(rows):
            if self.accept(node):
                return node
            self.refuted = True  # the sample has grown
            return None
        known = self.kept.setdefault(rows, [])
        if any(not coverage & ~other for other in known):
            return None
        known.append(coverage)
        self.count += 1
        if not self.count & 63:
            self.clock.check()
            if self.count > CLASSES:
                raise BudgetExceeded("candidate budget used up")
        self.levels[cost].append((rows, coverage, node))
        return None

    def _candidates(self, cost: int) -> Iterator[Made]:
        if cost == 1:
            for rows, node, mask in self.sets:
                yield rows, sum(bit for letter, bit in self.letter_bits.items() if mask >> letter & 1), node
            yield self.identity, 1, tree.EPSILON
        for rows, coverage, node in self.levels[cost - 1] if cost > 1 else ():
            if node is not tree.EPSILON and not (node.op == tree.REPEAT and node.data[:2] in _ABSORBED):
                for more_rows, more, low, high in self.repeats(rows, coverage):
                    yield more_rows, more, tree.repeat(node, low, high)
        for left_cost in range(1, cost - 1):
            right = self.levels[cost - 1 - left_cost]
            self.clock.check()
            for x_rows, x_coverage, x in self.levels[left_cost]:
                if x is tree.EPSILON:
                    continue
                for y_rows, y_coverage, y in right:
                    if y is tree.EPSILON:
                        continue
                    rows = self.then(x_rows, y_rows)
                    if any(row != GARBAGE for row in rows):
                        yield rows, self.joined(x_coverage, y_coverage), tree.cat([x, y])
                    if 2 * left_cost < cost:
                        yield self.either(x_rows, y_rows), x_coverage | y_coverage, _union(x, y)


def _union(x: Node, y: Node) -> Node:
    """A union that stays one node for the cost, even of two sets."""
    return tree.choice((*(x.kids if x.op == tree.ALT else (x,)), *(y.kids if y.op == tree.ALT else (y,))))
