"""A PySAT solver that follows a growing formula and can be stopped by a clock."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from regsynth.budget import Clock
from regsynth.encodings.formula import Formula
from regsynth.errors import BudgetExceeded, InputError

DEFAULT = "glucose4"
BYTES_PER_CLAUSE = 400  # in Python and in the solver together, measured


def solver_names() -> tuple[str, ...]:
    """SAT solvers that PySAT offers here."""
    from pysat.solvers import SolverNames

    return tuple(sorted(name for name in vars(SolverNames) if not name.startswith("_")))


class Live:
    """A PySAT solver that follows a growing formula and can be stopped by a clock.

    Solvers that cannot be interrupted (CaDiCaL, Lingeling) are stopped only between calls.
    """

    def __init__(self, formula: Formula, clock: Clock, name: str = DEFAULT) -> None:
        from pysat.solvers import Solver

        if name not in solver_names():
            raise InputError(f"SAT solver {name!r} is unknown; PySAT offers {', '.join(solver_names())}")
        self.formula, self.clock = formula, clock
        self._mark = 0
        self._solver: Any = Solver(name=name)
        self._stoppable = name.startswith(("glucose", "gluecard", "mini", "maple", "mergesat"))

    def __enter__(self) -> Live:
        return self

    @property
    def conflicts(self) -> int | None:
        """Conflicts so far: a measure of work that no other load disturbs (``None``: not counted by this solver)."""
        try:
            return int(self._solver.accum_stats()["conflicts"])
        except (NotImplementedError, TypeError, KeyError):
            return None

    def __exit__(self, *_: object) -> None:
        self._solver.delete()

    def solve(self, assumptions: Iterable[int]) -> list[int] | None:
        """A model, or ``None`` when there is none; :class:`BudgetExceeded` when the clock runs out."""
        self.clock.check()
        clauses = self.formula.since(self._mark)
        self._mark = len(self.formula.clauses)
        self._solver.append_formula(clauses)
        if not self._stoppable or self.clock.left == float("inf"):
            found = self._solver.solve(assumptions=list(assumptions))
        else:
            timer = threading.Timer(self.clock.left, self._solver.interrupt)
            timer.start()
            try:
                found = self._solver.solve_limited(assumptions=list(assumptions), expect_interrupt=True)
            finally:
                timer.cancel()
                timer.join()
        if found is None:
            raise BudgetExceeded(f"time budget of {self.clock.budget.seconds} s used up in the SAT solver")
        return list(self._solver.get_model()) if found else None
