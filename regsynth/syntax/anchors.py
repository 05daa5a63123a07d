"""Resolve ``^ \\A $ \\Z`` where the pattern alone says what they mean.

Most anchors stand where everything to one side is known: ``^`` holds exactly when
what is left of it matched nothing, so left context L and ``^`` together are ε if L
may be empty, else ∅. On the right, ``$`` and a right context R are those of ε and
the newline that R accepts. What cannot be resolved this way (inside loops, beside
other context-dependent constructs) is left to the Boolean automaton.
"""

from __future__ import annotations

from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import EMPTY_SET, NEWLINE, CharSet
from regsynth.syntax.pattern import AT, EPSILON, Node

_START = 1 << tree.START
_RESOLVABLE = _START | 1 << tree.END | 1 << tree.END_LINE_FEED
_NOTHING = tree.char_set(EMPTY_SET)


class _GiveUpError(Exception):
    """An anchor stands where these rules do not reach."""


def resolve(root: Node, semantics: str, universe: CharSet) -> Node | None:
    """A pure pattern for the subjects matched, or ``None``.

    Parameters
    ----------
    root : Node
    semantics : {"fullmatch", "match", "search"}
    universe : CharSet

    Examples
    --------
    >>> from regsynth.syntax.charset import ALL
    >>> from regsynth.syntax.python import parse
    >>> resolve(parse("^a$").root, "fullmatch", ALL).size
    1
    """
    if root.kinds & ~_RESOLVABLE:
        return None
    anything = tree.repeat(tree.char_set(universe), 0, None)
    left = anything if semantics == "search" else EPSILON
    right = EPSILON if semantics == "fullmatch" else anything
    try:
        return _before(_after(left, root), right)
    except (_GiveUpError, RecursionError):
        return None


def _after(left: Node, node: Node) -> Node:
    """``left`` then ``node``, without START."""
    if not node.kinds & _START:
        return tree.cat([left, node])
    if node.op == AT:
        if not left.pure:
            raise _GiveUpError
        return EPSILON if left.nullable else _NOTHING
    if node.op == tree.CAT:
        free: list[Node] = []  # factors without START, joined at once
        for kid in node.kids:
            if kid.kinds & _START:
                left = _after(tree.cat([left, *free]), kid)
                free = []
            else:
                free.append(kid)
        return tree.cat([left, *free])
    if node.op == tree.ALT:
        without = [kid for kid in node.kids if not kid.kinds & _START]
        rest = [tree.cat([left, tree.alt(without)])] if without else []
        return tree.alt([_after(left, kid) for kid in node.kids if kid.kinds & _START] + rest)
    low, high, _ = node.data
    if low > 1 or not left.pure:
        raise _GiveUpError
    # Iterations that match nothing can be left out; of the others the first alone may stand at the start.
    first = _after(left, node.kids[0])
    if high != 1:
        if high is not None:
            raise _GiveUpError
        first = tree.cat([first, tree.repeat(_never_at_start(node.kids[0]), 0, None)])
    return tree.alt([first, left]) if low == 0 else first


def _never_at_start(node: Node) -> Node:
    """The pattern where something has been read before it: START never holds."""
    if not node.kinds & _START:
        return node
    if node.op == AT:
        return _NOTHING
    kids = [_never_at_start(kid) for kid in node.kids]
    if node.op == tree.CAT:
        return tree.cat(kids)
    return tree.alt(kids) if node.op == tree.ALT else tree.repeat(kids[0], *node.data)


def _before(node: Node, right: Node) -> Node:
    """``node`` then ``right``, without END."""
    if node.pure:
        return tree.cat([node, right])
    if node.op == AT:
        if node.data[0] == tree.END:
            return EPSILON if right.nullable else _NOTHING
        options = [EPSILON] if right.nullable else []
        if _matches_newline(right):
            options.append(tree.char_set(NEWLINE))
        return tree.alt(options) if options else _NOTHING
    if node.op == tree.CAT:
        free: list[Node] = []  # pure factors, last first, joined at once
        for kid in reversed(node.kids):
            if kid.pure:
                free.append(kid)
            else:
                right = _before(kid, tree.cat([*reversed(free), right]))
                free = []
        return tree.cat([*reversed(free), right])
    if node.op == tree.ALT:
        pure = [kid for kid in node.kids if kid.pure]
        rest = [tree.cat([tree.alt(pure), right])] if pure else []
        return tree.alt([_before(kid, right) for kid in node.kids if not kid.pure] + rest)
    _, high, _ = node.data
    if high != 1:
        raise _GiveUpError
    return tree.alt([_before(node.kids[0], right), right])


def _matches_newline(node: Node) -> bool:
    """Whether a pure pattern matches the newline alone."""
    if node.op == tree.SET:
        return "\n" in node.data
    if node.op == tree.CAT:
        others = sum(not kid.nullable for kid in node.kids)  # one node may stand in several places
        return any(_matches_newline(kid) and others == (not kid.nullable) for kid in node.kids)
    if node.op == tree.ALT:
        return any(_matches_newline(kid) for kid in node.kids)
    low = node.data[0]
    return _matches_newline(node.kids[0]) and (low <= 1 or node.kids[0].nullable)
