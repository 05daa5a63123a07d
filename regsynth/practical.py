"""Practical patterns: compile once, compare and question often.

>>> digits = compile_pattern(r"\\d{2,3}", flags="a")
>>> digits.matches("123"), digits.count(), [*digits.words(limit=2)]
(True, 1100, ['00', '01'])
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from regsynth.automata import words
from regsynth.automata.lazy import LazyDFA
from regsynth.automata.machine import SEMANTICS, build
from regsynth.automata.pairs import Difference, Relation, decide
from regsynth.automata.reference import Comparison
from regsynth.budget import Budget, Clock
from regsynth.errors import BudgetExceeded, InputError, UndecidableError, UnsupportedError
from regsynth.syntax.charset import ALL, BYTES, CharSet
from regsynth.syntax.pattern import Node, same

if TYPE_CHECKING:
    from regsynth.automata.dfa import DFA

PAIR_BUDGET = Budget(seconds=10.0, memory=2 << 30)
"""What a pair of practical patterns may use unless told otherwise: 10 s and 2 GB."""

_VERDICTS = {"equivalent": ("equivalent", "different"), "included": ("included", "not_included"),
             "disjoint": ("disjoint", "not_disjoint")}  # fmt: skip
_CACHE = 2048


class Pattern:
    """A compiled pattern: the set of subjects it matches.

    Made by :func:`compile_pattern`. Its automaton grows by need and is kept, so a
    second question is cheaper than the first.

    Attributes
    ----------
    text : str or bytes
    dialect : {"python", "brics"}
    semantics : {"fullmatch", "match", "search"}
    flags : int
        Flags of ``re`` in force for the whole pattern, inline ones included.
    """

    __slots__ = ("_fault", "_machine", "_places", "dialect", "flags", "root", "semantics", "text", "universe")

    def __init__(
        self, text: str | bytes, dialect: str, semantics: str, flags: int, root: Node, universe: CharSet,
        places: Callable[[int], int | None],
    ) -> None:  # fmt: skip
        self.text = text
        self.dialect = dialect
        self.semantics = semantics
        self.flags = flags
        self.root = root
        self.universe = universe
        self._places = places
        self._machine: LazyDFA | None = None
        self._fault: Exception | None = None

    def __repr__(self) -> str:
        return f"compile_pattern({self.text!r}, dialect={self.dialect!r}, semantics={self.semantics!r})"

    def machine(self, clock: Clock | None = None) -> LazyDFA:
        """The lazy deterministic automaton (advanced use).

        Raises
        ------
        UnsupportedError, UndecidableError, BudgetExceeded
        """
        clock = clock or PAIR_BUDGET.start()
        if self._machine is None:
            if self._fault is not None:
                raise self._fault
            try:
                self._machine = build(self.root, self.semantics, self.universe, clock, self._places)
            except UnsupportedError as error:
                self._fault = error
                raise
        self._machine.clock = clock
        return self._machine

    def matches(self, subject: str | bytes) -> bool:
        """Whether ``re`` would find a match in the subject, under these semantics.

        >>> compile_pattern("(?<=a)b", semantics="search").matches("cab")
        True
        """
        if isinstance(subject, bytes) != isinstance(self.text, bytes):
            raise InputError("a bytes pattern matches bytes, a str pattern str")
        return self.machine().accepts(subject)

    def is_empty(self, *, budget: Budget = PAIR_BUDGET) -> bool:
        """Whether it matches no subject at all.

        >>> compile_pattern("(?!a?)a").is_empty()
        True
        """
        return next(self.words(limit=1, budget=budget), None) is None

    def count(self, *, budget: Budget = PAIR_BUDGET) -> int | None:
        """The number of subjects it matches; ``None`` when infinite.

        >>> compile_pattern("^a{0,4}$").count(), compile_pattern("a*").count()
        (5, None)
        """
        return words.count(self.minimal_dfa(budget=budget), self._weights())

    def counts(self, length: int, *, budget: Budget = PAIR_BUDGET) -> list[int]:
        """The number of matched subjects of each length from 0 to ``length``.

        >>> compile_pattern("[ab]*b").counts(3)
        [0, 1, 2, 4]
        """
        return words.counts(self.minimal_dfa(budget=budget), self._weights(), length)

    def _weights(self) -> list[int]:
        return [len(chars) for chars in self.machine().partition.classes]

    def words(self, *, limit: int | None = None, budget: Budget = PAIR_BUDGET) -> Iterator[Any]:
        """Matched subjects, shortest first, then by code point.

        Parameters
        ----------
        limit : int, optional
            Stop after this many.

        >>> [*compile_pattern("(a|ab)c?").words()]
        ['a', 'ab', 'ac', 'abc']
        """
        found = words.shortest_first(self.minimal_dfa(budget=budget))
        for word in islice(found, limit):
            yield word.encode("latin-1") if isinstance(self.text, bytes) else word

    def minimal_dfa(self, *, budget: Budget = PAIR_BUDGET) -> DFA:
        """The minimal complete DFA; its letters are the classes of characters it tells apart.

        >>> len(compile_pattern("(?:ab|ac)*").minimal_dfa())
        3
        """
        return self.machine(budget.start()).minimal()

    def size(self, *, budget: Budget = PAIR_BUDGET) -> int:
        """States of the minimal DFA from which a match can still be reached.

        >>> compile_pattern(r"\\d\\d\\d|\\d\\d|\\d").size()
        4
        """
        return self.minimal_dfa(budget=budget).live.bit_count()


_patterns: dict[tuple[Any, ...], Pattern] = {}


def compile_pattern(text: str | bytes, *, dialect: str = "python", semantics: str = "fullmatch", flags: int | str = 0) -> Pattern:
    """Read a practical pattern.

    Parameters
    ----------
    text : str or bytes
    dialect : {"python", "brics"}
    semantics : {"fullmatch", "match", "search"}
        What "matches" means; a subject is in the language when ``re``'s method of that name finds a match.
    flags : int or str
        Flags of ``re``, or letters of ``imsxaLu``.

    Returns
    -------
    Pattern

    Raises
    ------
    ParseError
        With the message and position of ``re.error``.

    Examples
    --------
    >>> compile_pattern("a+b?").size()
    3
    """
    key = (text, dialect, semantics, flags)
    found = _patterns.get(key)
    if found is None:
        found = _compile(text, dialect, semantics, flags)
        if len(_patterns) >= _CACHE:
            for old in list(_patterns)[: _CACHE // 2]:
                _patterns.pop(old, None)
        _patterns[key] = found
    return found


def _compile(text: str | bytes, dialect: str, semantics: str, flags: int | str) -> Pattern:
    if not isinstance(text, (str, bytes)):
        raise InputError(f"a pattern is str or bytes, not {type(text).__name__}")
    if semantics not in SEMANTICS:
        raise InputError(f"semantics {semantics!r} is unknown; use {', '.join(SEMANTICS)}")
    if dialect == "python":
        from regsynth.syntax import python

        number = python.read_flags(flags) if isinstance(flags, str) else int(flags)
        parsed = python.parse(text, number)
        universe = BYTES if parsed.is_bytes else ALL
        return Pattern(text, dialect, semantics, parsed.flags, parsed.root, universe, parsed.reference_position)
    if dialect == "brics":
        from regsynth.syntax import brics

        if not isinstance(text, str):
            raise InputError("the brics dialect has no bytes patterns; give str")
        if flags:
            raise InputError("the brics dialect has no flags")
        return Pattern(text, dialect, semantics, int(re.UNICODE), brics.parse(text), ALL, lambda number: None)
    raise InputError(f"dialect {dialect!r} is unknown; use python or brics")


def compare_patterns(
    first: str | bytes | Pattern, second: str | bytes | Pattern, *, relation: Relation = "equivalent", dialect: str = "python",
    semantics: str = "fullmatch", flags: int | str = 0, budget: Budget = PAIR_BUDGET,
) -> Comparison:  # fmt: skip
    """Decide a relation between two practical patterns.

    Parameters
    ----------
    first, second : str, bytes or Pattern
    relation : {"equivalent", "included", "disjoint"}
    dialect, semantics, flags
        How texts are read; see :func:`compile_pattern`.
    budget : Budget
        10 s and 2 GB by default; beyond it the verdict is ``unknown``.

    Returns
    -------
    Comparison
        With a shortest witness when the relation does not hold.

    Raises
    ------
    ParseError
        When a pattern does not follow its dialect.

    Examples
    --------
    >>> compare_patterns("[0-9]+", "[0-9][0-9]*").verdict
    'equivalent'
    >>> answer = compare_patterns(r"\\d", "[0-9]")
    >>> answer.verdict, answer.word, answer.accepted_by
    ('different', '٠', 'first')
    """
    left = first if isinstance(first, Pattern) else compile_pattern(first, dialect=dialect, semantics=semantics, flags=flags)
    right = second if isinstance(second, Pattern) else compile_pattern(second, dialect=dialect, semantics=semantics, flags=flags)
    yes, no = _VERDICTS[relation]
    if left.universe is not right.universe:
        raise InputError("one pattern is bytes and the other str; compare like with like")
    if relation != "disjoint":
        if _same(left, right):
            return Comparison(yes)
        one, other = left.root, right.root
        if one.pure and other.pure and one.nullable != other.nullable and (one.nullable or relation == "equivalent"):
            return Comparison(no, (), "first" if one.nullable else "second")
    side = "first"
    clock = Clock(budget)
    try:
        first_machine = left.machine(clock)
        side = "second"
        second_machine = right.machine(clock)
        side = ""
        found = decide(first_machine, second_machine, relation, clock)
    except UndecidableError as error:
        return Comparison("undecidable", reason=f"{side} pattern: {error}")
    except UnsupportedError as error:
        return Comparison("unsupported", reason=f"{side} pattern: {error}")
    except (BudgetExceeded, MemoryError) as error:
        return Comparison("unknown", reason=(f"{side} pattern: " if side else "") + (str(error) or "out of memory"))
    if found is None:
        return Comparison(yes)
    return Comparison(no, tuple(found.word), None if found.side == "both" else found.side)


def _same(left: Pattern, right: Pattern) -> bool:
    """Patterns that read as the same tree have one language, whatever it is."""
    return left is right or (left.semantics == right.semantics and same(left.root, right.root))


def disjoint(
    first: str | bytes | Pattern, second: str | bytes | Pattern, *, dialect: str = "python", semantics: str = "fullmatch",
    flags: int | str = 0, budget: Budget = PAIR_BUDGET,
) -> Comparison:  # fmt: skip
    """Do two patterns match no common subject? (With a shortest common one when they do.)

    >>> disjoint("[0-9]+", "([a-z]|[A-Z])*").verdict
    'disjoint'
    >>> disjoint("/etc/.*", "/etc/something.*").word
    '/etc/something'
    """
    return compare_patterns(first, second, relation="disjoint", dialect=dialect, semantics=semantics, flags=flags, budget=budget)


def intersection_witness(
    first: str | bytes | Pattern, second: str | bytes | Pattern, *, dialect: str = "python", semantics: str = "fullmatch",
    flags: int | str = 0, budget: Budget = PAIR_BUDGET,
) -> str | None:  # fmt: skip
    """A shortest subject that both patterns match; ``None`` when there is none.

    Raises
    ------
    UnsupportedError, BudgetExceeded
        When there is no answer.

    >>> intersection_witness("ab.*", "a.*")
    'ab'
    """
    answer = disjoint(first, second, dialect=dialect, semantics=semantics, flags=flags, budget=budget)
    if answer.verdict == "unknown":
        raise BudgetExceeded(answer.reason or "budget used up")
    if answer.verdict not in ("disjoint", "not_disjoint"):
        raise UnsupportedError(answer.reason or "unsupported pattern")
    return answer.word


__all__ = ["PAIR_BUDGET", "Difference", "Pattern", "compare_patterns", "compile_pattern", "disjoint", "intersection_witness"]
