"""How many ways bounded repeats leave to read one text: a factor that does not grow with the subject.

``(a?){22}a{22}`` costs at most 2²² ways whatever the subject: safe in the subject's length, and still too slow.
"""

from __future__ import annotations

from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import EMPTY_SET, CharSet
from regsynth.syntax.pattern import Node

WORTH_SAYING = 100_000
MOST = 1 << 200


def ways(root: Node) -> int:
    """About how many ways one text can be read, loops without bound counted once.

    Alternatives count together when they can begin alike, and the rounds of a repeat
    when what follows can begin as its body does.

    >>> from regsynth.redos.reading import read
    >>> ways(read("(a?){22}a{22}").root) == 2**22
    True
    >>> ways(read(r"\\\\d{1,3}-\\\\d{1,3}-").root)
    1
    """
    found: dict[int, tuple[int, CharSet, CharSet]] = {}  # ways, first characters, characters of the body of a last repeat
    stack = [root]
    while stack:
        node = stack[-1]
        waiting = [kid for kid in node.kids if id(kid) not in found]
        if waiting:
            stack += waiting
        else:
            found[id(stack.pop())] = _of(node, found)
    return found[id(root)][0]


def _of(node: Node, found: dict[int, tuple[int, CharSet, CharSet]]) -> tuple[int, CharSet, CharSet]:
    kids = [found[id(kid)] for kid in node.kids]
    if node.op == tree.SET:
        return 1, node.data, EMPTY_SET
    if node.op == tree.CAT:
        return _sequence(node.kids, kids)
    if node.op == tree.ALT:
        seen, first, alike, total, most = EMPTY_SET, EMPTY_SET, False, 0, 1
        for count, begins, _ in kids:
            alike = alike or bool(seen & begins)
            seen = seen | begins
            first = first | begins
            total += count
            most = max(most, count)
        alike = alike or sum(kid.nullable for kid in node.kids) > 1
        return min(total if alike else most, MOST), first, EMPTY_SET
    if node.op == tree.REPEAT:
        low, high, _ = node.data
        count, first, _ = kids[0]
        if high is None:
            return count, first, EMPTY_SET
        if count == 1:
            return max(high - low + 1, 1), first, first
        return min(sum(count**i for i in range(low, high + 1)) if high * count.bit_length() < 200 else MOST, MOST), first, first
    if kids:
        return min(max(count for count, _, _ in kids), MOST), kids[0][1] if node.op != tree.LOOK else EMPTY_SET, EMPTY_SET
    return 1, EMPTY_SET, EMPTY_SET


def _sequence(nodes: tuple[Node, ...], kids: list[tuple[int, CharSet, CharSet]]) -> tuple[int, CharSet, CharSet]:
    total, first = 1, EMPTY_SET
    following = EMPTY_SET
    sure = False  # whether what follows must begin with one of ``following``
    for node, (count, begins, body) in zip(reversed(nodes), reversed(kids), strict=True):
        if body and sure and not body & following and node.op == tree.REPEAT:
            inner = node.kids[0]
            count = 1 if inner.op == tree.SET or count <= (node.data[1] - node.data[0] + 1) else count
        total = min(total * count, MOST)
        following = begins | following if node.nullable else begins
        sure = bool(begins) if not node.nullable else sure
        first = following
    return total, first, EMPTY_SET
