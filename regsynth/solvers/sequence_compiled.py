"""The sequence engine, compiled tier: levels are stored by kernels and tested ahead of storing.

Before a level is stored its goal is tested on what is stored already, and so are the
binary operators of the next few costs: an answer found there is an upper bound, and the
costs below it are tested to the end without storing anything. When the memory budget is
used up the search goes on by such tests for as long as they see every expression.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from math import gcd

import numpy as np

from regsynth.automata.dfa import bits
from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded
from regsynth.solvers import closing_kernels
from regsynth.solvers import sequence_kernels as k
from regsynth.solvers.cover import MOST, Cover
from regsynth.solvers.infixes import Infixes
from regsynth.solvers.news import News
from regsynth.solvers.sequence import ANTITONE, BOTH, POSITIVE, Levels, Outcome
from regsynth.solvers.sequence_ahead import FAR, SHARE, Ahead
from regsynth.solvers.typed import build_expr
from regsynth.solvers.typed_compiled import rows_of
from regsynth.syntax import tree
from regsynth.syntax.costs import Costs
from regsynth.syntax.tree import Expr

ROWS = 1 << 16  # right operands a call combines
PAIRS = 1 << 21  # pairs a call combines: some tens of milliseconds
COVERED = 300_000  # candidates before unions of what is stored are tried
BITS_REVERSED = [(np.uint64(1 << i), np.uint64(((1 << 64) - 1) // ((1 << (1 << i)) + 1))) for i in range(6)]
TABLED = 16  # widest rows, in words, whose products go by table


class StorageFull(BudgetExceeded):
    """The memory budget holds no further level."""


class Store:
    """Rows of sequences with their expressions, and the tables that find them."""

    def __init__(self, infixes: Infixes, dominance: bool, polar: bool, memory: int) -> None:
        words = (len(infixes.words) + 63) // 64
        self.words, self.memory = words, memory
        shared, upper, lower = (infixes.shared, infixes.upper, infixes.lower) if dominance else (infixes.full, 0, 0)
        self.masks = rows_of([infixes.full, shared, upper, lower, infixes.positives, infixes.negatives], words).copy()
        self.number = np.zeros(k.N_SCALARS, np.int64)
        self.number[k.DOMINANCE], self.number[k.POLAR] = dominance and bool(upper or lower), polar
        n = len(infixes.words)
        pairs = [(u, v, 0, 0) for cuts in infixes.splits for u, v in cuts]
        self.cuts = np.array(pairs, np.int32).reshape(-1, 4)
        lengths = np.array([len(cuts) for cuts in infixes.splits])
        whole = np.repeat(np.arange(n), lengths)
        order = np.argsort(self.cuts[:, 1], kind="stable")
        self.cuts[:, 2], self.cuts[:, 3] = self.cuts[order, 0], whole[order]
        self.starts = np.zeros((2, n + 1), np.int64)
        self.starts[0, 1:] = np.cumsum(lengths)
        self.starts[1, 1:] = np.cumsum(np.bincount(self.cuts[:, 1], minlength=n))
        self.work = np.zeros((2048 * words if words <= TABLED else 0, words), np.uint64)
        self.bits = np.zeros((0, words), np.uint64)
        self.order = np.zeros(0, np.int32)  # rows level by level, those with the same short infixes side by side…
        self.sliced = np.zeros((0, 64 * words, 8), np.uint64)  # …and transposed in that order, 512 at a time
        self.item = np.zeros((0, k.ITEM), np.int32)
        self.table = np.full((2, 2), -1, np.int32)
        self.row = np.zeros(words, np.uint64)  # the kernels' own
        self.pair_work = 1 + words // 4 if words <= TABLED else n // 8  # of combining two rows, in that of narrow ones
        self.row_work = 1 + n // 16  # of a star
        self.reserve(1 << 12)

    @property
    def size(self) -> int:
        """Rows stored."""
        return int(self.number[k.N_ITEMS])

    @property
    def item_bytes(self) -> int:
        """Bytes a row takes, tables included."""
        return 16 * self.words + 4 * (k.ITEM + 1) + 2 * 2 * 4

    def reserve(self, room: int) -> None:
        """Make room for so many more rows.

        Raises
        ------
        StorageFull
            When the memory budget does not allow it.
        """
        wanted = self.size + room
        if wanted <= len(self.bits):
            return
        cap = max(wanted, 2 * len(self.bits))
        places = 1 << (2 * cap - 1).bit_length()
        need = (cap + len(self.bits)) * (16 * self.words + 4 * (k.ITEM + 1)) + 8 * places
        if need > self.memory or cap > 1 << 30:
            cap = wanted
            places = 1 << (2 * cap - 1).bit_length()
            if (cap + len(self.bits)) * (16 * self.words + 4 * (k.ITEM + 1)) + 8 * places > self.memory or cap > 1 << 30:
                raise StorageFull(f"memory budget of {self.memory >> 20} MiB used up")
        bits, item = np.zeros((cap, self.words), np.uint64), np.zeros((cap, k.ITEM), np.int32)
        bits[: self.size], item[: self.size] = self.bits[: self.size], self.item[: self.size]
        blocks = np.zeros(((cap + 511) >> 9, 64 * self.words, 8), np.uint64)
        blocks[: len(self.sliced)] = self.sliced
        order = np.zeros(cap, np.int32)
        order[: self.size] = self.order[: self.size]
        self.bits, self.item, self.sliced, self.order = bits, item, blocks, order
        if places > self.table.shape[1]:
            self.table = np.full((2, places), -1, np.int32)
            k.relink(self.number, bits, item, self.table, self.masks)

    def slice(self, first: int) -> None:
        """Enter the rows from ``first`` on in the transposed table.

        Rows that agree on the short infixes, which most goals speak of, stand together, so that many go at once.
        """
        key = self.bits[first : self.size, 0].copy()
        for shift, mask in BITS_REVERSED:
            key = (key >> shift & mask) | (key & mask) << shift
        self.order[first : self.size] = first + np.argsort(key, kind="stable")
        closing_kernels.slice_rows(first, self.size, self.order, self.bits, self.sliced)

    def add(self, row: int, op: int, left: int, live: int) -> bool:
        """Store an atom; true when it meets the goal."""
        self.reserve(1)
        z = rows_of([row], self.words)[0].copy()
        return bool(k.settle(z, op, left, -1, live, self.number, self.bits, self.item, self.table, self.masks))


class CompiledSearch:
    """Same contract as :class:`regsynth.solvers.sequence.PlainSearch`.

    ``look_ahead`` false stores every level before it is tested: plain enumeration, the
    baseline of the benchmarks.
    """

    def __init__(self, infixes: Infixes, letters: tuple[str, ...], costs: Costs, operators: int, clock: Clock, *,
                 dominance: bool = True, look_ahead: bool = True, news: News | None = None) -> None:  # fmt: skip
        self.look_ahead, self.news = look_ahead, news
        self.infixes, self.letters, self.costs, self.operators, self.clock = infixes, letters, costs, operators, clock
        antitone = bool(operators & ANTITONE)
        self.polar = dominance and antitone
        self.store = Store(infixes, dominance, self.polar, clock.memory - clock.memory // SHARE)
        self.levels = Levels(costs, operators)
        self.range: dict[int, tuple[int, int]] = {}
        self.ahead = Ahead(self)
        positives = list(bits(infixes.positives))
        self.cover: Cover | None = None
        if operators >> tree.UNION & 1 and 1 < len(positives) <= MOST:
            self.cover = Cover(positives, self.store.masks[k.AVOID], costs.union)
        used = [costs.atom] + [costs.by_op[op] for op in (*tree.UNARY, *tree.BINARY) if operators >> op & 1]
        self.step = gcd(*used)
        binary = [costs.by_op[op] for op in tree.BINARY if operators >> op & 1]
        self.reach = costs.atom + min(binary) if binary else 1  # costs from a level on whose pairs are all stored

    def check(self) -> None:
        """Raise when the budget is used up."""
        self.clock.spent = int(self.store.number[k.N_CANDIDATES]) + self.ahead.tested
        self.clock.check()

    def expr(self, node: tuple[int, int, int]) -> Expr:
        """Expression of ``(op, left, right)``."""
        op, left, right = (self.store.item[:, column] for column in (k.I_OP, k.I_LEFT, k.I_RIGHT))
        return build_expr(node, op, left, right, self.letters)  # type: ignore[arg-type]

    def stored(self, i: int) -> Expr:
        """Expression of a stored row."""
        op, left, right = self.store.item[i, : k.I_LIVE].tolist()
        return self.expr((op, left, right))

    def run(self, *, start: int, limit: int) -> Outcome:
        """Search all costs below ``limit``; those below ``start`` are known to hold no answer."""
        best: Expr | None = None
        bound = max(self.costs.atom, start)
        reason = ""
        try:
            while (cost := self.levels.peek()) is not None:
                bound = max(bound, cost)
                limit, bound = self._share(limit, bound)
                if bound >= limit:
                    break
                self.ahead.frontier = cost
                if self.look_ahead and cost > self.costs.atom and cost + self.reach > start:
                    last = (
                        self.news is not None
                        and limit - bound <= self.reach
                        and self.ahead.complete(limit - 1 - (limit - 1) % self.step)
                    )
                    bound, found = self._finish(bound, limit, sparing=not last)
                    if found is not None:
                        best, limit = found, bound
                        break
                    limit, bound = self._share(limit, bound)
                    found = self._guess(bound, min(cost + self.reach, limit))
                    if found is not None:
                        best, limit = found, self.costs.of_expr(found)
                        if self.news is not None:
                            self.news.offer(found, limit)
                        bound, better = self._finish(bound, limit)
                        if better is not None:
                            best, limit = better, bound
                    if bound >= limit:
                        break
                if self._fill(self.levels.pop(), cost >= bound):
                    best, limit, bound = self.expr(tuple(self.store.number[[k.G_OP, k.G_LEFT, k.G_RIGHT]].tolist())), cost, cost  # type: ignore[arg-type]
                    break
                found = self._union(cost, limit)
                if found is not None:
                    best, limit = found, self.costs.of_expr(found)
                    if self.news is not None:
                        self.news.offer(found, limit)
            else:
                return self._outcome(best, limit, bound, "", exhausted=best is None)
        except StorageFull:
            reason = f"memory budget of {self.clock.memory >> 20} MiB used up"
            try:
                bound, better = self._finish(bound, limit)
                if better is not None:
                    best, limit = better, bound
            except BudgetExceeded as error:
                bound, reason = max(bound, self.ahead.passed), str(error)
        except BudgetExceeded as error:
            bound, reason = max(bound, self.ahead.passed), str(error)
        return self._outcome(best, limit, bound, reason)

    def _share(self, limit: int, bound: int) -> tuple[int, int]:
        """Tell the other engine what is proven, and hear what it knows: (limit, bound)."""
        if self.news is None:
            return limit, bound
        self.news.prove(min(bound, limit))
        return min(limit, self.news.cost), max(bound, self.news.bound)

    def _outcome(self, best: Expr | None, limit: int, bound: int, reason: str, exhausted: bool = False) -> Outcome:
        number = self.store.number
        cost = None if best is None else self.costs.of_expr(best)
        stats: dict[str, float] = {"tested_ahead": self.ahead.tested, "bytes_an_item": self.store.item_bytes}
        bound = min(bound, limit)
        if best is not None and cost is not None and cost > limit:
            best = cost = None  # the other engine has a better one
        return Outcome(best, cost, bound, exhausted, int(number[k.N_CANDIDATES]), self.store.size, reason, stats)

    def _finish(self, bound: int, limit: int, sparing: bool = False) -> tuple[int, Expr | None]:
        """Test costs below ``limit`` to the end without storing, while that is complete: (bound, answer).

        ``sparing``: the next cost, and others only while they are little work.
        """
        ahead = self.ahead
        c = bound + -bound % self.step
        while c < limit and ahead.complete(c) and (not sparing or ahead.worth(c)) and ahead.reach(c):
            self.check()
            ahead.passed = c
            found = ahead.solve(c, everything=True)
            if found is not None:
                return c, found
            c += self.step
            if self.news is not None:
                self.news.prove(min(c, limit))
                limit = min(limit, self.news.cost)
        ahead.passed = c
        return min(c, limit), None

    def _guess(self, bound: int, limit: int) -> Expr | None:
        """An answer whose operands are stored, for an upper bound."""
        for c in range(bound + -bound % self.step, min(limit, bound + FAR * self.step), self.step):
            self.check()
            found = self.ahead.solve(c, everything=False)
            if found is not None:
                return found
        return None

    def _union(self, cost: int, limit: int) -> Expr | None:
        """A union of stored expressions that is an answer cheaper than ``limit``, after the level of this cost."""
        first, end = self.range.get(cost, (0, 0))
        if self.cover is None or first == end:
            return None
        self.cover.learn(self.store.bits[first:end], first, cost)
        if self.store.number[k.N_CANDIDATES] < COVERED:
            return None
        found = self.cover.solve(limit)
        return None if found is None else reduce(lambda rest, part: tree.union(part, rest), map(self.stored, found[1]))

    # -- storing ----------------------------------------------------------------------------------

    def _fill(self, cost: int, looking: bool) -> bool:
        """Store the items of a cost; true when one meets the goal."""
        store, price, allowed = self.store, self.costs.by_op, self.operators
        store.number[k.LOOKING] = looking
        first = store.size
        try:
            if cost == self.costs.atom and self._atoms():
                return True
            for op in tree.UNARY:
                if allowed >> op & 1:
                    a, b = self.range.get(cost - price[op], (0, 0))
                    rows = max(1, ROWS // store.row_work)
                    for c in range(a, b, rows):
                        self.check()
                        store.reserve(min(rows, b - c))
                        if k.apply_unary(op, c, min(c + rows, b), store.number, store.bits, store.item, store.table, store.masks,
                                         store.starts, store.cuts, store.row):  # fmt: skip
                            return True
            for op, left, right in self.pairs(cost):
                if self._combine(op, left, right):
                    return True
        except StorageFull:
            store.number[k.N_ITEMS] = first  # the tables are of no use any more, and are not used
            raise
        if store.size > first:
            store.slice(first)
            self.range[cost] = (first, store.size)
            self.levels.fill(cost)
        return False

    def _atoms(self) -> bool:
        live = BOTH if self.polar else POSITIVE
        atoms = [(bits, tree.LETTER, i) for i, bits in enumerate(self.infixes.letters)]
        atoms += [(bits, op, -1) for op, bits in ((tree.EPSILON, 1), (tree.EMPTY, 0)) if self.operators >> op & 1]
        return any(self.store.add(bits, op, left, live) for bits, op, left in atoms)

    def pairs(self, cost: int) -> Iterator[tuple[int, tuple[int, int], tuple[int, int]]]:
        """``(op, left rows, right rows)`` of all binary expressions of a cost whose operands are stored."""
        for op in tree.BINARY:
            if self.operators >> op & 1:
                rest = cost - self.costs.by_op[op]
                for c in self.levels.filled:
                    other = self.range.get(rest - c)
                    if other is not None and not (op in (tree.UNION, tree.INTERSECTION) and 2 * c > rest):
                        yield op, self.range[c], other

    def _combine(self, op: int, left: tuple[int, int], right: tuple[int, int]) -> bool:
        store = self.store
        rows = max(64, ROWS // store.pair_work)
        for c in range(right[0], right[1], rows):
            d = min(c + rows, right[1])
            i, stride = left[0], max(1, PAIRS // ((d - c) * store.pair_work))
            while i < left[1]:
                self.check()
                store.reserve(d - c)
                end = min(i + stride, left[1])
                i = k.combine(op, i, end, c, d, store.number, store.bits, store.item, store.table, store.masks, store.starts,
                              store.cuts, store.work, store.row)  # fmt: skip
                if i < 0:
                    return True
        return False
