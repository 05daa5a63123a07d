"""Numba kernel: minimise a complete automaton and number it canonically.

Hopcroft's algorithm on the refinable partition of Valmari and Lehtinen
("Efficient minimization of DFAs with partial transition functions", 2008).
Self-contained (numba's cache only notices changes in the file of a function).
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator,assignment"

from __future__ import annotations

import numpy as np
from numba import njit

# Functions only kernels call need no way in from Python, which takes long to compile.
inner = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


@inner
def sources(delta):
    """States by (letter, target): ``states[begin[a, q]:begin[a, q + 1]]`` go to q on letter a."""
    n, k = delta.shape
    begin = np.zeros((k, n + 1), np.int32)
    states = np.empty((k, n), np.int32)
    for a in range(k):
        for q in range(n):
            begin[a, delta[q, a] + 1] += 1
        for q in range(n):
            begin[a, q + 1] += begin[a, q]
        for q in range(n - 1, -1, -1):  # begin[a, r + 1] moves down to r's own start …
            r = delta[q, a]
            begin[a, r + 1] -= 1
            states[a, begin[a, r + 1]] = q
        for q in range(n):  # … so shift it back
            begin[a, q] = begin[a, q + 1]
        begin[a, n] = n
    return begin, states


@inner
def classes(delta, accepting):
    """Myhill–Nerode class of every state, and their number. O(k n log n)."""
    n, k = delta.shape
    begin, states = sources(delta)
    elements = np.empty(n, np.int32)  # a permutation of the states, block after block
    place = np.empty(n, np.int32)
    block = np.zeros(n, np.int32)
    start = np.zeros(n + 1, np.int32)
    stop = np.zeros(n + 1, np.int32)
    marked = np.zeros(n + 1, np.int32)
    low, high = 0, n
    for q in range(n):
        if accepting[q]:
            elements[low] = q
            low += 1
        else:
            high -= 1
            elements[high] = q
    for i in range(n):
        place[elements[i]] = i
    waiting = np.empty(n + 1, np.int32)
    touched = np.empty(n + 1, np.int32)
    splitter = np.empty(n, np.int32)
    number, depth = 1, 0
    stop[0] = n
    if 0 < low < n:
        number = 2
        stop[0], start[1], stop[1] = low, low, n
        for i in range(low, n):
            block[elements[i]] = 1
        waiting[0] = 0 if low <= n - low else 1
        depth = 1
    while depth > 0:
        depth -= 1
        b = waiting[depth]
        size = stop[b] - start[b]
        for i in range(size):
            splitter[i] = elements[start[b] + i]
        for a in range(k):
            hit = 0
            for i in range(size):
                for j in range(begin[a, splitter[i]], begin[a, splitter[i] + 1]):
                    q = states[a, j]
                    c = block[q]
                    if marked[c] == 0:
                        touched[hit] = c
                        hit += 1
                    here, there = place[q], start[c] + marked[c]  # marked states come first
                    other = elements[there]
                    elements[there], elements[here] = q, other
                    place[q], place[other] = there, here
                    marked[c] += 1
            for t in range(hit):
                c = touched[t]
                cut, marked[c] = start[c] + marked[c], 0
                if cut == stop[c]:
                    continue
                if 2 * (cut - start[c]) <= stop[c] - start[c]:  # the smaller part gets the new number
                    start[number], stop[number], start[c] = start[c], cut, cut
                else:
                    start[number], stop[number], stop[c] = cut, stop[c], cut
                for i in range(start[number], stop[number]):
                    block[elements[i]] = number
                waiting[depth] = number  # if c waits both do; if not, the smaller is enough
                depth += 1
                number += 1
    return block, number


@njit(cache=True, nogil=True)
def minimal(delta, accepting):
    """The minimal automaton, states in breadth-first letter order from state 0.

    Every state must be reachable from state 0. Returns (transitions, accepting).
    """
    k = delta.shape[1]
    block, number = classes(delta, accepting)
    new = np.empty(number, np.int32)
    for c in range(number):
        new[c] = -1
    member = np.empty(number, np.int32)
    rows = np.empty((number, k), np.int32)
    final = np.empty(number, np.bool_)
    new[block[0]] = 0
    member[0] = 0
    count = 1
    for i in range(number):
        q = member[i]
        final[i] = accepting[q]
        for a in range(k):
            r = delta[q, a]
            c = block[r]
            if new[c] < 0:
                new[c] = count
                member[count] = r
                count += 1
            rows[i, a] = new[c]
    return rows, final
