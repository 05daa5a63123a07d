"""Goals of holes, grown from the root: in normal form, each once, those that another one makes idle marked."""

from __future__ import annotations

from typing import Any

import numpy as np

from regsynth.native import kernel
from regsynth.solvers.bit_kernels import meet, size, within
from regsynth.solvers.clause_kernels import choose_rests, settle_clauses
from regsynth.solvers.operand_kernels import CONCAT, DIFFERENCE, NONE, OPTION, STAR, tabulate, through_product, through_set, through_unary

G_START, G_MID, G_END, G_PARENT, G_OP, G_ROW, G_SIDE, G_COST, G_EXACT, G_IDLE, GOAL = range(11)  # columns of `goals`
# G_IDLE: bit 0 is set where another goal asks for less, bit `op` where a unary operator will not do
N_GOALS, N_CLAUSES, N_TRIED, N_SCANNED, FOUND, JOB, N_SCALARS = range(7)  # `number`: scalars of the search
LISTED, KEPT = 4096, 512  # hits or misses of a goal before those that contain others are struck out, and after; the rest makes it inexact
WORK = 1 << 23  # steps of a call: some tens of milliseconds


@kernel
def place_of(mask: Any, hits: Any, a: Any, n: Any, misses: Any, b: Any, m: Any, places: Any) -> Any:
    """Where a goal of n hits from row a and m misses from row b is looked for first in a table of so many (a power of two) places."""
    h = np.uint64(n) * np.uint64(0x9E3779B97F4A7C15)
    for w in range(mask.shape[1]):
        h = (h ^ mask[0, w]) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
        h = (h ^ mask[1, w]) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
        for i in range(n):
            h = (h ^ hits[a + i, w]) * np.uint64(0xBF58476D1CE4E5B9)
            h ^= h >> np.uint64(29)
        for i in range(m):
            h = (h ^ misses[b + i, w]) * np.uint64(0x94D049BB133111EB)
            h ^= h >> np.uint64(31)
    return np.int64((h ^ (h >> np.uint64(32))) & np.uint64(places - 1))


@kernel
def same(g: Any, mask: Any, hits: Any, n: Any, misses: Any, m: Any, goals: Any, masks: Any, clauses: Any) -> Any:
    """Whether goal g is the one given."""
    start = goals[g, G_START]
    if goals[g, G_MID] - start != n or goals[g, G_END] - goals[g, G_MID] != m:
        return False
    for w in range(mask.shape[1]):
        if masks[g, 0, w] != mask[0, w] or masks[g, 1, w] != mask[1, w]:
            return False
        for i in range(n):
            if clauses[start + i, w] != hits[i, w]:
                return False
        for i in range(m):
            if clauses[start + n + i, w] != misses[i, w]:
                return False
    return True


@kernel
def enter(mask: Any, hits: Any, n: Any, misses: Any, m: Any, exact: Any, parent: Any, op: Any, row: Any, side: Any, cost: Any,
          known: Any, number: Any, goals: Any, masks: Any, clauses: Any, table: Any) -> None:  # fmt: skip
    """Keep a goal unless it is ``known``. An inexact one is kept in any case: another way to it asks for something else."""
    if exact and known:
        places = table.shape[0]
        s = place_of(mask, hits, 0, n, misses, 0, m, places)
        while table[s] >= 0:
            if same(table[s], mask, hits, n, misses, m, goals, masks, clauses):
                return
            s = (s + 1) & (places - 1)
        table[s] = number[N_GOALS]
    g, at = number[N_GOALS], number[N_CLAUSES]
    for w in range(mask.shape[1]):
        masks[g, 0, w], masks[g, 1, w] = mask[0, w], mask[1, w]
        for i in range(n):
            clauses[at + i, w] = hits[i, w]
        for i in range(m):
            clauses[at + n + i, w] = misses[i, w]
    goals[g, G_START], goals[g, G_MID], goals[g, G_END] = at, at + n, at + n + m
    goals[g, G_PARENT], goals[g, G_OP], goals[g, G_ROW], goals[g, G_SIDE] = parent, op, row, side
    goals[g, G_COST], goals[g, G_EXACT], goals[g, G_IDLE] = cost, exact, 0
    number[N_GOALS] = g + 1
    number[N_CLAUSES] = at + n + m


@kernel
def relink(number: Any, goals: Any, masks: Any, clauses: Any, table: Any) -> None:
    """Fill a fresh table."""
    places = table.shape[0]
    for g in range(number[N_GOALS]):
        if goals[g, G_EXACT]:
            a, b, c = goals[g, G_START], goals[g, G_MID], goals[g, G_END]
            s = place_of(masks[g], clauses, a, b - a, clauses, b, c - b, places)
            while table[s] >= 0:
                s = (s + 1) & (places - 1)
            table[s] = g


@kernel
def root(mask: Any, hits: Any, misses: Any, number: Any, goals: Any, masks: Any, clauses: Any, table: Any) -> None:
    """Enter the first goal, of two masks."""
    enter(mask, hits, 0, misses, 0, True, -1, NONE, -1, 0, 0, True, number, goals, masks, clauses, table)


@kernel
def weaker(p: Any, q: Any, goals: Any, masks: Any, clauses: Any) -> Any:
    """Whether whatever meets goal q meets p, as far as their clauses tell one by one."""
    words = masks.shape[2]
    for w in range(words):
        if (masks[p, 0, w] & ~masks[q, 0, w]) | (masks[p, 1, w] & ~masks[q, 1, w]):
            return False
    for kind in range(2):
        a, b = (goals[p, G_MID], goals[p, G_END]) if kind else (goals[p, G_START], goals[p, G_MID])
        c, d = (goals[q, G_MID], goals[q, G_END]) if kind else (goals[q, G_START], goals[q, G_MID])
        for i in range(a, b):
            if meet(clauses[i], masks[q, kind]):
                continue
            found = False
            for j in range(c, d):
                if within(clauses[j], clauses[i]):
                    found = True
                    break
            if not found:
                return False
    return True


@kernel
def idle(lo: Any, hi: Any, goals: Any, masks: Any, clauses: Any) -> Any:
    """Mark goals in lo…hi, the last ones, that ask for more than another one; returns the goal to go on with, hi when done."""
    work = 0
    for q in range(lo, hi):
        if work > WORK:
            return q
        work += hi
        for p in range(hi):
            if goals[p, G_IDLE] & 1 == 0 and goals[p, G_EXACT] and p != q and weaker(p, q, goals, masks, clauses):
                goals[q, G_IDLE] |= 1
                break
    return hi


@kernel
def grow(op: Any, side: Any, a: Any, b: Any, lo: Any, hi: Any, at: Any, cost: Any, linked: Any, number: Any, goals: Any,
         masks: Any, clauses: Any, table: Any, bits: Any, starts: Any, cuts: Any, covers: Any, parts: Any, first: Any, mask: Any,
         hits: Any, misses: Any, rests: Any, adds: Any) -> Any:  # fmt: skip
    """Goals of the given cost: of the operand of ``op`` beside each row in a…b on that side, for each goal in lo…hi.

    A unary operator has one row, which is ignored. Begins with goal ``at`` of row a, and returns the row and goal to go on
    with: (b, lo) when all is done. Goals that are not ``linked`` are kept in any case, and not found again.
    """
    work = 0
    hold = mask[3]
    for i in range(a, b):
        if op == CONCAT:
            tabulate(bits[i], side, starts, cuts, rests, adds)
            work += starts.shape[1] * 8
        for g in range(at if i == a else lo, hi):
            if work > WORK or number[N_GOALS] == goals.shape[0] or number[N_CLAUSES] + 2 * KEPT > clauses.shape[0]:
                return i, g
            if goals[g, G_IDLE] & 1 or (op < CONCAT and goals[g, G_IDLE] >> op & 1):
                continue
            work += 16
            last = goals[g, G_OP]
            if op == CONCAT:
                if last == CONCAT and (goals[g, G_SIDE] == 0 or side == 1):
                    continue  # one operand on either side, first the right one: products associate
            elif op == OPTION or op == STAR:  # noqa: SIM109 (numba compiles tuples slowly)
                if last == OPTION or last == STAR:  # noqa: SIM109
                    continue
            elif last == op and op != DIFFERENCE:
                continue
            start, mid, end = goals[g, G_START], goals[g, G_MID], goals[g, G_END]
            exact = goals[g, G_EXACT] == 1
            work += 4 * (end - start)
            m = 0
            if op == CONCAT:
                n = through_product(start, mid, masks[g, 0], masks[g, 1], clauses, rests, mask, hits)
                if n < 0:
                    continue
                exact &= size(masks[g, 0]) + mid - start <= hits.shape[0]
                for c in range(mid, end):
                    m, whole = choose_rests(clauses[c], rests, mask[1], misses, m)
                    exact &= whole
            elif op > CONCAT:
                n, m = through_set(op, side, bits[i], exact, start, mid, end, masks[g, 0], masks[g, 1], clauses, mask, hits, misses)
            else:
                n, m, whole = through_unary(op, exact, start, mid, end, masks[g, 0], masks[g, 1], clauses, covers, parts, first,
                                            mask, hits, misses)  # fmt: skip
                exact &= whole
            if n >= 0:
                number[N_TRIED] += 1
                work += 64 * (n + m)  # sorting; few are left as a rule
                n, m = settle_clauses(mask, hits, n, misses, m, hold)
                work += (n * n + m * m) >> 2
            if n >= 0:
                exact &= n <= KEPT and m <= KEPT
                n, m = min(n, KEPT), min(m, KEPT)
                enter(mask, hits, n, misses, m, exact, g, op, i, side, cost, linked, number, goals, masks, clauses, table)
            elif op < CONCAT:
                goals[g, G_IDLE] |= 1 << op  # nor will it do next time
    return b, lo
