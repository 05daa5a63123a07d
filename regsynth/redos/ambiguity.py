"""How the number of runs of an automaton grows: exponentially, or with which degree.

The criteria are those of Weber and Seidl (1991), tested on products as Allauzen, Mohri
and Rastogi (2008) do, one strongly connected component at a time:

* exponential (EDA) when some state has two different runs to itself on one word;
* otherwise the runs of length n number Θ(n^d) at most, where d is the longest chain of
  links (IDA): states p and q and a word that leads p to p, p to q and q to q.

All runs count, also those that lead nowhere, so a matcher's steps grow with degree d + 1.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded
from regsynth.redos.components import Inner, Moves, Word, components, cyclic, inner_moves, letters_of, path, trace

STEPS = 400_000
EDGES = 1_000_000


@dataclass(slots=True)
class Link:
    """A state ``p``, a later one ``q``, and a word that leads p to p, p to q and q to q."""

    p: int
    q: int
    word: Word


@dataclass(slots=True)
class Ambiguity:
    """What the analysis found.

    Attributes
    ----------
    exponential : bool
    degree : int
        Degree of the steps: 0 without loops, 1 with loops but no links.
    chain : list of Link
        The links of a longest chain; for exponential ones one link with ``p == q``.
    fork : tuple of (state, state) or None
        The two states an ambiguous word leads to first.
    """

    exponential: bool
    degree: int
    chain: list[Link] = field(default_factory=list)
    fork: tuple[int, int] | None = None


class Runs:
    """The runs of an automaton given by its moves.

    Parameters
    ----------
    moves : sequence
        For each state its ``(mask, targets)``: on the letters of the mask it goes to each of
        the targets, to a repeated one in several ways. Masks of two states can be
        compared when the states can be met at one place of one word.
    starts : sequence of int
    quiet : sequence
        The moves without those after which success is certain: of many runs on one word all but
        the last must fail, so runs that multiply use only these.
    meets : sequence of int or None
        Only states with the same number can be met at one place of one word.
    copies : set of int
        States whose choices are made for them by what was read before.
    clock : Clock
    steps : int
        Product states that may be visited.
    """

    def __init__(
        self, moves: Moves, starts: Sequence[int], clock: Clock, *, quiet: Moves | None = None, meets: Sequence[int] | None = None,
        copies: frozenset[int] = frozenset(), steps: int = STEPS,
    ) -> None:  # fmt: skip
        self.moves = moves
        self.quiet = moves if quiet is None else quiet
        self.meets = meets
        self.starts = starts
        self.copies = copies
        self.clock = clock
        self.left = steps
        if sum(len(targets) for row in moves for _, targets in row) > EDGES:
            raise BudgetExceeded(f"its automaton has more than {EDGES:,} edges")
        self._into: dict[int, list[int]] | None = None
        self.component, self.members = components(moves, starts)
        self.loops = [c for c, states in enumerate(self.members) if cyclic(moves, states)]

    def _spend(self, steps: int = 1) -> None:
        self.left -= steps
        if self.left <= 0:
            raise BudgetExceeded("the product of the automaton with itself is too large")
        if not self.left & 1023:
            self.clock.check()

    def growth(self) -> Ambiguity:
        """Exponential or not, and the exact degree."""
        if not self.loops:
            return Ambiguity(False, 0)
        if self.quiet is self.moves:
            component, members = self.component, self.members
        else:
            component, members = components(self.quiet, [s for c in self.loops for s in self.members[c]])
        inside = {}
        for c, states in enumerate(members):
            if cyclic(self.quiet, states):
                inside[c] = inner_moves(self.quiet, states, component, c)
                found = self._ambiguous(inside[c])
                if found is not None:
                    return found
        loud = []
        if self.quiet is not self.moves:
            for c in self.loops:
                whole = inner_moves(self.moves, self.members[c], self.component, c)
                if whole != inside.get(component[self.members[c][0]]):
                    loud.append(whole)
        return self._chain(inside, loud)

    def _ambiguous(self, inner: Inner) -> Ambiguity | None:
        """EDA inside a component: leave a state two ways and meet again."""
        if all(len(targets) == 1 for groups in inner.values() for _, targets in groups):
            return None
        parents: dict[tuple[int, int], tuple[Any, int]] = {}
        queue: deque[tuple[int, int]] = deque()
        for s, groups in inner.items():
            if s in self.copies:
                continue
            for mask, targets in groups:
                letter = mask
                for i, t in enumerate(targets):
                    self._spend(1 + i // 2)
                    for u in targets[:i]:
                        if t == u:
                            word = ((s, letter), *path(inner, t, s))
                            return Ambiguity(True, 0, [Link(s, s, word)], (t, t))
                        pair = (t, u) if t < u else (u, t)
                        if pair not in parents:
                            parents[pair] = ((s, s), letter)
                            queue.append(pair)
        while queue:
            pair = queue.popleft()
            self._spend()
            for mask, targets in inner[pair[0]]:
                for other, others in inner[pair[1]]:
                    if not mask & other:
                        continue
                    letter = mask & other
                    self._spend(len(targets) * len(others) // 8)
                    for t in targets:
                        for u in others:
                            if t == u:
                                return self._merged(inner, parents, pair, letter, t)
                            after = (t, u) if t < u else (u, t)
                            if after not in parents:
                                parents[after] = (pair, letter)
                                queue.append(after)
        return None

    def _merged(self, inner: Inner, parents: Any, pair: tuple[int, int], letter: int, meeting: int) -> Ambiguity:
        word = [(pair[0], letter)]
        fork = pair
        while pair[0] != pair[1]:
            fork = pair
            pair, letter = parents[pair]
            word.append((pair[0], letter))
        s = pair[0]
        return Ambiguity(True, 0, [Link(s, s, (*reversed(word), *path(inner, meeting, s)))], fork)

    def prefix(self, goal: int) -> Word:
        """A shortest word from a start to a state."""
        parents: dict[int, tuple[int, int]] = dict.fromkeys(self.starts, (-1, -1))
        queue = deque(self.starts)
        while queue and goal not in parents:
            s = queue.popleft()
            for mask, targets in self.moves[s]:
                for t in targets:
                    if t not in parents:
                        parents[t] = (s, mask)
                        queue.append(t)
        return trace(parents, goal)

    # Chains of links.

    def _chain(self, inside: dict[int, Inner], loud: list[Inner]) -> Ambiguity:
        """The longest chain, by components in topological order.

        Runs that multiply make quiet moves only, except in the first loop of a chain: there success
        may be certain once all runs that branch off have failed.
        """
        order = sorted(inside, reverse=True)  # Tarjan numbers a component after all it leads to
        best: dict[int, tuple[int, int | None, Link | None]] = {}
        letters = {c: letters_of(inside[c]) for c in order}
        for i, b in enumerate(order):
            best[b] = (1, None, None)
            before = self._reaching(inside[b])
            for first in loud:
                link = self._link(first, inside[b], before) if letters_of(first) & letters[b] else None
                if link is not None:
                    best[b] = (2, None, link)
                    break
            for a in sorted(order[:i], key=lambda c: -best[c][0]):
                if best[a][0] + 1 <= best[b][0]:
                    break
                if next(iter(inside[a])) not in before:
                    continue
                if best[a][0] > best[b][0]:
                    best[b] = (best[a][0], a, None)
                if not letters[a] & letters[b]:
                    continue
                link = self._link(inside[a], inside[b], before)
                if link is not None:
                    best[b] = (best[a][0] + 1, a, link)
        if not best:
            return Ambiguity(False, 1)
        last = max(order, key=lambda c: best[c][0])
        degree = best[last][0]
        chain: list[Link] = []
        here: int | None = last
        while here is not None:
            _, here, link = best[here]
            if link is not None:
                chain.append(link)
        return Ambiguity(False, degree, chain[::-1])

    def _reaching(self, states: Iterable[int]) -> set[int]:
        """States from which some of the given ones can be reached by quiet moves."""
        if self._into is None:
            self._into = {}
            for s, comp in enumerate(self.component):
                if comp >= 0:
                    for _, targets in self.quiet[s]:
                        for t in targets:
                            self._into.setdefault(t, []).append(s)
        into = self._into
        seen = set(states)
        stack = list(seen)
        while stack:
            for s in into.get(stack.pop(), ()):
                if s not in seen:
                    seen.add(s)
                    stack.append(s)
        return seen

    def _link(self, first: Inner, last: Inner, before: set[int]) -> Link | None:
        """IDA from a component to a later one."""
        if self.meets is not None and {self.meets[p] for p in first}.isdisjoint(self.meets[q] for q in last):
            return None
        pairs: list[tuple[int, int]] = []
        number: dict[tuple[int, int], int] = {}
        joint: list[list[tuple[int, tuple[int, ...]]]] = []
        meets = self.meets
        for p in first:
            for q in last:
                pair = (p, q)
                if pair not in number and (meets is None or meets[p] == meets[q]):
                    self._grow(pair, first, last, pairs, number, joint)
        component, members = components(joint, range(len(joint)))
        for c, states in enumerate(members):
            s = states[0]
            if not cyclic(joint, states):
                continue
            link = self._triple(pairs, component, c, s, joint, before)
            if link is not None:
                return link
        return None

    def _grow(self, pair: Any, first: Any, last: Any, pairs: Any, number: Any, joint: Any) -> None:
        number[pair] = len(pairs)
        pairs.append(pair)
        at = number[pair]
        while at < len(pairs):
            self._spend()
            p, q = pairs[at]
            groups = []
            for mask, targets in first[p]:
                for other, others in last[q]:
                    if mask & other:
                        self._spend(len(targets) * len(others) // 8)
                        found = []
                        for t in targets:
                            for u in others:
                                after = (t, u)
                                if after not in number:
                                    number[after] = len(pairs)
                                    pairs.append(after)
                                found.append(number[after])
                        groups.append((mask & other, tuple(found)))
            joint.append(groups)
            at += 1

    def _triple(self, pairs: Any, component: list[int], c: int, start: int, joint: Any, before: set[int]) -> Link | None:
        """From (p, p, q) to (p', q', q') with (p, q) and (p', q') in one component of the joint loops."""
        p, q = pairs[start]
        source = (start, p)
        parents: dict[tuple[int, int], tuple[Any, int]] = {source: (None, -1)}
        queue = deque([source])
        copies = self.copies
        while queue:
            here = queue.popleft()
            self._spend()
            pair, x = here
            together = x == pairs[pair][0]
            fixed = together and x in copies
            for mask, targets in joint[pair]:
                for other, others in self.moves[x] if together else self.quiet[x]:
                    if not mask & other:
                        continue
                    letter = mask & other
                    self._spend(len(targets) * len(others) // 8)
                    for t in targets:
                        if component[t] != c:
                            continue
                        for u in others:
                            if u != pairs[t][0] and (fixed or u not in before):
                                continue
                            after = (t, u)
                            if after in parents:
                                continue
                            parents[after] = (here, letter)
                            if u == pairs[t][1]:
                                word = []
                                step: Any = after
                                while parents[step][0] is not None:
                                    back, letter = parents[step]
                                    word.append((pairs[back[0]][0], letter))
                                    step = back
                                inside = {s: [(m, tuple(v for v in ts if component[v] == c)) for m, ts in joint[s]]
                                          for s in range(len(joint)) if component[s] == c}  # fmt: skip
                                back_word = [(pairs[s][0], letter) for s, letter in path(inside, t, start)]
                                return Link(p, q, (*reversed(word), *back_word))
                            queue.append(after)
        return None
