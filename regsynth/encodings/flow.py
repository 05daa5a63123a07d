"""L(r) ⊆ L(U) inside the formula: states flow through the tree.

For monotone answers only. ``enter[s][q]``: U may be in state q where the sub-tree at
slot s begins to read; ``leave[s][q]``: it may be in q where the sub-tree ends. Every
node occurs once, so one set of states on each side is enough, and the clauses are
implications from what is to what may follow (a letter takes q to δ(q,a), a
concatenation hands what leaves its left operand to its right one, a star hands
what leaves its operand back to it). The least solution is exactly what can happen
when the whole tree is entered in the start state, and r ⊆ U iff it never leaves the
tree in a state that rejects. No relation of |Q|² pairs a node is needed.

States from which every word is accepted put no limit on anything and are left out;
so is the state from which none is: reaching it is a contradiction. Sizes: 2n|Q|
variables, about |Q|(n²/2·(binary constructors) + n|Σ|) clauses.
"""

from __future__ import annotations

from regsynth.automata.dfa import DFA, bits
from regsynth.encodings.formula import Formula
from regsynth.encodings.layout import Layout
from regsynth.syntax.tree import CONCAT, EPSILON, LETTER, OPTION, STAR, UNION


def bounded_states(dfa: DFA) -> list[int]:
    """States from which some word is accepted and some is not."""
    everything = (1 << len(dfa)) - 1
    escaping = DFA(dfa.alphabet, dfa.delta, everything & ~dfa.accepting).live
    return list(bits(dfa.live & escaping))


class Flow:
    """States of U before and after each slot.

    Parameters
    ----------
    dfa : DFA
        Complete; U.

    Attributes
    ----------
    enter, leave : list of dict
        Variables, by slot and state.
    """

    def __init__(self, formula: Formula, layout: Layout, dfa: DFA) -> None:
        self.formula, self.layout, self.dfa = formula, layout, dfa
        self.dead = (1 << len(dfa)) - 1 & ~dfa.live
        self.states = bounded_states(dfa)
        self.enter: list[dict[int, int]] = []
        self.leave: list[dict[int, int]] = []

    def add_slot(self) -> None:
        """Let states flow through the layout's newest slot."""
        formula, layout, s = self.formula, self.layout, len(self.enter)
        label = layout.label[s]
        enter = {q: formula.new(f"enter[{s}][{q}]") for q in self.states}
        leave = {q: formula.new(f"leave[{s}][{q}]") for q in self.states}
        self.enter.append(enter)
        self.leave.append(leave)
        for (op, a), variable in label.items():
            if op == LETTER:
                for q in self.states:
                    r = self.dfa.delta[q][a]
                    if self.dead >> r & 1:
                        formula.add(-variable, -enter[q])
                    elif r in leave:
                        formula.add(-variable, -enter[q], leave[r])
            elif op in (EPSILON, OPTION, STAR):
                self._pass(variable, enter, leave)
        if s == 0:
            return
        for op in (OPTION, STAR):
            guard = label.get((op, -1))
            if guard is not None:
                self._pass(guard, enter, self.enter[s - 1])
                self._pass(guard, self.leave[s - 1], leave)
                if op == STAR:
                    self._pass(guard, self.leave[s - 1], self.enter[s - 1])
        for op in (UNION, CONCAT):
            guard = label.get((op, -1))
            if guard is None:
                continue
            self._pass(guard, enter, self.enter[s - 1])
            if op == UNION:
                self._pass(guard, self.leave[s - 1], leave)
            for r, right in layout.right[s].items():
                self._pass(guard, enter if op == UNION else self.leave[s - 1], self.enter[r], right)
                self._pass(guard, self.leave[r], leave, right)

    def _pass(self, guard: int, source: dict[int, int], target: dict[int, int], other: int | None = None) -> None:
        guards = [-guard] if other is None else [-guard, -other]
        for q in self.states:
            self.formula.clauses.append([*guards, -source[q], target[q]])

    def require(self, s: int, guards: list[int]) -> None:
        """Unless a literal of ``guards`` holds, the tree at slot s is inside U."""
        if 0 in self.enter[s]:
            self.formula.add(*guards, self.enter[s][0])
        elif self.dead & 1:  # U is empty: only ∅ is inside (and it is no operand of anything cheapest)
            for tag, variable in self.layout.label[s].items():
                if tag[0] != 0:
                    self.formula.add(*guards, -variable)
        for q in self.states:
            if not self.dfa.accepting >> q & 1:
                self.formula.add(*guards, -self.leave[s][q])
