"""A bound from below on the text of a character set, known only on a few characters.

The search for the shortest text knows a set by its members among some *representatives*.
:meth:`SetCosts.least` says how short a text can be whose set has exactly these
members: no text of one character, no ``.``, no shorthand and no bracket is shorter.
In a bracket every run of representatives that are all wanted takes one range or a single
for each, unless a shorthand covers them; each of these has a least length.

Texts of sets are those without warnings by ``re``, where characters that do not print are written as escapes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from regsynth.syntax.charset import ALL, CharSet
from regsynth.syntax.python_classes import any_set, category
from regsynth.syntax.python_print import escape

SHORTHANDS = (r"\w", r"\d", r"\s", r"\W", r"\D", r"\S")
_NEAR = 24  # characters looked at for an end of a range that needs no escape


class SetCosts:
    """Costs over some representatives.

    Parameters
    ----------
    points : iterable of int
        Code points.
    flags : int
        Flags of ``re`` that the pattern is read with.

    Examples
    --------
    >>> costs = SetCosts(map(ord, "/059:a"), 0)
    >>> [costs.least(costs.mask(map(ord, text))) for text in ("0", "059", "05", "/", "/059:a")]
    [1, 2, 4, 1, 1]
    """

    def __init__(self, points: Iterable[int], flags: int) -> None:
        self.points = sorted(set(points))
        self.number = {point: i for i, point in enumerate(self.points)}
        self.every = (1 << len(self.points)) - 1
        self.flags = flags
        self.dot = self._members(any_set(flags, False))
        table = {name: self._members(category(name, flags | (0 if flags & 256 else 32), False)) for name in SHORTHANDS}
        self.shorthands = [*dict.fromkeys(table.values())]
        self.single = [_alone(point, flags) for point in self.points]
        self.member = [_in_bracket(point) for point in self.points]
        self._known: dict[int, int] = {}

    def mask(self, points: Iterable[int]) -> int:
        """Bit i for representative i."""
        return sum(1 << self.number[point] for point in points)

    def _members(self, chars: CharSet) -> int:
        return sum(1 << i for i, point in enumerate(self.points) if point in chars)

    def least(self, wanted: int) -> int:
        """No set with exactly these members has a shorter text (characters)."""
        known = self._known.get(wanted)
        if known is None:
            known = self._known[wanted] = self._least(wanted)
        return known

    def _least(self, wanted: int) -> int:
        alone = self.single[wanted.bit_length() - 1] if wanted.bit_count() == 1 else 1 << 30
        if alone == 1 or wanted == self.dot:
            return 1
        if alone == 2 or wanted in self.shorthands:
            return 2
        return min(alone, 2 + self._body(wanted), 3 + self._body(self.every & ~wanted))

    def _body(self, wanted: int) -> int:
        """Between the brackets."""
        usable = [members for members in self.shorthands if not members & ~wanted]
        runs = list(self.runs(wanted))
        least = 1 << 30
        for choice in range(1 << len(usable)):
            covered = 0
            for k, members in enumerate(usable):
                if choice >> k & 1:
                    covered |= members
            cost = 2 * choice.bit_count() + sum(self._run(first, last, covered) for first, last in runs)
            least = min(least, cost)
        return max(least, 1)

    def runs(self, wanted: int) -> Iterator[tuple[int, int]]:
        """First and last of the members, taken together while no other representative stands between."""
        i, count = 0, len(self.points)
        while i < count:
            if wanted >> i & 1:
                first = i
                while i + 1 < count and wanted >> i + 1 & 1:
                    i += 1
                yield first, i
            i += 1

    def _run(self, first: int, last: int, covered: int) -> int:
        left = [i for i in range(first, last + 1) if not covered >> i & 1]
        singles = sum(self.member[i] for i in left)
        if singles <= 3:
            return singles
        before = self.points[first - 1] + 1 if first else 0
        after = self.points[last + 1] - 1 if last + 1 < len(self.points) else ALL_LAST
        whole = _least_end(before, self.points[left[0]]) + 1 + _least_end(self.points[left[-1]], after)
        return min(singles, whole, 3 + min(self.member[left[0]], self.member[left[-1]], 3))  # one range, or more items


ALL_LAST = 0x10FFFF
assert len(ALL) == ALL_LAST + 1


def _alone(point: int, flags: int) -> int:
    """Least text of a character outside brackets: ``{`` where it opens no repeat, else its escape, perhaps octal.

    >>> [_alone(point, 0) for point in (ord("{"), 0, 7, 1, 31, 0xAD)]
    [1, 2, 2, 3, 4, 4]
    """
    if chr(point) == "{":
        return 1
    return min(len(escape(point, flags, False)), 2 if point in (0, 7) else 3 if point < 8 else 4 if point <= 0o377 else 10)


def _in_bracket(point: int) -> int:
    """Least text of a member; ``] ^ - [`` need no escape where they stand right, and octal escapes are short."""
    if chr(point) in "]^-[":
        return 1
    return min(len(escape(point, 0, True)), 2 if point <= 0o10 else 3 if point <= 0o77 else 4 if point <= 0o377 else 10)


def _least_end(low: int, high: int) -> int:
    """Least text of an end of a range that may be any of these characters."""
    if high - low > _NEAR:
        return 1
    return min(_in_bracket(point) for point in range(low, high + 1))
