"""The child process of :mod:`regsynth.corpora.crosscheck`: runs ``re`` on untrusted patterns under limits.

One JSON request a line on standard input, one JSON answer a line on standard
output. Words travel as lists of code points, which keeps lone surrogates.
"""

from __future__ import annotations

import contextlib
import json
import re
import signal
import sys
import warnings
from types import FrameType
from typing import Any

MEMORY = 1 << 30
WORD_SECONDS = 0.25


class _TooSlowError(Exception):
    pass


def _ring(signum: int, frame: FrameType | None) -> None:
    raise _TooSlowError


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Which words match: true, false, or null where ``re`` took too long."""
    as_bytes = request["bytes"]
    pattern = _text(request["pattern"], as_bytes)
    try:
        rule = re.compile(pattern, request["flags"])
    except Exception as error:
        return {"fault": f"{type(error).__name__}: {error}"}
    method = getattr(rule, request["semantics"])
    found: list[bool | None] = []
    slow = 0
    for points in request["words"]:
        verdict: bool | None = None
        if slow < 8:
            try:
                signal.setitimer(signal.ITIMER_REAL, WORD_SECONDS)
                verdict = method(_text(points, as_bytes)) is not None
                signal.setitimer(signal.ITIMER_REAL, 0)
            except (_TooSlowError, SystemError, MemoryError, RecursionError):
                slow += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        found.append(verdict)
    return {"found": found}


def _text(points: list[int], as_bytes: bool) -> Any:
    return bytes(points) if as_bytes else "".join(map(chr, points))


def main() -> None:
    """Answer requests until standard input ends."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _ring)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for line in sys.stdin:
        try:
            result = answer(json.loads(line))
        except (_TooSlowError, MemoryError):
            result = {"fault": "re ran out of time or memory"}
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
