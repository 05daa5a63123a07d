"""Character sets over all of Unicode.

A set is a 256-bit mask for the first 256 code points and a hash-consed tuple of
*toggle points* for the rest: membership flips at each point, so ``(300, 310)``
is the range 300…309. Nearly all patterns differ only below 256 or by a
shorthand class, so set algebra is integer algebra plus a dictionary look-up,
and the 770 ranges of ``\\w`` are merged once a process.
"""

from __future__ import annotations

import weakref
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

LIMIT = 0x110000
LOW = 256
LOW_MASK = (1 << LOW) - 1

NOTHING, _EVERYTHING = 0, 1
_points: list[tuple[int, ...]] = [(), (LOW, LIMIT)]
_number: dict[tuple[int, ...], int] = {(): 0, (LOW, LIMIT): 1}
_meets: dict[tuple[int, int], int] = {}
_complements: dict[int, int] = {0: 1, 1: 0}


def _intern(points: tuple[int, ...]) -> int:
    found = _number.get(points)
    if found is None:
        found = _number[points] = len(_points)
        _points.append(points)
    return found


def _merge(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    """Intersection of two toggle sequences: one sweep."""
    out: list[int] = []
    i = j = 0
    n, m = len(first), len(second)
    while i < n and j < m:
        low, high = max(first[i], second[j]), min(first[i + 1], second[j + 1])
        if low < high:
            out += (low, high)
        if first[i + 1] < second[j + 1]:
            i += 2
        else:
            j += 2
    return tuple(out)


def meet(x: int, y: int) -> int:
    """Intersection of two upper parts."""
    if x == y or y == _EVERYTHING:
        return x
    if x == _EVERYTHING:
        return y
    if not x or not y:
        return NOTHING
    key = (x, y) if x < y else (y, x)
    found = _meets.get(key)
    if found is None:
        found = _meets[key] = _intern(_merge(_points[x], _points[y]))
    return found


def negate(x: int) -> int:
    """The upper part of the complement."""
    found = _complements.get(x)
    if found is None:
        points = _points[x]
        points = points[1:] if points[:1] == (LOW,) else (LOW, *points)
        points = points[:-1] if points[-1:] == (LIMIT,) else (*points, LIMIT)
        found = _complements[x] = _intern(points)
        _complements[found] = x
    return found


_sets: weakref.WeakValueDictionary[tuple[int, int], CharSet] = weakref.WeakValueDictionary()


class CharSet:
    """An immutable set of code points.

    Build one with :meth:`of` or :meth:`chars`; combine with ``& | -`` and ``~``.

    >>> digits = CharSet.of([(48, 57)])
    >>> "7" in digits, len(~digits)
    (True, 1114102)
    >>> list((CharSet.chars("az") | digits).ranges())
    [(48, 57), (97, 97), (122, 122)]
    """

    __slots__ = ("__weakref__", "high", "low")

    low: int
    high: int

    def __new__(cls, low: int, high: int) -> CharSet:
        """The one object for this mask and upper part: equal sets are identical."""
        key = (low, high)
        found = _sets.get(key)
        if found is None:
            found = object.__new__(cls)
            found.low, found.high = key
            _sets[key] = found
        return found

    def __reduce__(self) -> tuple[object, tuple[list[tuple[int, int]]]]:
        return (CharSet.of, (list(self.ranges()),))

    @classmethod
    def of(cls, ranges: Iterable[tuple[int, int]]) -> CharSet:
        """From inclusive code-point ranges, in any order, overlapping or not."""
        low = 0
        high: list[tuple[int, int]] = []
        for first, last in ranges:
            if first < LOW:
                stop = min(last, LOW - 1)
                low |= (1 << stop + 1) - (1 << first)
            if last >= LOW:
                high.append((max(first, LOW), last + 1))
        if not high:
            return cls(low, NOTHING)
        high.sort()
        points = list(high[0])
        for start, stop in high[1:]:
            if start > points[-1]:
                points += (start, stop)
            elif stop > points[-1]:
                points[-1] = stop
        return cls(low, _intern(tuple(points)))

    @classmethod
    def chars(cls, text: Iterable[str]) -> CharSet:
        """The characters of a text."""
        return cls.of((ord(c), ord(c)) for c in text)

    @classmethod
    def code(cls, point: int) -> CharSet:
        """One code point."""
        return cls(1 << point, NOTHING) if point < LOW else cls(0, _intern((point, point + 1)))

    def __contains__(self, char: str | int) -> bool:
        point = ord(char) if isinstance(char, str) else char
        if point < LOW:
            return bool(self.low >> point & 1)
        return bool(bisect_right(_points[self.high], point) & 1)

    def __and__(self, other: CharSet) -> CharSet:
        return CharSet(self.low & other.low, meet(self.high, other.high))

    def __or__(self, other: CharSet) -> CharSet:
        if self.high == other.high or not other.high:
            high = self.high
        elif not self.high:
            high = other.high
        else:
            high = negate(meet(negate(self.high), negate(other.high)))
        return CharSet(self.low | other.low, high)

    def __invert__(self) -> CharSet:
        return CharSet(self.low ^ LOW_MASK, negate(self.high))

    def __sub__(self, other: CharSet) -> CharSet:
        return CharSet(self.low & ~other.low, meet(self.high, negate(other.high)) if other.high else self.high)

    def __bool__(self) -> bool:
        return bool(self.low or self.high)

    def __len__(self) -> int:
        points = _points[self.high]
        return self.low.bit_count() + sum(points[1::2]) - sum(points[::2])

    def ranges(self) -> Iterator[tuple[int, int]]:
        """Maximal inclusive ranges, ascending."""
        pending: tuple[int, int] | None = None
        low, point = self.low, 0
        while low:
            skip = (low & -low).bit_length() - 1
            low >>= skip
            point += skip
            run = (~low & low + 1).bit_length() - 1
            if pending is not None:
                yield pending
            pending = (point, point + run - 1)
            low >>= run
            point += run
        points = iter(_points[self.high])
        for start in points:
            stop = next(points) - 1
            if pending is not None:
                if pending[1] + 1 == start:
                    pending = (pending[0], stop)
                    continue
                yield pending
            pending = (start, stop)
        if pending is not None:
            yield pending

    @property
    def sample(self) -> str:
        """A member a reader recognises: a letter or digit, else printable ASCII, else the least that is no surrogate."""
        for mask in (_LETTERS, _PRINTABLE):
            nice = self.low & mask
            if nice:
                return chr((nice & -nice).bit_length() - 1)
        if self.low:
            return chr((self.low & -self.low).bit_length() - 1)
        points = _points[self.high]
        for start, stop in zip(points[::2], points[1::2], strict=True):
            if not 0xD800 <= start <= 0xDFFF:
                return chr(start)
            if stop > 0xE000:
                return chr(0xE000)
        return chr(points[0])

    def __repr__(self) -> str:
        shown = ", ".join(f"({a}, {b})" for a, b in self.ranges())
        return f"CharSet.of([{shown}])"


_LETTERS = sum(1 << c for c in range(128) if chr(c).isalnum())
_PRINTABLE = sum(1 << c for c in range(32, 127))

EMPTY_SET = CharSet(0, NOTHING)
ALL = CharSet(LOW_MASK, _EVERYTHING)
BYTES = CharSet(LOW_MASK, NOTHING)
NEWLINE = CharSet.chars("\n")
