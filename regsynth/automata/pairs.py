"""Decide a pair of languages over all of Unicode, with a shortest witness.

Both sides are lazy deterministic automata over their own classes; the letters of
a pair are the classes of one that meet a class of the other. Equivalence is
Hopcroft and Karp's: a pair of states is skipped when the pairs met before imply
it. Breadth-first order keeps the witness shortest: a word that separates a
skipped pair separates one of those that imply it, and they lie no deeper.

Pure patterns whose subsets explode are tried in three ways in turn, a slice of
pairs each: forwards, backwards on the mirror images, and forwards up to
congruence (Bonchi and Pous, POPL 2013), where sets of positions are also related
by unions of earlier pairs. The first to finish decides.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Literal

from regsynth.automata.lazy import LazyDFA
from regsynth.automata.letters import LetterAutomaton, SubsetDFA
from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded
from regsynth.syntax.partition import Partition, joint_letters

Relation = Literal["equivalent", "included", "disjoint"]
Found = tuple[list[int], str] | None  # letters of the word, and the side that accepts it
Search = Generator[None, None, Found]
Letters = list[tuple[int, int]]
SLICE = 128  # pairs before the next way is tried

_letters: dict[tuple[int, int], tuple[Partition, Partition, list[tuple[int, int]]]] = {}


def letters_of(first: Partition, second: Partition) -> list[tuple[int, int]]:
    """Joint letters of two partitions, remembered."""
    key = (id(first), id(second))
    known = _letters.get(key)
    if known is None or known[0] is not first or known[1] is not second:
        if len(_letters) > 4096:
            _letters.clear()
        known = _letters[key] = (first, second, joint_letters(first, second))
    return known[2]


@dataclass(frozen=True, slots=True)
class Difference:
    """A shortest word that decides a pair, and the side that accepts it (``both`` for a common word)."""

    word: str
    side: str


def decide(first: LazyDFA, second: LazyDFA, relation: Relation, clock: Clock) -> Difference | None:
    """A shortest witness against the relation; ``None`` when it holds.

    Raises
    ------
    BudgetExceeded
    """
    first.clock = second.clock = clock
    letters = letters_of(first.partition, second.partition)
    if relation == "equivalent":
        searches = [_hopcroft_karp(first, second, letters, clock)]
    else:
        searches = [_product(first, second, letters, relation == "disjoint", clock)]
    later: list[Callable[[], tuple[Search, bool]]] = []
    if relation != "disjoint" and isinstance(first, SubsetDFA) and isinstance(second, SubsetDFA):
        left, right = first.automaton, second.automaton
        later = [lambda: (_mirrored(left, right, letters, relation, clock), True),
                 lambda: (_congruence(left, right, letters, relation == "included", clock), False)]  # fmt: skip
    mirrored = [False]
    failure: BudgetExceeded | None = None
    turn = 0
    while searches:
        turn %= len(searches)
        try:
            next(searches[turn])
        except StopIteration as stop:
            return _difference(stop.value, mirrored[turn], first, second, letters)
        except BudgetExceeded as error:
            failure = failure or error
            if clock.left <= 0:
                raise
            del searches[turn], mirrored[turn]
        else:
            turn += 1
        for start in later:
            search, is_mirror = start()
            searches.append(search)
            mirrored.append(is_mirror)
        later = []
    assert failure is not None
    raise failure


def _difference(found: Found, mirrored: bool, first: LazyDFA, second: LazyDFA, letters: Letters) -> Difference | None:
    if found is None:
        return None
    word, side = found
    left, right = first.partition, second.partition
    pairs = [letters[k] for k in (reversed(word) if mirrored else word)]
    return Difference("".join((left.letter(i) & right.letter(j)).sample for i, j in pairs), side)


def _word(trail: list[tuple[int, int]], at: int) -> list[int]:
    """Letters on the way to entry ``at``; each entry is (parent entry, letter)."""
    word = []
    while at:
        at, letter = trail[at]
        word.append(letter)
    return word[::-1]


def _hopcroft_karp(first: LazyDFA, second: LazyDFA, letters: Letters, clock: Clock) -> Search:
    """Merge states that must be equivalent; state q of the second is numbered ~q."""
    parent: dict[int, int] = {}
    queue = [(0, 0)]
    trail = [(0, 0)]
    accepts, other_accepts = first.accepting, second.accepting
    if accepts[0] != other_accepts[0]:
        return [], "first" if accepts[0] else "second"
    parent[~0] = 0
    lefts, rights = [i for i, _ in letters], [j for _, j in letters]
    for n, (p, q) in enumerate(queue):
        if n and not n % SLICE:
            clock.check()
            yield
        targets = [*zip(map(first.row(p).__getitem__, lefts), map(second.row(q).__getitem__, rights))]
        for a, b in dict.fromkeys(targets):  # each pair at its first letter
            x, y = a, ~b
            while (up := parent.get(x)) is not None:
                x = up
            while (up := parent.get(y)) is not None:
                y = up
            if x == y:
                continue
            if accepts[a] != other_accepts[b]:
                return [*_word(trail, n), targets.index((a, b))], "first" if accepts[a] else "second"
            # Point both paths at the new root: amortised nearly constant.
            for z in (a, ~b):
                while z != x:
                    above = parent.get(z, x)
                    parent[z] = x
                    z = above
            queue.append((a, b))
            trail.append((n, targets.index((a, b))))
    return None


def _product(first: LazyDFA, second: LazyDFA, letters: Letters, common: bool, clock: Clock) -> Search:
    """Breadth-first product: a word of the first outside (``common``: inside) the second."""
    accepts, other_accepts = first.accepting, second.accepting
    seen = {(0, 0)}
    queue = [(0, 0)]
    trail = [(0, 0)]
    for n, (p, q) in enumerate(queue):
        if accepts[p] and other_accepts[q] == common:
            return _word(trail, n), "both" if common else "first"
        if n and not n % SLICE:
            if n > clock.budget.states:
                raise BudgetExceeded(f"state budget of {clock.budget.states:,} used up in a product")
            clock.check()
            yield
        row, other_row = first.row(p), second.row(q)
        for letter, (i, j) in enumerate(letters):
            pair = (row[i], other_row[j])
            if pair not in seen:
                seen.add(pair)
                queue.append(pair)
                trail.append((n, letter))
    return None


def _mirrored(left: LetterAutomaton, right: LetterAutomaton, letters: Letters, relation: Relation, clock: Clock) -> Search:
    first, second = SubsetDFA(left.reversed(), clock), SubsetDFA(right.reversed(), clock)
    if relation == "equivalent":
        return (yield from _hopcroft_karp(first, second, letters, clock))
    return (yield from _product(first, second, letters, False, clock))


class _Side:
    """One automaton's transitions over joint letters, as bit sets with an extra start bit."""

    def __init__(self, automaton: LetterAutomaton, masks: list[int], shift: int) -> None:
        self.automaton, self.masks, self.shift = automaton, masks, shift
        self.start = 1 << len(automaton.follow)
        self.size = len(automaton.follow) + 1
        self.last = automaton.last | (self.start if automaton.nullable else 0)

    def reach(self, subset: int) -> int:
        out = self.automaton.post(subset & ~self.start)
        return out | self.automaton.first if subset & self.start else out


def _congruence(left: LetterAutomaton, right: LetterAutomaton, letters: Letters, inclusion: bool, clock: Clock) -> Search:
    """Equivalence of L and R (or of L∪R and R) up to congruence."""
    a = _Side(left, [left.by_letter[i] for i, _ in letters], 0)
    b = _Side(right, [right.by_letter[j] for _, j in letters], a.size)
    split = (1 << a.size) - 1
    last = a.last | b.last << a.size
    start_a, start_b = a.start, b.start << a.size
    queue = [((start_a | start_b) if inclusion else start_a, start_b)]
    trail = [(0, 0)]
    rules: list[tuple[int, int]] = []  # a set that holds the first also holds the second
    normal: dict[int, int] = {}

    def closed(subset: int) -> int:
        changed = True
        while changed:
            changed = False
            for small, both in rules:
                if small & subset == small and both & ~subset:
                    subset |= both
                    changed = True
        return subset

    steps = 0
    for n, (x, y) in enumerate(queue):
        if bool(x & last) != bool(y & last):
            return _word(trail, n), "first" if x & last else "second"
        steps += 1 + len(rules)
        if steps > 20_000:
            steps = 0
            clock.check()
            yield
        if x == y or closed(x) == closed(y):
            continue
        both = x | y
        rules += [(x, both), (y, both)]
        normal.clear()
        xa, xb = a.reach(x & split), b.reach(x >> a.size)
        ya, yb = a.reach(y & split), b.reach(y >> a.size)
        for letter, (mask, other) in enumerate(zip(a.masks, b.masks, strict=True)):
            pair = (xa & mask | (xb & other) << a.size, ya & mask | (yb & other) << a.size)
            if pair[0] != pair[1]:
                queue.append(pair)
                trail.append((n, letter))
    return None
