"""The position (Glushkov) automaton, extended to complement, & and −.

Positions are numbered from 0; sets of positions are Python integers used as bit
sets. An operand below ``~``, ``&`` or ``−`` is determinised, combined and
minimised, and its transitions then take the place of positions, so the rest of
the tree is treated as for an ordinary expression.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from regsynth.automata.dfa import DFA, bits, minimise, product
from regsynth.errors import BudgetExceeded, InputError
from regsynth.syntax.tree import (
    COMPLEMENT,
    CONCAT,
    DIFFERENCE,
    EMPTY,
    EPSILON,
    INTERSECTION,
    LETTER,
    OPTION,
    STAR,
    UNION,
    Expr,
)  # fmt: skip

Fragment = tuple[int, int, bool]  # first, last, nullable
FEW = 1 << 12  # positions whose sets are small whatever they are
MEMORY = 1 << 28  # bytes that sets of positions may take: the square of their number where they follow one another


class PositionAutomaton:
    """First, last and follow sets of an expression.

    Parameters
    ----------
    expr : Expr
        Any expression.
    alphabet : sequence of symbols
        Σ in letter order; must hold every letter of ``expr``.
    states : int
        Budget for each determinisation below ``~``, ``&`` and ``−``.

    Raises
    ------
    BudgetExceeded
        More than ``states``, or sets of positions beyond 256 MiB.

    Attributes
    ----------
    first, last : int
        Bit sets of positions.
    nullable : bool
    follow : list of int
        For each position, the bit set of those that may come next.
    by_letter : list of int
        For each letter of Σ, the positions that read it.
    """

    def __init__(self, expr: Expr, alphabet: Sequence[Hashable], states: int = 1_000_000) -> None:
        self.alphabet = tuple(alphabet)
        self.follow: list[int] = []
        self._room = MEMORY
        self.by_letter = [0] * len(self.alphabet)
        self._index = {symbol: i for i, symbol in enumerate(self.alphabet)}
        self._states = states
        self.first, self.last, self.nullable = self._build(expr)

    def _position(self, letter: int) -> int:
        bit = 1 << len(self.follow)
        self.follow.append(0)
        if len(self.follow) > FEW:
            self._grows(self.by_letter[letter], bit)
        self.by_letter[letter] |= bit
        return bit

    def _grows(self, known: int, more: int) -> None:
        """Account for a set that takes in another."""
        self._room -= max(0, more.bit_length() - known.bit_length()) >> 3
        if self._room < 0:
            raise BudgetExceeded(f"sets of positions beyond {MEMORY >> 20} MiB, of {len(self.follow)} positions")

    def _link(self, sources: int, targets: int) -> None:
        follow = self.follow
        many = len(follow) > FEW
        while sources:
            low = sources & -sources
            p = low.bit_length() - 1
            if many:
                self._grows(follow[p], targets)
            follow[p] |= targets
            sources ^= low

    def _build(self, expr: Expr) -> Fragment:
        stack: list[Fragment] = []
        for node in expr.postorder():
            op = node.op
            if op == LETTER:
                i = self._index.get(node.symbol)
                if i is None:
                    raise InputError(f"letter {node.symbol!r} is not in the alphabet {''.join(map(str, self.alphabet))!r}")
                bit = self._position(i)
                stack.append((bit, bit, False))
                if bit >> FEW and len(stack) * len(self.follow) >> 2 > MEMORY:  # two sets each
                    raise BudgetExceeded(f"sets of positions beyond {MEMORY >> 20} MiB, of {len(stack)} open operands")
            elif op == CONCAT:
                f2, l2, n2 = stack.pop()
                f1, l1, n1 = stack.pop()
                self._link(l1, f2)
                if (not f1 and not n1) or (not f2 and not n2):  # one side is ∅
                    stack.append((0, 0, False))
                else:
                    stack.append((f1 | f2 if n1 else f1, l1 | l2 if n2 else l2, n1 and n2))
            elif op == UNION:
                f2, l2, n2 = stack.pop()
                f1, l1, n1 = stack.pop()
                stack.append((f1 | f2, l1 | l2, n1 or n2))
            elif op == STAR:
                f1, l1, _ = stack.pop()
                self._link(l1, f1)
                stack.append((f1, l1, True))
            elif op == OPTION:
                f1, l1, _ = stack.pop()
                stack.append((f1, l1, True))
            elif op == EPSILON:
                stack.append((0, 0, True))
            elif op == EMPTY:
                stack.append((0, 0, False))
            elif op == COMPLEMENT:
                stack.append(self._splice(minimise(self.determinise(stack.pop()).complement())))
            else:
                second = self.determinise(stack.pop())
                first = self.determinise(stack.pop())
                both = op == INTERSECTION
                assert both or op == DIFFERENCE
                meet = product(first, second, (lambda p, q: p and q) if both else (lambda p, q: p and not q), self._states)
                stack.append(self._splice(minimise(meet)))
        (whole,) = stack
        return whole

    def _splice(self, dfa: DFA) -> Fragment:
        """Positions for the live transitions of a DFA: (state entered, letter read)."""
        live = dfa.live
        entering = [0] * len(dfa)  # positions that enter each state
        leaving = [0] * len(dfa)  # positions that leave it
        for q, row in enumerate(dfa.delta):
            if live >> q & 1:
                for i, r in enumerate(row):
                    if live >> r & 1:
                        bit = self._position(i)
                        entering[r] |= bit
                        leaving[q] |= bit
        for q in range(len(dfa)):
            self._link(entering[q], leaving[q])
        last = 0
        for q in bits(dfa.accepting):
            last |= entering[q]
        return leaving[0], last, bool(dfa.accepting & 1)

    def accepts(self, word: Sequence[int]) -> bool:
        """Whether the word, given as letter numbers, is in the language."""
        if not word:
            return self.nullable
        reach, here = self.first, 0
        for a in word:
            here = reach & self.by_letter[a]
            if not here:
                return False
            reach = self.after(here)
        return bool(here & self.last)

    def after(self, positions: int) -> int:
        """Positions that may follow any of ``positions``."""
        follow, reach = self.follow, 0
        while positions:
            low = positions & -positions
            reach |= follow[low.bit_length() - 1]
            positions ^= low
        return reach

    def determinise(self, fragment: Fragment | None = None) -> DFA:
        """Subset construction (not minimised), sink included.

        Raises
        ------
        BudgetExceeded
            When more than the budgeted number of subsets is reached.
        """
        first, last, nullable = (self.first, self.last, self.nullable) if fragment is None else fragment
        follow, by_letter, limit = self.follow, self.by_letter, self._states
        number: dict[int, int] = {-1: 0}  # −1 stands for the start state
        subsets = [-1]
        rows: list[tuple[int, ...]] = []
        accepting = int(nullable)
        for n, subset in enumerate(subsets):
            if subset < 0:
                reach = first
            else:
                reach = 0
                if subset & last:
                    accepting |= 1 << n
                while subset:
                    low = subset & -subset
                    reach |= follow[low.bit_length() - 1]
                    subset ^= low
            row = []
            for mask in by_letter:
                target = reach & mask
                i = number.get(target)
                if i is None:
                    if len(subsets) >= limit:
                        raise BudgetExceeded(f"state budget of {limit} used up in a subset construction")
                    i = number[target] = len(subsets)
                    subsets.append(target)
                row.append(i)
            rows.append(tuple(row))
        return DFA(self.alphabet, tuple(rows), accepting)


def to_dfa(expr: Expr, alphabet: Sequence[Hashable] | None = None, states: int = 1_000_000) -> DFA:
    """The minimal DFA of an expression.

    Parameters
    ----------
    expr : Expr
    alphabet : sequence of symbols, optional
        Σ; the sorted letters of ``expr`` by default.
    states : int
        Budget for each subset construction.

    Examples
    --------
    >>> from regsynth.syntax.formal import parse
    >>> len(to_dfa(parse("(a+b)*a(a+b)")))
    4
    """
    if alphabet is None:
        alphabet = sorted(expr.alphabet, key=str)
    return minimise(PositionAutomaton(expr, alphabet, states).determinise())
