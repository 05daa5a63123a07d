"""Words that separate an automaton from a faulty one: through every transition, into and out of acceptance."""

from __future__ import annotations

import random

from regsynth.automata.lazy import LazyDFA
from regsynth.syntax.charset import CharSet

STATES = 300  # explored breadth-first; a bigger automaton is sampled near its start
WORDS = 400


def boundary_characters(chars: CharSet, limit: int = 12) -> list[str]:
    """Ends of the ranges of a set, a readable member first."""
    found = [chars.sample]
    for first, last in chars.ranges():
        found += [chr(first), chr(last)]
        if len(found) > 4 * limit:
            break
    return list(dict.fromkeys(found))[:limit]


def words_of(machine: LazyDFA, *, limit: int = WORDS, seed: int = 0) -> list[str]:
    """Words to try.

    For every transition met first: the shortest way to it, the transition, and
    then nothing, a shortest way to acceptance and one to rejection. Letters are
    drawn from the ends of the ranges in each class. Random words are added.

    Parameters
    ----------
    machine : LazyDFA
    limit : int
        At most this many words.
    seed : int
    """
    rng = random.Random(seed)
    classes = [boundary_characters(chars) for chars in machine.partition.classes]
    turn = [0] * len(classes)

    def letter(i: int) -> str:
        turn[i] += 1
        return classes[i][turn[i] % len(classes[i])]

    way: dict[int, list[int]] = {0: []}
    order = [0]
    edges: list[tuple[int, int, int]] = []
    for q in order:
        for i, r in enumerate(machine.row(q)):
            edges.append((q, i, r))
            if r not in way and len(order) < STATES:
                way[r] = [*way[q], i]
                order.append(r)
    toward = {wanted: _nearest(machine, edges, wanted) for wanted in (True, False)}
    words = {"": None}
    rng.shuffle(edges)
    for q, i, r in edges:
        if len(words) >= limit * 3 // 4:
            break
        start = [*way[q], i]
        for wanted in (None, True, False):
            tail = [] if wanted is None else toward[wanted].get(r)
            if tail is not None:
                words["".join(map(letter, start + tail))] = None
    for chars, members in zip(machine.partition.classes, classes, strict=True):
        if len(words) < limit:
            words.update(dict.fromkeys(members[: max(2, limit // 40)]))
            words.setdefault(_random_member(chars, rng))
    while len(words) < limit:
        length = rng.choice((1, 2, 2, 3, 4, 6, 9))
        before = len(words)
        words.setdefault("".join(letter(rng.randrange(len(classes))) for _ in range(length)))
        if len(words) == before:
            limit -= 1
    return list(words)


def _nearest(machine: LazyDFA, edges: list[tuple[int, int, int]], wanted: bool) -> dict[int, list[int]]:
    """From each explored state, a shortest way to a state that accepts (or rejects)."""
    before: dict[int, list[tuple[int, int]]] = {}
    states = {0}
    for q, i, r in edges:
        before.setdefault(r, []).append((q, i))
        states |= {q, r}
    order = [q for q in states if machine.accepting[q] == wanted]
    way: dict[int, list[int]] = {q: [] for q in order}
    for r in order:
        for q, i in before.get(r, ()):
            if q not in way:
                way[q] = [i, *way[r]]
                order.append(q)
    return way


def _random_member(chars: CharSet, rng: random.Random) -> str:
    ranges = list(chars.ranges())
    first, last = ranges[rng.randrange(len(ranges))]
    return chr(rng.randint(first, last))
