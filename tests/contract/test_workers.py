"""Worker processes: order, and a worker that dies takes only its own item with it."""

from __future__ import annotations

import crashing
import pytest

from regsynth.cli import runner
from regsynth.cli.inputs import Item


@pytest.mark.parametrize("dying", [(), (7,), (1, 2, 30)])
def test_a_killed_worker_costs_its_own_item_only(dying: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "PAYS", -1.0)
    items = iter([Item(i, ("die" if i in dying else "ok",)) for i in range(40)])
    found = list(runner.records(items, "test/1", crashing.solve, 2))
    assert [record["id"] for record in found] == list(range(40))
    assert {record["id"] for record in found if record["status"] == "unknown"} == set(dying)
    assert all("killed" in record["message"] for record in found if record["id"] in dying)
