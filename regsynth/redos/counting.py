"""A backtracking matcher that counts its steps.

The measure everything else in this room speaks about, in its plainest form: one
character tried is one step. It follows ``re``: alternatives in order, repeats
greedy or lazy, an iteration that consumed nothing is the last. It knows captures, so
it measures patterns with back-references, which the automata only bound; and it is
what the tests hold the automata against.
"""

from __future__ import annotations

import re
from typing import Any, Final

from regsynth.redos.reading import Reading
from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import CharSet
from regsynth.syntax.pattern import Node

READ: Final = 0  # set
SPLIT: Final = 1  # first choice, second choice
JUMP: Final = 2  # target
OPEN: Final = 3  # group
CLOSE: Final = 4  # group
AT: Final = 5  # kind, words
REF: Final = 6  # group, flags
TEST: Final = 7  # group, where to go if it is not set
MARK: Final = 8  # loop
MOVED: Final = 9  # loop, where to go if nothing was consumed
FENCE: Final = 10  # kind (atomic, ahead, not ahead), end of the body
UNFENCE: Final = 11
BACK: Final = 12  # width of a lookbehind
DONE: Final = 13

ATOMIC, AHEAD, NOT_AHEAD = range(3)
MAXIMUM = 20_000  # instructions
IDLE = 40  # instructions that read nothing for each step that is allowed


class TooLarge(Exception):
    """The pattern writes out to too many instructions."""


class Counter:
    """A pattern compiled for counting.

    >>> from regsynth.redos.reading import read
    >>> counter = Counter(read("(a+)+b"))
    >>> [counter.run("a" * n, "match", 10_000)[1] for n in (2, 3, 4)]
    [11, 23, 47]
    """

    def __init__(self, reading: Reading) -> None:
        self.code: list[tuple[Any, ...]] = []
        self.loops = 0
        groups = [node.data for node in reading.root.nodes() if node.op == tree.GROUP]
        self.groups = max(groups, default=0)
        self._write(reading.root)
        self.code.append((DONE,))

    def _add(self, *instruction: Any) -> int:
        if len(self.code) >= MAXIMUM:
            raise TooLarge
        self.code.append(instruction)
        return len(self.code) - 1

    def _write(self, root: Node) -> None:
        """Write a node; the stack holds nodes to write and patches to make."""
        stack: list[Any] = [root]
        while stack:
            task = stack.pop()
            if callable(task):
                task()
                continue
            op = task.op
            if op == tree.SET:
                self._add(READ, task.data)
            elif op == tree.CAT:
                stack.extend(reversed(task.kids))
            elif op == tree.GROUP:
                self._add(OPEN, task.data)
                stack += (self._adder(CLOSE, task.data), task.kids[0])
            elif op == tree.AT:
                self._add(AT, *task.data)
            elif op == tree.REF:
                self._add(REF, *task.data)
            elif op == tree.ALT:
                self._alternatives(task.kids, stack)
            elif op == tree.REPEAT:
                self._repeat(task, stack)
            elif op == tree.COND:
                self._conditional(task, stack)
            else:
                self._fenced(task, stack)

    def _adder(self, *instruction: Any) -> Any:
        return lambda: self._add(*instruction)

    def _alternatives(self, kids: tuple[Node, ...], stack: list[Any]) -> None:
        ends: list[int] = []

        def finish() -> None:
            for end in ends:
                self.code[end] = (JUMP, len(self.code))

        stack.append(finish)
        for i, kid in reversed(list(enumerate(kids))):
            if i + 1 == len(kids):
                stack.append(kid)
                continue
            at: list[int] = []

            def after(at: list[int] = at) -> None:
                ends.append(self._add(JUMP, -1))
                self.code[at[0]] = (SPLIT, at[0] + 1, len(self.code))

            stack += (after, kid, lambda at=at: at.append(self._add(SPLIT, -1, -1)))

    def _conditional(self, node: Node, stack: list[Any]) -> None:
        at = self._add(TEST, node.data, -1)
        end: list[int] = []

        def between() -> None:
            end.append(self._add(JUMP, -1))
            self.code[at] = (TEST, node.data, len(self.code))

        def finish() -> None:
            self.code[end[0]] = (JUMP, len(self.code))

        stack += (finish, node.kids[1], between, node.kids[0])

    def _repeat(self, node: Node, stack: list[Any]) -> None:
        low, high, mode = node.data
        (kid,) = node.kids
        tasks: list[Any] = [kid] * min(low, MAXIMUM)
        if high is None:
            at: list[int] = []
            loop = self.loops
            self.loops += 1

            def head() -> None:
                at.append(self._add(SPLIT, -1, -1))
                self._add(MARK, loop)

            def tail() -> None:
                leave = len(self.code) + 2
                self._add(MOVED, loop, leave)
                self._add(JUMP, at[0])
                self.code[at[0]] = (SPLIT, leave, at[0] + 1) if mode == tree.LAZY else (SPLIT, at[0] + 1, leave)

            tasks += (head, kid, tail)
        else:
            heads: list[int] = []
            marks: list[int] = []

            def finish() -> None:
                leave = len(self.code)
                for here in heads:
                    self.code[here] = (SPLIT, leave, here + 1) if mode == tree.LAZY else (SPLIT, here + 1, leave)
                for here in marks:
                    self.code[here] = (MOVED, self.code[here][1], leave)

            for _ in range(min(high - low, MAXIMUM)):
                loop = self.loops
                self.loops += 1

                def optional(loop: int = loop) -> None:
                    heads.append(self._add(SPLIT, -1, -1))
                    self._add(MARK, loop)

                tasks += (optional, kid, lambda loop=loop: marks.append(self._add(MOVED, loop, -1)))
            tasks.append(finish)
        stack.extend(reversed(tasks))

    def _fenced(self, node: Node, stack: list[Any]) -> None:
        kind, back = ATOMIC, 0
        if node.op == tree.LOOK:
            behind, negative = node.data
            kind = NOT_AHEAD if negative else AHEAD
            back = _width(node.kids[0]) if behind else 0
        at = self._add(FENCE, kind, -1)
        if node.op == tree.LOOK and node.data[0]:
            self._add(BACK, back)

        def finish() -> None:
            self._add(UNFENCE)
            self.code[at] = (FENCE, kind, len(self.code))

        stack += (finish, node.kids[0])

    def run(self, text: str, semantics: str, limit: int) -> tuple[bool | None, int]:
        """Match a subject: whether it matches (``None`` when the limit is reached), and the steps taken."""
        steps = 0
        for start in range(len(text) + 1 if semantics == "search" else 1):
            found, steps = self._try(text, start, semantics == "fullmatch", steps, limit)
            if found is not False:
                return found, steps
            steps += 1
        return False, steps

    def _try(self, text: str, start: int, full: bool, steps: int, limit: int) -> tuple[bool | None, int]:
        code, n = self.code, len(text)
        pc, at = 0, start
        texts: tuple[Any, ...] = (None,) * (self.groups + 1)  # (start, stop) of each group
        marks: tuple[Any, ...] = (None,) * self.loops
        opened: tuple[Any, ...] = texts
        stack: list[Any] = []
        fences: list[int] = []  # heights of the stack
        idle = IDLE * limit
        while True:
            op = code[pc]
            kind = op[0]
            fail = False
            pc += 1
            idle -= 1
            if steps > limit or idle < 0:
                return None, max(steps, limit)
            if kind == READ:
                steps += 1
                if at < n and text[at] in op[1]:
                    at += 1
                else:
                    fail = True
            elif kind == SPLIT:
                stack.append((op[2], at, texts, opened, marks, len(fences)))
                pc = op[1]
            elif kind == JUMP:
                pc = op[1]
            elif kind == OPEN:
                opened = _put(opened, op[1], at)
            elif kind == CLOSE:
                texts = _put(texts, op[1], (opened[op[1]], at))
            elif kind == MARK:
                marks = _put(marks, op[1], at)
            elif kind == MOVED:
                if marks[op[1]] == at:
                    pc = op[2]
            elif kind == AT:
                fail = not _holds(op[1], op[2], text, at)
            elif kind == REF:
                end = self._copied(texts[op[1]], op[2], text, at)
                steps += 1 if end is None else max(end - at, 1)
                fail = end is None
                at = at if end is None else end
            elif kind == TEST:
                pc = pc if texts[op[1]] is not None else op[2]
            elif kind == FENCE:
                stack.append((op[2] if op[1] == NOT_AHEAD else -1, at, texts, opened, marks, len(fences)))
                fences.append(len(stack))
            elif kind == BACK:
                at -= op[1]
                fail = at < 0
            elif kind == UNFENCE:
                height = fences.pop()
                del stack[height:]
                before = stack.pop()
                fence = _fence_kind(code, pc)
                if fence == NOT_AHEAD:
                    fail = True
                elif fence == AHEAD:
                    at = before[1]
            elif not full or at == n:
                return True, steps
            else:
                fail = True
            while fail:
                if not stack:
                    return False, steps
                pc, at, texts, opened, marks, height = stack.pop()
                del fences[height:]
                fail = pc < 0

    @staticmethod
    def _copied(span: Any, flags: int, text: str, at: int) -> int | None:
        if span is None:
            return None
        word = text[span[0] : span[1]]
        there = text[at : at + len(word)]
        if there == word or (flags & re.I and there.lower() == word.lower()):
            return at + len(word)
        return None


def _put(values: tuple[Any, ...], i: int, value: Any) -> tuple[Any, ...]:
    return (*values[:i], value, *values[i + 1 :])


def _fence_kind(code: list[tuple[Any, ...]], after: int) -> int:
    """The kind of the fence whose body ends just before ``after``."""
    here = after - 1
    while code[here][0] != FENCE or code[here][2] != after:
        here -= 1
    return int(code[here][1])


def _holds(kind: int, words: CharSet | None, text: str, at: int) -> bool:
    n = len(text)
    if kind == tree.START:
        return at == 0
    if kind == tree.END:
        return at == n
    if kind == tree.END_LINE_FEED:
        return at == n or (at == n - 1 and text[at] == "\n")
    if kind == tree.LINE_START:
        return at == 0 or text[at - 1] == "\n"
    if kind == tree.LINE_END:
        return at == n or text[at] == "\n"
    assert words is not None
    left = at > 0 and text[at - 1] in words
    right = at < n and text[at] in words
    return (left != right) == (kind == tree.BOUNDARY)


def _width(root: Node) -> int:
    """Characters a lookbehind's body reads: the same on every way through it."""
    total = 0
    stack = [(root, 1)]
    while stack:
        node, times = stack.pop()
        if node.op == tree.SET:
            total += times
        elif node.op == tree.ALT:
            stack.append((node.kids[0], times))
        elif node.op == tree.REPEAT:
            stack.append((node.kids[0], times * node.data[0]))
        elif node.op in (tree.CAT, tree.GROUP, tree.ATOMIC):
            stack.extend((kid, times) for kid in node.kids)
    return total
