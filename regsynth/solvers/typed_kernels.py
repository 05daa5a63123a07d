"""Typed search, compiled tier: the search of :mod:`regsynth.solvers.typed` in numba.

Same items, same rules, same answers; sets of infixes are rows of 64-bit words. A level
is worked in batches: ``emit`` lists pairs that the letter bound allows, ``settle``
computes what each covers, tests it and stores it. Every array is a workspace of fixed
capacity: a kernel that runs out says ``FULL`` and the caller repeats it with more room,
so no kernel allocates. Arrays are few and packed, because what numba's compile time
grows with is arrays passed between kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from regsynth.native import kernel
from regsynth.solvers.bit_kernels import ones
from regsynth.solvers.settle_kernels import (
    C_ALLOWED,
    C_ATOM,
    C_BOUND,
    C_CONCAT,
    C_DROP,
    C_DROP_NULL,
    C_LIMIT,
    C_OPTION,
    C_ROOM,
    C_STAR,
    C_STARNULL,
    C_UNION,
    C_UNIT,
    CONCAT,
    DONE,
    EPSILON,
    GOALS,
    I_COUNT,
    I_FIRST,
    I_NULL,
    I_OP,
    I_X,
    I_Z,
    ITEM,
    LETTER,
    LIMIT,
    N_BATCH,
    N_CANDIDATES,
    N_FILLED,
    N_GOALS,
    N_ITEMS,
    N_WORK,
    OPTION,
    STAR,
    STOP,
    STOPPED,
    UNION,
    settle,
)  # fmt: skip

PAUSE = 1 << 22  # pairs scanned before the stop flag is looked at
SCANS = 64  # pairs that may be scanned, without becoming candidates, for each candidate of the limit


@kernel
def emit_unary(c: Any, number: Any, place: Any, batch: Any, join: Any, step: Any, item: Any, begin: Any) -> Any:
    """List atoms, options and stars of cost ``c``; true when the batch is full before the end.

    ``place`` remembers the closed set, the phase (0 atoms, 1 options, 2 stars) and the item.
    """
    sets, allowed, k = join.shape[0], number[C_ALLOWED], step.shape[1]
    last = number[C_BOUND] == c
    option, stars = c - number[C_OPTION], c - number[C_STAR]
    n, cap = number[N_BATCH], batch.shape[0]
    for x in range(place[0], sets):
        place[0] = x
        if place[1] == 0:
            if n + k + 1 > cap:
                number[N_BATCH] = n
                return True
            if c == number[C_ATOM] and not (last and x):
                if allowed >> EPSILON & 1:
                    batch[n, 0], batch[n, 1], batch[n, 2], batch[n, 3], batch[n, 4] = x, x, EPSILON, -1, -1
                    n += 1
                for a in range(k):
                    if step[x, a] >= 0:
                        batch[n, 0], batch[n, 1], batch[n, 2], batch[n, 3], batch[n, 4] = x, step[x, a], LETTER, a, -1
                        n += 1
            place[1], place[2] = 1, begin[option, x] if option > 0 else 0
        if place[1] == 1:
            if option > 0 and allowed >> OPTION & 1 and not (last and x):
                for i in range(place[2], begin[option, x + 1]):
                    if n == cap:
                        place[2], number[N_BATCH] = i, n
                        return True
                    z = join[x, item[i, I_Z]]
                    if z >= 0 and not item[i, I_NULL]:
                        batch[n, 0], batch[n, 1], batch[n, 2], batch[n, 3], batch[n, 4] = x, z, OPTION, i, -1
                        n += 1
            place[1], place[2] = 2, begin[stars, x] if stars > 0 else 0
        if stars > 0 and allowed >> STAR & 1:
            for i in range(place[2], begin[stars, x + 1]):
                if n + sets > cap:
                    place[2], number[N_BATCH] = i, n
                    return True
                if join[item[i, I_Z], x] != x or item[i, I_OP] == STAR or item[i, I_OP] == OPTION:
                    continue
                if item[i, I_NULL] and not number[C_STARNULL]:
                    continue
                for w in range(1 if last else sets):
                    if join[w, x] == x:
                        batch[n, 0], batch[n, 1], batch[n, 2], batch[n, 3], batch[n, 4] = w, x, STAR, i, -1
                        n += 1
        place[1] = 0
    number[N_BATCH] = n
    return False


@kernel
def emit_binary(op: Any, c: Any, number: Any, place: Any, batch: Any, join: Any, item: Any, bits: Any, begin: Any, filled: Any,
                without: Any) -> Any:  # fmt: skip
    """List pairs of cost ``c`` that both bounds allow; true when the batch is full.

    ``place`` remembers the closed set, the first one's level (as a number in ``filled``), the first and the second.
    """
    sets, words = join.shape[0], bits.shape[1] - 2
    everything, room = np.uint64(without.shape[0] - 1), number[C_BOUND] - c - min(number[C_DROP], number[C_DROP_NULL])
    rest = c - number[C_CONCAT if op == CONCAT else C_UNION]
    least = -((number[C_ROOM] - c) // number[C_UNIT])  # fooling letters the pair must hold between them
    n, cap, work = number[N_BATCH], batch.shape[0], 0
    for x in range(place[0], 1 if c == number[C_BOUND] else sets):
        for level in range(place[1], number[N_FILLED]):
            split = filled[level]
            if split >= rest:
                break
            if begin[rest - split, 0] == begin[rest - split, sets]:
                continue
            for i in range(max(place[2], begin[split, x]), begin[split, x + 1]):
                if item[i, I_OP] == op:  # associativity: the right-nested form is listed instead
                    continue
                y = item[i, I_Z] if op == CONCAT else x
                end = begin[rest - split, y + 1]
                q = max(place[3], begin[rest - split, y])
                if (n + end - q > cap and n > 0) or number[STOP] or work > PAUSE:
                    place[0], place[1], place[2], place[3], number[N_BATCH] = x, level, i, q, n
                    number[N_WORK] += work
                    return True
                held, need, touched = bits[i, words], least - item[i, I_COUNT], bits[i, words + 1]
                if op == CONCAT and item[i, I_NULL]:
                    touched = everything
                while q < end and n < cap:
                    if item[q, I_COUNT] < need:  # most letters first: no later one holds more
                        q = end
                        break
                    j = q
                    q += 1
                    work += 1
                    if ones(held | bits[j, words]) < least:
                        continue
                    if op == UNION:
                        both = touched | bits[j, words + 1]
                    else:  # a word that goes through the pair goes through either, but for an ε
                        both = touched if item[j, I_NULL] else touched & bits[j, words + 1]
                    others = everything & ~both
                    if others and without[others] > room:
                        continue
                    z = item[j, I_Z]
                    if op == UNION:
                        if i >= item[j, I_FIRST]:
                            continue
                        z = join[item[i, I_Z], z]
                        if z < 0:
                            continue
                    batch[n, 0], batch[n, 1], batch[n, 2], batch[n, 3], batch[n, 4] = x, z, op, i, j
                    n += 1
                if q < end:
                    place[0], place[1], place[2], place[3], number[N_BATCH] = x, level, i, q, n
                    number[N_WORK] += work
                    return True
                place[3] = 0
            place[2] = 0
        place[1] = 0
    number[N_BATCH] = n
    number[N_WORK] += work
    return False


@kernel
def close_level(first: Any, c: Any, number: Any, item: Any, bits: Any, begin: Any, filled: Any, bucket: Any, spare: Any) -> None:
    """Sort the level's items by closed set, most fooling letters first; note where each begins.

    They are moved, so that the second items of pairs are read one after the other: nothing
    refers to an item of a level that is not yet closed.
    """
    n, sets = number[N_ITEMS], begin.shape[1] - 1
    bucket[:66] = 0
    for i in range(first, n):
        bucket[65 - item[i, I_COUNT]] += 1
    total = 0
    for k in range(66):
        bucket[k], total = total, total + bucket[k]
    for i in range(first, n):
        k = 65 - item[i, I_COUNT]
        spare[0, first + bucket[k]] = i
        bucket[k] += 1
    begin[c, :] = 0
    for i in range(first, n):
        begin[c, item[i, I_X] + 1] += 1
    begin[c, 0] = first
    for x in range(sets):
        begin[c, x + 1] += begin[c, x]
        bucket[x] = begin[c, x]
    if n > first:
        filled[number[N_FILLED]] = c
        number[N_FILLED] += 1
    for k in range(first, n):
        i = spare[0, k]
        spare[1, i] = bucket[item[i, I_X]]
        bucket[item[i, I_X]] += 1
    for i in range(first, n):  # cycle by cycle
        while spare[1, i] != i:
            to = spare[1, i]
            for b in range(ITEM):
                item[i, b], item[to, b] = item[to, b], item[i, b]
            for b in range(bits.shape[1]):
                bits[i, b], bits[to, b] = bits[to, b], bits[i, b]
            spare[1, i], spare[1, to] = spare[1, to], to
        if item[i, I_OP] != UNION:
            item[i, I_FIRST] = i


@kernel
def search(number: Any, batch: Any, goals: Any, span: Any, inside: Any, starts: Any, ends: Any, sets: Any, absent: Any, join: Any,
           step: Any, final: Any, alphabet: Any, joined: Any, item: Any, bits: Any, pool: Any, chain: Any, head: Any, scratch: Any,
           rows: Any, begin: Any, filled: Any, bucket: Any, spare: Any, place: Any, without: Any) -> Any:  # fmt: skip
    """All levels up to the bound, or the end of the first that meets the goal."""
    head[:, :] = -1
    number[:N_BATCH] = 0
    number[N_WORK] = number[N_FILLED] = 0
    begin[0, :] = 0
    for c in range(1, number[C_BOUND] + 1):
        first = number[N_ITEMS]
        for op in (OPTION, UNION, CONCAT):  # OPTION: everything that is not binary
            if op != OPTION and (not number[C_ALLOWED] >> op & 1 or c <= number[C_CONCAT if op == CONCAT else C_UNION]):
                continue
            place[:] = 0
            more = True
            while more:
                number[N_BATCH] = 0
                if op == OPTION:
                    more = emit_unary(c, number, place, batch, join, step, item, begin)
                else:
                    more = emit_binary(op, c, number, place, batch, join, item, bits, begin, filled, without)
                status = settle(c, number, batch, goals, span, inside, starts, ends, sets, absent, final, alphabet, joined, item,
                                bits, pool, chain, head, scratch, rows, without)  # fmt: skip
                if status != DONE:
                    return status
                if number[STOP]:
                    return STOPPED
                if number[N_CANDIDATES] > number[C_LIMIT] or number[N_WORK] > SCANS * number[C_LIMIT]:
                    return LIMIT
        if number[N_GOALS]:
            return GOALS
        close_level(first, c, number, item, bits, begin, filled, bucket, spare)
    return DONE
