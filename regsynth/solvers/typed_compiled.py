"""Driver of the compiled tier: tables in, workspaces, budgets, candidates out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from regsynth.errors import BudgetExceeded
from regsynth.solvers import closed_kernels
from regsynth.solvers import settle_kernels as k
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.sample import Sample
from regsynth.solvers.typed import Found, build_expr, cheapest_binary, star_strips
from regsynth.solvers.typed_kernels import search
from regsynth.syntax.costs import Costs
from regsynth.syntax.tree import OPTION, Expr

NO_LIMIT = 1 << 50
INLINE = 200_000  # candidates tried before a search moves to a thread that can be stopped
MAX_GOALS = 24  # candidates that meet the sample, tested a level
MAX_SETS = 4096  # closed sets: their join table is dense
MAX_LEVELS = 1 << 16  # levels are dense in the cost
BATCH = 4096  # candidates listed before they are settled
LEFTOVER = 12  # words of the sample whose subsets the leftover bound tells apart
NO_LEFTOVER = np.zeros(1, np.int64)


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
        cap = min(64, limit)
        while (found := _explore(closed, cap)) is None:
            if cap >= limit:
                raise BudgetExceeded(f"more than {limit} closed sets")
            cap = min(4 * cap, limit)
        n, sets, join, step = found
        self.words, self.size = words, n
        self.sets = sets[:n]
        self.join, self.step = join[:n, :n].copy(), step[:n].copy()
        self.final = np.empty(n, np.bool_)
        self.absent = np.zeros((n, closed.n + 1), np.int32)  # the states each set lacks: how many, then which
        closed_kernels.describe(self.sets, rows_of([closed.final], words), self.final, self.absent)


def _explore(closed: ClosedSets, cap: int) -> tuple[int, Any, Any, Any] | None:
    """Number of closed sets, the sets, joins and steps; ``None`` when there are more than ``cap``."""
    words = (closed.n + 63) // 64
    ys, delta = rows_of(closed.ys, words), np.array(closed.delta, np.int32).reshape(closed.n, closed.k)
    sets = np.zeros((cap, words), np.uint64)
    join, step = np.empty((cap, cap), np.int32), np.empty((cap, closed.k), np.int32)
    slots = 1 << (4 * cap - 1).bit_length()
    table, scratch, progress = np.full(slots, -1, np.int32), np.empty((2, words), np.uint64), np.zeros(2, np.int64)
    while (n := closed_kernels.explore(ys, delta, sets, join, step, table, scratch, progress)) == -2:
        closed.check()
    return None if n < 0 else (n, sets, join, step)


def lattice_size(closed: ClosedSets, cap: int) -> int:
    """Number of closed sets, or ``cap + 1`` when there are more than ``cap``."""
    found = _explore(closed, cap)
    return cap + 1 if found is None else found[0]


def _leftover_words(sample: Sample) -> list[tuple[int, ...]]:
    """The longest non-empty words of P, as many as the leftover bound takes."""
    return [w for w in reversed(sample.words) if w][:LEFTOVER]


def _inside(sample: Sample, occurrences: list[tuple[tuple[int, int, int], int]]) -> Any:
    """For each occurrence: fooling letters inside, and the leftover words it is in."""
    touched: dict[tuple[int, int, int], int] = {}
    for bit, w in enumerate(_leftover_words(sample)):
        for place in sample.places[w]:
            touched[place] = touched.get(place, 0) | 1 << bit
    return np.array([(held, touched.get(place, 0)) for place, held in occurrences], np.uint64).reshape(-1, 2)


def _signed(bits: int) -> int:
    """A 64-bit set as the signed integer of the same bits."""
    return bits - (1 << 64) if bits >> 63 else bits


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
                 seconds: Callable[[], float], memory: int, limit: int = NO_LIMIT) -> None:  # fmt: skip
        self.letters, self.lattice, self.seconds, self.memory, self.limit = letters, lattice, seconds, memory, limit
        infixes = len(sample.infixes)
        if 16 * infixes * infixes > memory:
            raise BudgetExceeded(f"memory budget of {memory >> 20} MiB used up by {infixes} infixes")
        # a spare bit, so that no cover equals the impossible goal of `leftover`
        self.words, self.width = infixes // 64 + 1, sample.width
        words = self.words
        closed, sets = sample.closed, lattice.size
        occurrences = sorted(sample.occurrences)
        rests = list({rest for (_, _, rest), _ in occurrences})
        column = {rest: i for i, rest in enumerate(rests)}
        places = np.array([(q, column[rest]) for (_, q, rest), _ in occurrences], np.int64).reshape(-1, 2)
        starts = np.zeros((sets, (len(places) + 63) // 64), np.uint64)
        ends = np.zeros_like(starts)
        closed_kernels.tabulate(lattice.sets, rows_of(rests, lattice.words), places, starts, ends)
        span = np.searchsorted([w for (w, _, _), _ in occurrences], np.arange(infixes + 1)).astype(np.int32)
        joined = np.full(infixes * infixes, -1, np.int32)
        where = [i * infixes + j for i, row in enumerate(sample.joined) for j in row]
        joined[where] = [w for row in sample.joined for w in row.values()]
        self.goals = np.zeros((MAX_GOALS, 3), np.int32)
        alphabet = np.array([(sample.number.get((a,), -1), _signed(sample.fooling_of.get(a, 0))) for a in range(closed.k)], np.int64)
        self.fixed = (
            self.goals, span, _inside(sample, occurrences), starts, ends, lattice.sets, lattice.absent, lattice.join, lattice.step,
            lattice.final, alphabet.reshape(-1, 2), joined.reshape(infixes, infixes),
        )  # fmt: skip
        self.rows_a_block = 64 * (words + lattice.words)
        binary = cheapest_binary(costs, allowed)
        self.number = number = np.zeros(k.N_SCALARS, np.int64)
        number[k.C_UNIT], number[k.C_FOOLING], number[k.C_BINARY] = costs.atom + binary, sample.fooling, binary
        number[k.C_ATOM], number[k.C_OPTION], number[k.C_STAR] = costs.atom, costs.option, costs.star
        number[k.C_CONCAT], number[k.C_UNION], number[k.C_ALLOWED] = costs.concat, costs.union, allowed
        number[k.C_STARNULL] = not star_strips(costs, allowed)
        self.leftover_words = tuple(_leftover_words(sample))
        self.leftover_infixes = [sample.number[w] for w in self.leftover_words]
        self.depth = self.depth_work = 0  # of the leftover bound: how deep, and what that took
        self.batch = np.empty((max(BATCH, 2 * sets + closed.k + 1), 5), np.int32)
        self.head = np.empty((2, sets), np.int32)
        self.scratch, self.rows = np.zeros((4, words), np.uint64), np.empty(infixes, np.int32)
        self.scratch[3] = rows_of([sample.goal], words)[0]
        # removing an item saves its cost and at least this much more; see `leftover`
        number[k.C_DROP] = min(costs.concat, costs.union, costs.star + costs.union - costs.option)
        number[k.C_DROP_NULL] = min(costs.concat, costs.union - costs.option)
        self.without = NO_LEFTOVER
        # above 1: the leftover bound is exaggerated so much, and a search finds answers sooner but proves nothing
        self.weight = 1.0
        self.bucket, self.place = np.empty(max(66, sets + 1), np.int32), np.zeros(4, np.int64)
        self._reserve(1 << 11, max(1 << 6, 2 * sets))

    def leftover(self, depth: int, most: int = NO_LIMIT) -> None:
        """Set the leftover bound: what the words cost that an item plays no part in.

        A search without any bound finds the cheapest expression, within U, for every
        subset of some words of P, up to cost ``depth``. In a tree of cost ≤ G, remove an
        item of cost c (put ∅ in its place, or ε if it accepts ε, and simplify): what is
        left accepts the words not parsed through the item, stays within U, and costs at
        least c + drop less. So an item whose other words cost more than G − c − drop is
        dropped. Needs ``?`` among the operators, which simplifying may introduce.

        Raises
        ------
        BudgetExceeded
            Also when the search takes more than ``most`` candidates; the bound stays as it was.
        """
        number, m = self.number, len(self.leftover_words)
        if m == 0 or not number[k.C_ALLOWED] >> OPTION & 1:
            self.depth = 1 << 30
            return
        kept = number[k.C_FOOLING], self.without, self.scratch[3].copy(), self.limit
        number[k.C_FOOLING], self.without, self.scratch[3], self.limit = 0, NO_LEFTOVER, ~np.uint64(0), most
        try:
            self.run(depth + 1, lambda _: False)
        finally:
            number[k.C_FOOLING], self.without, self.scratch[3], self.limit = kept
        self.depth, self.depth_work = depth, int(number[k.N_CANDIDATES])
        n = int(number[k.N_ITEMS])
        root = np.flatnonzero((self.item[:n, k.I_X] == 0) & self.lattice.final[self.item[:n, k.I_Z]])
        cheapest = np.full(1 << m, depth + 1, np.int64)
        accepted = np.zeros(len(root), np.int64)
        for b, w in enumerate(self.leftover_infixes):
            accepted |= (self.bits[root, w >> 6] >> np.uint64(w & 63) & np.uint64(1)).astype(np.int64) << b
        np.minimum.at(cheapest, accepted, self._costs(n)[root])
        for b in range(m):  # an expression for a superset serves the subset
            view = cheapest.reshape(-1, 2, 1 << b)
            np.minimum(view[:, 0], view[:, 1], out=view[:, 0])
        cheapest[0] = 0
        self.reuse(self.leftover_words, cheapest)

    def reuse(self, words: tuple[tuple[int, ...], ...], table: Any) -> None:
        """Raise the leftover bound by a table of an easier problem (fewer negatives) over the same words."""
        if words == self.leftover_words and len(table) > 1:
            self.without = table if len(self.without) == 1 else np.maximum(self.without, table)

    def _costs(self, n: int) -> Any:
        """Cost of each stored item: items are stored level by level."""
        starts = self._begin[:, 0]
        costs = np.zeros(n, np.int64)
        for c in range(1, len(starts) - 1):
            costs[starts[c] : self._begin[c, -1]] = c
        return costs

    def lower_bound(self) -> int:
        """Cost that the fooling set alone proves necessary."""
        n = self.number
        return int(max(n[k.C_ATOM], self.width * n[k.C_UNIT] - n[k.C_BINARY]))

    def _reserve(self, items: int, blocks: int) -> None:
        self.room = (items, blocks)
        if items * (8 * self.words + 56) + blocks * 8 * (self.rows_a_block + 1) > self.memory:
            raise BudgetExceeded(f"memory budget of {self.memory >> 20} MiB used up")
        self.item, self.bits = np.empty((items, k.ITEM), np.int32), np.empty((items, self.words + 2), np.uint64)
        self.pool, self.chain = np.empty((blocks, self.rows_a_block), np.uint64), np.empty((blocks, 2), np.int32)
        self.spare = np.empty((2, items), np.int32)

    def run(self, bound: int, accept: Callable[[Expr], bool]) -> Found:
        """Search all costs up to ``bound``; see :meth:`regsynth.solvers.typed.TypedSearch.run`."""
        number = self.number
        if bound > MAX_LEVELS:
            raise BudgetExceeded(f"costs beyond {MAX_LEVELS} are more levels than the kernels take")
        number[k.C_BOUND] = bound
        number[k.C_ROOM] = bound - number[k.C_UNIT] * number[k.C_FOOLING]
        begin = self._begin = np.zeros((bound + 2, self.lattice.size + 1), np.int32)
        self._filled = np.empty(bound + 2, np.int32)
        while True:
            status = self._search(begin)
            if status != k.FULL:
                break
            items, blocks = self.room
            full = number[k.N_ITEMS] >= items
            self._reserve(items * (8 if full else 2), blocks * (2 if full else 8))
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
                expr = build_expr((node[0], node[1], node[2]), op, left, right, self.letters)
                if accept(expr):
                    found.accepted = expr
                    break
        return found

    def _search(self, begin: Any) -> int:
        number = self.number
        without = self.without if self.weight == 1.0 else (self.without * self.weight).astype(np.int64)
        arguments = (number, self.batch, *self.fixed, self.item, self.bits, self.pool, self.chain, self.head,
                     self.scratch, self.rows, begin, self._filled, self.bucket, self.spare, self.place, without)  # fmt: skip
        number[k.STOP] = 0
        number[k.C_LIMIT] = min(INLINE, self.limit)
        status: int = search(*arguments)
        if status != k.LIMIT or self.limit <= INLINE:
            return status
        number[k.C_LIMIT] = min(self.limit, NO_LIMIT)
        outcome: list[int] = []
        worker = threading.Thread(target=lambda: outcome.append(search(*arguments)), daemon=True)
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
