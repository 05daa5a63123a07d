"""Scratch arrays around the numba kernels, one set a thread; imports numba.

Private to the package: :mod:`regsynth.automata.batch` and
:mod:`regsynth.automata.dense` are the public faces.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regsynth.automata import kernels, lanes, refine
from regsynth.automata.kernels import EXTENDED, LONG, WORD_STATES
from regsynth.errors import BudgetExceeded

__all__ = ["EXTENDED", "LONG", "WORD_STATES", "Automaton", "Workspace", "borrow"]

Points = NDArray[np.uint32]
Packed = tuple[Points, NDArray[np.int64], NDArray[np.int64]]  # points, begins, ends
Code = NDArray[np.int32]
Automaton = tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.int32]]

INCLUDED = 2  # as in regsynth.automata.batch
_EQUIVALENCE, _INCLUSION = 0b0110, 0b0100  # bad (first accepts, second accepts), first in bit 1


class Workspace:
    """Scratch space for expressions of up to ``length`` characters."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.code = np.empty(2 * length + 2, np.int32)
        self.stacks = (np.empty(2 * length + 2, np.int32), np.empty(2 * length + 2, np.int32))
        self.sets = (np.empty(64, np.uint64), np.empty(64, np.uint64),
                     np.empty(length + 2, np.uint64), np.empty(length + 2, np.uint64),
                     np.zeros(128, np.uint64), np.zeros(2, np.uint64))  # fmt: skip
        self.flags = np.empty(length + 2, np.bool_)
        self.words = np.empty(64, np.int32)
        self.groups = np.empty((kernels.DEPTH, 6), np.uint64)
        self.states = np.empty(WORD_STATES + 1, np.uint64)
        self.links = (np.empty(WORD_STATES + 1, np.int32), np.empty(WORD_STATES + 1, np.int32))
        self.table = np.zeros(4 * WORD_STATES, np.int64)
        self.clock = np.zeros(1, np.int64)

    def compare_range(
        self, packed1: Packed, packed2: Packed, begin: int, holds: int, fails: int, states: int,
        arrays: tuple[NDArray[Any], ...], points: Points, used: int,
    ) -> tuple[int, int]:  # fmt: skip
        """Kernel of the same name on this thread's scratch space."""
        inclusion = holds == INCLUDED
        mode = (holds, fails, np.uint64(_INCLUSION if inclusion else _EQUIVALENCE))
        self._rewind()
        item, used = kernels.compare_range(
            packed1, packed2, begin, mode, min(states, WORD_STATES), self.code, self.stacks, self.sets,
            self.flags, self.words, self.groups, self.states, self.links, self.table, self.clock, *arrays, points, used,
        )  # fmt: skip
        return int(item), int(used)

    def compare_long(
        self, first: Points, second: Points, inclusion: bool, states: int, memory: int
    ) -> tuple[int, int, Points | None]:
        """Outcome (0 holds, 1 fails, 2 out of budget), accepting sides (2 first, 1 second), witness."""
        code1, leaves1, _ = self.parse(first)
        code1 = code1.copy()
        code2, leaves2, _ = self.parse(second)
        both = np.concatenate([code1, code2])
        letters = np.unique(both[both >= 0])
        leaves = leaves1 + leaves2
        outcome, ends, word, _, _ = _apart(
            lanes.explore,
            code1, len(code1), code2, len(code2), leaves, letters, _INCLUSION if inclusion else _EQUIVALENCE,
            leaves1 if inclusion else leaves, _limit(states, memory, leaves, len(letters)),
        )  # fmt: skip
        return outcome, ends, letters[word].astype(np.uint32) if outcome == 1 else None

    def parse(self, points: Points) -> tuple[Code, int, bool]:
        """Postfix code (a view, valid until the next call), letters, extended; a negative letter count is an error."""
        items, letters, extended = kernels.parse(points, 0, points.size, self.code, *self.stacks)
        if items < 0:
            return self.code[:0], items, False
        return self.code[:items], letters, extended

    def minimal(self, code: Code, leaves: int, extra: Code, states: int, memory: int) -> Automaton:
        """Canonical minimal automaton of postfix code without ``~ & -``."""
        if leaves + extra.size <= kernels.MAX_POSITIONS:
            self._rewind()
            delta, accepting, letters = kernels.subsets_of_code(
                code, code.size, extra, min(states, WORD_STATES), self.sets, self.flags, self.words, self.states, self.table,
                self.clock,
            )  # fmt: skip
            if len(delta):
                return (*refine.minimal(delta, accepting), letters)
        letters = np.unique(np.concatenate([code[code >= 0], extra]))
        limit = _limit(states, memory, leaves, len(letters))
        outcome, _, _, delta, accepting = _apart(lanes.explore, code, code.size, code[:0], 0, leaves, letters, 0, 0, limit)
        if outcome:
            raise BudgetExceeded(f"state budget of {limit} used up in the subset construction")
        return (*refine.minimal(delta, accepting), letters)

    def _rewind(self) -> None:
        """Start the stamps over before they fill 31 bits."""
        if self.clock[0] > 1 << 29:
            self.table[:] = 0
            self.clock[0] = 0


def _apart(kernel: Callable[..., Any], *args: Any) -> Any:
    """Call a kernel that makes arrays in a thread of its own.

    It may run for seconds, and numba does not survive an exception that a signal's
    handler raises while it hands the arrays over; here the waiting thread gets it.
    """
    if threading.current_thread() is not threading.main_thread():
        return kernel(*args)
    outcome: list[Any] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(kernel(*args))
        except BaseException as error:  # for the waiting thread to raise
            failure.append(error)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join()
    if failure:
        raise failure[0]
    return outcome[0]


def _limit(states: int, memory: int, leaves: int, letters: int) -> int:
    return max(1, min(states, memory // (8 * (leaves // 64 + 1) + 4 * letters + 48), (1 << 31) - 1))


_local = threading.local()


def borrow(length: int) -> Workspace:
    """This thread's scratch space, with room for texts of ``length`` characters."""
    space: Workspace | None = getattr(_local, "space", None)
    if space is None or space.length < length:
        space = _local.space = Workspace(max(256, length))
    return space
