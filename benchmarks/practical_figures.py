"""Figures of the practical benchmark: printed as they come, recorded at the end."""

from __future__ import annotations

import csv
import datetime
import os
import platform
from pathlib import Path

RECORD = Path(__file__).resolve().parent / "records" / "practical.csv"
FIGURES: list[tuple[str, object, str]] = []


def report(name: str, value: object, note: str = "") -> None:
    """Print a figure and keep it for the record."""
    FIGURES.append((name, value, note))
    print(f"{name:56} {value}  {note}", flush=True)


def record() -> None:
    """Append the figures to the dated record."""
    fresh = not RECORD.exists()
    with RECORD.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        if fresh:
            writer.writerow(["date", "python", "machine", "figure", "value", "note"])
        about = [datetime.date.today().isoformat(), platform.python_version(), f"{platform.machine()}, {os.cpu_count()} cores"]
        writer.writerows([*about, *figure] for figure in FIGURES)
