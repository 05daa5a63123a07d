"""Closed sets of states: the lattice behind typed dominance.

For the minimal DFA of a language U, ``Y_v`` is the set of states from which the
word v is accepted. A set of states is *closed* when it is an intersection of
such sets; ``cl(X)`` is the smallest closed set around X. The words that lead
from closed X into closed Z form a factor of U (Conway's universal automaton).
"""

from __future__ import annotations

from collections.abc import Callable

from regsynth.automata.dfa import DFA, bits
from regsynth.errors import BudgetExceeded

GARBAGE = 0  # the closure of a set that lies in no Y_v: nothing can follow


class ClosedSets:
    """Closed sets of U's trimmed minimal DFA, as integers used as bit sets.

    Parameters
    ----------
    dfa : DFA
        A minimal automaton of a non-empty language.
    limit : int
        Most distinct ``Y_v`` and most reachable closed sets.
    check : callable
        Called now and then, here and by what is built on it; raises when the time is up.

    Attributes
    ----------
    n, k : int
        Live states and letters.
    delta : list of list of int
        ``delta[q][a]``, −1 for the sink.
    final : int
        The accepting states, which is ``Y_ε``.
    ys : list of int
        The distinct ``Y_v``, shortest v first.
    tails : list of tuple of int
        A shortest v for each of them.
    sets : list of int
        The closed sets a left context can lead to; ``sets[0]`` is cl{start}.
    index : dict
        Position of each in ``sets``.

    Raises
    ------
    BudgetExceeded
        When there are more than ``limit`` of either.
    """

    def __init__(self, dfa: DFA, limit: int = 4096, check: Callable[[], None] = lambda: None) -> None:
        self.check = check
        live = list(bits(dfa.live))
        number = {q: i for i, q in enumerate(live)}
        self.n, self.k = len(live), len(dfa.alphabet)
        self.delta = [[number.get(r, -1) for r in dfa.delta[q]] for q in live]
        self.final = sum(1 << number[q] for q in bits(dfa.accepting))
        self._limit = limit
        self._closure: dict[int, int] = {}
        self._before = [[0] * self.n for _ in range(self.k)]
        for q, row in enumerate(self.delta):
            for a, r in enumerate(row):
                if r >= 0:
                    self._before[a][r] |= 1 << q
        self.ys, self.tails = self._right_languages()
        self.sets: list[int] = []
        self.index: dict[int, int] = {}

    def _right_languages(self) -> tuple[list[int], list[tuple[int, ...]]]:
        """Distinct Y_v: the subset construction on the reversed automaton."""
        ys, tails, seen = [self.final], [()], {self.final}
        for y, tail in zip(ys, tails):  # both grow while we read them
            self.check()
            for a in range(self.k):
                z = self.backward(y, a)
                if z and z not in seen:
                    if len(ys) >= self._limit:
                        raise BudgetExceeded(f"more than {self._limit} right languages")
                    seen.add(z)
                    ys.append(z)
                    tails.append((a, *tail))  # type: ignore[arg-type]
        return ys, tails  # type: ignore[return-value]

    def backward(self, states: int, a: int) -> int:
        """States that letter ``a`` takes into ``states``."""
        table, before = self._before[a], 0
        while states:
            low = states & -states
            before |= table[low.bit_length() - 1]
            states ^= low
        return before

    def close(self, states: int) -> int:
        """cl(states), or :data:`GARBAGE`."""
        known = self._closure.get(states)
        if known is None:
            known = -1
            for y in self.ys:
                if not states & ~y:
                    known &= y
            known = self._closure[states] = GARBAGE if known < 0 else known
        return known

    def step(self, states: int, a: int) -> int:
        """cl δ(states, a), or :data:`GARBAGE`."""
        after, delta = 0, self.delta
        while states:
            low = states & -states
            r = delta[low.bit_length() - 1][a]
            if r < 0:
                return GARBAGE
            after |= 1 << r
            states ^= low
        return self.close(after)

    def explore(self, limit: int | None = None) -> None:
        """Fill ``sets``: everything reachable from cl{start} by letters and joins.

        Concatenation composes letters, option and union are joins, and a star's
        set is an iterated join, so nothing else can occur in a type.
        """
        limit = self._limit if limit is None else limit
        root = self.close(1)
        self.sets, self.index = [root], {root: 0}
        for i, x in enumerate(self.sets):
            self.check()
            new = [self.step(x, a) for a in range(self.k)]
            new += [self.close(x | y) for y in self.sets[:i]]
            for z in new:
                if z and z not in self.index:
                    if len(self.sets) >= limit:
                        raise BudgetExceeded(f"more than {limit} closed sets")
                    self.index[z] = len(self.sets)
                    self.sets.append(z)
