"""Helpers of the inference tests: solve and check, random problems, extended minima by enumeration."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

from enumeration import languages
from words_brute import GaveUp, cheapest

from regsynth.automata.position import to_dfa
from regsynth.budget import Budget
from regsynth.solvers.minimise import minimize
from regsynth.solvers.results import InferenceProblem, InferenceResult, Operators
from regsynth.solvers.sequence import infer_sequence
from regsynth.syntax.costs import TREE_LENGTH, Costs
from regsynth.syntax.formal import parse

WORDS = ["".join(w) for n in range(5) for w in product("ab", repeat=n)]
ALL = Operators.parse("all")
OPERATOR_SETS = ("all", "all", "?*.+&", "~.+", "*.-&", "?*.+~&-", "?*.+ε", "~&", "-.+*")


def solve(positives: list[str], negatives: list[str], costs: Costs = TREE_LENGTH, operators: Operators = ALL, *,
          alphabet: str = "ab", seconds: float = 60, memory: int | None = None, **how: object) -> InferenceResult:  # fmt: skip
    problem = InferenceProblem(frozenset(positives), frozenset(negatives), costs, operators, tuple(alphabet))
    found = infer_sequence(problem, Budget(seconds=seconds, memory=memory).start(), **how)  # type: ignore[arg-type]
    if found.regex is not None:
        dfa = to_dfa(found.regex, alphabet)
        assert all(map(dfa.accepts, positives)) and not any(map(dfa.accepts, negatives))
        assert costs.of_expr(found.regex) == found.cost and not found.regex.mask & ~operators.mask
    return found


def random_problem(rng: random.Random) -> tuple[list[str], list[str], Costs, Operators]:
    p, n = rng.randint(1, 5), rng.randint(0, 5)
    words = rng.sample(WORDS[: rng.choice([7, 15, 31])], min(p + n, 7))
    dearest = rng.choice([1, 3, 10, 49])
    costs = Costs(*[rng.randint(1, dearest) for _ in range(8)])
    return words[:p], words[p:], costs, Operators.parse(rng.choice(OPERATOR_SETS))


def brute_forced(rng: random.Random, count: int) -> Iterator[tuple[tuple[list[str], list[str], Costs, Operators], int]]:
    """Random problems that brute force can do, with the least cost."""
    while count:
        problem = positives, negatives, costs, operators = random_problem(rng)
        try:
            least = cheapest(positives, negatives, "ab", costs, operators.mask, 1500)
        except GaveUp:
            continue
        count -= 1
        yield problem, least


def check_extended(ops: str, bound: int, costs: str, step: int) -> None:
    """Minimal costs of every ``step``-th language of enumeration."""
    operators, price = Operators.parse(ops), Costs.parse(costs)
    found = languages("ab", price, bound, operators.mask)
    whole = {to_dfa(parse(text), "ab") for text in "ε∅"}  # always allowed as whole answers
    for dfa, (cost, expr) in list(found.items())[::step]:
        result = minimize(expr, costs=price, operators=operators, alphabet="ab")
        assert (result.cost, result.status) == (price.atom if dfa in whole else cost, "optimal"), expr
