"""A good expression for a language too large to search at once: minimise its sub-trees, smallest first.

What is returned has the language of the input and costs no more. Budgets are counted in
steps, so the same input gives the same answer on any machine.
"""

from __future__ import annotations

from collections.abc import Callable

from regsynth.budget import Budget
from regsynth.errors import BudgetExceeded
from regsynth.solvers.results import Operators
from regsynth.syntax import tree
from regsynth.syntax.costs import Costs
from regsynth.syntax.simplify import simplify
from regsynth.syntax.tree import Expr

SMALLEST, LARGEST = 4, 40  # nodes of a sub-tree that is minimised by itself
STEPS, STATES = 20_000, 500  # its budget: some tens of milliseconds


def resolve_subtrees(
    expr: Expr, costs: Costs, operators: Operators, *, minimize: Callable[..., object], check: Callable[[], None]
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
    check : callable
        Called between sub-trees; raises when the time is up.

    Examples
    --------
    >>> from regsynth.solvers.minimise import minimize
    >>> from regsynth.solvers.results import STANDARD
    >>> from regsynth.syntax.costs import TREE_LENGTH
    >>> from regsynth.syntax.formal import parse
    >>> print(resolve_subtrees(parse("(ab+a(b+b*))(c?+cc*)"), TREE_LENGTH, STANDARD, minimize=minimize, check=lambda: None))
    ab*c*
    """
    done: list[Expr] = []
    known: dict[Expr, Expr] = {}
    for node in simplify(expr).postorder():
        if node.left is None:
            done.append(node)
            continue
        right = None if node.right is None else done.pop()
        left = done.pop()
        made = tree.make(node.op, left) if right is None else tree.make(node.op, left, right)
        if SMALLEST <= made.length <= LARGEST:
            if made not in known:
                check()
                known[made] = _cheapest(made, costs, operators, minimize)
            made = known[made]
        done.append(made)
    after = simplify(done[0])
    return min((expr, done[0], after), key=costs.of_expr)


def _cheapest(expr: Expr, costs: Costs, operators: Operators, minimize: Callable[..., object]) -> Expr:
    budget = Budget(seconds=None, steps=STEPS, states=STATES)
    try:
        found = minimize(expr, costs=costs, operators=operators, budget=budget)
    except BudgetExceeded:
        return expr
    regex = getattr(found, "regex", None)
    return expr if regex is None else regex
