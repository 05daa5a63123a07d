"""From an ambiguity to subjects that cost time, each proven on the automaton.

First the plain automaton of all runs is asked, which is small: how bad can it get, and
by which words? Each of those words is pumped before rests of a subject that make the match
fail in every different way. Only when none reaches what the plain automaton
allows is the automaton of the runs really tried built, which settles it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded, MethodsDisagree
from regsynth.redos.ambiguity import Ambiguity, Runs
from regsynth.redos.components import Word, path
from regsynth.redos.exact import ExactRuns, exact_runs, letters_that_differ
from regsynth.redos.machine import LEAF, Machine
from regsynth.redos.outlooks import Outlooks
from regsynth.redos.pumping import EXPONENTIAL, Letters, growth, steps

_READABLE = sum(1 << c for c in range(32, 127))
FEW = (8, 16, 32, 64)  # copies of a pump where something may limit them
TRIES = 32  # outlooks at the end of a pump that are tried before the exact automaton is built


@dataclass(slots=True)
class Pumped:
    """Subjects by letters: prefix, pumps with what joins them, suffix; and the degree they reach."""

    prefix: Letters
    pumps: tuple[tuple[Letters, Letters], ...]
    suffix: Letters
    degree: int


@dataclass(slots=True)
class Finding:
    """Growth of a machine's steps.

    Attributes
    ----------
    degree : int
        At least this, proven by ``pumped``; EXPONENTIAL above all.
    bound : int
        At most this.
    pumped : Pumped or None
    links : list of (place, place)
        The loops that take part, by places.
    fork : (place, place) or None
    method : str
    note : str
        Why nothing better is known.
    suggested : tuple of Pumped
        Subjects that may reach the bound, where ``degree`` is not known.
    constant : int
        Steps for each letter that some subject costs, where something limits how long a loop can go on.
    """

    degree: int
    bound: int
    pumped: Pumped | None
    links: list[tuple[int, int]]
    fork: tuple[int, int] | None
    method: str
    note: str = ""
    suggested: tuple[Pumped, ...] = ()
    constant: int = 1


def plain_runs(machine: Machine, clock: Clock) -> Runs:
    """All runs of a machine, whatever succeeds."""
    leaves: list[tuple[int, ...]] = [tuple(op[1] for op in code if op[0] == LEAF) for code in machine.codes]
    moves = [[(mask, leaves[entry]) for mask, entry in moves if leaves[entry]] for moves in machine.moves]
    homes, copies, settled = machine.program.homes, machine.program.copies, machine.program.settled
    for row, (instruction, _) in zip(moves, machine.places, strict=True):
        if instruction in copies and instruction not in settled:
            row[:] = [(mask, _once_more(machine, targets, instruction)) for mask, targets in row]
    certain = [machine.program.exact and flat is not None and flat[1] for flat in machine.flat]
    quiet = moves
    if any(certain):
        quiet = [
            row if homes[instruction].ahead else [(mask, leaves[entry]) for mask, entry in moves if leaves[entry] and not certain[entry]]
            for row, moves, (instruction, _) in zip(moves, machine.moves, machine.places, strict=True)
        ]
    fixed = frozenset(v for v, (instruction, _) in enumerate(machine.places) if instruction in settled)
    return Runs(moves, list(dict.fromkeys(leaves[machine.root])), clock, quiet=quiet, copies=fixed)


def _once_more(machine: Machine, targets: tuple[int, ...], copy: int) -> tuple[int, ...]:
    """Where a back-reference in a loop goes on: the text it copies says whether to read on or to begin again."""
    again = any(machine.places[place][0] == copy for place in targets[1:])
    return targets[1:] if again else targets


def find(machine: Machine, clock: Clock) -> Finding:
    """The growth of a machine's steps.

    Raises
    ------
    BudgetExceeded
        When not even a bound is found.
    """
    runs = plain_runs(machine, clock)
    plain = runs.growth()
    bound = EXPONENTIAL if plain.exponential else plain.degree
    links = [(link.p, link.q) for link in plain.chain]
    if bound <= 1:
        return Finding(bound, bound, None, [], None, "no ambiguity")
    if not machine.program.exact:
        return Finding(0, bound, None, links, plain.fork, "bound", machine.program.inexact, _suggested(machine, runs, plain))
    outlooks = Outlooks(machine)
    best: Pumped | None = None
    letters = letters_that_differ(outlooks)
    try:
        best = _from_plain(outlooks, runs, plain, letters, bound, clock)
        if best is not None and best.degree >= bound:
            return Finding(bound, bound, shortened(outlooks, best), links, plain.fork, "ambiguity and attack")
        found = _exact(outlooks, letters, clock)
        if found.degree <= 1 and plain.exponential:
            found.constant = _constant(outlooks, runs, plain, letters)
        return found
    except BudgetExceeded as error:
        if best is None:
            return Finding(0, bound, None, links, plain.fork, "bound", str(error))
        return Finding(best.degree, bound, best, links, plain.fork, "attack", str(error))


def _from_plain(outlooks: Outlooks, runs: Runs, plain: Ambiguity, letters: list[int], bound: int, clock: Clock) -> Pumped | None:
    choose = _Chooser(outlooks.machine, runs)
    words = [choose.word(link.word) for link in plain.chain]
    prefix = choose.word(runs.prefix(plain.chain[0].p))
    pumps = _candidates(words)
    best: Pumped | None = None
    for suffix in rests(outlooks, letters, TRIES):
        for pump in pumps:
            clock.check()
            degree, periods = growth(outlooks, prefix, [((), pump)], suffix)
            if degree > (best.degree if best is not None else 1):
                best = _aligned(Pumped(prefix, (((), pump),), suffix, degree), periods)
                if degree >= bound:
                    return best
    return best


def _constant(outlooks: Outlooks, runs: Runs, plain: Ambiguity, letters: list[int]) -> int:
    """Steps for each letter on subjects of a few pumps: ``(?=.{1,60}$)(a+)+b`` costs 2^60, however long the subject."""
    choose = _Chooser(outlooks.machine, runs)
    prefix, pump = choose.word(runs.prefix(plain.chain[0].p)), choose.word(plain.chain[0].word)
    most = 1
    with contextlib.suppress(BudgetExceeded):
        for suffix in rests(outlooks, letters, TRIES):
            for copies in FEW:
                subject = prefix + pump * copies + suffix
                most = max(most, steps(outlooks, subject) // (len(subject) + 1))
    return most


class _Chooser:
    """Chooses letters: those most loops and fewest other places read, for they lead out of no loop; then readable ones."""

    def __init__(self, machine: Machine, runs: Runs) -> None:
        looping = {place for c in runs.loops for place in runs.members[c]}
        inside, outside = [0] * machine.letters, [0] * machine.letters
        for place, mask in enumerate(machine.masks):
            counts = inside if place in looping else outside
            while mask:
                low = mask & -mask
                mask ^= low
                counts[low.bit_length() - 1] += 1
        ascii_part = machine.program.partition.low
        self.order = sorted(range(machine.letters), key=lambda a: (-inside[a], outside[a], not ascii_part[a] & _READABLE, a))

    def letter(self, mask: int) -> int:
        """The best letter of a mask."""
        return next(letter for letter in self.order if mask >> letter & 1)

    def word(self, word: Word) -> Letters:
        """A word by its masks."""
        return tuple(self.letter(mask) for _, mask in word)


def _suggested(machine: Machine, runs: Runs, plain: Ambiguity) -> tuple[Pumped, ...]:
    """Subjects worth trying where the automaton is only a bound."""
    choose = _Chooser(machine, runs)
    words = [choose.word(link.word) for link in plain.chain]
    prefix = choose.word(runs.prefix(plain.chain[0].p))
    last = choose.order[-1]
    ends: list[Letters] = [(), (last,), *((letter,) for letter in choose.order[:4])]
    prefixes = dict.fromkeys([prefix, ()])
    return tuple(Pumped(start, (((), pump),), end, 0) for pump in _candidates(words) for start in prefixes for end in ends)


def _candidates(words: Sequence[Letters]) -> list[Letters]:
    """Single pumps that may serve all links at once: each word, then all of them joined."""
    out = list(dict.fromkeys(words))
    if len(out) > 1:
        out.append(tuple(letter for word in out for letter in word))
        out.append(tuple(letter for word in reversed(out[:-1]) for letter in word))
    return out


def rests(outlooks: Outlooks, letters: list[int], limit: int) -> Iterator[Letters]:
    """Ends of subjects, shortest first, one for each different outlook."""
    seen = {0}
    queue: list[tuple[int, Letters]] = [(0, ())]
    for outlook, suffix in queue:
        yield suffix
        for letter in letters:
            if len(queue) >= limit:
                break
            before = outlooks.before(outlook, letter)
            if before not in seen:
                seen.add(before)
                queue.append((before, (letter, *suffix)))


def _exact(outlooks: Outlooks, letters: list[int], clock: Clock) -> Finding:
    """Settle the growth on the automaton of the runs that are tried."""
    exact = exact_runs(outlooks, letters, clock)
    runs = Runs(exact.moves, exact.starts, clock, meets=[outlook for _, outlook in exact.states])
    found = runs.growth()
    degree = EXPONENTIAL if found.exponential else found.degree
    if degree <= 1:
        return Finding(degree, degree, None, [], None, "runs that are tried")
    pumped = _read_off(exact, runs, found)
    reached, periods = growth(outlooks, pumped.prefix, pumped.pumps, pumped.suffix)
    if reached < degree:
        raise MethodsDisagree(f"an attack of degree {degree} on the automaton reaches {reached} only")
    pumped.degree = degree
    pumped = _aligned(pumped, periods)
    if len(pumped.pumps) > 1:
        for pump in _candidates([pump for _, pump in pumped.pumps]):
            reached, periods = growth(outlooks, pumped.prefix, [((), pump)], pumped.suffix)
            if reached >= degree:
                pumped = _aligned(Pumped(pumped.prefix, (((), pump),), pumped.suffix, degree), periods)
                break
    links = [(exact.states[link.p][0], exact.states[link.q][0]) for link in found.chain]
    fork = None if found.fork is None else (exact.states[found.fork[0]][0], exact.states[found.fork[1]][0])
    return Finding(degree, degree, shortened(outlooks, pumped), links, fork, "runs that are tried")


def _read_off(exact: ExactRuns, runs: Runs, found: Ambiguity) -> Pumped:
    """The subjects a chain of links stands for."""

    def letters(word: Word) -> Letters:
        return tuple(exact.labels[exact.states[s][1]][(mask & -mask).bit_length() - 1][0] for s, mask in word)

    chain = found.chain
    pumps: list[tuple[Letters, Letters]] = []
    joint: Letters = ()
    for i, link in enumerate(chain):
        pumps.append((joint, letters(link.word)))
        if i + 1 < len(chain):
            joint = letters(path(exact.moves, link.q, chain[i + 1].p))
    return Pumped(letters(runs.prefix(chain[0].p)), tuple(pumps), exact.suffix(exact.states[chain[-1].q][1]), 0)


def _aligned(pumped: Pumped, periods: list[tuple[int, int]]) -> Pumped:
    """The subfamily on which the degree is reached by every number of repeats."""
    pumps: list[tuple[Letters, Letters]] = []
    rest: Letters = ()
    for (joint, pump), (first, period) in zip(pumped.pumps, periods, strict=True):
        pumps.append((rest + joint, pump * period))
        rest = pump * first if period > 1 else ()
    return Pumped(pumped.prefix, tuple(pumps), rest + pumped.suffix, pumped.degree)


def _steady(outlooks: Outlooks, prefix: Letters, pump: Letters, suffix: Letters, degree: int) -> bool:
    """Whether a family reaches a degree by every number of repeats."""
    reached, periods = growth(outlooks, prefix, [((), pump)], suffix)
    return reached >= degree and periods[0][1] == 1


def shortened(outlooks: Outlooks, pumped: Pumped) -> Pumped:
    """Drop letters while the degree stays."""
    if len(pumped.pumps) > 1:
        return pumped
    degree = pumped.degree
    parts = [pumped.prefix, pumped.pumps[0][1], pumped.suffix]
    for which in (1, 0, 2):
        if len(parts[which]) > 40:
            continue
        at = 0
        while at < len(parts[which]):
            before = parts[which]
            parts[which] = before[:at] + before[at + 1 :]
            if not parts[1] or not _steady(outlooks, parts[0], parts[1], parts[2], degree):
                parts[which] = before
                at += 1
    return Pumped(parts[0], (((), parts[1]),), parts[2], degree)
