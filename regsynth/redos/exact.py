"""The runs that are really tried, as an automaton: places with the outlook around them.

Built when an attack on the plain automaton, which ignores order and success, could not
be made to fail as it must. A state is a place about to read a letter and the outlook
there; a move reads a letter and goes to the outlook after it. Every run of this
automaton is a run the matcher tries on some subject, and the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass

from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded
from regsynth.redos.outlooks import Outlooks

STATES = 60_000


@dataclass(slots=True)
class ExactRuns:
    """The automaton of the runs tried.

    Attributes
    ----------
    states : list of (place, outlook)
    moves : list of list of (mask, targets)
        Masks are over ``labels`` of the state's outlook.
    labels : dict of list of (letter, outlook)
        For each outlook, the letters that may come with the outlook after them.
    starts : list of int
    suffixes : dict of (letter, outlook) or None
        For each outlook, how to go on to the end of the subject.
    """

    states: list[tuple[int, int]]
    moves: list[list[tuple[int, tuple[int, ...]]]]
    labels: dict[int, list[tuple[int, int]]]
    starts: list[int]
    suffixes: dict[int, tuple[int, int] | None]

    def suffix(self, outlook: int) -> tuple[int, ...]:
        """A shortest rest of a subject with this outlook before it."""
        out = []
        step = self.suffixes[outlook]
        while step is not None:
            out.append(step[0])
            step = self.suffixes[step[1]]
        return tuple(out)


def exact_runs(outlooks: Outlooks, letters: list[int], clock: Clock, limit: int = STATES) -> ExactRuns:
    """Build the automaton.

    Parameters
    ----------
    outlooks : Outlooks
    letters : list of int
        One letter for each way letters can differ.
    clock : Clock
    limit : int
        States and labels that may be made.

    Raises
    ------
    BudgetExceeded
    """
    suffixes: dict[int, tuple[int, int] | None] = {0: None}
    labels: dict[int, list[tuple[int, int]]] = {0: []}
    order = [0]
    at = 0
    while at < len(order):
        here = order[at]
        outlooks.survey(here)
        for letter in letters:
            before = outlooks.before(here, letter)
            if before not in suffixes:
                suffixes[before] = (letter, here)
                labels[before] = []
                order.append(before)
            labels[before].append((letter, here))
        at += 1
        clock.check()
        if at * len(letters) > limit:
            raise BudgetExceeded(f"more than {limit:,} outlooks and letters")
    machine = outlooks.machine
    number: dict[tuple[int, int], int] = {}
    states: list[tuple[int, int]] = []
    moves: list[list[tuple[int, tuple[int, ...]]]] = []

    def state(place: int, outlook: int) -> int:
        key = (place, outlook)
        found = number.get(key)
        if found is None:
            found = number[key] = len(states)
            states.append(key)
        return found

    starts: dict[int, None] = {}
    for outlook in order:
        for place in outlooks.tried(machine.root, outlook)[1]:
            starts[state(place, outlook)] = None
    at = edges = 0
    while at < len(states):
        place, outlook = states[at]
        groups: dict[tuple[int, int], int] = {}
        for i, (letter, after) in enumerate(labels[outlook]):
            for mask, entry in machine.moves[place]:
                if mask >> letter & 1:
                    groups[entry, after] = groups.get((entry, after), 0) | 1 << i
        row = []
        for (entry, after), mask in groups.items():
            targets = tuple(state(leaf, after) for leaf in outlooks.tried(entry, after)[1])
            if targets:
                row.append((mask, targets))
                edges += len(targets)
        moves.append(row)
        at += 1
        if not at & 31:
            clock.check()
        if edges > limit * 4 or len(states) > limit:
            raise BudgetExceeded(f"more than {limit:,} states of runs that are tried")
    return ExactRuns(states, moves, labels, list(starts), suffixes)


def letters_that_differ(outlooks: Outlooks) -> list[int]:
    """One letter for each way the places tell letters apart."""
    machine = outlooks.machine
    seen: dict[tuple[int, ...], int] = {}
    marks = {mask for moves in machine.moves for mask, _ in moves}
    ordered = sorted({*marks, *machine.program.words, machine.program.line_feed})
    for letter in range(machine.letters):
        key = tuple(mask >> letter & 1 for mask in ordered)
        seen.setdefault(key, letter)
    return list(seen.values())
