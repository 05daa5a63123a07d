"""Stored rows that meet a goal, alone or beside another stored row below an operator: 512 are tested at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from regsynth.native import kernel
from regsynth.solvers.bit_kernels import has, lowest, meet, size, within
from regsynth.solvers.clause_kernels import choose_rests
from regsynth.solvers.goal_kernels import (
    FOUND,
    G_COST,
    G_END,
    G_EXACT,
    G_IDLE,
    G_MID,
    G_OP,
    G_PARENT,
    G_ROW,
    G_SIDE,
    G_START,
    JOB,
    N_SCANNED,
    N_TRIED,
    WORK,
)
from regsynth.solvers.operand_kernels import (
    COMPLEMENT,
    CONCAT,
    DIFFERENCE,
    INTERSECTION,
    NONE,
    OPTION,
    STAR,
    UNION,
    gather,
    tabulate,
    through_product,
    through_set,
)

SIFTED = 64  # misses of a closing row that are looked at before it is tried in full

_NONE, _ONE = np.uint64(0), np.uint64(1)


@kernel
def slice_rows(a: Any, b: Any, order: Any, bits: Any, sliced: Any) -> None:
    """Enter rows a…b in the transposed table: for each 512 places and each infix eight words, the bits of rows that hold it.

    ``order`` says which row has which place.
    """
    for i in range(a, b):
        bit = _ONE << np.uint64(i & 63)
        for w in range(bits.shape[1]):
            rest = bits[order[i], w]
            while rest:
                sliced[i >> 9, (w << 6) + lowest(rest), i >> 6 & 7] |= bit
                rest &= rest - _ONE


@kernel
def scan(group: Any, c: Any, d: Any, mask: Any, hits: Any, n: Any, sliced: Any, alive: Any) -> Any:
    """Which of 512 rows, by place, lie in c…d and meet masks and hits, as bits in ``alive``; whether there are any."""
    words = mask.shape[1]
    start, end = c - (group << 9), d - (group << 9)
    for t in range(8):
        x = ~np.uint64(0)
        if start > t << 6:
            x = np.uint64(0) if start >= (t + 1) << 6 else x << np.uint64(start & 63)
        if end < (t + 1) << 6:
            x = np.uint64(0) if end <= t << 6 else x & ~(~np.uint64(0) << np.uint64(end & 63))
        alive[t] = x
    a, b, e, f, g, h, i, j = alive[0], alive[1], alive[2], alive[3], alive[4], alive[5], alive[6], alive[7]
    for w in range(words):
        rest = mask[1, w]
        while rest:
            at = sliced[group, (w << 6) + lowest(rest)]
            a, b, e, f = a & ~at[0], b & ~at[1], e & ~at[2], f & ~at[3]
            g, h, i, j = g & ~at[4], h & ~at[5], i & ~at[6], j & ~at[7]
            if (a | b | e | f | g | h | i | j) == 0:
                return False
            rest &= rest - _ONE
    for w in range(words - 1, -1, -1):  # few rows hold a long infix
        rest = mask[0, w]
        while rest:
            at = sliced[group, (w << 6) + lowest(rest)]
            a, b, e, f, g, h, i, j = a & at[0], b & at[1], e & at[2], f & at[3], g & at[4], h & at[5], i & at[6], j & at[7]
            if (a | b | e | f | g | h | i | j) == 0:
                return False
            rest &= rest - _ONE
    for q in range(n):
        k = u = m = o = p = r = s = v = _NONE
        for w in range(words):
            rest = hits[q, w]
            while rest:
                at = sliced[group, (w << 6) + lowest(rest)]
                k, u, m, o, p, r, s, v = k | at[0], u | at[1], m | at[2], o | at[3], p | at[4], r | at[5], s | at[6], v | at[7]
                rest &= rest - _ONE
        a, b, e, f, g, h, i, j = a & k, b & u, e & m, f & o, g & p, h & r, i & s, j & v
        if (a | b | e | f | g | h | i | j) == 0:
            return False
    alive[0], alive[1], alive[2], alive[3], alive[4], alive[5], alive[6], alive[7] = a, b, e, f, g, h, i, j
    return True


@kernel
def single(mask: Any, hits: Any, n: Any) -> Any:
    """Move hits of one infix to the mask; returns how many are left."""
    kept = 0
    for i in range(n):
        if size(hits[i]) == 1:
            for w in range(hits.shape[1]):
                mask[0, w] |= hits[i, w]
        else:
            for w in range(hits.shape[1]):
                hits[kept, w] = hits[i, w]
            kept += 1
    return kept


@kernel
def sift(z: Any, misses: Any, m: Any, alive: Any) -> Any:
    """Which of 64 transposed rows, of those alive, hold none of the first m clauses as a whole, as bits."""
    for i in range(m):
        if alive == 0:
            break
        every = alive
        for b in range(misses.shape[1]):
            rest = misses[i, b]
            while rest:
                every &= z[(b << 6) + lowest(rest)]
                rest &= rest - _ONE
        alive &= ~every
    return alive


@kernel
def holds(z: Any, g: Any, goals: Any, masks: Any, clauses: Any) -> Any:
    """Whether a row meets a goal."""
    if meet(z, masks[g, 1]) or not within(masks[g, 0], z):
        return False
    for i in range(goals[g, G_START], goals[g, G_MID]):
        if not meet(z, clauses[i]):
            return False
    for i in range(goals[g, G_MID], goals[g, G_END]):  # noqa: SIM110
        if within(clauses[i], z):
            return False
    return True


@kernel
def applied(op: Any, side: Any, x: Any, z: Any, starts: Any, cuts: Any, out: Any) -> None:
    """An operator over each of 64 transposed rows, and x on that side, transposed."""
    every = ~np.uint64(0)
    for w in range(starts.shape[1] - 1):
        found = np.uint64(0)
        if op == CONCAT:
            for c in range(starts[0, w], starts[0, w + 1]):
                if has(x, cuts[c, side]):
                    found |= z[cuts[c, 1 - side]]
        elif op == STAR:
            if w == 0:
                found = every
            for c in range(starts[0, w] + 1, starts[0, w + 1]):
                found |= z[cuts[c, 0]] & out[cuts[c, 1]]
        elif op == COMPLEMENT:
            found = ~z[w]
        elif op == OPTION:
            found = z[w] if w else every
        elif op == UNION:
            found = every if has(x, w) else z[w]
        elif op == INTERSECTION:
            found = z[w] if has(x, w) else np.uint64(0)
        elif side == 1:
            found = np.uint64(0) if has(x, w) else z[w]
        else:
            found = ~z[w] if has(x, w) else np.uint64(0)
        out[w] = found


@kernel
def meeting(z: Any, g: Any, goals: Any, masks: Any, clauses: Any) -> Any:
    """Which of 64 transposed rows meet a goal, as bits."""
    alive = ~np.uint64(0)
    words = masks.shape[2]
    for b in range(words):
        for kind in range(2):
            rest = masks[g, kind, b]
            while rest and alive:
                held = z[(b << 6) + lowest(rest)]
                alive &= ~held if kind else held
                rest &= rest - _ONE
    for i in range(goals[g, G_START], goals[g, G_END]):
        if alive == 0:
            break
        some, every = np.uint64(0), ~np.uint64(0)
        for b in range(words):
            rest = clauses[i, b]
            while rest:
                held = z[(b << 6) + lowest(rest)]
                some |= held
                every &= held
                rest &= rest - _ONE
        alive &= some if i < goals[g, G_MID] else ~every
    return alive


@kernel
def answers(op: Any, side: Any, x: Any, g: Any, goals: Any, masks: Any, clauses: Any, bits: Any, starts: Any, cuts: Any,
            lanes: Any) -> Any:  # fmt: skip
    """For which of 64 transposed rows ``op`` over them, and x on that side, makes an answer in the place of a goal, as bits.

    The rows are in ``lanes[0]``; two more are to work on. An exact goal above says as much as the root.
    """
    at = 0
    if op != NONE:
        applied(op, side, x, lanes[0], starts, cuts, lanes[1])
        at = 1
    while goals[g, G_EXACT] == 0:
        applied(goals[g, G_OP], goals[g, G_SIDE], bits[max(goals[g, G_ROW], 0)], lanes[at], starts, cuts, lanes[at % 2 + 1])
        at = at % 2 + 1
        g = goals[g, G_PARENT]
    return meeting(lanes[at], g, goals, masks, clauses)


@kernel
def copied(g: Any, goals: Any, masks: Any, clauses: Any, mask: Any, hits: Any, misses: Any) -> Any:
    """A goal as it is: (hits, misses)."""
    start, mid, end = goals[g, G_START], goals[g, G_MID], goals[g, G_END]
    for w in range(mask.shape[1]):
        mask[0, w], mask[1, w] = masks[g, 0, w], masks[g, 1, w]
        for i in range(start, mid):
            hits[i - start, w] = clauses[i, w]
        for i in range(mid, end):
            misses[i - mid, w] = clauses[i, w]
    return mid - start, end - mid


@kernel
def covered(op: Any, side: Any, g: Any, fixed: Any, scanned: Any, frontier: Any, goals: Any) -> Any:
    """Whether a pair is tested at the goal's parent as well, with the goal's own operand joined to one of the pair."""
    if goals[g, G_OP] != op or op == DIFFERENCE or op < CONCAT:
        return False
    own = goals[g, G_COST] - goals[goals[g, G_PARENT], G_COST]  # with its operator
    if op == CONCAT:
        return own + (fixed if side == goals[g, G_SIDE] else scanned) < frontier
    return own + min(fixed, scanned) < frontier


@kernel
def close(op: Any, side: Any, a: Any, b: Any, fixed: Any, frontier: Any, at: Any, jobs: Any, number: Any, goals: Any,
          masks: Any, clauses: Any, bits: Any, order: Any, sliced: Any, starts: Any, cuts: Any, mask: Any, hits: Any, misses: Any,
          rests: Any, adds: Any, lanes: Any, alive: Any) -> Any:  # fmt: skip
    """Look for a row y that, beside a row x in a…b on that side of ``op``, meets a goal.

    A job is a range of goals, one of places of y, and the cost of y; ``fixed`` is that of x. Without an operator there is one x,
    which is ignored. Begins with goal ``at`` of job ``number[JOB]`` of row a; returns the x and goal to go on with, and that job:
    (b, 0) when all is done. What is found is in ``number[FOUND]``, else −1.
    """
    work = 0
    number[FOUND] = -1
    begin = number[JOB]
    number[JOB] = 0
    for i in range(a, b):
        if op == CONCAT:
            tabulate(bits[i], side, starts, cuts, rests, adds)
            work += starts.shape[1] * 8
        for job in range(begin if i == a else 0, jobs.shape[0]):
            c, d, scanned = jobs[job, 2], jobs[job, 3], jobs[job, 4]
            for g in range(at if i == a and job == begin else jobs[job, 0], jobs[job, 1]):
                if work > WORK:
                    number[JOB] = job
                    return i, g
                if goals[g, G_IDLE] & 1:
                    continue
                work += 16
                if covered(op, side, g, fixed, scanned, frontier, goals):
                    continue
                start, mid, end = goals[g, G_START], goals[g, G_MID], goals[g, G_END]
                work += 4 * (end - start)
                m = 0
                if op == CONCAT:
                    n = through_product(start, mid, masks[g, 0], masks[g, 1], clauses, rests, mask, hits)
                elif op > CONCAT:
                    exact = goals[g, G_EXACT] == 1
                    n, m = through_set(op, side, bits[i], exact, start, mid, end, masks[g, 0], masks[g, 1], clauses, mask, hits, misses)
                else:
                    n, m = copied(g, goals, masks, clauses, mask, hits, misses)
                if n < 0:
                    continue
                number[N_TRIED] += 1
                n = single(mask, hits, n)
                number[N_SCANNED] += (d - c + 63) >> 6
                work += (d - c + 63) >> 3
                listed = op != CONCAT
                for group in range(c >> 9, ((d - 1) >> 9) + 1):
                    if not scan(group, c, d, mask, hits, n, sliced, alive):
                        continue
                    if not listed:
                        listed = True
                        for t in range(mid, end):
                            if m < SIFTED:
                                m, _ = choose_rests(clauses[t], rests, mask[1], misses, m)
                        work += 2 * (end - mid)
                    for t in range(8):
                        if alive[t] == 0:
                            continue
                        for w in range(starts.shape[1] - 1):
                            lanes[0, w] = sliced[group, w, t]
                        left = sift(lanes[0], misses, m, alive[t])
                        if left and goals[g, G_EXACT] == 0:
                            work += starts.shape[1]
                            left &= answers(op, side, bits[i], g, goals, masks, clauses, bits, starts, cuts, lanes)
                        while left:
                            j = order[(group << 9) + (t << 6) + lowest(left)]
                            left &= left - _ONE
                            work += 4
                            if op == CONCAT:
                                gather(bits[j], adds, mask[2])
                            if op != CONCAT or holds(mask[2], g, goals, masks, clauses):
                                number[FOUND] = j
                                return i, g
    return b, 0
