"""Place a small automaton on the plane, layer by layer (after Sugiyama, Tagawa and Toda, 1981).

A state's layer is the longest way to it over edges that lead forward: those between
strongly connected components, and inside one those that lead away from the start. An
edge over several layers runs through a dummy point in each layer it crosses. Meant for
up to about 60 states: ordering costs O(E²) a sweep.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

Point = tuple[float, float]
Edge = tuple[int, int]

RADIUS = 20.0
SWEEPS = 12


@dataclass(frozen=True, slots=True)
class Layout:
    """Centre of each state, the points each long edge runs through, and every state's layer."""

    place: dict[int, Point]
    via: dict[Edge, list[Point]]
    layer: dict[int, int]


def arrange(start: int, edges: Mapping[Edge, float]) -> Layout:
    """Lay out the states reachable from ``start``.

    Parameters
    ----------
    start : int
    edges : mapping of (source, target) to the width of the label, in pixels

    Examples
    --------
    >>> arrange(0, {(0, 1): 10.0, (1, 0): 10.0}).layer
    {0: 0, 1: 1}
    """
    layer = _layers(start, edges)
    levels: list[list[Hashable]] = [[] for _ in range(max(layer.values()) + 1)]
    for q, k in layer.items():
        levels[k].append(q)
    segments: list[list[tuple[Hashable, Hashable]]] = [[] for _ in levels]  # from level k to k + 1
    level_edges: list[list[Edge]] = [[] for _ in levels]
    chains: dict[Edge, list[Hashable]] = {}
    for q, r in edges:
        top, bottom = sorted((layer[q], layer[r]))
        if top == bottom:
            if q != r:
                level_edges[top].append((q, r))
            continue
        upper, lower = (q, r) if layer[q] < layer[r] else (r, q)
        chain: list[Hashable] = [upper]
        for k in range(top + 1, bottom):
            dummy = ("via", q, r, k)
            levels[k].append(dummy)
            chain.append(dummy)
        chain.append(lower)
        for k, pair in enumerate(itertools.pairwise(chain), top):
            segments[k].append(pair)
        if len(chain) > 2:
            chains[q, r] = chain[1:-1] if upper == q else chain[-2:0:-1]
    _order(levels, segments, level_edges)
    ys = _rows(levels, segments)
    xs = _columns(layer, edges, segments, ys)
    place = {q: (xs[k], ys[q]) for q, k in layer.items()}
    number = {item: k for k, level in enumerate(levels) for item in level}
    via = {edge: [(xs[number[item]], ys[item]) for item in chain] for edge, chain in chains.items()}
    return Layout(place, via, layer)


def _layers(start: int, edges: Mapping[Edge, float]) -> dict[int, int]:
    after: dict[int, list[int]] = {}
    for q, r in edges:
        after.setdefault(q, []).append(r)
    distance = {start: 0}
    queue = [start]
    for q in queue:
        for r in after.get(q, ()):
            if r not in distance:
                distance[r] = distance[q] + 1
                queue.append(r)
    reach = {q: _reachable(q, after) for q in queue}
    forward = [(q, r) for q, r in edges if q in reach and (q not in reach[r] or distance[q] < distance[r])]
    layer = dict.fromkeys(queue, 0)
    moved = True
    while moved:  # ends: forward edges form no cycle
        moved = False
        for q, r in forward:
            if layer[r] <= layer[q]:
                layer[r] = layer[q] + 1
                moved = True
    return layer


def _reachable(start: int, after: Mapping[int, Sequence[int]]) -> set[int]:
    """States reached by at least one edge."""
    seen: set[int] = set()
    stack = [start]
    while stack:
        for r in after.get(stack.pop(), ()):
            if r not in seen:
                seen.add(r)
                stack.append(r)
    return seen


def _order(
    levels: list[list[Hashable]], segments: list[list[tuple[Hashable, Hashable]]], level_edges: list[list[Edge]]
) -> None:
    """Reorder each level in place by barycentres, keeping the order with the fewest crossings."""
    before: dict[Hashable, list[Hashable]] = {}
    after: dict[Hashable, list[Hashable]] = {}
    for pairs in segments:
        for upper, lower in pairs:
            after.setdefault(upper, []).append(lower)
            before.setdefault(lower, []).append(upper)
    best, best_cost = [list(level) for level in levels], _tangle(levels, segments, level_edges)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        neighbours = before if down else after
        for k in range(1, len(levels)) if down else range(len(levels) - 2, -1, -1):
            rank = {item: i for i, item in enumerate(levels[k - 1] if down else levels[k + 1])}
            own = {item: float(i) for i, item in enumerate(levels[k])}
            middle = {item: _mean([rank[other] for other in neighbours.get(item, ())], own[item]) for item in levels[k]}
            levels[k].sort(key=lambda item, middle=middle: middle[item])  # type: ignore[misc]
        cost = _tangle(levels, segments, level_edges)
        if cost < best_cost:
            best, best_cost = [list(level) for level in levels], cost
    for k, level in enumerate(best):
        levels[k][:] = level


def _tangle(
    levels: list[list[Hashable]], segments: list[list[tuple[Hashable, Hashable]]], level_edges: list[list[Edge]]
) -> float:
    """Crossings between levels, plus the items jumped over by edges inside a level."""
    total = 0.0
    rank = {item: i for level in levels for i, item in enumerate(level)}
    for pairs in segments:
        ends = sorted((rank[upper], rank[lower]) for upper, lower in pairs)
        total += sum(1 for i, (a, b) in enumerate(ends) for c, d in ends[i + 1 :] if a < c and b > d)
    for edges in level_edges:
        total += sum(abs(rank[q] - rank[r]) - 1 for q, r in edges)
    return total


def _columns(
    layer: dict[int, int], edges: Mapping[Edge, float], segments: list[list[tuple[Hashable, Hashable]]], ys: dict[Hashable, float]
) -> list[float]:
    """x of each layer: room for the widest label between two layers, and more where edges are steep."""
    wide = [0.0] * len(segments)
    for (q, r), width in edges.items():
        low, high = sorted((layer[q], layer[r]))
        if high == low + 1 or (low == high and q != r):
            wide[low] = max(wide[low], width)
    xs = [0.0]
    for k, pairs in enumerate(segments[:-1]):
        steep = max((abs(ys[upper] - ys[lower]) for upper, lower in pairs), default=0.0)
        xs.append(xs[-1] + 2 * RADIUS + 50 + wide[k] + min(0.16 * steep, 90.0))
    return xs


def _rows(levels: list[list[Hashable]], segments: list[list[tuple[Hashable, Hashable]]]) -> dict[Hashable, float]:
    """y of each item: near the mean of its neighbours, no closer than it may be."""
    near: dict[Hashable, list[Hashable]] = {}
    for pairs in segments:
        for upper, lower in pairs:
            near.setdefault(upper, []).append(lower)
            near.setdefault(lower, []).append(upper)
    offsets = []
    ys: dict[Hashable, float] = {}
    for level in levels:
        offset = [0.0]
        for first, second in itertools.pairwise(level):
            offset.append(offset[-1] + (_height(first) + _height(second)) / 2)
        offsets.append(offset)
        ys.update({item: y - offset[-1] / 2 for item, y in zip(level, offset)})
    for turn in range(24):
        for k in range(len(levels)) if turn % 2 else range(len(levels) - 1, -1, -1):
            level, offset = levels[k], offsets[k]
            wanted = [_mean([ys[other] for other in near.get(item, ())], ys[item]) - d for item, d in zip(level, offset)]
            ys.update({item: y + d for item, y, d in zip(level, _monotone(wanted), offset)})
    return ys


def _height(item: Hashable) -> float:
    return 92.0 if isinstance(item, int) else 44.0


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _monotone(values: Sequence[float]) -> list[float]:
    """Closest non-decreasing sequence in least squares (pool adjacent violators).

    >>> _monotone([1.0, 4.0, 2.0, 5.0])
    [1.0, 3.0, 3.0, 5.0]
    """
    blocks: list[tuple[float, int]] = []  # sum, count
    for value in values:
        total, count = value, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            previous, size = blocks.pop()
            total, count = total + previous, count + size
        blocks.append((total, count))
    return [total / count for total, count in blocks for _ in range(count)]
