"""The ten metrics of the regular-expression-inference challenge.

Ratios of positives and negatives are means over instances. Of several samples for an
instance the one with the best PN ratio counts, ties by cost. An answer that does not
parse, or uses an operator that the instance does not allow, counts against every metric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from regsynth.automata.recogniser import recogniser
from regsynth.errors import RegsynthError
from regsynth.solvers.results import Operators
from regsynth.syntax import tree
from regsynth.syntax.costs import Costs
from regsynth.syntax.formal import parse
from regsynth.syntax.tree import Expr


class Metrics(NamedTuple):
    """Scores of a system on a test part; ratios are fractions in 0…1, ``None`` where nothing can be averaged.

    Attributes
    ----------
    compile_ratio : float
        Instances with an answer that parses.
    precise, precise_ratio : int, float
        Answers that hold all positives and no negative.
    positive_ratio, negative_ratio, pn_ratio : float
        Words that an answer treats rightly, averaged over instances.
    minimal, minimal_ratio_precise, minimal_ratio_global : int, float, float
        Precise answers of minimal cost, of the precise ones and of all.
    cost_ratio : float
        Mean of cost ÷ minimal cost over precise answers.
    """

    compile_ratio: float
    precise: int
    precise_ratio: float
    positive_ratio: float
    negative_ratio: float
    pn_ratio: float
    minimal: int
    minimal_ratio_precise: float | None
    minimal_ratio_global: float
    cost_ratio: float | None


class Score(NamedTuple):
    """How one answer does on its instance."""

    positive: float
    negative: float
    pn: float
    precise: bool
    cost: int


def judge(instance: Mapping[str, Any], answer: str) -> Score | None:
    """Score of one answer; ``None`` when it is no expression the instance allows.

    Examples
    --------
    >>> instance = {"positives": ["0", "00"], "negatives": ["1"], "costs": [1] * 8, "operators": "?*.+"}
    >>> judge(instance, "0")
    Score(positive=0.5, negative=1.0, pn=0.6666666666666666, precise=False, cost=1)
    >>> judge(instance, "0(") is None
    True
    """
    alphabet = sorted({*instance.get("alphabet", ""), *"".join((*instance["positives"], *instance["negatives"]))})
    try:
        expr = parse(answer)
        if not allowed(expr, instance["operators"]) or not expr.alphabet <= set(alphabet):
            return None
        automaton = recogniser(expr, alphabet, states=100_000)
    except RegsynthError:
        return None
    index = {symbol: i for i, symbol in enumerate(alphabet)}

    def accepted(words: Sequence[str]) -> int:
        return sum(automaton.accepts([index[c] for c in word]) for word in words)

    cost = Costs.of(instance["costs"]).of_expr(expr)
    return score(instance, accepted(instance["positives"]), accepted(instance["negatives"]), cost)


def score(instance: Mapping[str, Any], held: int, wrong: int, cost: int) -> Score:
    """Score of an answer of a cost that accepts ``held`` positives and ``wrong`` negatives."""
    positives, negatives = len(instance["positives"]), len(instance["negatives"])
    right = held + negatives - wrong
    return Score(
        held / positives if positives else 1.0, 1 - wrong / negatives if negatives else 1.0,
        right / (positives + negatives) if positives + negatives else 1.0, right == positives + negatives, cost,
    )  # fmt: skip


def allowed(expr: Expr, operators: str) -> bool:
    """Whether an expression uses only these operators (∅ and ε may be a whole answer)."""
    return expr.op in (tree.EMPTY, tree.EPSILON) or not expr.mask & ~Operators.parse(operators).mask


def evaluate(instances: Sequence[Mapping[str, Any]], answers: Sequence[Sequence[str]]) -> Metrics:
    """Metrics of a system's answers, several samples an instance if it likes.

    Parameters
    ----------
    instances : sequence of records
        With ``positives``, ``negatives``, ``costs``, ``operators`` and the minimal ``cost``.
    answers : sequence of sequences of str
        For each instance its samples; none is allowed.
    """
    best: list[Score | None] = []
    for instance, samples in zip(instances, answers, strict=True):
        scores = [found for found in (judge(instance, sample) for sample in samples) if found is not None]
        best.append(max(scores, key=lambda s: (s.pn, -s.cost), default=None))
    return summarise(instances, best)


def summarise(instances: Sequence[Mapping[str, Any]], scores: Sequence[Score | None]) -> Metrics:
    """Metrics from the score of each instance's answer."""
    total = len(instances)
    known = [(instance["cost"], s) for instance, s in zip(instances, scores, strict=True) if s is not None]
    precise = [(cost, s) for cost, s in known if s.precise]
    minimal = sum(s.cost == cost for cost, s in precise)

    def mean(values: list[float]) -> float:
        return sum(values) / total if total else 0.0

    return Metrics(
        compile_ratio=len(known) / total if total else 0.0,
        precise=len(precise), precise_ratio=len(precise) / total if total else 0.0,
        positive_ratio=mean([s.positive for _, s in known]), negative_ratio=mean([s.negative for _, s in known]),
        pn_ratio=mean([s.pn for _, s in known]),
        minimal=minimal, minimal_ratio_precise=minimal / len(precise) if precise else None,
        minimal_ratio_global=minimal / total if total else 0.0,
        cost_ratio=sum(s.cost / cost for cost, s in precise) / len(precise) if precise else None,
    )  # fmt: skip


def ranking(systems: Mapping[str, Metrics]) -> list[str]:
    """Names of systems, the best first: by global minimal ratio alone."""
    return sorted(systems, key=lambda name: -systems[name].minimal_ratio_global)
