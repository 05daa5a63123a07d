"""A deterministic automaton built by need, whatever its states really are."""

from __future__ import annotations

from regsynth.automata.dfa import DFA, minimise
from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded
from regsynth.syntax.partition import Partition


class LazyDFA:
    """Complete, start state 0; rows appear when asked for and are kept.

    Attributes
    ----------
    partition : Partition
        Its classes are the letters.
    accepting : list of bool
        For each state so far.
    clock : Clock
        The budget in force; the caller renews it for each task.
    bytes : int
        Rough storage of the states.
    """

    __slots__ = ("accepting", "bytes", "clock", "partition", "rows")

    def __init__(self, partition: Partition, clock: Clock) -> None:
        self.partition = partition
        self.clock = clock
        self.rows: list[list[int] | None] = []
        self.accepting: list[bool] = []
        self.bytes = 0

    def _enter(self, accepting: bool) -> int:
        """Number a new state."""
        self.rows.append(None)
        self.accepting.append(accepting)
        return len(self.rows) - 1

    def _expand(self, q: int) -> list[int]:
        raise NotImplementedError

    def row(self, q: int) -> list[int]:
        """Targets of a state, one a class.

        Raises
        ------
        BudgetExceeded
        """
        known = self.rows[q]
        if known is None:
            n = len(self.rows)
            if n > self.clock.budget.states:
                raise BudgetExceeded(f"state budget of {self.clock.budget.states:,} used up in a subset construction")
            if not q & 63:
                self.clock.check()
                if self.bytes + n * len(self.partition.classes) * 8 > self.clock.memory:
                    raise BudgetExceeded(f"memory budget of {self.clock.memory >> 20} MiB used up in a subset construction")
            known = self.rows[q] = self._expand(q)
        return known

    def accepts(self, text: str | bytes) -> bool:
        """Whether a subject is in the language."""
        q = 0
        index = self.partition.index
        for char in text:
            letter = index(char)
            if letter is None:
                return False
            q = self.row(q)[letter]
        return self.accepting[q]

    def complete(self) -> DFA:
        """The whole automaton, not minimised."""
        q = 0
        while q < len(self.rows):
            self.row(q)
            q += 1
        accepting = int("".join("1" if a else "0" for a in reversed(self.accepting)), 2)
        return DFA(self.partition.classes, tuple(tuple(self.row(q)) for q in range(len(self.rows))), accepting)

    def minimal(self) -> DFA:
        """The canonical minimal automaton over this pattern's classes."""
        return minimise(self.complete())
