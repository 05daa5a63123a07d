"""What else two patterns have in common that match the same subjects: where matches start and end.

A match at a given start depends on what stands left of it only through anchors and
lookbehinds, so a few characters there decide. With k the most that any of them sees,
the patterns succeed from the same starts exactly if, for each j ≤ k, the patterns
"any j characters, then P" match the same texts from the beginning: the length j fixes
where P starts. In the same way "any j, P, any i" under full match decides the spans.
"""

from __future__ import annotations

from regsynth.automata.pairs import Relation
from regsynth.budget import Budget
from regsynth.errors import RegsynthError
from regsynth.practical import Pattern, compare_patterns
from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import ALL, BYTES
from regsynth.syntax.pattern import Node
from regsynth.syntax.python import parse

PROOF = Budget(seconds=1.0, memory=512 << 20, states=20_000)
WIDEST = 4  # characters that anchors and lookbehinds may see
_LEFT = (tree.START, tree.LINE_START, tree.BOUNDARY, tree.NOT_BOUNDARY)
_RIGHT = {tree.END: 1, tree.END_LINE_FEED: 2, tree.LINE_END: 1, tree.BOUNDARY: 1, tree.NOT_BOUNDARY: 1}


def compiled(text: str | bytes, semantics: str, flags: int) -> Pattern:
    """A pattern that no cache keeps alive: a search makes many and needs few of them again."""
    parsed = parse(text, flags)
    universe = BYTES if parsed.is_bytes else ALL
    return Pattern(text, "python", semantics, parsed.flags, parsed.root, universe, parsed.reference_position)


def same_starts(first: Pattern, second: Pattern) -> bool:
    """Whether both succeed from the same starts of every subject: proven, else false.

    >>> from regsynth.practical import compile_pattern
    >>> same_starts(compile_pattern("a+b"), compile_pattern("a++b"))
    True
    >>> same_starts(compile_pattern("a+b"), compile_pattern("(?<!a)a+b"))
    False
    """
    seen = _seen_left(first.root, second.root)
    return seen is not None and all(_alike(first, second, j, 0, "match") for j in range(seen + 1))


def same_spans(first: Pattern, second: Pattern) -> bool:
    """Whether both can match the same parts of every subject: proven, else false.

    >>> from regsynth.practical import compile_pattern
    >>> same_spans(compile_pattern(r"\\b(?:a|aa)+$"), compile_pattern(r"\\ba+$"))
    True
    >>> same_spans(compile_pattern("a+b"), compile_pattern("ab"))
    False
    """
    left, right = _seen_left(first.root, second.root), _seen_right(first.root, second.root)
    if left is None or right is None:
        return False
    return all(_alike(first, second, j, i, "fullmatch") for j in range(left + 1) for i in range(right + 1))


def one_end(pattern: Pattern) -> bool:
    """Whether a start never has two possible ends: proven, else false.

    >>> from regsynth.practical import compile_pattern
    >>> one_end(compile_pattern("a+b")), one_end(compile_pattern("a+b?"))
    (True, False)
    """
    left, right = _seen_left(pattern.root), _seen_right(pattern.root)
    if left is None or right is None:
        return False
    for before in range(left + 1):
        for after in range(right + 1):
            later = _between(pattern, before, after, "fullmatch")
            earlier = _between(pattern, before, after + 1, "match")
            if not _holds(later, earlier, "disjoint"):
                return False
    return True


def _alike(first: Pattern, second: Pattern, before: int, after: int, semantics: str) -> bool:
    one, other = (_between(pattern, before, after, semantics) for pattern in (first, second))
    return _holds(one, other, "equivalent")


def _holds(one: Pattern, other: Pattern, relation: Relation) -> bool:
    try:
        return compare_patterns(one, other, relation=relation, budget=PROOF).verdict == relation
    except (RegsynthError, RecursionError):
        return False


def _between(pattern: Pattern, before: int, after: int, semantics: str) -> Pattern:
    anything = tree.char_set(pattern.universe)
    root = tree.cat([*[anything] * before, pattern.root, *[anything] * after])
    return Pattern(pattern.text, pattern.dialect, semantics, pattern.flags, root, pattern.universe, lambda number: None)


def _seen_left(*roots: Node) -> int | None:
    seen = 0
    for root in roots:
        for node in root.nodes():
            if node.op == tree.AT and node.data[0] in _LEFT:
                seen = max(seen, 1)
            elif node.op == tree.LOOK and node.data[0]:
                sight = width(node.kids[0])
                if sight is None or sight > WIDEST or any(kid.op in (tree.AT, tree.LOOK) for kid in node.kids[0].nodes()):
                    return None
                seen = max(seen, sight)
    return seen


def _seen_right(*roots: Node) -> int | None:
    seen = 0
    for root in roots:
        for node in root.nodes():
            if node.op == tree.AT:
                seen = max(seen, _RIGHT.get(node.data[0], 0))
            elif node.op == tree.LOOK and not node.data[0]:
                return None  # sees as far as it likes
    return seen


def width(node: Node) -> int | None:
    """The one length of everything a node matches, if there is one. One frame a nested construct.

    >>> from regsynth.syntax.python import parse
    >>> width(parse("a(?:bc|d{2})").root), width(parse("ab?").root)
    (3, None)
    """
    if node.op == tree.SET:
        return 1
    if node.op in (tree.AT, tree.LOOK):
        return 0
    if node.op in (tree.REF, tree.COND):
        return None
    widths = [width(kid) for kid in node.kids]
    known = [w for w in widths if w is not None]
    if len(known) < len(widths):
        return None
    if node.op == tree.CAT:
        return sum(known)
    if node.op == tree.REPEAT:
        low, high, _ = node.data
        return low * known[0] if low == high else None
    return known[0] if len(set(known)) == 1 else None
