"""Dated records: ``records/NAME.csv``, to which each benchmark appends its rows."""

from __future__ import annotations

import csv
import os
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "records"


def today() -> str:
    """The date, UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%d")


def setting() -> dict[str, object]:
    """When and where: date and time (UTC), machine, cores, Python, load of the last minute."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"), "machine": platform.machine(), "cores": os.cpu_count(),
        "python": platform.python_version(), "load": round(os.getloadavg()[0], 2),
    }  # fmt: skip


def installed(name: str) -> str:
    """Version of a distribution, or ``missing``."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def append(name: str, rows: Iterable[Mapping[str, object]]) -> None:
    """Append rows to ``records/NAME.csv``.

    A new file takes the columns of the first row. A later row may leave columns out, but
    one that the file does not have is a :class:`ValueError`: figures never move.
    """
    path = FOLDER / f"{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    columns: list[str] = []
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            columns = next(csv.reader(file), [])
    with path.open("a", newline="", encoding="utf-8") as file:
        for row in rows:
            writer = csv.DictWriter(file, columns or list(row))
            if not columns:
                columns = list(row)
                writer.writeheader()
            writer.writerow(row)
