"""Every kernel of the solvers is compiled once, or not at all where its machine code is kept: no array asks for more."""

from __future__ import annotations

import random

from minimising import solve, table

from regsynth.solvers import warmup
from regsynth.solvers.results import InferenceProblem, Operators
from regsynth.syntax.formal import parse


def entries() -> dict[str, int]:
    """Compilations so far of each kernel."""
    return {name: len(kernel.signatures) for name, kernel in warmup.kernels().items()}


def test_one_compilation_a_kernel() -> None:
    warmup.warm()
    warm = entries()
    # kernels that only kernels call may be compiled for several kinds of arguments; those Python calls, once
    assert warm["closed_kernels.explore"] <= 1 and warm["typed_kernels.search"] <= 1
    rng = random.Random(6)
    for _, expr in rng.sample(list(table("ab", (1, 1, 1, 1, 1), 5).values()), 20):
        solve(expr, (1, 6, 1, 1, 1), tier="compiled")
    for text in ("a", "a*", "(a+b+c)*d?", "a?" * 12, "ab" * 40, "(a+b)*a(a+b)(a+b)(a+b)(a+b)(a+b)(a+b)", "abcdefghij" * 4):
        solve(parse(text), ops="?*.+ε", tier="compiled", seconds=2)  # several words of infixes, of states, many sets
    assert entries() == warm


def test_inference_compiles_nothing_more() -> None:
    warmup.warm()
    warm = entries()
    from regsynth.budget import Budget
    from regsynth.solvers.sequence import infer_sequence

    for positives, negatives, ops in (
        (("ab", "abab"), ("", "a"), "?*.+"),
        (("a",), (), "?*.+"),
        (("", "ab" * 12), ("ba" * 10,), "?*.+&-"),
        (("aab", "bba", "abba"), ("ab", "ba", "bab", ""), "all"),
    ):
        problem = InferenceProblem(
            frozenset(positives), frozenset(negatives), operators=Operators.parse(ops), alphabet=("a", "b")
        )
        infer_sequence(problem, Budget(seconds=5).start(), limit=9, tier="compiled")
    assert entries() == warm
