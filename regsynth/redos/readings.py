"""Two ways in which one pattern reads one text: what makes a backtracking matcher try again.

The pattern becomes a small program for a non-deterministic machine (Thompson's
construction, loops marked where they go round again). Running it letter by letter and
keeping two different runs to every place finds, at the end of the pumped text, a place
that was reached twice.
"""

from __future__ import annotations

from dataclasses import dataclass

from regsynth.redos.reading import Reading
from regsynth.redos.results import Attack
from regsynth.syntax import pattern as tree
from regsynth.syntax.pattern import Node

LONGEST = 80  # characters that are read
COPIES = 3  # of a repeat's operand that are written out at most
WAYS = 400  # ways from one letter to the next that are looked at

Span = tuple[int, int]
Ways = list[tuple[int, tuple[Span, ...]]]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the text, and what reads it.

    Attributes
    ----------
    text : str
    by : (int, int) or None
        Span in the pattern of the repeat or set; ``None`` for text before the match starts.
    rounds : tuple of (int, int)
        Spans of the loops of which a new round begins here.
    """

    text: str
    by: Span | None
    rounds: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class _Run:
    """How some text was read, last letter first: a linked list that runs share."""

    letter: str
    by: Span | None
    rounds: tuple[Span, ...]
    before: _Run | None


class _Machine:
    """States are letters to read, forks, marks of a new round, and the end."""

    def __init__(self, reading: Reading) -> None:
        self.spans = reading.spans
        self.next: list[list[int]] = []
        self.reads: list[Node | None] = []
        self.by: list[Span | None] = []
        self.mark: list[Span | None] = []
        self.end = self.state()
        self.start = self.build(reading.root, self.end, None)

    def state(self, *, reads: Node | None = None, by: Span | None = None, mark: Span | None = None) -> int:
        self.next.append([])
        self.reads.append(reads)
        self.by.append(by)
        self.mark.append(mark)
        return len(self.next) - 1

    def build(self, node: Node, after: int, by: Span | None) -> int:
        """First state of a node that goes on at ``after``. One frame a nested construct."""
        if node.op == tree.SET:
            here = self.state(reads=node, by=by or self.spans.get(id(node)))
            self.next[here] = [after]
            return here
        if node.op == tree.CAT:
            for kid in reversed(node.kids):
                after = self.build(kid, after, by)
            return after
        if node.op == tree.ALT:
            here = self.state()
            self.next[here] = [self.build(kid, after, by) for kid in node.kids]
            return here
        if node.op == tree.REPEAT:
            return self.repeat(node, after)
        if node.op in (tree.GROUP, tree.ATOMIC):
            return self.build(node.kids[0], after, by)
        here = self.state()  # what reads nothing, or cannot be shown
        self.next[here] = [after]
        return here

    def repeat(self, node: Node, after: int) -> int:
        (kid,) = node.kids
        low, high, _ = node.data
        span = self.spans.get(id(node))
        by = span if kid.op == tree.SET else None
        if high is None:
            loop = self.state(mark=None if by else span)
            body = self.build(kid, loop, by)
            self.next[loop] = [body, after]
            first = body if low else loop
            if not low:
                first = self.state()
                self.next[first] = [body, after]
            for _ in range(min(low - 1, COPIES)):
                first = self.build(kid, first, by)
            return first
        for _ in range(min(high - low, COPIES)):
            fork = self.state()
            self.next[fork] = [self.build(kid, after, by), after]
            after = fork
        for _ in range(min(low, COPIES)):
            after = self.build(kid, after, by)
        return after

    def letters(self, state: int) -> Ways:
        """Letter states reachable without reading, each with the rounds begun on the way; a state may come up twice."""
        found: dict[tuple[int, tuple[Span, ...]], None] = {}
        stack: list[tuple[int, tuple[Span, ...], frozenset[int]]] = [(state, (), frozenset())]
        steps = 0
        while stack and steps < WAYS:
            steps += 1
            here, rounds, seen = stack.pop()
            if here in seen:
                continue
            if self.reads[here] is not None:
                found[here, rounds] = None
                continue
            seen |= {here}
            mark = self.mark[here]
            for i, target in enumerate(self.next[here]):
                stack.append((target, (*rounds, mark) if mark and i == 0 else rounds, seen))
        return list(found)[::-1]


def two_readings(reading: Reading, attack: Attack, *, searching: bool) -> tuple[list[Piece], list[Piece]] | None:
    """Two different runs over the attack's prefix and three pumps that end in one place, if there are.

    Parameters
    ----------
    reading : Reading
    attack : Attack
    searching : bool
        Whether a match may start anywhere.

    Examples
    --------
    >>> from regsynth.redos.reading import read
    >>> first, second = two_readings(read("(?:a+)+b"), Attack("", "a", "!"), searching=False)
    >>> [(p.text, p.rounds) for p in first], [(p.text, p.rounds) for p in second]
    ([('aaa', ())], [('a', ()), ('aa', ((0, 7),))])
    """
    text = attack.text(3) if attack.further else attack.prefix + attack.pump * 3
    if attack.further and attack.suffix:
        text = text[: -len(attack.suffix)]
    if len(text) > LONGEST or not text:
        return None
    try:
        machine = _Machine(reading)
    except RecursionError:
        return None
    runs = _runs(machine, text, searching) or _runs(machine, text, True)
    pairs = [found for found in runs.values() if len(found) > 1]
    if pairs:
        first, second = pairs[0][:2]
    else:
        ends = [found[0] for found in runs.values()]
        if len(ends) < 2:
            return None
        first, second = ends[:2]
    return _pieces(first), _pieces(second)


def _runs(machine: _Machine, text: str, searching: bool) -> dict[int, list[_Run]]:
    """Up to two runs to each state that has just read the last letter."""
    here: dict[int, list[_Run]] = {}
    skipped: _Run | None = None
    starts = machine.letters(machine.start)
    for i, letter in enumerate(text):
        after: dict[int, list[_Run]] = {}
        froms: list[tuple[Ways, list[_Run | None]]] = []
        if i == 0 or searching:
            froms.append((starts, [skipped]))
        for state, runs in here.items():
            froms.append((machine.letters(machine.next[state][0]), [*runs]))
        for ways, before in froms:
            for target, rounds in ways:
                node = machine.reads[target]
                if node is None or letter not in node.data:
                    continue
                known = after.setdefault(target, [])
                for run in before:
                    if len(known) < 2:
                        known.append(_Run(letter, machine.by[target], rounds, run))
        skipped = _Run(letter, None, (), skipped)
        here = after
        if not here and not searching:
            return {}
    return here


def _pieces(run: _Run | None) -> list[Piece]:
    letters: list[_Run] = []
    while run is not None:
        letters.append(run)
        run = run.before
    out: list[Piece] = []
    for step in reversed(letters):
        if out and out[-1].by == step.by and not step.rounds:
            out[-1] = Piece(out[-1].text + step.letter, step.by, out[-1].rounds)
        else:
            out.append(Piece(step.letter, step.by, step.rounds))
    return out
