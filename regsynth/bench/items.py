"""What is scored: items of a dataset, responses to them, and the settings of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from regsynth.bench.extraction import Mode
from regsynth.bench.failures import Limits

SECONDS = 10.0  # an item may take
STEPS = 1_000_000  # candidates the proof of an item's optimum may try: some seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question of a dataset.

    Attributes
    ----------
    id : str or int
    task : str
    input : str
        The expression or description asked about; for regexeq the first expression.
    reference : str or None
        The partner (regexeq), the dataset's pattern (nl2re).
    expected : bool or None
        regexeq: the dataset's label.
    letters : str
        An answer may use (formal tasks).
    operators : str
        An answer may use, as in ``--ops``.
    label, label_regex : int or None, str or None
        The dataset's minimal cost, and expression.
    lower_bound : int or None
        Proven by us when the dataset was made; ``label`` is then our optimum.
    positives, negatives : tuple of str or None
        Words; ``None`` where the dataset has none.
    costs : tuple of int or None
        Eight costs; tree length by default.
    dialect, semantics, flags : str
        How practical patterns are read.
    extra : dict
        What only this item has.
    """

    id: str | int
    task: str
    input: str
    reference: str | None = None
    expected: bool | None = None
    letters: str = ""
    operators: str = "?*.+"
    label: int | None = None
    label_regex: str | None = None
    lower_bound: int | None = None
    positives: tuple[str, ...] | None = None
    negatives: tuple[str, ...] | None = None
    costs: tuple[int, ...] | None = None
    dialect: str = "formal"
    semantics: str = "fullmatch"
    flags: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


class Response(NamedTuple):
    """What a model said; ``text`` is ``None`` where there is no response at all."""

    text: str | None
    tokens: int | None = None
    thinking_tokens: int | None = None
    finish: str | None = None


NO_RESPONSE = Response(None)


def response_of(given: str | Response | None) -> Response:
    """A text as a response.

    >>> response_of("a*").text
    'a*'
    """
    return given if isinstance(given, Response) else Response(given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What decides a score.

    Attributes
    ----------
    mode : {"paper", "strict", "raw"} or None
        Extraction; by default ``paper``, and ``raw`` for nl2re.
    seconds : float
        An answer may take.
    steps : int
        Candidates the proof of an optimum may try.
    limits : Limits
        Token limits.
    k : tuple of int
        nl2re: the k of ``pass@k`` and the like.
    vulnerability : bool
        nl2re: screen answers for ReDoS.
    """

    mode: Mode | None = None
    seconds: float = SECONDS
    steps: int = STEPS
    limits: Limits = field(default_factory=Limits)
    k: tuple[int, ...] = (1,)
    vulnerability: bool = True


DEFAULT = Settings()


@dataclass(frozen=True, slots=True)
class Dataset:
    """The items of a dataset, in its order, and the SHA-256 of its bytes."""

    task: str
    items: tuple[Item, ...]
    name: str = ""
    digest: str = ""
