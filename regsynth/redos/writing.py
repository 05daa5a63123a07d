"""Write pattern nodes back as text, anchors, lookarounds and atomic groups included.

Captures are written as plain groups: what is rewritten here has lost its numbers.
"""

from __future__ import annotations

import re
from functools import lru_cache

from regsynth.errors import UnsupportedError
from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import CharSet
from regsynth.syntax.pattern import Node
from regsynth.syntax.python import parse
from regsynth.syntax.python_print import NEVER, repeat_text, set_text

ALT, CAT, REPEAT, ATOM = range(4)
"""How tightly a text binds, loosest first."""


def write(node: Node, flags: int = 0, is_bytes: bool = False) -> str:
    """The text of a node under flags of ``re``.

    Raises
    ------
    UnsupportedError
        For back-references and conditionals, whose meaning depends on group numbers.

    Examples
    --------
    >>> from regsynth.redos.reading import read
    >>> write(read(r"(?:a|bc)*?(?<!x)\\Z").root)
    '(?:a|bc)*?(?<!x)\\\\Z'
    """
    return bind(node, ALT, flags, is_bytes)


def bind(node: Node, level: int, flags: int = 0, is_bytes: bool = False) -> str:
    """The same, in brackets unless it binds at least so tightly."""
    text, own = _write(node, flags, is_bytes)
    return text if own >= level else f"(?:{text})"


def _write(node: Node, flags: int, is_bytes: bool) -> tuple[str, int]:
    op = node.op
    if op == tree.SET:
        return (class_text(node.data, flags, is_bytes), ATOM) if node.data else (NEVER, ATOM)
    if op == tree.CAT:
        parts = [bind(kid, CAT, flags, is_bytes) for kid in node.kids]
        return "".join(parts), CAT
    if op == tree.ALT:
        return "|".join(bind(kid, CAT if kid.op == tree.ALT else ALT, flags, is_bytes) for kid in node.kids), ALT
    if op == tree.REPEAT:
        low, high, mode = node.data
        return bind(node.kids[0], ATOM, flags, is_bytes) + repeat_text(low, high) + ("?" if mode == tree.LAZY else ""), REPEAT
    if op == tree.AT:
        return _anchor(node.data[0], flags), ATOM
    if op == tree.LOOK:
        behind, negative = node.data
        return f"(?{'<' if behind else ''}{'!' if negative else '='}{write(node.kids[0], flags, is_bytes)})", ATOM
    if op == tree.ATOMIC:
        (kid,) = node.kids
        if kid.op == tree.REPEAT and kid.kids[0].op == tree.SET and kid.data[2] == tree.GREEDY:
            return write(kid, flags, is_bytes) + "+", REPEAT
        return f"(?>{write(kid, flags, is_bytes)})", ATOM
    if op == tree.GROUP:
        return _write(node.kids[0], flags, is_bytes)
    raise UnsupportedError("back-reference" if op == tree.REF else "conditional group")


def _anchor(kind: int, flags: int) -> str:
    if kind == tree.START:
        return r"\A"
    if kind == tree.END:
        return r"\Z"
    if kind == tree.LINE_START:
        return "^" if flags & re.M else "(?m:^)"
    if kind == tree.LINE_END:
        return "$" if flags & re.M else "(?m:$)"
    if kind == tree.END_LINE_FEED:
        return r"(?=\n?\Z)" if flags & re.M else "$"
    return r"\b" if kind == tree.BOUNDARY else r"\B"


@lru_cache(maxsize=4096)
def class_text(chars: CharSet, flags: int = 0, is_bytes: bool = False) -> str:
    """One character of a set; under IGNORECASE without the capitals, where that reads the same.

    >>> class_text(CharSet.chars("aAbB")), class_text(CharSet.chars("aAbB"), int(re.I))
    ('[ABab]', '[ab]')
    """
    text = set_text(chars, flags & ~int(re.I), is_bytes)
    if not flags & re.I:
        return text
    capitals = CharSet.of([(65, 90)])
    shorter = set_text(chars - capitals, flags & ~int(re.I), is_bytes) if chars - capitals else text
    return shorter if _reads_as(shorter, chars, flags, is_bytes) else text


def _reads_as(text: str, chars: CharSet, flags: int, is_bytes: bool) -> bool:
    root = parse(text.encode("latin-1") if is_bytes else text, flags).root
    return root.op == tree.SET and root.data is chars


def plain(node: Node) -> Node:
    """The node as :func:`regsynth.syntax.python.parse` would give it: captures opened, neighbouring sets merged.

    One frame a nested construct, like the parser.
    """
    kids = [plain(kid) for kid in node.kids]
    op = node.op
    if op == tree.CAT:
        return tree.cat(kids)
    if op == tree.ALT:
        return tree.alt(kids)
    if op == tree.REPEAT:
        return tree.repeat(kids[0], *node.data)
    if op == tree.LOOK:
        return tree.look(kids[0], *node.data)
    if op == tree.ATOMIC:
        return tree.atomic(kids[0])
    return kids[0] if op == tree.GROUP else node
