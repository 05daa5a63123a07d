"""Star normal form for pattern trees: no loop repeats what a loop inside it repeats already.

After Brüggemann-Klein (TCS 1993): E* = (E°)*, where ° strips from E what the outer
loop gives anyway. Two rules more shorten what a loop repeats: in (x+ y)* with an
empty word in y one x is enough, because the next round gives the others.
"""

from __future__ import annotations

from regsynth.solvers.practical_rules import simplify
from regsynth.syntax import pattern as tree
from regsynth.syntax.pattern import Node


def normal_form(node: Node) -> Node:
    """The same language without loops nested for nothing.

    ``(x*)* -> x*``, ``(x+)+ -> x+``, ``(x?y?)* -> (x|y)*``, ``(x+y?)* -> (xy?)*``. One
    frame a nested construct, like the parser.

    >>> from regsynth.redos.writing import write
    >>> from regsynth.syntax.python import parse
    >>> [write(normal_form(parse(t).root)) for t in ("(?:a+)+b", "(?:(?:ab)*)*", "(?:a?b*)*c", "(?:a+b?)*")]
    ['a+b', '(?:ab)*', '[ab]*c', '(?:ab?)*']
    """
    return simplify(_normal(node))


def _normal(node: Node) -> Node:
    kids = [_normal(kid) for kid in node.kids]
    if node.op == tree.CAT:
        return tree.cat(kids)
    if node.op == tree.ALT:
        return _united(kids)
    if node.op != tree.REPEAT:
        return node
    low, high, mode = node.data
    kid = kids[0]
    if high is None and low <= 1:
        inner = _shortened(_stripped(kid))
        return tree.repeat(inner, 0 if kid.nullable else low, None, mode)
    return tree.repeat(kid, low, high, mode)


def _stripped(node: Node) -> Node:
    """E°: with (E°)* = E* and no more loops at the ends than needed."""
    if node.op == tree.ALT:
        return _united([_stripped(kid) for kid in node.kids if kid is not tree.EPSILON])
    if node.op == tree.REPEAT:
        return _stripped(node.kids[0]) if node.data[0] <= 1 else node
    if node.op == tree.CAT and node.nullable and node.kids:
        return _united([_stripped(kid) for kid in node.kids])
    return node


def _shortened(node: Node) -> Node:
    """In a loop: x+ becomes x where everything else in the round may be empty."""
    if node.op != tree.CAT:
        return _united([_shortened(kid) for kid in node.kids]) if node.op == tree.ALT else node
    kids = list(node.kids)
    for i, kid in enumerate(kids):
        if kid.op == tree.REPEAT and kid.data[:2] == (1, None) and all(other.nullable for j, other in enumerate(kids) if j != i):
            kids[i] = kid.kids[0]
    return tree.cat(kids)


def _united(options: list[Node]) -> Node:
    """A union without empty words (the loop around gives them), its sets joined."""
    kept: list[Node] = []
    chars = None
    place = 0
    for option in options:
        if option.op == tree.SET:
            if chars is None:
                chars, place = option.data, len(kept)
                kept.append(option)
            else:
                chars = chars | option.data
                kept[place] = tree.char_set(chars)
        elif not any(tree.same(option, other) for other in kept):
            kept.append(option)
    return tree.alt(kept)
