"""What screening a pattern gives: verdict, degree, attack, hot spots, and the record of it all.

The degree is that of the matcher's *steps* in the length n of the subject: ``safe``
is O(n), ``polynomial`` of degree k is Θ(n^k) with k ≥ 2, ``exponential`` is 2^Θ(n).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

SCHEMA = "regsynth/redos/1"

Verdict = Literal["safe", "polynomial", "exponential", "unknown"]
Family = Literal["NQ", "EOD", "EOA", "POA", "SLQ"]
Confirmed = Literal["confirmed", "not confirmed", "not tried"]
RepairStatus = Literal["equivalent", "changed", "none"]

SEMANTICS = ("search", "match", "fullmatch")
PROFILES = ("theory", "cpython")
FAMILIES = {
    "NQ": "nested quantifiers: one loop inside another reads the same text",
    "EOD": "exponential overlap of alternatives inside a loop",
    "EOA": "exponential overlap of neighbours inside a loop",
    "POA": "polynomial overlap: loops one after the other read the same text",
    "SLQ": "the search starts over at every character and each start reads far",
}


@dataclass(frozen=True, slots=True)
class Attack:
    """A family of subjects: ``prefix``, then ``pump`` n times, then ``suffix``.

    ``further`` holds more (joint, pump) pairs, each repeated n times as well, where the
    full degree needs several pumps one after the other.

    >>> Attack("", "a", "!").text(3)
    'aaa!'
    """

    prefix: str
    pump: str
    suffix: str
    further: tuple[tuple[str, str], ...] = ()

    def text(self, repeats: int) -> str:
        """The subject with every pump repeated so many times."""
        more = "".join(joint + pump * repeats for joint, pump in self.further)
        return self.prefix + self.pump * repeats + more + self.suffix

    def record(self) -> dict[str, Any]:
        """Plain values for JSON."""
        out: dict[str, Any] = {"prefix": self.prefix, "pump": self.pump, "suffix": self.suffix}
        if self.further:
            out["further"] = [list(pair) for pair in self.further]
        return out


@dataclass(frozen=True, slots=True)
class HotSpot:
    """A part of the pattern that takes part in the blow-up: ``pattern[start:stop]``."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Growth:
    """A verdict and its degree (``None`` unless polynomial)."""

    verdict: Verdict
    degree: int | None = None

    def __str__(self) -> str:
        return f"{self.verdict} of degree {self.degree}" if self.verdict == "polynomial" else self.verdict


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What running the attack showed.

    Attributes
    ----------
    status : {"confirmed", "not confirmed", "not tried"}
    exponent : float or None
        Fitted k of time ~ n^k, for polynomial growth.
    factor : float or None
        Fitted factor of the time for each further pump, for exponential growth.
    measured : tuple of (int, float)
        Repeats of the pump and seconds taken.
    note : str
        Anything else worth saying, in words.
    """

    status: Confirmed = "not tried"
    exponent: float | None = None
    factor: float | None = None
    measured: tuple[tuple[int, float], ...] = ()
    note: str = ""

    def record(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"status": self.status, "exponent": self.exponent, "factor": self.factor,
                "measured": [list(point) for point in self.measured], "note": self.note}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Repair:
    """A pattern to use instead.

    Attributes
    ----------
    pattern : str or None
    status : {"equivalent", "changed", "none"}
        ``equivalent`` is proven by the product engine; ``changed`` comes with a shortest
        subject on which the two differ.
    witness : str or None
    method : str
        The rewriting that gave it.
    reason : str
        Why there is none, or what was proven.
    """

    pattern: str | None = None
    status: RepairStatus = "none"
    witness: str | None = None
    method: str = ""
    reason: str = ""

    def record(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"pattern": self.pattern, "status": self.status, "witness": self.witness, "method": self.method, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class ScreenResult:
    """What the structure of a pattern says about a backtracking matcher's worst case.

    Attributes
    ----------
    pattern : str or bytes
    semantics : {"search", "match", "fullmatch"}
    flags : int
        Flags of ``re`` in force for the whole pattern.
    profile : {"theory", "cpython"}
        The engine ``verdict`` is about.
    verdict : {"safe", "polynomial", "exponential", "unknown"}
    degree : int or None
        Exponent of a polynomial, 2 or more; exact, unless ``reason`` says "at least".
    family : {"NQ", "EOD", "EOA", "POA", "SLQ"} or None
        See :data:`FAMILIES`.
    reason : str
        One sentence.
    spans : tuple of HotSpot
        Parts of the pattern that take part.
    attack : Attack or None
        Shortest found; its growth is proven on the automaton.
    constant : int or None
        About how many ways bounded repeats can be cut up, or steps a character where something
        limits the subject's length, where that number is large (2**200 and
        more are not told apart): a factor that does not grow with the subject.
    cpython : Growth or None
        What this Python's own compiler makes of it, where that differs from ``verdict``.
    method : str
        The road to the verdict.
    seconds : float
    confirmed : Confirmation
    repair : Repair or None
    """

    pattern: str | bytes
    semantics: str
    flags: int
    verdict: Verdict
    reason: str
    profile: str = "theory"
    degree: int | None = None
    family: Family | None = None
    spans: tuple[HotSpot, ...] = ()
    attack: Attack | None = None
    constant: int | None = None
    cpython: Growth | None = None
    method: str = ""
    seconds: float = 0.0
    confirmed: Confirmation = Confirmation()
    repair: Repair | None = None

    @property
    def growth(self) -> Growth:
        """Verdict and degree as one value."""
        return Growth(self.verdict, self.degree)

    @property
    def vulnerable(self) -> bool:
        """Whether the verdict is ``polynomial`` or ``exponential``."""
        return self.verdict in ("polynomial", "exponential")

    def but(self, **changes: Any) -> ScreenResult:
        """A copy with some fields changed."""
        return replace(self, **changes)

    def record(self) -> dict[str, Any]:
        """Plain values for JSON, by the names of the command line's fields.

        >>> ScreenResult("a", "search", 32, "safe", "no loop").record()["verdict"]
        'safe'
        """
        text = self.pattern.decode("latin-1") if isinstance(self.pattern, bytes) else self.pattern
        return {
            "schema": SCHEMA,
            "pattern": text,
            "semantics": self.semantics,
            "flags": int(self.flags),
            "profile": self.profile,
            "verdict": self.verdict,
            "degree": self.degree,
            "family": self.family,
            "reason": self.reason,
            "spans": [[spot.start, spot.stop] for spot in self.spans],
            "attack": None if self.attack is None else self.attack.record(),
            "constant": self.constant,
            "confirmed": self.confirmed.record(),
            "cpython": None if self.cpython is None else {"verdict": self.cpython.verdict, "degree": self.cpython.degree},
            "method": self.method,
            "repair": None if self.repair is None else self.repair.record(),
            "seconds": self.seconds,
        }
