"""Bounded-size expression trees as CNF: the encoding researchers import.

A model is a tree of n nodes over the chosen constructors that accepts every positive
word, rejects every negative one and, when an upper automaton is part of the question,
stays inside its language. ``docs/encodings.md`` states variables, clauses and sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from regsynth.encodings.flow import Flow
from regsynth.encodings.formula import Formula
from regsynth.encodings.layout import Layout
from regsynth.encodings.meaning import Meaning
from regsynth.encodings.symmetry import RULES
from regsynth.encodings.task import Task
from regsynth.encodings.words import Word
from regsynth.errors import InputError
from regsynth.syntax.tree import Expr

if TYPE_CHECKING:
    from pysat.formula import CNF, WCNF


def rules_of(symmetry: str | Iterable[str]) -> tuple[str, ...]:
    """Names of rules from ``"all"``, ``"none"``, names with commas, or a sequence.

    >>> rules_of("unary,units")
    ('unary', 'units')
    """
    if symmetry == "all":
        return tuple(RULES)
    if isinstance(symmetry, str):
        symmetry = [] if symmetry in ("none", "") else symmetry.split(",")
    names = tuple(name.strip() for name in symmetry)
    for name in names:
        if name not in RULES:
            raise InputError(f"symmetry rule {name!r} is unknown; use all, none or any of {', '.join(RULES)}")
    return names


class TreeEncoding:
    """Expression trees of a bounded size that answer a question.

    Parameters
    ----------
    problem : Task, InferenceProblem or MinimizationProblem
        What must hold. A minimisation without samples says only "inside the language";
        add samples with ``Task.of(problem, positives=…)`` or :meth:`add_positives`.
    nodes : int
        How many nodes there is room for.
    symmetry : str or sequence of str
        ``"all"``, ``"none"``, or names of :data:`~regsynth.encodings.symmetry.RULES`.
    upper : {"auto", "words", "automaton"}
        How negative words are kept out: by their own infixes, or as an automaton through
        which the tree's states flow (smaller; monotone answers only; the default there).
    limit : int
        Most clauses; beyond it :class:`~regsynth.errors.BudgetExceeded`.
    tick : callable, optional
        Called now and then while the formula is built; may raise to stop that.

    Examples
    --------
    >>> from regsynth.solvers.results import InferenceProblem
    >>> problem = InferenceProblem(frozenset(["", "a", "aaa"]), frozenset(["b", "ab"]))
    >>> enc = TreeEncoding(problem, nodes=2)
    >>> from pysat.solvers import Solver
    >>> with Solver(bootstrap_with=enc.cnf()) as solver:
    ...     solver.solve(), str(enc.decode(solver.get_model()))
    (True, 'a*')
    """

    def __init__(
        self,
        problem: Any,
        nodes: int = 1,
        *,
        symmetry: str | Iterable[str] = "all",
        upper: str = "auto",
        limit: int = 20_000_000,
        tick: Callable[[], None] | None = None,
    ) -> None:
        if isinstance(nodes, bool) or not isinstance(nodes, int) or nodes < 1:
            raise InputError(f"nodes is {nodes!r}; give a whole number from 1 up")
        if upper not in ("auto", "words", "automaton"):
            raise InputError(f"upper is {upper!r}; choose from auto, words, automaton")
        task = problem if isinstance(problem, Task) else Task.of(problem)
        if upper != "words" and task.letters:
            task = task.with_automaton()
        self.task = task
        self.rules = rules_of(symmetry)
        self.formula = Formula(limit, tick)
        self.layout = Layout(self.formula, task.letters, task.allowed)
        self.meaning = Meaning(self.formula, self.layout)
        self.flow = None if task.upper is None else Flow(self.formula, self.layout, task.upper)
        self._demands: list[tuple[list[int], Callable[[int], int], list[int]]] = []
        self._epoch = self.formula.new("epoch[0]")
        self._emit = False
        self.meaning.add_words(task.positives + task.negatives)
        self._signs: dict[int, int] = {}
        for sign, words in ((1, task.positives), (-1, task.negatives)):
            self._signs.update((self.meaning.closure.index[w], sign) for w in words)
        for _ in range(nodes):
            self.add_slot()

    @property
    def nodes(self) -> int:
        """How many nodes there is room for."""
        return len(self.layout)

    def add_slot(self) -> None:
        """Room for one more node; every clause given out before stays valid."""
        s = self.layout.add_slot()
        self.meaning.add_slot()
        if self.flow is not None:
            self.flow.add_slot()
        guards = self._unless_root(s)
        for w, sign in self._signs.items():
            self.formula.add(*guards, sign * self.meaning.accepts[s][w])
        for k, v in self.layout.size[s].items():
            if k == s + 1:
                self.formula.add(*guards, v)
        if self.flow is not None:
            self.flow.require(s, guards)
        if s:
            for name in self.rules:
                RULES[name](self, s)

    def _unless_root(self, s: int) -> list[int]:
        return [-self.layout.used[s], self.layout.used[s + 1]]

    # -- more words ---------------------------------------------------------------------------

    def add_positives(self, words: Iterable[Word]) -> None:
        """More words that the answer must accept."""
        self._add(words, 1)

    def add_negatives(self, words: Iterable[Word]) -> None:
        """More words that the answer must reject."""
        self._add(words, -1)

    def _add(self, words: Iterable[Word], sign: int) -> None:
        words = list(words)
        new = self.meaning.add_words(words)
        if new:
            self._epoch = self.formula.new(f"epoch[{len(self.meaning.closure)}]")
            for guards, literal, literals in self._demands:
                literals += [literal(w) for w in new]
                self.formula.add(*guards, *literals, -self._epoch)
        for word in words:
            w = self.meaning.closure.index[word]
            if self._signs.setdefault(w, sign) != sign:
                raise InputError(f"word {self.spell(word)!r} is both positive and negative")
            for s in range(self.nodes):
                self.formula.add(*self._unless_root(s), sign * self.meaning.accepts[s][w])

    def demand(self, guards: list[int], literal: Callable[[int], int]) -> None:
        """For symmetry rules: unless a guard holds, ``literal(w)`` does for some infix w.

        The clause is given anew with each set of new words; only the newest is switched on.
        """
        literals = [literal(w) for w in range(len(self.meaning.closure))]
        self._demands.append((guards, literal, literals))
        self.formula.add(*guards, *literals, -self._epoch)

    # -- what to give a solver ----------------------------------------------------------------

    def assumptions(self, nodes: int | None = None) -> list[int]:
        """Literals under which a live solver answers for exactly ``nodes`` nodes (default: at most all)."""
        return [self._epoch, *([-self.layout.used[self.nodes]] if nodes is None else self.layout.exactly(nodes))]

    def clauses(self, *, at_most: bool = False) -> list[list[int]]:
        """The closed formula: trees of exactly (or at most) :attr:`nodes` nodes."""
        return self.formula.clauses + [[tag] for tag in self.assumptions(None if at_most else self.nodes)]

    def cnf(self, *, at_most: bool = False) -> CNF:
        """As ``pysat.formula.CNF``."""
        from pysat.formula import CNF

        cnf = CNF(from_clauses=self.clauses(at_most=at_most))
        cnf.nv = max(cnf.nv, self.formula.variables)
        return cnf

    def wcnf(self) -> WCNF:
        """As ``pysat.formula.WCNF``: trees of at most :attr:`nodes` nodes, the cost as soft clauses."""
        from pysat.formula import WCNF

        from regsynth.encodings.costs import soft_clauses

        wcnf = WCNF()
        for clause in self.clauses(at_most=True):
            wcnf.append(clause)
        for literal, weight in soft_clauses(self.layout, self.task.costs):
            wcnf.append([literal], weight=weight)
        wcnf.nv = max(wcnf.nv, self.formula.variables)
        return wcnf

    def smt(self) -> Any:
        """The same question for z3: see :class:`regsynth.encodings.smt.TreeModel`."""
        from regsynth.encodings.smt import TreeModel

        return TreeModel(self.task, self.nodes)

    def decode(self, model: Sequence[int] | None) -> Expr:
        """The tree of a model (a list of literals, as SAT solvers give it)."""
        if model is None:
            raise InputError("there is no model to decode: the formula is unsatisfiable or was not solved")
        return self.layout.decode({v for v in model if v > 0})

    def labels(self) -> list[int]:
        """Label variables; a tree is known by those that hold."""
        return [v for label in self.layout.label for v in label.values()]

    def spell(self, word: Word) -> str:
        """A word as text."""
        return "".join(str(self.task.letters[a]) for a in word)
