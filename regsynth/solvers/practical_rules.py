"""Make a pure pattern cheaper: identities that always hold, and deletions that are checked.

The result bounds the optimum from above before the exact search starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from regsynth.syntax import pattern as tree
from regsynth.syntax.pattern import Node

STEPS = 400  # deletions tried


def cost_of(root: Node) -> int:
    """One for each set, joint, ``|`` and repeat (context-dependent nodes count one too).

    >>> from regsynth.syntax.python import parse
    >>> cost_of(parse("[0-9]+a|b{2,5}").root)
    7
    """
    total = 0
    stack = [root]
    while stack:
        node = stack.pop()
        total += len(node.kids) - 1 if node.op in (tree.CAT, tree.ALT) and node.kids else 1
        stack.extend(node.kids)
    return total


def simplify(node: Node) -> Node:
    """Identities, from the leaves up.

    ``xx* = x+``, ``xx = x{2}``, ``(x*)? = x*``, ``ab|ac = a(b|c)``, ``x|x = x``, ``|x = x?``.
    One frame a nested construct, like the parser.

    >>> from regsynth.syntax.python import parse
    >>> from regsynth.syntax.python_print import to_text
    >>> to_text(simplify(parse("(?:ab|ac|ab)(?:d?){2}aaa*").root))
    'a[bc]d{,2}a{2,}'
    """
    if not node.kids:
        return node
    kids = [simplify(kid) for kid in node.kids]
    if node.op == tree.CAT:
        return _concatenation(kids)
    if node.op == tree.ALT:
        return _union(kids)
    low, high, _ = node.data
    return _repeat(kids[0], low, high)


def _repeat(kid: Node, low: int, high: int | None) -> Node:
    if kid is tree.EPSILON:
        return kid
    if kid.op == tree.REPEAT:
        inner_low, inner_high, _ = kid.data
        if inner_low <= 1 and inner_high is None:
            return _repeat(kid.kids[0], low * inner_low, None)
        if (inner_low, inner_high) == (0, 1):
            return _repeat(kid.kids[0], 0, high)
    return tree.repeat(kid, low, high)


def _bounds(node: Node) -> tuple[Node, int, int | None]:
    if node.op == tree.REPEAT:
        return node.kids[0], node.data[0], node.data[1]
    return node, 1, 1


def _concatenation(kids: list[Node]) -> Node:
    whole = tree.cat(kids)
    out: list[Node] = []
    for kid in whole.kids if whole.op == tree.CAT else (whole,):
        if out:
            x, low, high = _bounds(out[-1])
            y, more_low, more_high = _bounds(kid)
            if tree.same(x, y):
                joined = None if high is None or more_high is None else high + more_high
                out[-1] = _repeat(x, low + more_low, joined)
                continue
        out.append(kid)
    return tree.cat(out) if out else tree.EPSILON


def _union(kids: list[Node]) -> Node:
    options: list[Node] = []
    empty = False
    sets: Node | None = None
    for kid in kids:
        for option in kid.kids if kid.op == tree.ALT else (kid,):
            if option is tree.EPSILON or (option.op == tree.CAT and not option.kids):
                empty = True
            elif option.op == tree.SET:
                if sets is None:
                    sets = option
                    options.append(option)
                else:
                    merged = tree.char_set(sets.data | option.data)
                    options[next(i for i, o in enumerate(options) if o is sets)] = merged
                    sets = merged
            elif not any(tree.same(option, other) for other in options):
                options.append(option)
    options = _factored(options)
    if not options:
        return tree.EPSILON
    whole = tree.alt(options)
    return whole if not empty or whole.nullable else _repeat(whole, 0, 1)


def _factored(options: list[Node]) -> list[Node]:
    """Join neighbours with a common first or last factor."""
    out: list[Node] = []
    for option in options:
        for i, other in enumerate(out):
            joined = _common(other, option, True) or _common(other, option, False)
            if joined is not None:
                out[i] = joined
                break
        else:
            out.append(option)
    return out


def _common(x: Node, y: Node, first: bool) -> Node | None:
    a = x.kids if x.op == tree.CAT else (x,)
    b = y.kids if y.op == tree.CAT else (y,)
    at = 0 if first else -1
    if not a or not b or not tree.same(a[at], b[at]):
        return None
    rest = _union([tree.cat(a[1:] if first else a[:-1]), tree.cat(b[1:] if first else b[:-1])])
    return _concatenation([a[0], rest] if first else [rest, a[-1]])


def improve(root: Node, cost: Callable[[Node], int], equivalent: Callable[[Node], bool]) -> Node:
    """Simplify, then try every smaller neighbour that ``equivalent`` confirms, until none is cheaper."""
    best = simplify(root)
    if cost(best) > cost(root):
        best = root
    tries = STEPS
    better = True
    while better:
        better = False
        for neighbour in _neighbours(best):
            if tries == 0:
                return best
            candidate = simplify(neighbour)
            if cost(candidate) < cost(best):
                tries -= 1
                if equivalent(candidate):
                    best, better = candidate, True
                    break
    return best


def _neighbours(node: Node) -> Iterator[Node]:
    """The pattern with one part removed, unwrapped or loosened."""
    if node.op == tree.CAT or node.op == tree.ALT:
        make = tree.cat if node.op == tree.CAT else tree.alt
        kids = list(node.kids)
        for i, kid in enumerate(kids):
            if len(kids) > 1:
                yield make(kids[:i] + kids[i + 1 :])
            for other in _neighbours(kid):
                yield make([*kids[:i], other, *kids[i + 1 :]])
    elif node.op == tree.REPEAT:
        (kid,) = node.kids
        yield kid
        for other in _neighbours(kid):
            yield tree.repeat(other, *node.data)
