"""Look-ahead: does any expression of a cost meet a goal, given all cheaper stored ones, storing nothing?

An operator turns the goal for its result, and one operand, into a goal for the other
(:mod:`regsynth.solvers.sequence_goals`). Unions, intersections and differences of two
stored operands need only the bits the goal speaks of, so rows are first reduced to the
few distinct signatures on these.

Below a star a goal only says what is necessary. What meets it is put back under the
star, with all that stands between, and tested in full. With ``~ & −`` the operands of
stars are enumerated instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from regsynth.automata.dfa import bits
from regsynth.solvers import sequence_kernels as k
from regsynth.solvers.sequence_goals import Below, Goal, below_star, remainder, step
from regsynth.solvers.typed_compiled import rows_of
from regsynth.syntax import tree
from regsynth.syntax.tree import CONCAT, DIFFERENCE, INTERSECTION, UNION, Expr

if TYPE_CHECKING:
    from regsynth.solvers.sequence_compiled import CompiledSearch

SCANNED = 1 << 25  # pairs a call scans for a product: some tens of milliseconds
STREAMED = 1 << 20  # pairs a call computes
THREADS = 2  # product scans that run at the same time, when there are several
CONDITIONS = 62  # bits of a signature
PER_STREAMED, STORED = 60, 4000  # work of a pair that is computed, or stored, in that of one that is scanned
BELOW = 4  # and of one that is scanned for a star's operand
CALL, ROW = 300_000, 100_000  # of a call of `solve`, and of what a stored operand asks of the other
FAR = 1_000  # costs beyond the frontier at which nobody looks: they are too many to go through one by one
CHAIN = 3  # unary operators over a star's operand that is not stored


class Ahead:
    """Tests against what a search has stored.

    Attributes
    ----------
    frontier : int
        All expressions cheaper than this are stored, or dominated by stored ones.
    passed : int
        No answer is cheaper than this, as far as the tests of the last stage have come.
    tested : int
        Pairs tested.
    """

    def __init__(self, search: CompiledSearch) -> None:
        self.search = search
        self.frontier = self.passed = self.tested = 0
        self.monotone = not search.operators & tree.EXTENDED_MASK
        self._done: set[tuple[Goal, int, bool, Below | None]] = set()
        self._signatures: dict[tuple[Any, ...], tuple[Any, Any]] = {}
        self._complete: dict[tuple[int, bool, int], bool] = {}
        self._pool: ThreadPoolExecutor | None = None

    # -- what the tests can see -------------------------------------------------------------------

    def complete(self, cost: int, hits: bool = False) -> bool:
        """Whether :meth:`solve` sees every expression of this cost (``hits``: for a goal that has such sets)."""
        if cost < self.frontier:
            return True
        if cost - self.frontier > FAR:
            return False
        key = (cost, hits, self.frontier)
        if key not in self._complete:
            self._complete[key] = self._all_seen(cost, hits)
        return self._complete[key]

    def _all_seen(self, cost: int, hits: bool) -> bool:
        search, price = self.search, self.search.costs.by_op
        for op in tree.UNARY:
            rest = cost - price[op]
            if search.operators >> op & 1 and rest >= self.frontier:
                if op == tree.COMPLEMENT and hits:
                    return False
                if op == tree.STAR and not self.monotone:
                    if not self._streamable(rest):
                        return False
                elif not self.complete(rest, hits or op == tree.STAR):
                    return False
        for op in tree.BINARY:
            if search.operators >> op & 1:
                rest = cost - price[op]
                if rest >= 2 * self.frontier:
                    return False  # neither operand need be stored
                for c in range(max(self.frontier, 1), rest - search.costs.atom + 1):
                    if (op == DIFFERENCE and hits) or not self.complete(c, hits or op == CONCAT):
                        return False
        return True

    def worth(self, cost: int) -> bool:
        """Whether testing this cost to the end is little work beside storing the next level."""
        return self._work(cost, {}) <= STORED * (self._pairs(self.frontier, False) + 1000)

    def _work(self, cost: int, known: dict[int, int]) -> int:
        """Estimated work of :meth:`solve`, in scanned pairs."""
        search, price = self.search, self.search.costs.by_op
        if cost < self.frontier:
            return 64
        if cost not in known:
            known[cost] = 0
            work = CALL + self._pairs(cost, True)
            if search.operators >> tree.STAR & 1 and cost - price[tree.STAR] >= self.frontier:
                rest = cost - price[tree.STAR]
                work += BELOW * self._work(rest, known) if self.monotone else PER_STREAMED * self._pairs(rest, False)
            for op in (tree.OPTION, tree.COMPLEMENT):
                if search.operators >> op & 1:
                    work += self._work(cost - price[op], known)
            for op in tree.BINARY:
                if search.operators >> op & 1:
                    for c in search.levels.filled:
                        if (rest := cost - price[op] - c) < self.frontier:
                            break
                        sides = 1 if op in (UNION, INTERSECTION) else 2
                        work += sides * (search.range[c][1] - search.range[c][0]) * (self._work(rest, known) + ROW)
            known[cost] = work
        return known[cost]

    def _pairs(self, cost: int, products: bool) -> int:
        """Pairs of stored operands of binary expressions of a cost."""
        return sum((a[1] - a[0]) * (b[1] - b[0]) for op, a, b in self.search.pairs(cost) if op == CONCAT or not products)

    def _streamable(self, cost: int, depth: int = 1) -> bool:
        """Whether every expression of this cost is at most a few unary operators over a stored one or two stored operands."""
        search, price = self.search, self.search.costs.by_op
        if cost < self.frontier:
            return True
        if depth > CHAIN:
            return False
        if any(search.operators >> op & 1 and cost - price[op] - search.costs.atom >= self.frontier for op in tree.BINARY):
            return False
        return all(self._streamable(cost - price[op], depth + 1) for op in tree.UNARY if search.operators >> op & 1)

    # -- the tests --------------------------------------------------------------------------------

    def solve(self, goal: Goal, cost: int, *, everything: bool, parent: int = -1, below: Below | None = None) -> Expr | None:
        """An expression of this cost that meets the goal (``below``: and the goal at the end of the way up).

        With ``everything`` false only stored operands of binary operators are tried.
        """
        search = self.search
        if cost < self.frontier:
            rows = search.range.get(cost)
            if rows is None:
                return None
            if below is not None:
                _, i = self._below(goal, -1, (0, 1), rows, below)
                return search.stored(i) if i >= 0 else None
            i = k.first_row(*rows, self._rows(goal), search.store.bits)
            return search.stored(i) if i >= 0 else None
        if (goal, cost, everything, below) in self._done:
            return None
        found = self._unary(goal, cost, everything, parent, below)
        if found is None and (goal, cost, False, below) not in self._done:
            found = self._stored_pairs(goal, cost, below)
        if found is None and everything:
            found = self._half_stored(goal, cost, below)
        if found is None and parent == -1:  # below a unary operator not everything was tried
            self._done.add((goal, cost, everything, below))
            self._done.add((goal, cost, False, below))
        return found

    def _unary(self, goal: Goal, cost: int, everything: bool, parent: int, below: Below | None) -> Expr | None:
        search, price = self.search, self.search.costs.by_op
        allowed = search.operators
        if allowed >> tree.OPTION & 1 and not goal.avoid & 1 and cost > price[tree.OPTION]:
            hits = tuple(hit for hit in goal.hits if not hit & 1)
            alone = not (goal.must & 1 or len(hits) < len(goal.hits))  # the operand would do without the option
            if parent != tree.STAR if below is not None else not alone:
                found = self.solve(Goal(goal.must & ~1, goal.avoid, hits), cost - price[tree.OPTION], everything=everything,
                                   parent=tree.OPTION, below=step(tree.OPTION, -1, 0, below))  # fmt: skip
                if found is not None:
                    return tree.option(found)
        if allowed >> tree.COMPLEMENT & 1 and parent != tree.COMPLEMENT and cost > price[tree.COMPLEMENT]:
            rest = cost - price[tree.COMPLEMENT]
            if not goal.hits:
                found = self.solve(Goal(goal.avoid, goal.must), rest, everything=everything, parent=tree.COMPLEMENT)
                if found is not None:
                    return tree.complement(found)
            elif rest < self.frontier:
                found = self._stream(goal, rest, (tree.COMPLEMENT,))
                if found is not None:
                    return found
        if allowed >> tree.STAR & 1 and not goal.avoid & 1 and cost > price[tree.STAR]:
            rest = cost - price[tree.STAR]
            if self.monotone:
                weaker = below_star(goal, search.infixes.splits) if parent not in (tree.STAR, tree.OPTION) else None
                if weaker is not None:
                    top = Below((), goal) if below is None else below
                    found = self.solve(weaker, rest, everything=everything, parent=tree.STAR, below=step(tree.STAR, -1, 0, top))
                    if found is not None:
                        return tree.star(found)
            elif rest < self.frontier or everything:
                return self._stream(goal, rest, (tree.STAR,))
        return None

    def _below(self, goal: Goal, op: int, left: tuple[int, int], right: tuple[int, int], below: Below) -> tuple[int, int]:
        """Rows of a pair (of one row in ``right``, without an operator) that meets the goal and, all the way up, the one there."""
        store = self.search.store
        side = int(op == CONCAT and right[1] - right[0] < left[1] - left[0])
        fixed, scanned = (right, left) if side else (left, right)
        wanted, top, conditions = self._rows(goal), self._rows(below.top), goal.must.bit_count() + len(goal.hits) + 1
        steps = np.array(below.steps, np.int64).reshape(-1, 3)
        self.tested += (scanned[1] - scanned[0]) * (fixed[1] - fixed[0])
        columns = max(64, STREAMED // store.row_work)
        stride = max(1, STREAMED // (min(columns, scanned[1] - scanned[0]) * store.row_work))
        pieces = [(i, min(i + stride, fixed[1]), c, min(c + columns, scanned[1]))
                  for i in range(fixed[0], fixed[1], stride) for c in range(scanned[0], scanned[1], columns)]  # fmt: skip

        def work(piece: tuple[int, int, int, int]) -> tuple[int, int]:
            rows, lanes = np.zeros((conditions + 1, store.words), np.uint64), np.zeros((2, 64 * store.words), np.uint64)
            return k.find_below(  # type: ignore[no-any-return]
                op, *piece, side, wanted, top, steps, rows, store.bits, store.sliced, store.item, store.starts, store.cuts, lanes
            )  # fmt: skip

        for i, j in self._spread(work, pieces):
            if i >= 0:
                return (j, i) if side else (i, j)
        return -1, -1

    def _stored_pairs(self, goal: Goal, cost: int, below: Below | None) -> Expr | None:
        for op, left, right in self.search.pairs(cost):
            self.search.check()
            if below is not None:
                i, j = self._below(goal, op, left, right, below)
                node = None if i < 0 else (op, i, j)
            elif op == CONCAT:
                node = self._product(goal, left, right)
            elif self._reducible(goal, op):
                node = self._by_signature(goal, op, left, right)
            else:
                node = self._stream_pairs(goal, op, left, right, ())
            if node is not None:
                return self.search.expr(node)
        return None

    def _reducible(self, goal: Goal, op: int) -> bool:
        """Whether signatures decide a goal for a union, intersection or difference."""
        if op == UNION:
            return goal.must.bit_count() + len(goal.hits) <= CONDITIONS
        return not goal.hits and goal.avoid.bit_count() <= CONDITIONS

    def _product(self, goal: Goal, left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int, int] | None:
        """Fix each operand of the smaller side and scan the other."""
        store = self.search.store
        side = int(right[1] - right[0] < left[1] - left[0])
        fixed, scanned = (right, left) if side else (left, right)
        wanted, conditions = self._rows(goal), goal.must.bit_count() + len(goal.hits) + 1
        count = scanned[1] - scanned[0]
        self.tested += count * (fixed[1] - fixed[0])
        stride = max(1, SCANNED // ((count + 64 * conditions) * store.words))
        pieces = [(i, min(i + stride, fixed[1]), c, min(c + SCANNED, scanned[1]))
                  for c in range(scanned[0], scanned[1], SCANNED) for i in range(fixed[0], fixed[1], stride)]  # fmt: skip

        def work(piece: tuple[int, int, int, int]) -> tuple[int, int]:
            rows = np.empty((conditions + 1, store.words), np.uint64)
            return k.find_product(  # type: ignore[no-any-return]
                *piece, side, wanted, rows, store.bits, store.sliced, store.item, store.starts, store.cuts
            )

        for i, j in self._spread(work, pieces):
            if i >= 0:
                return (CONCAT, j, i) if side else (CONCAT, i, j)
        return None

    def _spread(self, work: Any, pieces: list[Any]) -> Iterator[tuple[int, int]]:
        """Results piece by piece; the kernels release the lock, so several threads help when there is much to do."""
        if len(pieces) < 2 * THREADS:
            for piece in pieces:
                self.search.check()
                yield work(piece)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(THREADS)
        for n in range(0, len(pieces), 2 * THREADS):
            self.search.check()
            yield from list(self._pool.map(work, pieces[n : n + 2 * THREADS]))

    def _by_signature(self, goal: Goal, op: int, left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int, int] | None:
        if op == UNION:
            conditions = (*(1 << w for w in bits(goal.must)), *goal.hits)
            first = second = (0, goal.avoid)
        else:
            conditions = tuple(1 << w for w in bits(goal.avoid))
            first = (goal.must, 0)
            second = first if op == INTERSECTION else (0, goal.must)
        a, where_a = self._distinct(left, first, conditions)
        b, where_b = self._distinct(right, second, conditions)
        i, j = k.match(a, b, op, (1 << len(conditions)) - 1)
        return None if i < 0 else (op, int(where_a[i]), int(where_b[j]))

    def _distinct(self, rows: tuple[int, int], needs: tuple[int, int], conditions: tuple[int, ...]) -> tuple[Any, Any]:
        """Distinct signatures of a level, each with a row that has it."""
        key = (rows, needs, conditions)
        known = self._signatures.get(key)
        if known is None:
            store = self.search.store
            must, avoid = rows_of(needs, store.words).copy()
            out = np.empty(rows[1] - rows[0], np.int64)
            k.signatures(*rows, store.bits, must, avoid, rows_of(conditions, store.words).copy(), out)
            kept = np.flatnonzero(out >= 0)
            values, first = np.unique(out[kept], return_index=True)
            known = self._signatures[key] = values, kept[first] + rows[0]
            if len(self._signatures) > 4096:
                self._signatures.clear()
        return known

    def _stream(self, goal: Goal, cost: int, chain: tuple[int, ...]) -> Expr | None:
        """An expression of this cost that meets the goal below unary operators (outermost first)."""
        search, store, price = self.search, self.search.store, self.search.costs.by_op
        rows = search.range.get(cost)
        order = np.array(chain[::-1], np.int64)
        if cost < self.frontier:
            if rows is not None:
                step = max(1, STREAMED // store.row_work)
                for c in range(rows[0], rows[1], step):
                    search.check()
                    i = k.stream_rows(c, min(c + step, rows[1]), order, self._rows(goal), store.bits, store.starts, store.cuts,
                                      store.masks, np.empty((2, store.words), np.uint64))  # fmt: skip
                    if i >= 0:
                        return _wrap(chain, search.stored(i))
            return None
        if len(chain) > CHAIN:
            return None
        for op in tree.UNARY:
            useless = chain[-1] == op or (op == tree.OPTION and chain[-1] == tree.STAR)
            if search.operators >> op & 1 and not useless and cost > price[op]:
                found = self._stream(goal, cost - price[op], (*chain, op))
                if found is not None:
                    return found
        for op, left, right in search.pairs(cost):
            node = self._stream_pairs(goal, op, left, right, chain)
            if node is not None:
                return _wrap(chain, search.expr(node))
        return None

    def _stream_pairs(self, goal: Goal, op: int, left: tuple[int, int], right: tuple[int, int], chain: tuple[int, ...]
                      ) -> tuple[int, int, int] | None:  # fmt: skip
        store, order, rows = self.search.store, np.array(chain[::-1], np.int64), self._rows(goal)
        self.tested += (left[1] - left[0]) * (right[1] - right[0])
        work_a_pair = store.pair_work + (store.row_work if chain else 0)
        columns = max(64, (1 << 18) // work_a_pair)
        stride = max(1, STREAMED // (min(columns, right[1] - right[0]) * work_a_pair))
        pieces = [(i, min(i + stride, left[1]), c, min(c + columns, right[1]))
                  for i in range(left[0], left[1], stride) for c in range(right[0], right[1], columns)]  # fmt: skip

        def work(piece: tuple[int, int, int, int]) -> tuple[int, int]:
            scratch = np.empty((3, store.words), np.uint64)
            tabled = op == CONCAT and piece[3] - piece[2] > 48
            return k.stream_pairs(  # type: ignore[no-any-return]
                op, *piece, order, rows, store.bits, store.item, store.starts, store.cuts, store.masks, scratch,
                np.empty_like(store.work) if tabled else store.work[:0],
            )  # fmt: skip

        for i, j in self._spread(work, pieces):
            if i >= 0:
                return op, i, j
        return None

    def _half_stored(self, goal: Goal, cost: int, below: Below | None) -> Expr | None:
        """One operand is stored, the other one is not: its goal follows from the first."""
        search, price = self.search, self.search.costs.by_op
        for op in tree.BINARY:
            if not search.operators >> op & 1:
                continue
            for c in search.levels.filled:
                rest = cost - price[op] - c
                if rest < self.frontier:
                    continue
                tried: set[tuple[int, Goal]] = set()
                for i in range(*search.range[c]):
                    x = int.from_bytes(search.store.bits[i].tobytes(), "little")
                    for side in (0,) if op in (UNION, INTERSECTION) else (0, 1):
                        other = remainder(goal, op, x, side, search.infixes.splits)
                        if other is None or (below is None and (side, other) in tried):
                            continue
                        tried.add((side, other))
                        found = self.solve(other, rest, everything=True, below=step(op, i, side, below))
                        if found is not None:
                            known = search.stored(i)
                            return tree.make(op, found, known) if side else tree.make(op, known, found)
        return None

    def _rows(self, goal: Goal) -> Any:
        return rows_of((goal.must, goal.avoid, *goal.hits), self.search.store.words).copy()


def _wrap(chain: tuple[int, ...], expr: Expr) -> Expr:
    for op in reversed(chain):
        expr = tree.make(op, expr)
    return expr
