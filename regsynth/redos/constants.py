"""How many ways bounded repeats leave to read one text: a factor that does not grow with the subject.

``(a?){22}a{22}`` costs at most 2²² ways whatever the subject: safe in the subject's length, and still too slow.
"""

from __future__ import annotations

from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import ALL, EMPTY_SET, CharSet
from regsynth.syntax.pattern import Node

WORTH_SAYING = 100_000
MOST = 1 << 200


def ways(root: Node) -> int:
    """About how many ways one text can be read, loops without bound counted once; at most 2**200.

    Alternatives count together when they can begin alike, and the rounds of a repeat
    when what follows can begin as its body does.

    >>> from regsynth.redos.reading import read
    >>> ways(read("(a?){22}a{22}").root) == ways(read("a?" * 22 + "a" * 22).root) == 2**22
    True
    >>> ways(read(r"\\d{1,3}-\\d{1,3}-").root), ways(read("x(?:a?b?c?d{0,9})").root)
    (1, 1)
    """
    order = _kids_first(root)
    first: dict[int, CharSet] = {}
    for node in order:
        first[id(node)] = _first(node, first)
    follow: dict[int, CharSet] = {id(root): EMPTY_SET}
    for node in reversed(order):
        _hand_down(node, first, follow)
    count: dict[int, int] = {}
    for node in order:
        count[id(node)] = min(_ways(node, first, follow, count), MOST)
    return count[id(root)]


def count_text(count: int) -> str:
    """A large count in words.

    >>> count_text(4194304), count_text(2**70), count_text(MOST)
    ('about 4,194,304', 'about 2^70', '2^200 or more')
    """
    return f"about {count:,}" if count < 10**12 else f"about 2^{count.bit_length() - 1}" if count < MOST else "2^200 or more"


def _kids_first(root: Node) -> list[Node]:
    """Every node once, after its kids."""
    order: dict[int, Node] = {}
    stack = [root]
    while stack:
        node = stack[-1]
        waiting = [kid for kid in node.kids if id(kid) not in order]
        if waiting:
            stack += waiting
        else:
            order.setdefault(id(node), stack.pop())
    return list(order.values())


def _first(node: Node, first: dict[int, CharSet]) -> CharSet:
    """Characters it may begin with."""
    if node.op == tree.SET:
        chars: CharSet = node.data
        return chars
    found = ALL if node.op == tree.REF else EMPTY_SET
    if node.op != tree.LOOK:
        for kid in node.kids:
            found = found | first[id(kid)]
            if node.op == tree.CAT and not kid.nullable:
                break
    return found


def _hand_down(node: Node, first: dict[int, CharSet], follow: dict[int, CharSet]) -> None:
    """Tell the kids which characters may come after them."""
    after = EMPTY_SET if node.op == tree.LOOK else follow[id(node)]
    if node.op == tree.REPEAT and node.data[1] != 1:
        after = after | first[id(node)]
    for kid in reversed(node.kids):
        follow[id(kid)] = follow.get(id(kid), EMPTY_SET) | after
        if node.op == tree.CAT:
            after = first[id(kid)] | after if kid.nullable else first[id(kid)]


def _ways(node: Node, first: dict[int, CharSet], follow: dict[int, CharSet], count: dict[int, int]) -> int:
    counts = [count[id(kid)] for kid in node.kids]
    if node.op == tree.CAT:
        total = 1
        for each in counts:
            total = min(total * each, MOST)
        return total
    if node.op == tree.ALT:
        seen, alike = EMPTY_SET, sum(kid.nullable for kid in node.kids) > 1
        for kid in node.kids:
            alike = alike or bool(seen & first[id(kid)])
            seen = seen | first[id(kid)]
        return sum(counts) if alike else max(counts)
    if node.op == tree.REPEAT and node.data[1] is not None:
        low, high, _ = node.data
        if counts[0] == 1:
            return high - low + 1 if first[id(node)] & follow[id(node)] else 1
        return sum(counts[0] ** i for i in range(low, high + 1)) if high * counts[0].bit_length() < 200 else MOST
    return max(counts, default=1)
