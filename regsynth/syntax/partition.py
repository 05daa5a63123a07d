"""The partition that some character sets make of all characters, and the letters two partitions have in common."""

from __future__ import annotations

from collections.abc import Iterable

from regsynth.syntax.charset import ALL, NOTHING, CharSet, meet, negate


class Partition:
    """The minterms of some sets: the coarsest classes none of the sets splits.

    The classes are non-empty, disjoint, and together the whole universe.

    Attributes
    ----------
    masks : dict
        For each given set, the bit mask of the classes it is the union of.

    >>> p = Partition([CharSet.chars("ab"), CharSet.chars("bc")])
    >>> len(p.classes), [p.masks[CharSet.chars(s)].bit_count() for s in ("ab", "bc")]
    (4, [2, 2])
    """

    __slots__ = ("_classes", "high", "low", "masks", "universe")

    def __init__(self, sets: Iterable[CharSet], universe: CharSet = ALL) -> None:
        distinct = list(dict.fromkeys(sets))
        self.universe = universe
        singles: list[tuple[int, int]] = []  # the sets of one character: each is a class
        wide: list[tuple[int, int]] = []
        high: dict[int, int] = {}
        rest = universe.low
        for i, chars in enumerate(distinct):
            low = chars.low
            if chars.high:
                high[chars.high] = high.get(chars.high, 0) | 1 << i
            if low & low - 1:
                wide.append((low, 1 << i))
            elif low & rest and not chars.high:
                singles.append((low, 1 << i))
                rest ^= low
            elif low:  # its one low character may be a class already
                wide.append((low, 1 << i))
        parts = [(rest, 0)] if rest else []
        for low, bit in wide:
            refined: list[tuple[int, int]] = []
            for part, signature in parts:
                inside = part & low
                if inside:
                    refined.append((inside, signature | bit))
                    part ^= inside
                if part:
                    refined.append((part, signature))
            parts = refined
        low_of: dict[int, int] = {}
        for low, signature in singles:
            for other, bit in wide:
                if low & other:
                    signature |= bit
            low_of[signature] = low
        low_of.update((signature, part) for part, signature in parts)
        high_of: dict[int, int] = {}
        groups = list(high.values())
        for x, signature in _high_classes(tuple(high), universe.high):
            full = 0
            for i, whole in enumerate(groups):
                if signature >> i & 1:
                    full |= whole
            high_of[full] = x
        signatures = list({**low_of, **high_of})
        self.low = [low_of.get(s, 0) for s in signatures]
        self.high = [high_of.get(s, NOTHING) for s in signatures]
        self._classes: tuple[CharSet, ...] | None = None
        masks = [0] * len(distinct)
        for j, signature in enumerate(signatures):
            bit = 1 << j
            while signature:
                low_bit = signature & -signature
                masks[low_bit.bit_length() - 1] |= bit
                signature ^= low_bit
        self.masks: dict[CharSet, int] = dict(zip(distinct, masks, strict=True))

    def __len__(self) -> int:
        return len(self.low)

    @property
    def classes(self) -> tuple[CharSet, ...]:
        """The classes as sets."""
        if self._classes is None:
            self._classes = tuple(map(CharSet, self.low, self.high))
        return self._classes

    def letter(self, i: int) -> CharSet:
        """One class."""
        return CharSet(self.low[i], self.high[i])

    def index(self, char: str | int) -> int | None:
        """The class of a character; ``None`` outside the universe."""
        for i, chars in enumerate(self.classes):
            if char in chars:
                return i
        return None


_partitions: dict[tuple[tuple[CharSet, ...], CharSet], Partition] = {}


def partition_of(sets: Iterable[CharSet], universe: CharSet = ALL) -> Partition:
    """The partition some distinct sets make; one object for the same sets, so that their joint letters are known."""
    key = (tuple(sets), universe)
    found = _partitions.get(key)
    if found is None:
        if len(_partitions) > 2048:
            _partitions.clear()
        found = _partitions[key] = Partition(key[0], universe)
    return found


_high_cache: dict[tuple[tuple[int, ...], int], list[tuple[int, int]]] = {}


def _high_classes(sets: tuple[int, ...], universe: int) -> list[tuple[int, int]]:
    """Non-empty classes of the sets' upper parts, each with its signature."""
    if not universe:
        return []
    key = (sets, universe)
    found = _high_cache.get(key)
    if found is None:
        found = [(universe, 0)]
        for i, x in enumerate(sets):
            refined = []
            outside = negate(x)
            for part, signature in found:
                for piece, bit in ((meet(part, x), 1 << i), (meet(part, outside), 0)):
                    if piece:
                        refined.append((piece, signature | bit))
            found = refined
        if len(_high_cache) > 20_000:
            _high_cache.clear()
        _high_cache[key] = found
    return found


def joint_letters(first: Partition, second: Partition) -> list[tuple[int, int]]:
    """Pairs of classes with a common character: the letters of both together."""
    if first is second:
        return [(i, i) for i in range(len(first))]
    second_low, second_high = second.low, second.high
    pairs = []
    for i, (low, high) in enumerate(zip(first.low, first.high, strict=True)):
        for j, other in enumerate(second_low):
            if low & other or (high and second_high[j] and meet(high, second_high[j])):
                pairs.append((i, j))
    return pairs
