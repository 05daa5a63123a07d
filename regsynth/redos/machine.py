"""The matcher as an automaton: places, and what is tried after each letter, in order.

A *place* is a reading instruction in a left context (start of the subject, word
character before, lookbehinds that hold). Reading a letter leads to an *entry*: an
instruction in the new context. From there to the next reading instructions runs
straight-line code made once: the leaves in order of preference, tests of what comes
next, and jumps for what a success makes the matcher skip.

What succeeds from a place depends on the rest of the subject alone. So, going back
through a subject, one set of bits says for every place whether the matcher would
succeed from there: an *outlook* (the state of a reverse automaton). With the outlook
known, the leaves that are really tried are known: those up to the first that succeeds.
(Weideman, van der Merwe, Berglund, Watson, CIAA 2016, cut the ambiguity of an automaton
by order in this way; the outlook makes the cut exact, lookaheads and atomic groups included.)
"""

from __future__ import annotations

from typing import Any, Final

from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded
from regsynth.redos.program import AGAIN, ASSERT, BEHIND, ENTER, FENCE, GOAL, LOOK, MAYBE, READ, SPLIT, Program
from regsynth.syntax import pattern as tree

LEAF: Final = 0  # place, where to go on success by level
ACCEPT: Final = 1  # where to go
NEXT: Final = 2  # mask of facts about what comes next, wanted truth, where to go if it fails
JUMP: Final = 3  # where to go

AT_END, LAST_NEWLINE, NEWLINE_NEXT, WORD_NEXT = 1, 2, 4, 8  # facts; WORD_NEXT << i for the i-th word set

CODE = 20_000  # operations of one entry
TOTAL = 400_000  # operations of all
_LABELS = 1 << 30  # labels not yet placed are numbered from here; negative targets return
NOTHING: frozenset[int] = frozenset()

Context = tuple[bool, bool, int, tuple[frozenset[int], ...], int]


class Machine:
    """Places and entries of a program, made by need.

    Attributes
    ----------
    places : list of (instruction, context)
    masks : list of int
        Letters each place reads.
    moves : list of list of (mask, entry)
        Where each place leads by letter.
    codes : list
        Straight-line code of each entry.
    """

    def __init__(self, program: Program, clock: Clock) -> None:
        self.clock = clock
        self.program = program
        self.letters = len(program.partition)
        self.contexts: list[Context] = []
        self._context_ids: dict[Context, int] = {}
        self.places: list[tuple[int, int]] = []
        self.masks: list[int] = []
        self.levels: list[int] = []
        self.offsets: list[int] = []
        self.moves: list[list[tuple[int, int]]] = []
        self._place_ids: dict[tuple[int, int], int] = {}
        self.entries: list[tuple[int, int, int]] = []
        self._entry_ids: dict[tuple[int, int, int], int] = {}
        self.codes: list[list[Any]] = []
        self.flat: list[tuple[int, bool] | None] = []
        self._steps: dict[tuple[int, int], int] = {}
        self._bits = 0
        self._total = 0
        kinds = program.kinds
        self._sees_start = tree.START in kinds or tree.LINE_START in kinds
        self._sees_line = tree.LINE_START in kinds
        self.facts = self._facts(kinds)
        self.root = self.entry(program.entry, self._context(self._first_context()), 1)
        self._complete()

    # Contexts: what a place may know of the letters before it.

    def _context(self, value: Context) -> int:
        found = self._context_ids.get(value)
        if found is None:
            found = self._context_ids[value] = len(self.contexts)
            self.contexts.append(value)
            if found > 2000:
                raise BudgetExceeded("lookbehinds need more than 2,000 contexts")
        return found

    def _first_context(self) -> Context:
        return self._followed((self._sees_start, False, 0, (), 0), tuple(NOTHING for _ in self.program.trackers))

    def _after(self, context: int, letter: int) -> int:
        """The context after a letter."""
        key = (context, letter)
        found = self._steps.get(key)
        if found is None:
            program, bit = self.program, 1 << letter
            _, _, _, reads, _ = self.contexts[context]
            words = 0
            for i, mask in enumerate(program.words):
                if mask & bit:
                    words |= 1 << i
            code = program.code
            moved = tuple(frozenset(code[p][2] for p in places if code[p][1] & bit) for places in reads)
            line = self._sees_line and bool(program.line_feed & bit)
            found = self._steps[key] = self._context(self._followed((False, line, words, (), 0), moved))
        return found

    def _followed(self, value: Context, moved: tuple[frozenset[int], ...]) -> Context:
        """Let every lookbehind body go on from where it was, and start anew."""
        if not moved:
            return value
        start, line, words, _, matched = value
        reads = []
        code = self.program.code
        for tracker, (entry, goal) in enumerate(self.program.trackers):
            seen: set[int] = set()
            found: set[int] = set()
            stack = [*moved[tracker], entry]
            while stack:
                here = stack.pop()
                if here in seen:
                    continue
                seen.add(here)
                op = code[here]
                if op[0] == READ:
                    found.add(here)
                elif op[0] == SPLIT:
                    stack.extend(op[1])
                elif op[0] == GOAL:
                    if here == goal:
                        matched |= 1 << tracker
                    elif op[1] >= 0:
                        stack.append(op[1])
                elif op[0] in (ENTER, MAYBE, FENCE):
                    stack.append(op[-1])
                elif op[0] == AGAIN:
                    stack += (op[2], op[3])
                elif op[0] == ASSERT:
                    if start or (op[1] == tree.LINE_START and line):
                        stack.append(op[3])
                elif op[0] == BEHIND:
                    if bool(matched >> op[2] & 1) != op[1]:
                        stack.append(op[3])
            reads.append(frozenset(found))
        return (start, line, words, tuple(reads), matched)

    @staticmethod
    def _facts(kinds: set[int]) -> int:
        """Which facts about the next letter the anchors ask for."""
        facts = AT_END
        if tree.END_LINE_FEED in kinds:
            facts |= LAST_NEWLINE
        if tree.LINE_END in kinds:
            facts |= NEWLINE_NEXT
        return facts

    def facts_before(self, letter: int, facts: int) -> int:
        """What holds just before a letter that stands before these facts."""
        program, bit = self.program, 1 << letter
        out = 0
        if program.line_feed & bit:
            out = (NEWLINE_NEXT | (LAST_NEWLINE if facts & AT_END else 0)) & self.facts
        for i, mask in enumerate(program.words):
            if mask & bit:
                out |= WORD_NEXT << i
        return out

    # Places and entries.

    def place(self, instruction: int, context: int) -> int:
        """The number of a place."""
        key = (instruction, context)
        found = self._place_ids.get(key)
        if found is None:
            found = self._place_ids[key] = len(self.places)
            self.places.append(key)
            self.masks.append(self.program.code[instruction][1])
            levels = len(self.program.homes[instruction].scopes) + 1
            self.levels.append(levels)
            self.offsets.append(self._bits)
            self._bits += levels
        return found

    def entry(self, instruction: int, context: int, levels: int) -> int:
        """The number of an entry."""
        key = (instruction, context, levels)
        found = self._entry_ids.get(key)
        if found is None:
            found = self._entry_ids[key] = len(self.entries)
            self.entries.append(key)
            code = self._emit(instruction, context, levels)
            self.codes.append(code)
            self.flat.append(self._flatten(code, levels))
            self._total += len(code)
            if self._total > TOTAL:
                raise BudgetExceeded(f"its automaton has more than {TOTAL:,} edges")
        return found

    def _complete(self) -> None:
        """Make every place that can be reached, whatever comes."""
        code = self.program.code
        aware = len(self.contexts[0][3]) or self._sees_start or self.program.words
        done = 0
        while done < len(self.places):
            if not done & 63:
                self.clock.check()
            instruction, context = self.places[done]
            mask, after = code[instruction][1], code[instruction][2]
            levels = self.levels[done]
            if not aware:
                self.moves.append([(mask, self.entry(after, context, levels))] if mask else [])
            else:
                by_context: dict[int, int] = {}
                rest = mask
                while rest:
                    low = rest & -rest
                    rest ^= low
                    to = self._after(context, low.bit_length() - 1)
                    by_context[to] = by_context.get(to, 0) | low
                self.moves.append([(part, self.entry(after, to, levels)) for to, part in by_context.items()])
            done += 1

    def _emit(self, instruction: int, context: int, levels: int) -> list[Any]:
        """Straight-line code from an instruction to the next READs."""
        program = self.program.code
        start, line, words, _, matched = self.contexts[context]
        out: list[list[Any]] = []
        labels: list[int] = []  # address by label
        uses: list[int] = []
        visits: dict[Any, int] = {}
        regions = 0
        alive = True
        ends = self.program.exact  # after a success nothing more is tried, unless what is not modelled may fail
        done = 0
        chain = tuple(-1 - j for j in range(levels))
        tasks: list[Any] = [("at", instruction, NOTHING, chain, 0)]

        def label() -> int:
            labels.append(-1)
            uses.append(0)
            return len(labels) - 1 + _LABELS

        def used(target: int) -> int:
            if target >= _LABELS:
                uses[target - _LABELS] += 1
            return target

        while tasks:
            task = tasks.pop()
            kind = task[0]
            done += 1
            if not done & 1023:
                self.clock.check()
            if len(out) > CODE:
                raise BudgetExceeded(f"more than {CODE:,} ways to go on after one letter")
            if kind == "label":
                which = task[1] - _LABELS
                labels[which] = len(out)
                alive = alive or uses[which] > 0
                continue
            if not alive:
                continue
            if kind == "jump":
                out.append([JUMP, used(task[1])])
                alive = not ends
                continue
            _, here, loops, chain, region = task
            key = (here, loops, chain, region)
            count = visits.get(key, 0)
            if count >= 2:  # its leaves stand here twice already: that is ambiguous enough
                continue
            visits[key] = count + 1
            op = program[here]
            code = op[0]
            if code == READ:
                out.append([LEAF, self.place(here, context), tuple(used(target) for target in chain)])
            elif code == SPLIT:
                tasks.extend(("at", target, loops, chain, region) for target in reversed(op[1]))
            elif code == ENTER:
                tasks.append(("at", op[2], loops | {op[1]}, chain, region))
            elif code == AGAIN:
                if op[1] in loops:
                    tasks.append(("at", op[3], loops - {op[1]}, chain, region))
                else:
                    tasks.append(("at", op[2], loops, chain, region))
            elif code == MAYBE:
                tasks.append(("at", op[1], loops, chain, region))
            elif code == FENCE:
                end = label()
                tasks += (("label", end), ("at", op[2], loops, (*chain, end), region))
            elif code == BEHIND:
                if bool(matched >> op[2] & 1) != op[1]:
                    tasks.append(("at", op[3], loops, chain, region))
            elif code == ASSERT:
                holds = self._before(op[1], start, line)
                if holds is None:
                    mask, want = self._wanted(op[1], op[2], words)
                    regions += 1
                    skip = label()
                    out.append([NEXT, mask, want, used(skip)])
                    tasks += (("label", skip), ("at", op[3], loops, chain, regions))
                elif holds:
                    tasks.append(("at", op[3], loops, chain, region))
            elif code == LOOK:
                negative, entry, _, after = op[1:]
                skip, success = label(), label()
                regions += 2
                body = ("at", entry, NOTHING, (success,), regions - 1)
                then = ("at", after, loops, chain, regions)
                if negative:
                    go_on = label()
                    tasks += (("label", skip), then, ("label", go_on), ("jump", skip), ("label", success), ("jump", go_on), body)
                else:
                    tasks += (("label", skip), then, ("label", success), ("jump", skip), body)
            elif op[1] >= 0:  # the goal of an atomic group: what follows is tried once, and the rest of the group never
                tasks += (("jump", chain[-1]), ("at", op[1], loops, chain[:-1], region))
            elif here == self.program.goal and self.program.fullmatch:
                regions += 1
                skip = label()
                out += ([NEXT, AT_END, True, used(skip)], [ACCEPT, used(chain[0])])
                tasks.append(("label", skip))
                alive = not ends
            else:
                out.append([ACCEPT, used(chain[-1])])
                alive = not ends
        return self._resolved(out, labels)

    @staticmethod
    def _before(kind: int, start: bool, line: bool) -> bool | None:
        """Whether an anchor holds; ``None`` where that depends on what comes."""
        if kind == tree.START:
            return start
        return start or line if kind == tree.LINE_START else None

    @staticmethod
    def _wanted(kind: int, index: int, words: int) -> tuple[int, bool]:
        """The fact an anchor asks for, given the word sets the last letter is in."""
        if kind == tree.END:
            return AT_END, True
        if kind == tree.END_LINE_FEED:
            return AT_END | LAST_NEWLINE, True
        if kind == tree.LINE_END:
            return AT_END | NEWLINE_NEXT, True
        left = bool(words >> index & 1)
        return WORD_NEXT << index, left != (kind == tree.BOUNDARY)

    @staticmethod
    def _flatten(code: list[Any], levels: int) -> tuple[int, bool] | None:
        """Places and acceptance of code without tests or jumps."""
        if levels > 1:
            return None
        mask, accept = 0, False
        for op in code:
            if op[0] == LEAF and op[2][0] < 0:
                mask |= 1 << op[1]
            elif op[0] == ACCEPT and op[1] < 0:
                accept = True
            else:
                return None
        return mask, accept

    @staticmethod
    def _resolved(out: list[list[Any]], labels: list[int]) -> list[Any]:
        def address(target: int) -> int:
            return labels[target - _LABELS] if target >= _LABELS else target

        code: list[Any] = []
        for op in out:
            if op[0] == LEAF:
                code.append((LEAF, op[1], tuple(address(t) for t in op[2])))
            elif op[0] == NEXT:
                code.append((NEXT, op[1], op[2], address(op[3])))
            else:
                code.append((op[0], address(op[1])))
        return code
