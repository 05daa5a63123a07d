"""A good expression for a language too large to search at once: minimise its sub-trees, smallest first.

What is returned has the language of the input and costs no more. Budgets are counted in
steps, so without a limit of time the same input gives the same answer on any machine.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isinf

from regsynth.budget import Budget
from regsynth.errors import BudgetExceeded
from regsynth.solvers.results import MinimizationResult, Operators
from regsynth.syntax import tree
from regsynth.syntax.costs import Costs
from regsynth.syntax.simplify import simplify
from regsynth.syntax.tree import Expr

SMALLEST, LARGEST = 4, 40  # nodes of a sub-tree that is minimised by itself; longer inputs have any
STEPS, STATES = 20_000, 500  # its budget: some tens of milliseconds
ALL_STEPS = 2_000_000  # of all of them together


def resolve_subtrees(
    expr: Expr, costs: Costs, operators: Operators, *, minimize: Callable[..., MinimizationResult], time_left: Callable[[], float]
) -> Expr:
    """The expression with every small sub-tree replaced by a cheapest one, where that is found.

    Parameters
    ----------
    expr : Expr
        Over the constructors of ``operators``, none of them ``~ & −``.
    costs, operators :
        Of the problem.
    minimize : callable
        :func:`regsynth.solvers.minimise.minimize`.
    time_left : callable
        Seconds left, asked between sub-trees; what is not done in time stays as it is.

    Examples
    --------
    >>> from regsynth.solvers.minimise import minimize
    >>> from regsynth.solvers.results import STANDARD
    >>> from regsynth.syntax.costs import TREE_LENGTH
    >>> from regsynth.syntax.formal import parse
    >>> print(resolve_subtrees(parse("(ab+a(b+b*))(c?+cc*)"), TREE_LENGTH, STANDARD, minimize=minimize, time_left=lambda: float("inf")))
    ab*c*
    """
    done: list[Expr] = []
    known: dict[Expr, Expr] = {}
    steps = 0
    for node in simplify(expr).postorder():
        if node.left is None:
            done.append(node)
            continue
        right = None if node.right is None else done.pop()
        left = done.pop()
        made = tree.make(node.op, left) if right is None else tree.make(node.op, left, right)
        if SMALLEST <= made.length <= LARGEST:
            if made not in known and steps < ALL_STEPS and (seconds := time_left()) > 0:
                known[made], spent = _cheapest(made, costs, operators, minimize, None if isinf(seconds) else seconds)
                steps += spent
            made = known.get(made, made)
        done.append(made)
    after = simplify(done[0])
    return min((expr, done[0], after), key=costs.of_expr)


def _cheapest(
    expr: Expr, costs: Costs, operators: Operators, minimize: Callable[..., MinimizationResult], seconds: float | None
) -> tuple[Expr, int]:
    """A cheapest expression, or the same one, and the steps it took."""
    try:
        found = minimize(expr, costs=costs, operators=operators, budget=Budget(seconds=seconds, steps=STEPS, states=STATES))
    except BudgetExceeded:
        return expr, STEPS
    return found.regex or expr, found.stats["candidates"]
