"""A CNF that grows: named variables, clauses, and nothing ever taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from regsynth.errors import BudgetExceeded


class Formula:
    """Clauses over variables 1, 2, … that all carry a name.

    Parameters
    ----------
    limit : int
        Most clauses.
    tick : callable, optional
        Called now and then while the formula grows; may raise to stop that.

    Clauses are only ever appended, so a live solver is kept up to date by giving
    it what came since the last look (:meth:`since`).

    Attributes
    ----------
    clauses : list of list of int
        In DIMACS form: literal −v is the negation of variable v.
    names : list of str
        ``names[v]`` says what variable v means; ``names[0]`` is unused.

    Examples
    --------
    >>> formula = Formula()
    >>> a, b = formula.new("a"), formula.new("b")
    >>> formula.iff_or(formula.new("a or b"), [a, b])
    >>> formula.clauses
    [[-3, 1, 2], [3, -1], [3, -2]]
    """

    def __init__(self, limit: int = 20_000_000, tick: Callable[[], None] | None = None) -> None:
        self._limit, self._tick = limit, tick
        self.clauses: list[list[int]] = []
        self.names: list[str] = [""]

    def new(self, name: str) -> int:
        """A fresh variable."""
        self.names.append(name)
        return len(self.names) - 1

    @property
    def variables(self) -> int:
        """Number of variables."""
        return len(self.names) - 1

    def add(self, *literals: int) -> None:
        """Add a clause."""
        self.clauses.append(list(literals))

    def iff_or(self, out: int, literals: Iterable[int]) -> None:
        """``out`` ⇔ one of ``literals`` holds."""
        literals = list(literals)
        self.clauses.append([-out, *literals])
        self.clauses.extend([out, -literal] for literal in literals)

    def iff_and(self, out: int, first: int, second: int) -> None:
        """``out`` ⇔ both hold."""
        self.clauses += [[-out, first], [-out, second], [out, -first, -second]]

    def at_most_one(self, literals: list[int]) -> None:
        """Pairwise: k(k−1)/2 clauses."""
        for i, first in enumerate(literals):
            for second in literals[:i]:
                self.clauses.append([-first, -second])

    def check(self) -> None:
        """Raise :class:`BudgetExceeded` when the formula has outgrown its limit or its time."""
        if len(self.clauses) > self._limit:
            raise BudgetExceeded(f"formula of more than {self._limit} clauses")
        if self._tick is not None:
            self._tick()

    def since(self, mark: int) -> list[list[int]]:
        """Clauses added after the first ``mark``."""
        return self.clauses[mark:]
