"""Rewrite an expression by local identities until none applies: a quick upper bound, and the benchmark's greedy baseline.

It knows nothing of languages beyond the identities below, each of which keeps the
language and never costs a node. One pass costs a few steps a node.

=====================  =============  ==========================
``(x*)* (x?)* (x*)?``  ``x*``         star swallows star, option
``x?``                 ``x``          where x has the empty word
``x+x``                ``x``          as does ``x+x?``, ``x+x*``
``ε+x``                ``x?``
``x*x*  x*x?  x?x*``   ``x*``
``xy+xz``              ``x(y+z)``     and ``xy+x`` = ``xy?``, from the right too
=====================  =============  ==========================
"""

from __future__ import annotations

from regsynth.syntax import tree
from regsynth.syntax.tree import CONCAT, EMPTY, EPSILON, OPTION, STAR, UNION, Expr

ROUNDS = 50
LARGEST = 10_000  # nodes; a pass over a long union costs its square, so what is larger stays as it is


def simplify(expr: Expr) -> Expr:
    """The expression after all rewriting.

    >>> from regsynth.syntax.formal import parse
    >>> for text in ("(a?*)*+a", "(a+a)b+(b*)?b?", "abc+abd+ab", "ac+bc", "a?d*(b+d+d+d)"):
    ...     print(simplify(parse(text)))
    a*
    ab+b*
    ab(c+d)?
    (a+b)c
    a?d*(b+d)
    """
    for _ in range(ROUNDS if expr.length <= LARGEST else 0):
        after = _once(expr)
        if after is expr or after.length > expr.length:
            return expr
        expr = after
    return expr


def _once(expr: Expr) -> Expr:
    """One pass, operands first."""
    done: list[Expr] = []
    for node in expr.postorder():
        if node.left is None:
            done.append(node)
        elif node.right is None:
            done.append(_unary(node.op, done.pop()))
        else:
            right = done.pop()
            done.append(_binary(node.op, done.pop(), right))
    return done[0]


def _unary(op: int, x: Expr) -> Expr:
    if op == STAR:
        while x.op in (STAR, OPTION) and x.left is not None:
            x = x.left
        return tree.epsilon() if x.op in (EMPTY, EPSILON) else tree.star(x)
    if op == OPTION:
        return tree.epsilon() if x.op == EMPTY else x if x.nullable else tree.option(x)
    return tree.make(op, x)


def _binary(op: int, x: Expr, y: Expr) -> Expr:
    if op == CONCAT:
        return _concat(x, y)
    if op == UNION:
        return _union(x, y)
    return tree.make(op, x, y)


def _concat(x: Expr, y: Expr) -> Expr:
    if x.op == EMPTY or y.op == EPSILON:
        return x
    if y.op == EMPTY or x.op == EPSILON:
        return y
    # Neighbours meet across brackets: the last factor of x and the first of y.
    left, right = x, y
    while left.op == CONCAT and left.right is not None:
        left = left.right
    while right.op == CONCAT and right.left is not None:
        right = right.left
    if left.op in (STAR, OPTION) and right.op in (STAR, OPTION) and left.left is right.left and STAR in (left.op, right.op):
        assert left.left is not None
        return _product([*_factors(x)[:-1], tree.star(left.left), *_factors(y)[1:]])
    return tree.concat(x, y)


def _union(x: Expr, y: Expr) -> Expr:
    summands: list[Expr] = []
    seen: set[Expr] = set()
    for part in (*_summands(x), *_summands(y)):
        if part not in seen and part.op != EMPTY:
            seen.add(part)
            summands.append(part)
    inner = {part.left for part in summands if part.op in (STAR, OPTION)}
    stars = {part.left for part in summands if part.op == STAR}
    kept = [p for p in summands if p not in inner and not (p.op == OPTION and p.left in stars)]
    rest = [p for p in kept if p.op != EPSILON]
    if len(rest) < len(kept) and rest:
        whole = _sum(_factored(rest))
        return whole if whole.nullable else tree.option(whole)
    return _sum(_factored(kept)) if kept else tree.empty()


def _factored(summands: list[Expr]) -> list[Expr]:
    """Take common first factors, then common last ones, out of summands."""
    for end in (0, -1):
        groups: dict[Expr, list[list[Expr]]] = {}
        for part in summands:
            factors = _factors(part)
            groups.setdefault(factors[end], []).append(factors[1:] if end == 0 else factors[:-1])
        if len(groups) == len(summands):
            continue
        out = []
        for shared, rests in groups.items():
            if len(rests) == 1:
                factors = [shared, *rests[0]] if end == 0 else [*rests[0], shared]
                out.append(_product(factors))
                continue
            inner: Expr | None = None
            for rest in rests:
                if rest:
                    inner = _product(rest) if inner is None else _union(inner, _product(rest))
            if inner is None:
                out.append(shared)
                continue
            if not all(rests) and not inner.nullable:
                inner = tree.option(inner)
            out.append(tree.concat(shared, inner) if end == 0 else tree.concat(inner, shared))
        summands = out
    return summands


def _factors(expr: Expr) -> list[Expr]:
    return operands(expr, CONCAT)


def _summands(expr: Expr) -> list[Expr]:
    return operands(expr, UNION)


def operands(expr: Expr, op: int) -> list[Expr]:
    """Operands of a chain of one associative operator, from the left."""
    out, stack = [], [expr]
    while stack:
        node = stack.pop()
        if node.op == op and node.left is not None and node.right is not None:
            stack += [node.right, node.left]
        else:
            out.append(node)
    return out


def _product(factors: list[Expr]) -> Expr:
    out = factors[0]
    for factor in factors[1:]:
        out = tree.concat(out, factor)
    return out


def _sum(summands: list[Expr]) -> Expr:
    out = summands[0]
    for part in summands[1:]:
        out = tree.union(out, part)
    return out
