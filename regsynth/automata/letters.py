"""Position automaton of a pure pattern over character classes, and its lazy subset construction.

The bit-set construction of :mod:`regsynth.automata.position`, with two changes
for practical patterns. Letters are the classes of a :class:`Partition`, so a
position may read several of them. Positions that are followed by the next one
only (literals, bounded repeats of one set) form *chains*: a whole set of them
advances by one shift.
"""

from __future__ import annotations

from collections.abc import Iterator

from regsynth.automata.lazy import LazyDFA
from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded
from regsynth.syntax.charset import ALL, CharSet
from regsynth.syntax.partition import partition_of
from regsynth.syntax.pattern import ALT, CAT, REPEAT, SET, Node

POSITIONS = 200_000

_RUN, _CAT, _ALT, _STAR, _OPTION, _EPSILON = range(6)


class LetterAutomaton:
    """First, last and follow sets of a pure pattern.

    Parameters
    ----------
    root : Node
        With ``root.pure``.
    universe : CharSet
        All characters a subject may hold.

    Raises
    ------
    BudgetExceeded
        When written-out repeats make more than 200,000 positions.
    """

    def __init__(self, root: Node, universe: CharSet = ALL) -> None:
        if root.size > POSITIONS:
            raise BudgetExceeded(f"its repeats write out to {root.size:,} letters, more than the budget of {POSITIONS:,}")
        self.follow: list[int] = []
        self.chain = 0  # positions followed by the next one (bit sets, all of these)
        self.jumps = 0  # positions with further followers, in ``follow``
        self.links: list[tuple[int, int]] = []  # the same once more, as pairs of sets
        marks: dict[CharSet, int] = {}  # positions that read each set
        self.first, self.last, self.nullable = self._build(root, marks)
        self.partition = partition_of(marks, universe)
        self.by_letter = [0] * len(self.partition)
        for chars, positions in marks.items():
            letters = self.partition.masks[chars]
            while letters:
                low = letters & -letters
                self.by_letter[low.bit_length() - 1] |= positions
                letters ^= low

    def _link(self, sources: int, targets: int) -> None:
        if not targets or not sources:
            return
        if targets == sources << 1 and not targets & targets - 1:
            self.chain |= sources
            return
        self.jumps |= sources
        self.links.append((sources, targets))
        follow = self.follow
        while sources:
            low = sources & -sources
            follow[low.bit_length() - 1] |= targets
            sources ^= low

    def _build(self, root: Node, marks: dict[CharSet, int]) -> tuple[int, int, bool]:
        stack: list[tuple[int, int, bool]] = []
        for step, run in _steps(root):
            if step == _RUN:
                stack.append(self._run(run, marks))
            elif step == _CAT:
                f2, l2, n2 = stack.pop()
                f1, l1, n1 = stack.pop()
                if (not f1 and not n1) or (not f2 and not n2):  # one side is empty
                    stack.append((0, 0, False))
                else:
                    self._link(l1, f2)
                    stack.append((f1 | f2 if n1 else f1, l1 | l2 if n2 else l2, n1 and n2))
            elif step == _ALT:
                f2, l2, n2 = stack.pop()
                f1, l1, n1 = stack.pop()
                stack.append((f1 | f2, l1 | l2, n1 or n2))
            elif step == _EPSILON:
                stack.append((0, 0, True))
            else:
                f1, l1, n1 = stack.pop()
                if step == _STAR:
                    self._link(l1, f1)
                    stack.append((f1, l1, n1))
                else:
                    stack.append((f1, l1, True))
        (whole,) = stack
        return whole

    def _run(self, run: tuple[Node, ...], marks: dict[CharSet, int]) -> tuple[int, int, bool]:
        """First, last and nullable of a concatenation of sets, each perhaps under ``?``, ``*`` or ``+``."""
        first, last, nullable = 0, 0, True
        follow = self.follow
        bit = 1 << len(follow)
        for node in run:
            low = 1
            loop = 0
            chars = node.data
            if node.op != SET:
                low, high, _ = chars
                chars = node.kids[0].data
                loop = 0 if high else bit
            if not chars:
                if low:
                    return 0, 0, False
                continue
            marks[chars] = marks.get(chars, 0) | bit
            follow.append(loop)
            if loop:
                self.jumps |= bit
                self.links.append((bit, bit))
            if last == bit >> 1:
                self.chain |= last
            else:
                self._link(last, bit)
            if nullable:
                first |= bit
            if low:
                last, nullable = bit, False
            else:
                last |= bit
            bit <<= 1
        return first, last, nullable

    def post(self, subset: int) -> int:
        """Positions that may come after any of a set."""
        reach = (subset & self.chain) << 1
        rest = subset & self.jumps
        if not rest:
            return reach
        if rest.bit_length() > 64 and rest.bit_count() > len(self.links):
            for sources, targets in self.links:
                if rest & sources:
                    reach |= targets
            return reach
        follow = self.follow
        while rest:
            low = rest & -rest
            reach |= follow[low.bit_length() - 1]
            rest ^= low
        return reach

    def reversed(self) -> LetterAutomaton:
        """The automaton of the mirror image."""
        mirror = LetterAutomaton.__new__(LetterAutomaton)
        mirror.partition, mirror.by_letter = self.partition, self.by_letter
        mirror.first, mirror.last, mirror.nullable = self.last, self.first, self.nullable
        mirror.chain, mirror.links = 0, [(targets, sources) for sources, targets in self.links]
        mirror.follow = before = [0] * len(self.follow)
        for p in range(len(before)):
            after = self.post(1 << p)
            while after:
                low = after & -after
                before[low.bit_length() - 1] |= 1 << p
                after ^= low
        mirror.jumps = sum(1 << p for p, mask in enumerate(before) if mask)
        chain = self.chain
        while chain:
            low = chain & -chain
            mirror.links.append((low << 1, low))
            chain ^= low
        return mirror


def _steps(root: Node) -> Iterator[tuple[int, tuple[Node, ...]]]:
    """Postorder, a run of simple factors at a time, with repeats written out: x{2,4} is xx(x(x)?)?, x+ is one copy with a loop."""
    stack: list[Node | int | tuple[Node, ...]] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, int):
            yield item, ()
        elif isinstance(item, tuple):
            yield _RUN, item
        elif _simple(item):
            yield _RUN, (item,)
        elif item.op == CAT:
            parts = _runs(item.kids)
            if not parts:
                yield _EPSILON, ()
                continue
            for part in parts[:0:-1]:
                stack += (_CAT, part)
            stack.append(parts[0])
        elif item.op == ALT:
            for kid in item.kids[:0:-1]:
                stack += (_ALT, kid)
            stack.append(item.kids[0])
        else:
            assert item.op == REPEAT
            (kid,) = item.kids
            stack += reversed(_copies(kid, *item.data[:2]))


def _simple(node: Node) -> bool:
    """A set, perhaps under ``?``, ``*`` or ``+``: one position."""
    if node.op != REPEAT:
        return node.op == SET
    low, high, _ = node.data
    return low <= 1 and (high is None or high == 1) and node.kids[0].op == SET


def _copies(kid: Node, low: int, high: int | None) -> list[Node | int | tuple[Node, ...]]:
    """A repeat in postorder."""
    copies: list[Node | int | tuple[Node, ...]]
    if high is None:  # the last required copy carries the loop
        copies = [kid] * max(low, 1)
        return [*copies, _STAR, *([_OPTION] if low == 0 else [_CAT] * (low - 1))]
    spare = high - low
    copies = [kid] * high
    return copies + ([_OPTION] + [_CAT, _OPTION] * (spare - 1) + [_CAT] * low if spare else [_CAT] * (low - 1))


def _runs(kids: tuple[Node, ...]) -> list[Node | tuple[Node, ...]]:
    """The parts of a concatenation, neighbouring simple ones as one run."""
    parts: list[Node | tuple[Node, ...]] = []
    start = 0
    for i, kid in enumerate(kids):
        if not _simple(kid):
            if start < i:
                parts.append(kids[start:i])
            parts.append(kid)
            start = i + 1
    if start < len(kids):
        parts.append(kids[start:])
    return parts


class SubsetDFA(LazyDFA):
    """Subsets of positions, numbered as they appear; −1 is the start."""

    __slots__ = ("_number", "_subsets", "automaton")

    def __init__(self, automaton: LetterAutomaton, clock: Clock) -> None:
        super().__init__(automaton.partition, clock)
        self.automaton = automaton
        self._subsets = [-1]
        self._number = {-1: 0}
        self._enter(automaton.nullable)

    def _expand(self, q: int) -> list[int]:
        automaton, number = self.automaton, self._number
        subset = self._subsets[q]
        reach = automaton.first if subset < 0 else automaton.post(subset)
        targets = [reach & mask for mask in automaton.by_letter]
        for target in targets:
            if target not in number:
                number[target] = self._enter(target & automaton.last != 0)
                self._subsets.append(target)
                self.bytes += 64 + (target.bit_length() >> 3)
        return [number[target] for target in targets]
