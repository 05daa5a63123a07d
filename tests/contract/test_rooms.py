"""Who may import whom, checked on the sources (import-linter does not see the namespace folder ``encodings``)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "regsynth"
ROOMS = ("syntax", "automata", "encodings", "solvers", "redos", "corpora", "bench", "cli")
FOUNDATION = ("errors", "budget", "machine", "native", "_version")
FRONTS = {"practical": "automata", "api": "bench"}  # modules outside the rooms, and the last room each may import from


def imports(path: Path) -> set[str]:
    """Every regsynth module a file imports, lazily or not."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return {name for name in found if name.startswith("regsynth.")}


@pytest.mark.parametrize("room", ROOMS)
def test_room_imports_only_from_rooms_before_it(room: str) -> None:
    allowed = {*FOUNDATION, *ROOMS[: ROOMS.index(room) + 1]}
    allowed |= {front for front, last in FRONTS.items() if ROOMS.index(room) > ROOMS.index(last)}
    for path in (PACKAGE / room).rglob("*.py"):
        for name in imports(path):
            assert name.split(".")[1] in allowed, f"{path.relative_to(PACKAGE)} imports {name}"


@pytest.mark.parametrize("front", FRONTS)
def test_fronts_stand_on_rooms(front: str) -> None:
    allowed = {*FOUNDATION, *ROOMS[: ROOMS.index(FRONTS[front]) + 1]}
    allowed |= {other for other in FRONTS if ROOMS.index(FRONTS[other]) < ROOMS.index(FRONTS[front])}
    for name in imports(PACKAGE / f"{front}.py"):
        assert name.split(".")[1] in allowed, name


def test_the_foundation_stands_on_itself() -> None:
    for module in FOUNDATION:
        assert {name.split(".")[1] for name in imports(PACKAGE / f"{module}.py")} <= set(FOUNDATION)
