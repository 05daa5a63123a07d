"""Tasks on a Dask cluster; needs the extra ``regsynth[cluster]``.

Kept apart because ``distributed`` takes half a second to import. One address, no
silent fall-back: a scheduler that does not answer is an error of the input.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from regsynth._version import __version__
from regsynth.corpora.executors import AHEAD, KILLED, Chunks, Task, Work, run_chunk
from regsynth.errors import InputError, RegsynthError

PATIENCE = 30.0  # seconds to wait for the scheduler, and again for a first worker


class SchedulerLost(RegsynthError):
    """The scheduler went away in the middle of a run; what was finished is kept."""


class Cluster:
    """Runs tasks on the workers of a Dask scheduler.

    Parameters
    ----------
    where : str or None
        ``tcp://host:8786`` or the path of a scheduler file; by default
        ``DASK_SCHEDULER_ADDRESS``.

    Raises
    ------
    InputError
        When ``distributed`` is missing, nothing answers there, or no worker joins.
    """

    def __init__(self, where: str | None = None) -> None:
        where = where or os.environ.get("DASK_SCHEDULER_ADDRESS")
        if not where:
            raise InputError("--scheduler: give tcp://host:8786 or a scheduler file, or set DASK_SCHEDULER_ADDRESS")
        try:
            from distributed import Client
        except ImportError:
            raise InputError("--scheduler needs the extra: pip install 'regsynth[cluster]'") from None
        self.where = where
        options: dict[str, Any] = {"scheduler_file": where} if "://" not in where else {"address": where}
        if "://" not in where and not os.path.exists(where):
            raise InputError(f"--scheduler {where!r}: neither an address such as tcp://host:8786 nor a scheduler file")
        try:
            self.client = Client(timeout=PATIENCE, set_as_default=False, **options)
        except (OSError, TimeoutError, ValueError) as error:
            reason = (str(error) or type(error).__name__).splitlines()[0]
            hint = "start one with 'dask scheduler'"
            raise InputError(f"--scheduler {where!r}: no scheduler answers there ({reason:.100}); {hint}") from None
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            self.client.close()
            raise InputError(f"--scheduler {where!r}: it has no workers; start some with 'dask worker {where}'") from None

    def run(self, work: Work, tasks: Iterable[Task], warm: Callable[[], None]) -> Iterator[tuple[Task, Any]]:
        """See :class:`regsynth.corpora.executors.Executor`."""
        from distributed import as_completed
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        client = self.client
        try:
            self._check(warm)
            waiting = Chunks(tasks)
            alone: deque[list[Task]] = deque()
            flying: dict[str, list[Task]] = {}
            finished = as_completed(loop=client.loop)
            while True:
                room = AHEAD * max(1, sum(client.nthreads().values()))
                while len(flying) < room:
                    chunk = alone.popleft() if alone else waiting.take()
                    if not chunk:
                        break
                    future = client.submit(run_chunk, work, chunk, pure=False)
                    flying[future.key] = chunk
                    finished.add(future)
                if not flying:
                    return
                future = next(finished)
                chunk = flying.pop(future.key)
                error = future.exception() if future.status == "error" else None
                if error is None and future.status == "finished":
                    yield from waiting.learn(future.result())
                elif isinstance(error, KilledWorker) or error is None:
                    # The chunk was there when several workers died: tell its tasks apart.
                    if len(chunk) == 1 and error is not None:
                        yield chunk[0], KILLED
                    else:
                        alone.extend([task] for task in chunk)
                else:
                    raise error
                future.release()
        except (CommClosedError, OSError, TimeoutError) as error:
            raise SchedulerLost(f"the scheduler {self.where} went away ({error}); run the same command again to go on") from None
        finally:
            client.close(timeout=2)

    def _check(self, warm: Callable[[], None]) -> None:
        """All workers run this very version; their kernels are loaded before the first task."""
        versions = self.client.run(version)
        for worker, found in versions.items():
            if found != __version__:
                raise InputError(f"worker {worker} has regsynth {found}, not {__version__}; install the same everywhere")
        self.client.run(warm)


def version() -> str:
    """The version a worker has installed."""
    return __version__
