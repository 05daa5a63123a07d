"""Compile every kernel of the solvers and keep its machine code, or load that."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from itertools import product
from typing import Any

from regsynth.automata.position import to_dfa
from regsynth.budget import Budget
from regsynth.native import Kernel
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.fooling import first_sample
from regsynth.solvers.results import STANDARD, InferenceProblem, Operators
from regsynth.solvers.sample import Sample
from regsynth.syntax.costs import TREE_LENGTH
from regsynth.syntax.formal import parse

KERNELS = tuple(
    f"regsynth.solvers.{name}_kernels" for name in ("closed", "settle", "typed", "bit", "sequence", "clause", "operand", "goal", "closing")
)
"""Modules whose public kernels have one signature each."""


def warm() -> None:
    """Solve tiny problems on the compiled tiers; minutes the first time, well under a second later."""
    _warm_typed()
    if find_spec("regsynth.solvers.sequence_compiled") is not None:
        _warm_sequences()


def kernels() -> dict[str, Any]:
    """Every kernel of the solvers, by ``module.name``.

    >>> "typed_kernels.search" in kernels()
    True
    """
    found: dict[str, Any] = {}
    for name in KERNELS:
        if find_spec(name) is not None:
            for key, value in vars(import_module(name)).items():
                if isinstance(value, Kernel) and value.__module__ == name and not key.startswith("_"):
                    found[f"{name.rsplit('.', 1)[1]}.{key}"] = value
    return found


def _warm_typed() -> None:
    """A language with several closed sets, through the typed search."""
    from regsynth.solvers.typed_compiled import CompiledSearch, Lattice

    dfa = to_dfa(parse("a(b+a)*b?"), ("a", "b"))
    closed = ClosedSets(dfa)
    search = CompiledSearch(
        Sample(closed, first_sample(closed)), dfa.alphabet, TREE_LENGTH, STANDARD.mask,
        lattice=Lattice(closed), seconds=lambda: 60.0, memory=1 << 28,
    )  # fmt: skip
    search.run(7, lambda candidate: True)


def _warm_sequences() -> None:
    """Through the sequence engine: every operator, a few stored levels, more positives than a signature holds."""
    infer = import_module("regsynth.solvers.sequence").infer_sequence
    words = ["".join(letters) for length in range(7) for letters in product("ab", repeat=length)]
    odd = frozenset(w for w in words if w.count("a") & 1 and not w.endswith("b"))
    problem = InferenceProblem(frozenset(words) - odd, odd, operators=Operators.parse("all"), alphabet=("a", "b"))
    infer(problem, Budget(seconds=600.0).start(), limit=9, tier="compiled")
