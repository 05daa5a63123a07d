"""The formula of "some tree costs less": what the writer of a SAT certificate and its checker share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from regsynth.encodings.costs import CostCounter, most_nodes
from regsynth.encodings.task import Task
from regsynth.encodings.tree import TreeEncoding
from regsynth.encodings.words import Word


def cheaper_than(
    task: Task, cost: int, *, symmetry: str = "all", limit: int = 5_000_000, tick: Callable[[], None] | None = None
) -> list[list[int]] | None:
    """CNF of "a tree that costs less than ``cost`` answers the task"; ``None`` when no tree is that cheap.

    Unsatisfiable iff nothing cheaper answers the samples. One formula for all sizes: the
    largest tree that could be cheap enough has room, and smaller ones leave slots unused.

    Examples
    --------
    >>> from pysat.solvers import Solver
    >>> task = Task(("a",), ((), (0,)), ((0, 0),))
    >>> Solver(bootstrap_with=cheaper_than(task, 2)).solve(), Solver(bootstrap_with=cheaper_than(task, 3)).solve()
    (False, True)
    """
    nodes = most_nodes(task.costs, task.allowed, cost - 1)
    if nodes == 0:
        return None
    encoding = TreeEncoding(task, nodes, symmetry=symmetry, limit=limit, tick=tick)
    bound: list[int] = []
    table = task.costs.by_op
    dearest = max(table[op] for op in range(10) if op < 3 or task.allowed >> op & 1)
    if dearest * nodes >= cost:
        counter = CostCounter(encoding.formula, encoding.layout, task.costs, cost)
        counter.grow()
        bound = counter.at_most(cost - 1)
    return encoding.clauses(at_most=True) + [[x] for x in bound]


def with_samples(task: Task, positives: tuple[Word, ...], negatives: tuple[Word, ...]) -> Task:
    """A minimisation's task with the samples of a certificate."""
    return replace(task, positives=positives, negatives=negatives)
