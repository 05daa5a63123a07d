"""Determinise a program with lookarounds, anchors, atomic groups and captures, lazily and exactly.

A state is a set of *clauses*. A clause is a place in the program together with
*obligations* on the rest of the subject: deterministic states of their own,
wanted (a lookahead) or unwanted (a negative one). Clauses are alternatives,
obligations within one are joined: a Boolean automaton in disjunctive form, with
determinised negation.

* ``$``, ``\\b`` and the like depend on the letters on both sides only; they are
  evaluated while the next letter is read.
* An atomic group takes the *first* way through its body. Following a later
  branch there adds the obligation that no earlier branch reaches the group's end.
* A lookbehind of fixed width is run from every position by a tracker kept in the
  state; what it finds is consulted where the lookbehind stands.
* Operands of ``~`` and ``&`` are deterministic states that run side by side.
* Captures that a reference reads are part of the place.
"""

from __future__ import annotations

import re
from typing import Any

from regsynth.automata.lazy import LazyDFA
from regsynth.automata.program import (
    AGAIN,
    ASSERT,
    BOOL,
    CLOSE,
    COND,
    ENTER,
    GOAL,
    LOOK,
    OPEN,
    READ,
    SPLIT,
    Program,
)  # fmt: skip
from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded
from regsynth.syntax import pattern as tree

END = -1  # in place of the next letter
HOLDS = -1  # a clause that has reached its goal and waits for its obligations
FALSE, TRUE = 0, 1

Env = tuple[Any, ...]
Obligations = frozenset[int]  # +state wanted, −state unwanted
Place = tuple[int, Env]
Thread = tuple[int, Env, frozenset[int], Obligations]  # place, loops entered without progress, obligations
NONE: Obligations = frozenset()
_EMPTY_IS_NO_BOUNDARY = re.search(r"\B", "") is not None  # Python 3.14 changed its mind


class ContextDFA(LazyDFA):
    """Lazy determinisation of a :class:`Program`."""

    __slots__ = (
        "_behinds",
        "_contexts",
        "_fold",
        "_letter_contexts",
        "_number",
        "_obligations",
        "_program",
        "_set_number",
        "_sets",
        "_start_env",
        "_states",
        "_steps",
        "_ticks",
    )  # fmt: skip

    def __init__(self, program: Program, clock: Clock, fold: dict[int, int]) -> None:
        super().__init__(program.partition, clock)
        self._program = program
        self._fold = fold
        self._sets: list[tuple[int, tuple[tuple[int, Env, Obligations], ...]]] = [(HOLDS, ()), (HOLDS, ((HOLDS, (), NONE),))]
        self._set_number: dict[Any, int] = {}
        self._steps: dict[tuple[int, int, int], int] = {}
        self._behinds: dict[tuple[int, int, int], list[Obligations]] = {}
        self._obligations: dict[Any, bool | int] = {}
        self._ticks = 0
        slots = len(program.remembers)
        self._start_env: Env = ((None,) * slots, (None,) * slots, 0) if slots else ()
        self._letter_contexts = [self._look_of(letter) for letter in range(len(program.partition.classes))]
        trackers = tuple(self._intern(goal, {(entry, self._start_env): [NONE]}) for entry, goal in program.trackers)
        start = (True if program.sees_start else None, 0, False)
        self._contexts: list[tuple[Any, tuple[int, ...]]] = [(start, trackers)]
        main = self._intern(program.goal, {(program.entry, self._start_env): [NONE]})
        self._states = [(0, main)]
        self._number: dict[Any, int] = {(0, main): 0, ("context", start, trackers): 0}
        self._enter(self._at_end(main, 0))

    def _look_of(self, letter: int) -> tuple[Any, int, bool]:
        program = self._program
        words = sum((mask >> letter & 1) << i for i, mask in enumerate(program.word_masks))
        line = bool(program.sees_line and program.line_feed >> letter & 1)
        return (False if program.sees_start else None, words, line)

    # States of the automaton: a context (what came before) and a set of clauses.

    def _expand(self, q: int) -> list[int]:
        context, clauses = self._states[q]
        row = []
        for letter in range(len(self.partition.classes)):
            after = self._step(clauses, context, letter)
            key = (0, after) if after in (FALSE, TRUE) else (self._next_context(context, letter), after)
            if after in (FALSE, TRUE):
                key = (-1, after)
            target = self._number.get(key)
            if target is None:
                accepting = after == TRUE if key[0] < 0 else self._at_end(after, key[0])
                target = self._number[key] = self._enter(accepting)
                self._states.append(key)
                self.bytes += 200
            row.append(target)
        return row

    def _next_context(self, context: int, letter: int) -> int:
        key: Any = ("next", context, letter)
        known = self._number.get(key)
        if known is None:
            trackers = []
            for (entry, goal), clauses in zip(self._program.trackers, self._contexts[context][1], strict=True):
                moved = self._step(clauses, context, letter)
                places: dict[Place, list[Obligations]] = {(entry, self._start_env): [NONE]}
                for node, env, owed in self._sets[moved][1]:
                    _add(places, (node, env), owed)
                trackers.append(self._intern(goal, places))
            pair = (self._letter_contexts[letter], tuple(trackers))
            known = self._number.get(("context", *pair))
            if known is None:
                known = self._number["context", *pair] = len(self._contexts)
                self._contexts.append(pair)
            self._number[key] = known
        return known

    # Sets of clauses.

    def _intern(self, goal: int, places: dict[Place, list[Obligations]]) -> int:
        if not places:
            return FALSE
        done = places.get((HOLDS, ()))
        if done and NONE in done:
            return TRUE
        clauses = frozenset((node, env, owed) for (node, env), choices in places.items() for owed in choices)
        key = (goal, clauses)
        known = self._set_number.get(key)
        if known is None:
            known = self._set_number[key] = len(self._sets)
            self._sets.append((goal, tuple(clauses)))
            self.bytes += 300 + 200 * len(clauses)
            self._spend(len(clauses))
        return known

    def _step(self, clauses: int, context: int, letter: int) -> int:
        """The set after a letter."""
        if clauses in (FALSE, TRUE):
            return clauses
        key = (clauses, context, letter)
        known = self._steps.get(key)
        if known is None:
            goal = self._sets[clauses][0]
            places: dict[Place, list[Obligations]] = {}
            self._explore(goal, self._threads(clauses, context, letter, places), context, letter, places)
            known = self._steps[key] = self._intern(goal, places)
            self.bytes += 100
        return known

    def _threads(self, clauses: int, context: int, letter: int, places: dict[Place, list[Obligations]]) -> list[Thread]:
        """The clauses as threads, their obligations already past the letter; finished ones go to ``places``."""
        threads: list[Thread] = []
        for node, env, owed in self._sets[clauses][1]:
            moved = self._advance(owed, context, letter)
            if moved is None:
                continue
            if node == HOLDS:
                _add(places, (HOLDS, ()), moved)
            else:
                threads.append((node, env, NONE, moved))
        return threads

    def _advance(self, owed: Obligations, context: int, letter: int) -> Obligations | None:
        """Obligations after a letter (or judged at the end); ``None`` when one is broken."""
        if not owed:
            return owed
        kept = []
        for signed in owed:
            wanted, clauses = signed > 0, abs(signed)
            after = int(self._at_end(clauses, context)) if letter == END else self._step(clauses, context, letter)
            if after in (FALSE, TRUE):
                if (after == TRUE) != wanted:
                    return None
            else:
                kept.append(after if wanted else -after)
        return frozenset(kept)

    def _at_end(self, clauses: int, context: int) -> bool:
        """Whether the set holds when the subject ends here."""
        if clauses in (FALSE, TRUE):
            return clauses == TRUE
        return self._step_end(clauses, context)

    def _step_end(self, clauses: int, context: int) -> bool:
        key = (clauses, context, END)
        known = self._steps.get(key)
        if known is None:
            places: dict[Place, list[Obligations]] = {}
            threads = self._threads(clauses, context, END, places)
            known = int(bool(places) or bool(self._explore(self._sets[clauses][0], threads, context, END, places)))
            self._steps[key] = known
        return bool(known)

    def _now(self, clauses: int, context: int, letter: int) -> bool:
        """Whether the goal is reached before the next letter (operands of ``~`` and ``&``)."""
        if clauses in (FALSE, TRUE):
            return clauses == TRUE
        threads = self._threads(clauses, context, letter, {})
        return bool(self._explore(self._sets[clauses][0], threads, context, letter, {}))

    def _oblige(self, wanted: bool, goal: int, start: Thread, context: int, letter: int) -> bool | int:
        """What "the goal can(not) be reached from here" demands after the letter: nothing, the impossible, or a state."""
        key = (goal, start[0], start[1], start[2], context, letter)
        after = self._obligations.get(key)
        if after is None:
            places: dict[Place, list[Obligations]] = {}
            hits = self._explore(goal, [start], context, letter, places)
            after = self._obligations[key] = int(bool(hits)) if letter == END else self._intern(goal, places)
        if after in (FALSE, TRUE):
            return (after == TRUE) == wanted
        return after if wanted else -after

    def _behind(self, tracker: int, context: int, letter: int) -> list[Obligations]:
        """What each match of a lookbehind that ends here still demands."""
        key = (tracker, context, letter)
        known = self._behinds.get(key)
        if known is None:
            clauses = self._contexts[context][1][tracker]
            goal = self._program.trackers[tracker][1]
            threads = self._threads(clauses, context, letter, {})
            known = self._behinds[key] = self._explore(goal, threads, context, letter, {})
        return known

    def _spend(self, steps: int) -> None:
        self._ticks += steps
        if self._ticks > 4096:
            self._ticks = 0
            self.clock.check()
            if self.bytes > self.clock.memory:
                raise BudgetExceeded(f"memory budget of {self.clock.memory >> 20} MiB used up in a subset construction")

    def _explore(
        self, goal: int, threads: list[Thread], context: int, letter: int, places: dict[Place, list[Obligations]]
    ) -> list[Obligations]:
        """Follow threads up to their next letter and read it.

        Places reached go to ``places``. Returns the obligations of each way that
        reaches the goal before the letter.
        """
        code = self._program.code
        before, _ = self._contexts[context]
        hits: list[Obligations] = []
        seen: dict[tuple[int, Env, frozenset[int]], list[Obligations]] = {}
        stack = list(reversed(threads))
        steps = 0
        while stack:
            node, env, loops, owed = stack.pop()
            if not _add(seen, (node, env, loops), owed):
                continue
            steps += 1
            if not steps & 1023:
                self._spend(1024)
            instruction = code[node]
            op = instruction[0]
            if op == READ:
                if letter >= 0 and instruction[1] >> letter & 1:
                    _add(places, (instruction[2], _consume(env, letter) if env else env), owed)
            elif op == SPLIT:
                targets, atom = instruction[1], instruction[2]
                if atom < 0 or atom == goal:
                    for target in reversed(targets):
                        stack.append((target, env, loops, owed))
                    continue
                for i, target in enumerate(targets):
                    stack.append((target, env, loops, owed))
                    if i + 1 < len(targets):
                        demand = self._oblige(False, atom, (target, env, loops, NONE), context, letter)
                        if demand is False:
                            break
                        if demand is not True:
                            owed = owed | {demand}
            elif op == ASSERT:
                if self._holds(instruction[1], instruction[2], before, letter):
                    stack.append((instruction[3], env, loops, owed))
            elif op == GOAL:
                if node == goal:
                    hits.append(owed)
                elif instruction[1] >= 0:
                    stack.append((instruction[1], env, loops, owed))
            elif op == LOOK:
                _, is_behind, negative, entry, body_goal, after = instruction
                if is_behind:
                    for more in self._after_behind(negative, self._behind(entry, context, letter)):
                        stack.append((after, env, loops, owed | more))
                    continue
                demand = self._oblige(not negative, body_goal, (entry, env, NONE, NONE), context, letter)
                if demand is not False:
                    stack.append((after, env, loops, owed if demand is True else owed | {demand}))
            elif op == ENTER:
                stack.append((instruction[2], env, loops | {instruction[1]}, owed))
            elif op == AGAIN:
                _, loop, head, leave = instruction
                if loop in loops:
                    stack.append((leave, env, loops - {loop}, owed))
                else:
                    stack.append((head, env, loops, owed))
            elif op == OPEN:
                stack.append((instruction[2], _open(env, instruction[1], self._program.remembers), loops, owed))
            elif op == CLOSE:
                stack.append((instruction[2], _close(env, instruction[1]), loops, owed))
            elif op == COND:
                is_set = env[0][instruction[1]] is not None
                stack.append((instruction[2 if is_set else 3], env, loops, owed))
            elif op == BOOL:
                self._boolean(node, instruction, env, loops, owed, context, letter, stack, places)
            else:
                self._reference(node, instruction, env, loops, owed, letter, stack, places)
        if hits and letter >= 0 and goal in self._program.prefix:
            for owed in hits:
                _add(places, (HOLDS, ()), owed)
        return hits

    def _holds(self, kind: int, words: int, before: tuple[Any, int, bool], letter: int) -> bool:
        """Whether an anchor holds between what came before and the next letter."""
        if kind == tree.START:
            return bool(before[0])
        if kind == tree.END:
            return letter == END
        if kind == tree.LINE_START:
            return bool(before[0]) or before[2]
        program = self._program
        if kind == tree.LINE_END:
            return letter == END or bool(program.line_feed >> letter & 1)
        if before[0] and letter == END:
            return kind == tree.NOT_BOUNDARY and _EMPTY_IS_NO_BOUNDARY
        left = before[1] >> program.word_masks.index(words) & 1
        right = 0 if letter == END else words >> letter & 1
        return (left != right) == (kind == tree.BOUNDARY)

    def _after_behind(self, negative: bool, found: list[Obligations]) -> list[Obligations]:
        if not negative:
            return found
        if NONE in found:
            return []
        if not found:
            return [NONE]
        return [frozenset({-self._intern(HOLDS, {(HOLDS, ()): found})})]

    def _boolean(
        self, node: int, instruction: Any, env: Env, loops: frozenset[int], owed: Obligations, context: int, letter: int,
        stack: list[Thread], places: dict[Place, list[Obligations]],
    ) -> None:  # fmt: skip
        """Run the operands of ``~`` or ``&`` side by side."""
        _, kind, bodies, after = instruction
        states: Env = env or tuple(self._intern(goal, {(entry, ()): [NONE]}) for entry, goal in bodies)
        now = [self._now(clauses, context, letter) for clauses in states]
        if (not now[0]) if kind == "not" else all(now):
            stack.append((after, (), loops, owed))
        if letter >= 0:
            moved = tuple(self._step(clauses, context, letter) for clauses in states)
            if kind == "not" or FALSE not in moved:
                _add(places, (node, moved), owed)

    def _reference(
        self, node: int, instruction: Any, env: Env, loops: frozenset[int], owed: Obligations, letter: int,
        stack: list[Thread], places: dict[Place, list[Obligations]],
    ) -> None:  # fmt: skip
        """Read the captured text again, letter by letter."""
        _, slot, flags, after = instruction
        word, done = env[0][slot], env[2]
        if word is None:
            return
        if not word:
            stack.append((after, env, loops, owed))
        elif letter >= 0:
            expected = word[done]
            fold = self._fold if flags & re.IGNORECASE else None
            if expected == letter or (fold is not None and fold.get(expected) == fold.get(letter, END)):
                moved = _consume(env, letter)
                more = done + 1 < len(word)
                _add(places, (node if more else after, (moved[0], moved[1], done + 1 if more else 0)), owed)


def _add(table: dict[Any, list[Obligations]], key: Any, owed: Obligations) -> bool:
    """Enter an alternative unless a weaker demand is there; drop those it weakens."""
    choices = table.get(key)
    if choices is None:
        table[key] = [owed]
        return True
    for known in choices:
        if known <= owed:
            return False
    if len(choices) > 1 or owed < choices[0]:
        choices[:] = [known for known in choices if not owed < known]
    choices.append(owed)
    return True


def _consume(env: Env, letter: int) -> Env:
    """The environment after a letter: open captures that keep their text grow."""
    texts, pending, done = env
    return (texts, tuple((*p, letter) if isinstance(p, tuple) else p for p in pending), done)


def _open(env: Env, slot: int, remembers: list[bool]) -> Env:
    texts, pending, done = env
    return (texts, _replaced(pending, slot, () if remembers[slot] else True), done)


def _close(env: Env, slot: int) -> Env:
    texts, pending, done = env
    return (_replaced(texts, slot, pending[slot]), _replaced(pending, slot, None), done)


def _replaced(values: Env, slot: int, value: Any) -> Env:
    return (*values[:slot], value, *values[slot + 1 :])
