"""Exit codes, and the gravest of a batch."""

from __future__ import annotations

from typing import Any

Record = dict[str, Any]

YES, NO, BAD_INPUT, NO_ANSWER, DISAGREE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 3, 4, 130, 141

_CODES = {
    "optimal": YES, "equivalent": YES, "included": YES, "agrees": YES,
    "accepted": YES, "rejected": NO,
    "safe": YES, "polynomial": NO, "exponential": NO,
    "infeasible": NO, "different": NO, "not_included": NO,
    "feasible": NO_ANSWER, "unknown": NO_ANSWER, "unsupported": NO_ANSWER, "undecidable": NO_ANSWER,
    "unchecked": NO_ANSWER,
    "error": BAD_INPUT, "methods_disagree": DISAGREE, "internal_error": DISAGREE, "disagrees": DISAGREE,
}  # fmt: skip
_GRAVITY = (YES, NO, NO_ANSWER, BAD_INPUT, DISAGREE)

REPORT = (
    "a bug in regsynth, and no answer to this input can be trusted; please report it with the command, "
    "the input and the output of 'regsynth --version' (see CONTRIBUTING.md)"
)


def code_of(record: Record) -> int:
    """Exit code of one record.

    >>> code_of({"status": "optimal"}), code_of({"verdict": "different"}), code_of({"status": "error"})
    (0, 1, 2)
    """
    return _CODES[record.get("verdict") or record["status"]]


def gravest(first: int, second: int) -> int:
    """The graver of two codes: 4, then 2, then 3, then 1, then 0.

    >>> gravest(3, 1), gravest(2, 3), gravest(0, 1)
    (3, 2, 1)
    """
    return max(first, second, key=_GRAVITY.index)
