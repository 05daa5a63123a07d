"""Try an attack: measure ``re`` on growing texts in the sandbox and fit the growth.

Sizes rise by half until a match takes a good part of the time allowed or is cut
short; a few sizes in between then make the fit reliable. Times are CPU seconds of
the child, so a busy machine does not disturb them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from regsynth.budget import Budget
from regsynth.errors import BudgetExceeded, InputError, MatchTimeout
from regsynth.redos.growth import FLOOR, fit
from regsynth.redos.results import Attack, Confirmation, ScreenResult
from regsynth.redos.sandbox import Sandbox, shared

LONGEST_TEXT = 1 << 20  # characters
SHORT = 1e-3  # seconds; shorter matches are measured three times
CONFIRM_BUDGET = Budget(seconds=3.0)
"""What confirming one attack may take unless told otherwise."""


Subject = Callable[[int], str | bytes]


def confirm(result: ScreenResult, *, budget: Budget = CONFIRM_BUDGET, sandbox: Sandbox | None = None) -> ScreenResult:
    """The result of screening, with its attack tried.

    Parameters
    ----------
    result : ScreenResult
    budget : Budget
        Seconds in all; one match may take a fourth of them.
    sandbox : Sandbox, optional

    Examples
    --------
    >>> bad = ScreenResult("(a+)+$", "match", 0, "exponential", "", attack=Attack("", "a", "!"))
    >>> confirm(bad).confirmed.status
    'confirmed'
    """
    if result.attack is None:
        return result
    attack = result.attack
    as_bytes = isinstance(result.pattern, bytes)

    def text(size: int) -> str | bytes:
        subject = attack.text(size)
        return subject.encode("latin-1") if as_bytes else subject

    found = measure(result.pattern, text, flags=result.flags, semantics=result.semantics, budget=budget, sandbox=sandbox)
    return result.but(confirmed=found)


def measure(
    pattern: str | bytes, text: Subject, *, flags: int = 0, semantics: str = "search", budget: Budget = CONFIRM_BUDGET,
    sandbox: Sandbox | None = None,
) -> Confirmation:  # fmt: skip
    """Measure a family of texts.

    Parameters
    ----------
    pattern : str or bytes
    text : callable
        The attack with so many copies of the pump.
    flags : int
        Flags of ``re``.
    semantics : {"search", "match", "fullmatch"}
    budget : Budget
        Seconds in all; one match may take a fourth of them.
    sandbox : Sandbox, optional

    Examples
    --------
    >>> found = measure("(a+)+$", lambda n: "a" * n + "!", semantics="match")
    >>> found.status, 1.5 < found.factor < 2.5
    ('confirmed', True)
    >>> measure("a+$", lambda n: "a" * n, semantics="match").status
    'not confirmed'
    """
    if budget.seconds is not None and budget.seconds <= 0:
        return Confirmation(note="no time")
    trial = _Trial(pattern, text, int(flags), semantics, budget, sandbox or shared())
    try:
        trial.rise()
        trial.fill()
    except BudgetExceeded as error:
        trial.reason = str(error)
    except InputError as error:
        return Confirmation(note=str(error))
    return trial.result()


class _Trial:
    """The measurements of one attack."""

    def __init__(self, pattern: str | bytes, text: Subject, flags: int, semantics: Any, budget: Budget, sandbox: Sandbox) -> None:
        self.pattern, self.text, self.flags, self.semantics, self.sandbox = pattern, text, flags, semantics, sandbox
        total = 60.0 if budget.seconds is None else budget.seconds
        self.left = total
        self.limit = total / 4
        self.points: list[tuple[int, float]] = []
        self.cut: int | None = None
        self.reason: str | None = None
        self.quick = False  # even the longest text was matched in little time

    def measure(self, size: int) -> bool:
        """Take one time; false when the match was cut short."""
        subject = self.text(size)
        try:
            seconds = self._once(subject, 1)
            if seconds < SHORT:
                seconds = min(seconds, self._once(subject, 3))
        except MatchTimeout as error:
            self.left -= error.seconds
            self.cut = size
            return False
        self.points.append((size, seconds))
        return True

    def _once(self, subject: str | bytes, repeats: int) -> float:
        # Compiling is not part of the time, but of the limit; a busy machine needs some slack too.
        seconds, _ = self.sandbox.timed(self.semantics, self.pattern, subject, flags=self.flags, timeout=self.limit * 1.5, repeats=repeats)
        self.left -= seconds * repeats
        return seconds

    def rise(self) -> None:
        """Grow until a match takes long, is cut short, or the text is as long as we try."""
        size = 1
        while self.left > self.limit:
            if len(self.text(size)) > LONGEST_TEXT:
                self.quick = True
                return
            if not self.measure(size) or self.points[-1][1] > self.limit / 2:
                return
            size = max(size + 1, size * 3 // 2)

    def fill(self) -> None:
        """Sizes between the ones that took long enough to tell anything."""
        long_ones = [n for n, t in self.points if t > FLOOR]
        if not long_ones:
            return
        low, high = long_ones[0], long_ones[-1]
        low = max(low, high // 12)
        if self.cut is not None and high < self.cut - 1:
            high = min(self.cut - 1, high + max(1, (self.cut - high) // 2))
        known = {n for n, _ in self.points}
        steps = 8
        for i in range(steps + 1):
            size = low + (high - low) * i // steps
            if size not in known and self.left > self.limit:
                known.add(size)
                if not self.measure(size):
                    return

    def result(self) -> Confirmation:
        """What the measurements show."""
        shown = fit(self.points)
        measured = tuple(sorted((n, round(t, 7)) for n, t in self.points))
        # A quadratic match of the longest text would take minutes: a steep line through small times is noise.
        note = "" if self.cut is None else f"at {self.cut:,}: more than {self.limit:.2g} s"
        if shown.kind in ("exponential", "polynomial") and not self.quick:
            return Confirmation("confirmed", shown.exponent, shown.factor, measured, note)
        note = self.reason or (note or "the time does not grow faster than the text")
        return Confirmation("not confirmed", shown.exponent, None, measured, note)


def growth_text(found: Confirmation) -> str:
    """For people.

    >>> growth_text(Confirmation("confirmed", None, 2.01, ((26, 0.7), (27, 1.4))))
    'confirmed: ×2.0 per pump, 1.4 s at 27'
    """
    if found.status == "not tried":
        return f"not tried: {found.note}" if found.note else "not tried"
    at = ""
    if found.measured:
        size, seconds = max(found.measured, key=lambda point: point[1])
        at = f", {seconds:.2g} s at {size:,}"
    if found.factor is not None:
        return f"{found.status}: ×{found.factor:.1f} per pump{at}"
    if found.exponent is not None:
        return f"{found.status}: n^{found.exponent:.1f}{at}"
    return f"{found.status}: {found.note}"


__all__ = ["CONFIRM_BUDGET", "Attack", "confirm", "growth_text", "measure"]
