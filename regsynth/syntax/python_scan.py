"""The quick reader of plain Python patterns; whatever it does not know it leaves to the standard library's parser.

One call of a compiled pattern cuts the text into tokens. An *atom* (a character,
an escape, a bracketed class, an anchor) means the same wherever it stands, so the
standard parser reads each once a process. What is left is a stack of open groups.
Inline flags, look-behinds, references, possessive repeats, and everything ``re``
may reject go to the standard parser, which then also words the error.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from regsynth.syntax import pattern as tree
from regsynth.syntax.pattern import AT, SET, Node

_TOKENS = re.compile(
    r"\[\^?\]?(?:\\.|[^\]\\])*\]|\[.*|\\[^0-9xuUN]|\((?:\?(?:P<[A-Za-z_]\w*>|[:=!])?)?|"
    r"[*+?][?+]?|\{(?!\})[0-9]*(?:,[0-9]*)?\}[?+]?|.", re.S).findall  # fmt: skip
_BOUNDS = re.compile(r"\{([0-9]{0,4})(,?)([0-9]{0,4})\}\??").fullmatch
_KNOWN_FLAGS = int(re.I | re.M | re.S | re.A | re.U)
_TABLES = int(re.A | re.U)
_DEEPEST = 40  # groups; the standard parser has a limit of its own, at hundreds
_MANY = 20_000

_Repeat = tuple[int, int | None, int]
_STARS: dict[str, _Repeat] = {
    "*": (0, None, tree.GREEDY), "+": (1, None, tree.GREEDY), "?": (0, 1, tree.GREEDY),
    "*?": (0, None, tree.LAZY), "+?": (1, None, tree.LAZY), "??": (0, 1, tree.LAZY),
}  # fmt: skip
_OPENING = {"(": "(", "(?:": ":", "(?=": "=", "(?!": "!"}
_atoms: dict[int, dict[str, Node]] = {}


def scan(text: str, flags: int, read: Callable[[str, int], Node]) -> tuple[Node, dict[str, int]] | None:
    """The tree of a plain pattern and its named groups; ``None`` when the standard parser must read it.

    Parameters
    ----------
    text : str
    flags : int
        Those of ``re``, with either ``UNICODE`` or ``ASCII``.
    read : callable
        The reader by the standard parser, asked for every atom once.

    Raises
    ------
    Exception
        What ``read`` raises on an atom ``re`` rejects.
    """
    if flags & ~_KNOWN_FLAGS or flags & _TABLES == _TABLES:
        return None
    atoms = _atoms.get(flags)
    if atoms is None or len(atoms) > _MANY:
        atoms = _atoms[flags] = {}
    opened: list[tuple[str, list[list[Node]], list[Node], int]] = []
    names: dict[str, int] = {}
    captures = 0
    options: list[list[Node]] = []
    parts: list[Node] = []
    repeatable = False
    alike = _MANY  # how many first factors of every alternative so far stand outside captures
    for token in _TOKENS(text):
        node = atoms.get(token)
        if node is not None:
            parts.append(node)
            repeatable = node.op == SET
        elif token == ")":
            if not opened:
                return None
            options.append(parts)
            inner = tree.cat(options[0] if len(options) == 1 else _branch(options, alike))
            kind, options, parts, alike = opened.pop()
            if kind == "(":
                alike = min(alike, len(parts))
            parts.append(tree.look(inner, False, kind == "!") if kind in "=!" else inner)
            repeatable = True
        elif token == "|":
            options.append(parts)
            parts = []
            repeatable = False
        elif token[0] in "*+?" or (token[0] == "{" and len(token) > 1):
            found = _STARS.get(token) or _bounds(token)
            if not repeatable or found is None:
                return None
            parts[-1] = tree.repeat(parts[-1], *found)
            repeatable = False
        elif token[0] == "(":
            if token[-1] == ">":
                if token[4:-1] in names or not token[4:-1].isidentifier():
                    return None
                names[token[4:-1]] = captures + 1
            kind = "(" if token[-1] == ">" else _OPENING.get(token, "")
            if not kind or len(opened) == _DEEPEST:
                return None
            captures += kind == "("
            opened.append((kind, options, parts, alike))
            options, parts = [], []
            repeatable = False
            alike = _MANY
        elif token == "\\":
            return None
        else:
            node = atoms[token] = read(token, flags)
            parts.append(node)
            repeatable = node.op == SET
    if opened:
        return None
    options.append(parts)
    return tree.cat(options[0] if len(options) == 1 else _branch(options, alike)), names


def _bounds(token: str) -> _Repeat | None:
    """``{m}``, ``{m,}``, ``{,n}`` or ``{m,n}``, perhaps lazy; ``None`` when it is something else or may be rejected."""
    found = _BOUNDS(token)
    if found is None:
        return None
    least, comma, most = found.groups()
    low = int(least or 0)
    high = int(most) if most else None if comma else low
    if high is not None and high < low:
        return None
    return low, high, tree.LAZY if token[-1] == "?" else tree.GREEDY


def _branch(options: list[list[Node]], most: int) -> list[Node]:
    """Alternatives, each a list of factors, with the atoms all of them begin with (``most`` at most) taken out, as ``re`` does."""
    first = options[0]
    common = 0
    for node in first[:most]:
        if node.op not in (SET, AT) or any(len(option) <= common or not tree.same(option[common], node) for option in options):
            break
        common += 1
    return [*first[:common], tree.alt([tree.cat(option[common:]) for option in options])]
