"""Run a verb over its items: in this process first, in worker processes once they pay."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from regsynth.cli.arguments import Arguments
from regsynth.cli.exits import INTERRUPTED, REPORT, Record
from regsynth.cli.inputs import Item, count_lines
from regsynth.cli.outputs import Columns, Writer, choose_format
from regsynth.errors import BudgetExceeded, InputError, MethodsDisagree, ParseError, UnsupportedError

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

PAYS = 0.1  # seconds of work in this process before workers are started (a fork costs milliseconds)
AHEAD = 8  # chunks queued for each worker
CHUNK = 32  # most items in a chunk

Solve = Callable[[Item], Record]


def work(schema: str, solve: Solve, item: Item) -> Record:
    """One record: the solver's answer, or the fault as a record. Never raises but for interrupts."""
    began = time.perf_counter()
    head: Record = {"schema": schema, "id": item.id}
    try:
        if item.fault is not None:
            raise InputError(item.fault)
        record = {**head, **solve(item)}
    except UnsupportedError as error:
        record = {**head, "status": "unsupported", "message": str(error)}
    except InputError as error:
        record = {**head, "status": "error", "message": str(error)}
        if isinstance(error, ParseError):
            record["position"] = error.position
    except MethodsDisagree as error:
        record = {**head, "status": "methods_disagree", "message": f"{error}; {REPORT}"}
    except (BudgetExceeded, MemoryError) as error:
        record = {**head, "status": "unknown", "message": str(error) or "out of memory; see --memory-limit"}
    except Exception as error:  # a fault of ours in one item must not take the others with it
        record = {**head, "status": "internal_error", "message": f"{type(error).__name__}: {error}; {REPORT}"}
    record.setdefault("seconds", round(time.perf_counter() - began, 6))
    return record


def run(
    arguments: Arguments,
    items: Iterator[Item],
    many: bool,
    schema: str,
    solve: Solve,
    columns: Columns,
    stream: Callable[[Iterator[Item]], Iterator[Record]] | None = None,
) -> int:
    """Work through the items and write a record for each, in order; returns the exit code.

    ``solve`` must be picklable when ``--jobs`` is above 1. A single bad item is
    raised as the error it is, for one clear line on stderr. ``stream`` replaces
    :func:`records` for verbs that can decide many items together.
    """
    writer = Writer(choose_format(arguments["format"], many), many, columns)
    if not many:
        item = next(items)
        if item.fault is not None:
            raise InputError(item.fault)
        began = time.perf_counter()
        record = {"schema": schema, "id": item.id, **solve(item)}
        record.setdefault("seconds", round(time.perf_counter() - began, 6))
        writer.write(record)
        return writer.code
    bar = Progress(arguments)
    try:
        for record in stream(items) if stream else records(items, schema, solve, arguments["jobs"]):
            writer.write(record)
            bar.step()
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        bar.close()
        writer.close()
    return writer.code


def records(items: Iterator[Item], schema: str, solve: Solve, jobs: int) -> Iterator[Record]:
    """A record for each item, in order."""
    began, done = time.perf_counter(), 0
    for item in items:
        yield work(schema, solve, item)
        done += 1
        if jobs > 1 and time.perf_counter() - began > PAYS:
            break
    pace = (time.perf_counter() - began) / max(1, done)
    yield from _in_pool(items, schema, solve, jobs, max(1, min(CHUNK, int(0.05 / max(pace, 1e-6)))))


def work_all(schema: str, solve: Solve, chunk: list[Item]) -> list[Record]:
    """Records of a chunk; quick items travel together, since sending one costs half a millisecond."""
    return [work(schema, solve, item) for item in chunk]


def _in_pool(items: Iterator[Item], schema: str, solve: Solve, jobs: int, size: int) -> Iterator[Record]:
    from concurrent.futures.process import BrokenProcessPool

    first = list(islice(items, size))
    if not first:
        return
    chunks = chain([first], iter(lambda: list(islice(items, size)), []))
    pool = _pool(jobs)  # its workers start with the first item
    queue: deque[tuple[list[Item], Future[list[Record]] | None]] = deque()
    try:
        while True:
            try:
                while len(queue) < jobs * AHEAD and (chunk := next(chunks, None)) is not None:
                    queue.append((chunk, None))
                    queue[-1] = (chunk, pool.submit(work_all, schema, solve, chunk))
                if not queue:
                    return
                future = queue[0][1]
                assert future is not None
                done = future.result()
            except BrokenProcessPool:
                # Some worker was killed, and every item in flight is lost: do them again.
                lost = list(queue)
                queue.clear()
                yield from _one_by_one(schema, solve, lost)
                pool = _pool(jobs)
            else:
                queue.popleft()
                yield from done
    except KeyboardInterrupt:
        for _, future in queue:
            yield from _finished(future) or ()
        raise
    finally:
        _kill(pool)


def _finished(future: Future[list[Record]] | None) -> list[Record] | None:
    if future is None or not future.done() or future.cancelled() or future.exception() is not None:
        return None
    return future.result()


def _one_by_one(schema: str, solve: Solve, lost: list[tuple[list[Item], Future[list[Record]] | None]]) -> Iterator[Record]:
    """Items in a single worker, a new one after each that dies: so it is known whose fault it was."""
    from concurrent.futures.process import BrokenProcessPool

    pool = _pool(1)
    try:
        for chunk, future in lost:
            done = _finished(future)
            if done is not None:
                yield from done
                continue
            for item in chunk:
                try:
                    yield pool.submit(work, schema, solve, item).result()
                except BrokenProcessPool:
                    why = "the worker was killed (out of memory?)"
                    yield {"schema": schema, "id": item.id, "status": "unknown", "message": why, "seconds": 0.0}
                    pool = _pool(1)
    finally:
        _kill(pool)


def _pool(jobs: int) -> ProcessPoolExecutor:
    # A fork inherits loaded kernels and starts in milliseconds, but is safe only without other threads.
    import sys
    import threading
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    method = "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"
    return ProcessPoolExecutor(jobs, mp_context=get_context(method), initializer=_ignore_interrupts)


def _ignore_interrupts() -> None:
    """Set up a worker: Ctrl-C is the parent's business, and there is enough to do for compiled kernels."""
    import gc
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(200_000, 20, 20)  # trees and tables have few cycles; looking for them costs a tenth of a quick item
    from regsynth.solvers.tiers import expect_many

    expect_many()


def _kill(pool: ProcessPoolExecutor) -> None:
    """End the workers at once, whatever they are doing."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()


class Progress:
    """A bar on stderr for a batch that lasts, when a person is watching and stdout goes elsewhere."""

    AFTER = 2.0

    def __init__(self, arguments: Arguments) -> None:
        import sys

        self.wanted = sys.stderr.isatty() and not sys.stdout.isatty() and not arguments["quiet"]
        self.path: str | None = arguments["input"]
        self.began = time.perf_counter()
        self.done = 0
        self._bar: Any = None
        self._task: Any = None

    def step(self) -> None:
        """One more item is done."""
        self.done += 1
        if not self.wanted:
            return
        if self._bar is None:
            if time.perf_counter() - self.began < self.AFTER:
                return
            self._open()
        self._bar.update(self._task, completed=self.done)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bar = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
        self._bar.start()
        self._task = self._bar.add_task("items", total=count_lines(self.path) if self.path else None)

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
