"""Exact search for the cheapest pattern over character sets and bounded repeats.

The method is that of the formal engine (signatures by increasing cost, refuted and
refined by counter-examples) with two changes. A letter is a *set*, and one set
suffices for each pair of closed state sets X, Z: all characters that lead from X
into Z, because under a uniform cost a larger set inside the same factor only
covers more. And ``x{m,n}`` is one operator for every pair of bounds up to a limit.

A signature is (relation, coverage): where the expression leads from each state of
the minimal DFA of L, every row replaced by its closure, and which infixes of the
sample it matches. Rows outside every closed set are garbage; an expression of
garbage only can be part of nothing inside L.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from regsynth.automata.dfa import DFA, bits
from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded
from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import EMPTY_SET
from regsynth.syntax.pattern import Node

CLOSED_SETS = 96
CLASSES = 60_000  # signatures kept
GARBAGE = -1

_ABSORBED = ((0, 1), (0, None), (1, None))  # a repeat of x?, x* or x+ is a repeat of x

Rows = tuple[int, ...]
Word = tuple[int, ...]
Made = tuple[Rows, int, Node]


class PracticalSearch:
    """Search for one language and one growing sample.

    Parameters
    ----------
    dfa : DFA
        Minimal; its letters are character sets.
    limit : int
        Largest bound of a repeat.
    clock : Clock

    Raises
    ------
    BudgetExceeded
        When the language has too many closed sets.
    """

    def __init__(self, dfa: DFA, limit: int, clock: Clock) -> None:
        self.dfa, self.limit, self.clock = dfa, limit, clock
        self.states = range(len(dfa))
        self.generators = self._right_languages()
        self.closures: dict[int, int] = {}
        self.sets = self._letter_sets()
        self.level = 0  # every expression up to this cost has been tried

    def _right_languages(self) -> list[int]:
        """All Y_v = {q : δ(q, v) accepts}."""
        found = [self.dfa.accepting]
        seen = set(found)
        for y in found:
            for i in range(len(self.dfa.alphabet)):
                before = sum(1 << q for q in self.states if y >> self.dfa.delta[q][i] & 1)
                if before not in seen and before:
                    seen.add(before)
                    found.append(before)
                    if len(found) > 4 * CLOSED_SETS:
                        raise BudgetExceeded("too many right languages for the exact search")
        return found

    def closure(self, states: int) -> int:
        """The smallest closed set around some states, or garbage."""
        known = self.closures.get(states)
        if known is None:
            known = GARBAGE
            for y in self.generators:
                if not states & ~y:
                    known &= y
            self.closures[states] = known
        return known

    def _letter_sets(self) -> list[tuple[Rows, Node, int]]:
        """One set for each pair of closed sets, with its relation and the mask of its classes."""
        delta, letters = self.dfa.delta, range(len(self.dfa.alphabet))
        closed = {self.closure(1)}
        queue = list(closed)
        for x in queue:
            for i in letters:
                after = self.closure(sum({1 << delta[q][i] for q in bits(x)}))
                if after != GARBAGE and after not in closed:
                    closed.add(after)
                    queue.append(after)
        targets = set(self.generators)
        for z in list(targets):
            for y in self.generators:
                targets.add(z & y)
                if len(targets) > 8 * CLOSED_SETS:
                    raise BudgetExceeded("too many closed sets for the exact search")
        grown = len(targets)
        while True:  # close under intersection
            targets |= {z & y for z in targets for y in self.generators}
            if len(targets) > 8 * CLOSED_SETS:
                raise BudgetExceeded("too many closed sets for the exact search")
            if len(targets) == grown:
                break
            grown = len(targets)
        masks: set[int] = set()
        # Any union of closed contexts may surround a letter: X ranges over all closed sets, and singletons generate them.
        for x in closed | {t for t in targets if t}:
            for z in targets:
                masks.add(sum(1 << i for i in letters if all(z >> delta[q][i] & 1 for q in bits(x))))
        out = []
        for mask in sorted(masks - {0}):
            chars = EMPTY_SET
            for i in bits(mask):
                chars = chars | self.dfa.alphabet[i]  # type: ignore[operator]
            rows = tuple(self.closure(sum({1 << delta[q][i] for i in bits(mask)})) for q in self.states)
            if any(row != GARBAGE for row in rows):
                out.append((rows, tree.char_set(chars), mask))
        return out

    # Coverage: bit i says that infix i of the sample is matched.

    def sample(self, words: list[Word]) -> None:
        """Take a new sample."""
        infixes = {w[i:j] for w in words for i in range(len(w) + 1) for j in range(i, len(w) + 1)}
        order = sorted(infixes, key=lambda w: (len(w), w))
        number = {w: i for i, w in enumerate(order)}
        self.goal = sum(1 << number[w] for w in words)
        self.infixes = order
        self.splits = [[(1 << number[w[:k]], 1 << number[w[k:]]) for k in range(len(w) + 1)] for w in order]
        self.letter_bits = {w[0]: 1 << i for i, w in enumerate(order) if len(w) == 1}

    def _joined(self, x: int, y: int) -> int:
        out = 0
        for i, splits in enumerate(self.splits):
            for left, right in splits:
                if x & left and y & right:
                    out |= 1 << i
                    break
        return out

    def _then(self, x: Rows, y: Rows) -> Rows:
        out = []
        for row in x:
            if row == GARBAGE:
                out.append(GARBAGE)
                continue
            reach = 0
            for q in bits(row):
                if y[q] == GARBAGE:
                    reach = GARBAGE
                    break
                reach |= y[q]
            out.append(GARBAGE if reach == GARBAGE else self.closure(reach))
        return tuple(out)

    def _either(self, x: Rows, y: Rows) -> Rows:
        return tuple(GARBAGE if p == GARBAGE or q == GARBAGE else self.closure(p | q) for p, q in zip(x, y, strict=True))

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
        identity = tuple(self.closure(1 << q) for q in self.states)
        accepting = self.closure(self.dfa.accepting)
        assert accepting == self.dfa.accepting
        for cost in range(1, bound):
            self.levels.append([])
            for rows, coverage, node in self._candidates(cost, identity):
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
        if not self.goal & ~coverage and rows[0] != GARBAGE and not rows[0] & ~self.dfa.accepting:
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

    def _candidates(self, cost: int, identity: Rows) -> Iterator[Made]:
        if cost == 1:
            for rows, node, mask in self.sets:
                yield rows, sum(bit for letter, bit in self.letter_bits.items() if mask >> letter & 1), node
            yield identity, 1, tree.EPSILON
        for rows, coverage, node in self.levels[cost - 1] if cost > 1 else ():
            if node is not tree.EPSILON and not (node.op == tree.REPEAT and node.data[:2] in _ABSORBED):
                yield from self._repeats(rows, coverage, node, identity)
        for left_cost in range(1, cost - 1):
            right = self.levels[cost - 1 - left_cost]
            self.clock.check()
            for x_rows, x_coverage, x in self.levels[left_cost]:
                if x is tree.EPSILON:
                    continue
                for y_rows, y_coverage, y in right:
                    if y is tree.EPSILON:
                        continue
                    rows = self._then(x_rows, y_rows)
                    if any(row != GARBAGE for row in rows):
                        yield rows, self._joined(x_coverage, y_coverage), tree.cat([x, y])
                    if 2 * left_cost < cost:
                        yield self._either(x_rows, y_rows), x_coverage | y_coverage, _union(x, y)

    def _repeats(self, rows: Rows, coverage: int, node: Node, identity: Rows) -> Iterator[Made]:
        """``x? x* x+ x{m,} x{m,n}``: powers of the relation and the coverage."""
        powers: list[tuple[Rows, int]] = [(identity, 1), (rows, coverage)]
        while len(powers) <= self.limit:
            last = powers[-1]
            after = (self._then(last[0], rows), self._joined(last[1], coverage))
            if all(row == GARBAGE for row in after[0]):
                break
            powers.append(after)
        for low in range(len(powers)):
            total, seen = powers[low]
            for high in range(low, len(powers)):
                if high > low:
                    total, seen = self._either(total, powers[high][0]), seen | powers[high][1]
                if all(row == GARBAGE for row in total):
                    break
                if high and (low, high) != (1, 1):
                    yield total, seen, tree.repeat(node, low, high)
            loop, loop_seen = powers[low]
            while True:
                step = self._either(loop, self._then(loop, rows))
                more = loop_seen | self._joined(loop_seen, coverage)
                if (step, more) == (loop, loop_seen):
                    break
                loop, loop_seen = step, more
            if any(row != GARBAGE for row in loop):
                yield loop, loop_seen, tree.repeat(node, low, None)


def _union(x: Node, y: Node) -> Node:
    """A union that stays one node for the cost, even of two sets."""
    kids = (*(x.kids if x.op == tree.ALT else (x,)), *(y.kids if y.op == tree.ALT else (y,)))
    return Node(tree.ALT, kids, None, True, x.nullable or y.nullable, x.size + y.size)
