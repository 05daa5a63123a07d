"""Label a corpus with proven minimal expressions: group, solve each class once, write every member.

The output folder holds

* ``manifest.json``: what the labels depend on (input, options, version, code);
* ``labels/00000.jsonl`` …: one record for each of the input's, in its order;
* ``summary.json``: counts and the distribution of minimal lengths;
* ``journal.jsonl``: every class as it was solved, with its time: the only file that
  depends on the machine. A later run reads it and solves what is missing.

Everything but the journal is the same, byte for byte, whatever executor ran it and
however often it was killed: what decides a label is counted in steps.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from json.encoder import encode_basestring as quote
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from regsynth._version import __version__
from regsynth.budget import Budget
from regsynth.corpora.executors import Executor, Processes
from regsynth.corpora.folders import Journal, claim, encode, owned, readable_errors, write_json, write_whole
from regsynth.corpora.languages import Groups, group, translated
from regsynth.corpora.records import Texts, read_texts
from regsynth.errors import InputError, MethodsDisagree, RegsynthError
from regsynth.solvers.results import STANDARD, Operators
from regsynth.syntax.costs import TREE_LENGTH, Costs
from regsynth.syntax.formal import SPECIAL, parse

SCHEMA = "regsynth/label/1"
STEPS = 5_000_000  # candidates an item may try: some ten seconds
SAFETY = 300.0  # seconds after which an item is given up whatever its steps
EXTENDED = re.compile(r"[~&\-ε∅]")  # may be an operator the standard answer lacks: parse to know
Progress = Callable[[str, int, int], None]


class Settings(NamedTuple):
    """What decides a label; goes to the workers.

    ``steps`` are candidates of the search. ``seconds`` is a safety net only: an item
    that meets it is marked ``"stopped": "seconds"`` and may differ between runs.
    """

    costs: Costs = TREE_LENGTH
    operators: Operators = STANDARD
    steps: int = STEPS
    seconds: float | None = SAFETY
    memory: int = 2 << 30


class Task(NamedTuple):
    """A class, and the first of its shortest members."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of a labelled corpus.

    Attributes
    ----------
    records, languages, classes : int
        Classes are languages up to renaming of letters and reversal.
    status : dict of str to int
        Records by status.
    lengths : dict of int to int
        Records with a proven minimum, by that minimum.
    gap : float
        Mean of ``(cost - lower_bound) / cost`` over all labelled records.
    ratio : float
        Geometric mean of ``cost / input cost``.
    """

    records: int
    languages: int
    classes: int
    status: dict[str, int]
    lengths: dict[int, int]
    gap: float
    ratio: float


def warm() -> None:
    """Load the search kernels, so that every answer comes from the same tier."""
    import regsynth.solvers.typed_compiled  # noqa: F401
    from regsynth.solvers.minimise import minimize

    minimize(parse("a*(b+ab)"))


def solve(settings: Settings, task: Task) -> dict[str, Any]:
    """Minimise one expression; a budget that runs out leaves a right answer and an honest bound."""
    from regsynth.solvers.minimise import minimize

    budget = Budget(seconds=settings.seconds, memory=settings.memory, steps=settings.steps)
    found = minimize(parse(task.text), costs=settings.costs, operators=settings.operators, budget=budget)
    outcome = {"regex": None if found.regex is None else str(found.regex), "cost": found.cost,
               "lower_bound": found.lower_bound, "status": found.status}  # fmt: skip
    if found.status != "optimal" and settings.seconds is not None and found.seconds >= settings.seconds:
        outcome["stopped"] = "seconds"
    return {**outcome, "seconds": round(found.seconds, 6)}


def label(
    source: Path | str,
    output: Path | str,
    *,
    settings: Settings | None = None,
    fields: tuple[str, ...] = ("query", "regex", "pattern"),
    shard: int = 5000,
    executor: Executor | None = None,
    progress: Progress = lambda what, done, total: None,
) -> Summary:
    """Label every expression of ``source``; a later call goes on where an earlier one stopped.

    Parameters
    ----------
    source : path
        JSONL, a JSON list or lines; or a corpus folder.
    output : path
        Folder, made if need be.
    settings : Settings, optional
    fields : tuple of str
        The first of these that a record has is its expression.
    shard : int
        Records a file, 1,000 to 5,000.
    executor : Executor, optional
        Two local processes by default.
    progress : callable
        Told what is being done, how much of it is done, and how much there is.

    Raises
    ------
    InputError
        Unreadable input, a folder in use, a changed manifest, a full disk.
    MethodsDisagree
        A label contradicts the expression it labels: a bug.
    """
    settings, output = settings or Settings(), Path(output)
    if not 1000 <= shard <= 5000:
        raise InputError(f"shard {shard}: give 1000 to 5000 records a file")
    progress("reading", 0, 1)
    corpus = read_texts(Path(source), fields)
    with owned(output):
        claim(output, manifest(corpus, settings, shard))
        groups = _grouped(output, corpus, progress)
        run = _Run(corpus, groups, settings, output, shard)
        tasks = run.missing()
        total = len(run.outcomes)
        progress("classes", total - len(tasks), total)
        with Journal(output / "journal.jsonl") as journal:
            results = (executor or Processes(2)).run(partial(solve, settings), tasks, warm)
            for done, (task, outcome) in enumerate(results, total - len(tasks) + 1):
                journal.append([run.take(task, outcome)])
                run.write_ready()
                progress("classes", done, total)
        run.write_ready()
        lost = run.outcomes.count(None)
        if lost:
            raise RegsynthError(f"{lost:,} of {total:,} classes came back from no worker; run the same command again to go on")
        return run.summary(progress)


def manifest(corpus: Texts, settings: Settings, shard: int) -> dict[str, Any]:
    """Everything the labels depend on."""
    return {
        "schema": "regsynth/labels/1", "input": corpus.digest, "records": len(corpus.ids), "shard": shard,
        "costs": ",".join(map(str, settings.costs.by_op[2:])), "operators": str(settings.operators),
        "steps": settings.steps, "seconds": settings.seconds, "memory": settings.memory,
        "version": __version__, "code": code_digest(),
    }  # fmt: skip


def code_digest() -> str:
    """SHA-256 of the source of everything that decides a label."""
    root, digest = Path(__file__).parents[1], sha256()
    for room in ("syntax", "automata", "solvers"):
        for path in sorted((root / room).glob("*.py")):
            digest.update(path.name.encode() + path.read_bytes())
    for name in ("labelling.py", "languages.py", "language_kernels.py"):
        digest.update((root / "corpora" / name).read_bytes())
    return digest.hexdigest()[:32]


def _grouped(output: Path, corpus: Texts, progress: Progress) -> Groups:
    """The groups, from an earlier run if it got that far."""
    path = output / ".groups.npz"
    names = ("language", "length", "classes", "turned", "order", "place", "members")
    if path.exists():
        with readable_errors(path), np.load(path) as saved:
            faults = {int(i): str(text) for i, text in json.loads(str(saved["faults"])).items()}
            return Groups(**{name: saved[name] for name in names}, faults=faults)
    groups = group(corpus.texts, progress=lambda done: progress("grouping", done, len(corpus.texts)))
    part = output / "..groups.npz.part"
    with readable_errors(path):
        with open(part, "wb") as file:
            np.savez(file, faults=np.array(json.dumps(groups.faults)), **{name: getattr(groups, name) for name in names})
        part.replace(path)
    return groups


class _Run:
    """State of a run: outcomes by class, and which shards are on disk."""

    def __init__(self, corpus: Texts, groups: Groups, settings: Settings, output: Path, shard: int) -> None:
        self.corpus, self.groups, self.settings, self.output, self.size = corpus, groups, settings, output, shard
        self.outcomes: list[dict[str, Any] | None] = [None] * len(groups.members)
        self.solved = 0  # all classes before this one are
        self.shards = -(-len(corpus.ids) // shard)
        self.ready = 0  # all shards before this one are on disk
        self._forms: dict[tuple[int, bool], str] = {}  # an outcome's expression as text, as it is and reversed, by class
        self._texts: dict[int, str] = {}  # and by language
        classes = np.where(groups.language >= 0, groups.classes[groups.language] if len(groups.classes) else -1, -1)
        bounds = range(0, len(classes), shard)
        self.need = np.maximum.accumulate([int(classes[b : b + shard].max()) for b in bounds]).tolist()
        (output / "labels").mkdir(exist_ok=True)

    def missing(self) -> list[Task]:
        """Classes no journal has."""
        for entry in Journal(self.output / "journal.jsonl").read():
            if 0 <= entry.get("class", -1) < len(self.outcomes):
                self.outcomes[entry["class"]] = entry
        members = self.groups.members.tolist()
        return [Task(i, self.corpus.texts[members[i]]) for i, known in enumerate(self.outcomes) if known is None]

    def take(self, task: Task, outcome: dict[str, Any] | str) -> dict[str, Any]:
        """Keep an outcome; returns its line of the journal."""
        if isinstance(outcome, str):
            why = "killed its worker (out of memory?)"
            outcome = {"regex": task.text, "cost": self.settings.costs.of_expr(parse(task.text)),
                       "lower_bound": self.settings.costs.atom, "status": "feasible", "stopped": why, "seconds": 0.0}  # fmt: skip
            if parse(task.text).mask & ~self.settings.operators.mask:
                outcome |= {"regex": None, "cost": None, "status": "unknown"}
        entry = {"class": task.number, "member": task.text, **outcome}
        self.outcomes[task.number] = entry
        return entry

    def write_ready(self) -> None:
        """Write the shards all of whose classes are solved."""
        while self.solved < len(self.outcomes) and self.outcomes[self.solved] is not None:
            self.solved += 1
        while self.ready < self.shards and self.need[self.ready] < self.solved:
            path = self.output / "labels" / f"{self.ready:05}.jsonl"
            if not path.exists():
                begin = self.ready * self.size
                write_whole(path, self._lines(begin, min(begin + self.size, len(self.corpus.ids))))
            self.ready += 1

    def _lines(self, begin: int, end: int) -> Iterator[str]:
        # The common case is written out, for more than a million records: a fifth of the time of encoding a dictionary.
        plain = self.settings.costs.is_tree and self.settings.operators == STANDARD
        lengths, languages = self.groups.length[begin:end].tolist(), self.groups.language[begin:end].tolist()
        for i, own, language in zip(range(begin, end), lengths, languages):
            text = self.corpus.texts[i]
            if plain and language >= 0 and i not in self.corpus.faults and not EXTENDED.search(text):
                number = int(self.groups.classes[language])
                outcome = self.outcomes[number]
                assert outcome is not None
                cost = outcome["cost"]
                if outcome["status"] == "optimal" and own >= cost:
                    regex = quote(self._answer(language, number) or "")
                    yield (
                        f'{{"schema": "{SCHEMA}", "id": {encode(self.corpus.ids[i])}, "query": {quote(text)}, "tree_length": {own}, '
                        f'"minimized_regex": {regex}, "minimized_tree_length": {cost}, "lower_bound": {cost}, "status": "optimal"}}\n'
                    )
                    continue
            yield encode(self.record(i)) + "\n"

    def record(self, i: int) -> dict[str, Any]:
        """The label of one record."""
        corpus, groups = self.corpus, self.groups
        head = {"schema": SCHEMA, "id": corpus.ids[i]}
        fault = corpus.faults.get(i) or groups.faults.get(i)
        if fault is not None:
            return {**head, "status": "error", "message": fault}
        language, text = int(groups.language[i]), corpus.texts[i]
        number = int(groups.classes[language])
        outcome = self.outcomes[number]
        assert outcome is not None
        own = self._own_cost(i)
        cost, bound, status, regex = outcome["cost"], outcome["lower_bound"], outcome["status"], self._answer(language, number)
        if own is not None and own < bound:
            raise MethodsDisagree(f"{text} costs {own}, but its class has the proven bound {bound}")
        if own is not None and (cost is None or own < cost):  # only where the budget ran out
            cost, regex, status = own, text, "optimal" if own == bound else "feasible"
        unit = "tree_length" if self.settings.costs.is_tree else "cost"
        out = {**head, "query": text, unit: own, "minimized_regex": regex, f"minimized_{unit}": cost,
               "lower_bound": bound, "status": status}  # fmt: skip
        if "stopped" in outcome:
            out["stopped"] = outcome["stopped"]
        return out

    def _own_cost(self, i: int) -> int | None:
        """What the input costs, if its operators are allowed in an answer."""
        if self.settings.costs.is_tree and self.settings.operators == STANDARD and self.groups.language[i] >= 0:
            if not EXTENDED.search(self.corpus.texts[i]):
                return int(self.groups.length[i])
        expr = parse(self.corpus.texts[i])
        return None if expr.mask & ~self.settings.operators.mask else self.settings.costs.of_expr(expr)

    def _answer(self, language: int, number: int) -> str | None:
        known = self._texts.get(language)
        if known is not None:
            return known
        outcome = self.outcomes[number]
        assert outcome is not None
        if outcome["regex"] is None:
            return None
        groups = self.groups
        source = int(groups.language[groups.members[number]])
        turned = bool(groups.turned[source] != groups.turned[language])
        if (number, turned) not in self._forms:
            expr = parse(outcome["regex"])
            names = {letter: letter for letter in map(str, expr.alphabet)}
            self._forms[number, turned] = str(translated(expr, names, True) if turned else expr)
        text, old, new = self._forms[number, turned], groups.letters(source), groups.letters(language)
        if source != language:
            if SPECIAL.isdisjoint(old) and SPECIAL.isdisjoint(new):  # no letter is written with a backslash
                text = text.translate(dict(zip(map(ord, old), new, strict=True)))
            else:
                text = str(groups.carry(parse(outcome["regex"]), source, language))
        self._texts[language] = text
        return text

    def summary(self, progress: Progress) -> Summary:
        """Write and return the counts."""
        status: Counter[str] = Counter()
        lengths: Counter[int] = Counter()
        gaps = logs = 0.0
        labelled = 0
        for i in range(len(self.corpus.ids)):
            fault = i in self.corpus.faults or i in self.groups.faults
            outcome = None if fault else self.outcomes[int(self.groups.classes[self.groups.language[i]])]
            status["error" if outcome is None else outcome["status"]] += 1
            if outcome is None or outcome["cost"] is None:
                continue
            if outcome["status"] == "optimal":
                lengths[outcome["cost"]] += 1
            labelled += 1
            gaps += (outcome["cost"] - outcome["lower_bound"]) / outcome["cost"]
            own = self._own_cost(i)
            logs += float(np.log(outcome["cost"] / own)) if own else 0.0
        found = Summary(
            len(self.corpus.ids), len(self.groups.classes), len(self.outcomes), dict(sorted(status.items())),
            dict(sorted(lengths.items())), gaps / max(labelled, 1), float(np.exp(logs / max(labelled, 1))),
        )  # fmt: skip
        write_json(self.output / "summary.json", {
            "schema": "regsynth/labels-summary/1", "records": found.records, "languages": found.languages,
            "classes": found.classes, "status": found.status, "minimal_costs": {str(k): v for k, v in found.lengths.items()},
            "mean_gap": round(found.gap, 6), "ratio": round(found.ratio, 6),
        })  # fmt: skip
        progress("classes", len(self.outcomes), len(self.outcomes))
        return found

