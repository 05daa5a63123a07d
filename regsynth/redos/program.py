"""The instructions a backtracking matcher runs, in its order of preference.

Close to :mod:`regsynth.automata.program`, which asks *whether* a subject matches.
Here the question is how many ways are tried, so alternatives are never merged, each
instruction knows the part of the pattern it comes from and the loops around it, and
``search`` is an instruction too: try here, and if that fails start one character later.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, Final

from regsynth.errors import BudgetExceeded
from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import ALL, BYTES, NEWLINE, CharSet
from regsynth.syntax.partition import Partition
from regsynth.syntax.pattern import Node

READ: Final = 0  # mask of letters, next
SPLIT: Final = 1  # targets in order of preference
ASSERT: Final = 2  # kind, index of the word set or −1, next
LOOK: Final = 3  # negative, entry of the body, its goal, next
GOAL: Final = 4  # next (of an atomic group) or −1 (whole pattern, lookahead)
ENTER: Final = 5  # loop, next
AGAIN: Final = 6  # loop, head, exit
BEHIND: Final = 7  # negative, tracker, next
MAYBE: Final = 8  # next: an assertion we do not model; passes or not
FENCE: Final = 9  # goal of an atomic group, entry of its body

INSTRUCTIONS = 50_000

Instruction = tuple[Any, ...]
Build = Generator[tuple[Any, ...], int, int]


@dataclass(slots=True)
class Home:
    """Where a reading instruction stands.

    Its node, the unbounded repeats around it, its atomic groups, whether it is part of a lookahead,
    and another node that reads the same and goes on the same way, if there is one.
    """

    node: Node | None
    loops: tuple[int, ...]
    scopes: tuple[int, ...]
    ahead: bool = False
    twin: Node | None = None


@dataclass(slots=True)
class Program:
    """Instructions of a pattern under one semantics.

    Attributes
    ----------
    code : list of tuple
    entry, goal : int
    partition : Partition
    homes : dict
        :class:`Home` of every READ.
    copies : set of int
        READs that stand for a back-reference.
    settled : set of int
        Those of them after which there is one way to go on: how much they read is not theirs to choose.
    start : int
        The READ that moves the search on, or −1.
    trackers : list of (entry, goal)
        Bodies of lookbehinds, followed from every place.
    words : list of int
        Class masks of the word sets of ``\\b``.
    line_feed : int
        Class mask of the newline.
    kinds : set of int
        Kinds of the anchors that occur.
    exact : bool
        Whether every construct is modelled as it is.
    """

    partition: Partition
    code: list[Instruction] = field(default_factory=list)
    entry: int = 0
    goal: int = 0
    fullmatch: bool = False
    homes: dict[int, Home] = field(default_factory=dict)
    copies: set[int] = field(default_factory=set)
    settled: set[int] = field(default_factory=set)
    start: int = -1
    trackers: list[tuple[int, int]] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    line_feed: int = 0
    kinds: set[int] = field(default_factory=set)
    exact: bool = True
    loops: int = 0
    inexact: str = ""


class _Writer:
    """Writes instructions from the end of the pattern to its start."""

    def __init__(self, program: Program, groups: dict[int, list[Node]]) -> None:
        self.program = program
        self.groups = groups
        self.shared: dict[tuple[Any, ...], int] = {}

    def add(self, *instruction: Any) -> int:
        code = self.program.code
        if len(code) >= INSTRUCTIONS:
            raise BudgetExceeded(f"the pattern needs more than {INSTRUCTIONS:,} instructions")
        code.append(instruction)
        return len(code) - 1

    def run(self, node: Node, after: int) -> int:
        """Write ``node`` before ``after``; generators stand in for recursion."""
        stack: list[Build] = [self._write(node, after, (), (), "")]
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

    def _write(self, node: Node, after: int, loops: tuple[int, ...], scopes: tuple[int, ...], side: str) -> Build:
        op, program = node.op, self.program
        if op == tree.SET:
            return self.read(program.partition.masks[node.data], after, Home(node, loops, scopes, side == "ahead"))
        if op == tree.CAT:
            for kid in reversed(node.kids):
                after = yield kid, after, loops, scopes, side
            return after
        if op == tree.ALT:
            targets = []
            for kid in node.kids:
                targets.append((yield kid, after, loops, scopes, side))
            return self.add(SPLIT, tuple(targets))
        if op == tree.REPEAT:
            return (yield from self._repeat(node, after, loops, scopes, side))
        if op == tree.AT:
            return self._anchor(node, after, side)
        if op == tree.LOOK:
            is_behind, negative = node.data
            if side == "behind" and not is_behind:
                return self._unmodelled("a lookahead inside a lookbehind", after)
            if is_behind and _hides_more(node.kids[0]):  # as a whole: a negative one over too much would forbid too much
                return self._unmodelled("what a lookbehind holds", after)
            goal = self.add(GOAL, -1)
            if is_behind:
                entry = yield node.kids[0], goal, (), (), "behind"
                program.trackers.append((entry, goal))
                return self.add(BEHIND, negative, len(program.trackers) - 1, after)
            before, program.exact = program.exact, True
            entry = yield node.kids[0], goal, loops, (), "ahead"
            sure, program.exact = program.exact, program.exact and before
            look = self.add(LOOK, negative, entry, goal, after)
            if negative and not sure:  # its body may match less than is modelled: go on in either case
                return self.add(SPLIT, (look, self.add(LOOK, False, entry, goal, after)))
            return look
        if op == tree.ATOMIC:
            if side == "behind":
                return (yield node.kids[0], after, loops, scopes, side)
            goal = self.add(GOAL, after)
            return self.add(FENCE, goal, (yield node.kids[0], goal, loops, (*scopes, goal), side))
        if op == tree.GROUP:
            return (yield node.kids[0], after, loops, scopes, side)
        if op == tree.REF:
            return self._reference(node, after, loops, scopes, side)
        assert op == tree.COND
        program.exact, program.inexact = False, "a conditional"
        yes = yield node.kids[0], after, loops, scopes, side
        no = yield node.kids[1], after, loops, scopes, side
        return self.add(SPLIT, (yes, no))

    def read(self, mask: int, after: int, home: Home) -> int:
        """A READ; one that reads the same and goes on the same way serves again."""
        key = (mask, after, home.loops, home.scopes, home.ahead)
        here = self.shared.get(key, -1)
        if here >= 0:
            known = self.program.homes[here]
            if known.node is not home.node:
                known.twin = home.node
            return here
        here = self.shared[key] = self.add(READ, mask, after)
        self.program.homes[here] = home
        return here

    def _unmodelled(self, what: str, after: int) -> int:
        self.program.exact, self.program.inexact = False, what
        return self.add(MAYBE, after)

    def _anchor(self, node: Node, after: int, side: str) -> int:
        program = self.program
        kind, chars = node.data
        index = -1
        if side == "behind" and kind not in (tree.START, tree.LINE_START):
            return self._unmodelled("an anchor inside a lookbehind", after)
        if chars is not None:
            mask = program.partition.masks[chars]
            if mask not in program.words:
                program.words.append(mask)
            index = program.words.index(mask)
        program.kinds.add(kind)
        return self.add(ASSERT, kind, index, after)

    def _reference(self, node: Node, after: int, loops: tuple[int, ...], scopes: tuple[int, ...], side: str) -> int:
        """A back-reference: some letters of its group, as many as were captured."""
        program = self.program
        program.exact, program.inexact = False, "a back-reference"
        mask = self._captured(node)
        if not mask or side == "behind":
            return self.add(MAYBE, after)
        head = self.add(SPLIT, ())
        body = self.read(mask, head, Home(node, loops, scopes, side == "ahead"))
        program.code[head] = (SPLIT, (body, after))
        program.copies.add(body)
        while program.code[after][0] in (ASSERT, BEHIND, MAYBE, ENTER):
            after = program.code[after][-1]
        if program.code[after][0] in (READ, GOAL):
            program.settled.add(body)
        return head

    def _captured(self, node: Node) -> int:
        """Letters a back-reference may read: those of its group, wherever it is written, and of references in it."""
        masks = self.program.partition.masks
        mask = 0
        waiting, seen = [node], set()
        while waiting:
            here = waiting.pop()
            number, flags = here.data
            if flags & 2:  # IGNORECASE folds what was captured
                return (1 << len(self.program.partition)) - 1
            if number in seen:
                continue
            seen.add(number)
            for group in self.groups.get(number, ()):
                for part in group.nodes():
                    if part.op == tree.SET:
                        mask |= masks[part.data]
                    elif part.op == tree.REF:
                        waiting.append(part)
        return mask

    def _repeat(self, node: Node, after: int, loops: tuple[int, ...], scopes: tuple[int, ...], side: str) -> Build:
        (kid,) = node.kids
        low, high, mode = node.data
        code, program = self.program.code, self.program

        def choice(body: int, leave: int) -> tuple[int, int]:
            return (leave, body) if mode == tree.LAZY else (body, leave)

        required = low
        if high is None:
            inside = (*loops, id(node))
            head = self.add(SPLIT, ())
            if kid.nullable:
                loop = program.loops
                program.loops += 1
                body = self.add(ENTER, loop, (yield kid, self.add(AGAIN, loop, head, after), inside, scopes, side))
                code[head] = (SPLIT, choice(body, after))
                entry = head
            else:
                body = yield kid, head, inside, scopes, side
                code[head] = (SPLIT, choice(body, after))
                entry = head
                if low:
                    entry, required = body, low - 1
        else:
            entry = after
            for _ in range(high - low):
                if kid.nullable:
                    loop = program.loops
                    program.loops += 1
                    body = self.add(ENTER, loop, (yield kid, self.add(AGAIN, loop, entry, after), loops, scopes, side))
                else:
                    body = yield kid, entry, loops, scopes, side
                if body == entry:  # a body without instructions
                    break
                entry = self.add(SPLIT, choice(body, after))
        for _ in range(required):
            following = entry
            entry = yield kid, following, loops, scopes, side
            if entry == following:  # a copy that needs no instruction: so do the others
                break
        return entry


def write_program(root: Node, semantics: str, is_bytes: bool) -> Program:
    """The program of a pattern.

    Parameters
    ----------
    root : Node
        From :func:`regsynth.redos.reading.read`.
    semantics : {"search", "match", "fullmatch"}
    is_bytes : bool

    Raises
    ------
    BudgetExceeded
        When its repeats write out to too many instructions.
    """
    universe: CharSet = BYTES if is_bytes else ALL
    sets = root.sets()
    groups: dict[int, list[Node]] = {}  # several, where a pattern with references was written out
    for node in root.nodes():
        if node.op == tree.GROUP:
            groups.setdefault(node.data, []).append(node)
    program = Program(Partition(sets, universe), fullmatch=semantics == "fullmatch")
    program.line_feed = program.partition.masks.get(NEWLINE, 0)
    writer = _Writer(program, groups)
    program.goal = writer.add(GOAL, -1)
    program.entry = writer.run(root, program.goal)
    if semantics == "search":
        everything = (1 << len(program.partition)) - 1
        program.start = writer.read(everything, len(program.code) + 1, Home(None, (-1,), ()))
        program.entry = writer.add(SPLIT, (program.entry, program.start))
    return program


def _hides_more(body: Node) -> bool:
    """Whether the body of a lookbehind holds what is not modelled there: most anchors, lookaheads, references."""
    for node in body.nodes():
        if node.op == tree.AT and node.data[0] not in (tree.START, tree.LINE_START):
            return True
        if node.op in (tree.REF, tree.COND) or (node.op == tree.LOOK and not node.data[0]):
            return True
    return False
