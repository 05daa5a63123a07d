"""Recognising words with memory linear in the expression.

The position automaton keeps a set of positions for every position: for tens of
thousands of letters that is gigabytes. Thompson's automaton has one state for each
letter and at most two for each operator; a word is followed through its ε-moves.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from regsynth.automata.position import PositionAutomaton
from regsynth.syntax.tree import COMPLEMENT, CONCAT, DIFFERENCE, EPSILON, INTERSECTION, LETTER, OPTION, STAR, UNION, Expr

LONG = 1_000  # tree length from which memory counts more than the speed of one integer for a set
KEPT = 1_000_000  # states that what is known of common beginnings may hold
BOOLEAN = 1 << COMPLEMENT | 1 << INTERSECTION | 1 << DIFFERENCE


class _Reached:
    """States a word leads to, and where its next letters lead: words with a common beginning share the work."""

    __slots__ = ("moves", "states")

    def __init__(self, states: list[int]) -> None:
        self.states = states
        self.moves: dict[int, _Reached] = {}


class Thompson:
    """Thompson's automaton of an expression without ``~ & −``.

    Parameters
    ----------
    expr : Expr
    alphabet : sequence of symbols
        Σ; letters outside it are never read.

    Examples
    --------
    >>> from regsynth.syntax.formal import parse
    >>> automaton = Thompson(parse("(ab)*+b"), "ab")
    >>> automaton.accepts([0, 1, 0, 1]), automaton.accepts([1, 1])
    (True, False)
    """

    def __init__(self, expr: Expr, alphabet: Sequence[Hashable]) -> None:
        self.alphabet = tuple(alphabet)
        index = {symbol: i for i, symbol in enumerate(self.alphabet)}
        self.reads = [-1, -1]  # the letter that leaves each state; none leaves 0, which accepts
        self.leads: list[tuple[int, ...]] = [(), ()]  # to one state by that letter, or without reading to any of these
        stack = [(expr, 1, 0)]  # an expression, where it begins and where it ends
        reads, leads = self.reads, self.leads

        def fresh() -> int:
            reads.append(-1)
            leads.append(())
            return len(reads) - 1

        while stack:
            node, start, end = stack.pop()
            left, right = node.left, node.right
            if node.op == LETTER:
                reads[start], leads[start] = index.get(node.symbol, -2), (end,)
            elif node.op == EPSILON:
                leads[start] = (end,)
            elif left is None:  # ∅
                pass
            elif node.op in (OPTION, STAR):
                inside = fresh()
                leads[start] = (inside, end)
                stack.append((left, inside, start if node.op == STAR else end))
            elif right is not None and node.op == CONCAT:
                middle = fresh()
                stack += ((left, start, middle), (right, middle, end))
            elif right is not None and node.op == UNION:
                first, second = fresh(), fresh()
                leads[start] = (first, second)
                stack += ((left, first, end), (right, second, end))
            else:
                raise ValueError(f"Thompson's automaton of {node.op}")
        self._root, self._room = _Reached(self._closure([1])), KEPT

    def accepts(self, word: Sequence[int]) -> bool:
        """Whether the word, given as letter numbers, is in the language."""
        here = self._root
        for a in word:
            after = here.moves.get(a)
            if after is None:
                after = _Reached(self._closure([self.leads[s][0] for s in here.states if self.reads[s] == a]))
                if (len(here.states) > 1 or len(after.states) > 1) and self._room > 0:
                    self._room -= len(after.states) + 1
                    here.moves[a] = after
            here = after
            if not here.states:
                return False
        return 0 in here.states

    def _closure(self, states: list[int]) -> list[int]:
        """What is reached without reading: the states that a letter leaves, and 0."""
        reads, leads = self.reads, self.leads
        if len(states) == 1 and reads[states[0]] != -1:
            return states
        found, seen = [], set(states)
        stack = list(seen)
        while stack:
            s = stack.pop()
            if reads[s] != -1 or s == 0:
                found.append(s)
                continue
            for t in leads[s]:
                if t not in seen:
                    seen.add(t)
                    stack.append(t)
        return found


def recogniser(expr: Expr, alphabet: Sequence[Hashable], *, states: int = 1_000_000) -> PositionAutomaton | Thompson:
    """What decides words: quick for short expressions, and lean for long ones.

    Raises
    ------
    BudgetExceeded
        What ``~ & −`` need may be too large.
    """
    if expr.length < LONG or expr.mask & BOOLEAN:
        return PositionAutomaton(expr, alphabet, states)
    return Thompson(expr, alphabet)
