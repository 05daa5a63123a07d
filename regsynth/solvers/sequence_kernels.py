"""The sequence engine's kernels: store a level, and test goals on stored rows without storing.

A sequence is a row of 64-bit words. Kernels work on ranges of rows that the caller keeps
short, so a search stops between two calls; those that only test touch nothing but their
own scratch and may run in several threads. All live in one file, because numba's cache
only watches the file a kernel is in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from regsynth.native import kernel

OPTION, STAR, COMPLEMENT, CONCAT, INTERSECTION, UNION, DIFFERENCE = 3, 4, 5, 6, 7, 8, 9  # as in regsynth.syntax.tree
# `number`: scalars of the search
N_ITEMS, N_CANDIDATES, POLAR, DOMINANCE, LOOKING, G_OP, G_LEFT, G_RIGHT, N_SCALARS = range(9)
I_OP, I_LEFT, I_RIGHT, I_LIVE, I_CONSIDERED, I_NEXT, ITEM = range(7)  # columns of `item`
FULL, SHARED, UPPER, LOWER, MUST, AVOID, MASKS = range(7)  # rows of `masks`
CHAIN = 96  # stored items a candidate is compared with for dominance

_ONE = np.uint64(1)


@kernel
def clear(x: Any) -> None:
    """Empty a row."""
    for b in range(x.shape[0]):
        x[b] = 0


@kernel
def has(x: Any, i: Any) -> Any:
    """Whether infix ``i`` is in a row."""
    return (x[i >> 6] >> np.uint64(i & 63)) & _ONE != 0


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


# -- tests without storing: a goal's rows are what must be held, what must not, and sets of which one must be held ---------------


@kernel
def meets(z: Any, goal: Any) -> Any:
    """Whether a row meets a goal."""
    for b in range(z.shape[0]):
        if (goal[0, b] & ~z[b]) | (goal[1, b] & z[b]):
            return False
    for h in range(2, goal.shape[0]):
        hit = False
        for b in range(z.shape[0]):
            hit |= goal[h, b] & z[b] != 0
        if not hit:
            return False
    return True


@kernel
def first_row(a: Any, b: Any, goal: Any, bits: Any) -> Any:
    """The first row in a…b that meets the goal, or −1."""
    for i in range(a, b):
        if meets(bits[i], goal):
            return i
    return -1


@kernel
def through(z: Any, chain: Any, goal: Any, starts: Any, cuts: Any, full: Any, scratch: Any) -> Any:
    """Whether a row meets the goal after the unary operators of ``chain``, innermost first."""
    if chain.shape[0] == 1 and chain[0] == STAR:
        for b in range(z.shape[0]):
            if z[b] & goal[1, b]:
                return False  # a star holds its operand
    for b in range(z.shape[0]):
        scratch[0, b] = z[b]
    at = 0
    for c in range(chain.shape[0]):
        unary(chain[c], scratch[at], starts, cuts, full, scratch[1 - at])
        at = 1 - at
    return meets(scratch[at], goal)


@kernel
def stream_rows(a: Any, b: Any, chain: Any, goal: Any, bits: Any, starts: Any, cuts: Any, masks: Any, scratch: Any) -> Any:
    """The first row in a…b that meets the goal through the chain, or −1; ``scratch`` is two rows."""
    for i in range(a, b):
        if through(bits[i], chain, goal, starts, cuts, masks[FULL], scratch):
            return i
    return -1


@kernel
def stream_pairs(op: Any, a: Any, b: Any, c: Any, d: Any, chain: Any, goal: Any, bits: Any, item: Any, starts: Any, cuts: Any,
                 masks: Any, scratch: Any, work: Any) -> Any:  # fmt: skip
    """The first pair whose combination meets the goal through the chain, as (i, j), or (−1, −1).

    ``scratch`` is three rows, ``work`` the product table, of no rows to do without.
    """
    out = scratch[2]
    commutes = op in (UNION, INTERSECTION)
    for i in range(a, b):
        if item[i, I_OP] == op and op != DIFFERENCE:
            continue
        if work.shape[0]:
            tabulate(bits[i], starts, cuts, work)
        for j in range(max(c, i + 1) if commutes else c, d):
            binary(op, bits[i], bits[j], starts, cuts, work, out)
            if through(out, chain, goal, starts, cuts, masks[FULL], scratch):
                return i, j
    return -1, -1


@kernel
def residual(x: Any, side: Any, goal: Any, starts: Any, cuts: Any, out: Any) -> Any:
    """What a product's other operand must avoid (row 0) and hit (the rows after it), given operand x.

    ``side`` is 0 when x is the left operand, 1 when it is the right one. Returns the
    number of rows, or 0 when nothing will do.
    """
    clear(out[0])
    used = 1
    for r in range(goal.shape[0]):
        if r > 1:
            clear(out[used])
        for b in range(goal.shape[1]):
            rest = goal[r, b]
            w = b << 6
            while rest:
                if rest & _ONE:
                    row = used
                    if r == 1:
                        row = 0
                    elif r == 0:
                        clear(out[used])
                    any_ = False
                    for c in range(starts[0, w], starts[0, w + 1]):
                        if has(x, cuts[c, side]):
                            v = cuts[c, 1 - side]
                            out[row, v >> 6] |= _ONE << np.uint64(v & 63)
                            any_ = True
                    if r == 0:
                        if not any_:
                            return 0
                        used += 1
                rest >>= _ONE
                w += 1
        if r > 1:
            some = False
            for b in range(goal.shape[1]):
                some |= out[used, b] != 0
            if not some:
                return 0
            used += 1
    for h in range(1, used):
        some = False
        for b in range(goal.shape[1]):
            out[h, b] &= ~out[0, b]
            some |= out[h, b] != 0
        if not some:
            return 0
    return used


@kernel
def slice_rows(a: Any, b: Any, bits: Any, sliced: Any) -> None:
    """Enter rows a…b in the transposed table: for 64 rows a word for each infix, of those that hold it."""
    for i in range(a, b):
        bit = _ONE << np.uint64(i & 63)
        for w in range(bits.shape[1]):
            rest = bits[i, w]
            while rest:
                sliced[i >> 6, (w << 6) + lowest(rest)] |= bit
                rest &= rest - _ONE


@kernel(inline="always")
def lowest(x: Any) -> Any:
    """Number of the lowest bit of x, which has one."""
    x = (x & (~x + _ONE)) - _ONE
    x = x - ((x >> _ONE) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def scan(block: Any, c: Any, d: Any, rows: Any, used: Any, sliced: Any) -> Any:
    """Which of the 64 rows of a block lie in c…d, avoid ``rows[0]`` and hit each row after it, as bits."""
    alive = ~np.uint64(0)
    if block == c >> 6:
        alive &= ~np.uint64(0) << np.uint64(c & 63)
    if block == (d - 1) >> 6:
        alive &= ~np.uint64(0) >> np.uint64(63 - ((d - 1) & 63))
    words = rows.shape[1]
    for b in range(words):
        rest = rows[0, b]
        while rest and alive:
            alive &= ~sliced[block, (b << 6) + lowest(rest)]
            rest &= rest - _ONE
    h = 1
    while alive and h < used:
        hit = np.uint64(0)
        for b in range(words):
            rest = rows[h, b]
            while rest:
                hit |= sliced[block, (b << 6) + lowest(rest)]
                rest &= rest - _ONE
        alive &= hit
        h += 1
    return alive


@kernel
def find_product(a: Any, b: Any, c: Any, d: Any, side: Any, goal: Any, rows: Any, bits: Any, sliced: Any, item: Any, starts: Any,
                 cuts: Any) -> Any:  # fmt: skip
    """The first pair, x in a…b as the operand of that side and y in c…d as the other, whose product meets the goal.

    ``rows`` has room for what the goal asks of y.
    """
    for i in range(a, b):
        if side == 0 and item[i, I_OP] == CONCAT:
            continue
        used = residual(bits[i], side, goal, starts, cuts, rows)
        if used:
            for block in range(c >> 6, ((d - 1) >> 6) + 1):
                alive = scan(block, c, d, rows, used, sliced)
                if alive:
                    return i, (block << 6) + lowest(alive)
    return -1, -1


@kernel
def remaining(x: Any, goal: Any, out: Any) -> Any:
    """What the other operand of a union must avoid (row 0) and hit, given operand x; 0 when nothing will do, else the rows."""
    words = x.shape[0]
    for b in range(words):
        if x[b] & goal[1, b]:
            return 0
        out[0, b] = goal[1, b]
    used = 1
    for b in range(words):
        rest = goal[0, b] & ~x[b]
        while rest:
            clear(out[used])
            out[used, b] = rest & (~rest + _ONE)
            rest &= rest - _ONE
            used += 1
    for h in range(2, goal.shape[0]):
        hit = False
        for b in range(words):
            hit |= goal[h, b] & x[b] != 0
        if not hit:
            for b in range(words):
                out[used, b] = goal[h, b]
            used += 1
    return used


@kernel
def sliced_product(x: Any, left: Any, z: Any, starts: Any, cuts: Any, out: Any) -> None:
    """Transposed rows of x·z (``left``), or of z·x."""
    for w in range(starts.shape[1] - 1):
        found = np.uint64(0)
        for c in range(starts[0, w], starts[0, w + 1]):
            if has(x, cuts[c, 0] if left else cuts[c, 1]):
                found |= z[cuts[c, 1] if left else cuts[c, 0]]
        out[w] = found


@kernel
def sliced_step(op: Any, x: Any, right: Any, z: Any, starts: Any, cuts: Any, out: Any) -> None:
    """Transposed rows of a unary operator over z, or of a product or union with x (``right``: which stands on the right)."""
    if op == CONCAT:
        sliced_product(x, not right, z, starts, cuts, out)
        return
    for w in range(starts.shape[1] - 1):
        found = z[w]
        if op == UNION:
            if has(x, w):
                found = ~np.uint64(0)
        elif w == 0:
            found = ~np.uint64(0)
        elif op == STAR:
            for c in range(starts[0, w] + 1, starts[0, w + 1] - 1):
                found |= z[cuts[c, 0]] & out[cuts[c, 1]]
        out[w] = found


@kernel
def climb(steps: Any, goal: Any, bits: Any, starts: Any, cuts: Any, lanes: Any) -> Any:
    """Which of 64 rows, transposed in ``lanes[0]``, meet the goal after the steps, as bits.

    A step is an operator, the stored row of its other operand (−1: unary), and whether that one stands on the right.
    """
    at = 0
    for s in range(steps.shape[0]):
        sliced_step(steps[s, 0], bits[max(steps[s, 1], 0)], steps[s, 2], lanes[at], starts, cuts, lanes[1 - at])
        at = 1 - at
    alive = ~np.uint64(0)
    for h in range(goal.shape[0]):
        hit = np.uint64(0)
        for b in range(goal.shape[1]):
            rest = goal[h, b]
            while rest and alive:
                z = lanes[at, (b << 6) + lowest(rest)]
                if h == 0:
                    alive &= z
                elif h == 1:
                    alive &= ~z
                else:
                    hit |= z
                rest &= rest - _ONE
        if h > 1:
            alive &= hit
    return alive


@kernel
def find_below(op: Any, a: Any, b: Any, c: Any, d: Any, side: Any, goal: Any, top: Any, steps: Any, rows: Any, bits: Any,
               sliced: Any, item: Any, starts: Any, cuts: Any, lanes: Any) -> Any:  # fmt: skip
    """The first pair, x in a…b as the operand of that side and y in c…d, whose combination meets ``top`` after the steps.

    It must meet ``goal``, which says less and is quick to test. Without an operator x is ignored: a row in c…d is looked
    for, and a…b is of one. ``rows`` has room for what the goal asks of y, ``lanes`` for 64 rows transposed, twice.
    """
    for i in range(a, b):
        if op >= CONCAT and item[i, I_OP] == op and side == 0:
            continue
        first = c
        if op == CONCAT:
            used = residual(bits[i], side, goal, starts, cuts, rows)
        elif op == UNION:
            used = remaining(bits[i], goal, rows)
            first = max(c, i + 1)
        else:
            nothing = rows[rows.shape[0] - 1]
            clear(nothing)
            used = remaining(nothing, goal, rows)
        if used == 0 or first >= d:
            continue
        for block in range(first >> 6, ((d - 1) >> 6) + 1):
            alive = scan(block, first, d, rows, used, sliced)
            if alive:
                if op >= CONCAT:
                    sliced_step(op, bits[i], side, sliced[block], starts, cuts, lanes[0])
                else:
                    lanes[0, :] = sliced[block]
                alive &= climb(steps, top, bits, starts, cuts, lanes)
                if alive:
                    return i, (block << 6) + lowest(alive)
    return -1, -1


@kernel
def signatures(a: Any, b: Any, bits: Any, must: Any, avoid: Any, conditions: Any, out: Any) -> None:
    """For each row in a…b the conditions it meets, as bits; −1 when it lacks ``must`` or holds some of ``avoid``."""
    for i in range(a, b):
        bad = np.uint64(0)
        for w in range(bits.shape[1]):
            bad |= (must[w] & ~bits[i, w]) | (avoid[w] & bits[i, w])
        out[i - a] = -1
        if bad == 0:
            found = 0
            for t in range(conditions.shape[0]):
                for w in range(bits.shape[1]):
                    if bits[i, w] & conditions[t, w]:
                        found |= 1 << t
                        break
            out[i - a] = found


@kernel
def match(first: Any, second: Any, op: Any, everything: Any) -> Any:
    """Positions of two signatures that together meet a goal, or (−1, −1)."""
    for i in range(first.shape[0]):
        for j in range(second.shape[0]):
            if op == UNION:
                good = first[i] | second[j] == everything
            elif op == INTERSECTION:
                good = first[i] & second[j] == 0
            else:
                good = first[i] & ~second[j] == 0
            if good:
                return i, j
    return -1, -1
