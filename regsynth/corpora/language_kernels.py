"""Numba kernels that number languages and classes of languages.

A language is written as ``n, k, letters, accepting, transitions``: the minimal
automaton without its dead state (-1 in the transitions) and without letters that
occur in no word, states in breadth-first letter order. Two expressions have the
same language exactly when these integers are equal; they are compared one by one,
the 64-bit hash only says where to look.

A class joins the languages that become equal by renaming letters, by reversal, or
both: costs do not tell letters apart, and reversing a tree keeps every node. It is
written the same way without the letters: the least such form over all
renamings of the language and of its reversal.

``parse`` and ``positions`` come from another file, whose changes numba's cache does
not notice here: touch this file when they change.
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator,assignment"

from __future__ import annotations

import numpy as np
from numba import njit

from regsynth.automata.kernels import FIRST_ENDS, MAX_POSITIONS, NONE, ZERO, parse, positions, subsets
from regsynth.automata.refine import minimal

DONE, ERROR, LONG, EXTENDED = 0, 1, 2, 3  # what became of an item; LONG and EXTENDED go another road
STATES = 4096  # of a subset automaton on the fast road
PERMUTED = 5  # letters up to which all renamings are tried
REVERSED = 64  # states up to which the reversal is built (one word), …
GROWTH = 4  # … and how many times larger it may be
MIX = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def useful(delta, accepting, letters):
    """The automaton as integers, without its dead state and the letters in no word."""
    n, k = delta.shape
    live = accepting.copy()
    changed = True
    while changed:
        changed = False
        for q in range(n - 1, -1, -1):
            if not live[q]:
                for a in range(k):
                    if live[delta[q, a]]:
                        live[q] = changed = True
                        break
    kept = 0
    number = np.full(n, -1, np.int32)
    for q in range(n):  # at most one state is dead: breadth-first order survives
        if live[q]:
            number[q] = kept
            kept += 1
    used = np.zeros(k, np.bool_)
    for q in range(n):
        if live[q]:
            for a in range(k):
                used[a] |= live[delta[q, a]]
    width = 0
    for a in range(k):
        width += used[a]
    out = np.empty(2 + width + kept + kept * width, np.int32)
    out[0], out[1] = kept, width
    at = 2
    for a in range(k):
        if used[a]:
            out[at] = letters[a]
            at += 1
    for q in range(n):
        if live[q]:
            out[at] = accepting[q]
            at += 1
    for q in range(n):
        if live[q]:
            for a in range(k):
                if used[a]:
                    out[at] = number[delta[q, a]]
                    at += 1
    return out


@njit(cache=True, nogil=True)
def permutations(k):
    """All orders of k letters, the given one first; only that one for more than five."""
    if k > PERMUTED:
        out = np.empty((1, k), np.int32)
        for a in range(k):
            out[0, a] = a
        return out
    total = 1
    for i in range(2, k + 1):
        total *= i
    out = np.empty((total, k), np.int32)
    for row in range(total):
        rest = np.arange(k).astype(np.int32)
        code, base = row, total
        for i in range(k):
            base //= k - i
            j = code // base
            code %= base
            out[row, i] = rest[j]
            for m in range(j, k - 1 - i):
                rest[m] = rest[m + 1]
    return out


@njit(cache=True, nogil=True)
def _renumbered(accepting, delta, order, out, number, queue):
    """Write ``accepting, transitions`` with the letters in another order."""
    n, k = delta.shape
    for q in range(n):
        number[q] = -1
    number[0], queue[0] = 0, 0
    count, at = 1, n
    for head in range(n):
        q = queue[head]
        out[head] = accepting[q]
        for i in range(k):
            r = delta[q, order[i]]
            if r >= 0 and number[r] < 0:
                number[r] = count
                queue[count] = r
                count += 1
            out[at] = number[r] if r >= 0 else -1
            at += 1


@njit(cache=True, nogil=True)
def _least(accepting, delta):
    """The least form over all orders of the letters, and the order that gives it."""
    n, k = delta.shape
    orders = permutations(k)
    best = np.empty(n + n * k, np.int32)
    trial = np.empty(n + n * k, np.int32)
    number, queue = np.empty(n, np.int32), np.empty(n, np.int32)
    chosen = 0
    _renumbered(accepting, delta, orders[0], best, number, queue)
    for row in range(1, len(orders)):
        _renumbered(accepting, delta, orders[row], trial, number, queue)
        for i in range(best.size):
            if trial[i] != best[i]:
                if trial[i] < best[i]:
                    best, trial = trial, best
                    chosen = row
                break
    return best, orders[chosen]


@njit(cache=True, nogil=True)
def mirrored(accepting, delta):
    """Minimal automaton of the reversal: determinise backwards (Brzozowski). No states if too large."""
    n, k = delta.shape
    nothing = np.empty(0, np.bool_), np.empty((0, k), np.int32)
    if n > REVERSED:
        return nothing
    before = np.zeros((n, k), np.uint64)
    start = ZERO
    one = np.uint64(1)
    for q in range(n):
        if accepting[q]:
            start |= one << np.uint64(q)
        for a in range(k):
            if delta[q, a] >= 0:
                before[delta[q, a], a] |= one << np.uint64(q)
    limit = GROWTH * n
    states = np.empty(limit, np.uint64)
    out = np.empty((limit, k), np.int32)
    states[0] = start
    head, count = 0, 1
    while head < count:
        for a in range(k):
            reached = ZERO
            for q in range(n):
                if states[head] >> np.uint64(q) & one:
                    reached |= before[q, a]
            target = -1
            if reached != ZERO:
                target = 0
                while target < count and states[target] != reached:
                    target += 1
                if target == count:
                    if count == limit:
                        return nothing
                    states[count] = reached
                    count += 1
            out[head, a] = target
        head += 1
    final = np.empty(count, np.bool_)
    for i in range(count):
        final[i] = states[i] & one != ZERO
    return final, out[:count].copy()


@njit(cache=True, nogil=True)
def class_of(form):
    """Canonical form of a language's class, the order of its letters there, and whether it is reversed there."""
    n, k = form[0], form[1]
    if n < 0:
        return form.copy(), np.empty(0, np.int32), False
    accepting = form[2 + k : 2 + k + n] != 0
    delta = form[2 + k + n :].copy().reshape(n, k)
    if n == 0:  # the empty language
        return np.zeros(2, np.int32), np.empty(0, np.int32), False
    best, order = _least(accepting, delta)
    turned = False
    final, back = mirrored(accepting, delta)
    size = n
    if 0 < len(final) <= n:
        other, other_order = _least(final, back)
        better = len(final) < n
        if not better:
            for i in range(best.size):
                if other[i] != best[i]:
                    better = other[i] < best[i]
                    break
        if better:
            best, order, turned, size = other, other_order, True, len(final)
    out = np.empty(2 + best.size, np.int32)
    out[0], out[1] = size, k
    out[2:] = best
    return out, order, turned


@njit(cache=True, nogil=True)
def enter(form, pool, starts, hashes, table, counts):
    """Number of ``form`` in a store, new or known; -1 when the store has no room.

    ``counts[0]`` forms fill ``pool[: starts[counts[0]]]``; ``table`` holds numbers + 1.
    """
    code = np.uint64(form.size)
    for value in form:
        code = (code ^ np.uint64(np.int64(value))) * MIX
        code ^= code >> np.uint64(29)
    mask = table.size - 1
    slot = np.int64(code >> np.uint64(20)) & mask
    while table[slot] != 0:
        known = table[slot] - 1
        if hashes[known] == code and starts[known + 1] - starts[known] == form.size:
            same = True
            begin = starts[known]
            for i in range(form.size):
                if pool[begin + i] != form[i]:
                    same = False
                    break
            if same:
                return known
        slot = (slot + 1) & mask
    count = counts[0]
    begin = starts[count]
    if count + 1 >= hashes.size or begin + form.size > pool.size or 2 * count > table.size:
        return NONE - 1
    pool[begin : begin + form.size] = form
    starts[count + 1] = begin + form.size
    hashes[count] = code
    table[slot] = count + 1
    counts[0] = count + 1
    return count


@njit(cache=True, nogil=True)
def number_range(text, begins, ends, item, status, language, length, code, stacks, sets, flags, words, states, table, clock,
                 pool, starts, hashes, slots, counts):  # fmt: skip
    """Number the languages of the items from ``item`` on; returns the first one the store had no room for."""
    while item < begins.size:
        items, leaves, extended = parse(text, begins[item], ends[item], code, stacks[0], stacks[1])
        length[item] = max(items, 0)
        if items < 0:
            status[item] = ERROR
        elif extended:
            status[item] = EXTENDED
        elif leaves > MAX_POSITIONS:
            status[item] = LONG
        else:
            start, _, known = positions(code, items, NONE, FIRST_ENDS, words, sets[1], NONE, sets[0], sets[2], sets[3], flags)
            delta, accepting = subsets(start, sets[0], sets[1], known, STATES, states, table, clock)
            if len(delta) == 0:
                status[item] = LONG
            else:
                delta, accepting = minimal(delta, accepting)
                found = enter(useful(delta, accepting, words), pool, starts, hashes, slots, counts)
                if found < 0:
                    return item
                status[item], language[item] = DONE, found
        item += 1
    return item


@njit(cache=True, nogil=True)
def classify(pool, starts, first, last, order, place, turned, classes, store, begins, hashes, slots, counts):
    """Class of each language from ``first`` on; returns the first one the store had no room for.

    ``order[place[i] : place[i + 1]]`` are the numbers of language i's letters in canonical order.
    """
    for i in range(first, last):
        form, letters, back = class_of(pool[starts[i] : starts[i + 1]])
        found = enter(form, store, begins, hashes, slots, counts)
        if found < 0:
            return i
        classes[i], turned[i] = found, back
        order[place[i] : place[i + 1]] = letters
    return last
