"""Check every claim of a labelled corpus, each against a proof.

All expressions are grouped by language in one go, which settles every claim of
(in)equivalence; a second method, the pair kernels, settles them again. Minima are
proven once for each class of languages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from regsynth.automata.position import PositionAutomaton
from regsynth.automata.recogniser import Thompson, recogniser
from regsynth.automata.reference import compare
from regsynth.corpora import claims as kinds
from regsynth.corpora.claims import Claim, claims_of
from regsynth.corpora.executors import Executor, Serial
from regsynth.corpora.labelling import Settings, Task, solve, warm
from regsynth.corpora.languages import Groups, group
from regsynth.corpora.records import files_of, identity, read
from regsynth.errors import BudgetExceeded, InputError, MethodsDisagree
from regsynth.syntax.formal import parse
from regsynth.syntax.tree import EXTENDED_MASK

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """A wrong claim, or one that cannot be read.

    ``witness`` is a word that shows it, ``cheaper`` an expression that shows it; a wrong
    claim of *non*-equivalence has ``common`` instead, a minimal expression of both sides
    (when one was proven): their minimal automata are equal, and a product search finds no
    word that tells them apart.
    """

    id: Any
    field: str
    claim: Any
    found: Any
    witness: str | None = None
    cheaper: str | None = None
    common: str | None = None
    verdict: str = "wrong"


@dataclass(slots=True)
class Audit:
    """Outcome of an audit: counts by field, and what was found."""

    records: int = 0
    checked: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    unreadable: Counter[str] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


def audit(
    path: Path | str,
    *,
    settings: Settings | None = None,
    executor: Executor | None = None,
    progress: Progress = lambda what, done, total: None,
) -> Audit:
    """Check every claim in a file or folder.

    Parameters
    ----------
    path : path
        JSONL or a JSON list with the fields of RegexPSPACE, of ``regsynth label``, or an
        inference problem with its answer (``positives``, ``negatives``, ``regex``, ``cost``).
    settings : Settings, optional
        Budget of each minimisation.
    executor : Executor, optional
        Where minima are proven; this process by default.

    Raises
    ------
    InputError
        When the file cannot be read, or an id is given twice.
    MethodsDisagree
        When two of our own methods contradict each other.
    """
    out = Audit()
    texts: dict[str, int] = {}
    pending: list[tuple[Any, Claim]] = []
    order: dict[Any, int] = {}
    for place, claim in _claims(Path(path), out):
        order.setdefault(place, len(order))
        if claim.kind == kinds.MALFORMED:
            out.unreadable[claim.field] += 1
            out.findings.append(Finding(place, claim.field, claim.value, "not what this field should hold", verdict="unreadable"))
            continue
        texts.setdefault(claim.first, len(texts))
        if claim.kind in (kinds.EQUAL, kinds.UNEQUAL):
            texts.setdefault(claim.value, len(texts))
        pending.append((place, claim))
    progress("grouping", 0, len(texts))
    names = list(texts)
    groups = group(names, progress=lambda done: progress("grouping", done, len(texts)))
    checker = _Checker(names, texts, groups, settings or Settings(), out)
    checker.confirm_pairs(claim for _, claim in pending)
    checker.solve_classes((claim for _, claim in pending), executor or Serial(), progress)
    for place, claim in pending:
        checker.check(place, claim)
    out.findings.sort(key=lambda finding: order[finding.id])
    return out


def _claims(path: Path, out: Audit) -> Iterator[tuple[Any, Claim]]:
    seen: set[Any] = set()
    offset = 0
    for file in files_of(path):
        number = 0
        for number, record in read(file):
            out.records += 1
            if not isinstance(record, dict):
                yield offset + number, Claim("record", kinds.MALFORMED, "", str(record)[:120])
                continue
            place = identity(record, offset + number)
            if isinstance(place, (list, dict)):
                place = offset + number
            if place in seen:
                raise InputError(f"{file}, line {number}: id {place!r} is given twice; give every record its own id")
            seen.add(place)
            if record.get("status") != "error":
                for claim in claims_of(record):
                    yield place, claim
        offset += number


class _Checker:
    """Decides claims once the languages are known."""

    def __init__(self, names: list[str], texts: dict[str, int], groups: Groups, settings: Settings, out: Audit) -> None:
        self.names, self.texts, self.groups, self.settings, self.out = names, texts, groups, settings, out
        self.solved: dict[int, dict[str, Any]] = {}
        self._automata: dict[str, PositionAutomaton | Thompson] = {}

    def language(self, text: str) -> int:
        """Number of a text's language; -1 for a text that is no expression."""
        return int(self.groups.language[self.texts[text]])

    def confirm_pairs(self, claims: Iterator[Claim]) -> None:
        """Decide all pairs by the pair kernels too; they must agree with the grouping."""
        from regsynth.automata.batch import DIFFERENT, EQUIVALENT, compare_many

        pairs = list(dict.fromkeys((c.first, c.value) for c in claims if c.kind in (kinds.EQUAL, kinds.UNEQUAL)))
        found = compare_many([first for first, _ in pairs], [second for _, second in pairs])
        for (first, second), verdict in zip(pairs, found.verdict.tolist()):
            one, other = self.language(first), self.language(second)
            if min(one, other) >= 0 and verdict in (EQUIVALENT, DIFFERENT) and (one == other) != (verdict == EQUIVALENT):
                if not (parse(first).mask | parse(second).mask) & EXTENDED_MASK:
                    raise MethodsDisagree(f"{first} and {second}: equal automata {one == other}, product search {verdict}")

    def solve_classes(self, claims: Iterator[Claim], executor: Executor, progress: Progress) -> None:
        """Prove the minimum of every class that some claim is about."""
        classes: dict[int, Task] = {}
        for claim in claims:
            if claim.kind in (kinds.MINIMUM, kinds.BOUND) and self.language(claim.first) >= 0:
                number = int(self.groups.classes[self.language(claim.first)])
                classes.setdefault(number, Task(number, self.names[int(self.groups.members[number])]))
        if not classes:
            return
        results = executor.run(partial(solve, self.settings), classes.values(), warm)
        for done, (task, outcome) in enumerate(results, 1):
            if isinstance(outcome, dict):
                self.solved[task.number] = outcome
            progress("minima", done, len(classes))

    def check(self, place: Any, claim: Claim) -> None:
        """Settle one claim."""
        second = claim.value if claim.kind in (kinds.EQUAL, kinds.UNEQUAL) else claim.first
        for text in (claim.first, second):
            if self.language(text) < 0:
                self.out.unreadable[claim.field] += 1
                why = self.groups.faults.get(self.texts[text], "cannot be read")
                self.out.findings.append(Finding(place, claim.field, _shown(claim), f"{text!r}: {why}", verdict="unreadable"))
                return
        self.out.checked[claim.field] += 1
        finding = getattr(self, f"_{claim.kind}")(claim)
        if finding is not None:
            self.out.wrong[claim.field] += 1
            self.out.findings.append(Finding(place, claim.field, _shown(claim), **finding))

    def _undecided(self, claim: Claim) -> None:
        self.out.checked[claim.field] -= 1
        self.out.undecided[claim.field] += 1

    def _tree_length(self, claim: Claim) -> dict[str, Any] | None:
        length = parse(claim.first).length
        return None if length == claim.value else {"found": length}

    def _equal(self, claim: Claim) -> dict[str, Any] | None:
        if self.language(claim.first) == self.language(claim.value):
            return None
        found = compare(parse(claim.first), parse(claim.value))
        if found.verdict == "unknown":
            self._undecided(claim)
            return None
        if found:
            raise MethodsDisagree(f"{claim.first} and {claim.value}: different automata, but no word tells them apart")
        side = "the query" if found.accepted_by == "first" else "the other"
        return {"found": f"different: only {side} accepts the witness", "witness": found.word}

    def _unequal(self, claim: Claim) -> dict[str, Any] | None:
        if self.language(claim.first) != self.language(claim.value):
            return None
        found = compare(parse(claim.first), parse(claim.value))
        if found.verdict == "different":
            raise MethodsDisagree(f"{claim.first} and {claim.value}: equal automata, but {found.word!r} tells them apart")
        return {"found": "equivalent: both have the same minimal automaton", "common": self._common(claim.first)}

    def _minimum(self, claim: Claim) -> dict[str, Any] | None:
        language = self.language(claim.first)
        outcome = self.solved.get(int(self.groups.classes[language]))
        value = parse(claim.value).length if isinstance(claim.value, str) else claim.value
        if outcome is None or outcome["cost"] is None or (outcome["status"] != "optimal" and value <= outcome["cost"]):
            self._undecided(claim)
            return None
        if outcome["status"] == "optimal" and value == outcome["cost"]:
            return None
        if value < outcome["cost"]:
            return {"found": f"{outcome['cost']} is proven minimal"}
        return {"found": outcome["cost"], "cheaper": self._common(claim.first)}

    def _bound(self, claim: Claim) -> dict[str, Any] | None:
        language = self.language(claim.first)
        outcome = self.solved.get(int(self.groups.classes[language]))
        if (
            outcome is None
            or outcome["cost"] is None
            or (claim.value > outcome["lower_bound"] and claim.value <= outcome["cost"])
        ):
            self._undecided(claim)
            return None
        if claim.value <= outcome["lower_bound"]:
            return None
        return {"found": outcome["cost"], "cheaper": self._common(claim.first)}

    def _common(self, text: str) -> str | None:
        """The best expression known for a text's language."""
        language = self.language(text)
        number = int(self.groups.classes[language])
        outcome = self.solved.get(number)
        if outcome is None or outcome["regex"] is None:
            return None
        source = int(self.groups.language[self.groups.members[number]])
        return str(self.groups.carry(parse(outcome["regex"]), source, language))

    def _accepts(self, claim: Claim) -> dict[str, Any] | None:
        return {"found": "rejected", "witness": claim.value} if self._has(claim) is False else None

    def _rejects(self, claim: Claim) -> dict[str, Any] | None:
        return {"found": "accepted", "witness": claim.value} if self._has(claim) is True else None

    def _has(self, claim: Claim) -> bool | None:
        automaton = self._automata.get(claim.first)
        if automaton is None or not set(claim.value) <= set(map(str, automaton.alphabet)):
            self._automata.clear()  # a record's words come together
            expr = parse(claim.first)
            letters_of_both = sorted({*map(str, expr.alphabet), *claim.value})  # ~ is relative to the word's letters too
            try:
                automaton = self._automata[claim.first] = recogniser(expr, letters_of_both)
            except BudgetExceeded:
                self._undecided(claim)
                return None
        letters = {symbol: i for i, symbol in enumerate(automaton.alphabet)}
        word = [letters.get(symbol, -1) for symbol in claim.value]
        return -1 not in word and bool(automaton.accepts(word))

    def _problem(self, claim: Claim) -> dict[str, Any] | None:
        from regsynth.budget import Budget
        from regsynth.solvers.inference import infer
        from regsynth.solvers.results import STANDARD, Operators
        from regsynth.syntax.costs import Costs

        record = claim.value
        given = record.get("costs", "tree")
        costs = Costs.parse(given) if isinstance(given, str) else Costs.of(tuple(given))
        own = costs.of_expr(parse(claim.first))
        cost = record.get("cost", own)
        if cost != own:
            return {"found": own}
        if not record["status"]:
            return None  # the best known, not claimed to be the cheapest
        given = record.get("operators")
        operators = Operators.parse(given) if isinstance(given, str) else STANDARD
        budget = Budget(seconds=self.settings.seconds)
        sigma = tuple(map(str, record.get("alphabet", ())))
        words = record["positives"], record["negatives"]
        found = infer(*words, costs=costs, operators=operators, alphabet=sigma, budget=budget)
        if found.cost is not None and found.cost < own:
            return {"found": found.cost, "cheaper": str(found.regex)}
        if found.status != "optimal" and found.lower_bound < own:
            self._undecided(claim)
        return None


def _shown(claim: Claim) -> Any:
    return claim.value.get("cost") if claim.kind == kinds.PROBLEM else claim.value
