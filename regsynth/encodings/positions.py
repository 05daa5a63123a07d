"""How many letters an expression must have: position automata with k positions, as SAT.

An expression over ``? * · +`` with k letters has a position (Glushkov) automaton: k states,
one for each letter and entered by that letter only, and a start state that is never
entered again. So when no such automaton with k positions accepts the samples and stays
inside L, every expression for L has more than k letters, hence more than k − 1
binary operators. The converse fails (not every such automaton has an expression of its
size), so this is a lower bound only; it is at least as large as a fooling set's.

Variables: ``letter[i][a]``, ``first[i]``, ``last[i]``, ``follow[i][j]``; ``reads[p][i]`` for each
prefix p of a sample, true only if the automaton can be in position i after p; ``meets[i][q]``,
true if it can be in i while the DFA of L is in q. About k² + k(|prefixes| + |Q|) variables
and k²(|prefixes| + |Q|·|Σ|) clauses. Symmetry: positions ascend by letter.
"""

from __future__ import annotations

from collections.abc import Sequence

from regsynth.automata.dfa import DFA, bits
from regsynth.encodings.formula import Formula
from regsynth.encodings.words import Word
from regsynth.errors import InputError


class PositionEncoding:
    """Position automata with ``positions`` positions, P accepted and nothing outside L.

    Parameters
    ----------
    dfa : DFA
        Of L, complete.
    words : sequence of words
        P ⊆ L, as tuples of letter numbers.
    positions : int

    Examples
    --------
    >>> from regsynth.automata.position import to_dfa
    >>> from regsynth.syntax.formal import parse
    >>> from pysat.solvers import Solver
    >>> dfa = to_dfa(parse("ab+ba"))
    >>> def possible(k):
    ...     enc = PositionEncoding(dfa, [(0, 1), (1, 0)], k)
    ...     return Solver(bootstrap_with=enc.formula.clauses).solve()
    >>> possible(3), possible(4)
    (False, True)
    """

    def __init__(self, dfa: DFA, words: Sequence[Word], positions: int) -> None:
        if positions < 0:
            raise InputError(f"positions is {positions}; give a whole number from 0 up")
        self.dfa, self.positions = dfa, positions
        self.formula = formula = Formula()
        k, letters = positions, len(dfa.alphabet)
        self.letter = [[formula.new(f"letter[{i}]={dfa.alphabet[a]}") for a in range(letters)] for i in range(k)]
        self.first = [formula.new(f"first[{i}]") for i in range(k)]
        self.last = [formula.new(f"last[{i}]") for i in range(k)]
        self.follow = [[formula.new(f"follow[{i}][{j}]") for j in range(k)] for i in range(k)]
        for i, row in enumerate(self.letter):
            formula.add(*row)
            formula.at_most_one(row)
            if i:
                for a in range(letters):
                    for b in range(a):
                        formula.add(-self.letter[i - 1][a], -row[b])
        self._inside()
        self._reads: dict[Word, list[int]] = {}
        for word in words:
            self.add_word(word)

    def _inside(self) -> None:
        formula, dfa, k = self.formula, self.dfa, self.positions
        live = dfa.live
        states = list(bits(live))
        meets = [{q: formula.new(f"meets[{i}][{q}]") for q in states} for i in range(k)]
        for j in range(k):
            for a, symbol in enumerate(self.letter[j]):
                for q in states:
                    r = dfa.delta[q][a]
                    target = [meets[j][r]] if live >> r & 1 else []
                    if q == 0:
                        formula.add(-self.first[j], -symbol, *target)
                    for i in range(k):
                        formula.add(-self.follow[i][j], -meets[i][q], -symbol, *target)
            for q in states:
                if not dfa.accepting >> q & 1:
                    formula.add(-self.last[j], -meets[j][q])

    def add_word(self, word: Word) -> None:
        """One more word that must be accepted (ε always can be)."""
        if not word:
            return
        formula, k = self.formula, self.positions
        for n in range(1, len(word) + 1):
            prefix = word[:n]
            if prefix in self._reads:
                continue
            row = self._reads[prefix] = [formula.new(f"reads[{''.join(map(str, prefix))}][{i}]") for i in range(k)]
            before = self._reads.get(prefix[:-1])
            for j in range(k):
                formula.add(-row[j], self.letter[j][prefix[-1]])
                if before is None:
                    formula.add(-row[j], self.first[j])
                else:
                    steps = []
                    for i in range(k):
                        step = formula.new(f"step[{''.join(map(str, prefix))}][{i}→{j}]")
                        formula.add(-step, before[i])
                        formula.add(-step, self.follow[i][j])
                        steps.append(step)
                    formula.add(-row[j], *steps)
        ends = []
        for i in range(k):
            end = formula.new(f"ends[{''.join(map(str, word))}][{i}]")
            formula.add(-end, self._reads[word][i])
            formula.add(-end, self.last[i])
            ends.append(end)
        formula.add(*ends)

    def decode(self, model: Sequence[int]) -> tuple[list[int], list[list[int]], list[int], list[int]]:
        """Letters, follow sets, first and last positions of a model."""
        true = {v for v in model if v > 0}
        letters = [next(a for a, v in enumerate(row) if v in true) for row in self.letter]
        follow = [[j for j, v in enumerate(row) if v in true] for row in self.follow]
        first, last = ([i for i, v in enumerate(row) if v in true] for row in (self.first, self.last))
        return letters, follow, first, last
