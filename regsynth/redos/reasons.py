"""Findings in words: which parts of the pattern take part, of which family, and why."""

from __future__ import annotations

from regsynth.redos.attacks import Finding
from regsynth.redos.machine import Machine
from regsynth.redos.pumping import EXPONENTIAL
from regsynth.redos.reading import Reading
from regsynth.redos.results import Family, Growth, HotSpot
from regsynth.syntax import pattern as tree
from regsynth.syntax.pattern import Node

_SHOWN = 40


def hot_spots(machine: Machine, reading: Reading, found: Finding) -> tuple[tuple[HotSpot, ...], Family | None]:
    """The repeats that take part, as spans, and the family of the blow-up."""
    homes = machine.program.homes

    def loops(place: int) -> tuple[int, ...]:
        return homes[machine.places[place][0]].loops

    if found.fork is not None:
        first, second = (loops(place) for place in found.fork)
        shared = 0
        while shared < min(len(first), len(second)) and first[shared] == second[shared]:
            shared += 1
        if found.fork[0] == found.fork[1] and homes[machine.places[found.fork[0]][0]].twin is None:
            wanted = first[-2:]
        else:
            wanted = (*first[shared - 1 :], *second[shared - 1 :]) if shared else (*first, *second)
        return _spans(reading, wanted), _exponential_family(machine, reading, found.fork)
    inner: list[int] = []
    searching = False
    for link in found.links:
        for place in link:
            around = loops(place)
            searching = searching or around == (-1,)
            inner += around[-1:]
    family: Family = "SLQ" if searching and len(found.links) == 1 else "POA"
    return _spans(reading, tuple(inner)), family


def _spans(reading: Reading, loops: tuple[int, ...]) -> tuple[HotSpot, ...]:
    spans = {reading.spans[loop] for loop in loops if loop in reading.spans}
    return tuple(HotSpot(*span) for span in sorted(spans))


def _exponential_family(machine: Machine, reading: Reading, fork: tuple[int, int]) -> Family:
    """NQ, EOD or EOA, by the node where the two readings part."""
    homes = [machine.program.homes[machine.places[place][0]] for place in fork]
    first = homes[0].node
    second = homes[1].node if fork[0] != fork[1] else homes[0].twin
    if first is None or second is None or first is second:
        return "NQ"
    op = _meeting(reading.root, first, second)
    return "EOD" if op == tree.ALT else "EOA"


def _meeting(root: Node, first: Node, second: Node) -> int:
    """The kind of the lowest node above both."""
    parents: dict[int, Node] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        for kid in node.kids:
            if id(kid) not in parents:
                parents[id(kid)] = node
                stack.append(kid)
    above = {id(first)}
    node = first
    while id(node) in parents:
        node = parents[id(node)]
        above.add(id(node))
    node = second
    while id(node) not in above and id(node) in parents:
        node = parents[id(node)]
    return node.op


def explain_safe(found: Finding) -> str:
    """Why a pattern with loops is safe."""
    if found.method == "no ambiguity":
        return "no two of its loops can share a text in more and more ways"
    return "where its loops could share a text, a match has been found before that costs time"


def explain_unknown(found: Finding | None, note: str) -> str:
    """Why there is no verdict."""
    if found is None:
        return f"no verdict within the budget: {note}"
    most = "exponential" if found.bound == EXPONENTIAL else f"of degree {found.bound}"
    least = f"; at least of degree {found.degree}" if found.degree > 1 else ""
    return f"its steps may be {most}{least}, but that is not proven: {note}"


def explain_vulnerable(text: str, growth: Growth, family: Family | None, spots: tuple[HotSpot, ...], found: Finding) -> str:
    """Why a pattern is vulnerable, naming its parts."""
    parts = [_quoted(text, spot) for spot in spots]
    if growth.verdict == "exponential":
        outer = parts[0] if parts else "a loop"
        if family == "EOD":
            return f"alternatives inside {outer} can read the same text, again and again"
        if family == "EOA":
            return f"neighbouring parts inside {outer} can read the same text, again and again"
        return f"{outer} can read the same text two ways each time round"
    named = " and ".join(parts) if len(parts) < 3 else ", ".join(parts[:-1]) + " and " + parts[-1]
    bound = "" if found.degree == found.bound else " (at least)"
    if family == "SLQ":
        return f"the search starts at every character, and from each start {named or 'a loop'} may read on to the end{bound}"
    power = "" if growth.degree == 2 else f"^{(growth.degree or 1) - 1}"
    return f"{named} can share one text, so it is cut up in about n{power} ways{bound}"


def _quoted(text: str, spot: HotSpot) -> str:
    part = text[spot.start : spot.stop]
    part = part if len(part) <= _SHOWN else part[: _SHOWN - 1] + "…"
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in part)
