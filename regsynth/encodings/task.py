"""What an encoding encodes: the cheapest r with P ⊆ L(r), N ∩ L(r) = ∅ and L(r) ⊆ L(U)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from regsynth.automata.dfa import DFA, minimise
from regsynth.automata.position import to_dfa
from regsynth.encodings.words import Word
from regsynth.errors import InputError
from regsynth.syntax.costs import TREE_LENGTH, Costs
from regsynth.syntax.tree import EXTENDED_MASK

STANDARD_MASK = 0b101011100  # letters, ? * · +


@dataclass(frozen=True, slots=True)
class Task:
    """One question, in numbers.

    Attributes
    ----------
    letters : tuple of symbols
        Σ; a word is a tuple of positions in it.
    positives, negatives : tuple of words
        Accepted and rejected by every answer.
    upper : DFA or None
        When given, L(r) ⊆ L(upper) is part of the question. Only for answers
        without ``~``, ``&`` and ``−`` (the relation a sub-expression has on U's
        states does not determine these).
    costs : Costs
    allowed : int
        Mask of constructors; ∅ and ε count as operands only (as whole answers
        they are always allowed).
    """

    letters: tuple[Hashable, ...]
    positives: tuple[Word, ...]
    negatives: tuple[Word, ...]
    upper: DFA | None = None
    costs: Costs = TREE_LENGTH
    allowed: int = STANDARD_MASK

    @property
    def monotone(self) -> bool:
        """Whether a larger sub-expression always makes a larger whole."""
        return not self.allowed & EXTENDED_MASK

    @classmethod
    def of(cls, problem: Any, *, positives: Iterable[Word] = (), negatives: Iterable[Word] = (), states: int = 1_000_000) -> Task:
        """From a problem of :mod:`regsynth.solvers.results` (or anything with its attributes).

        Parameters
        ----------
        problem : InferenceProblem or MinimizationProblem
            With the attributes ``costs``, ``operators.mask``, ``alphabet`` and either
            ``positives`` and ``negatives`` (words as strings) or ``expr``.
        positives, negatives : iterable of words
            Of a minimisation: the CEGIS snapshot, words in and outside the language,
            as tuples of letter numbers.
        states : int
            Budget of the automaton of ``expr``.

        Raises
        ------
        InputError
            A word in both sets, or with a letter outside Σ.
        """
        allowed = problem.operators.mask
        if hasattr(problem, "positives"):
            words = problem.positives | problem.negatives
            letters = tuple(problem.alphabet) or tuple(sorted({c for w in words for c in w}))
            number = {c: i for i, c in enumerate(letters)}
            foreign = sorted({c for w in words for c in w} - number.keys())
            if foreign:
                raise InputError(f"letter {foreign[0]!r} of a word is not in the alphabet {''.join(map(str, letters))!r}; add it")
            coded = [tuple(sorted((tuple(number[c] for c in w) for w in side), key=lambda w: (len(w), w)))
                     for side in (problem.positives, problem.negatives)]  # fmt: skip
            return cls(letters, coded[0], coded[1], None, problem.costs, allowed)
        letters = tuple(sorted(problem.expr.alphabet | set(problem.alphabet), key=str))
        monotone = not allowed & EXTENDED_MASK
        upper = to_dfa(problem.expr, letters, states) if monotone else None
        return cls(letters, tuple(positives), tuple(negatives), upper, problem.costs, allowed)

    def with_automaton(self) -> Task:
        """The same question with N turned into U = Σ* ∖ N (only for monotone answers)."""
        if not self.monotone or not self.negatives or self.upper is not None:
            return self
        return replace(self, negatives=(), upper=all_but(self.negatives, self.letters))


def all_but(words: Iterable[Word], letters: tuple[Hashable, ...]) -> DFA:
    """Minimal automaton of every word over ``letters`` except ``words``.

    >>> len(all_but([(0, 0)], ("a",)))
    4
    """
    number: dict[Word, int] = {(): 0}
    rows: list[list[int]] = [[]]
    accepting = 1
    for w in words:
        for i in range(len(w)):
            if w[: i + 1] not in number:
                number[w[: i + 1]] = len(rows)
                accepting |= 1 << len(rows)
                rows.append([])
        accepting &= ~(1 << number[w])
    rest = len(rows)
    for w, q in number.items():
        rows[q] = [number.get((*w, a), rest) for a in range(len(letters))]
    rows.append([rest] * len(letters))
    return minimise(DFA(letters, tuple(map(tuple, rows)), accepting | 1 << rest))
