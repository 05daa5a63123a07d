"""The sequence engine's kernels: store a level.

A sequence is a row of 64-bit words. Kernels work on ranges of rows that the caller keeps
short, so a search stops between two calls.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from regsynth.native import kernel
from regsynth.solvers.bit_kernels import clear, has

OPTION, STAR, COMPLEMENT, CONCAT, INTERSECTION, UNION, DIFFERENCE = 3, 4, 5, 6, 7, 8, 9  # as in regsynth.syntax.tree
# `number`: scalars of the search
N_ITEMS, N_CANDIDATES, POLAR, DOMINANCE, LOOKING, G_OP, G_LEFT, G_RIGHT, N_SCALARS = range(9)
I_OP, I_LEFT, I_RIGHT, I_LIVE, I_CONSIDERED, I_NEXT, ITEM = range(7)  # columns of `item`
FULL, SHARED, UPPER, LOWER, MUST, AVOID, MASKS = range(7)  # rows of `masks`
CHAIN = 96  # stored items a candidate is compared with for dominance

_ONE = np.uint64(1)


@kernel
def slot_of(z: Any, mask: Any, size: Any) -> Any:
    """Where a row is looked for first in a table of ``size`` (a power of two) places."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for b in range(z.shape[0]):
        h = (h ^ (z[b] & mask[b])) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    h *= np.uint64(0x94D049BB133111EB)
    return np.int64((h ^ (h >> np.uint64(32))) & np.uint64(size - 1))


@kernel
def place(z: Any, mask: Any, bits: Any, table: Any) -> Any:
    """The place of the first stored row equal to z under the mask, or of the gap where it would be."""
    size = table.shape[0]
    s = slot_of(z, mask, size)
    while table[s] >= 0:
        j, same = table[s], True
        for b in range(z.shape[0]):
            if (bits[j, b] ^ z[b]) & mask[b]:
                same = False
                break
        if same:
            return s
        s = (s + 1) & (size - 1)
    return s


@kernel
def link(n: Any, bits: Any, item: Any, table: Any, masks: Any) -> None:
    """Enter row n in the table of exact rows and at the head of its chain of rows with the same shared infixes."""
    size = table.shape[1]
    s = slot_of(bits[n], masks[FULL], size)
    while table[0, s] >= 0:
        s = (s + 1) & (size - 1)
    table[0, s] = n
    s = place(bits[n], masks[SHARED], bits, table[1])
    item[n, I_NEXT] = table[1, s]
    table[1, s] = n


@kernel
def relink(number: Any, bits: Any, item: Any, table: Any, masks: Any) -> None:
    """Fill fresh tables."""
    for n in range(number[N_ITEMS]):
        link(n, bits, item, table, masks)


@kernel
def settle(z: Any, op: Any, left: Any, right: Any, live: Any, number: Any, bits: Any, item: Any, table: Any, masks: Any) -> Any:
    """Store a candidate where it is neither a duplicate nor dominated; true when it meets the goal."""
    words = z.shape[0]
    if number[LOOKING]:
        good = True
        for b in range(words):
            if (masks[MUST, b] & ~z[b]) | (masks[AVOID, b] & z[b]):
                good = False
                break
        if good:
            number[G_OP], number[G_LEFT], number[G_RIGHT] = op, left, right
            return True
    size = table.shape[1]
    s = slot_of(z, masks[FULL], size)
    while table[0, s] >= 0:
        j, same = table[0, s], True
        for b in range(words):
            if bits[j, b] != z[b]:
                same = False
                break
        if same:
            live &= ~item[j, I_CONSIDERED]
            if live == 0:
                return False
        s = (s + 1) & (size - 1)
    considered = live
    if number[DOMINANCE]:
        j, steps = table[1, place(z, masks[SHARED], bits, table[1])], 0
        while j >= 0 and steps < CHAIN:
            more, less = False, False  # z has an upper infix that j lacks or lacks a lower one that j has; or the other way
            for b in range(words):
                extra, gone = z[b] & ~bits[j, b], bits[j, b] & ~z[b]
                more |= (extra & masks[UPPER, b]) | (gone & masks[LOWER, b]) != 0
                less |= (gone & masks[UPPER, b]) | (extra & masks[LOWER, b]) != 0
            if not more:
                live &= ~(item[j, I_LIVE] & 1)
            if not less:
                live &= ~(item[j, I_LIVE] & 2)
            if live == 0:
                return False
            j = item[j, I_NEXT]
            steps += 1
    n = number[N_ITEMS]
    for b in range(words):
        bits[n, b] = z[b]
    item[n, I_OP], item[n, I_LEFT], item[n, I_RIGHT], item[n, I_LIVE], item[n, I_CONSIDERED] = op, left, right, live, considered
    link(n, bits, item, table, masks)
    number[N_ITEMS] = n + 1
    return False


@kernel
def star(x: Any, starts: Any, cuts: Any, out: Any) -> None:
    """A word is in the star when a non-empty prefix is in x and the rest is in the star."""
    clear(out)
    out[0] = _ONE
    for w in range(1, starts.shape[1] - 1):
        inside = has(x, w)
        c, end = starts[0, w] + 1, starts[0, w + 1] - 1
        while c < end and not inside:
            inside = has(x, cuts[c, 0]) and has(out, cuts[c, 1])
            c += 1
        if inside:
            out[w >> 6] |= _ONE << np.uint64(w & 63)


@kernel
def unary(op: Any, x: Any, starts: Any, cuts: Any, full: Any, out: Any) -> None:
    """Sequence of ``x?``, ``x*`` or ``~x``."""
    if op == STAR:
        star(x, starts, cuts, out)
    elif op == OPTION:
        for b in range(x.shape[0]):
            out[b] = x[b]
        out[0] |= _ONE
    else:
        for b in range(x.shape[0]):
            out[b] = full[b] & ~x[b]


@kernel
def tabulate(x: Any, starts: Any, cuts: Any, table: Any) -> None:
    """For each value of each byte of y, what it adds to the product x·y."""
    for r in range(table.shape[0]):
        clear(table[r])
    for v in range(starts.shape[1] - 1):
        row = ((v >> 3) << 8) + (1 << (v & 7))
        for c in range(starts[1, v], starts[1, v + 1]):
            if has(x, cuts[c, 2]):
                w = cuts[c, 3]
                table[row, w >> 6] |= _ONE << np.uint64(w & 63)
    for chunk in range(0, table.shape[0], 256):
        for value in range(3, 256):
            low = value & -value
            if low != value:
                for b in range(table.shape[1]):
                    table[chunk + value, b] = table[chunk + low, b] | table[chunk + value - low, b]


@kernel
def product(x: Any, y: Any, starts: Any, cuts: Any, table: Any, out: Any) -> None:
    """Sequence of x·y: by the table of x, or split by split when there is none."""
    clear(out)
    if table.shape[0]:
        chunk, words = 0, out.shape[0]
        for b in range(words):
            rest = y[b]
            while rest:
                value = np.int64(rest & np.uint64(255))
                if value:
                    for d in range(words):
                        out[d] |= table[chunk + value, d]
                rest >>= np.uint64(8)
                chunk += 256
            chunk = (b + 1) * 2048
        return
    for v in range(starts.shape[1] - 1):
        if has(y, v):
            for c in range(starts[1, v], starts[1, v + 1]):
                if has(x, cuts[c, 2]):
                    w = cuts[c, 3]
                    out[w >> 6] |= _ONE << np.uint64(w & 63)


@kernel
def binary(op: Any, x: Any, y: Any, starts: Any, cuts: Any, table: Any, out: Any) -> None:
    """Sequence of a binary operator's result."""
    if op == CONCAT:
        product(x, y, starts, cuts, table, out)
    elif op == UNION:
        for b in range(out.shape[0]):
            out[b] = x[b] | y[b]
    elif op == INTERSECTION:
        for b in range(out.shape[0]):
            out[b] = x[b] & y[b]
    else:
        for b in range(out.shape[0]):
            out[b] = x[b] & ~y[b]


@kernel
def swapped(live: Any, polar: Any) -> Any:
    """The polarities an operand under a complement has."""
    return ((live & 1) << 1 | live >> 1) if polar else live


@kernel
def apply_unary(
    op: Any, a: Any, b: Any, number: Any, bits: Any, item: Any, table: Any, masks: Any, starts: Any, cuts: Any, out: Any
) -> Any:
    """Store ``op`` of rows a to b; true when one meets the goal. ``out`` is a row to work on."""
    for i in range(a, b):
        root, live = item[i, I_OP], np.int64(item[i, I_LIVE])
        if op == OPTION and has(bits[i], 0):
            continue
        if op == STAR and (root == STAR or root == OPTION):  # noqa: SIM109 (numba compiles tuples slowly)
            continue
        if op == COMPLEMENT and root == COMPLEMENT:
            continue
        if op == COMPLEMENT:
            live = swapped(live, number[POLAR])
        unary(op, bits[i], starts, cuts, masks[FULL], out)
        number[N_CANDIDATES] += 1
        if settle(out, op, i, -1, live, number, bits, item, table, masks):
            return True
    return False


@kernel
def combine(op: Any, a: Any, b: Any, c: Any, d: Any, number: Any, bits: Any, item: Any, table: Any, masks: Any, starts: Any,
            cuts: Any, work: Any, out: Any) -> Any:  # fmt: skip
    """Store ``op`` of each row in a…b and each in c…d; returns the next left row, b when done, −1 when one meets the goal.

    ``work`` is the product table, of no rows to do without; ``out`` is a row to work on.
    """
    commutes = op in (UNION, INTERSECTION)
    none = work[:0]
    for i in range(a, b):
        if item[i, I_OP] == op and op != DIFFERENCE:
            continue
        if number[N_ITEMS] + d - c > bits.shape[0]:
            return i
        tab = none
        if op == CONCAT and d - c > 48:
            tab = work
            if work.shape[0]:
                tabulate(bits[i], starts, cuts, work)
        for j in range(c, d):
            if commutes and i >= (item[j, I_LEFT] if item[j, I_OP] == op else j):
                continue
            live = np.int64(item[j, I_LIVE])
            if op == DIFFERENCE:
                live = swapped(live, number[POLAR])
            live &= item[i, I_LIVE]
            if live == 0:
                continue
            binary(op, bits[i], bits[j], starts, cuts, tab, out)
            number[N_CANDIDATES] += 1
            if settle(out, op, i, j, live, number, bits, item, table, masks):
                return -1
    return b
