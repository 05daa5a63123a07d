"""Minimisation when the answer may use ~, & or −: inference from words on which candidates go wrong.

These operators cannot be typed (an operand of & need lie in no factor of L), so the
sequence engine looks for the cheapest expression that is right on a sample of words of
L and words outside it. Its cost bounds the optimum from below; when it is equivalent to
L it is an optimum, and otherwise a shortest word on which the two differ joins the
sample.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from regsynth.automata.dfa import DFA
from regsynth.automata.dfa import product as dfa_product
from regsynth.automata.position import to_dfa
from regsynth.errors import BudgetExceeded, MethodsDisagree
from regsynth.solvers.infixes import Infixes
from regsynth.solvers.sequence import search
from regsynth.syntax.tree import Expr

if TYPE_CHECKING:
    from regsynth.solvers.minimise import _Minimiser

FIRST = 15  # words of the first sample


def search_extended(run: _Minimiser, dfa: DFA) -> None:
    """Tighten ``run``'s best expression and bound until they meet or the budget is used up.

    Parameters
    ----------
    run : _Minimiser
        Its ``propose`` takes equivalent expressions, its ``bound`` a proven lower bound.
    dfa : DFA
        Minimal automaton of L over Σ.

    Raises
    ------
    BudgetExceeded
        With everything found so far in ``run``.
    """
    letters = tuple(map(str, dfa.alphabet))
    sample = _first_words(letters)
    run.tier = "sequence"
    while run.cost is None or run.bound < run.cost:
        run.clock.check()
        run.rounds += 1
        inside = {w for w in sample if dfa.accepts(w)}
        infixes = Infixes(inside, sample - inside, letters)
        limit = 1 << 60 if run.cost is None else run.cost
        found = search(infixes, letters, run.costs, run.operators.mask, run.clock, start=run.bound, limit=limit)
        run.candidates += found.candidates
        run.bound = max(run.bound, found.bound)
        if found.expr is None:
            if found.exhausted and run.cost is None:
                raise BudgetExceeded("these operators cannot express the language")
            if found.exhausted and run.cost is not None:
                run.bound = run.cost
            if run.bound < limit:
                raise BudgetExceeded(found.reason)
            return
        if found.cost != found.bound:  # right on the sample, but not proven cheapest
            if _witness(dfa, found.expr, run) is None:
                run.propose(found.expr)
            raise BudgetExceeded(found.reason)
        word = _witness(dfa, found.expr, run)
        if word is None:
            run.propose(found.expr)
        elif word in sample:
            raise MethodsDisagree(f"{found.expr} is right on {word!r} for the sequence engine, wrong for the automata")
        else:
            sample.add(word)


def _first_words(letters: tuple[str, ...]) -> set[str]:
    """The shortest words over Σ."""
    words: set[str] = set()
    length = 0
    while len(words) + len(letters) ** length <= max(FIRST, 1 + len(letters)):
        words.update(map("".join, product(letters, repeat=length)))
        length += 1
        if not letters:
            break
    return words


def _witness(dfa: DFA, expr: Expr, run: _Minimiser) -> str | None:
    """A shortest word on which an expression and L differ."""
    states = run.clock.budget.states
    other = to_dfa(expr, dfa.alphabet, states)
    word = dfa_product(dfa, other, lambda p, q: p != q, states).shortest_word()
    return None if word is None else "".join(map(str, word))
