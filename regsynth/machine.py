"""What this machine offers. Imports nothing, so that any room may ask."""

from __future__ import annotations

import os


def cores() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def half_of_memory() -> int:
    """Half of the machine's memory, in bytes (4 GiB where it can't be told)."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (ValueError, OSError, AttributeError):
        return 4 << 30
