"""Ten seconds an item: an alarm inside the process, and in worker processes a watchdog behind it."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType

JUDGING = 0.8  # part of an item's time for its answer; the rest is for the optimum

MEMORY = 4 << 30  # bytes of data a worker may hold
GRACE = 2.0  # seconds the watchdog waits behind the alarm

_watchdog = False


class Deadline(BaseException):
    """The time of an item is up. No :class:`Exception`, lest what runs in the block takes it for its own budget and goes on."""


@contextlib.contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise :class:`Deadline` in the block after ``seconds`` (main thread of a POSIX system only).

    The alarm reaches Python code alone. In a worker prepared by :func:`guard_worker`
    compiled code that overlooks it is ended with its process, which the executor notices.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(signum: int, frame: FrameType | None) -> None:
        raise Deadline(f"time budget of {seconds:g} s used up")

    before = signal.signal(signal.SIGALRM, ring)
    if _watchdog:
        faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=_silence())
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # repeats: one that falls into a destructor is swallowed
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if _watchdog:
            faulthandler.cancel_dump_traceback_later()


_sink: list[int] = []


def _silence() -> int:
    if not _sink:
        _sink.append(os.open(os.devnull, os.O_WRONLY))
    return _sink[0]


def guard_worker() -> None:
    """In a worker process: switch the watchdog on and cap memory."""
    global _watchdog
    _watchdog = True
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if hard == resource.RLIM_INFINITY or hard > MEMORY:
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, hard))
