"""What ``regsynth corpus generate`` can make, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from regsynth.errors import InputError

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Request:
    """What to generate; ``None`` for what the corpus's paper says."""

    output: Path
    seed: int = 0
    count: int | None = None
    alphabet: str | None = None
    depth: int | None = None
    source: Path | None = None  # the corpus it is drawn from
    labels: Path | None = None  # that corpus, labelled
    jobs: int = 2
    progress: Progress = lambda what, done, total: None
    dataset: str | None = None  # of a corpus that has several
    seconds: float = 60.0  # budget of an instance that is solved


class Generator(NamedTuple):
    """Where a generator lives: ``module.function(request)`` returns the manifest it wrote."""

    module: str
    function: str
    summary: str


GENERATORS: dict[str, Generator] = {
    "lrd": Generator(
        "regsynth.corpora.regexpspace", "generate_lrd", "every expression of depth 0 to 3 over abcd, in three splits"
    ),
    "urmt": Generator("regsynth.corpora.regexpspace", "generate_urmt", "50,000 long expressions of depths 4 to 6, sampled"),
    "regexpspace": Generator("regsynth.corpora.rebuild", "generate_benchmark", "the filtered benchmark, drawn from lrd"),
    "reic": Generator("regsynth.corpora.reic", "generate_reic", "a data set of the inference challenge, solved (--dataset)"),
}
"""Corpora by name; a paper's corpus is one line here and one module."""


def generate(name: str, request: Request) -> Mapping[str, Any]:
    """Make a corpus in ``request.output``.

    Raises
    ------
    InputError
        For an unknown name, or a request the corpus cannot meet.
    """
    known = GENERATORS.get(name)
    if known is None:
        raise InputError(f"corpus {name!r} cannot be generated; choose from {', '.join(GENERATORS)}")
    function = getattr(import_module(known.module), known.function)
    made: Mapping[str, Any] = function(request)
    return made
