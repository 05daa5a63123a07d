"""Driver of the compiled tier: tables in, workspaces, budgets, candidates out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from regsynth.errors import BudgetExceeded
from regsynth.solvers import closed_kernels
from regsynth.solvers import typed_kernels as k
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.sample import Sample
from regsynth.solvers.typed import Found, build_expr, star_strips
from regsynth.syntax.costs import Costs
from regsynth.syntax.tree import CONCAT, UNION, Expr

INLINE = 200_000  # candidates tried before a search moves to a thread that can be stopped
MAX_GOALS = 24  # candidates that meet the sample, tested a level
MAX_SETS = 4096  # closed sets: their join table is dense
BATCH = 4096  # candidates listed before they are settled


def rows_of(values: Sequence[int], words: int) -> Any:
    """Bit sets as an array of ``words`` 64-bit words each, least significant first."""
    return np.frombuffer(b"".join([v.to_bytes(8 * words, "little") for v in values]), np.uint64).reshape(-1, words)


class Lattice:
    """Closed sets as arrays: join, step and order tables.

    Raises
    ------
    BudgetExceeded
        When there are more than ``limit`` reachable closed sets.
    """

    def __init__(self, closed: ClosedSets, limit: int = MAX_SETS) -> None:
        words = (closed.n + 63) // 64
        ys, delta = rows_of(closed.ys, words), np.array(closed.delta, np.int32).reshape(closed.n, closed.k)
        cap = 64
        while True:
            sets = np.zeros((cap, words), np.uint64)
            join, step = np.empty((cap, cap), np.int32), np.empty((cap, closed.k), np.int32)
            n = closed_kernels.explore(ys, delta, sets, join, step, np.full(4 * cap, -1, np.int32))
            if n >= 0:
                break
            if cap >= limit:
                raise BudgetExceeded(f"more than {limit} closed sets")
            cap *= 4
        self.words, self.size = words, n
        self.sets = sets[:n]
        self.join, self.step = join[:n, :n].copy(), step[:n].copy()
        final = rows_of([closed.final], words)[0]
        self.final = ~((self.sets & ~final).any(axis=1))
        states = np.arange(closed.n)
        bits = self.sets[:, states >> 6] >> (states & 63).astype(np.uint64) & np.uint64(1)
        self.holds = np.ascontiguousarray(bits.astype(np.bool_))  # one memory layout: one compilation


class CompiledSearch:
    """Same contract as :class:`regsynth.solvers.typed.TypedSearch`, with sound rules only.

    Parameters
    ----------
    sample, letters, costs, allowed :
        As there.
    lattice : Lattice
        Of ``sample.closed``.
    seconds : callable
        Time left, asked while a long search runs.
    memory : int
        Bytes the workspace may grow to.
    """

    def __init__(self, sample: Sample, letters: tuple[object, ...], costs: Costs, allowed: int, *, lattice: Lattice,
                 seconds: Callable[[], float], memory: int, limit: int = 1 << 62) -> None:  # fmt: skip
        self.letters, self.lattice, self.seconds, self.memory, self.limit = letters, lattice, seconds, memory, limit
        infixes = len(sample.infixes)
        self.words = words = (infixes + 63) // 64
        closed, sets = sample.closed, lattice.size
        rests = list({rest for (_, _, rest), _ in sample.occurrences})
        column = {rest: i for i, rest in enumerate(rests)}
        ends = ~((lattice.sets[:, None, :] & ~rows_of(rests, lattice.words)[None, :, :]).any(axis=2))
        occurrences = [(w, q, column[rest]) for (w, q, rest), _ in sample.occurrences]
        joined = np.full(infixes * infixes, -1, np.int32)
        where = [i * infixes + j for i, row in enumerate(sample.joined) for j in row]
        joined[where] = [w for row in sample.joined for w in row.values()]
        self.goals = np.zeros((MAX_GOALS, 3), np.int32)
        alphabet = np.array([(sample.number.get((a,), -1), sample.fooling_of.get(a, 0)) for a in range(closed.k)], object)
        self.fixed = (
            self.goals, np.array(occurrences, np.int32).reshape(-1, 3), np.array([i for _, i in sample.occurrences], np.uint64),
            ends, lattice.holds, lattice.join, lattice.step, lattice.final,
            np.array([[int(v) - (1 << 64 if v >> 63 else 0) if v > 0 else int(v) for v in row] for row in alphabet], np.int64)
            .reshape(-1, 2), joined.reshape(infixes, infixes),
        )  # fmt: skip
        binary = min([c for op, c in ((CONCAT, costs.concat), (UNION, costs.union)) if allowed >> op & 1], default=0)
        self.number = number = np.zeros(k.N_SCALARS, np.int64)
        number[k.C_UNIT], number[k.C_FOOLING], number[k.C_BINARY] = costs.atom + binary, sample.fooling, binary
        number[k.C_ATOM], number[k.C_OPTION], number[k.C_STAR] = costs.atom, costs.option, costs.star
        number[k.C_CONCAT], number[k.C_UNION], number[k.C_ALLOWED] = costs.concat, costs.union, allowed
        number[k.C_STARNULL] = not star_strips(costs, allowed)
        self.batch = np.empty((max(BATCH, 2 * sets + closed.k + 1), 5), np.int32)
        self.head, self.tid = np.empty((2, sets), np.int32), np.empty((sets, sets), np.int32)
        self.scratch, self.rows = np.zeros((4, words), np.uint64), np.empty(infixes, np.int32)
        self.scratch[3] = rows_of([sample.goal], words)[0]
        self.bucket, self.place = np.empty(max(66, sets + 1), np.int32), np.zeros(4, np.int64)
        self._reserve(1 << 11, 1 << 9, 1 << 14)

    def lower_bound(self) -> int:
        """Cost that the fooling set alone proves necessary."""
        n = self.number
        return int(max(n[k.C_ATOM], n[k.C_FOOLING] * n[k.C_UNIT] - n[k.C_BINARY]))

    def _reserve(self, items: int, types: int, pool: int) -> None:
        words = self.words
        self.room = (items, types, pool)
        if items * (8 * words + 52) + types * (8 * words + 28) + 16 * pool > self.memory:
            raise BudgetExceeded(f"memory budget of {self.memory >> 20} MiB used up")
        self.item, self.bits = np.empty((items, k.ITEM), np.int32), np.empty((items, words + 1), np.uint64)
        self.kind, self.mask = np.empty((types, k.KIND), np.int64), np.empty((types, words), np.uint64)
        self.fool, self.pool, self.spare = np.empty(pool, np.uint64), np.empty(pool, np.uint64), np.empty(items, np.int32)

    def run(self, bound: int, accept: Callable[[Expr], bool]) -> Found:
        """Search all costs up to ``bound``; see :meth:`regsynth.solvers.typed.TypedSearch.run`."""
        number = self.number
        number[k.C_BOUND] = bound
        number[k.C_ROOM] = bound - number[k.C_UNIT] * number[k.C_FOOLING]
        begin = np.zeros((bound + 2, self.lattice.size + 1), np.int32)
        while True:
            status = self._search(begin)
            if status != k.FULL:
                break
            items, types, pool = self.room
            crowded = [number[k.N_ITEMS] * 2 > items, number[k.N_TYPES] * 2 > types, max(number[k.N_POOL], number[k.N_LOCAL]) * 2 > pool]
            if not any(crowded):
                crowded[2] = True
            self._reserve(*(n * 8 if full else n for n, full in zip(self.room, crowded)))
        found = Found(candidates=int(number[k.N_CANDIDATES]), items=int(number[k.N_ITEMS]))
        if status == k.STOPPED:
            raise BudgetExceeded("time budget used up in the search")
        if status == k.LIMIT:
            raise BudgetExceeded(f"candidate budget of {self.limit} used up")
        if status == k.GOALS:
            found.cost = int(number[k.G_COST])
            op, left, right = (self.item[: found.items, column] for column in (k.I_OP, k.I_LEFT, k.I_RIGHT))
            for node in self.goals[: int(number[k.N_GOALS])].tolist():
                found.tested += 1
                expr = build_expr(tuple(node), op, left, right, self.letters)
                if accept(expr):
                    found.accepted = expr
                    break
        return found

    def _search(self, begin: Any) -> int:
        number = self.number
        arguments = (number, self.batch, *self.fixed, self.item, self.bits, self.kind, self.mask, self.fool, self.pool, self.head,
                     self.tid, self.scratch, self.rows, begin, self.bucket, self.spare, self.place)  # fmt: skip
        number[k.STOP] = 0
        number[k.C_LIMIT] = min(INLINE, self.limit)
        status: int = k.search(*arguments)
        if status != k.LIMIT or self.limit <= INLINE:
            return status
        number[k.C_LIMIT] = self.limit
        outcome: list[int] = []
        worker = threading.Thread(target=lambda: outcome.append(k.search(*arguments)), daemon=True)
        worker.start()
        try:
            while worker.is_alive():
                left = self.seconds()
                if left <= 0:
                    break
                worker.join(min(left, 0.25))
        finally:  # a time-out or Ctrl-C: the kernel looks at the flag often
            number[k.STOP] = 1
            worker.join()
        return outcome[0]
