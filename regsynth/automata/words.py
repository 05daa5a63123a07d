"""The words of a DFA whose letters are character sets: how many, and shortest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from regsynth.automata.dfa import DFA
from regsynth.syntax.charset import CharSet

Ways = list[list[tuple[int, int, int]]]  # for each state: first and last character, and where they lead; sorted


def count(dfa: DFA, weights: Sequence[int]) -> int | None:
    """The number of words; ``None`` when infinite.

    Parameters
    ----------
    dfa : DFA
    weights : sequence of int
        Characters in each letter.
    """
    live = dfa.live
    # Words from each state, by depth-first search; a live state on the way twice means a cycle.
    total: dict[int, int] = {}
    on_path: set[int] = set()
    stack = [0]
    while stack:
        q = stack[-1]
        if q in total or not live >> q & 1:
            stack.pop()
            continue
        if q in on_path:
            stack.pop()
            on_path.discard(q)
            steps = zip(weights, dfa.delta[q], strict=True)
            total[q] = (dfa.accepting >> q & 1) + sum(w * total[r] for w, r in steps if live >> r & 1)
            continue
        on_path.add(q)
        for r in dfa.delta[q]:
            if live >> r & 1:
                if r in on_path:
                    return None
                stack.append(r)
    return total.get(0, 0)


def counts(dfa: DFA, weights: Sequence[int], length: int) -> list[int]:
    """The number of words of each length from 0 to ``length``."""
    here = {0: 1}
    out = []
    for _ in range(length + 1):
        out.append(sum(n for q, n in here.items() if dfa.accepting >> q & 1))
        after: dict[int, int] = {}
        for q, n in here.items():
            for w, r in zip(weights, dfa.delta[q], strict=True):
                after[r] = after.get(r, 0) + n * w
        here = after
    return out


def shortest_first(dfa: DFA) -> Iterator[str]:
    """All words, shortest first, then by code point."""
    live = dfa.live
    if not live & 1:
        return
    ways: Ways = []
    for row in dfa.delta:
        here: list[tuple[int, int, int]] = []
        for chars, r in zip(dfa.alphabet, row, strict=True):
            assert isinstance(chars, CharSet)
            if live >> r & 1:
                here.extend((first, last, r) for first, last in chars.ranges())
        ways.append(sorted(here))
    ends = _ends(dfa)
    longest = _longest(dfa, live)
    length = 0
    while longest is None or length <= longest:
        if ends(0, length):
            yield from _of_length(ways, ends, length)
        length += 1


def _ends(dfa: DFA) -> Callable[[int, int], bool]:
    """Whether some word of a given length leads from a state to acceptance; layers are added by need."""
    layers = [dfa.accepting]

    def can(q: int, length: int) -> bool:
        while len(layers) <= length:
            last = layers[-1]
            layers.append(sum(1 << p for p, row in enumerate(dfa.delta) if any(last >> r & 1 for r in row)))
        return bool(layers[length] >> q & 1)

    return can


def _longest(dfa: DFA, live: int) -> int | None:
    """A bound on word length when the language is finite."""
    here, length = 1, 0
    while here and length <= len(dfa):
        after = 0
        for q, row in enumerate(dfa.delta):
            if here >> q & 1:
                for r in row:
                    after |= 1 << r
        here = after & live
        length += 1
    return None if here else length


def _of_length(ways: Ways, ends: Callable[[int, int], bool], length: int) -> Iterator[str]:
    if not length:
        yield ""
        return
    prefix: list[str] = []
    stack = [_choices(ways[0], ends, length - 1)]
    while stack:
        choice = next(stack[-1], None)
        if choice is None:
            stack.pop()
            if prefix:
                prefix.pop()
            continue
        char, r = choice
        if len(stack) == length:
            yield "".join(prefix) + char
            continue
        prefix.append(char)
        stack.append(_choices(ways[r], ends, length - 1 - len(stack)))


def _choices(ranges: list[tuple[int, int, int]], ends: Callable[[int, int], bool], rest: int) -> Iterator[tuple[str, int]]:
    for first, last, r in ranges:
        if ends(r, rest):
            for point in range(first, last + 1):
                yield chr(point), r
