"""Group expressions by language, and languages by class (renaming of letters, reversal).

Imports numba. The groups are exact: languages are compared by their whole minimal
automata. About 7 µs an expression.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regsynth.automata.batch import _packed
from regsynth.automata.dense import minimal_dfa_fast
from regsynth.automata.workspace import borrow
from regsynth.corpora import language_kernels as kernels
from regsynth.errors import BudgetExceeded, RegsynthError
from regsynth.syntax import tree
from regsynth.syntax.formal import parse
from regsynth.syntax.tree import EXTENDED_MASK, Expr

CHUNK = 20_000  # expressions packed at a time
LARGE = 100_000  # states of an automaton that is still compared; beyond, an expression is a group of its own


class Store:
    """Integer sequences by number: arrays that grow, and a hash table over them."""

    def __init__(self) -> None:
        self.pool = np.empty(1 << 16, np.int32)
        self.starts = np.zeros(1 << 10, np.int64)
        self.hashes = np.zeros((1 << 10) - 1, np.uint64)
        self.slots = np.zeros(1 << 11, np.int64)
        self.counts = np.zeros(1, np.int64)

    def __len__(self) -> int:
        return int(self.counts[0])

    def __getitem__(self, number: int) -> NDArray[np.int32]:
        return self.pool[self.starts[number] : self.starts[number + 1]]

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """What the kernels take."""
        return self.pool, self.starts, self.hashes, self.slots, self.counts

    def grow(self, need: int = 0) -> None:
        """Double whatever is nearly full; room for a sequence of ``need`` integers."""
        count = len(self)
        if 2 * (int(self.starts[count]) + need) > self.pool.size:
            self.pool = np.concatenate([self.pool, np.empty(self.pool.size + 2 * need, np.int32)])
        if 2 * count > self.hashes.size:
            self.starts = np.concatenate([self.starts, np.zeros(self.hashes.size + 1, np.int64)])
            self.hashes = np.concatenate([self.hashes, np.zeros(self.hashes.size + 1, np.uint64)])
        if 4 * count > self.slots.size:
            self.slots = np.zeros(2 * self.slots.size, np.int64)
            used = self.slots.size - 1
            for number, code in enumerate(self.hashes[:count].tolist()):
                slot = code >> 20 & used
                while self.slots[slot]:
                    slot = slot + 1 & used
                self.slots[slot] = number + 1

    def enter(self, form: NDArray[np.int32]) -> int:
        """Number of a sequence, new or known."""
        while True:
            found = int(kernels.enter(form, *self.arrays))
            if found >= 0:
                return found
            self.grow(form.size)


@dataclass(frozen=True, slots=True)
class Groups:
    """Languages and classes of n expressions.

    Attributes
    ----------
    language : int32 array (n,)
        Number of each expression's language; -1 where ``faults`` says why there is none.
    length : int32 array (n,)
        Tree length.
    classes : int32 array (languages,)
        Class of each language.
    turned : bool array (languages,)
        Whether the language is reversed in its class's form.
    order, place : int32 array, int64 array (languages + 1,)
        ``order[place[i] : place[i + 1]]`` are language i's letters (code points) in the class's order.
    members : int64 array (classes,)
        The first of the shortest expressions of each class.
    faults : dict of int to str
        Expressions that cannot be read, and why.
    """

    language: NDArray[np.int32]
    length: NDArray[np.int32]
    classes: NDArray[np.int32]
    turned: NDArray[np.bool_]
    order: NDArray[np.int32]
    place: NDArray[np.int64]
    members: NDArray[np.int64]
    faults: dict[int, str]

    def letters(self, language: int) -> list[str]:
        """A language's letters in the order of its class."""
        return [chr(c) for c in self.order[self.place[language] : self.place[language + 1]]]

    def carry(self, answer: Expr, source: int, target: int) -> Expr:
        """An expression of language ``source`` as one of language ``target`` of the same class; the cost stays."""
        if source == target:
            return answer
        names = dict(zip(self.letters(source), self.letters(target), strict=True))
        return translated(answer, names, bool(self.turned[source] != self.turned[target]))


def translated(expr: Expr, names: dict[str, str], backwards: bool) -> Expr:
    """Rename letters; with ``backwards`` also reverse every concatenation.

    >>> str(translated(parse("ab*+c"), {"a": "x", "b": "y", "c": "z"}, True))
    'y*x+z'
    """
    stack: list[Expr] = []
    for node in expr.postorder():
        if node.op in tree.BINARY:
            right = stack.pop()
            pair = (right, stack[-1]) if backwards and node.op == tree.CONCAT else (stack[-1], right)
            stack[-1] = tree.make(node.op, *pair)
        elif node.op in tree.UNARY:
            stack[-1] = tree.make(node.op, stack[-1])
        else:
            stack.append(tree.letter(names[str(node.symbol)]) if node.op == tree.LETTER else node)
    return stack[0]


def warm() -> None:
    """Group a few expressions; some seconds the first time."""
    group(["ab", "ba", "a*"])


def group(texts: Sequence[str], *, progress: Callable[[int], None] = lambda done: None) -> Groups:
    """Number the languages and classes of expressions in the formal dialect.

    ``progress`` is told how many expressions are done.

    >>> groups = group(["a+b", "b+a", "c+d", "ab*", "b*a", "a)"])
    >>> groups.language.tolist(), groups.classes.tolist(), groups.faults[5]
    ([0, 0, 1, 2, 3, -1], [0, 0, 1, 1], "unmatched ')'; remove it or add '(' before it (position 1)")
    """
    n = len(texts)
    store = Store()
    language, length = np.full(n, -1, np.int32), np.zeros(n, np.int32)
    faults: dict[int, str] = {}
    for begin in range(0, n, CHUNK):
        part = texts[begin : begin + CHUNK]
        _number(part, store, language[begin : begin + CHUNK], length[begin : begin + CHUNK], faults, begin)
        progress(begin + len(part))
    classes, turned, order, place = _classify(store)
    found = np.flatnonzero(language >= 0)
    members = found[np.lexsort((found, length[found], classes[language[found]]))]
    _, first = np.unique(classes[language[members]], return_index=True)
    return Groups(language, length, classes, turned, order, place, members[first], faults)


def _number(
    texts: Sequence[str], store: Store, language: NDArray[np.int32], length: NDArray[np.int32], faults: dict[int, str], base: int
) -> None:
    points, begins, ends = _packed(texts)
    space = borrow(int((ends - begins).max()))
    space._rewind()
    status = np.zeros(len(texts), np.int8)
    item = 0
    while item < len(texts):
        item = kernels.number_range(
            points, begins, ends, item, status, language, length, space.code, space.stacks, space.sets, space.flags, space.words,
            space.states, space.table, space.clock, *store.arrays,
        )  # fmt: skip
        if item < len(texts):
            store.grow(1 << 16)
    for i in np.flatnonzero(status).tolist():
        try:
            language[i] = store.enter(_form(parse(texts[i]), texts[i]))
        except RegsynthError as error:
            faults[base + i] = str(error)


def _form(expr: Expr, text: str) -> NDArray[np.int32]:
    """A language as integers, on the general road.

    Expressions with ``~ & -`` (whose language depends on Σ) or with a very large
    automaton are grouped with their like only: -1, no letters, and the text.
    """
    if not expr.mask & EXTENDED_MASK:
        try:
            dense = minimal_dfa_fast(expr, states=LARGE)
            return kernels.useful(dense.delta, dense.accepting, dense.letters)  # type: ignore[no-any-return]
        except BudgetExceeded:
            pass
    return np.array([-1, 0, *map(ord, text)], np.int32)


def _classify(store: Store) -> tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.int32], NDArray[np.int64]]:
    count = len(store)
    place = np.zeros(count + 1, np.int64)
    np.cumsum(store.pool[store.starts[:count] + 1], out=place[1:])
    order = np.zeros(int(place[-1]), np.int32)
    classes, turned = np.zeros(count, np.int32), np.zeros(count, np.bool_)
    known = Store()
    first = 0
    while first < count:
        first = kernels.classify(store.pool, store.starts, first, count, order, place, turned, classes, *known.arrays)
        if first < count:
            known.grow(int(store.starts[first + 1] - store.starts[first]))
    for i in range(count):  # from places to letters
        begin, end = place[i], place[i + 1]
        order[begin:end] = store[i][2 : 2 + end - begin][order[begin:end]]
    return classes, turned, order, place
