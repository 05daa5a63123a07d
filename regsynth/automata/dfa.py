"""Complete deterministic automata: a value type, minimisation, products."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from regsynth.errors import BudgetExceeded


@dataclass(frozen=True, slots=True)
class DFA:
    """A complete deterministic automaton whose start state is 0.

    Attributes
    ----------
    alphabet : tuple of symbols
        Σ, in letter order.
    delta : tuple of tuples of int
        ``delta[q][i]`` is the state after reading ``alphabet[i]`` in ``q``.
    accepting : int
        Bit ``q`` is set when ``q`` accepts.
    """

    alphabet: tuple[Hashable, ...]
    delta: tuple[tuple[int, ...], ...]
    accepting: int

    def __len__(self) -> int:
        return len(self.delta)

    def run(self, word: Iterable[Hashable], state: int = 0) -> int | None:
        """State after ``word``; ``None`` when a symbol is not in Σ."""
        index = {symbol: i for i, symbol in enumerate(self.alphabet)}
        for symbol in word:
            i = index.get(symbol)
            if i is None:
                return None
            state = self.delta[state][i]
        return state

    def accepts(self, word: Iterable[Hashable]) -> bool:
        """Whether the word is in the language."""
        state = self.run(word)
        return state is not None and bool(self.accepting >> state & 1)

    @property
    def live(self) -> int:
        """Bit set of the states from which an accepting state can be reached."""
        before: list[int] = [0] * len(self.delta)
        for q, row in enumerate(self.delta):
            for r in row:
                before[r] |= 1 << q
        live, new = self.accepting, self.accepting
        while new:
            reached = 0
            for q in bits(new):
                reached |= before[q]
            new = reached & ~live
            live |= new
        return live

    @property
    def is_empty(self) -> bool:
        """Whether the language is empty (every state is reachable here)."""
        return self.accepting == 0

    def shortest_word(self) -> list[Hashable] | None:
        """The length-lexicographically least word, or ``None``."""
        return shortest(self.delta, self.alphabet, lambda q: bool(self.accepting >> q & 1))

    def minimal(self) -> DFA:
        """The canonical minimal automaton (states in breadth-first letter order)."""
        return minimise(self)

    def _repr_svg_(self) -> str | None:
        """The drawing a notebook shows; none for an automaton too large to read."""
        from regsynth.automata.drawing import LIMIT, to_svg

        return to_svg(self) if len(self) <= LIMIT else None

    def complement(self) -> DFA:
        """Automaton of Σ* minus the language."""
        return DFA(self.alphabet, self.delta, ~self.accepting & (1 << len(self.delta)) - 1)


def bits(mask: int) -> Iterable[int]:
    """Positions of the set bits, ascending.

    >>> list(bits(0b1011))
    [0, 1, 3]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def shortest(delta: Sequence[Sequence[int]], alphabet: Sequence[Hashable], goal: Callable[[int], bool]) -> list[Hashable] | None:
    """Length-lexicographically least word from state 0 to a goal state."""
    parent: dict[int, tuple[int, Hashable] | None] = {0: None}
    queue = [0]
    for q in queue:
        if goal(q):
            word: list[Hashable] = []
            step = parent[q]
            while step is not None:
                word.append(step[1])
                step = parent[step[0]]
            return word[::-1]
        for symbol, r in zip(alphabet, delta[q], strict=True):
            if r not in parent:
                parent[r] = (q, symbol)
                queue.append(r)
    return None


def renumber(alphabet: tuple[Hashable, ...], delta: Sequence[Sequence[int]], accepting: int, start: int = 0) -> DFA:
    """Keep the reachable states, numbered in breadth-first letter order."""
    number = {start: 0}
    order = [start]
    for q in order:
        for r in delta[q]:
            if r not in number:
                number[r] = len(order)
                order.append(r)
    rows = tuple(tuple(number[r] for r in delta[q]) for q in order)
    accept = 0
    for i, q in enumerate(order):
        if accepting >> q & 1:
            accept |= 1 << i
    return DFA(alphabet, rows, accept)


def minimise(dfa: DFA) -> DFA:
    """Hopcroft's partition refinement over bit sets of states.

    Every state of ``dfa`` must be reachable. Costs O(k n log n) splits of
    n-bit sets.
    """
    n, k = len(dfa.delta), len(dfa.alphabet)
    everything = (1 << n) - 1
    before = [[0] * n for _ in range(k)]
    for q, row in enumerate(dfa.delta):
        for i, r in enumerate(row):
            before[i][r] |= 1 << q
    accepting = dfa.accepting & everything
    blocks = [b for b in (accepting, everything ^ accepting) if b]
    waiting = [min(blocks, key=int.bit_count)] if len(blocks) == 2 else []
    while waiting:
        splitter = waiting.pop()
        members = list(bits(splitter))
        for i in range(k):
            reach = 0
            table = before[i]
            for q in members:
                reach |= table[q]
            if not reach:
                continue
            for j in range(len(blocks)):
                block = blocks[j]
                inside = block & reach
                if not inside or inside == block:
                    continue
                outside = block ^ inside
                blocks[j] = inside
                blocks.append(outside)
                if block in waiting:
                    waiting[waiting.index(block)] = inside
                    waiting.append(outside)
                else:
                    waiting.append(inside if inside.bit_count() <= outside.bit_count() else outside)
    if len(blocks) == n:
        return renumber(dfa.alphabet, dfa.delta, accepting)
    owner = [0] * n
    for j, block in enumerate(blocks):
        for q in bits(block):
            owner[q] = j
    rows = [[owner[r] for r in dfa.delta[next(iter(bits(block)))]] for block in blocks]
    accept = 0
    for j, block in enumerate(blocks):
        if block & accepting:
            accept |= 1 << j
    return renumber(dfa.alphabet, rows, accept, owner[0])


def product(first: DFA, second: DFA, accept: Callable[[bool, bool], bool], states: int) -> DFA:
    """Reachable product of two automata over the same Σ.

    Raises
    ------
    BudgetExceeded
        When there are more than ``states`` pairs.
    """
    number = {(0, 0): 0}
    order = [(0, 0)]
    rows: list[tuple[int, ...]] = []
    accepting = 0
    for n, (p, q) in enumerate(order):
        if accept(bool(first.accepting >> p & 1), bool(second.accepting >> q & 1)):
            accepting |= 1 << n
        row = []
        for pair in zip(first.delta[p], second.delta[q], strict=True):
            i = number.get(pair)
            if i is None:
                if len(order) >= states:
                    raise BudgetExceeded(f"state budget of {states} used up in a product")
                i = number[pair] = len(order)
                order.append(pair)
            row.append(i)
        rows.append(tuple(row))
    return DFA(first.alphabet, tuple(rows), accepting)
