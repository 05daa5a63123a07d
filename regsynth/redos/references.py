"""Back-references and conditionals written out, where a group can hold few texts.

``(['"]).*?\\1`` runs exactly as ``'.*?'|".*?"`` does once the quote is read: the part from
the group on is repeated for each text the group may hold. A group that may be skipped
gets one more copy, in which references to it fail and conditionals take their other way.
Where that can't be done the node stays, and the analysis only bounds the pattern.
"""

from __future__ import annotations

from dataclasses import replace

from regsynth.redos.reading import Reading
from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import EMPTY_SET, CharSet
from regsynth.syntax.pattern import Node

TEXTS = 48  # texts a group may hold
SIZE = 20_000  # letters the result may have
_NOTHING = tree.char_set(EMPTY_SET)

Text = tuple[CharSet, ...] | None
"""What a group holds: one-character sets, or ``None`` when it was not part of the match."""


class _StuckError(Exception):
    """This reference can't be written out."""


def written_out(reading: Reading) -> Reading:
    """The same pattern with as few references and conditionals as possible.

    >>> from regsynth.redos.reading import read
    >>> root = written_out(read("(a|b)c\\\\1")).root
    >>> any(node.op == tree.REF for node in root.nodes())
    False
    """
    writer = _Writer(reading)
    root = reading.root
    numbers = sorted({_target(node) for node in root.nodes() if node.op in (tree.REF, tree.COND)})
    for number in numbers:
        try:
            root = writer.without(root, number)
        except (_StuckError, RecursionError):
            continue
    return reading if root is reading.root else replace(reading, root=root, kept=[reading.root, *writer.made])


def _target(node: Node) -> int:
    return int(node.data[0] if node.op == tree.REF else node.data)


class _Writer:
    def __init__(self, reading: Reading) -> None:
        self.spans = reading.spans
        self.made: list[Node] = []

    def like(self, node: Node, kids: list[Node]) -> Node:
        """A node with other operands, standing for the same part of the pattern."""
        if node.op == tree.CAT:
            new = tree.cat(kids)
        else:
            size = min(sum(kid.size for kid in kids) * max(node.size // max(sum(k.size for k in node.kids), 1), 1), tree.HUGE)
            nullable = node.nullable if node.op in (tree.LOOK, tree.REPEAT) else any(kid.nullable for kid in kids)
            kinds = node.kinds & tree.OTHER
            for kid in kids:
                kinds |= kid.kinds
            new = Node(node.op, tuple(kids), node.data, kinds, nullable, size)
        if id(node) in self.spans and new not in kids:
            self.spans[id(new)] = self.spans[id(node)]
        self.made.append(new)
        return new

    def without(self, root: Node, number: int) -> Node:
        """Write out every reference to a group."""
        path = self._meeting(root, number)
        here = path[-1][0]
        kids = list(here.kids) if here.op == tree.CAT else [here]
        first = next(i for i, kid in enumerate(kids) if _holds(kid, number, group=True))
        if any(_holds(kid, number, group=False) for kid in kids[:first]):
            raise _StuckError  # read before it is set, from an earlier round of a loop
        group = next(node for node in kids[first].nodes() if node.op == tree.GROUP and node.data == number)
        if sum(node.op == tree.GROUP and node.data == number for node in kids[first].nodes()) != 1:
            raise _StuckError
        reads = any(node.op == tree.REF and _target(node) == number for kid in kids for node in kid.nodes())
        texts: list[Text] = list(_texts(group.kids[0])) if reads else [()]
        if self._avoidable(kids[first], number):
            if any(parent.op == tree.REPEAT and parent.data[1] != 1 for parent, _ in path):
                raise _StuckError  # a round without the group still holds what an earlier round captured
            texts.append(None)
        if len(texts) > 1 and not _in_order(kids[first], number):
            raise _StuckError
        rest = sum(kid.size for kid in kids[first:])
        if len(texts) * rest > SIZE:
            raise _StuckError
        options = []
        for text in texts:
            parts = [self._set(kids[first], number, text, reads)]
            parts += [self._filled(kid, number, text) for kid in kids[first + 1 :]]
            options.append(tree.cat(parts))
        body = options[0] if len(options) == 1 else tree.choice(options)
        self.made.append(body)
        new = tree.cat([*kids[:first], body])
        for parent, i in reversed(path[:-1]):
            new = self.like(parent, [new if j == i else kid for j, kid in enumerate(parent.kids)])
        return new

    def _meeting(self, root: Node, number: int) -> list[tuple[Node, int]]:
        """The way from the root to the lowest node with the group and all that refers to it."""
        path: list[tuple[Node, int]] = []
        here = root
        while True:
            wanted = [i for i, kid in enumerate(here.kids) if _holds(kid, number, group=True) or _holds(kid, number, group=False)]
            if len(wanted) != 1 or (here.op == tree.GROUP and here.data == number):
                path.append((here, -1))
                break
            path.append((here, wanted[0]))
            here = here.kids[wanted[0]]
        if here.op != tree.CAT or not any(_holds(kid, number, group=True) for kid in here.kids):
            raise _StuckError
        return path

    def _avoidable(self, node: Node, number: int) -> bool:
        """Whether a match may go through a node without the group."""
        while node.op != tree.GROUP or node.data != number:
            if node.op == tree.ALT or (node.op == tree.REPEAT and node.data[0] == 0):
                return True
            node = next(kid for kid in node.kids if _holds(kid, number, group=True))
        return False

    def _set(self, node: Node, number: int, text: Text, reads: bool) -> Node:
        """A node in which the group holds a given text."""
        if node.op == tree.GROUP and node.data == number:
            if text is None:
                return _NOTHING
            return _literal(text) if reads else node.kids[0]
        if not _holds(node, number, group=True):
            return self._filled(node, number, text)
        if node.op == tree.ALT:
            with_group = [_holds(kid, number, group=True) for kid in node.kids]
            if text is not None:
                (at,) = (i for i, has in enumerate(with_group) if has)
                return self._set(node.kids[at], number, text, reads)
            kids = [self._set(kid, number, None, reads) if has else kid for kid, has in zip(node.kids, with_group, strict=True)]
            return self.like(node, kids)
        if node.op == tree.REPEAT:
            if node.data[1] != 1:
                raise _StuckError  # what the last round captured counts
            if text is not None:
                return self._set(node.kids[0], number, text, reads)
            inner = self._set(node.kids[0], number, None, reads)
            return self.like(node, [inner]) if node.data[0] == 0 else inner
        if node.op not in (tree.CAT, tree.GROUP):
            raise _StuckError
        return self.like(node, [self._set(kid, number, text, reads) for kid in node.kids])

    def _filled(self, node: Node, number: int, text: Text) -> Node:
        """A node after the group, with what it holds in place of references."""
        if not _holds(node, number, group=False):
            return node
        if node.op == tree.COND and node.data == number:
            return self._filled(node.kids[text is None], number, text)
        if node.op == tree.REF and _target(node) == number:
            if text is None:
                return _NOTHING
            if node.data[1] & 2 and any(len(chars) > 1 or chars.sample.isalpha() for chars in text):
                raise _StuckError  # IGNORECASE lets the copy differ
            return _literal(text)
        return self.like(node, [self._filled(kid, number, text) for kid in node.kids])


def choiceless(node: Node) -> bool:
    """Whether a matcher that comes back here has nothing else to try."""
    if node.op in (tree.SET, tree.AT, tree.LOOK, tree.ATOMIC):
        return True
    if node.op == tree.REPEAT and node.data[0] != node.data[1]:
        return False
    return node.op in (tree.CAT, tree.GROUP, tree.REPEAT) and all(choiceless(kid) for kid in node.kids)


def _in_order(node: Node, number: int) -> bool:
    """Whether a matcher tries the texts of a group one after the other, and to go on without it last."""
    while node.op != tree.GROUP or node.data != number:
        at = next(i for i, kid in enumerate(node.kids) if _holds(kid, number, group=True))
        if node.op == tree.CAT and not all(choiceless(kid) for kid in node.kids[:at]):
            return False
        if (node.op == tree.ALT and at > 0) or (node.op == tree.REPEAT and node.data[2] == tree.LAZY):
            return False
        node = node.kids[at]
    return True


def _holds(root: Node, number: int, *, group: bool) -> bool:
    """Whether a group, or anything that refers to it, is inside."""
    if group:
        return any(node.op == tree.GROUP and node.data == number for node in root.nodes())
    return any(node.op in (tree.REF, tree.COND) and _target(node) == number for node in root.nodes())


def _literal(text: tuple[CharSet, ...]) -> Node:
    return tree.cat([tree.char_set(chars) for chars in text])


def _texts(node: Node) -> list[tuple[CharSet, ...]]:
    """Every text a group may hold, in the order they are tried; once for each way to read it."""
    found: list[tuple[CharSet, ...]]
    if node.op == tree.SET:
        if len(node.data) > TEXTS:
            raise _StuckError
        found = [(CharSet.code(point),) for first, last in node.data.ranges() for point in range(first, last + 1)]
    elif node.op == tree.GROUP:
        found = _texts(node.kids[0])
    elif node.op == tree.ALT:
        found = [text for kid in node.kids for text in _texts(kid)]
    elif node.op == tree.CAT:
        found = [()]
        for kid in node.kids:
            more = _texts(kid)
            found = [text + rest for text in found for rest in more]
            if len(found) > TEXTS:
                raise _StuckError
    elif node.op == tree.REPEAT and node.data[1] is not None and node.data[1] <= TEXTS:
        low, high, mode = node.data
        once = _texts(node.kids[0])
        rounds: list[list[tuple[CharSet, ...]]] = [[()]]
        for _ in range(high):
            if len(rounds[-1]) * len(once) > TEXTS:
                raise _StuckError
            rounds.append([text + rest for text in rounds[-1] for rest in once])
        wanted = rounds[low:]
        found = [text for texts in (wanted if mode == tree.LAZY else reversed(wanted)) for text in texts]
    else:
        raise _StuckError
    if len(found) > TEXTS:
        raise _StuckError
    return found
