"""Which trees there are: labels, sizes and right children of slots.

Slots 0 … n−1 hold a tree *backwards*: slot s is the root of a sub-tree whose
nodes are the slots just below it, its left (or only) operand always begins at slot
s−1, and the right operand begins below the whole left one. Read from the last slot
down this is the tree in prefix order. A tree of n nodes has its root at slot n−1,
so larger trees only need more slots: no clause ever changes.

Variables for each slot s

* ``label[s][l]``: its constructor, one variable for each letter of Σ;
* ``size[s][k]``, 1 ≤ k ≤ s+1: its sub-tree has k nodes;
* ``right[s][r]``, 0 ≤ r ≤ s−2: its right operand begins at slot r;
* ``used[s]``: the tree has more than s nodes.

All are functions of the labels. About n²/2 variables of each of the two middle
kinds, n³/6 clauses for sizes and n³/3 for their uniqueness.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from regsynth.encodings.formula import Formula
from regsynth.errors import InputError
from regsynth.syntax import tree
from regsynth.syntax.tree import (
    BINARY,
    EMPTY,
    EPSILON,
    LETTER,
    NAMES,
    UNARY,
    Expr,
)  # fmt: skip

Label = tuple[int, int]  # constructor, letter number (−1 for none)


class Layout:
    """Slots of a :class:`~regsynth.encodings.tree.TreeEncoding`.

    Parameters
    ----------
    formula : Formula
    letters : sequence of symbols
        Σ.
    allowed : int
        Mask of constructors; ∅ and ε count as operands.

    Attributes
    ----------
    labels : list of (int, int)
        Every label a node may have.
    label, size, right : list of dict
        Variables, see above.
    used : list of int
        One more than there are slots: the last says whether the tree goes beyond them.
    """

    def __init__(self, formula: Formula, letters: Sequence[Hashable], allowed: int) -> None:
        self.formula, self.letters, self.allowed = formula, tuple(letters), allowed
        self.leaves: list[Label] = [(EMPTY, -1), (EPSILON, -1), *((LETTER, a) for a in range(len(self.letters)))]
        self.unary: list[Label] = [(op, -1) for op in UNARY if allowed >> op & 1]
        self.binary: list[Label] = [(op, -1) for op in BINARY if allowed >> op & 1]
        self.labels = self.leaves + self.unary + self.binary
        self.label: list[dict[Label, int]] = []
        self.size: list[dict[int, int]] = []
        self.right: list[dict[int, int]] = []
        self.used = [formula.new("used[0]")]
        formula.add(self.used[0])

    def __len__(self) -> int:
        return len(self.label)

    def of(self, slot: int, op: int) -> int | None:
        """Variable "slot has the constructor ``op``" (``None`` where it cannot)."""
        return self.label[slot].get((op, -1))

    def add_slot(self) -> int:
        """Make room for one more node; returns its number."""
        formula, s = self.formula, len(self.label)
        used = self.used[s]
        beyond = formula.new(f"used[{s + 1}]")
        self.used.append(beyond)
        formula.add(-beyond, used)
        here = self.leaves + (self.unary if s >= 1 else []) + (self.binary if s >= 2 else [])
        label = {tag: formula.new(f"label[{s}]={self.spell(tag)}") for tag in here if s == 0 or self._operand(tag)}
        self.label.append(label)
        formula.add(-used, *label.values())
        for variable in label.values():
            formula.add(-variable, used)
        formula.at_most_one(list(label.values()))
        if s == 0:  # ∅ and ε as the whole answer
            for tag, variable in label.items():
                if not self._operand(tag):
                    formula.add(-variable, -beyond)
        size = {k: formula.new(f"size[{s}]={k}") for k in range(1, s + 2)}
        self.size.append(size)
        for tag in self.leaves:
            if tag in label:
                formula.add(-label[tag], size[1])
        for tag in self.unary:
            if tag in label:
                for k, below in self.size[s - 1].items():
                    formula.add(-label[tag], -below, size[k + 1])
        self.right.append({})
        binary = [label[tag] for tag in self.binary if tag in label]
        if binary:
            self._right_operand(s, binary)
        for variable in size.values():
            formula.add(-variable, used)
        formula.at_most_one(list(size.values()))
        return s

    def _right_operand(self, s: int, binary: list[int]) -> None:
        formula, right, size = self.formula, self.right[s], self.size[s]
        for variable in binary:
            formula.add(-variable, -self.size[s - 1][s])  # room is needed below the left operand
        for r in range(s - 1):
            v = right[r] = formula.new(f"right[{s}]={r}")
            left = self.size[s - 1][s - 1 - r]
            formula.add(-v, left)
            formula.add(-v, *binary)
            for variable in binary:
                formula.add(-variable, -left, v)
            for k, below in self.size[r].items():
                formula.add(-v, -below, size[s - r + k])

    def _operand(self, label: Label) -> bool:
        return label[0] == LETTER or bool(self.allowed >> label[0] & 1)

    def spell(self, label: Label) -> str:
        """A label for people."""
        op, a = label
        return f"'{self.letters[a]}'" if op == LETTER else NAMES[op]

    def exactly(self, nodes: int) -> list[int]:
        """Literals that say: the tree has this many nodes."""
        if not 1 <= nodes <= len(self.label):
            raise InputError(f"nodes is {nodes}; give a size from 1 to the {len(self.label)} that there is room for")
        return [self.used[nodes - 1], -self.used[nodes]]

    def decode(self, true: set[int]) -> Expr:
        """The tree of a model.

        Parameters
        ----------
        true : set of int
            Variables that hold.
        """
        stack: list[Expr] = []
        for s, label in enumerate(self.label):
            if self.used[s] not in true:
                break
            (op, a), = (tag for tag, v in label.items() if v in true)
            if op == LETTER:
                stack.append(tree.letter(self.letters[a]))
            elif op in BINARY:
                left = stack.pop()
                stack[-1] = tree.make(op, left, stack[-1])
            elif op in UNARY:
                stack[-1] = tree.make(op, stack[-1])
            else:
                stack.append(tree.make(op))
        (root,) = stack
        return root

    def encode(self, expr: Expr) -> list[int]:
        """Literals that fix the tree (for tests and warm starts).

        Raises
        ------
        InputError
            When it has too many nodes, a letter outside Σ or a constructor not allowed.
        """
        literals = self.exactly(expr.length)
        number = {symbol: a for a, symbol in enumerate(self.letters)}
        stack, s = [expr], expr.length - 1
        while stack:
            node = stack.pop()
            variable = self.label[s].get((node.op, number.get(node.symbol, -2) if node.op == LETTER else -1))
            if variable is None:
                raise InputError(f"{node} of {expr} has a letter or a constructor that this encoding lacks")
            literals.append(variable)
            s -= 1
            stack += [x for x in (node.right, node.left) if x is not None]
        return literals


