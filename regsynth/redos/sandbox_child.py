"""The child process of :mod:`regsynth.redos.sandbox`: one match of ``re`` after another, under limits.

A script, run by its path in an isolated interpreter, so it imports nothing of
regsynth. Requests and answers are ``marshal`` values behind their length in eight
bytes, on standard input and output. Four things end it:

* end of file on standard input, while it waits for a request;
* a signal when the parent's end of the *lifeline* closes (``O_ASYNC`` on a pipe
  nobody writes to): a parent's death is noticed in the middle of a match, which
  holds the interpreter's lock and hears nothing else;
* its own alarm and CPU limit, one second after the time allowed, where there is
  no lifeline or the parent is stopped;
* the parent's ``SIGKILL`` when the time allowed is up.
"""

from __future__ import annotations

import marshal
import os
import re
import signal
import sys
import time
from typing import Any

try:
    import fcntl
    import resource
except ImportError:  # no POSIX: the parent's kill is the only limit
    fcntl = resource = None  # type: ignore[assignment]

COARSE = 0.05  # seconds; below it some systems' CPU clocks are too coarse, and the wall clock is taken


def main() -> None:
    """Answer requests until standard input ends."""
    memory, lifeline = int(sys.argv[1]), int(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if fcntl is not None and hasattr(os, "O_ASYNC"):
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    requests = sys.stdin.buffer
    while head := requests.read(8):
        data = requests.read(int.from_bytes(head, "little"))
        try:
            reply = marshal.dumps(answer(*marshal.loads(data)))
        except MemoryError:
            data = b""
            reply = marshal.dumps(("memory",))
        stop_limits()
        whole = len(reply).to_bytes(8, "little") + reply
        while whole:
            whole = whole[os.write(1, whole) :]


def answer(method: str, pattern: Any, flags: int, text: Any, seconds: float, repeats: int) -> tuple[Any, ...]:
    """``("done", seconds, match)`` or ``("bad", message, position)``; a match is its spans, last group and names."""
    start_limits(seconds)
    try:
        rule = re.compile(pattern, flags)
    except re.error as error:
        return "bad", error.msg, error.pos or 0
    except RecursionError:
        return "bad", "groups are nested too deeply for Python's own parser; flatten them", 0
    except (OverflowError, ValueError) as error:
        return "bad", str(error), 0
    run = getattr(rule, method)
    best = 0.0
    found = None
    for i in range(repeats):
        began, began_cpu = time.perf_counter(), time.process_time()
        found = run(text)
        took, took_cpu = time.perf_counter() - began, time.process_time() - began_cpu
        if took_cpu > COARSE:
            took = took_cpu
        best = took if i == 0 else min(best, took)
    if found is None:
        return "done", best, None
    return "done", best, (found.regs, found.lastindex, tuple(rule.groupindex.items()))


def start_limits(seconds: float) -> None:
    """Let the system end this process should it work a second longer than allowed."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds + 1)
    if resource is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 2, hard))


def stop_limits() -> None:
    """The request is answered."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


if __name__ == "__main__":
    main()
