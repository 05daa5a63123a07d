"""Which tier of the typed search runs: plain Python while a problem is small, then the kernels."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from regsynth.automata.dfa import DFA
from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded
from regsynth.native import ready
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.results import Operators
from regsynth.solvers.sample import Sample
from regsynth.solvers.typed import SOUND, Found, Rules, TypedSearch
from regsynth.syntax import tree
from regsynth.syntax.costs import Costs
from regsynth.syntax.tree import Expr

PLAIN_COLD = 300_000  # candidates the plain tier tries before kernels are compiled (about half a minute)…
PLAIN_WARM = 3_000  # …or their machine code and numpy loaded (a fifth of a second)
PLAIN_SETS = 256  # closed sets the plain tier starts with
NO_LIMIT = 1 << 50  # candidates

_spent = 0  # candidates this process has tried in the plain tier


class Search(Protocol):
    """Either tier of the typed search."""

    limit: int

    def lower_bound(self) -> int: ...
    def run(self, bound: int, accept: Callable[[Expr], bool]) -> Found: ...


Maker = Callable[[Sample], Search]


class Tiers:
    """Makers of searches for one problem.

    Parameters
    ----------
    costs : Costs
    operators : Operators
        An answer may use.
    clock : Clock
    rules : Rules
        Anything but the default runs the plain tier only.
    """

    def __init__(self, costs: Costs, operators: Operators, clock: Clock, rules: Rules = SOUND) -> None:
        self.costs, self.operators, self.clock, self.rules = costs, operators, clock, rules
        epsilon_from_empty = tree.EMPTY in operators and tree.EPSILON not in operators  # the kernels know no ∅*
        self.plain_only = rules is not SOUND or epsilon_from_empty

    def __call__(self, closed: ClosedSets, dfa: DFA) -> Maker:
        """For a language: on the plain tier until it has grown, then on the kernels."""
        if self.plain_only:
            closed.explore()
            return self._plain(dfa)
        compiled = self._compiled(closed, dfa)
        if "regsynth.solvers.typed_compiled" in sys.modules:
            return compiled
        try:
            closed.explore(PLAIN_SETS)
        except BudgetExceeded:
            self.clock.check()
            return compiled
        plain = self._plain(dfa)
        return lambda sample: Growing(plain(sample), compiled)

    def small(self, closed: ClosedSets, dfa: DFA, sets: int) -> Maker:
        """For a language of few closed sets; :class:`BudgetExceeded` where there are more."""
        if self.plain_only or not kernels_ready():
            closed.explore(sets)
            return self._plain(dfa)
        from regsynth.solvers.typed_compiled import Lattice

        return self._compiled(closed, dfa, [Lattice(closed, sets)])

    def _plain(self, dfa: DFA) -> Callable[[Sample], TypedSearch]:
        return lambda sample: TypedSearch(sample, dfa.alphabet, self.costs, self.operators.mask, rules=self.rules)

    def _compiled(self, closed: ClosedSets, dfa: DFA, lattices: list[Any] | None = None) -> Maker:
        lattices = [] if lattices is None else lattices
        clock = self.clock

        def make(sample: Sample) -> Search:
            from regsynth.solvers.typed_compiled import CompiledSearch, Lattice

            if not lattices:
                lattices.append(Lattice(closed))
            return CompiledSearch(
                sample, dfa.alphabet, self.costs, self.operators.mask, lattice=lattices[0], seconds=lambda: clock.left, memory=clock.memory
            )

        return make


class Growing:
    """The plain tier while it is small, then the kernels; the same contract as either."""

    def __init__(self, plain: TypedSearch, compiled: Maker) -> None:
        self.plain, self.compiled = plain, compiled
        self.inner: Search = plain
        self.limit = NO_LIMIT

    def lower_bound(self) -> int:
        """Cost that the fooling set alone proves necessary."""
        return self.inner.lower_bound()

    def run(self, bound: int, accept: Callable[[Expr], bool]) -> Found:
        """Search all costs up to ``bound``."""
        global _spent
        if self.inner is self.plain:
            share = (PLAIN_WARM if kernels_ready() else PLAIN_COLD) - _spent
            self.plain.limit = min(share, self.limit)
            try:
                if share > 0:
                    found = self.plain.run(bound, accept)
                    _spent += found.candidates
                    return found
            except BudgetExceeded:
                _spent += share
                if share >= self.limit:
                    raise
            self.inner = self.compiled(self.plain.sample)
        self.inner.limit = self.limit
        return self.inner.run(bound, accept)


def expect_many() -> None:
    """Say that many problems will come: kernels are loaded at once where numba has them in its cache."""
    global _spent
    if kernels_ready():
        _spent = max(_spent, PLAIN_WARM)


_ready: bool | None = None


def kernels_ready() -> bool:
    """Whether the kernels can be used without compiling them."""
    global _ready
    if _ready is None:
        _ready = ready(Path(__file__).parent / "typed_kernels.py", "search")
    return _ready
