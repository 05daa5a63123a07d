"""The four tasks: how each loads a dataset, scores an answer and sums up.

>>> record = TASKS["regexeq"].score(Item(id=1, task="regexeq", input="a+b", reference="b+a"), "Yes.")
>>> record.category
'tp'
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from regsynth.bench.items import DEFAULT, Item, Response, Settings
from regsynth.bench.results import Record
from regsynth.errors import InputError


class Task(NamedTuple):
    """A task.

    ``several``: whether an item may have several samples. The module is loaded when
    something is scored; its ``score`` is a pure function of item and response.
    """

    name: str
    module: str
    several: bool

    def score(self, item: Item, response: str | Response | None, settings: Settings = DEFAULT) -> Record:
        """Score one response to one item."""
        score: Callable[[Item, str | Response | None, Settings], Record] = import_module(self.module).score
        return score(item, response, settings)

    def combine(self, records: list[Record], settings: Settings = DEFAULT) -> list[Record]:
        """The records of an item's samples with the item's values on the first."""
        combine: Callable[[list[Record], Settings], list[Record]] | None = getattr(import_module(self.module), "combine", None)
        return records if combine is None else combine(records, settings)

    def metrics(self, settings: Settings = DEFAULT) -> tuple[str, ...]:
        """Names of the metrics, in order."""
        module = import_module(self.module)
        names: tuple[str, ...] = module.metrics(settings.k) if hasattr(module, "metrics") else module.METRICS
        return names


TASKS = {
    task.name: task
    for task in (
        Task("regexmin", "regsynth.bench.regexmin", several=False),
        Task("regexeq", "regsynth.bench.regexeq", several=False),
        Task("rei", "regsynth.bench.rei", several=True),
        Task("nl2re", "regsynth.bench.nl2re", several=True),
    )
}


def task_of(name: str) -> Task:
    """A task by its name.

    Raises
    ------
    InputError
    """
    task = TASKS.get(name)
    if task is None:
        raise InputError(f"task {name!r} is unknown; choose from {', '.join(TASKS)}")
    return task
