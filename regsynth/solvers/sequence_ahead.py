"""Look-ahead: does any expression of a cost meet the goal, given all cheaper ones up to half of it, storing none?

An expression with a hole asks something of what is put there: a *goal*. Every operator
and one stored operand turn a goal into one for the other operand, so goals are grown from
the root, cheapest first, and each is kept once however many ways lead to it. Of an
expression, follow the dearer operand from the root down while it is not stored: that is a
way to a goal, and what stands there is an operator over stored operands. So each goal is
*closed* by pairs of stored rows, hundreds at a time.

Nothing is stored but goals, of which there are thousands where there are millions of
expressions. What an operator asks of its operand is exact for all ten, as far as its
clauses are not too many; a goal that lost some is marked, and what closes it is tried from
the root.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from regsynth.solvers import clause_kernels, closing_kernels
from regsynth.solvers import goal_kernels as k
from regsynth.solvers.operand_kernels import NONE
from regsynth.solvers.sequence_kernels import AVOID, MUST
from regsynth.syntax import tree
from regsynth.syntax.tree import CONCAT, DIFFERENCE, Expr

if TYPE_CHECKING:
    from regsynth.solvers.sequence_compiled import CompiledSearch

WIDEST = 1_024  # infixes for which goals are grown
FAR = 1_000  # steps of cost beyond the frontier at which nobody looks: they are gone through one by one
LONGEST = 64  # letters of a word whose covers are listed at all
COVERS_LISTED, COVERS_KEPT = 512, 128  # covers of a word that are listed, and kept
GROWTH = 2.4  # goals of a cost to those of the cost before, measured on random problems
SHARE = 4  # part of the memory that goals may take
MANY = 1e12  # goals nobody waits for
TRY, BLOCK = 60, 4  # nanoseconds of a goal for the other operand, and of 64 rows tested with it…
STORED = 400  # …and of a candidate that is stored or dropped
PATIENCE = 8


class Ahead:
    """Tests against what a search has stored.

    Attributes
    ----------
    frontier : int
        All expressions cheaper than this are stored, or dominated by stored ones.
    passed : int
        No answer is cheaper than this, as far as the tests of the last stage have come.
    """

    def __init__(self, search: CompiledSearch) -> None:
        self.search = search
        self.frontier = self.passed = 0
        words = search.store.words
        self.number = np.zeros(k.N_SCALARS, np.int64)
        self._goals = np.zeros((0, k.GOAL), np.int64)
        self._masks = np.zeros((0, 2, words), np.uint64)
        self._clauses = np.zeros((0, words), np.uint64)
        self._table = np.full(2, -1, np.int32)
        self._spans: dict[int, tuple[int, int]] = {}  # goals by the cost of what stands around the hole
        self._barren: set[tuple[int, int]] = set()  # unary operators and first goals of spans that have no goal for an operand
        self._grown = -1
        self._full = False
        self._unary = [op for op in tree.UNARY if search.operators >> op & 1]
        self._binary = [op for op in tree.BINARY if search.operators >> op & 1]
        self._price = search.costs.by_op

    @property
    def tested(self) -> int:
        """Goals for another operand that rows were tested with, or that were grown."""
        return int(self.number[k.N_TRIED])

    @cached_property
    def _scratch(self) -> tuple[Any, ...]:
        """Rows the kernels work on: masks, hits, misses, rests, adds, three times 64 rows transposed, rows that are left."""
        words, n = self.search.store.words, len(self.search.infixes.words)
        room = k.LISTED + n
        shapes = ((4, words), (room, words), (room, words), (n, words), (n, words), (3, 64 * words), (8,))
        return (*(np.zeros(shape, np.uint64) for shape in shapes),)

    @cached_property
    def _star(self) -> tuple[Any, Any, Any]:
        """Covers and parts of each infix, where those of each begin, and which are not all listed."""
        infixes, words = self.search.infixes, self.search.store.words
        first = np.zeros((3, len(infixes.words) + 1), np.int64)
        found: tuple[list[Any], list[Any]] = ([], [])
        room = [np.zeros((COVERS_LISTED, words), np.uint64) for _ in found]
        if self.search.operators >> tree.STAR & 1:
            for w, word in enumerate(infixes.words):
                n = len(word)
                if n > LONGEST:
                    first[2, w] = 1
                elif n:
                    self.search.check()
                    number = np.zeros((n + 1, n + 1), np.int64)
                    for i in range(n):
                        number[i, i + 1 :] = [infixes.number[word[i:j]] for j in range(i + 1, n + 1)]
                    counts = clause_kernels.star_sets(number, *room, self._scratch[0][3])
                    first[2, w] = 1 << (n - 1) > COVERS_LISTED or max(counts) > COVERS_KEPT
                    for rows, whole, count in zip(found, room, counts, strict=True):
                        rows.append(whole[: min(count, COVERS_KEPT)].copy())
                first[:2, w + 1] = [sum(map(len, rows[-1:])) if 0 < n <= LONGEST else 0 for rows in found]
        np.cumsum(first[:2], axis=1, out=first[:2])
        covers, parts = (np.concatenate([*rows, np.zeros((1, words), np.uint64)]) for rows in found)
        return covers, parts, first

    # -- what the tests can see -------------------------------------------------------------------

    def complete(self, cost: int) -> bool:
        """Whether :meth:`solve` sees every expression of this cost."""
        around = cost - self.frontier
        if self.frontier <= self.search.costs.atom:
            return False
        if len(self.search.infixes.words) > WIDEST or around > FAR * self.search.step or (self._full and around > self._grown):
            return False
        return not self._binary or cost < 2 * self.frontier + min(self._price[op] for op in self._binary)

    def worth(self, cost: int) -> bool:
        """Whether testing this cost is little work beside storing the next level."""
        return self._work(cost) <= PATIENCE * STORED * (self._pairs(self.frontier) + 1000)

    def _pairs(self, cost: int) -> int:
        """Pairs of stored operands of binary expressions of a cost."""
        return sum((a[1] - a[0]) * (b[1] - b[0]) for _, a, b in self.search.pairs(cost))

    def _work(self, cost: int) -> float:
        """Nanoseconds that :meth:`solve` may take."""
        work = known = 0.0
        for around in range(0, cost - self.frontier + 1, self.search.step):
            lo, hi = self._spans.get(around, (0, 0))
            goals: float = hi - lo
            if around > self._grown:
                goals = known * GROWTH + 1
                if goals > MANY:
                    return float("inf")
            known = goals or known
            if goals:
                for op, fixed, scanned in self._closing(cost - around):
                    a, b = self.search.range[fixed], self.search.range[scanned]
                    work += goals * self._sides(op, fixed, scanned) * (a[1] - a[0]) * (TRY + BLOCK * (b[1] - b[0]) / 64)
        return work

    def _closing(self, cost: int) -> list[tuple[int, int, int]]:
        """Binary operators and costs of two stored operands, the first no dearer, that together cost this much."""
        filled = self.search.range
        return [(op, c, rest - c) for op in self._binary for rest in (cost - self._price[op],)
                for c in self.search.levels.filled if 2 * c <= rest and rest - c in filled]  # fmt: skip

    @staticmethod
    def _sides(op: int, fixed: int, scanned: int) -> int:
        """On how many sides the first of two operands may stand, the second being any of its cost."""
        return 2 if op in (CONCAT, DIFFERENCE) and fixed != scanned else 1

    # -- growing goals ----------------------------------------------------------------------------

    def _reserve(self) -> bool:
        """Make room for more goals; false when the memory budget does not allow it."""
        goals, clauses = int(self.number[k.N_GOALS]), int(self.number[k.N_CLAUSES])
        words, room = self.search.store.words, 2 * k.KEPT
        cap = len(self._goals) if goals < len(self._goals) else max(1 << 10, 2 * goals)
        rows = len(self._clauses) if clauses + room <= len(self._clauses) else max(1 << 14, 2 * (clauses + room))
        if cap == len(self._goals) and rows == len(self._clauses):
            return True
        if 2 * (cap * (8 * k.GOAL + 16 * words + 16) + rows * 8 * words) > self.search.clock.memory // SHARE:
            return False
        for name, old, length in (("_goals", goals, cap), ("_masks", goals, cap), ("_clauses", clauses, rows)):
            array = getattr(self, name)
            if length > len(array):
                wider = np.zeros((length, *array.shape[1:]), array.dtype)
                wider[:old] = array[:old]
                setattr(self, name, wider)
        if 2 * cap > len(self._table):
            self._table = np.full(1 << (2 * cap - 1).bit_length(), -1, np.int32)
            k.relink(self.number, self._goals, self._masks, self._clauses, self._table)
        return True

    def _plant(self) -> bool:
        """The goal of the whole expression."""
        mask, hits, misses = self._scratch[:3]
        mask[0], mask[1] = self.search.store.masks[[MUST, AVOID]]
        if not self._reserve():
            self._full = True
            return False
        k.root(mask, hits, misses, self.number, self._goals, self._masks, self._clauses, self._table)
        self._spans[0] = (0, 1)
        self._grown = 0
        return True

    def reach(self, cost: int) -> bool:
        """Grow what :meth:`solve` needs for this cost; false when memory does not allow it.

        Raises
        ------
        BudgetExceeded
            When time is used up; nothing must be grown after that.
        """
        most = cost - self.frontier
        if self._grown < 0 and not self._plant():
            return False
        step = self.search.step
        for around in range(self._grown // step * step + step, most + 1, step):
            self.search.check()
            first, clauses = (int(n) for n in self.number[[k.N_GOALS, k.N_CLAUSES]])
            if not self._grow_one(around):  # the table is of no use any more, and is not used
                self.number[k.N_GOALS], self.number[k.N_CLAUSES] = first, clauses
                self._full = True
                return False
            end = int(self.number[k.N_GOALS])
            if end > first:
                self._spans[around] = (first, end)
            while first < end:
                self.search.check()
                first = k.idle(first, end, self._goals, self._masks, self._clauses)
            self._grown = around
        return self._reserve()  # for what `solve` needs for a moment

    def _grow_one(self, around: int) -> bool:
        price = self._price
        for op in self._unary:
            if around - price[op] in self._spans and not self._grow_by(op, 0, (0, 1), self._spans[around - price[op]], around):
                return False
        for op in self._binary:
            for c in self.search.levels.filled:
                span = self._spans.get(around - price[op] - c)
                for side in (0, 1) if op in (CONCAT, DIFFERENCE) else (0,):
                    if span is not None and not self._grow_by(op, side, self.search.range[c], span, around):
                        return False
        return True

    def _grow_by(self, op: int, side: int, rows: tuple[int, int], goals: tuple[int, int], around: int) -> bool:
        i, g = rows[0], goals[0]
        while i < rows[1]:
            self.search.check()
            if not self._reserve():
                return False
            i, g = self._call_grow(op, side, (i, rows[1]), goals, g, around, True)
        return True

    def _call_grow(self, op: int, side: int, rows: tuple[int, int], goals: tuple[int, int], at: int, around: int,
                   linked: bool) -> tuple[int, int]:  # fmt: skip
        store = self.search.store
        return k.grow(op, side, *rows, *goals, at, around, int(linked), self.number, self._goals, self._masks, self._clauses,  # type: ignore[no-any-return]
                      self._table, store.bits, store.starts, store.cuts, *self._star, *self._scratch[:5])  # fmt: skip

    # -- closing them -----------------------------------------------------------------------------

    def solve(self, cost: int, *, everything: bool) -> Expr | None:
        """An expression of this cost, which is not stored, that meets the goal.

        With ``everything`` false the goal of the root alone is closed, else all that :meth:`reach` has grown for this cost.
        """
        if len(self.search.infixes.words) > WIDEST or (self._grown < 0 and not self._plant()) or not self._reserve():
            return None  # only without everything: else `reach` has seen to it
        price, ranges = self._price, self.search.range
        jobs: dict[tuple[int, int, int], list[tuple[int, ...]]] = {}
        for around, goals in self._spans.items():
            rest = cost - around
            if rest < self.frontier or (around and not everything):
                continue
            for op in self._unary:
                rows = ranges.get(rest - price[op])
                found = None if rows is None or (op, goals[0]) in self._barren else self._close_unary(op, rows, goals)
                if found is not None:
                    return found
            for op, fixed, scanned in self._closing(rest):
                for side in range(self._sides(op, fixed, scanned)):
                    jobs.setdefault((op, fixed, side), []).append((*goals, *ranges[scanned], scanned))
        for op, fixed, side in sorted(jobs, key=lambda job: self._weight(ranges[job[1]], jobs[job])):
            found = self._close(op, side, ranges[fixed], fixed, jobs[op, fixed, side])
            if found is not None:
                return found
        return None

    @staticmethod
    def _weight(rows: tuple[int, int], jobs: list[tuple[int, ...]]) -> int:
        """Work of closing by these rows: where there is little, an answer is found soon if there is one."""
        return (rows[1] - rows[0]) * sum((hi - lo) * (1000 + d - c) for lo, hi, c, d, _ in jobs)

    def _close_unary(self, op: int, others: tuple[int, int], goals: tuple[int, int]) -> Expr | None:
        """Goals of the operand for the moment, and whether a row meets one."""
        number, g, i, barren = self.number, goals[0], 0, True
        kept, clauses = (int(n) for n in number[[k.N_GOALS, k.N_CLAUSES]])
        while i < 1:
            self.search.check()
            i, g = self._call_grow(op, 0, (i, 1), goals, g, 0, False)
            end = int(number[k.N_GOALS])
            if end > kept:
                barren = False
                found = self._close(NONE, 0, (0, 1), 0, [(kept, end, *others, 0)])
                number[k.N_GOALS], number[k.N_CLAUSES] = kept, clauses
                if found is not None:
                    return found
        if barren:
            self._barren.add((op, goals[0]))
        return None

    def _close(self, op: int, side: int, rows: tuple[int, int], fixed: int, jobs: list[tuple[int, ...]]) -> Expr | None:
        store = self.search.store
        listed = np.array(jobs, np.int64)
        i, g = rows[0], jobs[0][0]
        self.number[k.JOB] = 0
        while i < rows[1]:
            self.search.check()
            i, g = closing_kernels.close(
                op, side, i, rows[1], fixed, self.frontier, g, listed, self.number, self._goals, self._masks, self._clauses,
                store.bits, store.order, store.sliced, store.starts, store.cuts, *self._scratch,
            )  # fmt: skip
            if (j := int(self.number[k.FOUND])) >= 0:
                return self._expr(op, i, side, self.search.stored(j), g)
        return None

    def _expr(self, op: int, row: int, side: int, y: Expr, g: int) -> Expr:
        while True:
            if op in tree.UNARY:
                y = tree.make(op, y)
            elif op != NONE:
                x = self.search.stored(row)
                y = tree.make(op, y, x) if side else tree.make(op, x, y)
            if g == 0:
                return y
            g, op, row, side = self._goals[g, [k.G_PARENT, k.G_OP, k.G_ROW, k.G_SIDE]].tolist()
