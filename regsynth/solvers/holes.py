"""Holes: a part of an expression, what surrounds it, and the languages that may fill it.

Taking a part S out of an expression E for L leaves a *context*. Reading whatever
stands before the hole takes the minimal DFA of L into a set X of states, and what
stands after it accepts from the states Z: so everything in the factor
F(X, Z) = {w : δ(X, w) ⊆ Z} may stand in the hole, and E stays inside L. Which words
*must* be there is asked of E itself, word by word.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from regsynth.automata.dfa import DFA, bits, minimise, renumber
from regsynth.errors import BudgetExceeded
from regsynth.solvers.closed import ClosedSets
from regsynth.syntax import tree
from regsynth.syntax.simplify import operands
from regsynth.syntax.tree import CONCAT, LETTER, OPTION, STAR, UNION, Expr

PAIRS = 40  # summands apart that are still taken as a pair
FACTOR_STATES = 300  # states of the automaton of what may fill a hole
KEPT = 2_000_000  # states of all relations that are remembered: some hundred megabytes at most


@dataclass(frozen=True, slots=True)
class Frame:
    """One step from a hole towards the root.

    ``op`` is the constructor there; ``before`` and ``after`` stand beside the hole under
    it (neither under ``?`` and ``*``).
    """

    op: int
    before: Expr | None
    after: Expr | None
    up: Frame | None

    def around(self, part: Expr) -> Expr:
        """The operand ``part`` with this frame around it."""
        if self.op in (OPTION, STAR):
            return tree.make(self.op, part)
        if self.before is not None:
            part = tree.make(self.op, self.before, part)
        return part if self.after is None else tree.make(self.op, part, self.after)


@dataclass(frozen=True, slots=True)
class Hole:
    """A part of an expression and the frames around it, innermost first."""

    part: Expr
    frame: Frame | None

    def fill(self, part: Expr) -> Expr:
        """The whole expression with ``part`` in the hole."""
        frame = self.frame
        while frame is not None:
            part = frame.around(part)
            frame = frame.up
        return part

    def path(self) -> list[tuple[Frame, Expr]]:
        """Frames from the root inwards, each with what stands in it now."""
        out: list[tuple[Frame, Expr]] = []
        part, frame = self.part, self.frame
        while frame is not None:
            out.append((frame, part))
            part, frame = frame.around(part), frame.up
        return out[::-1]


def chain(op: int, parts: Sequence[Expr]) -> Expr | None:
    """Parts under an associative operator; ``None`` for none."""
    whole: Expr | None = None
    for part in parts:
        whole = part if whole is None else tree.make(op, whole, part)
    return whole


def holes(expr: Expr, smallest: int, largest: int) -> Iterator[Hole]:
    """Every part of so many nodes: operands, runs of factors, pairs of summands.

    Examples
    --------
    >>> from regsynth.syntax.formal import parse
    >>> [str(hole.part) for hole in holes(parse("(ab*+c+a)d"), 2, 4)]
    ['c+a', 'ab*', 'b*']
    """
    stack: list[Hole] = [Hole(expr, None)]
    while stack:
        hole = stack.pop()
        part, up = hole.part, hole.frame
        if up is not None and smallest <= part.length <= largest:
            yield hole
        if part.length <= smallest or part.left is None:
            continue
        if part.op in (OPTION, STAR):
            stack.append(Hole(part.left, Frame(part.op, None, None, up)))
            continue
        parts = operands(part, part.op)
        first, last = running(part.op, parts), running(part.op, parts, backwards=True)
        stack += [Hole(p, Frame(part.op, first[i], last[i + 1], up)) for i, p in reversed(list(enumerate(parts)))]
        if len(parts) > 2:
            groups = _pairs(parts, first, last, up) if part.op == UNION else _runs(parts, first, last, up, largest)
            yield from (hole for hole in groups if smallest <= hole.part.length <= largest and hole.part.length < part.length)


Around = list[Expr | None]


def _pairs(parts: list[Expr], first: Around, last: Around, up: Frame | None) -> Iterator[Hole]:
    """Two of the summands."""
    for i, x in enumerate(parts):
        between: Expr | None = None
        for j in range(i + 1, min(len(parts), i + PAIRS)):
            others = [p for p in (between, last[j + 1]) if p is not None]
            yield Hole(tree.union(x, parts[j]), Frame(UNION, first[i], chain(UNION, others), up))
            between = chain(UNION, [parts[j]] if between is None else [between, parts[j]])


def _runs(parts: list[Expr], first: Around, last: Around, up: Frame | None, largest: int) -> Iterator[Hole]:
    """Several factors that follow each other."""
    for i, run in enumerate(parts):
        for j in range(i + 1, len(parts)):
            run = tree.concat(run, parts[j])
            if run.length > largest:
                break
            yield Hole(run, Frame(CONCAT, first[i], last[j + 1], up))


def running(op: int, parts: Sequence[Expr], *, backwards: bool = False) -> Around:
    """What stands before each of the parts and before the end; or, backwards, from each on and nothing at the end."""
    out: Around = [None]
    for part in reversed(parts) if backwards else parts:
        so_far = out[-1]
        out.append(part if so_far is None else tree.make(op, part, so_far) if backwards else tree.make(op, so_far, part))
    return out[::-1] if backwards else out


class Factors:
    """What may fill the holes of expressions for one language.

    Parameters
    ----------
    closed : ClosedSets
        Of L.
    alphabet : tuple of symbols
        Σ in letter order.
    """

    def __init__(self, closed: ClosedSets, alphabet: tuple[Hashable, ...]) -> None:
        self.closed, self.alphabet = closed, alphabet
        self._index = {symbol: i for i, symbol in enumerate(alphabet)}
        self._dead = 1 << closed.n  # one more state: nothing is accepted from there
        self._relations: dict[Expr, list[int]] = {}

    def relation(self, expr: Expr) -> list[int]:
        """For each state, the states that words of ``expr`` lead to; the dead state comes last."""
        known, states = self._relations, range(self.closed.n + 1)
        if len(known) * len(states) > KEPT:
            known.clear()
        for node in expr.postorder():
            if node in known:
                continue
            if node.op == LETTER:
                a = self._index[node.symbol]
                known[node] = [1 << row[a] if row[a] >= 0 else self._dead for row in self.closed.delta] + [self._dead]
            elif node.left is None:
                known[node] = [0 if node.op == tree.EMPTY else 1 << q for q in states]
            elif node.op == OPTION:
                known[node] = [to | 1 << q for q, to in enumerate(known[node.left])]
            elif node.op == STAR:
                known[node] = looped(known[node.left])
            else:
                assert node.right is not None
                left, right = known[node.left], known[node.right]
                known[node] = [a | b for a, b in zip(left, right)] if node.op == UNION else [image(to, right) for to in left]
        return known[expr]

    def type_of(self, hole: Hole, *, late: bool = False) -> tuple[int, int]:
        """States X before the hole and Z after it, both closed or X as small as can be.

        Inside a star any set W of states that its body does not leave, X ⊆ W ⊆ Z, is right;
        ``late`` takes the largest, else the closure of the smallest.
        """
        x, z = 1, self.closed.final
        for frame, body in hole.path():
            if frame.op == CONCAT:
                if frame.before is not None:
                    x = image(x, self.relation(frame.before))
                if frame.after is not None:
                    z = within(self.relation(frame.after), z)
            elif frame.op == STAR:
                loop = self.relation(tree.star(body))
                x = z = within(loop, z) if late else self.closed.close(image(x, loop))
        return x, z

    def factor(self, x: int, z: int, letters: frozenset[Hashable]) -> DFA:
        """Minimal automaton of the words of F(X, Z) over some letters.

        Raises
        ------
        BudgetExceeded
            When its subset construction has more than :data:`FACTOR_STATES` states.
        """
        delta, used = self.closed.delta, [symbol in letters for symbol in self.alphabet]
        number, sets = {x: 0}, [x]
        rows: list[list[int]] = []
        for states in sets:
            row = []
            for a, symbol_used in enumerate(used):
                after = 0 if symbol_used else self._dead
                for q in bits(states) if symbol_used else ():
                    after |= 1 << delta[q][a] if delta[q][a] >= 0 else self._dead
                if after & self._dead:
                    row.append(-1)
                    continue
                if after not in number:
                    if len(sets) >= FACTOR_STATES:
                        raise BudgetExceeded(f"more than {FACTOR_STATES} sets of states")
                    number[after] = len(sets)
                    sets.append(after)
                row.append(number[after])
            rows.append(row)
        sink = len(rows)
        table = [[sink if r < 0 else r for r in row] for row in rows] + [[sink] * len(used)]
        accepting = sum(1 << i for i, states in enumerate(sets) if not states & ~z)
        return minimise(renumber(self.alphabet, table, accepting))


def looped(step: list[int]) -> list[int]:
    """The reflexive and transitive closure of a relation."""
    out = []
    for q in range(len(step)):
        reached = new = 1 << q
        while new:
            new = image(new, step) & ~reached
            reached |= new
        out.append(reached)
    return out


def image(states: int, relation: list[int]) -> int:
    """States that ``relation`` leads to from any of ``states``."""
    out = 0
    for q in bits(states):
        out |= relation[q]
    return out


def within(relation: list[int], z: int) -> int:
    """States from which ``relation`` leads into ``z`` only."""
    return sum(1 << q for q, to in enumerate(relation) if not to & ~z)
