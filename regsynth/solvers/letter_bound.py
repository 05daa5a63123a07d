"""Letters that every expression for L must have, by SAT over position automata, with CEGIS."""

from __future__ import annotations

from regsynth.automata.dfa import DFA
from regsynth.budget import Clock
from regsynth.encodings.positions import PositionEncoding
from regsynth.encodings.words import Word
from regsynth.errors import BudgetExceeded
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.fooling import contexts_of, first_sample, fooling_set
from regsynth.solvers.live import DEFAULT, Live


def letters_needed(dfa: DFA, clock: Clock, most: int | None = None) -> int:
    """A proven lower bound on the letters of any expression over ``? * · +``.

    Begins with a fooling set and raises k while no position automaton with k positions
    accepts L; a model that lacks a word of L adds that word to the samples.

    Parameters
    ----------
    dfa : DFA
        Minimal, of a language that is not empty.
    clock : Clock
        When it runs out the bound so far is returned.
    most : int, optional
        Stop when this many letters are proven.

    Examples
    --------
    >>> from regsynth.automata.position import to_dfa
    >>> from regsynth.budget import Budget
    >>> from regsynth.syntax.formal import parse
    >>> letters_needed(to_dfa(parse("(a+b)*a(a+b)")), Budget().start())
    4
    """
    try:
        closed = ClosedSets(dfa)
        # Live states are numbered as in the DFA itself, in order; words need no translation.
        words: list[Word] = sorted(first_sample(closed), key=len)
        k = len(fooling_set(closed, contexts_of(closed)))
    except BudgetExceeded:
        return 0
    try:
        while most is None or k < most:
            encoding = PositionEncoding(dfa, words, k)
            if _possible(encoding, dfa, words, clock):
                return k
            k += 1
    except BudgetExceeded:
        pass
    return k


def _possible(encoding: PositionEncoding, dfa: DFA, words: list[Word], clock: Clock) -> bool:
    """Whether an automaton of that size accepts L; samples grow on the way."""
    with Live(encoding.formula, clock, DEFAULT) as live:
        while True:
            model = live.solve([])
            if model is None:
                return False
            missing = _missing(dfa, *encoding.decode(model))
            if missing is None:
                return True
            words.append(missing)
            encoding.add_word(missing)


def _missing(dfa: DFA, letters: list[int], follow: list[list[int]], first: list[int], last: list[int]) -> Word | None:
    """A shortest non-empty word of L that the automaton does not accept."""
    accepting = set(last)
    seen: set[tuple[int, frozenset[int] | None]] = {(0, None)}
    queue: list[tuple[int, frozenset[int] | None, Word]] = [(0, None, ())]
    for q, states, word in queue:
        if word and dfa.accepting >> q & 1 and not (states or frozenset()) & accepting:
            return word
        reach = set(first) if states is None else {j for i in states for j in follow[i]}
        for a, r in enumerate(dfa.delta[q]):
            after = frozenset(j for j in reach if letters[j] == a)
            if (r, after) not in seen:
                if len(seen) > 200_000:
                    raise BudgetExceeded("state budget used up in a position automaton")
                seen.add((r, after))
                queue.append((r, after, (*word, a)))
    return None
