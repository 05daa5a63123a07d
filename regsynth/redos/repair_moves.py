"""Small changes to a pattern that may cure a blow-up; whether one keeps the language is proven elsewhere.

Each move edits the *text* around one loop or one run of neighbours, so captures,
comments and everything else stay as they were written:

=============  =====================================  ==========================================
move           example                                what it cures
=============  =====================================  ==========================================
run start      ``\\s+$`` -> ``(?<!\\s)\\s+$``              a search that starts inside a run again
optional run   ``\\s*$`` -> ``(?:(?<!\\s)\\s+)?$``         the same, where the loop may be empty
possessive     ``a*b`` -> ``a*+b``                      giving back what cannot help
narrower set   ``<[^>]*>`` -> ``<[^<>]*>``              reading over a later start
not over       ``ab.*c`` -> ``ab(?:(?!ab).)*c``         the same for a longer start
fewer          ``x*ab`` -> ``ab``                       a loop that decides nothing
normal form    ``(?:a+b?)*`` -> ``(?:ab?)*``            nested loops that read the same text
unambiguous    ``(?:a|ab|ba)*`` -> ``(?:a+b|ba)*a*``    everything else inside one loop or run
=============  =====================================  ==========================================
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from regsynth.automata.letters import LetterAutomaton, SubsetDFA
from regsynth.budget import Budget
from regsynth.errors import BudgetExceeded, UnsupportedError
from regsynth.redos.normal_form import normal_form
from regsynth.redos.reading import Reading
from regsynth.redos.references import choiceless
from regsynth.redos.repair_proofs import width
from regsynth.redos.results import ScreenResult
from regsynth.redos.unambiguous import expressions
from regsynth.redos.writing import ALT, ATOM, CAT, bind, class_text, plain
from regsynth.syntax import pattern as tree
from regsynth.syntax.charset import ALL, BYTES, EMPTY_SET, CharSet
from regsynth.syntax.pattern import Node

EXACT, FIRST, ATOMIC, LOOSE = range(4)
"""What is known beforehand of a move that keeps the set of matched subjects: it keeps every
match as well; it keeps the first; it keeps every match if both succeed from the same starts
(what is cut off comes after the only choice there was); nothing."""

_QUANTIFIER = re.compile(r"(?:[*+]|\{[0-9]*,\})(?P<mode>[?+]?)\Z")
_OVER = 80  # longest text that "not over" looks for
_SETS = 12  # sets tried as "narrower"
REWRITE = Budget(seconds=0.5, memory=1 << 28, states=2_000)


@dataclass(frozen=True, slots=True)
class Move:
    """A changed pattern.

    Attributes
    ----------
    text : str
    method : str
    keeps : int
    """

    text: str
    method: str
    keeps: int = LOOSE


@dataclass(frozen=True, slots=True)
class Place:
    """A node that repeats without bound, or a run of neighbours.

    Attributes
    ----------
    node : Node
    start, stop : int
        Its part of the text.
    parent : Node or None
        The sequence it stands in.
    index : int
    leading : bool
        Nothing but brackets stands before it, up to the start of the pattern or of an
        alternative of the whole.
    first : bool
        The matcher has made no choice before it comes here.
    before, after : tuple of Node
        What has to be matched before and after it: its neighbours, and those of the
        groups around it, up to the nearest loop or alternative.
    """

    node: Node
    start: int
    stop: int
    parent: Node | None
    index: int
    leading: bool
    first: bool
    before: tuple[Node, ...]
    after: tuple[Node, ...]


def loops(reading: Reading, length: int) -> list[Place]:
    """Every unbounded repeat with a known place, outermost first."""
    found: list[Place] = []
    seen: set[int] = set()
    stack: list[Place] = [Place(reading.root, 0, length, None, 0, True, True, (), ())]
    while stack:
        place = stack.pop()
        node = place.node
        if id(node) in seen:
            continue
        seen.add(id(node))
        span = reading.spans.get(id(node))
        loop = node.kids[0] if node.op == tree.ATOMIC else node
        if loop.op == tree.REPEAT and loop.data[1] is None and span is not None:
            found.append(replace(place, start=span[0], stop=span[1]))
        leading = place.leading and node.op in (tree.CAT, tree.ALT, tree.GROUP)
        first = place.first and node.op in (tree.CAT, tree.GROUP)
        before, after = (place.before, place.after) if node.op in (tree.CAT, tree.GROUP) else ((), ())
        kids = []
        for i, kid in enumerate(node.kids):
            if node.op == tree.CAT:
                around = ((*before, *node.kids[:i])[-_OVER:], (*node.kids[i + 1 :], *after)[:_OVER])
                kids.append(Place(kid, 0, 0, node, i, leading and i == 0, first, *around))
                first = first and choiceless(kid)
            else:
                kids.append(Place(kid, 0, 0, None, 0, leading, first, before, after))
        stack.extend(reversed(kids))
    return found


def moves(reading: Reading, text: str, result: ScreenResult, semantics: str) -> Iterator[Move]:
    """Changes worth trying, first those that cure most blow-ups of this kind.

    Parameters
    ----------
    reading : Reading
    text : str
    result : ScreenResult
        Its spans say where to change something, its family what.
    semantics : str
    """
    places = loops(reading, len(text))
    hot = [place for place in places if any(place.start < spot.stop and spot.start < place.stop for spot in result.spans)] or places
    mover = _Mover(reading, text, semantics)
    leading = [place for place in hot if place.leading]
    inner = [place for place in hot if not place.leading]
    steps: list[tuple[Callable[[Place], Iterator[Move]], list[Place]]] = [(mover.guard, leading)]
    if result.family == "SLQ":
        steps += [(mover.narrow, hot), (mover.not_over, hot), (mover.rewrite, hot)]
    elif result.family == "POA":
        steps += [(mover.narrow, hot), (mover.keep_back, hot), (mover.not_over, hot), (mover.rewrite, hot)]
    else:
        steps += [(mover.rewrite, hot), (mover.keep_back, hot), (mover.fewer, hot), (mover.narrow, hot)]
    steps += [(mover.run, hot), (mover.guard, inner), (mover.keep_back, hot), (mover.fewer, hot), (mover.not_over, hot)]
    for step, chosen in steps:
        for place in chosen:
            yield from step(place)


class _Mover:
    """The moves on one pattern."""

    def __init__(self, reading: Reading, text: str, semantics: str) -> None:
        self.reading, self.text, self.semantics = reading, text, semantics
        self.universe = BYTES if reading.is_bytes else ALL
        sets: dict[CharSet, None] = {}
        for node in reading.root.nodes():
            if node.op == tree.SET and node.data:
                sets[node.data] = None
        self.sets = list(sets)

    def put(self, start: int, stop: int, new: str) -> str:
        return self.text[:start] + new + self.text[stop:]

    def parts(self, place: Place) -> tuple[str, str, str] | None:
        """Operand, quantifier and mode of a loop's text."""
        text = self.text[place.start : place.stop]
        found = _QUANTIFIER.search(text)
        if found is None:
            return None
        mode = found["mode"]
        return text[: found.start()].rstrip(), found[0][: len(found[0]) - len(mode)], mode

    def operand(self, place: Place) -> tuple[Node, str] | None:
        """What a loop repeats, and a text for it without captures."""
        node = place.node.kids[0] if place.node.op == tree.ATOMIC else place.node
        kid = plain(node.kids[0])
        parts = self.parts(place)
        if parts is None:
            return None
        if kid.op == tree.SET and parts[0][:1] != "(":
            return kid, parts[0]
        try:
            return kid, bind(kid, ATOM, self.reading.flags, self.reading.is_bytes)
        except UnsupportedError:
            return None

    def guard(self, place: Place) -> Iterator[Move]:
        """Let a loop begin only where a run of its operand begins."""
        found, parts = self.operand(place), self.parts(place)
        if found is None or parts is None or not found[0].pure or width(found[0]) is None:
            return
        kid, shown = found
        sure = place.node.op == tree.REPEAT or kid.op == tree.SET
        keeps = LOOSE
        if sure and place.leading and self.semantics == "search":
            # A match from inside a run is not the leftmost: one round more gives a match that starts earlier.
            keeps = EXACT if self.ends_runs(place, kid) else FIRST
        inner = shown[3:-1] if shown.startswith("(?:") and kid.op in (tree.CAT, tree.ALT) else shown
        guarded = f"(?<!{inner})"
        yield Move(self.put(place.start, place.start, guarded), "run start", keeps)
        if place.node.op == tree.REPEAT and place.node.data[0] == 0:
            loop = f"(?:{guarded}{parts[0]}+{parts[2]})?{'?' if parts[2] == '?' else ''}"
            yield Move(self.put(place.start, place.stop, loop), "optional run start", LOOSE)

    def ends_runs(self, place: Place, kid: Node) -> bool:
        """Whether no match begins inside a run because the one before it has ended there: proven, else false.

        Either no match ends as a round of the loop does, or the whole pattern is a greedy loop before anchors (a
        next match would have made this one longer), or it ends with a greedy loop that has read all that could follow.
        """
        if not ending(self.reading.root, self.universe) & ending(kid, self.universe):
            return True
        loop = place.node.kids[0] if place.node.op == tree.ATOMIC else place.node
        low, _, mode = loop.data
        if kid.op != tree.SET or low == 0:
            return False
        alone = place.first and not place.before and len(place.after) < _OVER and all(n.op in (tree.AT, tree.LOOK) for n in place.after)
        return (alone and mode != tree.LAZY) or _reads_on(self.reading.root, kid.data)

    def keep_back(self, place: Place) -> Iterator[Move]:
        """Possessive loops, and atomic groups from a loop to the end of its sequence."""
        parts = self.parts(place)
        if parts is None or parts[2] == "+":
            return
        operand, quantifier, mode = parts
        possessive = f"{operand}{quantifier}+"
        keeps = ATOMIC if place.first else LOOSE
        yield Move(self.put(place.start, place.stop, possessive), "possessive", LOOSE if mode else keeps)
        if place.parent is not None and place.index + 1 < len(place.parent.kids):
            following = self.reading.spans.get(id(place.parent.kids[place.index + 1]))
            if following is not None:
                yield Move(self.put(place.start, following[1], f"(?>{self.text[place.start : following[1]]})"), "atomic group", keeps)

    def narrow(self, place: Place) -> Iterator[Move]:
        """Take from the set of a loop what other sets of the pattern read."""
        found, parts = self.operand(place), self.parts(place)
        if found is None or parts is None or found[0].op != tree.SET or place.node.op != tree.REPEAT:
            return
        chars: CharSet = found[0].data
        tried = {chars}
        near = [node.data for node in (*place.after[:2], *place.before[-2:]) if node.op == tree.SET]
        for other in [*near, *self.sets][:_SETS]:
            rest = chars - other
            if rest and rest not in tried:
                tried.add(rest)
                shown = class_text(rest, self.reading.flags, self.reading.is_bytes)
                yield from self.changed_rounds(place, parts, shown, "narrower set")

    def changed_rounds(self, place: Place, parts: tuple[str, str, str], shown: str, method: str) -> Iterator[Move]:
        """The loop over something else: all rounds of it, or all but those asked for."""
        operand, quantifier, mode = parts
        wrapped = f"({shown})" if operand[:1] == "(" and operand[:2] != "(?" else shown
        yield Move(self.put(place.start, place.stop, wrapped + quantifier + mode), method, LOOSE)
        low = place.node.data[0]
        if low and "(" not in operand:
            asked = operand if low == 1 else f"{operand}{{{low}}}"
            yield Move(self.put(place.start, place.stop, f"{asked}{shown}*{mode}"), method, LOOSE)

    def fewer(self, place: Place) -> Iterator[Move]:
        """Only as many copies as are asked for."""
        parts = self.parts(place)
        if parts is None or place.node.op != tree.REPEAT:
            return
        low = place.node.data[0]
        new = "" if low == 0 else parts[0] if low == 1 else f"{parts[0]}{{{low}}}"
        yield Move(self.put(place.start, place.stop, new), "fewer", LOOSE)

    def not_over(self, place: Place) -> Iterator[Move]:
        """Do not read over what stands before the loop, where the search starts again, or what stands after it."""
        parts = self.parts(place)
        if parts is None or parts[2] == "+" or place.node.op != tree.REPEAT:
            return
        for over in self.landmarks(place):
            if over and len(over) <= _OVER and "(?!" not in over:
                yield from self.changed_rounds(place, parts, f"(?:(?!{over}){parts[0]})", "not over")

    def landmarks(self, place: Place) -> dict[str, None]:
        """Texts that tell where a loop should stop: everything before it, or the characters next to it."""
        options = [place.before, _literal(place.before[::-1])[::-1], place.before[-1:], _literal(place.after), place.after[:1]]
        texts: dict[str, None] = {}
        for nodes in options:
            if not any(node.op == tree.SET for part in nodes for node in part.nodes()):
                continue
            with contextlib.suppress(UnsupportedError):
                texts[bind(plain(tree.cat(nodes)), CAT, self.reading.flags, self.reading.is_bytes)] = None
        return texts

    def rewrite(self, place: Place) -> Iterator[Move]:
        """The loop in normal form, and as an unambiguous expression."""
        node = plain(place.node)
        if node.pure:
            for method, new in self.rewritten(node):
                level = ALT if place.parent is None and place.start == 0 and place.stop == len(self.text) else CAT
                yield Move(self.put(place.start, place.stop, self.shown(new, level)), method, LOOSE)

    def run(self, place: Place) -> Iterator[Move]:
        """Neighbours together with a loop, as an unambiguous expression."""
        parent = place.parent
        if parent is None:
            return
        last = len(parent.kids) - 1
        loops_here = [i for i, kid in enumerate(parent.kids) if _unbounded(kid)]
        for low, high in ((min(loops_here), max(loops_here)), (place.index, place.index + 1), (place.index, last), (0, last)):
            if low < high <= last:
                first, final = (self.reading.spans.get(id(parent.kids[i])) for i in (low, high))
                run = plain(tree.cat(parent.kids[low : high + 1]))
                if first is not None and final is not None and run.pure:
                    for method, new in self.rewritten(run):
                        yield Move(self.put(first[0], final[1], self.shown(new, CAT)), method, LOOSE)

    def rewritten(self, node: Node) -> Iterator[tuple[str, Node]]:
        other = normal_form(node)
        if not tree.same(other, node):
            yield "normal form", other
        try:
            dfa = SubsetDFA(LetterAutomaton(node, self.universe), REWRITE.start()).minimal()
            candidates = expressions(dfa, anchored=True)
        except BudgetExceeded:
            return
        shown = {self.shown(candidate, CAT): candidate for candidate in candidates}
        for text in sorted(shown, key=lambda text: (len(text), text))[:3]:
            yield "unambiguous expression", shown[text]

    def shown(self, node: Node, level: int) -> str:
        return bind(node, level, self.reading.flags, self.reading.is_bytes)


def ending(node: Node, universe: CharSet) -> CharSet:
    """Characters with which a match that is not empty may end. One frame a nested construct.

    >>> from regsynth.syntax.python import parse
    >>> ending(parse("a+(?:b|cd?)").root, ALL) == CharSet.chars("bcd")
    True
    """
    if node.op == tree.SET:
        chars: CharSet = node.data
        return chars
    found = universe if node.op == tree.REF else EMPTY_SET
    if node.op not in (tree.AT, tree.LOOK):
        for kid in reversed(node.kids):
            found = found | ending(kid, universe)
            if node.op == tree.CAT and not kid.nullable:
                break
    return found


def _reads_on(node: Node, chars: CharSet) -> bool:
    """Whether the pattern ends with a greedy loop over at least these characters."""
    while node.op in (tree.CAT, tree.GROUP, tree.ATOMIC) and node.kids:
        node = node.kids[-1]
    if node.op != tree.REPEAT or node.data[1] is not None or node.data[2] == tree.LAZY:
        return False
    return node.kids[0].op == tree.SET and not chars - node.kids[0].data


def _unbounded(node: Node) -> bool:
    return any(other.op == tree.REPEAT and other.data[1] is None for other in node.nodes())


def _literal(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The characters that stand first."""
    count = next((i for i, node in enumerate(nodes) if node.op != tree.SET), len(nodes))
    return nodes[:count]
