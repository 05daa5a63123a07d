"""Figures of a benchmark by name: printed as they come, recorded at the end."""

from __future__ import annotations

import os
import platform

from dated import append, today

FIGURES: list[tuple[str, object, str]] = []


def report(name: str, value: object, note: str = "") -> None:
    """Print a figure and keep it for the record."""
    FIGURES.append((name, value, note))
    print(f"{name:56} {value}  {note}", flush=True)


def record(benchmark: str) -> None:
    """Append the figures to the benchmark's dated record."""
    about = {"date": today(), "python": platform.python_version(), "machine": f"{platform.machine()}, {os.cpu_count()} cores"}
    append(benchmark, [about | {"figure": name, "value": value, "note": note} for name, value, note in FIGURES])
