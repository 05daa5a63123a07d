"""Goals of the look-ahead, and what an operator and one operand make of them.

A goal says which infixes must be held, which must not, and sets of which one must be
held. For ``x·y`` and a known x these are the words y must avoid, and for each word to
be held the set of its rests. Below a star a goal only says what is necessary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from regsynth.automata.dfa import bits
from regsynth.syntax.tree import DIFFERENCE, INTERSECTION, UNION

Splits = Sequence[Sequence[tuple[int, int]]]  # of each infix, by number: the pairs it is cut into, the first left part ε


class Goal(NamedTuple):
    """What a sequence must hold, must not hold, and sets of which it must hold one."""

    must: int
    avoid: int
    hits: tuple[int, ...] = ()


class Below(NamedTuple):
    """Where a goal stands that only says what is necessary: the way up, and the goal there that says all.

    A step is an operator, the stored row of its other operand (−1: none), and whether that one stands on the right.
    """

    steps: tuple[tuple[int, int, int], ...]
    top: Goal


def goal_of(must: int, avoid: int, hits: Iterator[int] | tuple[int, ...]) -> Goal | None:
    """A goal in normal form, or ``None`` when nothing can meet it.

    >>> goal_of(0b1, 0b10, (0b110, 0b11000))
    Goal(must=5, avoid=2, hits=(24,))
    >>> goal_of(0b1, 0b10, (0b10,)) is None
    True
    """
    left: set[int] = set()
    for hit in hits:
        hit &= ~avoid
        if not hit:
            return None
        if hit & (hit - 1):
            left.add(hit)
        else:
            must |= hit
    if must & avoid:
        return None
    return Goal(must, avoid, tuple(sorted(hit for hit in left if not hit & must)))


def remainder(goal: Goal, op: int, x: int, side: int, splits: Splits) -> Goal | None:
    """The goal of the other operand when x is the left (0) or right (1) one; ``None`` when nothing will do."""
    must, avoid, hits = goal
    if op == UNION:
        return None if x & avoid else goal_of(must & ~x, avoid, tuple(hit for hit in hits if not hit & x))
    if op == INTERSECTION or (op == DIFFERENCE and side):
        inside = ~x if op == DIFFERENCE else x
        return None if must & ~inside else goal_of(must, avoid & inside, tuple(hit & inside for hit in hits))
    if op == DIFFERENCE:
        return None if must & ~x or hits else goal_of(x & avoid, must, ())
    new, rests = 0, []
    for w in bits(avoid):
        for cut in splits[w]:
            if x >> cut[side] & 1:
                new |= 1 << cut[1 - side]
    for group in (*(1 << w for w in bits(must)), *hits):
        rest = 0
        for w in bits(group):
            for cut in splits[w]:
                if x >> cut[side] & 1:
                    rest |= 1 << cut[1 - side]
        rests.append(rest)
    return goal_of(0, new, tuple(rests))


def below_star(goal: Goal, splits: Splits) -> Goal | None:
    """What the operand of a star that meets the goal must hold at least; ``None`` when nothing will do."""
    hits: list[int] = []
    for group in (*(1 << w for w in bits(goal.must & ~1)), *goal.hits):
        if group & 1:
            continue  # ε is in every star
        words = [*bits(group)]
        hits += [reduce(or_, (1 << cut[side] for w in words for cut in splits[w] if cut[side])) for side in (0, 1)]
        if len(words) == 1:
            (w,) = words
            hits += [_around(splits, w, place) for place in range(1, len(splits[w]) - 2)]
    weaker = goal_of(0, goal.avoid, tuple(hits))
    if weaker is None:
        return None
    least: list[int] = []
    for hit in sorted(weaker.hits, key=int.bit_count):
        if not any(other & hit == other for other in least):
            least.append(hit)
    return Goal(weaker.must, weaker.avoid, tuple(sorted(least)))


def _around(splits: Splits, word: int, place: int) -> int:
    """The infixes that hold the letter at this place of a word, where they are cut out of it there."""
    found = 0
    for start, (_, rest) in enumerate(splits[word][: place + 1]):
        for length, (piece, _) in enumerate(splits[rest]):
            if start + length > place:
                found |= 1 << piece
    return found


def step(op: int, row: int, side: int, below: Below | None) -> Below | None:
    """One step further down."""
    return None if below is None else Below(((op, row, side), *below.steps), below.top)
