"""Check an enumerative certificate, in plain Python and without the engine.

The certificate holds samples P, a few of their letters (a *fooling set*), and a table of
expressions in types: each entry is a constructor over earlier entries, read from a closed
set X of U's states (see below). Types, cost, coverage and letters of an entry are worked
out here, never read. With G = cost − 1, the checker verifies

1. the answer solves the problem and costs what is claimed; P lies in the language;
2. any two of the fooling letters are different letters, or one of their cross words is not in U:
   so no occurrence of a letter in an expression inside U can read both;
3. every constructor applied to atoms and entries, at cost ≤ G, gives something that
   (a) can follow nothing (its target lies in no quotient), or
   (b) holds so few fooling letters that the others, each at the price of a letter and a binary
   operator, lift the whole above G, or
   (c) costs exactly G, so that nothing can be built from it, or
   (d) is covered by an entry of the same X, no dearer, whose target set is no larger and
   which accepts at least the same infixes among those that occur in such a place;
4. nothing met on the way is inside U, covers P and costs at most G.

Then no expression r with P ⊆ L(r) ⊆ U costs at most G. Suppose there is one; walk
through it from its leaves up, left to right, putting for each sub-expression an entry that
covers it. By (d) the tree stays inside U, keeps accepting P and gets no dearer; (a), (b)
and (c) cannot happen to a part of a tree that is inside U, accepts P and costs at most G.
At the root this contradicts 4. Skip rules of the engine (nesting, order of operands, options
and stars over nullable operands) play no part: *all* applications are tried.

For the language theory (closed sets, types, coverage) see ``docs/encodings.md``.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from regsynth.solvers.certificates.folder import Claim, Rejected
from regsynth.solvers.certificates.languages import Automaton, language, words
from regsynth.solvers.certificates.places import Places, Value
from regsynth.solvers.results import InferenceProblem
from regsynth.syntax.tree import CONCAT, EMPTY, EPSILON, LETTER, OPTION, STAR, UNION


def check(claim: Claim) -> None:
    """Raise :class:`Rejected` unless the certificate proves its claim."""
    upper, letters = check_answer(claim)
    problem, bound = claim.problem, claim.cost - 1
    if bound < problem.costs.atom:
        return  # nothing is cheaper than one atom
    if not problem.operators.monotone or EMPTY in problem.operators:
        raise Rejected("a table proves nothing about ~, &, - or ∅ as operands; use a SAT certificate")
    number = {symbol: a for a, symbol in enumerate(letters)}
    if claim.negatives:
        raise Rejected("a table has no negative samples")
    if not claim.positives or list(claim.positives) == [""]:
        raise Rejected("the samples are all met by ∅ or ε alone")
    if any(c not in number for w in claim.positives for c in w):
        raise Rejected("a sample has a letter outside the alphabet")
    samples = [tuple(number[c] for c in w) for w in claim.positives]
    for text, word in zip(claim.positives, samples, strict=True):
        if not upper.accepts(word):
            raise Rejected(f"the sample {text!r} is not in the language")
    fooling = _fooling(claim.evidence.get("fooling"), samples, upper)
    places = Places(upper, len(letters), samples, fooling)
    Table(claim, places, bound).check()


def check_answer(claim: Claim) -> tuple[Automaton, list[str]]:
    """Decide again that the answer solves the problem; U and Σ."""
    problem, answer = claim.problem, claim.answer
    forbidden = answer.mask & ~(problem.operators.mask | 1 << LETTER)
    if forbidden and answer.op not in (EMPTY, EPSILON):
        raise Rejected(f"the answer {answer} uses an operator that is not among {problem.operators}")
    if isinstance(problem, InferenceProblem):
        used = set().union(*problem.positives, *problem.negatives)
        letters = list(problem.alphabet) or sorted(used)
        if used - set(letters):
            raise Rejected("a word of the problem has a letter outside the alphabet")
        number = {symbol: a for a, symbol in enumerate(letters)}
        found = language(answer, letters)
        for side, wanted in ((problem.positives, True), (problem.negatives, False)):
            for w in side:
                if found.accepts(number[c] for c in w) is not wanted:
                    raise Rejected(f"the answer {answer} is wrong about {w!r}")
        return words([tuple(number[c] for c in w) for w in problem.negatives], len(letters), others=True), letters
    letters = sorted(problem.expr.alphabet | set(problem.alphabet), key=str)  # type: ignore[arg-type]
    upper = language(problem.expr, letters)
    if answer.alphabet - set(letters) or language(answer, letters) != upper:
        raise Rejected(f"the answer {answer} is not equivalent to {problem.expr}")
    return upper, letters


def _fooling(given: Any, samples: list[tuple[int, ...]], upper: Automaton) -> list[tuple[int, int]]:
    """Validate the fooling set: places (sample, position)."""
    if not isinstance(given, list):
        raise Rejected("field 'fooling' is missing")
    places = []
    for place in given:
        if not (isinstance(place, list) and len(place) == 2 and all(type(n) is int and n >= 0 for n in place)):
            raise Rejected(f"{place!r} is no place of a letter")
        if place[0] >= len(samples) or place[1] >= len(samples[place[0]]):
            raise Rejected(f"there is no letter at {place!r}")
        places.append((place[0], place[1]))
    for (m, i), (n, j) in combinations(places, 2):
        v, w = samples[m], samples[n]
        if v[i] == w[j] and upper.accepts(v[: i + 1] + w[j + 1 :]) and upper.accepts(w[: j + 1] + v[i + 1 :]):
            raise Rejected(f"one occurrence of a letter could read both {[m, i]} and {[n, j]}: no fooling set")
    return places


class Table:
    """The entries, worked out, and the check that they are closed below the bound."""

    def __init__(self, claim: Claim, places: Places, bound: int) -> None:
        self.places, self.bound = places, bound
        self.costs, self.operators = claim.problem.costs, claim.problem.operators
        binary = [c for op, c in ((CONCAT, self.costs.concat), (UNION, self.costs.union)) if op in self.operators]
        self.unit = self.costs.atom + min(binary, default=0)
        self.at: dict[int, list[Value]] = {x: [] for x in places.contexts}
        rows = claim.evidence.get("table")
        if not isinstance(rows, list):
            raise Rejected("field 'table' is missing")
        self.made = made = []  # type: list[Value]
        for row in rows:
            if not (isinstance(row, list) and len(row) == 4 and all(type(n) is int for n in row)):
                raise Rejected(f"entry {len(made)} is not four whole numbers")
            x, op, left, right = row
            if x not in self.at:
                raise Rejected(f"entry {len(made)} is read from {x}, which is no closed set")
            value = self._entry(x, op, left, right, made)
            if value is None:
                raise Rejected(f"entry {len(made)} is no expression in a type")
            made.append(value)
            self.at[x].append(value)
        for entries in self.at.values():
            entries.sort(key=lambda e: e.cost)

    def _entry(self, x: int, op: int, left: int, right: int, made: list[Value]) -> Value | None:
        def earlier(i: int) -> Value:
            if not 0 <= i < len(made):
                raise Rejected(f"entry {len(made)} refers to entry {i}")
            return made[i]

        if op not in (LETTER, *self.operators_used()):
            return None
        if op == LETTER:
            return self.places.letter(x, left, self.costs.atom) if 0 <= left < self.places.letters else None
        if op == EPSILON:
            return self.places.epsilon(x, self.costs.atom)
        if op in (OPTION, STAR):
            return self._apply(op, x, earlier(left), None)
        return self._apply(op, x, earlier(left), earlier(right))

    def operators_used(self) -> list[int]:
        """Constructors beside letters that may be applied."""
        return [op for op in (EPSILON, OPTION, STAR, CONCAT, UNION) if op in self.operators]

    def _apply(self, op: int, x: int, s: Value, t: Value | None) -> Value | None:
        """An operator on entries, read from x; ``None`` where it has no type."""
        places, cost = self.places, self.costs.by_op[op] + s.cost + (0 if t is None else t.cost)
        if op == OPTION:
            return places.option(x, s, cost) if s.source == x else None
        if op == STAR:
            return places.star(x, s, cost)
        assert t is not None
        if op == UNION:
            return places.union(s, t, cost) if s.source == t.source == x else None
        return places.concat(s, t, cost) if s.source == x and t.source == s.target else None

    def check(self) -> None:
        """Apply everything to everything."""
        places, costs, ops = self.places, self.costs, self.operators_used()
        for x, entries in self.at.items():
            for a in range(places.letters):
                self._settle(places.letter(x, a, costs.atom))
            if EPSILON in ops:
                self._settle(places.epsilon(x, costs.atom))
            for s in entries:
                left = self.bound - s.cost
                if OPTION in ops and costs.option <= left:
                    self._settle(self._apply(OPTION, x, s, None))
                if STAR in ops and costs.star <= left:
                    for y in places.contexts:
                        self._settle(self._apply(STAR, y, s, None))
                if UNION in ops:
                    for t in entries:
                        if t.cost + costs.union > left or t.cost > s.cost:
                            break
                        self._settle(self._apply(UNION, x, s, t))
                if CONCAT in ops:
                    for t in self.at[s.target]:
                        if t.cost + costs.concat > left:
                            break
                        self._settle(self._apply(CONCAT, x, s, t))

    def _settle(self, value: Value | None) -> None:
        """One application: see 3 and 4 in the module's description."""
        if value is None or value.cost > self.bound:
            return
        places = self.places
        if value.cost + (len(places.fooling) - value.letters) * self.unit > self.bound:
            return
        if places.is_goal(value):
            raise Rejected(f"an expression of cost {value.cost} covers all samples: nothing says that {self.bound + 1} is needed")
        if value.cost == self.bound:
            return
        for entry in self.at[value.source]:
            if entry.cost > value.cost:
                break
            if not value.cover & ~entry.cover and not entry.target & ~value.target:
                return
        raise Rejected(f"the table is not closed: an expression of cost {value.cost} is covered by none of its entries")


