"""The first upper bound of inference: exactly the positives, common prefixes or suffixes written once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from regsynth.automata.prefix_tree import prefix_tree
from regsynth.budget import Clock
from regsynth.solvers.results import InferenceProblem
from regsynth.syntax import tree
from regsynth.syntax.tree import Expr

SHARE = 0.25  # of the time left that each prefix tree may take


class _TooLong(Exception):
    """No more time for a prefix tree."""


def union_of(problem: InferenceProblem, clock: Clock | None = None) -> Expr | None:
    """An expression of exactly the positives; ``None`` where the operators allow none.

    The cheapest of three: one word after the other, common prefixes taken out, common
    suffixes. The latter two are left out when they take too much of the time.

    Examples
    --------
    >>> print(union_of(InferenceProblem(frozenset(["aab", "ab"]), frozenset(), alphabet=("a", "b"))))
    a?ab
    """
    words = sorted(problem.positives)
    flat, known = flat_union(words, problem), []
    for reverse in (False, True) if len(words) > 1 else ():
        with suppress(_TooLong):
            known.append(_trie(words, problem, reverse, _limit(clock)))
    return min((expr for expr in (*known, flat) if expr is not None), key=problem.costs.of_expr, default=None)


def flat_union(words: Sequence[str], problem: InferenceProblem) -> Expr | None:
    """One word after the other."""
    operators = problem.operators
    parts = [w for w in words if w]
    if (tree.UNION not in operators and len(parts) > 1) or (tree.CONCAT not in operators and any(len(w) > 1 for w in parts)):
        return None
    letters = {c: tree.letter(c) for c in set().union(*parts)}
    whole: Expr | None = None
    for w in parts:
        expr = letters[w[-1]]
        for c in reversed(w[:-1]):
            expr = tree.concat(letters[c], expr)
        whole = expr if whole is None else tree.union(expr, whole)
    if whole is not None and len(parts) < len(words):
        return _nullable(whole, problem)
    return whole


def _nullable(expr: Expr, problem: InferenceProblem) -> Expr | None:
    """The expression or the empty word."""
    if tree.OPTION in problem.operators:
        return tree.option(expr)
    if tree.EPSILON in problem.operators and tree.UNION in problem.operators:
        return tree.union(tree.epsilon(), expr)
    return None


def _limit(clock: Clock | None) -> Callable[[], None]:
    """What raises when a share of the time left is over."""
    if clock is None or clock.left == float("inf"):
        return lambda: None
    least = clock.left * (1 - SHARE)

    def check() -> None:
        if clock.left <= max(least, 0.0):
            raise _TooLong

    return check


def _trie(words: Sequence[str], problem: InferenceProblem, reverse: bool, check: Callable[[], None]) -> Expr | None:
    """Common prefixes, or suffixes, written once."""
    if not {tree.UNION, tree.CONCAT} <= {op for op in range(10) if op in problem.operators}:
        return None
    children, final = prefix_tree((word[::-1] if reverse else word for word in words), check)
    made: list[Expr | None] = [None] * len(children)  # None: ε
    for node in range(len(children) - 1, -1, -1):
        if not node & 1023:
            check()
        whole: Expr | None = None
        for c, child in children[node].items():
            rest = made[child]
            part = tree.letter(c)
            if rest is not None:
                part = tree.concat(rest, part) if reverse else tree.concat(part, rest)
            whole = part if whole is None else tree.union(part, whole)
        if whole is not None and final[node]:
            whole = _nullable(whole, problem)
            if whole is None:
                return None
        made[node] = whole
    return made[0]
