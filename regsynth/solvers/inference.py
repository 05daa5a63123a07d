"""Inference: the cheapest expression that holds P and no word of N, by the road that suits the operators.

Answers over ``? * · +`` go to the typed engine, all others to the sequence engine. An
expression of P alone is the first upper bound, so there is always an answer; whatever
comes back is tried on every word.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from regsynth.automata.recogniser import recogniser
from regsynth.budget import Budget, Clock
from regsynth.errors import BudgetExceeded, InputError, MethodsDisagree
from regsynth.solvers.race import infix_count, race
from regsynth.solvers.results import STANDARD, InferenceProblem, InferenceResult, Operators
from regsynth.solvers.sequence import PLAIN_COLD, WIDEST, infer_sequence, kernels_ready
from regsynth.solvers.unions import union_of
from regsynth.syntax import tree
from regsynth.syntax.costs import TREE_LENGTH, Costs
from regsynth.syntax.tree import Expr

EASY = 4_000  # candidates tried in plain Python before kernels are loaded, which takes longer
NO_POSITIVES = "no positive words, and the operators lack ∅: this is the cheapest expression that rejects the negatives"
ANY_OPERATOR = sum(1 << op for op in (*tree.UNARY, *tree.BINARY))


def infer(
    positives: Iterable[str],
    negatives: Iterable[str],
    *,
    costs: Costs = TREE_LENGTH,
    operators: Operators = STANDARD,
    alphabet: Sequence[str] = (),
    budget: Budget | None = None,
    solver: str = "auto",
) -> InferenceResult:
    """Find the cheapest expression that accepts every positive and no negative word.

    Parameters
    ----------
    positives, negatives : iterable of str
        Words, one character a letter; repetitions do not matter.
    costs : Costs
        Cost function; tree length by default.
    operators : Operators
        Constructors the answer may use. ``ε`` and ``∅`` may be the whole answer always
        (``∅`` only where the operators have it or there is no positive word to lose).
    alphabet : sequence of str
        Σ; the letters of the words by default.
    budget : Budget, optional
        60 seconds by default; when it runs out the answer is right, the status
        ``feasible`` and the lower bound proven.
    solver : str
        ``auto``; ``enumerate``: the same; else a road of :mod:`regsynth.solvers.roads`.

    Returns
    -------
    InferenceResult
        ``infeasible`` when the operators can express no answer.

    Raises
    ------
    InputError
        A word on both sides, a letter outside Σ, operators that express nothing.
    MethodsDisagree
        An answer is wrong on some word: a bug.

    Examples
    --------
    >>> print(infer(["a", "ab", "abb"], ["b", "aa"]))
    ab*  cost 4  optimal
    >>> print(infer([""], ["a"]))
    ε  cost 1  optimal
    """
    clock = (budget or Budget()).start()
    problem = problem_of(positives, negatives, costs=costs, operators=operators, alphabet=alphabet)
    result = _trivial(problem, clock)
    if result is None:
        if solver not in ("auto", "enumerate"):
            from regsynth.solvers.roads import infer_by

            result = infer_by(solver, problem, clock.budget)
        else:
            result = _by_enumeration(problem, clock)
    if result.regex is not None:
        check(problem, result.regex, result.cost)
    return result


def problem_of(positives: Iterable[str], negatives: Iterable[str], *, costs: Costs, operators: Operators,
               alphabet: Sequence[str] = ()) -> InferenceProblem:  # fmt: skip
    """A checked problem; its alphabet is the given one or that of the words.

    Raises
    ------
    InputError
    """
    sides = {}
    for name, words in (("positive", positives), ("negative", negatives)):
        if isinstance(words, str):
            raise InputError(f"{name} words: one string, {words[:40]!r}; give a list of words")
        sides[name] = frozenset(words)
        for word in sides[name]:
            if not isinstance(word, str):
                raise InputError(f"{name} word {word!r} is no text; write it as a string")
    letters = {c for words in sides.values() for word in words for c in word}
    if alphabet and not letters <= set(alphabet):
        strange = min(letters - set(alphabet))
        name, word = next((name, w) for name, words in sides.items() for w in sorted(words) if strange in w)
        raise InputError(
            f"{name} word {word[:40]!r} has the letter {strange!r}, which is not in the alphabet "
            f"{''.join(alphabet)!r}; add it to the alphabet or take the word out"
        )
    if not operators.mask & ANY_OPERATOR:
        raise InputError("operators: none given, so only single letters could be expressed; name some of ? * . + ~ & -")
    sigma = tuple(alphabet) if alphabet else tuple(sorted(letters))
    return InferenceProblem(sides["positive"], sides["negative"], costs, operators, sigma)


def check(problem: InferenceProblem, regex: Expr, cost: int | None) -> None:
    """Try an answer on every word, and its cost.

    Raises
    ------
    MethodsDisagree
        When it is wrong.
    """
    automaton = recogniser(regex, problem.alphabet)
    index = {symbol: i for i, symbol in enumerate(problem.alphabet)}
    for words, wanted in ((problem.positives, True), (problem.negatives, False)):
        for word in words:
            if automaton.accepts([index[c] for c in word]) != wanted:
                raise MethodsDisagree(f"answer {regex} is wrong on {word!r}")
    if cost != problem.costs.of_expr(regex):
        raise MethodsDisagree(f"answer {regex} costs {problem.costs.of_expr(regex)}, not {cost}")


def _trivial(problem: InferenceProblem, clock: Clock) -> InferenceResult | None:
    """Answers that cost as little as any expression: ∅, ε, a letter."""
    note = ""
    found: Expr | None = None
    if not problem.positives:
        if tree.EMPTY in problem.operators:
            found = tree.empty()
        else:
            note = NO_POSITIVES
            letter = next((c for c in problem.alphabet if c not in problem.negatives), None)
            if letter is not None:
                found = tree.letter(letter)
            elif "" not in problem.negatives:
                found = tree.epsilon()
    elif problem.positives == {""}:
        found = tree.epsilon()
    elif len(problem.positives) == 1 and len(word := min(problem.positives)) == 1:
        found = tree.letter(word)
    if found is None:
        return None
    cost = problem.costs.atom
    return InferenceResult(found, cost, cost, "optimal", "enumerate", clock.seconds, stats={"note": note} if note else {})


def _by_enumeration(problem: InferenceProblem, clock: Clock) -> InferenceResult:
    upper = union_of(problem, clock) if problem.positives else None
    if upper is not None and problem.operators.monotone:
        cost = problem.costs.of_expr(upper)
        if "regsynth.solvers.typed_compiled" not in sys.modules and infix_count(problem) <= WIDEST:
            quick = infer_sequence(problem, clock, limit=cost, tier="plain", share=EASY if kernels_ready() else PLAIN_COLD)
            if quick.regex is not None or quick.lower_bound >= cost:
                return quick if quick.regex is not None else quick.but(regex=upper, cost=cost, status="optimal")
        from regsynth.solvers.typed_inference import typed_applies

        if typed_applies(problem.operators) and clock.left > 0:
            return race(problem, clock, upper)
    return _sequence(problem, clock, upper, 0)


def _sequence(problem: InferenceProblem, clock: Clock, upper: Expr | None, start: int) -> InferenceResult:
    """The sequence engine below the cost of a known answer."""
    cost = 1 << 60 if upper is None else problem.costs.of_expr(upper)
    try:
        found = infer_sequence(problem, clock, start=start, limit=cost)
    except (BudgetExceeded, MemoryError) as error:
        bound = max(start, problem.costs.atom)
        found = InferenceResult(None, None, bound, "unknown", "sequence", clock.seconds, stats={"reason": str(error)})
    if not problem.positives:
        found.stats["note"] = NO_POSITIVES
    if found.regex is not None or upper is None:
        return found
    bound = cost if found.status == "infeasible" else min(found.lower_bound, cost)  # nothing but what is dearer
    return InferenceResult(
        upper, cost, bound, "optimal" if bound >= cost else "feasible", "sequence", clock.seconds, stats=found.stats
    )
