"""The RegexPSPACE corpora: LRD, everything up to depth 3, and URMT, samples of depths 4 to 6."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from regsynth._version import __version__
from regsynth.corpora.construction import Level, Term, everything, levels, sizes
from regsynth.corpora.folders import claim, encode, owned, write_whole
from regsynth.corpora.generators import Request
from regsynth.errors import InputError

SPLITS = {"train": 1_100_000, "valid": 116_752, "test": 50_000}  # of 1,266,752
REPETITIONS, SAMPLE, DEPTHS = 10, 1_000, (4, 5, 6)  # URMT's k, m and depths
LRD_LIMIT = 20_000_000


def split_sizes(total: int) -> dict[str, int]:
    """The paper's split, in proportion for other totals.

    >>> split_sizes(1_266_752) == SPLITS, split_sizes(100)
    (True, {'train': 87, 'valid': 9, 'test': 4})
    """
    whole = sum(SPLITS.values())
    test, valid = round(total * SPLITS["test"] / whole), round(total * SPLITS["valid"] / whole)
    return {"train": total - valid - test, "valid": valid, "test": test}


def generate_lrd(request: Request) -> dict[str, Any]:
    """Write ``train``, ``valid`` and ``test`` in construction order; which record goes where is drawn by seed.

    A record is ``idx`` (its place in the construction, from 0), ``query``, ``depth``
    and ``tree_length``.
    """
    alphabet, depth = request.alphabet or "abcd", 3 if request.depth is None else request.depth
    if request.count is not None:
        raise InputError("lrd is a whole depth and takes no --count; give --alphabet or --depth, or generate urmt")
    counts = sizes(len(alphabet), depth)
    total = sum(counts)
    if total > LRD_LIMIT:
        raise InputError(f"depth {depth} over {len(alphabet)} letters has {total:,} expressions; sample instead: urmt")
    parts = split_sizes(total)
    drawn = random.Random(request.seed).sample(range(total), parts["valid"] + parts["test"])
    split = bytearray(total)
    for i in drawn[: parts["valid"]]:
        split[i] = 1
    for i in drawn[parts["valid"] :]:
        split[i] = 2
    manifest = {
        "schema": "regsynth/corpus/1", "name": "lrd", "files": [f"{name}.jsonl" for name in parts], "records": total,
        "splits": parts, "alphabet": alphabet, "depth": depth, "level_sizes": counts, "seed": request.seed,
        "version": __version__,
    }  # fmt: skip
    with owned(request.output):
        claim(request.output, manifest)
        for which, name in enumerate(parts):
            request.progress(name, which, len(parts))
            write_whole(request.output / f"{name}.jsonl", _lrd_lines(alphabet, depth, split, which))
    return manifest


def _lrd_lines(alphabet: str, depth: int, split: bytearray, which: int) -> Iterator[str]:
    for i, (level, term) in enumerate(everything(alphabet, depth)):
        if split[i] == which:  # the texts hold nothing that JSON escapes
            yield f'{{"idx": {i}, "query": "{term.text}", "depth": {level}, "tree_length": {term.length}}}\n'


def generate_urmt(request: Request) -> dict[str, Any]:
    """Write equal shares of depths 4, 5 and 6.

    Each of ten repetitions draws 1,000 expressions of depth 3, then of each next depth
    n 1,000 from the level built on the samples: y from the sample of depth n-1, x from
    D0 ∪ D1 ∪ D2 and all samples up to n-1. Its share of the records is drawn from the
    same level. No query occurs twice. A record also says its ``repetition``.
    """
    alphabet, count = request.alphabet or "abcd", 50_000 if request.count is None else request.count
    if request.depth is not None:
        raise InputError("urmt has depths 4, 5 and 6; leave --depth out")
    if not 1 <= count <= 3_000_000:
        raise InputError(f"--count {count}: give 1 to 3,000,000")
    manifest = {
        "schema": "regsynth/corpus/1", "name": "urmt", "files": ["urmt.jsonl"], "records": count, "alphabet": alphabet,
        "depths": list(DEPTHS), "repetitions": REPETITIONS, "sample": SAMPLE, "seed": request.seed, "version": __version__,
    }  # fmt: skip
    with owned(request.output):
        claim(request.output, manifest)
        write_whole(request.output / "urmt.jsonl", (encode(record) + "\n" for record in urmt(alphabet, count, request.seed)))
    return manifest


def urmt(alphabet: str, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """URMT's records, repetition after repetition.

    >>> [(r["depth"], r["tree_length"] > 8) for r in urmt("ab", 3, 1)]
    [(4, True), (5, True), (6, True)]
    """
    rng = random.Random(seed)
    first = levels(alphabet, 3)
    low = [Term(c, 2, 1) for c in alphabet] + [term for level in first[:2] for term in level]
    shares = {n: count // 3 + (i < count % 3) for i, n in enumerate(DEPTHS)}
    seen: set[str] = set()
    idx = 0
    for repetition in range(REPETITIONS):
        below, sample = low, _draw(first[2], SAMPLE, rng)
        for n in DEPTHS:
            level = Level(below, sample)
            below, sample = below + sample, _draw(level, SAMPLE, rng)
            share = shares[n] // REPETITIONS + (repetition < shares[n] % REPETITIONS)
            while share:
                term = level[rng.randrange(len(level))]
                if term.text not in seen:
                    seen.add(term.text)
                    yield {"idx": idx, "query": term.text, "depth": n, "tree_length": term.length, "repetition": repetition}
                    idx += 1
                    share -= 1


def _draw(level: Level, count: int, rng: random.Random) -> list[Term]:
    """Distinct expressions of a level, in construction order."""
    return [level[i] for i in sorted(rng.sample(range(len(level)), min(count, len(level))))]
