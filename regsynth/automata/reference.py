"""The plain-Python tier: compare two expressions by a lazy product search.

Both sides are determinised on the fly, one bit set of positions at a time, so a
difference near the start is found without building either automaton. This is the
tier the numba kernels are tested against.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

from regsynth.automata.dfa import DFA
from regsynth.automata.position import PositionAutomaton
from regsynth.errors import BudgetExceeded
from regsynth.syntax.tree import Expr

Relation = Literal["equivalent", "included"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Verdict on a pair.

    Attributes
    ----------
    verdict : str
        ``equivalent``, ``different``, ``included``, ``not_included``, ``undecidable``, ``unsupported`` or ``unknown``.
    witness : tuple of symbols or None
        A shortest word in one language only, least in letter order.
    accepted_by : {"first", "second"} or None
        The side that accepts the witness.
    reason : str or None
        Why there is no verdict.
    """

    verdict: str
    witness: tuple[Hashable, ...] | None = None
    accepted_by: str | None = None
    reason: str | None = None

    @property
    def word(self) -> str | None:
        """The witness as text."""
        return None if self.witness is None else "".join(map(str, self.witness))

    def __bool__(self) -> bool:
        return self.verdict in ("equivalent", "included")


class _Lazy:
    """Subset construction by need; subsets are numbered as they appear."""

    def __init__(self, automaton: PositionAutomaton) -> None:
        self.auto = automaton
        self.subsets = [-1]
        self.number = {-1: 0}
        self.accepting = [automaton.nullable]
        self.rows: list[list[int] | None] = [None]

    def row(self, q: int) -> list[int]:
        known = self.rows[q]
        if known is not None:
            return known
        auto, subset, reach = self.auto, self.subsets[q], 0
        if subset < 0:
            reach = auto.first
        while subset > 0:
            low = subset & -subset
            reach |= auto.follow[low.bit_length() - 1]
            subset ^= low
        row = []
        for mask in auto.by_letter:
            target = reach & mask
            i = self.number.get(target)
            if i is None:
                i = self.number[target] = len(self.subsets)
                self.subsets.append(target)
                self.accepting.append(bool(target & auto.last))
                self.rows.append(None)
            row.append(i)
        self.rows[q] = row
        return row


def compare(
    first: Expr, second: Expr, *, relation: Relation = "equivalent", alphabet: Sequence[Hashable] = (), states: int = 1_000_000
) -> Comparison:
    """Decide equivalence, or containment of the first in the second.

    Parameters
    ----------
    first, second : Expr
    relation : {"equivalent", "included"}
    alphabet : sequence of symbols
        Letters of Σ beyond those that occur (matters below ``~``).
    states : int
        Budget of product states; beyond it the verdict is ``unknown``.

    Examples
    --------
    >>> from regsynth.syntax.formal import parse
    >>> compare(parse("(a+b)*"), parse("(a*b*)*")).verdict
    'equivalent'
    >>> compare(parse("a*"), parse("a")).word
    ''
    """
    yes, no = ("equivalent", "different") if relation == "equivalent" else ("included", "not_included")
    if first is second:
        return Comparison(yes)
    letters = sorted(first.alphabet | second.alphabet | set(alphabet), key=str)
    try:
        left = _Lazy(PositionAutomaton(first, letters, states))
        right = _Lazy(PositionAutomaton(second, letters, states))
        found = _search(left, right, relation == "included", states)
    except BudgetExceeded as error:
        return Comparison("unknown", reason=str(error))
    if found is None:
        return Comparison(yes)
    word, side = found
    return Comparison(no, tuple(letters[i] for i in word), side)


def lacking(dfa: DFA, automaton: PositionAutomaton, states: int | None = None) -> list[int] | None:
    """The least word, as letter numbers, of ``dfa`` that ``automaton`` rejects.

    Both must be over the same Σ; ``None`` when there is none. Costs one step a pair
    of a state and a subset, of which there may be ``states``.

    Raises
    ------
    BudgetExceeded
        When there are more.
    """
    live = dfa.live
    parent: dict[tuple[int, int], tuple[tuple[int, int], int] | None] = {(0, -1): None}
    queue = [(0, -1)]
    for pair in queue:
        q, subset = pair
        if dfa.accepting >> q & 1 and not (automaton.nullable if subset < 0 else subset & automaton.last):
            word: list[int] = []
            step = parent[pair]
            while step is not None:
                word.append(step[1])
                step = parent[step[0]]
            return word[::-1]
        reach = automaton.first if subset < 0 else automaton.after(subset)
        for a, r in enumerate(dfa.delta[q]):
            target = (r, reach & automaton.by_letter[a])
            if live >> r & 1 and target not in parent:
                if states is not None and len(queue) >= states:
                    raise BudgetExceeded(f"state budget of {states} used up in the product search")
                parent[target] = (pair, a)
                queue.append(target)
    return None


def _search(left: _Lazy, right: _Lazy, inclusion: bool, states: int) -> tuple[list[int], str] | None:
    """Breadth-first search for the least distinguishing word."""
    parent: dict[tuple[int, int], tuple[tuple[int, int], int] | None] = {(0, 0): None}
    queue = [(0, 0)]
    for pair in queue:
        p, q = pair
        if left.accepting[p] != right.accepting[q] and (left.accepting[p] or not inclusion):
            word: list[int] = []
            step = parent[pair]
            while step is not None:
                word.append(step[1])
                step = parent[step[0]]
            return word[::-1], "first" if left.accepting[p] else "second"
        for i, target in enumerate(zip(left.row(p), right.row(q), strict=True)):
            if target not in parent:
                if len(queue) >= states:
                    raise BudgetExceeded(f"state budget of {states} used up in the product search")
                parent[target] = (pair, i)
                queue.append(target)
    return None
