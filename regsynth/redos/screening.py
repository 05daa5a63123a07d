"""Screen a pattern: how the steps of a backtracking matcher grow, with an attack or a reason why there is none."""

from __future__ import annotations

import time
from dataclasses import dataclass

from regsynth.budget import Budget, Clock
from regsynth.errors import BudgetExceeded, InputError
from regsynth.redos.attacks import Finding, Pumped, find
from regsynth.redos.constants import MOST, WORTH_SAYING, count_text, ways
from regsynth.redos.machine import Machine
from regsynth.redos.program import INSTRUCTIONS, Program, write_program
from regsynth.redos.pumping import EXPONENTIAL, Letters
from regsynth.redos.reading import Reading, read_again
from regsynth.redos.reasons import explain_safe, explain_unknown, explain_vulnerable, hot_spots
from regsynth.redos.references import written_out
from regsynth.redos.results import PROFILES, SEMANTICS, Attack, Growth, ScreenResult
from regsynth.syntax import pattern as tree
from regsynth.syntax.pattern import Node
from regsynth.syntax.python import Parsed, parse, read_flags

SCREEN_BUDGET = Budget(seconds=10.0)
"""What screening may use unless told otherwise."""


def screen(
    pattern: str | bytes, *, flags: int | str = 0, semantics: str = "search", profile: str = "theory", budget: Budget | None = None
) -> ScreenResult:
    """How do the steps of a backtracking matcher grow with the subject, at worst?

    Parameters
    ----------
    pattern : str or bytes
        A pattern of Python's ``re``.
    flags : int or str
        Flags of ``re``, or letters of ``imsxaLu``.
    semantics : {"search", "match", "fullmatch"}
        The method that is called with the pattern.
    profile : {"theory", "cpython"}
        The matcher: any that tries alternatives one by one, or this Python's, whose
        compiler first merges some alternatives.
    budget : Budget, optional
        10 seconds by default; what does not fit is ``unknown``, never ``safe``.

    Returns
    -------
    ScreenResult

    Raises
    ------
    ParseError, InputError
        When ``re`` does not compile the pattern, or an option is unknown.

    Examples
    --------
    >>> screen("(a+)+b").verdict
    'exponential'
    >>> answer = screen(r"\\s+$")
    >>> str(answer.growth), answer.attack.text(3)
    ('polynomial of degree 2', '   0')
    >>> screen(r"\\s+$", semantics="fullmatch").verdict
    'safe'
    """
    if not isinstance(pattern, (str, bytes)):
        raise InputError(f"a pattern is str or bytes, not {type(pattern).__name__}")
    if semantics not in SEMANTICS:
        raise InputError(f"semantics {semantics!r} is unknown; use {', '.join(SEMANTICS)}")
    if profile not in PROFILES:
        raise InputError(f"profile {profile!r} is unknown; use {' or '.join(PROFILES)}")
    began = time.perf_counter()
    clock = (budget or SCREEN_BUDGET).start()
    parsed = parse(pattern, read_flags(flags) if isinstance(flags, str) else int(flags))
    case = _Case(pattern, semantics, parsed)
    result = _screen(case, profile, clock)
    return result.but(seconds=time.perf_counter() - began)


@dataclass(slots=True)
class _Case:
    pattern: str | bytes
    semantics: str
    parsed: Parsed

    def result(self, **fields: object) -> ScreenResult:
        return ScreenResult(self.pattern, self.semantics, self.parsed.flags, **fields)  # type: ignore[arg-type]


def _screen(case: _Case, profile: str, clock: Clock) -> ScreenResult:
    if not _loops(case.parsed.root):
        result = case.result(verdict="safe", profile=profile, reason="nothing in it repeats without bound", method="no loop")
        if not any(char in case.parsed.text for char in "|?{"):
            return result
        return _with_constant(result, read_again(case.parsed, profile).root)
    if case.parsed.root.size > INSTRUCTIONS:
        why = explain_unknown(None, f"its repeats write out to {case.parsed.root.size:,} letters, more than {INSTRUCTIONS:,}")
        return case.result(verdict="unknown", profile=profile, reason=why, method="none")
    reading = read_again(case.parsed, profile)
    result = _analysed(case, reading, profile, clock)
    if profile == "theory" and reading.rewrites and result.verdict != "safe":
        other = _analysed(case, read_again(case.parsed, "cpython"), "cpython", clock)
        if other.growth != result.growth:
            result = result.but(cpython=other.growth)
    return result


def _with_constant(result: ScreenResult, root: Node) -> ScreenResult:
    """Say so when bounded repeats alone cost a great deal."""
    parts = [node for node in root.nodes() if node.op == tree.ALT or (node.op == tree.REPEAT and node.data[1] is not None)]
    if len(parts) < 2 and not any(node.op == tree.REPEAT and node.data[1] > 1 for node in parts):
        return result
    count = ways(root)
    if count < WORTH_SAYING:
        return result
    why = f"{result.reason}; but its bounded repeats can be cut up in {count_text(count)} ways, a constant that may be too slow"
    return result.but(constant=count, reason=why)


def _loops(root: Node) -> bool:
    """Whether anything repeats without bound."""
    return any(node.op == tree.REPEAT and node.data[1] is None for node in root.nodes())


def _analysed(case: _Case, reading: Reading, profile: str, clock: Clock) -> ScreenResult:
    try:
        if any(node.op in (tree.REF, tree.COND) for node in reading.root.nodes()):
            reading = written_out(reading)
        program = write_program(reading.root, case.semantics, reading.is_bytes)
        machine = Machine(program, clock)
        found = find(machine, clock)
        if found.suggested:
            _measure(found, reading, machine, case.semantics, clock)
    except BudgetExceeded as error:
        return case.result(verdict="unknown", profile=profile, reason=explain_unknown(None, str(error)), method="none")
    except MemoryError:
        return case.result(verdict="unknown", profile=profile, reason=explain_unknown(None, "out of memory"), method="none")
    return _told(case, reading, machine, found, profile)


def _measure(found: Finding, reading: Reading, machine: Machine, semantics: str, clock: Clock) -> None:
    """Raise a finding's degree to what counting steps shows."""
    from regsynth.redos.measuring import measured

    families = {}
    for pumped in found.suggested:
        attack = _in_text(machine.program, pumped)
        families[attack.prefix, attack.pump, attack.suffix] = pumped
    degree, family = measured(reading, semantics, list(families), found.bound, clock)
    if family is not None and degree > 1:
        found.degree, found.pumped = degree, families[family]
        found.method = "bound and counted steps"


def _told(case: _Case, reading: Reading, machine: Machine, found: Finding, profile: str) -> ScreenResult:
    """The finding in the words of a result."""
    attack = None if found.pumped is None else _in_text(machine.program, found.pumped)
    if found.bound <= 1:
        result = case.result(verdict="safe", profile=profile, reason=explain_safe(found), method=found.method)
        if found.constant >= WORTH_SAYING:
            why = f"{result.reason}; but within the length it allows a loop may cost {count_text(found.constant)} steps a character or more"
            return result.but(constant=min(found.constant, MOST), reason=why)
        return _with_constant(result, reading.root)
    spots, family = hot_spots(machine, reading, found)
    text = case.parsed.text
    counted = found.method == "bound and counted steps"
    if found.degree == EXPONENTIAL or (found.degree > 1 and (counted or found.bound < EXPONENTIAL)):
        growth = Growth("exponential") if found.degree == EXPONENTIAL else Growth("polynomial", found.degree)
        return case.result(
            verdict=growth.verdict, degree=growth.degree, profile=profile, family=family, spans=spots, attack=attack,
            reason=explain_vulnerable(text, growth, family, spots, found), method=found.method)  # fmt: skip
    why = explain_unknown(found, found.note)
    return case.result(verdict="unknown", profile=profile, spans=spots, attack=attack, reason=why, method=found.method)


def _in_text(program: Program, pumped: Pumped) -> Attack:
    classes = program.partition.classes

    def text(letters: Letters) -> str:
        return "".join(classes[letter].sample for letter in letters)

    (joint, pump), *further = pumped.pumps
    more = tuple((text(a), text(b)) for a, b in further)
    return Attack(text(pumped.prefix + joint), text(pump), text(pumped.suffix), more)
