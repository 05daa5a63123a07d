"""The regular-expression-inference challenge: its four data sets made anew, every instance with a proven optimum.

A PN-set is p positive and n negative words over {0,1}, disjoint. Type 1 draws each word
uniformly from all words of length ≤ le, type 2 a length uniformly and then a word of it.
DS1 (atoms ε and letters; ? * · +) and DS3 (∅ and all operators) have the uniform cost
function, DS2 and DS4 nineteen random ones beside it. Train and test are split so that no
expression of the test part is a solution in the training part.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from regsynth._version import __version__
from regsynth.budget import Budget
from regsynth.corpora.executors import KILLED, Executor, Processes
from regsynth.corpora.folders import Journal, claim, encode, owned, write_json, write_whole
from regsynth.corpora.generators import Request
from regsynth.errors import InputError
from regsynth.solvers.results import Operators
from regsynth.syntax import tree
from regsynth.syntax.costs import Costs

ALPHABET = "01"
MOST_WORDS, LONGEST, DEAREST = 10, (7, 10), 49  # p and n; le of type 1 and type 2; a random cost
FUNCTIONS = 20  # cost functions a PN-set has in DS2 and DS4
TEST_SHARE = 0.1
MEMORY = 4 << 30  # bytes an instance may use


class Dataset(NamedTuple):
    """What a data set's answers may use, its cost functions, and the published number of PN-sets."""

    operators: str
    functions: int
    sets: int


DATASETS = {
    "DS1": Dataset("?*.+ε", 1, 6053),
    "DS2": Dataset("?*.+ε", FUNCTIONS, 6029),
    "DS3": Dataset("all", 1, 6054),
    "DS4": Dataset("all", FUNCTIONS, 6013),
}


class Instance(NamedTuple):
    """A problem; goes to the workers."""

    number: int
    positives: tuple[str, ...]
    negatives: tuple[str, ...]
    costs: tuple[int, ...]
    operators: str


def draw_words(rng: random.Random, kind: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A PN-set of type 1 or 2.

    >>> positives, negatives = draw_words(random.Random(1), 2)
    >>> set(positives) & set(negatives)
    set()
    """
    while True:
        p, n = rng.randint(1, MOST_WORDS), rng.randint(1, MOST_WORDS)
        longest = rng.randint(0, LONGEST[kind - 1])
        if p + n <= 2 ** (longest + 1) - 1:
            break
    sides: tuple[list[str], list[str]] = ([], [])
    seen: set[str] = set()
    for side, wanted in zip(sides, (p, n), strict=True):
        while len(side) < wanted:
            word = _type_one(rng, longest) if kind == 1 else _of_length(rng, rng.randint(0, longest))
            if word not in seen:
                seen.add(word)
                side.append(word)
    return tuple(sides[0]), tuple(sides[1])


def _type_one(rng: random.Random, longest: int) -> str:
    """A word drawn uniformly from all of length ≤ longest: 1, 10, 11, 100 … without their first digit."""
    return bin(rng.randrange(1, 2 ** (longest + 1)))[3:]


def _of_length(rng: random.Random, length: int) -> str:
    return bin(1 << length | rng.getrandbits(length))[3:] if length else ""


def draw_costs(rng: random.Random, operators: Operators) -> tuple[int, ...]:
    """Eight random costs; operators that are not allowed keep the cost 1."""
    drawn = [rng.randint(1, DEAREST)]  # ∅, ε and letters share one
    for op in (tree.OPTION, tree.STAR, tree.COMPLEMENT, tree.CONCAT, tree.INTERSECTION, tree.UNION, tree.DIFFERENCE):
        drawn.append(rng.randint(1, DEAREST) if op in operators else 1)
    return tuple(drawn)


def instances(dataset: str, count: int, seed: int) -> Iterator[dict[str, Any]]:
    """The unlabelled instances of ``count`` PN-sets, one cost function after the other."""
    known = DATASETS[dataset]
    operators = Operators.parse(known.operators)
    rng = random.Random(f"{dataset}/{seed}")
    for number in range(count):
        kind = 1 + number % 2
        positives, negatives = draw_words(rng, kind)
        uniform = (1,) * 8
        for i in range(known.functions):
            yield {
                "id": f"{dataset}-{number}-{i}", "pn_set": number, "type": kind, "positives": positives, "negatives": negatives,
                "costs": draw_costs(rng, operators) if i else uniform, "operators": known.operators, "alphabet": ALPHABET,
            }  # fmt: skip


def warm() -> None:
    """Load the kernels of both engines."""
    import regsynth.solvers.sequence_compiled
    import regsynth.solvers.typed_inference  # noqa: F401


def solve(budget: Budget, task: Instance) -> dict[str, Any]:
    """The cheapest expression of an instance, or the best one known and a bound."""
    from regsynth.solvers.inference import infer

    found = infer(
        task.positives, task.negatives, costs=Costs.of(task.costs), operators=Operators.parse(task.operators), alphabet=ALPHABET,
        budget=budget,
    )  # fmt: skip
    return {"regex": None if found.regex is None else str(found.regex), "cost": found.cost, "lower_bound": found.lower_bound,
            "status": found.status, "seconds": round(found.seconds, 4)}  # fmt: skip


def generate_reic(request: Request, executor: Executor | None = None) -> dict[str, Any]:
    """Write ``train.jsonl``, ``test.jsonl`` and ``test_problems.jsonl`` (the test part without solutions).

    Every instance is labelled within its budget; ``journal.jsonl`` keeps the answers, so
    a run that was stopped goes on where it was. An instance without a proven optimum
    stays in the training part, marked by its ``status``.

    Returns
    -------
    dict
        The manifest with counts by status.

    Raises
    ------
    InputError
        For no or an unknown data set, or a folder made from something else.
    """
    dataset = (request.dataset or "").upper()
    if dataset not in DATASETS:
        raise InputError(f"reic: say which data set: --dataset {', '.join(DATASETS)} (found {dataset or 'none'})")
    count = DATASETS[dataset].sets if request.count is None else request.count
    seconds = request.seconds
    budget = Budget(seconds=seconds or None, memory=MEMORY)
    manifest = {
        "schema": "regsynth/corpus/1", "name": "reic", "dataset": dataset, "files": ["train.jsonl", "test.jsonl"], "pn_sets": count,
        "instances": count * DATASETS[dataset].functions, "seed": request.seed, "seconds": seconds, "memory": MEMORY,
        "version": __version__,
    }  # fmt: skip
    with owned(request.output):
        claim(request.output, manifest)
        records = list(instances(dataset, count, request.seed))
        answers = _label(records, budget, request, executor)
        for record, answer in zip(records, answers, strict=True):
            record.update({key: answer[key] for key in ("regex", "cost", "lower_bound", "status")})
        train, test = split(records, request.seed)
        write_whole(request.output / "train.jsonl", (encode(record) + "\n" for record in train))
        write_whole(request.output / "test.jsonl", (encode(record) + "\n" for record in test))
        hidden = ("regex", "cost", "lower_bound", "status")
        problems = ({key: value for key, value in record.items() if key not in hidden} for record in test)
        write_whole(request.output / "test_problems.jsonl", (encode(record) + "\n" for record in problems))
        status = dict(Counter(record["status"] for record in records))
        summary = {"train": len(train), "test": len(test), "status": status,
                   "seconds_solving": round(sum(answer["seconds"] for answer in answers), 1)}  # fmt: skip
        write_json(request.output / "summary.json", summary)
    return {**manifest, **summary}


def _label(records: list[dict[str, Any]], budget: Budget, request: Request, executor: Executor | None) -> list[dict[str, Any]]:
    """An answer for each record, those in the journal first."""
    answers: list[dict[str, Any] | None] = [None] * len(records)
    journal = Journal(request.output / "journal.jsonl")
    for line in journal.read():
        if 0 <= line.get("number", -1) < len(records):
            answers[line["number"]] = line
    tasks = [
        Instance(i, record["positives"], record["negatives"], record["costs"], record["operators"])
        for i, record in enumerate(records) if answers[i] is None
    ]  # fmt: skip
    done = len(records) - len(tasks)
    request.progress("instances", done, len(records))
    with journal:
        results = (executor or Processes(request.jobs)).run(partial(solve, budget), tasks, warm) if tasks else iter(())
        for task, answer in results:
            if answer == KILLED:
                answer = {"regex": None, "cost": None, "lower_bound": min(task.costs), "status": "unknown", "seconds": 0.0}
            line = {"number": task.number, **answer}
            journal.append([line])
            answers[task.number] = line
            done += 1
            request.progress("instances", done, len(records))
    return [answer for answer in answers if answer is not None]


def split(records: Sequence[dict[str, Any]], seed: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """About nine tenths for training, one for testing; a solution is in one part only."""
    by_solution: dict[str, list[int]] = {}
    for i, record in enumerate(records):
        if record["status"] == "optimal":
            by_solution.setdefault(record["regex"], []).append(i)
    solutions = sorted(by_solution)
    random.Random(f"split/{seed}").shuffle(solutions)
    wanted, test = round(TEST_SHARE * len(records)), set[int]()
    used = {record["regex"] for record in records if record["status"] != "optimal"}
    for solution in solutions:
        group = by_solution[solution]
        if solution not in used and len(test) + len(group) <= wanted:
            test.update(group)
    train = [record for i, record in enumerate(records) if i not in test]
    return train, [record for i, record in enumerate(records) if i in test]


# -- the tokenised form ---------------------------------------------------------------------------

CLS, POS, NEG, BOR, EOR = "[CLS]", "[POS]", "[NEG]", "[BOR]", "[EOR]"


def to_tokens(record: dict[str, Any], *, solution: bool = True) -> list[str]:
    """An instance as tokens.

    ``[CLS]``, then each positive word after a ``[POS]``, each negative word after a
    ``[NEG]``, letter by letter; the eight costs as ``[COST_7]``; ``[BOR]``, the
    expression sign by sign, ``[EOR]``. Without a solution it ends after ``[BOR]``.

    >>> " ".join(to_tokens({"positives": ["01"], "negatives": [""], "costs": [1] * 8, "regex": "0?1"})[:5])
    '[CLS] [POS] 0 1 [NEG]'
    """
    out = [CLS]
    for marker, words in ((POS, record["positives"]), (NEG, record["negatives"])):
        for word in words:
            out += [marker, *word]
    out += [f"[COST_{cost}]" for cost in record["costs"]]
    out.append(BOR)
    if solution and record.get("regex") is not None:
        out += [*record["regex"], EOR]
    return out


def from_tokens(tokens: Sequence[str]) -> dict[str, Any]:
    """The words, costs and expression of an instance given as tokens.

    Raises
    ------
    InputError
        With the place of the token that does not belong there.

    >>> record = {"positives": ["01", ""], "negatives": ["1"], "costs": [1, 2, 3, 4, 5, 6, 7, 8], "regex": "(01)?"}
    >>> from_tokens(to_tokens(record)) == record
    True
    """
    if not tokens or tokens[0] != CLS:
        raise InputError(f"token 0: {CLS} expected")
    words: dict[str, list[list[str]]] = {POS: [], NEG: []}
    costs: list[int] = []
    regex: list[str] | None = None
    into: list[str] | None = None
    ended = False
    for place, token in enumerate(tokens[1:], 1):
        if ended:
            raise InputError(f"token {place}: {token!r} after {EOR}")
        if regex is not None:
            if token == EOR:
                ended = True
            else:
                regex.append(token)
        elif token in words and not costs:
            into = []
            words[token].append(into)
        elif token.startswith("[COST_") and token[6:-1].isdigit():
            costs.append(int(token[6:-1]))
        elif token == BOR:
            regex = []
        elif into is not None and not costs and len(token) == 1:
            into.append(token)
        else:
            raise InputError(f"token {place}: {token!r} does not belong there")
    return {
        "positives": ["".join(word) for word in words[POS]], "negatives": ["".join(word) for word in words[NEG]], "costs": costs,
        "regex": "".join(regex) if regex and ended else None,
    }  # fmt: skip


def read_part(path: Path) -> list[dict[str, Any]]:
    """The records of a part, such as ``test.jsonl``."""
    from regsynth.corpora.records import read

    return [record for _, record in read(path) if isinstance(record, dict)]
