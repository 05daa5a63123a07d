"""A safety net under every item: an alarm and a cap on memory, in case a solver overlooks its own budget."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType
from typing import Any

from regsynth.errors import BudgetExceeded

SLACK = 1 << 30  # bytes of code, kernels and interpreter above the budget


@contextlib.contextmanager
def alarm(seconds: float | None, budget: float | None = None) -> Iterator[None]:
    """Raise :class:`BudgetExceeded` in the block after ``seconds`` (main thread of a POSIX system only).

    The alarm repeats, since one that falls into a destructor is swallowed there (and then
    not reported). ``budget`` is what the message speaks of, where ``seconds`` has slack.
    """
    if seconds is None or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    over = False

    def ring(signum: int, frame: FrameType | None) -> None:
        if over:  # it rang on the way out
            return
        raise BudgetExceeded(f"time budget of {seconds if budget is None else budget:g} s used up")

    def swallowed(fault: Any) -> None:
        if not isinstance(fault.exc_value, BudgetExceeded):
            hook(fault)

    hook, sys.unraisablehook = sys.unraisablehook, swallowed
    before = signal.signal(signal.SIGALRM, ring)
    began = time.monotonic()
    left, interval = signal.getitimer(signal.ITIMER_REAL)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
        yield
    finally:
        over = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if sys.unraisablehook is swallowed:
            sys.unraisablehook = hook
        if left:  # somebody else's timer was running
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - began), 0.001), interval)


def cap_memory(budget: int) -> None:
    """Make allocations beyond the budget fail with :class:`MemoryError` rather than exhaust the machine."""
    try:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = budget + SLACK
        if hard == resource.RLIM_INFINITY or wanted < hard:
            resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
    except (ImportError, OSError, ValueError):
        pass
