"""What a corpus record claims, as checks that can be made in bulk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from regsynth.corpora.records import Record

QUERY = ("query", "regex", "pattern")
MINIMAL = ("minimized_regex", "minimal_regex", "minimal")
LENGTH = ("minimized_tree_length", "minimal_length")

TREE_LENGTH: Final = "tree_length"  # the first text has this tree length
EQUAL: Final = "equal"  # both texts have one language
UNEQUAL: Final = "unequal"
MINIMUM: Final = "minimum"  # no expression of the first text's language has a smaller tree length than this
BOUND: Final = "bound"  # … and none is shorter than this
ACCEPTS: Final = "accepts"  # the first text's language has this word
REJECTS: Final = "rejects"
PROBLEM: Final = "problem"  # the first text is a cheapest separation of two sets of words
MALFORMED: Final = "malformed"  # no claim: the field does not hold what it should


class Claim(NamedTuple):
    """One claim of one record: ``kind`` says how ``first`` and ``value`` are to be read."""

    field: str
    kind: str
    first: str
    value: Any


def claims_of(record: Record) -> Iterator[Claim]:
    """Every claim of a record.

    >>> [(claim.field, claim.kind) for claim in claims_of({"query": "aa*", "tree_length": 4, "positive_example": "a"})]
    [('tree_length', 'tree_length'), ('positive_example', 'accepts')]
    """
    if "positives" in record or "P" in record:
        yield from _problem(record)
        return
    field = next((name for name in QUERY if name in record), None)
    if field is None:
        yield Claim(QUERY[0], MALFORMED, "", "missing")
        return
    query = record[field]
    if not isinstance(query, str):
        yield Claim(field, MALFORMED, "", query)
        return
    yield from _length(record, "tree_length", query)
    minimal = next((name for name in MINIMAL if record.get(name) is not None), None)
    length = next((name for name in LENGTH if record.get(name) is not None), None)
    optimal = record.get("status", "optimal") == "optimal"
    if minimal is not None:
        yield from _partner(record, minimal, query, EQUAL)
        if length is not None and isinstance(record[minimal], str):
            yield from _length(record, length, record[minimal])
    if length is not None and optimal and _is_count(record[length]):
        yield Claim(length, MINIMUM, query, record[length])
    if minimal is not None and length is None and optimal and isinstance(record[minimal], str):
        yield Claim(minimal, MINIMUM, query, record[minimal])
    if "lower_bound" in record and _is_count(record["lower_bound"]):
        yield Claim("lower_bound", BOUND, query, record["lower_bound"])
    for name, kind in (("equivalent_regex", EQUAL), ("not_equivalent_regex", UNEQUAL)):
        if record.get(name) is not None:
            yield from _partner(record, name, query, kind)
    for stem, kind in (("positive", ACCEPTS), ("negative", REJECTS)):
        for name in (f"{stem}_example", f"{stem}_examples"):
            if record.get(name) is not None:
                yield from _words(record, name, query, kind)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _length(record: Record, field: str, text: str) -> Iterator[Claim]:
    if field in record:
        yield Claim(field, TREE_LENGTH if _is_count(record[field]) else MALFORMED, text, record[field])


def _partner(record: Record, field: str, query: str, kind: str) -> Iterator[Claim]:
    yield Claim(field, kind if isinstance(record[field], str) else MALFORMED, query, record[field])


def _words(record: Record, field: str, query: str, kind: str) -> Iterator[Claim]:
    words = record[field] if isinstance(record[field], list) else [record[field]]
    for word in words:
        yield Claim(field, kind if isinstance(word, str) else MALFORMED, query, word)


def _problem(record: Record) -> Iterator[Claim]:
    """An inference problem with its answer: ``regex``, ``cost``, ``costs``, ``operators``."""
    positives, negatives = (record.get(name, record.get(name[0].upper())) for name in ("positives", "negatives"))
    lists = all(isinstance(words, list) and all(isinstance(word, str) for word in words) for words in (positives, negatives))
    if not lists:
        yield Claim("positives", MALFORMED, "", positives)
        return
    regex = record.get("regex")
    optimal = record.get("status", "optimal") == "optimal"
    if regex is None and not optimal:
        return  # not solved: nothing is claimed
    if not isinstance(regex, str):
        yield Claim("regex", MALFORMED, "", regex)
        return
    for word in positives or ():
        yield Claim("positives", ACCEPTS, regex, word)
    for word in negatives or ():
        yield Claim("negatives", REJECTS, regex, word)
    yield Claim("cost", PROBLEM, regex, {**record, "positives": positives, "negatives": negatives, "status": optimal})
