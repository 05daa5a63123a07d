"""Signatures of expressions over a language: what the exact searches for practical patterns keep of an expression.

A signature is (relation, coverage): where the expression leads from each state of
the minimal DFA of L, every row replaced by its closure, and which infixes of a
sample of words of L it matches. The relation decides whether an expression stays inside L; rows outside
every closed set are garbage, and an expression of garbage only can be part of nothing inside L.
"""

from __future__ import annotations

from collections.abc import Iterator

from regsynth.automata.dfa import DFA, bits
from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded

CLOSED_SETS = 96
GARBAGE = -1

Rows = tuple[int, ...]
Word = tuple[int, ...]


class Signatures:
    """Closed sets of one language's states, and the operators on signatures over one growing sample.

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
        self.identity = tuple(self.closure(1 << q) for q in self.states)

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

    def masks(self) -> list[int]:
        """The largest set of classes for each pair of closed sets X, Z: all that lead from X into Z."""
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
        return sorted(masks - {0})

    def rows_of(self, mask: int) -> Rows:
        """The relation of one character out of some classes."""
        return tuple(self.closure(sum({1 << self.dfa.delta[q][i] for i in bits(mask)})) for q in self.states)

    def inside(self, rows: Rows) -> bool:
        """Whether every word of the expression is in L."""
        return rows[0] != GARBAGE and not rows[0] & ~self.dfa.accepting

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

    def joined(self, x: int, y: int) -> int:
        out = 0
        for i, splits in enumerate(self.splits):
            for left, right in splits:
                if x & left and y & right:
                    out |= 1 << i
                    break
        return out

    def then(self, x: Rows, y: Rows) -> Rows:
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

    def either(self, x: Rows, y: Rows) -> Rows:
        return tuple(GARBAGE if p == GARBAGE or q == GARBAGE else self.closure(p | q) for p, q in zip(x, y, strict=True))

    def repeats(self, rows: Rows, coverage: int) -> Iterator[tuple[Rows, int, int, int | None]]:
        """``x? x* x+ x{m,} x{m,n}``: powers of the relation and the coverage, with their bounds."""
        powers: list[tuple[Rows, int]] = [(self.identity, 1), (rows, coverage)]
        while len(powers) <= self.limit:
            last = powers[-1]
            after = (self.then(last[0], rows), self.joined(last[1], coverage))
            if all(row == GARBAGE for row in after[0]):
                break
            powers.append(after)
        for low in range(len(powers)):
            total, seen = powers[low]
            for high in range(low, len(powers)):
                if high > low:
                    total, seen = self.either(total, powers[high][0]), seen | powers[high][1]
                if all(row == GARBAGE for row in total):
                    break
                if high and (low, high) != (1, 1):
                    yield total, seen, low, high
            loop, loop_seen = powers[low]
            while True:
                step = self.either(loop, self.then(loop, rows))
                more = loop_seen | self.joined(loop_seen, coverage)
                if (step, more) == (loop, loop_seen):
                    break
                loop, loop_seen = step, more
            if any(row != GARBAGE for row in loop):
                yield loop, loop_seen, low, None
