"""Letters in context, and how many of them must be different occurrences.

A *letter in context* (q, a, Y) says: some word u·a·v of the language has u leading
to state q and v accepted exactly from the states Y. If one occurrence of a in an
expression r ⊆ U read both u·a·v and u'·a·v', then r would accept u·a·v' and
u'·a·v as well. So two letters in context need two occurrences when the letters
differ, or when one of these cross words is not in U. A set of pairwise
conflicting ones (a fooling set) bounds the alphabetic width from below.
"""

from __future__ import annotations

from collections.abc import Sequence

from regsynth.automata.dfa import bits
from regsynth.solvers.closed import ClosedSets

Context = tuple[int, int, int]  # letter, state before, states that accept the rest
MOST_CONTEXTS = 1_000  # of one letter that are compared pairwise; of more, every second, third… is taken


def fooling_set(closed: ClosedSets, contexts: Sequence[Context], nodes: int = 200) -> list[int]:
    """Indices of a large set of pairwise conflicting letters in context.

    Different letters always conflict, so the largest set is found letter by
    letter, by branch and bound on at most ``nodes`` nodes each (beyond that the
    best set found so far is returned: smaller, never wrong).
    """
    by_letter: dict[int, list[int]] = {}
    for i, (a, _, _) in enumerate(contexts):
        by_letter.setdefault(a, []).append(i)
    chosen: list[int] = []
    for a, members in by_letter.items():
        members = members[:: len(members) // MOST_CONTEXTS + 1]
        after = [1 << closed.delta[contexts[i][1]][a] for i in members]
        rest = [contexts[i][2] for i in members]
        conflicts = [0] * len(members)
        for x in range(len(members)):
            closed.check()
            ax, rx = after[x], rest[x]
            for y in range(x):
                if not (rest[y] & ax and rx & after[y]):
                    conflicts[x] |= 1 << y
                    conflicts[y] |= 1 << x
        chosen += [members[x] for x in bits(max_clique(conflicts, nodes))]
    return chosen


def max_clique(neighbours: Sequence[int], nodes: int) -> int:
    """A largest clique as a bit set (Tomita-style colouring bound).

    Parameters
    ----------
    neighbours : sequence of int
        Adjacency, one bit set a vertex.
    nodes : int
        Branching budget; beyond it the best clique so far.

    >>> bin(max_clique([0b110, 0b101, 0b011, 0b000], 100))
    '0b111'
    """
    best, best_size, left = 0, 0, nodes
    stack: list[tuple[int, int, list[tuple[int, int]], int]] = []
    everything = (1 << len(neighbours)) - 1
    stack.append((0, 0, _colour(neighbours, everything), everything))
    while stack:
        clique, size, order, candidates = stack.pop()
        if not order or size + order[-1][1] <= best_size:
            continue
        vertex, _ = order.pop()
        stack.append((clique, size, order, candidates & ~(1 << vertex)))
        grown, inside = clique | 1 << vertex, candidates & neighbours[vertex]
        if size + 1 > best_size:
            best, best_size = grown, size + 1
        if inside:
            left -= 1
            if left < 0:
                return best
            stack.append((grown, size + 1, _colour(neighbours, inside), inside))
    return best


def _colour(neighbours: Sequence[int], candidates: int) -> list[tuple[int, int]]:
    """Vertices with a greedy colour number; a clique needs that many colours."""
    order: list[tuple[int, int]] = []
    colour = 0
    while candidates:
        colour += 1
        free = candidates
        while free:
            low = free & -free
            v = low.bit_length() - 1
            candidates ^= low
            free &= ~(neighbours[v] | low)
            order.append((v, colour))
    return order


def contexts_of(closed: ClosedSets) -> list[Context]:
    """Every letter in context of U whose rest is as small as can be.

    A smaller set of accepting states only adds conflicts, so for each transition
    only the minimal ``Y_v`` around its target matter.
    """
    by_size = sorted(closed.ys, key=int.bit_count)
    minimal: list[list[int]] = []
    for q in range(closed.n):
        closed.check()
        kept: list[int] = []
        for y in by_size:
            if y >> q & 1 and not any(z & ~y == 0 for z in kept):
                kept.append(y)
        minimal.append(kept)
    return [(a, q, y) for q in range(closed.n) for a, r in enumerate(closed.delta[q]) if r >= 0 for y in minimal[r]]


def first_sample(closed: ClosedSets, nodes: int = 200) -> set[tuple[int, ...]]:
    """Words of U that hold a large fooling set between them: a good first sample.

    Each is a shortest access word, a letter, and a shortest tail. A small automaton
    adds its shortest words and a word that goes twice round each short cycle: they
    refute most wrong candidates before they are built. The sample is never empty.
    """
    access = _access_words(closed)
    contexts = contexts_of(closed)
    tail = dict(zip(closed.ys, closed.tails))
    words = {(*access[q], a, *tail[y]) for a, q, y in (contexts[i] for i in fooling_set(closed, contexts, nodes))}
    if closed.final & 1:
        words.add(())
    if closed.n <= SMALL:
        words |= _shortest_words(closed, 8)
        for q in range(closed.n):
            cycle = _short_cycle(closed, q)
            if cycle:
                words.add((*access[q], *cycle, *cycle, *next(t for y, t in zip(closed.ys, closed.tails) if y >> q & 1)))
    return words


SMALL = 8  # states of an automaton whose shortest words say much about it


def _access_words(closed: ClosedSets) -> list[tuple[int, ...]]:
    """A shortest word to each state, least in letter order."""
    found: dict[int, tuple[int, ...]] = {0: ()}
    queue = [0]
    for q in queue:
        for a, r in enumerate(closed.delta[q]):
            if r >= 0 and r not in found:
                found[r] = (*found[q], a)
                queue.append(r)
    return [found[q] for q in range(closed.n)]


def _shortest_words(closed: ClosedSets, most: int) -> set[tuple[int, ...]]:
    """The first words of U in length-lexicographic order."""
    out: set[tuple[int, ...]] = set()
    queue: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    for q, word in queue:
        if closed.final >> q & 1:
            out.add(word)
        if len(out) >= most or len(queue) > 50 * most:
            break
        queue += [(r, (*word, a)) for a, r in enumerate(closed.delta[q]) if r >= 0]
    return out


def _short_cycle(closed: ClosedSets, q: int) -> tuple[int, ...]:
    """A shortest cycle of at most three letters through ``q``, or ε."""
    layer: list[tuple[int, tuple[int, ...]]] = [(q, ())]
    for _ in range(3):
        layer = [(r, (*w, a)) for s, w in layer for a, r in enumerate(closed.delta[s]) if r >= 0]
        for r, w in layer:
            if r == q:
                return w
        layer = list({r: (r, w) for r, w in reversed(layer)}.values())
    return ()
