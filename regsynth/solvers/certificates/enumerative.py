"""Write an enumerative certificate: the table that survives a search below the optimum."""

from __future__ import annotations

from typing import Any

from regsynth.automata.position import to_dfa
from regsynth.automata.reference import compare
from regsynth.budget import Budget, Clock
from regsynth.encodings.task import all_but
from regsynth.errors import MethodsDisagree, UnsupportedError
from regsynth.solvers.certificates.folder import Claim, write
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.fooling import first_sample, fooling_set
from regsynth.solvers.results import InferenceProblem, MinimizationProblem, Result
from regsynth.solvers.sample import MAX_FOOLING, Sample
from regsynth.solvers.typed import Rules, TypedSearch
from regsynth.syntax.tree import EMPTY, Expr

EVERYTHING = Rules(left_concat=False, ordered_union=False, nullable_option=False, starred_star=False)
"""No skip rules: the checker tries every application, so the table must cover every one."""

NODES = 200  # branch-and-bound nodes of the fooling set, as in the engine


def certify(problem: MinimizationProblem | InferenceProblem, result: Result, folder: str, budget: Budget | None = None) -> str:
    """Prove by enumeration that nothing is cheaper than an optimal result, and write the proof.

    Parameters
    ----------
    problem : MinimizationProblem or InferenceProblem
    result : Result
        With status ``optimal``.
    folder : str
        Made when it is missing.
    budget : Budget, optional

    Raises
    ------
    BudgetExceeded
        When the plain engine needs longer.
    UnsupportedError
        For operators that types cannot follow (``~``, ``&``, ``−``, ∅ as an operand).
    MethodsDisagree
        When something cheaper turns up.
    """
    if result.status != "optimal" or result.regex is None or result.cost is None:
        raise UnsupportedError("a certificate of a result that is not optimal")
    clock = (budget or Budget()).start()
    cost, bound, allowed = result.cost, result.cost - 1, problem.operators.mask
    if bound < problem.costs.atom:
        return write(folder, Claim("enumerative", problem, result.regex, cost, (), (), {"fooling": [], "table": []}))
    if not problem.operators.monotone or EMPTY in problem.operators:
        raise UnsupportedError("an enumerative certificate with the operators ~ & - or ∅; use --solver sat")
    if isinstance(problem, InferenceProblem):
        used = set().union(*problem.positives, *problem.negatives)
        letters: tuple[object, ...] = tuple(problem.alphabet) or tuple(sorted(used))
        number = {c: a for a, c in enumerate(letters)}
        upper = all_but([tuple(number[c] for c in w) for w in problem.negatives], letters)
        words = {tuple(number[c] for c in w) for w in problem.positives}
    else:
        letters = tuple(sorted(problem.expr.alphabet | set(problem.alphabet), key=str))
        number = {c: a for a, c in enumerate(letters)}
        upper = to_dfa(problem.expr, letters, clock.budget.states)
        words = set()
    closed = ClosedSets(upper)
    closed.explore()
    words = words or first_sample(closed)
    fresh: list[tuple[int, ...]] = []

    def refute(expr: Expr) -> bool:
        if isinstance(problem, InferenceProblem):
            raise MethodsDisagree(f"{expr} meets the examples at a lower cost than {result.regex}")
        clock.check()
        comparison = compare(problem.expr, expr, alphabet=letters, states=clock.budget.states)
        if comparison.verdict != "different" or comparison.accepted_by != "first":
            raise MethodsDisagree(f"{expr} is equivalent to {problem.expr} and cheaper than {result.regex}")
        assert comparison.witness is not None
        fresh.append(tuple(number[c] for c in comparison.witness))
        return len(fresh) >= 20

    rules = Rules()
    while True:
        sample = Sample(closed, words, NODES)
        search = _Timed(sample, letters, problem.costs, allowed, rules=rules)
        search.clock = clock
        search.run(bound, refute)
        if fresh:
            words |= set(fresh)
            fresh.clear()
        elif rules == EVERYTHING:
            break
        else:
            rules = EVERYTHING
    rows = []
    level_of = {i: x for x, items in enumerate(search.at) for i in items}
    for i in range(len(search.op)):
        rows.append([closed.sets[level_of[i]], search.op[i], search.left[i], search.right[i]])
    texts = tuple("".join(str(letters[a]) for a in w) for w in sample.words)
    evidence = {"fooling": _places(sample), "table": rows}
    return write(folder, Claim("enumerative", problem, result.regex, cost, texts, (), evidence))


class _Timed(TypedSearch):
    """A search that looks at the clock."""

    clock: Clock | None = None

    def _offer(self, *arguments: Any) -> bool:
        if self.clock is not None and not self.found.candidates & 1023:
            self.clock.check()
        return super()._offer(*arguments)


def _places(sample: Sample) -> list[list[int]]:
    """The fooling letters that :class:`Sample` chose, as (sample, position)."""
    closed = sample.closed
    contexts: dict[tuple[int, int, int], tuple[int, int]] = {}
    for m, w in enumerate(sample.words):
        states, rests = [0], [closed.final]
        for a in w:
            states.append(closed.delta[states[-1]][a])
        for a in reversed(w):
            rests.append(closed.backward(rests[-1], a))
        rests.reverse()
        for i, a in enumerate(w):
            contexts.setdefault((a, states[i], rests[i + 1]), (m, i))
    keys = list(contexts)
    return [list(contexts[keys[i]]) for i in fooling_set(closed, keys, NODES)[:MAX_FOOLING]]
