"""Score in worker processes: an answer may cost its ten seconds without holding up the others, and can end no evaluation."""

from __future__ import annotations

import multiprocessing
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from regsynth.bench.items import Item, Response, Settings
from regsynth.bench.results import Record
from regsynth.bench.runner import Unit, lost, warm, work
from regsynth.machine import cores

_lock = threading.Lock()
_pool: ProcessPoolExecutor | None = None


def score_apart(item: Item, response: Response, settings: Settings) -> Record:
    """The record of one response, as ``regsynth bench score`` makes it; call it from a thread.

    A worker that ends takes other items' work with it: each is tried once more, alone,
    and is a ``timeout`` where that ends its worker too.
    """
    return Record.from_dict(_apart(Unit(item, response), settings))


def answer_apart(item: Item, solver: str, settings: Settings) -> str | None:
    """What a solver of :mod:`regsynth.bench.rows` answers, likewise."""
    answer = _apart(Unit(item, Response(None), solver), settings)["raw"]
    return None if answer is None else str(answer)


def _apart(unit: Unit, settings: Settings) -> dict[str, object]:
    shared = _shared(unit.item.task)
    try:
        return shared.submit(work, settings, unit).result()
    except BrokenProcessPool:
        _drop(shared)
    try:
        with _workers(1, unit.item.task) as alone:
            return alone.submit(work, settings, unit).result()
    except BrokenProcessPool:
        return lost(unit, "scoring it ended the worker process (time or memory)", "timeout").to_dict()


def _workers(n: int, task: str) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(n, mp_context=multiprocessing.get_context("spawn"), initializer=warm, initargs=(task,))


def _shared(task: str) -> ProcessPoolExecutor:
    global _pool
    with _lock:
        if _pool is None:
            _pool = _workers(cores(), task)
        return _pool


def _drop(pool: ProcessPoolExecutor) -> None:
    global _pool
    with _lock:
        if pool is _pool:
            _pool = None
