"""Many pairs at once: verdicts with shortest witnesses from numba kernels.

>>> found = compare_many(["a*", "(a+b)*"], ["aa*", "(a*b*)*"])
>>> [found.name(i) for i in range(len(found))]
['different', 'equivalent']
>>> found.witness(0), found.side(0)
('', 'first')

Pairs are cut into chunks that a small thread pool works through (the kernels run
without the interpreter's lock). Each pair is parsed and decided from scratch;
nothing is remembered between pairs. Pairs with more than 62 letters go to the
lanes kernel, those with ``~ & -`` to :mod:`regsynth.automata.reference`.

numba is imported at the first call, not with this module.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from regsynth.errors import InputError, ParseError
from regsynth.syntax.formal import parse as parse_formal

if TYPE_CHECKING:
    from regsynth.automata.workspace import Workspace

Relation = Literal["equivalent", "included"]

EQUIVALENT: Final = 0
DIFFERENT: Final = 1
INCLUDED: Final = 2
NOT_INCLUDED: Final = 3
UNKNOWN: Final = 4
ERROR: Final = 5
NAMES: Final = ("equivalent", "different", "included", "not_included", "unknown", "error")
SIDES: Final = (None, "first", "second")

CHUNK: Final = 8192  # pairs; a chunk's text and tables stay in the second-level cache
MEMORY: Final = 1 << 30  # bytes of states a single long pair may store


@dataclass(frozen=True, slots=True, eq=False)
class BatchVerdicts:
    """Verdicts on n pairs, as arrays.

    Attributes
    ----------
    verdict : int8 array (n,)
        ``EQUIVALENT``, ``DIFFERENT``, ``INCLUDED``, ``NOT_INCLUDED``, ``UNKNOWN`` (budget) or ``ERROR`` (syntax).
    accepted_by : int8 array (n,)
        Side whose language holds the witness: 1 first, 2 second, 0 no witness.
    witness_start, witness_length : int64 array (n,), int32 array (n,)
        Where the witness lies in ``points``; length -1: none.
    points : uint32 array
        Code points of all witnesses.
    error_side, error_position : int8 array (n,), int64 array (n,)
        For a syntax error: side (1, 2; else 0) and 0-based position (else -1).
    """

    verdict: NDArray[np.int8]
    accepted_by: NDArray[np.int8]
    witness_start: NDArray[np.int64]
    witness_length: NDArray[np.int32]
    points: NDArray[np.uint32]
    error_side: NDArray[np.int8]
    error_position: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.verdict)

    def name(self, i: int) -> str:
        """Pair i's verdict as a word."""
        return NAMES[self.verdict[i]]

    def side(self, i: int) -> str | None:
        """Which side accepts pair i's witness: ``"first"``, ``"second"`` or ``None``."""
        return SIDES[self.accepted_by[i]]

    def witness(self, i: int) -> str | None:
        """Shortest word (least in letter order) in one of pair i's languages only."""
        length = int(self.witness_length[i])
        if length < 0:
            return None
        start = int(self.witness_start[i])
        return self.points[start : start + length].astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")

    def counts(self) -> dict[str, int]:
        """How many pairs have each verdict that occurs."""
        found = np.bincount(self.verdict, minlength=len(NAMES))
        return {name: int(n) for name, n in zip(NAMES, found, strict=True) if n}


def compare_many(
    first: Sequence[str],
    second: Sequence[str],
    *,
    relation: Relation = "equivalent",
    alphabet: str | None = None,
    states: int = 1_000_000,
    jobs: int | None = None,
) -> BatchVerdicts:
    """Compare ``first[i]`` with ``second[i]`` for every i.

    Parameters
    ----------
    first, second : sequence of str
        Expressions in the formal dialect.
    relation : {"equivalent", "included"}
        Equality of languages, or containment of the first in the second.
    alphabet : str, optional
        Letters of Σ beyond the pair's own (matters below ``~``).
    states : int
        Budget of each pair's product states; beyond it the verdict is ``UNKNOWN``.
    jobs : int, optional
        Threads; as many as there are cores by default.

    Raises
    ------
    InputError
        For arguments that are no such sequences. A syntax error in an expression is its item's verdict ``ERROR``.

    Examples
    --------
    >>> compare_many(["ab?"], ["ab"], relation="included").witness(0)
    'a'
    >>> compare_many(["a)"], ["a"]).error_position.tolist()
    [1]
    """
    first, second = _checked(first, "first"), _checked(second, "second")
    if len(first) != len(second):
        raise InputError(f"first and second must be equally long, not {len(first)} and {len(second)}")
    if relation not in ("equivalent", "included"):
        raise InputError(f"relation must be 'equivalent' or 'included', not {relation!r}")
    if states < 1 or (jobs is not None and jobs < 1):
        raise InputError("states and jobs must be at least 1")
    n = len(first)
    jobs = min(jobs or os.cpu_count() or 1, -(-n // CHUNK))
    size = min(CHUNK, max(1, -(-n // max(jobs, 1))))
    bounds = [(low, min(low + size, n)) for low in range(0, n, size)]

    def run(bound: tuple[int, int]) -> BatchVerdicts:
        low, high = bound
        return _chunk(first[low:high], second[low:high], relation, alphabet or "", states)

    if jobs <= 1:
        return _joined([run(bound) for bound in bounds])
    with ThreadPoolExecutor(jobs) as pool:
        return _joined(list(pool.map(run, bounds)))


def equivalent_many(first: Sequence[str], second: Sequence[str], **options: Any) -> BatchVerdicts:
    """Whether each pair denotes one language; see :func:`compare_many`.

    >>> equivalent_many(["a+b", "ab"], ["b+a", "ba"]).verdict.tolist()
    [0, 1]
    """
    return compare_many(first, second, relation="equivalent", **options)


def contains_many(first: Sequence[str], second: Sequence[str], **options: Any) -> BatchVerdicts:
    """Whether each first language is contained in its second; see :func:`compare_many`.

    >>> contains_many(["a", "a*"], ["a*", "a"]).verdict.tolist()
    [2, 3]
    """
    return compare_many(first, second, relation="included", **options)


def _checked(texts: Sequence[str], what: str) -> Sequence[str]:
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise InputError(f"{what} must be a sequence of expressions")
    return texts if isinstance(texts, (list, tuple)) else list(texts)


def text_points(text: str) -> NDArray[np.uint32]:
    """Code points of a text, read-only."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _packed(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]:
    """All code points one after another, and where each text begins and ends.

    Asking a million strings for their lengths takes longer than comparing them, so
    they are joined with NUL and its places searched; NUL as a letter is rare.
    """
    try:
        points = text_points("\0".join(texts))
        ends = np.flatnonzero(points == 0)
        if len(ends) == len(texts) - 1:
            ends = np.append(ends, len(points))
            begins = np.empty_like(ends)
            begins[0], begins[1:] = 0, ends[:-1] + 1
            return points, begins, ends
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    except TypeError:
        wrong = next(text for text in texts if not isinstance(text, str))
        raise InputError(f"an expression must be a string, not {type(wrong).__name__}") from None
    ends = np.cumsum(lengths + 1) - 1
    return points, ends - lengths, ends


def _joined(parts: list[BatchVerdicts]) -> BatchVerdicts:
    if not parts:
        return _blank(0)
    shift = 0
    for part in parts:
        part.witness_start[part.witness_length >= 0] += shift
        shift += len(part.points)
    return BatchVerdicts(*(np.concatenate([getattr(part, name) for part in parts]) for name in BatchVerdicts.__slots__))


def _blank(n: int) -> BatchVerdicts:
    return BatchVerdicts(
        np.zeros(n, np.int8), np.zeros(n, np.int8), np.zeros(n, np.int64), np.full(n, -1, np.int32),
        np.zeros(0, np.uint32), np.zeros(n, np.int8), np.full(n, -1, np.int64),
    )  # fmt: skip


def _chunk(first: Sequence[str], second: Sequence[str], relation: Relation, alphabet: str, states: int) -> BatchVerdicts:
    from regsynth.automata import workspace

    n = len(first)
    packed1, packed2 = _packed(first), _packed(second)
    longest = max(int((ends - begins).max()) for _, begins, ends in (packed1, packed2))
    space = workspace.borrow(longest)
    holds, fails = (EQUIVALENT, DIFFERENT) if relation == "equivalent" else (INCLUDED, NOT_INCLUDED)
    out = _blank(n)
    arrays = (out.verdict, out.accepted_by, out.error_side, out.error_position, out.witness_start, out.witness_length)
    points = np.empty(8 * n + 64, np.uint32)
    item = used = 0
    while item < n:
        item, used = space.compare_range(packed1, packed2, item, holds, fails, states, arrays, points, used)
        if item < n:
            points = np.concatenate([points[:used], np.empty(len(points) + workspace.WORD_STATES, np.uint32)])
    extra: list[NDArray[np.uint32]] = [points[:used]]
    for i in np.flatnonzero(out.verdict >= workspace.LONG).tolist():
        slow = _extended if out.verdict[i] == workspace.EXTENDED else _long
        fine, side, witness = slow(space, first[i], second[i], relation, alphabet, states)
        out.verdict[i] = UNKNOWN if fine is None else holds if fine else fails
        if witness is not None:
            out.accepted_by[i] = side
            out.witness_start[i], out.witness_length[i] = used, len(witness)
            extra.append(witness)
            used += len(witness)
    return replace(out, points=np.concatenate(extra))


Slow = tuple[bool | None, int, NDArray[np.uint32] | None]


def _long(space: Workspace, first: str, second: str, relation: Relation, alphabet: str, states: int) -> Slow:
    outcome, ends, word = space.compare_long(text_points(first), text_points(second), relation == "included", states, MEMORY)
    if outcome == 1:
        return False, 1 if ends == 2 else 2, word
    return (True if outcome == 0 else None), 0, None


def _extended(space: Workspace, first: str, second: str, relation: Relation, alphabet: str, states: int) -> Slow:
    from regsynth.automata import reference

    found = reference.compare(
        parse_formal(first), parse_formal(second), relation=relation, alphabet=tuple(alphabet), states=states
    )
    if found.word is not None:
        return False, 1 if found.accepted_by == "first" else 2, text_points(found.word)
    return (None if found.verdict == "unknown" else bool(found)), 0, None


def warm() -> None:
    """Compile (or load) every kernel of the batch tier; some 20 s the first time after an installation."""
    from regsynth.automata.dense import minimal_dfa_fast

    for text in ("(a+b)*a", "a" * 100):
        compare_many([text], [text])
        minimal_dfa_fast(text)


def syntax_error(text: str) -> ParseError | None:
    """The error of a text that the batch calls ``ERROR``, with its message.

    >>> str(syntax_error("a)"))
    "unmatched ')'; remove it or add '(' before it (position 1)"
    """
    try:
        parse_formal(text)
    except ParseError as error:
        return error
    return None
