"""Doctests of the Inspect AI plug-in need Inspect AI, an extra; tests of the engines need their kernels before the clock starts."""

import fcntl
from importlib.util import find_spec

import pytest

collect_ignore_glob = [] if find_spec("inspect_ai") else ["regsynth/bench/inspect/*"]


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Kernels of the solvers: compiling them takes a minute or two on a new machine, and counts for no budget of a test."""
    from regsynth.solvers.warmup import warm

    with (tmp_path_factory.getbasetemp().parent / "compiling").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one worker compiles, the others load what it kept
        warm()
