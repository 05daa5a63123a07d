"""Match untrusted patterns, or untrusted texts, without ever being held up: ``safe_search`` and ``safe_fullmatch``.

A match runs in a child process that is killed when its time is up. Children are
kept warm, so a call costs a tenth of a millisecond over the match itself; one that
was killed is replaced at once, in the background. The limits: time by the clock,
the same of CPU, 1 GiB of memory, no files. A child never outlives its parent
(:mod:`regsynth.redos.sandbox_child` tells how), and its only output is the pipe.
"""

from __future__ import annotations

import atexit
import contextlib
import marshal
import os
import re
import select
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any, Literal

from regsynth.errors import BudgetExceeded, InputError, MatchTimeout, ParseError
from regsynth.redos.safe_match import SafeMatch

MEMORY = 1 << 30  # bytes of address space of a child
IDLE = 4  # children kept for later
LONGEST = 86_400.0  # seconds a call may ask for

Method = Literal["search", "match", "fullmatch"]
_CHILD = Path(__file__).with_name("sandbox_child.py")


class _Worker:
    """One child process and the pipes to it."""

    def __init__(self, memory: int) -> None:
        lifeline, self._own_end = os.pipe()
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-W", "ignore", str(_CHILD), str(memory), str(lifeline)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                bufsize=0, pass_fds=(lifeline,), start_new_session=True, cwd="/",
            )  # fmt: skip
        except BaseException:
            os.close(self._own_end)
            raise
        finally:
            os.close(lifeline)
        assert self.process.stdin is not None and self.process.stdout is not None
        self._in, self._out = self.process.stdin.fileno(), self.process.stdout.fileno()

    def send(self, request: tuple[Any, ...]) -> None:
        data = marshal.dumps(request)
        view = memoryview(len(data).to_bytes(8, "little") + data)
        while view:
            view = view[os.write(self._in, view) :]

    def receive(self, seconds: float) -> tuple[Any, ...] | None:
        """The answer; ``None`` when it does not come in time. :class:`EOFError` when the child is gone."""
        deadline = time.monotonic() + seconds
        watch = select.poll()
        watch.register(self._out, select.POLLIN)
        data = bytearray()
        length = 8
        while len(data) < length:
            left = deadline - time.monotonic()
            if not watch.poll(max(0.0, left) * 1000):
                return None
            piece = os.read(self._out, 1 << 16)
            if not piece:
                raise EOFError
            data += piece
            if length == 8 and len(data) >= 8:
                length += int.from_bytes(data[:8], "little")
        reply: tuple[Any, ...] = marshal.loads(data[8:])
        return reply

    def abandon(self) -> None:
        """Close our ends of the pipes: the child ends by itself. For the copies a fork has made."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        if self._own_end >= 0:
            os.close(self._own_end)
            self._own_end = -1

    def kill(self) -> int | None:
        """End the child now; returns the signal it had died of before, if any."""
        died = self.process.poll()
        self.process.kill()
        self.abandon()
        self.process.wait()
        return -died if died is not None and died < 0 else None


class Sandbox:
    """A pool of warm child processes; most callers want :func:`safe_search`.

    Safe to use from several threads, and after a fork. Use as a context manager, or
    call :meth:`close`.

    Parameters
    ----------
    memory : int
        Bytes of address space of each child.

    >>> with Sandbox() as box:
    ...     box.match("search", "b+", "abbc", timeout=1.0).span()
    (1, 3)
    """

    def __init__(self, *, memory: int = MEMORY) -> None:
        if not isinstance(memory, int) or memory < 1 << 26:
            raise InputError(f"memory {memory!r}: a child process needs 64 MiB at least")
        self._memory = memory
        self._lock = threading.Lock()
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._forked: list[_Worker] = []  # of our parent; kept so that nobody waits for them
        _sandboxes.add(self)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the children. The sandbox can still be used: it starts new ones."""
        with self._lock:
            workers, self._idle = [*self._idle, *self._busy], []
            self._busy.clear()
        for worker in workers:
            worker.kill()

    def forget(self) -> None:
        """After a fork, in the new process: the children are the parent's."""
        self._lock = threading.Lock()
        for worker in (*self._idle, *self._busy):
            worker.abandon()
            self._forked.append(worker)
        self._idle = []
        self._busy = set()

    def match(
        self, method: Method, pattern: str | bytes | re.Pattern[Any], text: str | bytes, *, flags: int = 0, timeout: float
    ) -> SafeMatch | None:
        """Run a method of ``re`` on a text; see :func:`safe_search`."""
        return self.timed(method, pattern, text, flags=flags, timeout=timeout)[1]

    def timed(
        self, method: Method, pattern: str | bytes | re.Pattern[Any], text: str | bytes, *, flags: int = 0, timeout: float,
        repeats: int = 1,
    ) -> tuple[float, SafeMatch | None]:  # fmt: skip
        """The same, with the CPU seconds the match took (the least of a few ``repeats``, without compiling)."""
        if isinstance(pattern, re.Pattern):
            flags = int(flags) | pattern.flags
            pattern = pattern.pattern
        if not isinstance(pattern, (str, bytes)) or not isinstance(text, (str, bytes)):
            strange = text if isinstance(pattern, (str, bytes)) else pattern
            raise InputError(f"a pattern and a text are str or bytes, not {type(strange).__name__}")
        if isinstance(pattern, bytes) is not isinstance(text, bytes):
            raise InputError("a bytes pattern matches bytes, a str pattern str")
        if not 0 < timeout <= LONGEST:
            raise InputError(f"timeout {timeout!r}: give seconds, more than 0 and at most {LONGEST:,.0f}")
        reply = self._ask((method, pattern, int(flags), text, float(timeout), repeats), timeout)
        if reply[0] == "bad":
            shown = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
            raise ParseError(reply[1], shown, reply[2])
        if reply[0] == "memory":
            raise BudgetExceeded(f"the match needs more memory than the {self._memory >> 20} MiB of its child process")
        _, seconds, found = reply
        return seconds, None if found is None else SafeMatch(text, found[0], found[1], dict(found[2]))

    def _ask(self, request: tuple[Any, ...], timeout: float) -> tuple[Any, ...]:
        for last in (False, True):
            worker = self._take()
            try:
                worker.send(request)
            except BrokenPipeError:  # it died while idle
                self._drop(worker)
                if last:
                    raise BudgetExceeded("child processes for matching die as they start; is memory short?") from None
                continue
            try:
                reply = worker.receive(timeout)
            except EOFError:
                worker.process.wait()
                signal_number = self._drop(worker)
                why = "" if signal_number is None else f" of signal {signal_number}"
                raise BudgetExceeded(f"the child process died{why} during the match (out of memory?)") from None
            except BaseException:  # an interrupt: the answer will never be read
                self._drop(worker)
                raise
            if reply is None:
                self._drop(worker)
                self._replace()
                raise MatchTimeout(timeout)
            self._give_back(worker)
            return reply
        raise AssertionError

    def _take(self) -> _Worker:
        with self._lock:
            worker = self._idle.pop() if self._idle else _Worker(self._memory)
            self._busy.add(worker)
        return worker

    def _give_back(self, worker: _Worker) -> None:
        with self._lock:
            self._busy.discard(worker)
            if len(self._idle) < IDLE:
                self._idle.append(worker)
                return
        worker.kill()

    def _drop(self, worker: _Worker) -> int | None:
        with self._lock:
            self._busy.discard(worker)
        return worker.kill()

    def _replace(self) -> None:
        """Start the next child now; it boots while the caller handles the timeout."""
        with self._lock, contextlib.suppress(OSError):
            if not self._idle:
                self._idle.append(_Worker(self._memory))


_sandboxes: weakref.WeakSet[Sandbox] = weakref.WeakSet()
_shared: Sandbox | None = None
_shared_lock = threading.Lock()


def _after_fork() -> None:
    global _shared_lock
    _shared_lock = threading.Lock()
    for sandbox in list(_sandboxes):
        sandbox.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def shared() -> Sandbox:
    """The sandbox of this process, made on first use."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = Sandbox()
            atexit.register(_shared.close)
        return _shared


def safe_search(pattern: str | bytes | re.Pattern[Any], text: str | bytes, *, timeout: float = 1.0, flags: int = 0) -> SafeMatch | None:
    """``re.search`` that cannot hang: the match runs in a child process that is killed in time.

    Parameters
    ----------
    pattern : str, bytes or re.Pattern
    text : str or bytes
    timeout : float
        Seconds for compiling and matching.
    flags : int
        Flags of ``re``.

    Returns
    -------
    SafeMatch or None
        With ``span``, ``group``, ``groups`` and the like, as of ``re.Match``.

    Raises
    ------
    MatchTimeout
        The time is up; the child is dead.
    ParseError
        ``re`` rejects the pattern.
    BudgetExceeded
        The match takes more than 1 GiB of memory.

    Examples
    --------
    >>> safe_search("(?P<word>b+)", "abbc")["word"]
    'bb'
    >>> safe_search("(a+)+$", "a" * 40 + "!", timeout=0.1)
    Traceback (most recent call last):
    ...
    regsynth.errors.MatchTimeout: the match took more than 0.1 s; its process was killed
    """
    return shared().match("search", pattern, text, flags=flags, timeout=timeout)


def safe_fullmatch(pattern: str | bytes | re.Pattern[Any], text: str | bytes, *, timeout: float = 1.0, flags: int = 0) -> SafeMatch | None:
    """``re.fullmatch`` that cannot hang; see :func:`safe_search`.

    >>> safe_fullmatch("a+", "aab") is None
    True
    """
    return shared().match("fullmatch", pattern, text, flags=flags, timeout=timeout)


def safe_match(pattern: str | bytes | re.Pattern[Any], text: str | bytes, *, timeout: float = 1.0, flags: int = 0) -> SafeMatch | None:
    """``re.match`` that cannot hang; see :func:`safe_search`.

    >>> safe_match("a+", "aab").end()
    2
    """
    return shared().match("match", pattern, text, flags=flags, timeout=timeout)
