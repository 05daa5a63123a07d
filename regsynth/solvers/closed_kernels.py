"""Closed sets and their join and step tables, in numba (see :mod:`regsynth.solvers.closed`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from regsynth.native import kernel

PAUSE = 1 << 25  # words compared between two looks at the clock: some tens of milliseconds


@kernel
def find(raw: Any, closure: Any, ys: Any, sets: Any, table: Any, count: Any) -> Any:
    """Number of cl(raw), a new one if need be; −1 for garbage, −2 when ``sets`` is full."""
    words = raw.shape[0]
    closure[:] = ~np.uint64(0)
    held = False
    for y in range(ys.shape[0]):
        inside = True
        for b in range(words):
            inside &= raw[b] & ~ys[y, b] == 0
        if inside:
            held = True
            for b in range(words):
                closure[b] &= ys[y, b]
    if not held:
        return -1
    h = np.uint64(1469598103934665603)
    for b in range(words):
        h = (h ^ closure[b]) * np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(29)
    slot = np.int64(h & np.uint64(table.shape[0] - 1))
    while table[slot] >= 0:
        z = table[slot]
        same = True
        for b in range(words):
            same &= sets[z, b] == closure[b]
        if same:
            return np.int64(z)
        slot = (slot + 1) & (table.shape[0] - 1)
    if count >= sets.shape[0]:
        return -2
    table[slot] = count
    sets[count, :] = closure
    return count


@kernel
def explore(ys: Any, delta: Any, sets: Any, join: Any, step: Any, table: Any, scratch: Any, progress: Any) -> Any:
    """Closed sets reachable from cl{start} by letters and joins.

    ``ys`` and ``sets`` hold sets of states as rows of 64-bit words; ``table`` is an
    open-addressing hash table of power-of-two size filled with −1, ``scratch`` two rows, and
    ``progress`` (sets found, sets done), zeros at first. Returns their number, −1 when
    ``sets`` is too small, or −2 when it has worked for a while and wants to be called again.
    """
    words, n, k = ys.shape[1], delta.shape[0], delta.shape[1]
    raw, closure = scratch[0], scratch[1]
    if progress[0] == 0:
        raw[:] = 0
        raw[0] = 1
        progress[0] = find(raw, closure, ys, sets, table, 0) + 1
    count, i, work = progress[0], progress[1], 0
    while i < count:
        if work > PAUSE:
            progress[0], progress[1] = count, i
            return -2
        work += (k + i + 1) * ys.shape[0] * words
        for m in range(k + i + 1):  # letters first, then joins with those before
            if m < k:
                raw[:] = 0
                dead = False
                for q in range(n):
                    if sets[i, q >> 6] >> np.uint64(q & 63) & np.uint64(1):
                        r = delta[q, m]
                        dead |= r < 0
                        if r >= 0:
                            raw[r >> 6] |= np.uint64(1) << np.uint64(r & 63)
                if dead:
                    step[i, m] = -1
                    continue
            else:
                for b in range(words):
                    raw[b] = sets[i, b] | sets[m - k, b]
            z = find(raw, closure, ys, sets, table, count)
            if z == -2:
                return -1
            count = max(count, z + 1)
            if m < k:
                step[i, m] = z
            else:
                join[i, m - k] = z
                join[m - k, i] = z
        i += 1
    return count


@kernel
def describe(sets: Any, accepting: Any, final: Any, absent: Any) -> None:
    """For each set whether it lies within ``accepting``; how many states it lacks, then which."""
    for i in range(sets.shape[0]):
        inside, lacks = True, 0
        for b in range(sets.shape[1]):
            inside &= sets[i, b] & ~accepting[0, b] == 0
        for q in range(absent.shape[1] - 1):
            if not sets[i, q >> 6] >> np.uint64(q & 63) & np.uint64(1):
                lacks += 1
                absent[i, lacks] = q
        final[i], absent[i, 0] = inside, lacks


@kernel
def tabulate(sets: Any, rests: Any, occurrences: Any, starts: Any, ends: Any) -> None:
    """Occurrences that can begin at each set, and end at each, as bits.

    A row of ``occurrences`` is (state before, index of its rest); ``rests`` are sets of states.
    """
    for i in range(sets.shape[0]):
        for o in range(occurrences.shape[0]):
            bit = np.uint64(1) << np.uint64(o & 63)
            q, rest, inside = occurrences[o, 0], occurrences[o, 1], True
            if sets[i, q >> 6] >> np.uint64(q & 63) & np.uint64(1):
                starts[i, o >> 6] |= bit
            for b in range(sets.shape[1]):
                inside &= sets[i, b] & ~rests[rest, b] == 0
            if inside:
                ends[i, o >> 6] |= bit
