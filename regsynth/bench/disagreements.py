"""Others' verdicts on answers beside ours: each disagreement classified, with a witness that ``re`` confirms.

Their verdict comes with the item's id and the answer's text. A ``pass`` we contradict
has an example that the pattern gets wrong, or the reason why this Python refuses the
pattern. An equivalence we refute has a shortest witness; ``re`` runs both patterns on
it. An equivalence we prove and they deny has none, so ``re`` runs both patterns on
words that would tell apart automata like theirs.

Classes of a refuted equivalence: ``ascii_classes`` (equivalent where ``\\d \\w \\s`` are ASCII only),
``anchoring`` (equivalent where the whole subject must match), ``ascii_and_anchoring``, ``brics_signs`` (a sign such as ``#`` that
dk.brics reads as an operator), ``other``. Classes of a proven one: ``whole_subject`` (different where the whole subject
must match, with a witness of that), else the construct that most likely misled the other tool: ``identical_text``,
``escaped_slash``, ``group_syntax``, ``escape_in_set``, … , ``other``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from regsynth.automata.separators import words_of
from regsynth.bench.inputs import Predictions
from regsynth.bench.items import Dataset, Item
from regsynth.bench.nl2re import WORD_SECONDS
from regsynth.bench.results import Record
from regsynth.budget import Budget
from regsynth.errors import InputError, RegsynthError
from regsynth.practical import compare_patterns, compile_pattern
from regsynth.redos.sandbox import Sandbox

KINDS = {"pass": "passed", "dfa-eq": "equivalent"}
BUDGET = Budget(seconds=5.0, memory=1 << 30)
WORDS = 40  # on which re confirms a proven equivalence, from either automaton


def compare_verdicts(
    dataset: Dataset, records: list[Record], verdicts: Mapping[str, Predictions]
) -> tuple[list[Record], dict[str, Any]]:
    """Records with a ``disagreements`` entry in their details where there is one, and the counts.

    Parameters
    ----------
    verdicts : mapping
        By ``pass`` or ``dfa-eq``: predictions read with their ``passed``.
    """
    items = {str(item.id): item for item in dataset.items}
    notes: dict[int, dict[str, Any]] = {}
    summary: dict[str, Any] = {}
    done: dict[tuple[str, str, str], dict[str, Any]] = {}
    with Sandbox() as box:
        for kind, given in verdicts.items():
            if kind not in KINDS:
                raise InputError(f"--verdicts {kind!r}: name what is judged, {' or '.join(KINDS)}: --verdicts pass=FILE")
            theirs = {(own, text): said for own, pairs in given.verdicts.items() for text, said in pairs}
            counts: Counter[str] = Counter()
            classes: Counter[str] = Counter()
            unconfirmed = 0
            for i, record in enumerate(records):
                said = theirs.get((str(record.id), record.raw or ""))
                if said is None:
                    counts["not_judged"] += 1
                    continue
                ours = record.details.get(KINDS[kind])
                counts[f"theirs_{str(said).lower()}_ours_{'undecided' if ours is None else str(ours).lower()}"] += 1
                if ours is None or ours is said:
                    continue
                key = (kind, str(record.id), record.raw or "")
                if key not in done:
                    explain = _explain_pass if kind == "pass" else _explain_equivalence
                    done[key] = {"ours": ours, "theirs": said, **explain(items[str(record.id)], record, box)}
                classes[done[key]["class"]] += 1
                unconfirmed += not done[key]["confirmed"]
                notes.setdefault(i, {})[kind] = done[key]
            judged = sum(counts.values()) - counts["not_judged"]
            agree = counts["theirs_true_ours_true"] + counts["theirs_false_ours_false"]
            summary[kind] = {
                "judged": judged, "agree": agree, "disagree": sum(classes.values()), "counts": dict(sorted(counts.items())),
                "classes": dict(classes.most_common()), "unconfirmed": unconfirmed,
            }  # fmt: skip
    out = [replace(r, details={**r.details, "disagreements": notes[i]}) if i in notes else r for i, r in enumerate(records)]
    return out, summary


def _explain_pass(item: Item, record: Record, box: Sandbox) -> dict[str, Any]:
    """Why an answer passes or does not, by its first wrong example."""
    wrong: Sequence[str] = record.details.get("wrong") or ()
    if wrong:
        word = wrong[0]
        wanted = word in (item.positives or ())
        found = _matches(box, item, record.answer or "", word)
        return {"class": "example", "witness": word, "wanted": wanted, "confirmed": found is (not wanted)}
    if record.category in ("invalid", "repetition", "cutoff"):
        moved = _flags_first(record.answer or "")
        old = moved is not None and all(
            _matches(box, item, moved, word) is wanted
            for words, wanted in ((item.positives or (), True), (item.negatives or (), False)) for word in words
        )  # fmt: skip
        name = "inline_flags_of_older_python" if old else "refused_by_this_python"
        return {"class": name, "witness": None, "reason": record.reason, "confirmed": True}
    return {"class": "all_examples_right" if record.details.get("passed") else record.category, "witness": None,
            "confirmed": bool(record.details.get("passed"))}  # fmt: skip


def _flags_first(pattern: str) -> str | None:
    """The pattern with inline global flags moved to its start, where this Python wants them."""
    found = re.search(r"\(\?[aiLmsux]+\)", pattern)
    return None if found is None else found[0] + pattern[: found.start()] + pattern[found.end() :]


def _explain_equivalence(item: Item, record: Record, box: Sandbox) -> dict[str, Any]:
    answer, reference = record.answer or "", item.reference or ""
    if record.details.get("equivalent"):
        words, agree = _agreement(item, answer, reference, box)
        whole = _whole(item, answer, reference)
        if whole is not None:
            return {"class": "whole_subject", "witness": whole, "words": words, "confirmed": agree}
        return {"class": _form(answer, reference), "witness": None, "words": words, "confirmed": agree}
    if record.witness is None:  # the answer is no pattern at all
        return {"class": record.category, "witness": None, "reason": record.reason, "confirmed": True}
    first, second = (_matches(box, item, pattern, record.witness) for pattern in (answer, reference))
    confirmed = first is not None and second is not None and first is (record.accepted_by == "answer") and second is not first
    found = {"witness": record.witness, "accepted_by": record.accepted_by, "confirmed": confirmed}
    return {"class": _reading(item, answer, reference), **found}


def _whole(item: Item, answer: str, reference: str) -> str | None:
    """A subject that only one of them matches as a whole, though a search finds something in the same subjects."""
    if item.semantics == "fullmatch":
        return None
    try:
        return compare_patterns(answer, reference, dialect=item.dialect, semantics="fullmatch", flags=item.flags, budget=BUDGET).word
    except RegsynthError:
        return None


def _reading(item: Item, answer: str, reference: str) -> str:
    """Under which other reading the two would be equivalent."""
    for name, flags, semantics in (
        ("ascii_classes", item.flags + "a", item.semantics), ("anchoring", item.flags, "fullmatch"),
        ("ascii_and_anchoring", item.flags + "a", "fullmatch"),
    ):  # fmt: skip
        try:
            if compare_patterns(answer, reference, dialect=item.dialect, semantics=semantics, flags=flags, budget=BUDGET):
                return name
        except RegsynthError:
            continue
    return "brics_signs" if _BRICS.search(answer) or _BRICS.search(reference) else "other"


_BRICS = re.compile(r"(?<!\\)[#&~@<>\"]")  # operators of dk.brics' syntax: empty language, intersection, complement, any text, …


def _form(answer: str, reference: str) -> str:
    if answer == reference:
        return "identical_text"
    both = (answer, reference)
    for name, sign in (
        ("escaped_slash", r"\\/"), ("group_syntax", r"\(\?"), ("escape_in_set", r"\[[^\]]*\\"), ("anchor_within", r".[\^]|\$.|\\[bBAZ]"),
        ("lazy_quantifier", r"[*+?}]\?"), ("empty_alternative", r"\(\||\|\)|\|\||^\||\|$"), ("brics_signs", _BRICS.pattern),
        ("numeric_escape", r"\\[0-7x]"), ("counted_once", r"\{1\}"),
    ):  # fmt: skip
        if any(re.search(sign, text) for text in both):
            return name
    return "other"


def _agreement(item: Item, answer: str, reference: str, box: Sandbox) -> tuple[int, bool]:
    """On how many separating words ``re`` was run, and whether both patterns did the same on each."""
    words: list[str] = []
    for text in (answer, reference):
        try:
            machine = compile_pattern(text, dialect=item.dialect, semantics=item.semantics, flags=item.flags).machine(BUDGET.start())
            words += words_of(machine, limit=WORDS, seed=0)
        except RegsynthError:
            continue
    tried = 0
    for word in (*words, *(item.positives or ()), *(item.negatives or ())):
        first, second = (_matches(box, item, pattern, word) for pattern in (answer, reference))
        if first is None or second is None:
            continue
        if first is not second:
            return tried, False
        tried += 1
    return tried, True


def _matches(box: Sandbox, item: Item, pattern: str, word: str) -> bool | None:
    try:
        flags = compile_pattern(pattern, dialect=item.dialect, semantics=item.semantics, flags=item.flags).flags
        return box.match(item.semantics, pattern, word, flags=flags, timeout=WORD_SECONDS) is not None  # type: ignore[arg-type]
    except RegsynthError:
        return None
