"""Numba kernel: determinise expressions with any number of positions.

A state is the set of positions that may be read next. For a set P of positions
just read, bottom-up ``out[v]`` says whether a word of v may end in P, and then
top-down ``into[v]`` says whether v may start next; the leaves' ``into`` is the
new state. Both passes are pure AND/OR, so each machine word carries 64 (state,
letter) steps at once. A step costs time linear in the expression and no follow
relation (quadratic in memory) is ever built.

Self-contained (numba's cache only notices changes in the file of a function).
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator,assignment"

from __future__ import annotations

import numpy as np
from numba import njit

U64 = np.uint64
ZERO, ONE, ONES = U64(0), U64(1), U64(0xFFFFFFFFFFFFFFFF)
NONE = np.int64(0)  # a typed zero: a literal 0 would compile every callee once more
LOW_HALF = U64(0xFFFFFFFF)
MIX = U64(0x9E3779B97F4A7C15)
EPSILON, OPTION, STAR, CONCAT, UNION = -2, -4, -5, -7, -9  # -1 - operator

# Functions only kernels call need no way in from Python. Array expressions and slices
# are avoided throughout: each costs seconds to compile.
inner = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


@inner
def build(code, items, letters, leaf, node, owner, operands, gates, stack):
    """Turn postfix ``code`` into inner nodes from ``node`` on and leaves from ``leaf`` on.

    ∅, ε and ``?`` leave no node behind: they only change what is nullable.
    ``stack`` rows are (node or -1, nullable).
    Returns (root or -1, nullable, next leaf, next node).
    """
    top = -1
    for k in range(items):
        c = code[k]
        if c >= 0:
            top += 1
            owner[leaf] = np.searchsorted(letters, c)
            stack[top, 0], stack[top, 1] = leaf, 0
            leaf += 1
        elif c == OPTION:
            stack[top, 1] = 1
        elif c == STAR:
            stack[top, 1] = 1
            if stack[top, 0] >= 0:
                operands[node, 0] = operands[node, 1] = stack[top, 0]
                gates[node, 0], gates[node, 1], gates[node, 2] = ZERO, ONES, ONES
                stack[top, 0] = node
                node += 1
        elif c in (CONCAT, UNION):
            top -= 1
            x, y = stack[top, 0], stack[top + 1, 0]
            null_x, null_y = stack[top, 1], stack[top + 1, 1]
            if c == CONCAT:
                stack[top, 1] = null_x & null_y
                if (x < 0 and null_x == 0) or (y < 0 and null_y == 0):  # ∅
                    stack[top, 0], stack[top, 1] = -1, 0
                    continue
            else:
                stack[top, 1] = null_x | null_y
            if x < 0 or y < 0:
                stack[top, 0] = max(x, y)
                continue
            operands[node, 0], operands[node, 1] = x, y
            if c == CONCAT:
                gates[node, 0] = ONES if null_y else ZERO
                gates[node, 1] = ONES if null_x else ZERO
                gates[node, 2] = ONES
            else:
                gates[node, 0], gates[node, 1], gates[node, 2] = ONES, ONES, ZERO
            stack[top, 0] = node
            node += 1
        else:
            top += 1
            stack[top, 0], stack[top, 1] = -1, 1 if c == EPSILON else 0
    return stack[0, 0], stack[0, 1], leaf, node


@inner
def sweep(first, last, operands, gates, out, into):
    """The two passes over inner nodes ``first`` … ``last - 1``; roots' ``into`` is set by the caller."""
    for v in range(first, last):
        out[v] = out[operands[v, 1]] | (gates[v, 0] & out[operands[v, 0]])
    for v in range(last - 1, first - 1, -1):
        x, y, enter = operands[v, 0], operands[v, 1], into[v]
        into[x] = enter
        into[y] = (gates[v, 1] & enter) | (gates[v, 2] & out[x])


@inner
def transpose(block):
    """Transpose a 64 by 64 bit matrix in place: bit j of row i becomes bit i of row j."""
    width, mask = 32, LOW_HALF
    while width:
        shift = U64(width)
        for low in range(0, 64, 2 * width):
            for i in range(low, low + width):
                t = ((block[i] >> shift) ^ block[i + width]) & mask
                block[i + width] ^= t
                block[i] ^= t << shift
        width >>= 1
        mask ^= mask << U64(max(width, 1))


@inner
def load(rows, state, group, low, high, owner, block, out):
    """Set the leaves' ``out``: lane (letter - low) * group + g means state + g read that letter."""
    for w in range(rows.shape[1]):
        for g in range(64):
            block[g] = rows[state + g, w] if g < group and state + g < rows.shape[0] else ZERO
        transpose(block)
        for j in range(64):
            letter = owner[64 * w + j]
            out[64 * w + j] = block[j] << U64((letter - low) * group) if low <= letter < high else ZERO


@inner
def unload(into, block, fresh):
    """The new states, one row a lane."""
    for w in range(fresh.shape[1]):
        for j in range(64):
            block[j] = into[64 * w + j]
        transpose(block)
        for j in range(64):
            fresh[j, w] = block[j]


@inner
def mix(fresh, lane):
    """Hash of a new state."""
    h = ZERO
    for w in range(fresh.shape[1]):
        h = (h ^ fresh[lane, w]) * MIX
        h ^= h >> U64(29)
    return h


@inner
def slot_of(fresh, lane, h, rows, hashes, table):
    """Slot that holds the equal row, or the free slot where it belongs."""
    slot = np.int64(h >> U64(33)) & (table.size - 1)
    while table[slot] >= 0:
        index = table[slot]
        if hashes[index] == h:
            w = 0
            while w < fresh.shape[1] and rows[index, w] == fresh[lane, w]:
                w += 1
            if w == fresh.shape[1]:
                break
        slot = (slot + 1) & (table.size - 1)
    return slot


@inner
def _bit(rows, row, column):
    return rows[row, column >> 6] >> U64(column & 63) & ONE


@inner
def _dead(rows, row, leaves):
    """Whether a state holds none of the first ``leaves`` leaves."""
    for w in range(leaves >> 6):
        if rows[row, w] != ZERO:
            return False
    return leaves & 63 == 0 or rows[row, leaves >> 6] << U64(64 - (leaves & 63)) == ZERO


@inner
def widened(array, rows):
    """A copy with ``rows`` rows (more or fewer)."""
    out = np.empty((rows, array.shape[1]), array.dtype)
    for i in range(min(rows, array.shape[0])):
        for j in range(array.shape[1]):
            out[i, j] = array[i, j]
    return out


@inner
def entered(hashes, size, room):
    """The hashes in an array of ``size``, and a table of ``room`` slots that refers to every state."""
    more = np.empty(size, np.uint64)
    table = np.empty(room, np.int32)
    for slot in range(room):
        table[slot] = -1
    for index in range(hashes.size):
        more[index] = hashes[index]
        slot = np.int64(hashes[index] >> U64(33)) & (room - 1)
        while table[slot] >= 0:
            slot = (slot + 1) & (room - 1)
        table[slot] = index
    return more, table


@njit(cache=True, nogil=True)
def explore(code1, items1, code2, items2, leaves, letters, bad, alive, limit):
    """Determinise one expression or two side by side (``items2 = 0`` for one).

    Stops at the first state whose (first accepts, second accepts), read as a
    number with the first in bit 1, is in the set ``bad``. States without one of the
    first ``alive`` leaves are not stored (their transitions are -1); 0: all are.
    Returns (outcome, ends, word, transitions, accepting); outcome 0: complete,
    1: found, with ``word`` (letter numbers) leading there, 2: over ``limit``.
    """
    words = (leaves + 2 + 63) // 64
    room = 64 * words  # columns: leaves, then one column a side for "may stop here"
    nodes = room + items1 + items2
    owner = np.empty(room, np.int32)
    for i in range(room):
        owner[i] = -1
    operands = np.zeros((nodes, 2), np.int32)
    gates = np.zeros((nodes, 3), np.uint64)
    stack = np.empty((max(items1, items2) + 1, 2), np.int32)
    root1, null1, leaf, middle = build(code1, items1, letters, NONE, room, owner, operands, gates, stack)
    root2, null2, end = -1, 0, middle
    if items2 > 0:
        root2, null2, leaf, end = build(code2, items2, letters, leaf, middle, owner, operands, gates, stack)
    out = np.zeros(nodes, np.uint64)
    into = np.zeros(nodes, np.uint64)
    block = np.empty(64, np.uint64)
    fresh = np.empty((64, words), np.uint64)

    capacity, known = 32, letters.size
    rows = np.empty((capacity, words), np.uint64)
    delta = np.empty((capacity, known), np.int32)
    parent = np.empty((capacity, 2), np.int32)
    hashes, table = entered(np.empty(0, np.uint64), capacity, 4 * capacity)

    if root1 >= 0:
        into[root1] = ONE
    if root2 >= 0:
        into[root2] = ONE
    sweep(room, end, operands, gates, out, into)
    into[leaves], into[leaves + 1] = U64(null1), U64(null2)
    unload(into, block, fresh)
    for w in range(words):
        rows[0, w] = fresh[0, w]
    hashes[0] = mix(fresh, NONE)
    table[slot_of(fresh, NONE, hashes[0], rows, hashes, table)] = 0
    parent[0, 0] = parent[0, 1] = -1
    count, head = NONE + 1, NONE
    found, ends = NONE - 1, np.int64(null1 << 1 | null2)
    if bad >> ends & 1:
        found = 0

    width = min(known, 64)
    most = 64 // max(width, 1)
    while found < 0 and head < count and known > 0:
        group = min(most, count - head)
        for low in range(0, known, width):
            high = min(low + width, known)
            load(rows, head, group, low, high, owner, block, out)
            if root1 >= 0:
                into[root1] = ZERO
            if root2 >= 0:
                into[root2] = ZERO
            sweep(room, end, operands, gates, out, into)
            into[leaves] = out[root1] if root1 >= 0 else ZERO
            into[leaves + 1] = out[root2] if root2 >= 0 else ZERO
            unload(into, block, fresh)
            for lane in range(group * (high - low)):
                state, letter = head + lane // (high - low), low + lane % (high - low)
                row = (letter - low) * group + state - head
                h = mix(fresh, row)
                slot = slot_of(fresh, row, h, rows, hashes, table)
                delta[state, letter] = table[slot]
                if table[slot] >= 0:
                    continue
                ends = np.int64(_bit(fresh, row, leaves) << ONE | _bit(fresh, row, leaves + 1))
                if not bad >> ends & 1 and alive > 0 and _dead(fresh, row, alive):
                    continue
                if count >= limit:
                    return 2, NONE, np.empty(0, np.int32), widened(delta, NONE), np.empty(0, np.bool_)
                if count == capacity:
                    capacity *= 2
                    rows, delta, parent = widened(rows, capacity), widened(delta, capacity), widened(parent, capacity)
                    hashes, table = entered(hashes, capacity, 4 * capacity)
                    slot = slot_of(fresh, row, h, rows, hashes, table)
                table[slot] = count
                delta[state, letter] = count
                for w in range(words):
                    rows[count, w] = fresh[row, w]
                hashes[count] = h
                parent[count, 0], parent[count, 1] = state, letter
                if bad >> ends & 1:
                    found = count
                    break
                count += 1
            if found >= 0:
                break
        head += group

    if found >= 0:
        length, at = 0, found
        while parent[at, 0] >= 0:
            length, at = length + 1, parent[at, 0]
        word = np.empty(length, np.int32)
        while length > 0:
            length -= 1
            word[length], found = parent[found, 1], parent[found, 0]
        return 1, ends, word, widened(delta, NONE), np.empty(0, np.bool_)
    accepting = np.empty(count, np.bool_)
    for index in range(count):
        accepting[index] = _bit(rows, index, leaves) != ZERO
    return 0, NONE, np.empty(0, np.int32), widened(delta, count), accepting
