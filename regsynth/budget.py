"""Budgets are values: seconds, bytes and states a task may use."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from regsynth.errors import BudgetExceeded
from regsynth.machine import half_of_memory


@dataclass(frozen=True, slots=True)
class Budget:
    """What one item may use.

    Parameters
    ----------
    seconds : float or None
        Wall-clock limit; ``None`` for none.
    memory : int or None
        Bytes of storage for the search; ``None`` for half of the machine's.
    states : int
        States of a single determinisation or product.
    steps : int or None
        Candidates the search may try: a limit that does not depend on the machine.
    """

    seconds: float | None = 60.0
    memory: int | None = None
    states: int = 1_000_000
    steps: int | None = None

    def start(self) -> Clock:
        """A running clock for this budget."""
        return Clock(self)


@dataclass(slots=True)
class Clock:
    """A budget that has begun to run."""

    budget: Budget
    began: float = field(default_factory=time.perf_counter)
    cancelled: bool = False  # set from another thread: the time is up at once
    spent: int = 0  # candidates tried so far, as the engine says

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.began

    @property
    def left(self) -> float:
        """Seconds left (``inf`` for no limit)."""
        if self.cancelled:
            return 0.0
        limit = self.budget.seconds
        return float("inf") if limit is None else limit - self.seconds

    def check(self) -> None:
        """Raise :class:`BudgetExceeded` when the time is up, or the steps are used up."""
        if self.budget.steps is not None and self.spent >= self.budget.steps:
            raise BudgetExceeded(f"budget of {self.budget.steps} candidates used up")
        if self.left <= 0:
            raise BudgetExceeded(f"time budget of {self.budget.seconds} s used up")

    @property
    def memory(self) -> int:
        """Bytes the search may store."""
        limit = self.budget.memory
        return half_of_memory() if limit is None else limit
