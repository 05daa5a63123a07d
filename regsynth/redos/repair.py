"""Repair: another pattern for the same subjects on which a backtracking matcher is linear.

A best-first search over the moves of :mod:`regsynth.redos.repair_moves`: every
pattern on the way is *proven* to match the same subjects as the original by the
product engine, and an answer is one that screening calls safe. If no move helps, the
whole language is written anew from its minimal DFA
(:mod:`regsynth.redos.unambiguous`). If nothing equivalent is found, the closest
linear pattern is offered as ``changed``, with a shortest subject that tells the two apart.
"""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from regsynth.budget import Budget, Clock
from regsynth.errors import BudgetExceeded, InputError, RegsynthError, UnsupportedError
from regsynth.practical import Pattern, compare_patterns
from regsynth.redos.reading import read
from regsynth.redos.repair_moves import ATOMIC, EXACT, FIRST, REWRITE, Move, moves
from regsynth.redos.repair_proofs import PROOF, compiled, one_end, same_spans, same_starts
from regsynth.redos.results import Repair, ScreenResult
from regsynth.redos.screening import screen
from regsynth.redos.unambiguous import expressions
from regsynth.redos.writing import write
from regsynth.syntax.python import parse, read_flags
from regsynth.syntax.python_print import NEVER

REPAIR_BUDGET = Budget(seconds=4.0, memory=1 << 30, states=20_000)
"""What the search for a repair may take unless told otherwise."""

DEPTH = 5  # moves on top of each other
LONGEST = 2_000  # characters of a pattern that is repaired at all
GROWS = 8  # times as long an answer may be, and …
AT_LEAST = 160  # … this long in any case
ENOUGH, WALK = 0.12, 0.7  # parts of the budget: then any answer will do; then moves give way to rewriting
_SCREEN = Budget(seconds=1.0)
_OFFER = Budget(seconds=1.0)

SAME_MATCHES, FIRST_MATCH, SAME_SPANS, SAME_SUBJECTS = range(4)
_KEEPS = {
    SAME_MATCHES: "matches the same subjects, each at the same place (proven)",
    FIRST_MATCH: "matches the same subjects, the first match at the same place (proven); one that begins where another ended may be missed",
    SAME_SPANS: "matches the same subjects, from the same starts to the same possible ends (proven); of several ends it may prefer another",
    SAME_SUBJECTS: "matches the same subjects (proven); a match may start or end elsewhere",
}
_OFFERS = ("narrower set", "not over", "possessive", "atomic group", "run start", "optional run start", "fewer")


@dataclass(slots=True)
class _Step:
    """A pattern proven equivalent, how bad it still is, and how it came about."""

    text: str
    pattern: Pattern
    result: ScreenResult
    parent: _Step | None = None
    move: Move | None = None
    depth: int = 0
    keeps: int = SAME_MATCHES  # filled in for answers
    captures: bool = False  # every capture is kept as it was: proven

    @property
    def badness(self) -> tuple[int, int]:
        """Less is better."""
        verdict = {"safe": 0, "polynomial": 1, "unknown": 2, "exponential": 3}[self.result.verdict]
        return verdict, self.result.degree or 0

    @property
    def hot(self) -> list[tuple[int, int]]:
        """Spans that take part in the blow-up."""
        return [(spot.start, spot.stop) for spot in self.result.spans]

    @property
    def methods(self) -> list[str]:
        """Names of the moves that led here, first to last."""
        return [] if self.parent is None or self.move is None else [*self.parent.methods, self.move.method]


@dataclass(slots=True)
class _Search:
    """The search for one pattern."""

    original: ScreenResult
    flags: int
    clock: Clock
    start: _Step
    seen: set[str] = field(default_factory=set)
    answers: list[_Step] = field(default_factory=list)
    changed: list[tuple[Move, str]] = field(default_factory=list)  # with a witness


def repair(result: ScreenResult, *, flags: int | str | None = None, budget: Budget = REPAIR_BUDGET) -> ScreenResult:
    """The result of screening, with a repair.

    Parameters
    ----------
    result : ScreenResult
    flags : int or str, optional
        The flags the pattern is compiled with, for which the repair is proven; by default
        those of the result that are not written in the pattern itself.
    budget : Budget

    Examples
    --------
    >>> found = repair(screen("(a|ab|ba)*", semantics="fullmatch")).repair
    >>> found.pattern, found.status
    ('(?:a+b|ba)*a*', 'equivalent')
    >>> repair(screen(r"\\s+$")).repair.pattern
    '(?<!\\\\s)\\\\s+$'
    """
    if result.verdict == "safe" or not result.vulnerable:
        return result
    try:
        found = _repair(result, flags, budget)
    except RecursionError:
        found = Repair(reason="groups are nested too deeply")
    except MemoryError:
        found = Repair(reason="out of memory")
    return result.but(repair=found)


def _repair(result: ScreenResult, flags: int | str | None, budget: Budget) -> Repair:
    if len(result.pattern) > LONGEST:
        return Repair(reason=f"the pattern is longer than {LONGEST:,} characters")
    if flags is None:
        flags = result.flags & ~parse(result.pattern).flags
    number = read_flags(flags) if isinstance(flags, str) else int(flags)
    pattern = compiled(result.pattern, result.semantics, number)
    search = _Search(result, number, budget.start(), _Step(_text(result.pattern), pattern, result))
    try:
        pattern.machine(PROOF.start())
    except UnsupportedError as error:
        return Repair(reason=f"no proof is possible: {error}")
    except BudgetExceeded as error:
        return Repair(reason=f"no proof within the budget: {error}")
    with contextlib.suppress(BudgetExceeded):
        _walk(search)
    if not search.answers:
        with contextlib.suppress(BudgetExceeded):
            _rewrite_whole(search)
    return _best(search) or _changed(search) or Repair(reason="no equivalent pattern on which matching is linear was found")


def _walk(search: _Search) -> None:
    """Best first: a pattern that is less bad is changed further at once, one as bad when nothing better is left."""
    seconds = search.clock.budget.seconds or 60.0
    order = count()
    queue = [(search.start.badness, 0, next(order), _neighbours(search, search.start))]
    search.seen.add(search.start.text)
    while queue and search.clock.seconds < WALK * seconds:
        if search.answers and search.clock.seconds > ENOUGH * seconds:
            return
        badness, depth, number, neighbours = heappop(queue)
        step = next(neighbours, None)
        if step is None:
            continue
        heappush(queue, (badness, depth, number, neighbours))
        if step.result.verdict == "safe":
            step.keeps, step.captures = _kept(search, step)
            search.answers.append(step)
            if step.keeps == SAME_MATCHES:
                return
        elif step.depth < DEPTH:
            heappush(queue, (step.badness, step.depth, next(order), _neighbours(search, step)))


def _neighbours(search: _Search, step: _Step) -> Iterator[_Step]:
    """Equivalent patterns one move away that are safe, less bad, or bad in another place."""
    original = search.original
    reading = read(_as(original, step.text), search.flags)
    longest = max(AT_LEAST, GROWS * len(original.pattern))
    for move in moves(reading, step.text, step.result, original.semantics):
        search.clock.check()
        if move.text in search.seen or len(move.text) > longest:
            continue
        search.seen.add(move.text)
        pattern = _equivalent(search, move)
        result = None if pattern is None else _screened(search, move.text)
        if pattern is None or result is None:
            continue
        other = _Step(move.text, pattern, result, step, move, step.depth + 1)
        if result.verdict == "safe" or other.badness < step.badness or (other.badness == step.badness and other.hot != step.hot):
            yield other


def _screened(search: _Search, text: str) -> ScreenResult | None:
    try:
        return screen(_as(search.original, text), flags=search.flags, semantics=search.original.semantics, budget=_SCREEN)
    except InputError:
        return None


def _equivalent(search: _Search, move: Move) -> Pattern | None:
    """The pattern after a move, if it is proven to match the same subjects."""
    original = search.original
    try:
        pattern = compiled(_as(original, move.text), original.semantics, search.flags)
        answer = compare_patterns(search.start.pattern, pattern, budget=PROOF)
    except RegsynthError:
        return None
    if answer.verdict == "different" and isinstance(answer.word, str):
        search.changed.append((move, answer.word))
    return pattern if answer.verdict == "equivalent" else None


def _kept(search: _Search, step: _Step) -> tuple[int, bool]:
    """How much of the matches the moves that led to a pattern keep, and whether all captures."""
    kept, captures, semantics = SAME_MATCHES, True, search.original.semantics
    while step.parent is not None and step.move is not None and (kept < SAME_SUBJECTS or captures):
        before, after, known = step.parent.pattern, step.pattern, step.move.keeps
        sure = known == EXACT or (known == ATOMIC and (semantics != "search" or same_starts(before, after)))
        captures = captures and (sure or known == FIRST)
        if not sure and kept < SAME_SUBJECTS and semantics != "fullmatch":
            kept = _both(kept, FIRST_MATCH if known == FIRST else _spans_kept(before, after))
        step = step.parent
    return kept, captures


def _both(first: int, second: int) -> int:
    """What two moves together keep."""
    return SAME_SUBJECTS if {first, second} == {FIRST_MATCH, SAME_SPANS} else max(first, second)


def _spans_kept(before: Pattern, after: Pattern) -> int:
    if not same_spans(before, after):
        return SAME_SUBJECTS
    return SAME_MATCHES if one_end(before) else SAME_SPANS


def _rewrite_whole(search: _Search) -> None:
    """The whole language from its minimal DFA, anchored at the start."""
    semantics = search.original.semantics
    flags = search.flags
    dfa = search.start.pattern.minimal_dfa(budget=REWRITE)
    is_bytes = isinstance(search.original.pattern, bytes)
    longest = max(AT_LEAST, GROWS * len(search.original.pattern))
    texts = sorted({write(node, flags, is_bytes) for node in expressions(dfa, anchored=semantics == "fullmatch")}, key=_size)
    for text in texts[:3]:
        search.clock.check()
        text = text or ("" if semantics != "fullmatch" else "(?:)")
        if semantics == "search" and text != NEVER:
            text = rf"\A(?:{text})" if "|" in text else rf"\A{text}"
        move = Move(text, "rewritten from its minimal automaton")
        pattern = _equivalent(search, move) if len(text) <= longest else None
        result = None if pattern is None else _screened(search, text)
        if pattern is not None and result is not None and result.verdict == "safe":
            keeps = SAME_MATCHES if semantics == "fullmatch" else SAME_SUBJECTS
            search.answers.append(_Step(text, pattern, result, search.start, move, 1, keeps))
            return


def _best(search: _Search) -> Repair | None:
    """Of the answers the one that keeps most: places of matches, captures; then the shortest."""
    if not search.answers:
        return None
    groups = _groups(_text(search.original.pattern), search.flags)

    def order(step: _Step) -> tuple[int, bool, int, int, str]:
        return step.keeps, not step.captures and groups > 0, groups - _groups(step.text, search.flags), len(step.text), step.text

    best = min(search.answers, key=order)
    lost = groups - _groups(best.text, search.flags)
    reason = _KEEPS[best.keeps]
    if lost > 0:
        reason += f"; {lost} of {groups} capture group{'s' if groups > 1 else ''} not kept"
    elif groups and not best.captures:
        reason += "; captures may hold other text"
    return Repair(best.text, "equivalent", None, ", ".join(dict.fromkeys(best.methods)), reason)


def _changed(search: _Search) -> Repair | None:
    """A linear pattern among those that were refuted, of the gentlest kind of move."""
    ranks = {method: i for i, method in enumerate(_OFFERS)}
    refuted = sorted(search.changed, key=lambda entry: (ranks.get(entry[0].method, len(ranks)), -len(entry[1])))
    clock = _OFFER.start()
    for move, word in refuted:
        if clock.left <= 0:
            break
        result = _screened(search, move.text)
        if result is not None and result.verdict == "safe":
            return Repair(move.text, "changed", word, move.method, "no equivalent one was found; this one differs on the witness")
    return None


def _groups(text: str, flags: int) -> int:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(text, flags).groups
    except (re.error, ValueError, OverflowError, RecursionError):
        return 0


def _size(text: str) -> tuple[int, str]:
    return len(text), text


def _as(original: ScreenResult, text: str) -> str | bytes:
    return text.encode("latin-1") if isinstance(original.pattern, bytes) else text


def _text(pattern: str | bytes) -> str:
    return pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
