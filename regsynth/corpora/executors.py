"""Where tasks run: in this process, in local worker processes, or on a Dask cluster.

Every executor yields ``(task, result)`` pairs in whatever order they come. A task
that kills its worker is tried again alone; when it has killed two workers by itself
its result is :data:`KILLED` and the rest go on. So a worker killed from outside
costs nothing but time.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any, Final, Protocol, TypeVar

from regsynth.errors import RegsynthError

Task = TypeVar("Task")
Work = Callable[[Any], Any]

KILLED: Final = "killed"
LARGEST = 16  # tasks sent at a time: a round trip costs about 1 ms …
WORTH = 0.1  # … and a chunk should take some such part of a second
AHEAD = 3  # chunks waiting for each worker
TRIES = 2  # workers a task may kill while it is alone, and workers that may fail to start
UNGUARDED: Final = "in a script, put what starts them under  if __name__ == '__main__':  since workers import the script"


class Executor(Protocol):
    """Runs picklable work on picklable tasks."""

    def run(self, work: Work, tasks: Iterable[Task], warm: Callable[[], None]) -> Iterator[tuple[Task, Any]]:
        """``work(task)`` for every task; ``warm`` runs once in each worker before."""
        ...


Results = tuple[list[tuple[Any, Any]], float]  # of a chunk, and the seconds it took


def run_chunk(work: Work, tasks: list[Task]) -> Results:
    """A chunk of tasks, in a worker."""
    began = time.perf_counter()
    return [(task, work(task)) for task in tasks], time.perf_counter() - began


class Chunks:
    """Cuts tasks into chunks: of one at first, larger as long as they take no time."""

    def __init__(self, tasks: Iterable[Any]) -> None:
        self._tasks = iter(tasks)
        self._size = 1

    def take(self) -> list[Any]:
        """The next chunk; empty at the end."""
        return list(islice(self._tasks, self._size))

    def learn(self, results: Results) -> list[tuple[Any, Any]]:
        """Adapt the size to how long a chunk took; returns its results."""
        pairs, seconds = results
        if seconds < WORTH:
            self._size = min(LARGEST, max(self._size, 2 * len(pairs)))
        elif seconds > 4 * WORTH:
            self._size = max(1, min(self._size, len(pairs)) // 2)
        return pairs


class Serial:
    """One after another, in this process."""

    def run(self, work: Work, tasks: Iterable[Task], warm: Callable[[], None]) -> Iterator[tuple[Task, Any]]:
        """See :class:`Executor`."""
        warm()
        for task in tasks:
            yield task, work(task)


class Processes:
    """Local worker processes: fresh interpreters, one numba thread each.

    Parameters
    ----------
    jobs : int
        How many.
    """

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs

    def run(self, work: Work, tasks: Iterable[Task], warm: Callable[[], None]) -> Iterator[tuple[Task, Any]]:
        """See :class:`Executor`."""
        waiting = Chunks(tasks)
        retry: deque[list[Task]] = deque()
        pool = _pool(self.jobs, warm)
        flying: dict[Future[Results], list[Task]] = {}
        try:
            while True:
                while len(flying) < self.jobs * AHEAD:
                    chunk = waiting.take()
                    if not chunk:
                        break
                    flying[_submit(pool, work, chunk)] = chunk
                if not flying:
                    pool.shutdown()
                    return
                done, _ = wait(flying, return_when=FIRST_COMPLETED)
                for future in done:
                    if isinstance(future.exception(), BrokenProcessPool):
                        retry.append(flying.pop(future))
                    else:
                        yield from waiting.learn(future.result())
                        del flying[future]
                if retry:  # the whole pool is gone
                    retry.extend(flying.values())
                    flying.clear()
                    _kill(pool)
                    yield from self._alone(work, [task for chunk in retry for task in chunk], warm)
                    retry.clear()
                    pool = _pool(self.jobs, warm)
        finally:
            _kill(pool)

    def _alone(self, work: Work, tasks: list[Task], warm: Callable[[], None]) -> Iterator[tuple[Task, Any]]:
        """One task at a time, so that it is known whose fault a death is."""
        pool = _started(warm)
        try:
            for task in tasks:
                for attempt in range(TRIES):
                    try:
                        yield pool.submit(run_chunk, work, [task]).result()[0][0]
                        break
                    except BrokenProcessPool:
                        pool = _started(warm)
                        if attempt + 1 == TRIES:
                            yield task, KILLED
        finally:
            _kill(pool)


def _started(warm: Callable[[], None]) -> ProcessPoolExecutor:
    """A pool whose one worker is at work, so that the next death is a task's doing."""
    for _ in range(TRIES):
        pool = _pool(1, warm)
        try:
            pool.submit(_nothing).result()
            return pool
        except BrokenProcessPool:
            _kill(pool)
    raise RegsynthError(f"worker processes end as they start, each with an error of its own above; {UNGUARDED}")


def _nothing() -> None:
    """A first task, to see that a worker has started."""


def _submit(pool: ProcessPoolExecutor, work: Work, chunk: list[Task]) -> Future[Results]:
    try:
        return pool.submit(run_chunk, work, chunk)
    except BrokenProcessPool as error:  # noticed between two results
        future: Future[Results] = Future()
        future.set_exception(error)
        return future


def _pool(jobs: int, warm: Callable[[], None]) -> ProcessPoolExecutor:
    from multiprocessing import current_process, get_context

    if getattr(current_process(), "_inheriting", False):  # a worker that is still importing the script which asks for workers
        raise SystemExit(f"regsynth: a worker cannot start: {UNGUARDED}")
    # Fresh interpreters: forking a process in which numba runs threads can deadlock.
    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=prepare_worker, initargs=(warm,))


def prepare_worker(warm: Callable[[], None]) -> None:
    """Ctrl-C is the parent's business, its death is ours; one thread a worker; kernels loaded before the first task."""
    import signal
    import threading

    threading.Thread(target=_follow, args=(os.getppid(),), daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ["NUMBA_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    warm()


def _follow(parent: int) -> None:
    """End this worker when its parent is gone, even in the middle of a task."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _kill(pool: ProcessPoolExecutor) -> None:
    """End the workers at once, whatever they are doing."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()
