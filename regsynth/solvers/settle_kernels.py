"""Typed search, compiled tier: what a candidate covers, whether it is of use, and its place in the store.

Dominance looks for an item of the same X, a smaller Z and a larger cover. The items of a
closed set are kept bit-sliced, 64 to a block: a row of bits for each infix (who covers it)
and for each state (whose Z holds it). ANDing the candidate's rows tests 64 items at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from regsynth.native import kernel
from regsynth.solvers.bit_kernels import lowest, ones

DONE, GOALS, FULL, STOPPED, LIMIT = 0, 1, 2, 3, 4
EPSILON, LETTER, OPTION, STAR, CONCAT, UNION = 1, 2, 3, 4, 6, 8  # as in regsynth.syntax.tree
# `number`: the search's scalars
(N_ITEMS, N_BLOCKS, N_GOALS, N_CANDIDATES, G_COST, N_BATCH, STOP, C_BOUND, C_ROOM, C_UNIT, C_FOOLING, C_ATOM, C_OPTION, C_STAR,
 C_CONCAT, C_UNION, C_ALLOWED, C_STARNULL, C_LIMIT, C_BINARY, C_DROP, C_DROP_NULL, N_WORK, N_FILLED, N_SCALARS) = range(25)  # fmt: skip
I_OP, I_LEFT, I_RIGHT, I_FIRST, I_X, I_Z, I_COUNT, I_NULL, ITEM = range(9)  # columns of `item`, a row an item


@kernel
def concatenate(a: Any, b: Any, joined: Any, out: Any) -> None:
    """Add to ``out`` the infixes that split into one of ``a`` and one of ``b``."""
    for p in range(a.shape[0]):
        lefts = a[p]
        while lefts:
            i = (p << 6) + lowest(lefts)
            lefts &= lefts - np.uint64(1)
            for q in range(b.shape[0]):
                rights = b[q]
                while rights:
                    w = joined[i, (q << 6) + lowest(rights)]
                    rights &= rights - np.uint64(1)
                    if w >= 0:
                        out[w >> 6] |= np.uint64(1) << np.uint64(w & 63)


@kernel
def star(a: Any, joined: Any, out: Any, before: Any) -> None:
    """Infixes in the star of ``a``."""
    out[:] = 0
    out[0] = 1
    while True:
        before[:] = out
        concatenate(a, before, joined, out)
        same = True
        for b in range(out.shape[0]):
            same &= out[b] == before[b]
        if same:
            return


@kernel
def store(x: Any, z: Any, cover: Any, number: Any, sets: Any, pool: Any, chain: Any, head: Any) -> Any:
    """Enter an item into its closed set's blocks; false when the pool is full."""
    block, infixes = head[1, x], pool.shape[1] - sets.shape[1] * 64
    if block < 0 or chain[block, 1] == 64:
        fresh = number[N_BLOCKS]
        if fresh >= pool.shape[0]:
            return False
        pool[fresh, :] = 0
        chain[fresh, 0], chain[fresh, 1] = -1, 0
        if block < 0:
            head[0, x] = fresh
        else:
            chain[block, 0] = fresh
        head[1, x], number[N_BLOCKS], block = fresh, fresh + 1, fresh
    bit = np.uint64(1) << np.uint64(chain[block, 1])
    chain[block, 1] += 1
    for b in range(cover.shape[0]):
        rest = cover[b]
        while rest:
            pool[block, (b << 6) + lowest(rest)] |= bit
            rest &= rest - np.uint64(1)
    for b in range(sets.shape[1]):
        rest = sets[z, b]
        while rest:
            pool[block, infixes + (b << 6) + lowest(rest)] |= bit
            rest &= rest - np.uint64(1)
    return True


@kernel
def dominated(x: Any, z: Any, rows: Any, n_rows: Any, absent: Any, pool: Any, chain: Any, head: Any) -> Any:
    """Whether some item at ``x`` covers all of ``rows`` and has a target within ``z``."""
    infixes = pool.shape[1] - ((absent.shape[1] + 62) >> 6) * 64
    block = head[0, x]
    while block >= 0:
        alive = ~np.uint64(0) if chain[block, 1] == 64 else (np.uint64(1) << np.uint64(chain[block, 1])) - np.uint64(1)
        r = 0
        while alive and r < n_rows:
            alive &= pool[block, rows[r]]
            r += 1
        r = 1
        while alive and r <= absent[z, 0]:
            alive &= ~pool[block, infixes + absent[z, r]]
            r += 1
        if alive:
            return True
        block = chain[block, 0]
    return False


@kernel
def settle(c: Any, number: Any, batch: Any, goals: Any, span: Any, inside: Any, starts: Any, ends: Any, sets: Any, absent: Any,
           final: Any, alphabet: Any, joined: Any, item: Any, bits: Any, pool: Any, chain: Any, head: Any, scratch: Any, rows: Any,
           without: Any) -> Any:  # fmt: skip
    """Compute, test and store every candidate of the batch."""
    words, everything = scratch.shape[1], np.uint64(without.shape[0] - 1)
    cover, starred, goal = scratch[0], scratch[1], scratch[3]
    last_star = -1
    for k in range(number[N_BATCH]):
        x, z, op, left, right = batch[k, 0], batch[k, 1], batch[k, 2], batch[k, 3], batch[k, 4]
        number[N_CANDIDATES] += 1
        # what it accepts, before the type's mask
        cover[:] = 0
        if op == LETTER:
            w = np.int64(alphabet[left, 0])
            if w >= 0:
                cover[w >> 6] = np.uint64(1) << np.uint64(w & 63)
            held, count, null = np.uint64(alphabet[left, 1]), 1, 0
        elif op == EPSILON:
            cover[0] = 1
            held, count, null = np.uint64(0), 0, 1
        elif op == OPTION:
            cover[:] = bits[left, :words]
            cover[0] |= np.uint64(1)
            held, count, null = bits[left, words], item[left, I_COUNT], 1
        elif op == STAR:
            if left != last_star:
                star(bits[left, :words], joined, starred, scratch[2])
                last_star = left
            cover[:] = starred
            held, count, null = bits[left, words], item[left, I_COUNT], 1
        else:
            held, count = bits[left, words] | bits[right, words], item[left, I_COUNT] + item[right, I_COUNT]
            if op == CONCAT:
                concatenate(bits[left, :words], bits[right, :words], joined, cover)
                null = item[left, I_NULL] & item[right, I_NULL]
            else:
                for b in range(words):
                    cover[b] = bits[left, b] | bits[right, b]
                null = item[left, I_NULL] | item[right, I_NULL]
        # the mask: infixes with an occurrence between x and z; what they may hold and touch there
        n_rows, missing, may_hold, touched = 0, False, np.uint64(0), np.uint64(0)
        for b in range(words):
            rest = cover[b]
            while rest:
                low = rest & (~rest + np.uint64(1))
                w = (b << 6) + ones(low - np.uint64(1))
                rest ^= low
                valid = False
                first, last = span[w], span[w + 1]
                for v in range(first >> 6, ((last - 1) >> 6) + 1):
                    here = starts[x, v] & ends[z, v]
                    if v == first >> 6:
                        here &= ~np.uint64(0) << np.uint64(first & 63)
                    if v == last >> 6:
                        here &= (np.uint64(1) << np.uint64(last & 63)) - np.uint64(1)
                    valid |= here != 0
                    while here:
                        o = (v << 6) + lowest(here)
                        here &= here - np.uint64(1)
                        may_hold |= inside[o, 0]
                        touched |= inside[o, 1]
                if valid:
                    rows[n_rows] = w
                    n_rows += 1
                else:
                    cover[b] ^= low
            missing |= (goal[b] & ~cover[b]) != 0
        held &= may_hold
        count = min(count, ones(held))
        if c > number[C_ROOM] + number[C_UNIT] * count:
            continue
        rest = everything & ~touched  # words the rest of the tree must accept without this
        if rest and c + without[rest] + number[C_DROP_NULL if null else C_DROP] > number[C_BOUND]:
            continue
        if x == 0 and final[z] and not missing:
            g = number[N_GOALS]
            goals[g, 0], goals[g, 1], goals[g, 2] = op, left, right
            number[N_GOALS], number[G_COST] = g + 1, c
            if g + 1 == goals.shape[0]:
                return GOALS
        if c == number[C_BOUND] or dominated(x, z, rows, n_rows, absent, pool, chain, head):
            continue
        i = number[N_ITEMS]
        if i >= item.shape[0] or not store(x, z, cover, number, sets, pool, chain, head):
            return FULL
        item[i, I_OP], item[i, I_LEFT], item[i, I_RIGHT], item[i, I_X], item[i, I_Z] = op, left, right, x, z
        item[i, I_FIRST] = left if op == UNION else i
        item[i, I_COUNT], item[i, I_NULL] = count, null
        bits[i, :words] = cover
        bits[i, words], bits[i, words + 1] = held, touched
        number[N_ITEMS] = i + 1
    number[N_BATCH] = 0
    return DONE
