"""Problems and results, the words every solver shares."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from regsynth.errors import InputError
from regsynth.syntax import tree
from regsynth.syntax.costs import TREE_LENGTH, Costs
from regsynth.syntax.tree import Expr

Status = Literal["optimal", "feasible", "infeasible", "unknown"]

_OPS = {"?": tree.OPTION, "*": tree.STAR, "~": tree.COMPLEMENT, ".": tree.CONCAT, "·": tree.CONCAT, "&": tree.INTERSECTION,
        "+": tree.UNION, "|": tree.UNION, "-": tree.DIFFERENCE, "−": tree.DIFFERENCE,
        "ε": tree.EPSILON, "∅": tree.EMPTY}  # fmt: skip
_SIGNS = "∅ε ?*~.&+-"


@dataclass(frozen=True, slots=True)
class Operators:
    """Constructors an answer may use; letters always may.

    Parameters
    ----------
    mask : int
        Bit ``op`` set for each allowed constructor of :mod:`regsynth.syntax.tree`.

    Notes
    -----
    ``∅`` and ``ε`` are always allowed as the *whole* answer; as operands they are
    allowed only when named.
    """

    mask: int

    @classmethod
    def parse(cls, text: str) -> Operators:
        """From signs such as ``?*.+`` (add ``ε`` or ``∅`` for those atoms), or ``all``.

        Any of ``~ & -`` brings both atoms along: ``b~∅`` is how complement says "b, then anything".

        >>> str(Operators.parse("?*.+"))
        '?*.+'
        """
        if text.strip() == "all":
            return cls((1 << 10) - 1)
        mask = 1 << tree.LETTER
        for i, sign in enumerate(text):
            op = _OPS.get(sign)
            if op is None:
                known = "use any of ? * . + ~ & - ε ∅, or 'all'"
                raise InputError(f"--ops {text!r}: {sign!r} at position {i} is no operator; {known}")
            mask |= 1 << op
        if mask & tree.EXTENDED_MASK:
            mask |= 1 << tree.EMPTY | 1 << tree.EPSILON
        return cls(mask)

    def __contains__(self, op: int) -> bool:
        return bool(self.mask >> op & 1)

    def __str__(self) -> str:
        return "".join(_SIGNS[op] for op in (3, 4, 5, 6, 7, 8, 9, 1, 0) if op in self)

    @property
    def monotone(self) -> bool:
        """Whether only union, concatenation, star and option are allowed."""
        return not self.mask & tree.EXTENDED_MASK


STANDARD = Operators.parse("?*.+")


@dataclass(frozen=True, slots=True)
class MinimizationProblem:
    """Find the cheapest expression of the same language as ``expr``.

    ``alphabet`` holds Σ in letter order (matters to ``~``).
    """

    expr: Expr
    costs: Costs = TREE_LENGTH
    operators: Operators = STANDARD
    alphabet: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InferenceProblem:
    """Find the cheapest expression that accepts ``positives`` and rejects ``negatives``.

    Words are strings over ``alphabet`` (one character a letter).
    """

    positives: frozenset[str]
    negatives: frozenset[str]
    costs: Costs = TREE_LENGTH
    operators: Operators = STANDARD
    alphabet: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        both = self.positives & self.negatives
        if both:
            raise InputError(f"word {min(both)!r} is both positive and negative; remove it from one side")


@dataclass(frozen=True, slots=True)
class Result:
    """What a solver found.

    Attributes
    ----------
    regex : Expr or None
        The best expression found, verified; ``None`` when there is none.
    cost : int or None
        Its cost.
    lower_bound : int
        No expression is cheaper than this: proven.
    status : str
        ``optimal`` exactly when ``cost == lower_bound``.
    solver : str
        The road that gave the answer.
    seconds : float
    certificate : str or None
        Folder of the certificate, when one was asked for.
    stats : dict
        Counters of the search (rounds, classes, candidates…).
    """

    regex: Expr | None
    cost: int | None
    lower_bound: int
    status: Status
    solver: str
    seconds: float = 0.0
    certificate: str | None = None
    stats: dict[str, Any] = field(default_factory=dict)

    def __rich__(self) -> Any:
        from regsynth.solvers.rendering import to_rich

        return to_rich(self)

    def _repr_html_(self) -> str:
        from regsynth.solvers.rendering import to_html

        return to_html(self)

    def but(self, **changes: Any) -> Any:
        """A copy with some fields changed."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class MinimizationResult(Result):
    """A :class:`Result` with the input and its cost."""

    input: Expr | None = None
    input_cost: int = 0

    def __str__(self) -> str:
        return f"{self.regex}  {self.input_cost} → {self.cost}  {self.status}"


@dataclass(frozen=True, slots=True)
class InferenceResult(Result):
    """A :class:`Result` of an inference problem."""

    def __str__(self) -> str:
        return f"{self.regex}  cost {self.cost}  {self.status}"
