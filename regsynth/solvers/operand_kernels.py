"""From the goal of an operator's result, and one operand, to the goal of the other operand.

A goal is two masks of infixes, those that must be held and those that must not, and two
kinds of clauses: sets of infixes of which one must be held (hits), and sets that must
not be held together (misses).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from regsynth.native import kernel
from regsynth.solvers.bit_kernels import clear, has, lowest, meet, within
from regsynth.solvers.clause_kernels import choose, some_choice

NONE, OPTION, STAR, COMPLEMENT, CONCAT, INTERSECTION, UNION, DIFFERENCE = -1, 3, 4, 5, 6, 7, 8, 9  # as in regsynth.syntax.tree

_ONE = np.uint64(1)


@kernel
def tabulate(x: Any, side: Any, starts: Any, cuts: Any, rests: Any, adds: Any) -> None:
    """For x as an operand on that side: the rests each infix leaves to the other, and what each infix of the other adds."""
    n = starts.shape[1] - 1
    for w in range(n):
        clear(rests[w])
        clear(adds[w])
    for w in range(n):
        for c in range(starts[0, w], starts[0, w + 1]):
            if has(x, cuts[c, side]):
                v = cuts[c, 1 - side]
                rests[w, v >> 6] |= _ONE << np.uint64(v & 63)
                adds[v, w >> 6] |= _ONE << np.uint64(w & 63)


@kernel
def gather(word: Any, rests: Any, out: Any) -> None:
    """Unite the rests of all infixes of ``word``."""
    clear(out)
    for b in range(word.shape[0]):
        rest = word[b]
        while rest:
            w = (b << 6) + lowest(rest)
            rest &= rest - _ONE
            for c in range(out.shape[0]):
                out[c] |= rests[w, c]


@kernel
def through_product(start: Any, mid: Any, must: Any, avoid: Any, clauses: Any, rests: Any, mask: Any, hits: Any) -> Any:
    """Masks and hits of a product's operand; the number of hits, −1 when nothing will do."""
    words = must.shape[0]
    clear(mask[0])
    gather(avoid, rests, mask[1])
    n = 0
    for b in range(words):
        rest = must[b]
        while rest:
            w = (b << 6) + lowest(rest)
            rest &= rest - _ONE
            some = np.uint64(0)
            for c in range(words):
                hits[n, c] = rests[w, c] & ~mask[1, c]
                some |= hits[n, c]
            if some == 0:
                return -1
            n += 1
    mid = min(mid, start + hits.shape[0] - n)  # what is left out makes the goal inexact
    for i in range(start, mid):
        gather(clauses[i], rests, hits[n])
        some = np.uint64(0)
        for c in range(words):
            hits[n, c] &= ~mask[1, c]
            some |= hits[n, c]
        if some == 0:
            return -1
        n += 1
    return n


@kernel
def through_set(op: Any, side: Any, x: Any, exact: Any, start: Any, mid: Any, end: Any, must: Any, avoid: Any, clauses: Any,
                mask: Any, hits: Any, misses: Any) -> Any:  # fmt: skip
    """Goal of the other operand of a union, intersection or difference: (hits, misses).

    Hits are −1 when nothing will do, −2 when x is idle, which a goal that lacks clauses cannot tell.
    """
    words = must.shape[0]
    n = m = 0
    idle = exact
    if op == UNION:
        if meet(x, avoid):
            return -1, 0
        for w in range(words):
            mask[0, w] = must[w] & ~x[w]
            mask[1, w] = avoid[w]
            idle &= must[w] & x[w] == 0
        for i in range(start, mid):
            if meet(clauses[i], x):
                idle = False
                continue
            for w in range(words):
                hits[n, w] = clauses[i, w]
            n += 1
        if idle:
            return -2, 0
        for i in range(mid, end):
            if within(clauses[i], x):
                return -1, 0
            for w in range(words):
                misses[m, w] = clauses[i, w] & ~x[w]
            m += 1
        return n, m
    flip = op == DIFFERENCE and side == 1  # y − x: what is held lies outside of x
    for w in range(words):
        inside = ~x[w] if flip else x[w]
        if must[w] & ~inside:
            return -1, 0
        mask[0, w] = must[w]
        mask[1, w] = avoid[w] & inside
        idle &= avoid[w] & ~inside == 0
    for i in range(mid, end):
        free = False
        for w in range(words):
            free |= clauses[i, w] & ~(~x[w] if flip else x[w]) != 0
        if free:
            idle = False
            continue
        for w in range(words):
            misses[m, w] = clauses[i, w]
        m += 1
    for i in range(start, mid):
        some = np.uint64(0)
        for w in range(words):
            hits[n, w] = clauses[i, w] & (~x[w] if flip else x[w])
            some |= hits[n, w]
        if some == 0:
            return -1, 0
        n += 1
    if op == INTERSECTION or flip:
        return (-2, 0) if idle else (n, m)
    return exchange(mask, hits, n, misses, m)  # x − y is x & ~y


@kernel
def exchange(mask: Any, hits: Any, n: Any, misses: Any, m: Any) -> Any:
    """The goal of the operand of a complement: what must be held and what must not change places."""
    for w in range(mask.shape[1]):
        mask[0, w], mask[1, w] = mask[1, w], mask[0, w]
        for i in range(max(n, m)):
            hits[i, w], misses[i, w] = misses[i, w], hits[i, w]
    return m, n


@kernel
def through_unary(op: Any, whole: Any, start: Any, mid: Any, end: Any, must: Any, avoid: Any, clauses: Any, covers: Any,
                  parts: Any, first: Any, mask: Any, hits: Any, misses: Any) -> Any:  # fmt: skip
    """Goal of the operand of an option, star or complement: (hits, misses, exact).

    Hits are −1 when nothing will do, −2 when the operator is idle, which a goal that is not ``whole`` cannot tell.
    """
    words = must.shape[0]
    n = m = 0
    if op == COMPLEMENT:
        for w in range(words):
            mask[0, w], mask[1, w] = avoid[w], must[w]
        for i in range(mid, end):
            for w in range(words):
                hits[n, w] = clauses[i, w]
            n += 1
        for i in range(start, mid):
            for w in range(words):
                misses[m, w] = clauses[i, w]
            m += 1
        return n, m, True
    if avoid[0] & _ONE:
        return -1, 0, True
    if op == OPTION:
        idle = whole and must[0] & _ONE == 0
        for w in range(words):
            mask[0, w], mask[1, w] = must[w], avoid[w]
        mask[0, 0] &= ~_ONE
        for i in range(start, mid):
            if clauses[i, 0] & _ONE:
                idle = False
                continue
            for w in range(words):
                hits[n, w] = clauses[i, w]
            n += 1
        for i in range(mid, end):
            for w in range(words):
                misses[m, w] = clauses[i, w]
            misses[m, 0] &= ~_ONE
            m += 1
        return (-2, 0, True) if idle else (n, m, True)
    exact = True
    for w in range(words):
        mask[0, w], mask[1, w] = np.uint64(0), avoid[w]
    for b in range(words):
        rest = must[b]
        if b == 0:
            rest &= ~_ONE  # ε is in every star
        while rest:
            w = (b << 6) + lowest(rest)
            rest &= rest - _ONE
            exact &= first[2, w] == 0
            for c in range(first[0, w], first[0, w + 1]):
                if within(covers[c], avoid):
                    return -1, 0, True
                if n == hits.shape[0]:
                    exact = False
                    break
                for d in range(words):
                    hits[n, d] = covers[c, d]
                n += 1
    for i in range(start, mid):
        if clauses[i, 0] & _ONE:
            continue
        more = choose(clauses[i], covers, first, 0, hits, n, hits.shape[0])
        exact &= more >= 0
        if more < 0 and n < hits.shape[0] and some_choice(clauses[i], covers, first, hits[n]):
            more = n + 1
        n = max(n, more)
    for b in range(words):
        rest = avoid[b]
        while rest:
            w = (b << 6) + lowest(rest)
            rest &= rest - _ONE
            exact &= first[2, w] == 0
            for c in range(first[1, w], first[1, w + 1]):
                if meet(parts[c], avoid):
                    continue
                if m == misses.shape[0]:
                    exact = False
                    break
                for d in range(words):
                    misses[m, d] = parts[c, d]
                m += 1
    last = misses.shape[0] - 1
    for i in range(mid, end):
        if m >= last:
            exact = False
            break
        for w in range(words):
            misses[last, w] = clauses[i, w]
        misses[last, 0] &= ~_ONE
        more = choose(misses[last], parts, first, 1, misses, m, last)
        exact &= more >= 0
        m = max(m, more)
    return n, m, exact
