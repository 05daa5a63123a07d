"""A pattern as a program of small instructions, for everything beyond plain sets.

Each instruction names its successors. A *goal* ends a body: the whole pattern,
a lookaround, an atomic group or an operand of ``~`` and ``&``. Repeats are
written out; a loop whose body may be empty carries a number, because an
iteration that consumed nothing may not be followed by another one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, Final

from regsynth.errors import BudgetExceeded, UndecidableError, UnsupportedError
from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import EMPTY_SET, NEWLINE, CharSet
from regsynth.syntax.partition import Partition
from regsynth.syntax.pattern import Node

READ: Final = 0  # mask of letters, next
SPLIT: Final = 1  # targets in order of preference, goal of the innermost atomic group or −1
ASSERT: Final = 2  # kind, word mask or 0, next
LOOK: Final = 3  # behind, negative, entry (of the body) or tracker number, goal, next
GOAL: Final = 4  # next (of an atomic group) or −1
ENTER: Final = 5  # loop, next
AGAIN: Final = 6  # loop, head, exit
OPEN: Final = 7  # slot, next
CLOSE: Final = 8  # slot, next
REF: Final = 9  # slot, ignore case, next
COND: Final = 10  # slot, yes, no
BOOL: Final = 11  # "not" or "and", ((entry, goal), …), next

INSTRUCTIONS = 100_000
CAPTURES = 400  # words a captured group may have
CAPTURED_CHARS = 96

Instruction = tuple[Any, ...]


@dataclass
class Program:
    """Instructions of a pattern under one semantics.

    Attributes
    ----------
    code : list of tuple
    entry, goal : int
    partition : Partition
    prefix : set of int
        Goals that hold once reached, whatever follows.
    trackers : list of (entry, goal)
        Lookbehind bodies, run from every position.
    remembers : list of bool
        For each capture slot, whether its text matters (else only whether it is set).
    word_masks : list of int
        Class masks of the word sets of ``\\b``.
    line_feed : int
        Class mask of the newline.
    """

    partition: Partition
    code: list[Instruction] = field(default_factory=list)
    entry: int = 0
    goal: int = 0
    prefix: set[int] = field(default_factory=set)
    trackers: list[tuple[int, int]] = field(default_factory=list)
    remembers: list[bool] = field(default_factory=list)
    word_masks: list[int] = field(default_factory=list)
    line_feed: int = 0
    sees_start: bool = False
    sees_line: bool = False
    loops: int = 0


Build = Generator[tuple[Any, ...], int, int]


class _Writer:
    """Writes instructions from the end of the pattern to its start."""

    def __init__(self, program: Program, slots: dict[int, int]) -> None:
        self.program = program
        self.slots = slots

    def add(self, *instruction: Any) -> int:
        code = self.program.code
        if len(code) >= INSTRUCTIONS:
            raise BudgetExceeded(f"the pattern needs more than {INSTRUCTIONS:,} instructions")
        code.append(instruction)
        return len(code) - 1

    def run(self, node: Node, after: int, atom: int) -> int:
        """Write ``node`` before ``after``; generators stand in for recursion."""
        stack: list[Build] = [self._write(node, after, atom)]
        value = 0
        started = False
        while stack:
            try:
                request = stack[-1].send(value) if started else next(stack[-1])
            except StopIteration as stop:
                stack.pop()
                value, started = stop.value, True
                continue
            stack.append(self._write(*request))
            started = False
        return value

    def _write(self, node: Node, after: int, atom: int) -> Build:
        op, program = node.op, self.program
        if op == tree.SET:
            return self.add(READ, program.partition.masks[node.data], after)
        if op == tree.CAT:
            for kid in reversed(node.kids):
                after = yield kid, after, atom
            return after
        if op == tree.ALT:
            targets = []
            for kid in node.kids:
                targets.append((yield kid, after, atom))
            return self.add(SPLIT, tuple(targets), atom)
        if op == tree.REPEAT:
            return (yield from self._repeat(node, after, atom))
        if op == tree.AT:
            kind, words = node.data
            mask = 0
            if words is not None:
                mask = program.partition.masks[words]
                if mask not in program.word_masks:
                    program.word_masks.append(mask)
                program.sees_start = True
            program.sees_start = program.sees_start or kind in (tree.START, tree.LINE_START)
            program.sees_line = program.sees_line or kind == tree.LINE_START
            if kind == tree.END_LINE_FEED:  # an optional newline, then the end
                goal = self.add(GOAL, -1)
                program.prefix.add(goal)
                end = self.add(ASSERT, tree.END, 0, goal)
                entry = self.add(SPLIT, (end, self.add(READ, program.line_feed, end)), -1)
                return self.add(LOOK, False, False, entry, goal, after)
            return self.add(ASSERT, kind, mask, after)
        if op == tree.LOOK:
            behind, negative = node.data
            goal = self.add(GOAL, -1)
            entry = yield node.kids[0], goal, -1
            if behind:
                program.trackers.append((entry, goal))
                return self.add(LOOK, True, negative, len(program.trackers) - 1, goal, after)
            program.prefix.add(goal)
            return self.add(LOOK, False, negative, entry, goal, after)
        if op == tree.ATOMIC:
            goal = self.add(GOAL, after)
            program.prefix.add(goal)
            return (yield node.kids[0], goal, goal)
        if op == tree.GROUP:
            slot = self.slots.get(node.data)
            if slot is None:
                return (yield node.kids[0], after, atom)
            return self.add(OPEN, slot, (yield node.kids[0], self.add(CLOSE, slot, after), atom))
        if op == tree.REF:
            number, flags = node.data
            return self.add(REF, self.slots[number], flags, after)
        if op == tree.COND:
            yes = yield node.kids[0], after, atom
            no = yield node.kids[1], after, atom
            return self.add(COND, self.slots[node.data], yes, no)
        assert op in (tree.NOT, tree.AND)
        bodies = []
        for kid in node.kids:
            goal = self.add(GOAL, -1)
            bodies.append(((yield kid, goal, -1), goal))
        return self.add(BOOL, "not" if op == tree.NOT else "and", tuple(bodies), after)

    def _repeat(self, node: Node, after: int, atom: int) -> Build:
        (kid,) = node.kids
        low, high, mode = node.data
        code = self.program.code

        def choice(body: int, leave: int) -> tuple[int, int]:
            return (leave, body) if mode == tree.LAZY else (body, leave)

        required = low
        if high is None:
            head = self.add(SPLIT, (), atom)
            if kid.nullable:
                loop = self._loop()
                body = self.add(ENTER, loop, (yield kid, self.add(AGAIN, loop, head, after), atom))
                code[head] = (SPLIT, choice(body, after), atom)
                entry = head
            else:
                body = yield kid, head, atom
                code[head] = (SPLIT, choice(body, after), atom)
                entry = head
                if low:
                    entry, required = body, low - 1
        else:
            entry = after
            for _ in range(high - low):
                if kid.nullable:
                    loop = self._loop()
                    body = self.add(ENTER, loop, (yield kid, self.add(AGAIN, loop, entry, after), atom))
                else:
                    body = yield kid, entry, atom
                entry = self.add(SPLIT, choice(body, after), atom)
        for _ in range(required):
            before = len(code)
            entry = yield kid, entry, atom
            if len(code) == before:  # a copy that needs no instruction: so do the others
                break
        return entry

    def _loop(self) -> int:
        self.program.loops += 1
        return self.program.loops - 1


def compile_program(root: Node, semantics: str, universe: CharSet, locate: Callable[[int], int | None]) -> Program:
    """The program of a pattern.

    Parameters
    ----------
    root : Node
    semantics : {"fullmatch", "match", "search"}
    universe : CharSet
    locate : callable
        Position in the text of the first reference to a group.

    Raises
    ------
    UnsupportedError
        A reference inside a lookbehind, or to a group captured inside a lookaround or a possessive repeat.
    UndecidableError
        A back-reference whose group is no finite small set.
    BudgetExceeded
    """
    slots, remembers, singles = _captures(root, locate)
    sets = root.sets()
    for chars in singles:
        sets.extend(CharSet.code(point) for first, last in chars.ranges() for point in range(first, last + 1))
    partition = Partition(sets, universe)
    program = Program(partition, remembers=remembers)
    program.line_feed = partition.masks.get(NEWLINE, 0)
    program.code.append((GOAL, -1))
    writer = _Writer(program, slots)
    program.entry = writer.run(root, program.goal, -1)
    if semantics != "fullmatch":
        program.prefix.add(program.goal)
    if semantics == "search":
        everything = (1 << len(partition.classes)) - 1
        loop = writer.add(READ, everything, len(program.code) + 1)
        program.entry = writer.add(SPLIT, (program.entry, loop), -1)
    return program


def _captures(root: Node, locate: Callable[[int], int | None]) -> tuple[dict[int, int], list[bool], list[CharSet]]:
    """Slots of the groups something refers to, which of them keep their text, and the sets those read."""
    texts: set[int] = set()
    flags: set[int] = set()
    groups: dict[int, Node] = {}
    homes: dict[int, set[tuple[int, ...]]] = {}  # lookarounds around each group…
    uses: dict[int, set[tuple[int, ...]]] = {}  # …and around each reference
    behind_ref = False
    possessive: set[int] = set()  # groups inside possessive repeats
    stack: list[tuple[Node, tuple[int, ...], bool]] = [(root, (), False)]
    seen: set[tuple[int, tuple[int, ...], bool]] = set()
    while stack:
        node, path, behind = stack.pop()
        if (id(node), path, behind) in seen:
            continue
        seen.add((id(node), path, behind))
        if node.op == tree.ATOMIC and node.kids[0].op == tree.REPEAT and node.kids[0].kids[0].op == tree.ATOMIC:
            possessive.update(inner.data for inner in node.nodes() if inner.op == tree.GROUP)
        if node.op in (tree.REF, tree.COND):
            number = node.data[0] if node.op == tree.REF else node.data
            (texts if node.op == tree.REF else flags).add(number)
            uses.setdefault(number, set()).add(path)
            behind_ref |= behind
        elif node.op == tree.GROUP:
            groups[node.data] = node
            homes.setdefault(node.data, set()).add(path)
        if node.op == tree.LOOK:
            path, behind = (*path, id(node)), behind or node.data[0]
        stack.extend((kid, path, behind) for kid in node.kids)
    used = sorted(texts | flags)
    for number in used:  # a group inside x{0} is gone: it never captures
        groups.setdefault(number, tree.char_set(EMPTY_SET))
        homes.setdefault(number, set())
    if behind_ref:
        raise UnsupportedError("reference inside a lookbehind", locate(used[0]))
    singles: list[CharSet] = []
    for number in used:
        if any(use[: len(home)] != home for use in uses[number] for home in homes[number]):
            raise UnsupportedError(f"reference to group {number}, captured inside a lookaround", locate(number))
        if number in possessive:  # re loses track of such a capture: (?:(b)|\1a)++ matches ba
            raise UnsupportedError(f"reference to group {number}, captured inside a possessive repeat", locate(number))
    for number in sorted(texts):
        if _words(groups[number], groups, 0) > CAPTURES:
            raise UndecidableError(f"back-reference to group {number}, which is no finite small set", locate(number))
        chars = EMPTY_SET
        for node in groups[number].nodes():
            if node.op == tree.SET:
                chars = chars | node.data
            elif node.op == tree.REF:
                for inner in groups[node.data[0]].nodes():
                    if inner.op == tree.SET:
                        chars = chars | inner.data
        if len(chars) > CAPTURED_CHARS:
            raise UndecidableError(f"back-reference to group {number}, which is no finite small set", locate(number))
        singles.append(chars)
    slots = {number: i for i, number in enumerate(used)}
    return slots, [number in texts for number in used], singles


def _words(node: Node, groups: dict[int, Node], depth: int) -> int:
    """An upper bound on the words of a group, ``CAPTURES + 1`` for too many."""
    op, top = node.op, CAPTURES + 1
    if depth > 40:
        return top
    if op == tree.SET:
        return min(len(node.data), top)
    if op in (tree.AT, tree.LOOK):
        return 1
    if op == tree.REF:
        return _words(groups[node.data[0]], groups, depth + 1)
    kids = [_words(kid, groups, depth + 1) for kid in node.kids]
    if op == tree.CAT:
        total: int = 1
        for n in kids:
            total = min(total * n, top)
        return total
    if op == tree.REPEAT:
        low, high, _ = node.data
        if high is None or high > 16:
            return top if kids[0] else 1
        return min(sum(int(kids[0] ** n) for n in range(low, high + 1)), top)
    return min(sum(kids), top)
