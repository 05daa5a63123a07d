"""The RegexPSPACE benchmark, drawn again from LRD's test split by the paper's four filters.

A query survives when

1. it is not already minimal: its tree length exceeds the proven minimum;
2. its language has at least 10 expressions in all of LRD (its equivalence class);
3. at least 20 words of length up to 8 over its own letters are in its language, and
   at least 20 are not;
4. it is the first of its letter-renaming class: queries that are one text after
   renaming letters, among the survivors of the other filters.

Each survivor gets an expression of its class that is another text, drawn from LRD, and
the query of another survivor over the same letters: a permutation without fixed
points in which no partner is equivalent. Both labels are proven by equal, or
unequal, minimal automata and again by a product search.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from regsynth._version import __version__
from regsynth.automata.batch import compare_many
from regsynth.automata.dfa import DFA
from regsynth.automata.position import to_dfa
from regsynth.corpora.executors import Processes
from regsynth.corpora.folders import claim, encode, owned, read_json, write_whole
from regsynth.corpora.generators import Request
from regsynth.corpora.labelling import label
from regsynth.corpora.languages import group
from regsynth.corpora.records import read, read_texts
from regsynth.errors import InputError, MethodsDisagree
from regsynth.syntax.formal import parse

LEAST_CLASS, LEAST_WORDS, WORD_LENGTH, WORDS = 10, 20, 8, 20
SIGNS = frozenset("()+*?")


class Candidate(NamedTuple):
    """A test record: its place in LRD's order of reading, text, tree length and proven minimum."""

    place: int
    idx: int
    text: str
    length: int
    minimal: str
    minimum: int


def generate_benchmark(request: Request) -> dict[str, Any]:
    """Write ``benchmark.jsonl`` and a manifest with the survivors of each filter.

    ``request.source`` is a folder made by ``corpus generate lrd``; ``request.labels`` its
    labels, without which the test split is labelled first.
    """
    if request.source is None:
        raise InputError("regexpspace is drawn from lrd: give --from FOLDER (made by 'corpus generate lrd')")
    if read_json(request.source / "manifest.json").get("name") != "lrd":
        raise InputError(f"{request.source}: no corpus made by 'corpus generate lrd'")
    with owned(request.output):
        everything = read_texts(request.source)
        place = {idx: i for i, idx in enumerate(everything.ids)}
        candidates = _candidates(request, place)
        groups = group(everything.texts, progress=lambda done: request.progress("grouping", done, len(everything.texts)))
        sizes = np.bincount(groups.language)
        random_source = random.Random(request.seed)
        words = _word_counts(groups.language, candidates)
        first = _first_of_renaming(candidates)
        passed = {
            "not_minimal": [c.length > c.minimum for c in candidates],
            "class_of_10": [bool(sizes[groups.language[c.place]] >= LEAST_CLASS) for c in candidates],
            "20_words_each": [min(words[int(groups.language[c.place])]) >= LEAST_WORDS for c in candidates],
        }
        counts: dict[str, Any] = {"test": len(candidates), "alone": {name: sum(kept) for name, kept in passed.items()}}
        counts["alone"]["one_per_renaming"] = sum(first)
        survivors, step = candidates, {}
        for name, kept in passed.items():
            alive = {c.place for c, fine in zip(candidates, kept) if fine}
            survivors = [c for c in survivors if c.place in alive]
            step[name] = len(survivors)
        survivors = [c for c, is_first in zip(survivors, _first_of_renaming(survivors)) if is_first]
        step["one_per_renaming"] = len(survivors)
        counts["in_turn"] = step
        languages = {c.place: int(groups.language[c.place]) for c in survivors}
        partners = permuted([c.text for c in survivors], [languages[c.place] for c in survivors], random_source)
        members = _members(groups.language, set(languages.values()))
        records = []
        for number, (c, partner) in enumerate(zip(survivors, partners)):
            others = [i for i in members[languages[c.place]] if i != c.place]
            yes, no = examples(to_dfa(parse(c.text), tuple(sorted(set(c.text) - SIGNS))), random_source)
            records.append({
                "idx": number, "lrd": c.idx, "query": c.text, "tree_length": c.length, "minimized_regex": c.minimal,
                "minimized_tree_length": c.minimum, "equivalent_regex": everything.texts[random_source.choice(others)],
                "not_equivalent_regex": None if partner is None else survivors[partner].text,
                "positive_examples": yes, "negative_examples": no,
            })  # fmt: skip
        _prove(records)
        ratio = exp(sum(log(c.minimum / c.length) for c in survivors) / max(len(survivors), 1))
        manifest = {
            "schema": "regsynth/corpus/1", "name": "regexpspace", "files": ["benchmark.jsonl"], "records": len(records),
            "survivors": counts, "without_partner": partners.count(None), "best_length_ratio": round(ratio, 6),
            "source": everything.digest, "seed": request.seed, "version": __version__,
        }  # fmt: skip
        claim(request.output, manifest)
        write_whole(request.output / "benchmark.jsonl", (encode(record) + "\n" for record in records))
    return manifest


def _candidates(request: Request, place: dict[Any, int]) -> list[Candidate]:
    """The test split with its labels."""
    assert request.source is not None
    test = request.source / "test.jsonl"
    wanted = {record["idx"] for _, record in read(test) if isinstance(record, dict)}
    labels = request.labels
    if labels is None:
        labels = request.output / "labels"
        label(test, labels, executor=Processes(request.jobs), progress=request.progress)
    out = []
    for file in sorted((labels / "labels").glob("*.jsonl")):
        for number, record in read(file):
            if not isinstance(record, dict):
                raise InputError(f"{file}, line {number}: {record}")
            if record["id"] in wanted:
                if record["status"] != "optimal":
                    raise InputError(f"{file}, line {number}: {record['query']} is not proven; label again with more --steps")
                out.append(Candidate(place[record["id"]], record["id"], record["query"], record["tree_length"],
                                     record["minimized_regex"], record["minimized_tree_length"]))  # fmt: skip
    if len(out) != len(wanted):
        raise InputError(f"{labels}: labels of {len(out):,} of the {len(wanted):,} test records; finish 'regsynth label' first")
    return sorted(out, key=lambda c: c.idx)


def renamed(text: str) -> str:
    """The text with its letters numbered by first occurrence.

    >>> renamed("b*a+b") == renamed("c*d+c")
    True
    """
    names: dict[str, str] = {}
    return "".join(c if c in SIGNS else names.setdefault(c, str(len(names))) for c in text)


def _first_of_renaming(candidates: Sequence[Candidate]) -> list[bool]:
    seen: set[str] = set()
    out = []
    for c in candidates:
        form = renamed(c.text)
        out.append(form not in seen)
        seen.add(form)
    return out


def _word_counts(language: np.ndarray[Any, Any], candidates: Sequence[Candidate]) -> dict[int, tuple[int, int]]:
    """By language: words up to length 8 over its letters that are in it, and that are not.

    Every letter of a query occurs in a word of its language, since nothing in LRD is empty.
    """
    out: dict[int, tuple[int, int]] = {}
    for c in candidates:
        number = int(language[c.place])
        if number not in out:
            out[number] = word_counts(to_dfa(parse(c.text), tuple(sorted(set(c.text) - SIGNS))), WORD_LENGTH)
    return out


def word_counts(dfa: DFA, length: int) -> tuple[int, int]:
    """Number of words up to a length that are accepted, and rejected.

    >>> word_counts(to_dfa(parse("a*b"), ("a", "b")), 2)
    (2, 5)
    """
    table = _ways(dfa, length)
    accepted = sum(row[0] for row in table)
    return accepted, sum(len(dfa.alphabet) ** n for n in range(length + 1)) - accepted


def _ways(dfa: DFA, length: int) -> list[list[int]]:
    """``[n][q]``: words of length n accepted from q."""
    table = [[dfa.accepting >> q & 1 for q in range(len(dfa))]]
    for _ in range(length):
        table.append([sum(table[-1][r] for r in row) for row in dfa.delta])
    return table


def examples(dfa: DFA, source: random.Random) -> tuple[list[str], list[str]]:
    """Twenty distinct words up to length 8 of the language and twenty others: a length first, then a word of it."""
    return _draw(dfa, source), _draw(dfa.complement(), source)


def _draw(dfa: DFA, source: random.Random) -> list[str]:
    table = _ways(dfa, WORD_LENGTH)
    lengths = [n for n, row in enumerate(table) if row[0]]
    total = sum(row[0] for row in table)
    out: dict[str, None] = {}
    while len(out) < min(WORDS, total):
        n = source.choice(lengths)
        rank, q, word = source.randrange(table[n][0]), 0, []
        for left in range(n - 1, -1, -1):
            for symbol, r in zip(dfa.alphabet, dfa.delta[q]):
                if rank < table[left][r]:
                    word.append(str(symbol))
                    q = r
                    break
                rank -= table[left][r]
        out["".join(word)] = None
    return list(out)


def permuted(texts: Sequence[str], languages: Sequence[int], source: random.Random) -> list[int | None]:
    """For each text another one over the same letters and of another language, each used once.

    ``None`` for those left over where a set of letters has too few languages.
    """
    out: list[int | None] = [None] * len(texts)
    by_letters: dict[frozenset[str], list[int]] = {}
    for i, text in enumerate(texts):
        by_letters.setdefault(frozenset(text) - SIGNS, []).append(i)
    ranks = list(dict.fromkeys(languages))
    source.shuffle(ranks)
    rank = {number: i for i, number in enumerate(ranks)}
    for places in by_letters.values():
        # In blocks of one language, turned by at least the largest block, no text meets its own.
        source.shuffle(places)
        places.sort(key=lambda i: rank[languages[i]])
        count: dict[int, int] = {}
        for i in places:
            count[languages[i]] = count.get(languages[i], 0) + 1
        most = max(count.values())
        turned = source.randrange(most, len(places) - most + 1) if 2 * most <= len(places) else most
        for at, i in enumerate(places):
            j = places[(at + turned) % len(places)]
            if languages[i] != languages[j]:
                out[i] = j
    return out


def _members(language: np.ndarray[Any, Any], wanted: set[int]) -> dict[int, list[int]]:
    """Places of the expressions of some languages."""
    out: dict[int, list[int]] = {number: [] for number in wanted}
    keep = np.zeros(int(language.max()) + 1, np.bool_)
    keep[list(wanted)] = True
    for i in np.flatnonzero(keep[language]).tolist():
        out[int(language[i])].append(i)
    return out


def _prove(records: Sequence[dict[str, Any]]) -> None:
    """Every partner again, by product search."""
    labels = {"equivalent_regex": "equivalent", "minimized_regex": "equivalent", "not_equivalent_regex": "different"}
    for field, expected in labels.items():
        chosen = [r for r in records if r[field] is not None]
        found = compare_many([r["query"] for r in chosen], [r[field] for r in chosen])
        for i, record in enumerate(chosen):
            if found.name(i) != expected:
                raise MethodsDisagree(f"{record['query']} and {record[field]}: {found.name(i)}, by automata {expected}")


def ratio_of(path: Path) -> float:
    """Geometric mean of minimal over input length in a benchmark file."""
    logs = []
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        logs.append(log(record["minimized_tree_length"] / record["tree_length"]))
    return exp(sum(logs) / len(logs))
