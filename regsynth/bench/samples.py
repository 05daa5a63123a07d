"""A small dataset of our own for each formal task, made anew from a seed: something to try a model on without any file.

Every label is proven when it is made. It is no benchmark: the published ones are files.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from regsynth.errors import InputError
from regsynth.syntax import tree
from regsynth.syntax.tree import Expr

COUNT = 100
LETTERS = "abcd"
DEPTH = 3
LONGEST = 24  # tree length of a query
MOST_WORDS, LONGEST_WORD = 8, 5  # of a problem: solved in milliseconds


def sample(task: str, *, count: int = COUNT, seed: int = 0) -> str:
    """Records of a task in the layout of its published dataset, as JSON lines.

    Parameters
    ----------
    task : {"regexmin", "regexeq", "rei"}
    count : int
    seed : int
        The same seed gives the same bytes.

    Examples
    --------
    >>> first = json.loads(sample("regexmin", count=1))
    >>> sorted(first)[:4]
    ['equivalent_regex', 'idx', 'minimized_regex', 'minimized_tree_length']
    """
    if task in ("regexmin", "regexeq"):
        records = _pairs(count, seed)
    elif task == "rei":
        records = _problems(count, seed)
    else:
        raise InputError(f"there is no sample of {task!r}; give a dataset")
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _pairs(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """RegexPSPACE's layout: queries that can be shortened, one expression equivalent to each and one that is not."""
    from regsynth.automata.reference import compare
    from regsynth.solvers.minimise import minimize

    rng = random.Random(seed)
    seen: set[Expr] = set()
    made = 0
    while made < count:
        query, other = _draw(rng, DEPTH), _draw(rng, DEPTH)
        if query in seen or query.length > LONGEST:
            continue
        seen.add(query)
        found = minimize(query)
        if found.status != "optimal" or found.regex is None or found.cost is None or found.cost >= query.length:
            continue
        if found.cost < 3 or compare(query, other).verdict != "different":
            continue
        same = tree.union(found.regex, query) if rng.random() < 0.5 else tree.union(query, found.regex)
        assert compare(query, same).verdict == "equivalent"
        yield {
            "idx": made, "query": str(query), "tree_length": query.length, "minimized_regex": str(found.regex),
            "minimized_tree_length": found.cost, "equivalent_regex": str(same), "not_equivalent_regex": str(other),
        }  # fmt: skip
        made += 1


def _draw(rng: random.Random, depth: int) -> Expr:
    """An expression of a depth, each operator alike."""
    if depth == 0:
        return tree.letter(rng.choice(LETTERS))
    kind = rng.randrange(4)
    if kind < 2:
        return (tree.option, tree.star)[kind](_draw(rng, depth - 1))
    left, right = _draw(rng, depth - 1), _draw(rng, rng.randrange(depth))
    if rng.random() < 0.5:
        left, right = right, left
    return (tree.union, tree.concat)[kind - 2](left, right)


def _problems(count: int, seed: int) -> Iterator[dict[str, Any]]:
    """Problems of the inference challenge's first data set, with their least costs."""
    from regsynth.budget import Budget
    from regsynth.corpora.reic import instances
    from regsynth.solvers.inference import infer
    from regsynth.solvers.results import Operators
    from regsynth.syntax.costs import Costs

    made = 0
    for record in instances("DS1", 100 * count, seed):
        words = (*record["positives"], *record["negatives"])
        if made == count or len(words) > MOST_WORDS or max(map(len, words)) > LONGEST_WORD:
            continue
        found = infer(
            record["positives"], record["negatives"], costs=Costs.of(record["costs"]), operators=Operators.parse(record["operators"]),
            alphabet=tuple("01"), budget=Budget(seconds=None, steps=200_000),
        )  # fmt: skip
        if found.status == "optimal":
            yield {**record, "regex": str(found.regex), "cost": found.cost, "lower_bound": found.lower_bound, "status": found.status}
            made += 1
