"""Encodings as files that other people's solvers read, with a map of the variables as comments.

* DIMACS CNF: "is there a tree of exactly n nodes?"
* WCNF (the classic ``p wcnf`` format): "the cheapest tree of at most n nodes"; the optimum
  is the tree's cost.
* SMT-LIB 2 (logic QF_BV): "is there a tree of at most n nodes that costs at most b?"
"""

from __future__ import annotations

from collections.abc import Iterator

from regsynth.encodings.costs import soft_clauses
from regsynth.encodings.tree import TreeEncoding
from regsynth.errors import InputError

FORMATS = ("dimacs", "wcnf", "smtlib2")


def export(encoding: TreeEncoding, form: str, *, bound: int | None = None) -> Iterator[str]:
    """Lines of a file, without their ends.

    Parameters
    ----------
    encoding : TreeEncoding
    form : {"dimacs", "wcnf", "smtlib2"}
    bound : int, optional
        Most cost, for ``smtlib2``.

    Examples
    --------
    >>> from regsynth.encodings.task import Task
    >>> lines = list(export(TreeEncoding(Task(("a",), ((0,),), ()), 1), "dimacs"))
    >>> [line for line in lines if "label" in line]
    ['c var 4 label[0]=empty', 'c var 5 label[0]=epsilon', "c var 6 label[0]='a'"]
    """
    if form not in FORMATS:
        raise InputError(f"format {form!r} is unknown; choose from {', '.join(FORMATS)}")
    return _smtlib2(encoding, bound) if form == "smtlib2" else _clausal(encoding, form)


def about(encoding: TreeEncoding) -> Iterator[str]:
    """What the file encodes, line by line."""
    task = encoding.task
    yield f"expression trees over {''.join(map(str, task.letters))!r}, {encoding.nodes} nodes, symmetry rules: " + (
        ", ".join(encoding.rules) or "none"
    )
    yield f"{len(task.positives)} words to accept, {len(task.negatives)} to reject, {len(encoding.meaning.closure)} infixes" + (
        "" if task.upper is None else f", inside an automaton of {len(task.upper)} states"
    )
    yield "slot s holds the (nodes - s)-th node of the tree in prefix order; its left operand is slot s-1"


def _clausal(encoding: TreeEncoding, form: str) -> Iterator[str]:
    hard = encoding.clauses(at_most=form == "wcnf")
    variables = encoding.formula.variables
    for line in about(encoding):
        yield f"c {line}"
    for v in range(1, variables + 1):
        yield f"c var {v} {encoding.formula.names[v]}"
    if form == "dimacs":
        yield f"p cnf {variables} {len(hard)}"
        for clause in hard:
            yield " ".join(map(str, clause)) + " 0"
        return
    soft = soft_clauses(encoding.layout, encoding.task.costs)
    top = sum(weight for _, weight in soft) + 1
    yield f"p wcnf {variables} {len(hard) + len(soft)} {top}"
    for clause in hard:
        yield f"{top} " + " ".join(map(str, clause)) + " 0"
    for literal, weight in soft:
        yield f"{weight} {literal} 0"


def _smtlib2(encoding: TreeEncoding, bound: int | None) -> Iterator[str]:
    from regsynth.encodings.smt import TreeModel

    model = TreeModel(encoding.task, encoding.nodes)
    for line in about(encoding):
        yield f"; {line}"
    for s, label in enumerate(model.label):
        for tag, variable in label.items():
            yield f"; {variable}: slot {s} is {encoding.layout.spell(tag)}"
    for w, word in enumerate(model.closure.words):
        yield f"; bit {w} of accepts_s: the sub-tree at slot s accepts {encoding.spell(word)!r}"
    for i, q in enumerate(model.states):
        yield f"; bit {i} of enter_s and leave_s: the automaton may be in state {q} before and after slot s"
    yield "(set-logic QF_BV)"
    for line in model.smtlib2(bound).splitlines():
        if not line.startswith(("(set-info", ";", "(set-logic")):
            yield line
