"""The same trees for z3: one bit vector of infixes, and one of automaton states, for each node.

Slots are those of :mod:`regsynth.encodings.layout`. For each slot s there are Booleans for
its label, a bit vector ``size_s``, a bit vector ``accepts_s`` with one bit for each infix, and,
when an upper automaton is part of the question, ``enter_s`` and ``leave_s`` with one bit for
each of its states. A concatenation is a vector whose bit w is the disjunction of
``x[u] & y[v]`` over the splits u·v = w; a star's bits are built shortest word first, so that
it needs no fixed point. Everything is in the logic QF_BV, which every SMT solver for
bit vectors reads.
"""

from __future__ import annotations

from typing import Any

from regsynth.encodings.flow import bounded_states
from regsynth.encodings.layout import Label
from regsynth.encodings.task import Task
from regsynth.encodings.words import InfixClosure
from regsynth.errors import InputError
from regsynth.syntax import tree
from regsynth.syntax.tree import (
    BINARY,
    COMPLEMENT,
    CONCAT,
    DIFFERENCE,
    EMPTY,
    EPSILON,
    INTERSECTION,
    LETTER,
    NAMES,
    OPTION,
    STAR,
    UNARY,
    UNION,
    Expr,
)


class TreeModel:
    """z3 terms and constraints for trees of at most ``nodes`` nodes.

    Parameters
    ----------
    task : Task
    nodes : int
    least : int
        Fewest nodes.

    Attributes
    ----------
    constraints : list of z3.BoolRef
        Everything that must hold; give them to any ``Solver`` or ``Optimize``.
    cost : z3.BitVecRef
        The tree's cost, wide enough for any tree of that size.

    Examples
    --------
    >>> import z3
    >>> model = TreeModel(Task(("a",), ((), (0,)), ((0, 0),)), nodes=3)
    >>> optimize = model.optimize()
    >>> optimize.check() == z3.sat and str(model.decode(optimize.model()))
    'a?'
    """

    def __init__(self, task: Task, nodes: int, least: int = 1) -> None:
        import z3

        if not 1 <= least <= nodes:
            raise InputError(f"nodes is {nodes}; give a size from {least} up")
        self.z3, self.task, self.nodes = z3, task, nodes
        self.constraints: list[Any] = []
        self.closure = InfixClosure()
        self.closure.add(task.positives + task.negatives)
        leaves: list[Label] = [(EMPTY, -1), (EPSILON, -1), *((LETTER, a) for a in range(len(task.letters)))]
        operators: list[Label] = [(op, -1) for op in (*UNARY, *BINARY) if task.allowed >> op & 1]
        self.label: list[dict[Label, Any]] = []
        self.used = [z3.Bool(f"used_{s}") for s in range(nodes + 1)]
        self._width = (nodes + 1).bit_length() + 1
        self.size = [z3.BitVec(f"size_{s}", self._width) for s in range(nodes)]
        self.accepts = [z3.BitVec(f"accepts_{s}", len(self.closure)) for s in range(nodes)]
        self.states = [] if task.upper is None else bounded_states(task.upper)
        if self.states:
            self.enter = [z3.BitVec(f"enter_{s}", len(self.states)) for s in range(nodes)]
            self.leave = [z3.BitVec(f"leave_{s}", len(self.states)) for s in range(nodes)]
        for s in range(nodes):
            possible = [tag for tag in leaves if s == 0 or tag[0] == LETTER or task.allowed >> tag[0] & 1]
            possible += [tag for tag in operators if s > (tag[0] in BINARY) and s > 0]
            self.label.append({tag: z3.Bool(f"label_{s}_{self._name(tag)}") for tag in possible})
            self._slot(s)
        self.constraints += [self.used[least - 1], z3.Not(self.used[nodes])]
        table = task.costs.by_op
        width = (nodes * max(table)).bit_length()
        nothing = z3.BitVecVal(0, width)
        self.cost = nothing
        for label in self.label:
            price = nothing
            for (op, _), variable in label.items():
                price = z3.If(variable, z3.BitVecVal(table[op], width), price)
            self.cost = self.cost + price

    def _name(self, tag: Label) -> str:
        return f"letter_{tag[1]}" if tag[0] == LETTER else NAMES[tag[0]]

    def _slot(self, s: int) -> None:
        z3, need = self.z3, self.constraints.append
        label, used = self.label[s], self.used[s]
        need(z3.Implies(self.used[s + 1], used))
        need(used == z3.Or(*label.values()))
        variables = list(label.values())
        for i, first in enumerate(variables):
            for second in variables[:i]:
                need(z3.Not(z3.And(first, second)))
        root = z3.And(used, z3.Not(self.used[s + 1]))
        need(z3.Implies(root, self.size[s] == s + 1))
        for (op, a), variable in label.items():
            if s == 0 and op in (EMPTY, EPSILON) and not self.task.allowed >> op & 1:
                need(z3.Implies(variable, root))
            need(z3.Implies(variable, z3.And(*self._meaning(s, op, a))))
        goal, ban = (sum(1 << self.closure.index[w] for w in words) for words in (self.task.positives, self.task.negatives))
        need(z3.Implies(root, z3.And(self.accepts[s] & goal == goal, self.accepts[s] & ban == 0)))
        upper = self.task.upper
        if upper is not None:
            if 0 in self.states:
                need(z3.Implies(root, self._bit(self.enter[s], self.states.index(0)) == 1))
            elif not upper.live & 1:
                need(z3.Implies(root, label.get((EMPTY, -1), z3.BoolVal(False))))
            rejecting = sum(1 << i for i, q in enumerate(self.states) if not upper.accepting >> q & 1)
            if rejecting:
                need(z3.Implies(root, self.leave[s] & rejecting == 0))

    def _bit(self, vector: Any, i: int) -> Any:
        return self.z3.Extract(i, i, vector)

    def _vector(self, members: list[Any]) -> Any:
        """A vector from its bits, bit 0 first."""
        return self.z3.Concat(*reversed(members)) if len(members) > 1 else members[0]

    def _second(self, s: int) -> list[tuple[int, Any]]:
        """Places where the right operand of slot s may begin, and when it does."""
        return [(r, self.size[s - 1] == s - 1 - r) for r in range(s - 1)]

    def _choose(self, s: int, vectors: list[Any]) -> Any:
        places = self._second(s)
        chosen = vectors[places[-1][0]]
        for r, here in places[:-1]:
            chosen = self.z3.If(here, vectors[r], chosen)
        return chosen

    def _meaning(self, s: int, op: int, a: int) -> list[Any]:
        """What a label says about size, infixes and states of its slot."""
        z3, size, accepts = self.z3, self.size, self.accepts
        one = z3.BitVecVal(1, self._width)
        flow = self._flow(s, op, a) if self.states else []
        if op in (EMPTY, EPSILON, LETTER):
            member = None if op == EMPTY else self.closure.index.get((a,) if op == LETTER else ())
            return [size[s] == one, accepts[s] == (0 if member is None else 1 << member), *flow]
        x = accepts[s - 1]
        if op in UNARY:
            value = {OPTION: lambda: x | 1, COMPLEMENT: lambda: ~x, STAR: lambda: self._star(x)}[op]()
            return [size[s] == size[s - 1] + one, accepts[s] == value, *flow]
        y = self._choose(s, accepts)
        value = {
            UNION: lambda: x | y,
            INTERSECTION: lambda: x & y,
            DIFFERENCE: lambda: x & ~y,
            CONCAT: lambda: self._vector([self._splits(w, x, lambda v: self._bit(y, v), 0) for w in range(len(self.closure))]),
        }[op]()
        fits = z3.ULT(size[s - 1], s)
        return [fits, size[s] == size[s - 1] + self._choose(s, size) + one, accepts[s] == value, *flow]

    def _splits(self, w: int, x: Any, rest: Any, first: int) -> Any:
        """Whether one of the splits of w has its first part in x and ``rest`` of the other."""
        out = None
        for u, v in self.closure.splits[w][first:]:
            both = self._bit(x, u) & rest(v)
            out = both if out is None else out | both
        return out

    def _star(self, x: Any) -> Any:
        members = [self.z3.BitVecVal(1, 1)]
        for w in range(1, len(self.closure)):
            members.append(self._splits(w, x, members.__getitem__, 1))
        return self._vector(members)

    def _flow(self, s: int, op: int, a: int) -> list[Any]:
        enter, leave = self.enter[s], self.leave[s]

        def within(x: Any, y: Any) -> Any:
            return x & ~y == 0

        if op == LETTER:
            upper = self.task.upper
            assert upper is not None
            live, out = upper.live, []
            for i, q in enumerate(self.states):
                r = upper.delta[q][a]
                if not live >> r & 1:
                    out.append(self._bit(enter, i) == 0)
                elif r in self.states:
                    out.append(self.z3.ULE(self._bit(enter, i), self._bit(leave, self.states.index(r))))
            return out
        if op in (EMPTY, EPSILON):
            return [within(enter, leave)] if op == EPSILON else []
        x_in, x_out = self.enter[s - 1], self.leave[s - 1]
        if op in UNARY:
            loop = [within(x_out, x_in)] if op == STAR else []
            return [within(enter, leave), within(enter, x_in), within(x_out, leave), *loop]
        y_in, y_out = self._choose(s, self.enter), self._choose(s, self.leave)
        if op == UNION:
            return [within(enter, x_in), within(enter, y_in), within(x_out, leave), within(y_out, leave)]
        return [within(enter, x_in), within(x_out, y_in), within(y_out, leave)]

    def at_most(self, bound: int) -> Any:
        """The constraint that the tree costs at most ``bound``."""
        z3 = self.z3
        if bound >= 1 << self.cost.size():
            return z3.BoolVal(True)
        return z3.ULE(self.cost, z3.BitVecVal(bound, self.cost.size())) if bound >= 0 else z3.BoolVal(False)

    def solver(self) -> Any:
        """A ``z3.Solver`` (finite domains) with all constraints."""
        solver = self.z3.SolverFor("QF_FD")
        solver.add(*self.constraints)
        return solver

    def optimize(self) -> Any:
        """A ``z3.Optimize`` that minimises the cost."""
        optimize = self.z3.Optimize()
        optimize.add(*self.constraints)
        optimize.minimize(self.cost)
        return optimize

    def smtlib2(self, bound: int | None = None) -> str:
        """SMT-LIB 2 text of the decision problem, the cost at most ``bound`` when given."""
        solver = self.solver()
        if bound is not None:
            solver.add(self.at_most(bound))
        text: str = solver.to_smt2()
        return text

    def decode(self, model: Any) -> Expr:
        """The tree of a z3 model."""
        stack: list[Expr] = []
        true = self.z3.is_true
        for s, label in enumerate(self.label):
            if not true(model.eval(self.used[s], model_completion=True)):
                break
            ((op, a),) = (tag for tag, v in label.items() if true(model.eval(v, model_completion=True)))
            if op in BINARY:
                left = stack.pop()
                stack[-1] = tree.make(op, left, stack[-1])
            elif op in UNARY:
                stack[-1] = tree.make(op, stack[-1])
            else:
                stack.append(tree.letter(self.task.letters[a]) if op == LETTER else tree.make(op))
        (root,) = stack
        return root
