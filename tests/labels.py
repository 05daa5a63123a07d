"""Work for executors that misbehaves on demand; in a module of its own so that workers can import it."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path


def nothing() -> None:
    """No warming up."""


def square_or_die(task: tuple[int, str]) -> int:
    """Square a number; ``always`` kills the worker each time, a path only as long as no file is there."""
    number, what = task
    if what == "always":
        os.kill(os.getpid(), signal.SIGKILL)
    if what and not Path(what).exists():
        Path(what).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def write_and_sleep(path: str) -> None:
    """Say who works, then work for a minute."""
    part = Path(path + ".part")
    part.write_text(str(os.getpid()), encoding="utf-8")
    part.rename(path)
    time.sleep(60)
