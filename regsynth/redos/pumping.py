"""The exact growth of a matcher's steps on one family of subjects, x wⁿ y and the like.

Going back from the end, the outlook after a pump depends on the outlook before it, so it
soon repeats. Along the repeating part the runs that are really tried are the paths of
a finite graph; its cycles tell how their number grows. This proves an attack.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from regsynth.redos.components import components
from regsynth.redos.outlooks import Outlooks

EXPONENTIAL = 1 << 30  # a degree above all others

Letters = tuple[int, ...]
ROUNDS = 64


def growth(
    outlooks: Outlooks, prefix: Letters, pumps: Sequence[tuple[Letters, Letters]], suffix: Letters
) -> tuple[int, list[tuple[int, int]]]:
    """Degree of the steps on the family, in the number of times each pump is repeated.

    Parameters
    ----------
    outlooks : Outlooks
    prefix : letters
    pumps : sequence of (joint, pump)
        Each pump with what stands before it; the first joint is empty as a rule.
    suffix : letters

    Returns
    -------
    degree : int
        0 when few steps are taken however often the pump is repeated, ``EXPONENTIAL``, or the exponent.
    periods : list of (int, int)
        For each pump: the degree is reached when it is repeated m + k·p times, k = 0, 1, …; these are m and p.
    """
    segments: list[tuple[Letters, bool]] = [(prefix, False)]
    for joint, pump in pumps:
        segments += ((joint, False), (pump, True))
    segments.append((suffix, False))
    # From the end to the start: the letters of each segment with the outlook after each.
    outlook = 0
    read: list[tuple[list[int], list[int], bool]] = []
    periods: list[tuple[int, int]] = []
    for letters, repeated in reversed(segments):
        if not repeated:
            after, outlook = _back(outlooks, letters, outlook)
            read.append((list(letters), after, False))
            continue
        seen = {outlook: 0}
        rounds: list[list[int]] = []
        while True:
            after, outlook = _back(outlooks, letters, outlook)
            rounds.append(after)
            if outlook in seen:
                break
            if len(rounds) > ROUNDS:
                return 0, []
            seen[outlook] = len(rounds)
        first = seen[outlook]
        if len(pumps) == 1:  # what follows the repeating part adds no cycle
            read = []
        periods.append((first, len(rounds) - first))
        for after in rounds[:first] if len(pumps) > 1 else ():
            read.append((list(letters), after, False))
        cycle = [o for after in reversed(rounds[first:]) for o in after]
        read.append((list(letters) * (len(rounds) - first), cycle, True))
    read.reverse()
    key = (outlook, *((*letters, -1, *after) for letters, after, _ in read))
    degree = outlooks.counted.get(key)
    if degree is None:
        degree = outlooks.counted[key] = _count(outlooks, outlook, read)
    return degree, periods[::-1]


def steps(outlooks: Outlooks, subject: Letters) -> int:
    """How many letters the matcher tries on one subject, counted without running it."""
    machine = outlooks.machine
    after, outlook = _back(outlooks, subject, 0)
    runs = Counter(outlooks.tried(machine.root, outlook)[1])
    total = runs.total()
    for letter, following in zip(subject, after, strict=True):
        machine.clock.check()
        ahead: Counter[int] = Counter()
        for place, count in runs.items():
            if machine.masks[place] >> letter & 1:
                for leaf in outlooks.tried(outlooks.entry_of(place, letter), following)[1]:
                    ahead[leaf] += count
        runs = ahead
        total += runs.total()
    return total


def _back(outlooks: Outlooks, letters: Letters, outlook: int) -> tuple[list[int], int]:
    """The outlook after each letter, and the one before all."""
    after = []
    for letter in reversed(letters):
        after.append(outlook)
        outlook = outlooks.before(outlook, letter)
    after.reverse()
    return after, outlook


def _count(outlooks: Outlooks, outlook: int, read: list[tuple[list[int], list[int], bool]]) -> int:
    """The longest chain of cycles among the runs, or EXPONENTIAL."""
    machine = outlooks.machine
    number: dict[tuple[int, int, int], int] = {}
    states: list[tuple[int, int, int]] = []
    moves: list[list[tuple[int, tuple[int, ...]]]] = []

    def state(segment: int, at: int, place: int) -> int:
        while at == len(read[segment][0]) and not read[segment][2]:
            if segment + 1 == len(read):
                return -1
            segment, at = segment + 1, 0
        key = (segment, at, place)
        found = number.get(key)
        if found is None:
            found = number[key] = len(states)
            states.append(key)
        return found

    starts = [s for s in {state(0, 0, place) for place in outlooks.tried(machine.root, outlook)[1]} if s >= 0]
    at = 0
    while at < len(states):
        if not at & 1023:
            machine.clock.check()
        segment, position, place = states[at]
        letters, after, repeated = read[segment]
        letter = letters[position]
        targets: list[int] = []
        if machine.masks[place] >> letter & 1:
            entry = outlooks.entry_of(place, letter)
            for leaf in outlooks.tried(entry, after[position])[1]:
                if position + 1 < len(letters):
                    targets.append(state(segment, position + 1, leaf))
                    continue
                if repeated:
                    targets.append(state(segment, 0, leaf))
                if segment + 1 < len(read):
                    targets.append(state(segment + 1, 0, leaf))
        moves.append([(1, tuple(t for t in targets if t >= 0))])
        at += 1
    component, members = components(moves, starts)
    best = [0] * len(members)
    for c, inside in enumerate(members):  # each component after all it leads to
        after_all = 0
        cyclic = False
        for s in inside:
            kept = 0
            for t in moves[s][0][1]:
                if component[t] == c:
                    kept += 1
                else:
                    after_all = max(after_all, best[component[t]])
            if kept > 1:
                return EXPONENTIAL
            cyclic = cyclic or kept > 0
        best[c] = after_all + cyclic
    return max((best[component[s]] for s in starts), default=0)
