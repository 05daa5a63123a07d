"""Clauses of goals: sets of infixes as rows, one of which must be held, or which must not be held together."""

from __future__ import annotations

from typing import Any

import numpy as np

from regsynth.native import kernel
from regsynth.solvers.bit_kernels import clear, lowest, meet, ones, size, within

CHOICES = 256  # clauses that one clause may become; where there would be more the goal is inexact

_ONE = np.uint64(1)


@kernel
def before(x: Any, y: Any) -> Any:
    """Order of clauses: the smaller first, then by value."""
    a, b = size(x), size(y)
    if a != b:
        return a < b
    for w in range(x.shape[0]):
        if x[w] != y[w]:
            return x[w] < y[w]
    return False


@kernel
def least(rows: Any, n: Any, hold: Any) -> Any:
    """Sort clauses and drop those that contain another; returns how many are left. ``hold`` is a row to work on."""
    words = rows.shape[1]
    gap = 1
    while 3 * gap + 1 < n:
        gap = 3 * gap + 1
    while gap:  # Shell's sort
        for i in range(gap, n):
            if before(rows[i], rows[i - gap]):
                for w in range(words):
                    hold[w] = rows[i, w]
                j = i - gap
                while j >= 0 and before(hold, rows[j]):
                    for w in range(words):
                        rows[j + gap, w] = rows[j, w]
                    j -= gap
                for w in range(words):
                    rows[j + gap, w] = hold[w]
        gap //= 3
    kept = 0
    for i in range(n):
        new = True
        for j in range(kept):
            if within(rows[j], rows[i]):
                new = False
                break
        if new:
            if kept < i:
                for w in range(words):
                    rows[kept, w] = rows[i, w]
            kept += 1
    return kept


@kernel
def strike(rows: Any, n: Any, mask: Any, kind: Any) -> Any:
    """Drop clauses that ``mask[kind]`` settles, and from others what the other mask rules out.

    A clause of one infix moves to ``mask[kind]``. Returns how many are left, −1 when one cannot be met.
    """
    kept = 0
    for i in range(n):
        if meet(rows[i], mask[kind]):
            continue
        count = 0
        for w in range(rows.shape[1]):
            rows[kept, w] = rows[i, w] & ~mask[1 - kind, w]
            count += ones(rows[kept, w])
        if count == 0:
            return -1
        if count == 1:
            for w in range(rows.shape[1]):
                mask[kind, w] |= rows[kept, w]
        else:
            kept += 1
    return kept


@kernel
def settle_clauses(mask: Any, hits: Any, n: Any, misses: Any, m: Any, hold: Any) -> Any:
    """Bring a goal into normal form: (hits, misses), hits −1 when nothing can meet it.

    Clauses of one infix move to the masks, what the masks decide is struck out, until nothing changes.
    """
    decided = -1
    while size(mask[0]) + size(mask[1]) != decided:
        decided = size(mask[0]) + size(mask[1])
        n = strike(hits, n, mask, 0)
        if n < 0:
            return -1, 0
        m = strike(misses, m, mask, 1)
        if m < 0 or meet(mask[0], mask[1]):
            return -1, 0
    return least(hits, n, hold), least(misses, m, hold)


@kernel
def choose(word: Any, sets: Any, first: Any, kind: Any, out: Any, n: Any, room: Any) -> Any:
    """Append each union of one set for every infix of ``word``; the new number of rows, at most ``room``, or −1 when not all are there.

    The sets of infix w are ``first[kind, w]`` to ``first[kind, w + 1]``, and all of them unless ``first[2, w]``.
    """
    words = word.shape[0]
    total = 1
    for b in range(words):
        rest = word[b]
        while rest:
            w = (b << 6) + lowest(rest)
            rest &= rest - _ONE
            total *= first[kind, w + 1] - first[kind, w]
            if total > CHOICES or first[2, w]:
                return -1
    if n + total > room:
        return -1
    clear(out[n])
    k = 1
    for b in range(words):
        rest = word[b]
        while rest:
            w = (b << 6) + lowest(rest)
            rest &= rest - _ONE
            start, count = first[kind, w], first[kind, w + 1] - first[kind, w]
            for q in range(count - 1, -1, -1):
                for t in range(k):
                    for c in range(words):
                        out[n + q * k + t, c] = out[n + t, c] | sets[start + q, c]
            k *= count
    return n + k


@kernel
def some_choice(word: Any, covers: Any, first: Any, out: Any) -> Any:
    """One union of a cover for every infix of ``word``, the smallest ones; false when one of them has none listed."""
    clear(out)
    for b in range(word.shape[0]):
        rest = word[b]
        while rest:
            w = (b << 6) + lowest(rest)
            rest &= rest - _ONE
            if first[0, w] == first[0, w + 1]:
                return False
            for c in range(out.shape[0]):
                out[c] |= covers[first[0, w], c]
    return True


@kernel
def star_sets(number: Any, covers: Any, parts: Any, hold: Any) -> Any:
    """What the operand of a star must hold for a word to be in the star: (covers, parts).

    ``number[i, j]`` is the infix from i to j. A word is in the star when the operand holds one infix of each cover, and out of
    it when the operand lacks one of each set of parts. Of a long word only some are listed.
    """
    n = number.shape[0] - 1
    every = n < 20 and 1 << (n - 1) <= covers.shape[0]
    count = 1 << (n - 1) if every else min(n, covers.shape[0])
    for t in range(count):
        clear(covers[t])
        clear(parts[t])
        last = 0
        for j in range(1, n + 1):  # positions that are reached: always 0, never n, every choice of others or those up to t
            reached = j < n and (t >> (j - 1) & 1 == 1 if every else j <= t)
            if not reached:
                for i in range(j):
                    if i == 0 or (t >> (i - 1) & 1 == 1 if every else i <= t):
                        covers[t, number[i, j] >> 6] |= _ONE << np.uint64(number[i, j] & 63)
            if j == n or (t >> (j - 1) & 1 == 1 if every else j == t):
                parts[t, number[last, j] >> 6] |= _ONE << np.uint64(number[last, j] & 63)
                last = j
    return least(covers, count, hold), least(parts, count, hold)


@kernel
def choose_rests(word: Any, rests: Any, avoid: Any, out: Any, m: Any) -> Any:
    """Append each choice of one rest for every infix of ``word``: (new number of rows, whether all are there).

    An infix all of whose rests are avoided is not held, and the clause with it.
    """
    words = word.shape[0]
    total = 1
    for b in range(words):
        rest = word[b]
        while rest:
            w = (b << 6) + lowest(rest)
            rest &= rest - _ONE
            count = 0
            for c in range(words):
                count += ones(rests[w, c] & ~avoid[c])
            if count == 0:
                return m, True
            total = min(total * count, CHOICES + 1)
    if total > CHOICES or m + total > out.shape[0]:
        return m, False
    clear(out[m])
    k = 1
    for b in range(words):
        rest = word[b]
        while rest:
            w = (b << 6) + lowest(rest)
            rest &= rest - _ONE
            q = size(rests[w])
            for c in range(words):
                q -= ones(rests[w, c] & avoid[c])
            count = q
            for c in range(words):
                y = rests[w, c] & ~avoid[c]
                while y:
                    one = y & (~y + _ONE)
                    y &= y - _ONE
                    q -= 1  # the last one in place
                    for t in range(k):
                        for d in range(words):
                            out[m + q * k + t, d] = out[m + t, d]
                        out[m + q * k + t, c] |= one
            k *= count
    return m + k, True
