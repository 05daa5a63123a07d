"""Exact search for the shortest text of a pattern (``--costs chars``).

Costs are characters, so an expression's cost depends on where it stands: a union inside a
concatenation, and all but one character set under a repeat, need ``(?:…)``. The search
goes by increasing length and keeps, with each signature, how tightly the expression
binds; a tighter one that is no longer serves wherever a looser one does.

Every set matters, not only the largest: ``a|b`` is shorter than ``[ab]``. So subjects are
words over *representatives*, a few characters of each class of the language, and a letter
is any set of them, at a cost that no text of such a set goes below
(:mod:`regsynth.solvers.practical_set_costs`). The language restricted to representatives
is matched by every pattern of the language, at no greater cost: the first length at which
something fits is a lower bound. Its text, written with whole classes, is checked; a word
it misses brings its characters in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import Enum
from itertools import islice

from regsynth.automata.dfa import DFA, bits
from regsynth.automata.letters import LetterAutomaton, SubsetDFA
from regsynth.automata.pairs import decide
from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded, MethodsDisagree, ParseError
from regsynth.practical import Pattern
from regsynth.solvers.practical_set_costs import SHORTHANDS, SetCosts
from regsynth.solvers.practical_signatures import GARBAGE, Rows, Signatures
from regsynth.syntax.charset import EMPTY_SET, CharSet
from regsynth.syntax.pattern import same
from regsynth.syntax.python import parse
from regsynth.syntax.python_classes import any_set, category
from regsynth.syntax.python_print import repeat_text, set_text

LETTERS = 8_192  # sets of representatives that may be read at one place
CLASSES = 120_000  # signatures kept
EDGES = 6  # intervals of a class whose ends are looked at
TRIALS = 200  # texts checked in one round

UNION, JOINED, REPEATED, ATOM = range(4)  # how tightly an expression binds
Template = tuple[str | int, ...]  # a text in which numbers stand for sets of representatives
Made = tuple[Rows, int, int, Template]  # relation, coverage, binding, text


class Trial(Enum):
    """What came of a text that fits the sample."""

    SHORTEST = 1  # right, and as long as its cost says
    REFINED = 2  # there is a new word or representative
    UNDECIDED = 3


class TextSearch(Signatures):
    """Search for one language over representatives that grow.

    Parameters
    ----------
    dfa, limit, clock :
        As of :class:`Signatures`.
    flags : int
        Flags of ``re`` the texts are read with.

    Raises
    ------
    BudgetExceeded
        Also when there are too many classes for the representatives.
    """

    def __init__(self, dfa: DFA, limit: int, clock: Clock, flags: int) -> None:
        super().__init__(dfa, limit, clock)
        self.flags = flags
        live = dfa.live
        self.live = [i for i in range(len(dfa.alphabet)) if any(live >> q & 1 and live >> dfa.delta[q][i] & 1 for q in self.states)]
        self.places = self.masks()
        self.bound = 0  # every text shorter than this has been tried
        self.words: list[str] = []
        self.live_points = self._first_points()
        self.dead_points = self._separators()
        self._relations: dict[int, Rows] = {}
        self._renumber()

    # Representatives

    def _chars(self, i: int) -> CharSet:
        chars = self.dfa.alphabet[i]
        assert isinstance(chars, CharSet)
        return chars

    def _first_points(self) -> dict[int, int]:
        """Code points of live classes, with their class: three each while there is room."""
        for each in (3, 2, 1):
            found = {point: i for i in self.live for point in self._members(i, each)}
            if self._count(found) <= LETTERS // 4:
                return found
        raise BudgetExceeded("too many classes of characters for the search by length")

    def _count(self, points: dict[int, int]) -> int:
        """Sets of representatives that the search would take for letters, at most."""
        each = Counter(points.values())
        return sum(1 << min(sum(each[i] for i in bits(mask)), 20) for mask in self.places)

    def _known_sets(self) -> list[CharSet]:
        """What texts of one or two characters stand for."""
        table = self.flags | (0 if self.flags & 256 else 32)
        return [any_set(self.flags, False), *(category(name, table, False) for name in SHORTHANDS)]

    def _members(self, i: int, count: int) -> list[int]:
        """So many characters of a class: what known sets tell apart, then ends and middles of its first intervals."""
        chars = self._chars(i)
        found: dict[int, None] = {}
        for known in self._known_sets():
            if chars & known and chars - known:
                found.update(dict.fromkeys((ord((chars - known).sample), ord((chars & known).sample))))
        ranges = [*islice(chars.ranges(), EDGES)]
        found.update(dict.fromkeys(first for first, _ in ranges))
        found.update(dict.fromkeys(last for _, last in ranges))
        found.update(dict.fromkeys((first + last) // 2 for first, last in ranges))
        return [*found][:count]

    def _separators(self) -> set[int]:
        """Characters of no word: neighbours of live intervals, and members of what no live set may hold."""
        dead = EMPTY_SET
        for i in range(len(self.dfa.alphabet)):
            if i not in self.live:
                dead = dead | self._chars(i)
        found: set[int] = set()
        for i in self.live:
            for n, (first, last) in enumerate(self._chars(i).ranges()):
                if n < EDGES:
                    found |= {point for point in (first - 1, last + 1) if 0 <= point <= 0x10FFFF and point in dead}
        for known in self._known_sets():
            for part in (known & dead, dead - known):
                if part:
                    found.add(ord(part.sample))
        return found

    def add_word(self, word: str) -> bool:
        """Take a word of the language; ``False`` when its characters are too many."""
        new = {ord(char): i for char in word for i in self.live if ord(char) not in self.live_points and char in self._chars(i)}
        if word in self.words or self._count(self.live_points | new) > LETTERS:
            return False
        self.words.append(word)
        self.live_points.update(new)
        self._renumber()
        return True

    def _renumber(self) -> None:
        self.costs = SetCosts([*self.live_points, *self.dead_points], self.flags)
        number = self.costs.number
        self.class_masks = {i: self.costs.mask(p for p, j in self.live_points.items() if j == i) for i in self.live}
        class_of = {number[point]: i for point, i in self.live_points.items()}
        subsets: set[int] = set()
        for mask in self.places:
            members = sum(self.class_masks[i] for i in bits(mask) if i in self.class_masks)
            part = members
            while part:
                subsets.add(part)
                part = (part - 1) & members
        letters = []
        for n, part in enumerate(subsets):
            if not n & 63:
                self.clock.check()
            classes = sum({1 << class_of[r] for r in bits(part)})
            rows = self._relations.get(classes)
            if rows is None:
                rows = self._relations[classes] = self.rows_of(classes)
            if any(row != GARBAGE for row in rows):
                letters.append((self.costs.least(part), -part.bit_count(), part, rows))
        self.letters: dict[int, list[tuple[int, Rows]]] = {}
        for cost, _, part, rows in sorted(letters):
            self.letters.setdefault(cost, []).append((part, rows))
        self.sample([tuple(number[ord(char)] for char in word) for word in self.words])

    def _text(self, part: int) -> str:
        """A set with these representatives, of cheap text: a known one, or whole classes and runs of the others."""
        allowed, whole = EMPTY_SET, EMPTY_SET
        for i, members in self.class_masks.items():
            if members & part:
                allowed = allowed | self._chars(i)
            if not members & ~part:
                whole = whole | self._chars(i)
        points = self.costs.points
        for known in self._known_sets():
            if not known - allowed and part == sum(1 << r for r, point in enumerate(points) if point in known):
                return set_text(known, self.flags)
        runs = CharSet.of((points[first], points[last]) for first, last in self.costs.runs(part))
        return set_text((runs & allowed) | whole, self.flags)

    # Search

    def run(self, ceiling: int, judge: Callable[[str, int], Trial]) -> str | None:
        """The shortest text, if ``judge`` finds one of fewer than ``ceiling`` characters.

        ``bound`` rises as lengths are finished; it is ``ceiling`` when nothing shorter exists. Otherwise
        ``None`` asks for a new round: there are more words or representatives.

        Raises
        ------
        BudgetExceeded
        """
        self.kept: dict[Rows, list[tuple[int, int]]] = {}
        self.levels: list[list[Made]] = []
        self.powers: dict[tuple[Rows, int], list[tuple[Rows, int, str]]] = {}
        self.count = self.trials = 0
        for cost in range(ceiling):
            self.levels.append([])
            undecided = False
            for made in self._candidates(cost):
                if not self._fits(made):
                    self._keep(cost, made)
                    continue
                text = "".join(part if isinstance(part, str) else self._text(part) for part in made[3])
                trial = judge(text, cost)
                if trial is not Trial.UNDECIDED:
                    return text if trial is Trial.SHORTEST else None
                undecided = True
                self.trials += 1
                if self.trials > TRIALS:
                    break
            if undecided:
                self.bound = max(self.bound, cost)
                if self._refine():
                    return None
                raise BudgetExceeded("texts that fit the representatives are longer than their bound")
            self.bound = max(self.bound, cost + 1)
        return None

    def _fits(self, made: Made) -> bool:
        rows, coverage = made[:2]
        return not self.goal & ~coverage and self.inside(rows)

    def _keep(self, cost: int, made: Made) -> None:
        rows, coverage, binding, _ = made
        if not coverage or all(row == GARBAGE for row in rows):
            return
        known = self.kept.setdefault(rows, [])
        if any(not coverage & ~other and tight >= binding for other, tight in known):
            return
        known.append((coverage, binding))
        self.count += 1
        if not self.count & 63:
            self.clock.check()
            if self.count > CLASSES:
                raise BudgetExceeded("candidate budget used up")
        self.levels[cost].append(made)

    def _candidates(self, cost: int) -> Iterator[Made]:
        """Everything of this length; operands are what shorter lengths have kept."""
        if cost == 0:
            yield self.identity, 1, JOINED, ()
        for part, rows in self.letters.get(cost, ()):
            seen = sum(bit for letter, bit in self.letter_bits.items() if part >> letter & 1)
            if seen:
                yield rows, seen, ATOM, (part,)
        for length in range(1, 4 + 2 * len(str(self.limit))):  # of a quantifier, up to {m,n}
            for rows, coverage, binding, text in self.levels[cost - length] if cost > length else ():
                if binding == ATOM:
                    for more_rows, more, quantifier in self._powers(rows, coverage):
                        if len(quantifier) == length:
                            yield more_rows, more, REPEATED, (*text, quantifier)
        for rows, coverage, binding, text in self.levels[cost - 4] if cost > 4 else ():
            if binding != ATOM:
                yield rows, coverage, ATOM, ("(?:", *text, ")")
        for left_cost in range(1, cost):
            self.clock.check()
            yield from self._joints(self.levels[left_cost], self.levels[cost - left_cost])
            yield from self._unions(self.levels[left_cost], self.levels[cost - 1 - left_cost])

    def _joints(self, lefts: list[Made], rights: list[Made]) -> Iterator[Made]:
        for x_rows, x_seen, x_binding, x in lefts:
            if x_binding < REPEATED:  # (xy)z is x(yz)
                continue
            for y_rows, y_seen, y_binding, y in rights:
                if y_binding != UNION:
                    seen = self.joined(x_seen, y_seen)
                    if seen:
                        yield self.then(x_rows, y_rows), seen, JOINED, x + y

    def _unions(self, lefts: list[Made], rights: list[Made]) -> Iterator[Made]:
        for x_rows, x_seen, x_binding, x in lefts:
            if x_binding == UNION:  # (x|y)|z is x|(y|z)
                continue
            for y_rows, y_seen, _, y in rights:
                yield self.either(x_rows, y_rows), x_seen | y_seen, UNION, (*x, "|", *y)

    def _powers(self, rows: Rows, coverage: int) -> list[tuple[Rows, int, str]]:
        found = self.powers.get((rows, coverage))
        if found is None:
            found = [(more_rows, more, repeat_text(low, high)) for more_rows, more, low, high in self.repeats(rows, coverage)]
            self.powers[rows, coverage] = found
        return found

    def _refine(self) -> bool:
        """One more representative for the class that has the fewest of its characters; ``False`` when there is no room."""
        for i in sorted(self.live, key=lambda i: self.class_masks[i].bit_count()):
            more = [point for point in self._members(i, 24) if point not in self.live_points]
            if more and self._count(self.live_points | {more[0]: i}) <= LETTERS:
                self.live_points[more[0]] = i
                self._renumber()
                return True
        return False


_SHORTER = ((r"\{", "{"), (r"\x00", r"\0"), *((rf"\x0{i}", r"\a" if i == 7 else rf"\0{i}") for i in range(1, 8)))


def tightened(text: str, flags: int) -> str:
    """The text with escapes written shorter where ``re`` reads the same from it.

    >>> tightened(r"\\{a\\x00", 0), tightened(r"a\\{2}", 0), tightened(r"\\x007", 0)
    ('{a\\\\0', 'a\\\\{2}', '\\\\x007')
    """
    for long, short in _SHORTER:
        if long in text:
            with suppress(ParseError, RecursionError):
                shorter = text.replace(long, short)
                if same(parse(shorter, flags).root, parse(text, flags).root):
                    text = shorter
    return text


def search_text(pattern: Pattern, flags: int, limit: int, ceiling: int, clock: Clock) -> tuple[str | None, int]:
    """The shortest text known with fewer than ``ceiling`` characters, if any, and a proven bound on all.

    Parameters
    ----------
    pattern : Pattern
        Under full match.
    flags : int
        Flags of ``re`` the text is read with.
    limit : int
        Largest bound of a repeat.
    """
    machine = pattern.machine(clock)
    best: str | None = None
    search: TextSearch | None = None

    def judge(text: str, cost: int) -> Trial:
        nonlocal best
        assert search is not None
        text = tightened(text, flags)
        root = parse(text, flags).root
        difference = decide(machine, SubsetDFA(LetterAutomaton(root, pattern.universe), clock), "equivalent", clock)
        if difference is None:
            if len(text) < (ceiling if best is None else len(best)):
                best = text
            return Trial.SHORTEST if len(text) == cost else Trial.UNDECIDED
        if difference.side != "first":
            raise MethodsDisagree(f"the search for {pattern.text!r} left the language on {difference.word!r}")
        return Trial.REFINED if search.add_word(difference.word) else Trial.UNDECIDED

    try:
        search = TextSearch(machine.minimal(), limit, clock, flags)
        search.add_word(next(pattern.words(limit=1)))
        while search.bound < ceiling and search.run(ceiling, judge) is None:
            pass
    except BudgetExceeded:
        pass
    return best, search.bound if search is not None else 0


__all__ = ["TextSearch", "Trial", "search_text", "tightened"]
