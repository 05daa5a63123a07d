"""The numerical interval ``<n-m>`` of dk.brics as a pattern."""

from __future__ import annotations

from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import EMPTY_SET, CharSet
from regsynth.syntax.pattern import Node


def interval(low: str, high: str) -> Node:
    """``<low-high>``: with equal lengths exactly that many digits, else any number of leading zeros.

    >>> interval("8", "11").op == tree.CAT
    True
    """
    fixed = len(low) == len(high)
    if int(low) > int(high):
        low, high = high, low
    width = max(len(low), len(high))
    if fixed:
        return _between(low.zfill(width), high.zfill(width))
    low, high = str(int(low)), str(int(high))
    options = []
    for digits in range(len(low), len(high) + 1):
        least = low if digits == len(low) else "1" + "0" * (digits - 1)
        most = high if digits == len(high) else "9" * digits
        options.append(_between(least, most))
    return tree.cat([tree.repeat(_digits(0, 0), 0, None), tree.alt(options)])


def _digits(low: int, high: int) -> Node:
    return tree.char_set(CharSet.of([(48 + low, 48 + high)]) if low <= high else EMPTY_SET)


def _between(low: str, high: str) -> Node:
    """Numbers between two of the same length, built from the last digit to the first."""
    if low == high:
        return tree.cat([_digits(int(c), int(c)) for c in low])
    split = next(i for i, (a, b) in enumerate(zip(low, high, strict=True)) if a != b)
    at_least = at_most = tree.EPSILON
    for i in range(len(low) - 1, split, -1):
        free = tree.repeat(_digits(0, 9), len(low) - 1 - i, len(low) - 1 - i)
        a, b = int(low[i]), int(high[i])
        at_least = tree.alt([tree.cat([_digits(a, a), at_least]), tree.cat([_digits(a + 1, 9), free])])
        at_most = tree.alt([tree.cat([_digits(b, b), at_most]), tree.cat([_digits(0, b - 1), free])])
    a, b = int(low[split]), int(high[split])
    rest = len(low) - 1 - split
    free = tree.repeat(_digits(0, 9), rest, rest)
    options = [tree.cat([_digits(a, a), at_least]), tree.cat([_digits(a + 1, b - 1), free]), tree.cat([_digits(b, b), at_most])]
    return tree.cat([*(_digits(int(c), int(c)) for c in low[:split]), tree.alt(options)])
