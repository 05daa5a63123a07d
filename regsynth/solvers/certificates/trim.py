"""From a solver's DRUP proof to a short one with hints (LRAT): forward check, then keep what is needed.

Every lemma is checked by unit propagation (a lemma that does not follow so is an error), the
clauses that took part are noted, and what the empty clause rests on is kept. The result
names, for each lemma, clauses from which it follows by unit propagation alone, so a
checker needs no search. Nothing here has to be trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from regsynth.errors import RegsynthError

Lemma = tuple[list[int], list[int]]  # literals; numbers of the clauses it follows from


class ProofError(RegsynthError):
    """A proof with a step that does not follow."""


class _Propagator:
    """Two watched literals; the root trail is kept between lemmas."""

    def __init__(self, variables: int) -> None:
        self.clauses: list[list[int]] = []
        self.watches: list[list[int]] = [[] for _ in range(2 * variables + 2)]
        self.value = [0] * (variables + 1)
        self.reason = [-1] * (variables + 1)
        self.trail: list[int] = []
        self.head = 0
        self.conflict = -1

    def add(self, clause: list[int]) -> None:
        """A clause joins; root consequences are drawn at once."""
        value, n = self.value, len(self.clauses)
        literals = list(dict.fromkeys(clause))
        self.clauses.append(literals)
        if self.conflict >= 0:
            return
        # Watch two literals that are not false at the root, where there are such.
        literals.sort(key=lambda x: (value[x] if x > 0 else -value[-x]) < 0)
        if not literals or _truth(value, literals[0]) < 0:
            self.conflict = n
            return
        for x in literals[:2] if len(literals) > 1 else ():
            self.watches[_slot(-x)].append(n)
        if (len(literals) == 1 or _truth(value, literals[1]) < 0) and not _truth(value, literals[0]):
            self.assign(literals[0], n)
            self.conflict = self.propagate()

    def assign(self, literal: int, reason: int) -> None:
        v = abs(literal)
        self.value[v] = 1 if literal > 0 else -1
        self.reason[v] = reason
        self.trail.append(literal)

    def propagate(self) -> int:
        """Number of a falsified clause, or −1."""
        value, watches, clauses, trail = self.value, self.watches, self.clauses, self.trail
        while self.head < len(trail):
            literal = trail[self.head]
            self.head += 1
            slot = _slot(literal)
            kept: list[int] = []
            watching, watches[slot] = watches[slot], kept
            for i, n in enumerate(watching):
                c = clauses[n]
                if c[0] == -literal:
                    c[0], c[1] = c[1], c[0]
                first = c[0]
                truth = value[first] if first > 0 else -value[-first]
                if truth > 0:
                    kept.append(n)
                    continue
                for k in range(2, len(c)):
                    x = c[k]
                    if (value[x] if x > 0 else -value[-x]) >= 0:
                        c[1], c[k] = x, c[1]
                        watches[2 * x + 1 if x > 0 else -2 * x].append(n)  # slot of −x
                        break
                else:
                    kept.append(n)
                    if truth < 0:
                        kept.extend(watching[i + 1 :])
                        return n
                    self.assign(first, n)
        return -1

    def undo(self, length: int) -> None:
        for literal in self.trail[length:]:
            self.value[abs(literal)] = 0
        del self.trail[length:]
        self.head = length

    def antecedents(self, conflict: int) -> list[int]:
        """Clauses behind a conflict, in the order in which unit propagation uses them."""
        seen = {abs(x) for x in self.clauses[conflict]}
        used = []
        for literal in reversed(self.trail):
            v = abs(literal)
            if v in seen and self.reason[v] >= 0:
                used.append(self.reason[v])
                seen.update(abs(x) for x in self.clauses[self.reason[v]])
        return [*reversed(used), conflict]


def _slot(literal: int) -> int:
    """Watch list of clauses in which ``−literal`` is watched."""
    return 2 * literal if literal > 0 else -2 * literal + 1


def _truth(value: Sequence[int], literal: int) -> int:
    return value[literal] if literal > 0 else -value[-literal]


def trim(
    clauses: Sequence[list[int]], lemmas: Iterable[list[int]], variables: int, tick: Callable[[], None] = lambda: None
) -> list[Lemma]:
    """Check a refutation and keep the part of it that matters.

    Parameters
    ----------
    clauses : sequence of clauses
        The formula; numbered from 0.
    lemmas : iterable of clauses
        In order; the last one needed is the empty clause.
    variables : int
    tick : callable
        Called now and then; may raise.

    Returns
    -------
    list of (literals, numbers)
        Each lemma follows by unit propagation from the numbered clauses (lemmas are numbered
        on from the formula's clauses); the last is empty.

    Raises
    ------
    ProofError
        When a lemma does not follow, or the proof never reaches the empty clause.

    Examples
    --------
    >>> trim([[1, 2], [-1, 2], [1, -2], [-1, -2]], [[-2], [1], []], 2)
    [([-2], [2, 3]), ([], [4, 0, 1])]
    """
    engine = _Propagator(variables)
    for clause in clauses:
        engine.add(clause)
    hints: list[list[int]] = []
    base = len(clauses)
    for lemma in lemmas:
        tick()
        if engine.conflict >= 0:
            break
        root = len(engine.trail)
        conflict, satisfied = -1, -1
        for x in lemma:
            truth = _truth(engine.value, x)
            if truth > 0:  # already true: its reason implies the lemma
                satisfied = abs(x)
                break
            if truth == 0:
                engine.assign(-x, -1)
        if satisfied >= 0 and engine.reason[satisfied] >= 0:
            used = engine.antecedents(engine.reason[satisfied])
        else:
            conflict = engine.propagate()
            if conflict < 0:
                raise ProofError(f"lemma {len(hints) + 1} does not follow by unit propagation")
            used = engine.antecedents(conflict)
        engine.undo(root)
        hints.append(used)
        engine.add(lemma)
    if engine.conflict < 0:
        raise ProofError("the proof does not reach the empty clause")
    final = engine.antecedents(engine.conflict)
    needed: set[int] = set(final)
    for i in range(len(hints) - 1, -1, -1):
        if base + i in needed:
            needed.update(hints[i])
    number = {n: n for n in range(base)}
    out: list[Lemma] = []
    for i, used in enumerate(hints):
        if base + i in needed:
            number[base + i] = base + len(out)
            out.append((sorted(engine.clauses[base + i], key=abs), [number[n] for n in dict.fromkeys(used)]))
    out.append(([], [number[n] for n in dict.fromkeys(final)]))
    return out
