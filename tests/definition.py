"""The meaning of an expression by definition, on all words up to a length: what every engine is tested against.

Slow and obviously right: languages are sets of words, each operator is written as
in a textbook. Cutting every set at length n is exact for words of length ≤ n,
since no operator makes a short word out of longer ones.
"""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from regsynth.syntax import tree
from regsynth.syntax.tree import Expr


def words(alphabet: str, longest: int) -> list[str]:
    """All words up to a length, shortest first, then in letter order."""
    return ["".join(w) for n in range(longest + 1) for w in product(alphabet, repeat=n)]


def language(expr: Expr, alphabet: str, longest: int) -> frozenset[str]:
    """The words of an expression up to a length."""
    everything = frozenset(words(alphabet, longest))
    stack: list[frozenset[str]] = []
    for node in expr.postorder():
        if node.op == tree.EMPTY:
            stack.append(frozenset())
        elif node.op == tree.EPSILON:
            stack.append(frozenset([""]))
        elif node.op == tree.LETTER:
            stack.append(frozenset([str(node.symbol)]) & everything)
        elif node.op == tree.OPTION:
            stack[-1] |= {""}
        elif node.op == tree.COMPLEMENT:
            stack[-1] = everything - stack[-1]
        elif node.op == tree.STAR:
            base, power, found = stack[-1] - {""}, frozenset([""]), {""}
            while power:
                power = frozenset(u + v for u in power for v in base if len(u) + len(v) <= longest) - found
                found |= power
            stack[-1] = frozenset(found)
        else:
            right = stack.pop()
            left = stack[-1]
            if node.op == tree.CONCAT:
                stack[-1] = frozenset(u + v for u in left for v in right if len(u) + len(v) <= longest)
            elif node.op == tree.UNION:
                stack[-1] = left | right
            elif node.op == tree.INTERSECTION:
                stack[-1] = left & right
            else:
                assert node.op == tree.DIFFERENCE
                stack[-1] = left - right
    (whole,) = stack
    return whole


def expressions(alphabet: str = "ab", extended: bool = True, leaves: int = 10) -> st.SearchStrategy[Expr]:
    """Random trees over all ten constructors, or over ``? * · +`` and the atoms."""
    atoms = st.sampled_from([tree.empty(), tree.epsilon(), *map(tree.letter, alphabet), *map(tree.letter, alphabet)])
    unary = [tree.option, tree.star] + ([tree.complement] if extended else [])
    binary = [tree.concat, tree.concat, tree.union] + ([tree.intersection, tree.difference] if extended else [])

    def extend(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        return st.one_of(
            st.builds(lambda make, x: make(x), st.sampled_from(unary), inner),
            st.builds(lambda make, x, y: make(x, y), st.sampled_from(binary), inner, inner),
        )

    return st.recursive(atoms, extend, max_leaves=leaves)
