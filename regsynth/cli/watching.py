"""How far a long run has got: a line on stderr with rate and time left, when a person is watching."""

from __future__ import annotations

import sys
import time
from types import TracebackType


class Watch:
    """Called with what is being done, how much of it is done, and how much there is."""

    EVERY = 0.5  # seconds between two updates

    def __init__(self, quiet: bool) -> None:
        self.wanted = not quiet and sys.stderr.isatty()
        self.what = ""
        self.began = self.shown = 0.0
        self.first = 0

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.perf_counter()
        if what != self.what:
            self.what, self.began, self.first = what, now, done
        if self.wanted and now - self.shown >= self.EVERY:
            self.shown = now
            print(f"\r\x1b[K{line(what, done, total, done - self.first, now - self.began)}", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def line(what: str, done: int, total: int, fresh: int, seconds: float) -> str:
    """Progress for people.

    >>> line("classes", 500, 2500, 500, 10.0)
    'classes 500 of 2,500 (20 %)  50 a second  0:40 left'
    """
    text = f"{what} {done:,} of {total:,} ({100 * done // max(total, 1)} %)"
    if fresh and seconds > 0:
        left = int((total - done) * seconds / fresh)
        text += f"  {fresh / seconds:,.0f} a second  {left // 60}:{left % 60:02} left"
    return text
