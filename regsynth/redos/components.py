"""Strongly connected components of an automaton given by its moves, and shortest words inside them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

Word = tuple[tuple[int, int], ...]
"""Letters of a word, each a state and a mask of letters to choose from (masks can be local to a state)."""
Inner = dict[int, list[tuple[int, tuple[int, ...]]]]
Moves = Sequence[Sequence[tuple[int, tuple[int, ...]]]]


def cyclic(moves: Moves, states: list[int]) -> bool:
    """Whether a component holds a cycle."""
    return len(states) > 1 or any(states[0] in targets for _, targets in moves[states[0]])


def letters_of(inner: Inner) -> int:
    """All letters a component's moves read."""
    letters = 0
    for groups in inner.values():
        for mask, _ in groups:
            letters |= mask
    return letters


def inner_moves(moves: Moves, states: list[int], component: list[int], c: int) -> Inner:
    """The moves of a component that stay inside."""
    out: Inner = {}
    for s in states:
        groups = []
        for mask, targets in moves[s]:
            kept = tuple(t for t in targets if component[t] == c)
            if kept:
                groups.append((mask, kept))
        out[s] = groups
    return out


def path(inner: Any, start: int, goal: int) -> Word:
    """A shortest word from a state to another: each state on the way with the letters it may read."""
    if start == goal:
        return ()
    parents: dict[int, tuple[int, int]] = {start: (-1, -1)}
    queue = deque([start])
    while queue:
        s = queue.popleft()
        for mask, targets in inner[s]:
            for t in targets:
                if t not in parents:
                    parents[t] = (s, mask)
                    if t == goal:
                        return trace(parents, t)
                    queue.append(t)
    raise AssertionError("no path inside a component")


def trace(parents: dict[int, tuple[int, int]], goal: int) -> Word:
    """The word along which a search has come to a state."""
    word = []
    here = goal
    while parents[here][0] >= 0:
        here, letter = parents[here]
        word.append((here, letter))
    return tuple(reversed(word))


def components(moves: Moves, starts: Sequence[int]) -> tuple[list[int], list[list[int]]]:
    """Strongly connected components (Tarjan), each numbered after all it leads to.

    >>> components([[(1, (1,))], [(1, (0, 2))], []], [0])
    ([1, 1, 0], [[2], [1, 0]])
    """
    n = len(moves)
    index = [-1] * n
    low = [0] * n
    component = [-1] * n
    members: list[list[int]] = []
    stack: list[int] = []
    count = 0
    for root in starts:
        if index[root] >= 0:
            continue
        work: list[tuple[int, Any]] = [(root, iter(_targets(moves[root])))]
        index[root] = low[root] = count
        count += 1
        stack.append(root)
        while work:
            s, following = work[-1]
            for t in following:
                if index[t] < 0:
                    index[t] = low[t] = count
                    count += 1
                    stack.append(t)
                    work.append((t, iter(_targets(moves[t]))))
                    break
                if component[t] < 0 and index[t] < low[s]:
                    low[s] = index[t]
            else:
                work.pop()
                if work and low[s] < low[work[-1][0]]:
                    low[work[-1][0]] = low[s]
                if low[s] == index[s]:
                    found = []
                    while True:
                        t = stack.pop()
                        component[t] = len(members)
                        found.append(t)
                        if t == s:
                            break
                    members.append(found)
    return component, members


def _targets(groups: Sequence[tuple[int, tuple[int, ...]]]) -> list[int]:
    return [t for _, targets in groups for t in targets]
