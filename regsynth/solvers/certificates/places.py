"""Where things occur in the samples: closed sets, types, and the value of an expression in a type.

U's minimal automaton has states q (those that accept nothing are left out); sets of states
are integers used as bit sets. ``Y_v`` is the set of states that accept v, a *closed* set an
intersection of such sets, and cl(X) the smallest one around X. An expression has the type
(X, Z) when all its words lead from X into Z; then u·w·v is in U for each of its words w, each
u that leads into X, and each v with Z ⊆ Y_v. Of the infixes of the samples only those matter in
a type that occur in such a place.
"""

from __future__ import annotations

from typing import NamedTuple

from regsynth.solvers.certificates.folder import Rejected
from regsynth.solvers.certificates.languages import Automaton

MAX_SETS = 4096
MAX_SPLITS = 3_000_000  # of all infixes of the samples


class Value(NamedTuple):
    """An expression in a type, as far as the argument needs it."""

    source: int  # closed set
    target: int  # closed set
    cost: int
    cover: int  # infixes it accepts, of those that occur in such a place
    held: int  # fooling letters that may lie inside
    letters: int  # how many of them at most


class Places:
    """Closed sets of U and the places of every infix of the samples."""

    def __init__(self, upper: Automaton, letters: int, samples: list[tuple[int, ...]], fooling: list[tuple[int, int]]) -> None:
        self.letters, self.fooling = letters, fooling
        delta, accepting = upper.delta, upper.accepting
        live = set(accepting)
        while True:
            more = {q for q, row in enumerate(delta) if q not in live and any(r in live for r in row)}
            if not more:
                break
            live |= more
        number = {q: i for i, q in enumerate(sorted(live))}
        if 0 not in number:
            raise Rejected("the language is empty")
        self.delta = [[number.get(r, -1) for r in delta[q]] for q in sorted(live)]
        self.final = sum(1 << number[q] for q in accepting)
        self._closure: dict[int, int] = {}
        self._ys = self._right_sets()
        self.root = self.close(1)
        self.contexts = self._contexts()
        if sum(len(w) ** 3 // 6 for w in samples) > MAX_SPLITS:
            raise Rejected("the samples are too long to check")
        infixes = {w[i:j] for w in samples for i in range(len(w) + 1) for j in range(i, len(w) + 1)}
        self.infixes = sorted(infixes, key=lambda w: (len(w), w))
        self.index = {w: n for n, w in enumerate(self.infixes)}
        self._splits = [[(self.index[w[:i]], self.index[w[i:]]) for i in range(len(w) + 1)] for w in self.infixes]
        self.goal = sum(1 << self.index[w] for w in set(samples))
        self._occurrences = self._occur(samples)
        self._types: dict[tuple[int, int], tuple[int, list[tuple[int, int]]]] = {}
        self._products: dict[tuple[int, int], int] = {}

    # -- closed sets ------------------------------------------------------------------------------

    def _before(self, states: int, a: int) -> int:
        return sum(1 << q for q, row in enumerate(self.delta) if row[a] >= 0 and states >> row[a] & 1)

    def _right_sets(self) -> list[int]:
        found = [self.final]
        for y in found:
            for a in range(self.letters):
                z = self._before(y, a)
                if z and z not in found:
                    found.append(z)
                    if len(found) > MAX_SETS:
                        raise Rejected(f"more than {MAX_SETS} right languages are too many to check")
        return found

    def close(self, states: int) -> int:
        """cl(states), or 0 when the set lies in no ``Y_v``."""
        if states not in self._closure:
            around = [y for y in self._ys if not states & ~y]
            closed = around[0] if around else 0
            for y in around:
                closed &= y
            self._closure[states] = closed
        return self._closure[states]

    def step(self, states: int, a: int) -> int:
        """cl δ(states, a), or 0."""
        after = 0
        for q, row in enumerate(self.delta):
            if states >> q & 1:
                if row[a] < 0:
                    return 0
                after |= 1 << row[a]
        return self.close(after)

    def _contexts(self) -> list[int]:
        """Every closed set that a left context can lead to: letters and joins from the root's."""
        found = [self.root]
        seen = {self.root}
        for i, x in enumerate(found):
            for z in [self.step(x, a) for a in range(self.letters)] + [self.close(x | y) for y in found[:i]]:
                if z and z not in seen:
                    seen.add(z)
                    found.append(z)
                    if len(found) > MAX_SETS:
                        raise Rejected(f"more than {MAX_SETS} closed sets are too many to check")
        return found

    # -- occurrences ------------------------------------------------------------------------------

    def _occur(self, samples: list[tuple[int, ...]]) -> list[tuple[int, int, int, int]]:
        """(infix, state before it, states that accept what follows, fooling letters inside)."""
        found: dict[tuple[int, int, int], int] = {}
        for m, w in enumerate(samples):
            before, after = [0], [self.final]
            for a in w:
                before.append(self.delta[before[-1]][a])
            for a in reversed(w):
                after.append(self._before(after[-1], a))
            after.reverse()
            for i in range(len(w) + 1):
                for j in range(i, len(w) + 1):
                    inside = sum(1 << f for f, (n, at) in enumerate(self.fooling) if n == m and i <= at < j)
                    key = (self.index[w[i:j]], before[i], after[j])
                    found[key] = found.get(key, 0) | inside
        return [(*key, inside) for key, inside in found.items()]

    def _type(self, x: int, z: int) -> tuple[int, list[tuple[int, int]]]:
        if (x, z) not in self._types:
            mask, inside = 0, []
            for w, q, rest, fooled in self._occurrences:
                if x >> q & 1 and not z & ~rest:
                    mask |= 1 << w
                    if fooled:
                        inside.append((1 << w, fooled))
            self._types[x, z] = mask, inside
        return self._types[x, z]

    # -- expressions ------------------------------------------------------------------------------

    def value(self, x: int, z: int, cost: int, cover: int, held: int, count: int) -> Value | None:
        """An expression of type (x, z); ``None`` when nothing can follow it."""
        if not z:
            return None
        mask, inside = self._type(x, z)
        cover &= mask
        possible = 0
        for infix, fooled in inside:
            if cover & infix:
                possible |= fooled
        held &= possible
        return Value(x, z, cost, cover, held, min(count, held.bit_count()))

    def letter(self, x: int, a: int, cost: int) -> Value | None:
        """A letter read from x."""
        w = self.index.get((a,))
        return self.value(x, self.step(x, a), cost, 0 if w is None else 1 << w, -1 & (1 << len(self.fooling)) - 1, 1)

    def epsilon(self, x: int, cost: int) -> Value | None:
        """ε."""
        return self.value(x, x, cost, 1, 0, 0)

    def option(self, x: int, s: Value, cost: int) -> Value | None:
        """``s?``"""
        return self.value(x, self.close(x | s.target), cost, s.cover | 1, s.held, s.letters)

    def star(self, x: int, s: Value, cost: int) -> Value | None:
        """``s*`` read from x, where s leads from its source back into it."""
        w = s.source
        if x & ~w or s.target & ~w:
            return None
        part, cover = s.cover & ~1, 1
        while True:
            grown = cover | self._product(part, cover)
            if grown == cover:
                return self.value(x, w, cost, cover, s.held, s.letters)
            cover = grown

    def union(self, s: Value, t: Value, cost: int) -> Value | None:
        """``s+t``"""
        z = self.close(s.target | t.target)
        return self.value(s.source, z, cost, s.cover | t.cover, s.held | t.held, s.letters + t.letters)

    def concat(self, s: Value, t: Value, cost: int) -> Value | None:
        """``st``"""
        return self.value(s.source, t.target, cost, self._product(s.cover, t.cover), s.held | t.held, s.letters + t.letters)

    def _product(self, x: int, y: int) -> int:
        key = x, y
        if key not in self._products:
            out = 0
            for w, splits in enumerate(self._splits):
                for u, v in splits:
                    if x >> u & 1 and y >> v & 1:
                        out |= 1 << w
                        break
            self._products[key] = out
        return self._products[key]

    def is_goal(self, value: Value) -> bool:
        """Whether it is inside U, read from the start, and accepts every sample."""
        return value.source == self.root and not value.target & ~self.final and not self.goal & ~value.cover
