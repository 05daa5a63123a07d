"""The minimal automaton as numpy arrays, through the numba kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regsynth.errors import InputError, UnsupportedError
from regsynth.syntax.formal import parse as parse_formal
from regsynth.syntax.tree import EXTENDED_MASK, LETTER, Expr

MEMORY = 1 << 30


class DenseDFA(NamedTuple):
    """A complete minimal automaton; the start state is 0, states in breadth-first letter order.

    Attributes
    ----------
    delta : int32 array (states, letters)
    accepting : bool array (states,)
    letters : int32 array (letters,)
        Code points, ascending.
    """

    delta: NDArray[np.int32]
    accepting: NDArray[np.bool_]
    letters: NDArray[np.int32]


def minimal_dfa_fast(expression: str | Expr, *, alphabet: str = "", states: int = 1_000_000) -> DenseDFA:
    """Minimal automaton of an expression without ``~ & -``.

    Two expressions over the same letters are equivalent exactly when their
    arrays are equal. About 30 µs for 20 characters; linear in the length of the
    expression for every 64 steps of the subset construction.

    Parameters
    ----------
    expression : str or Expr
        Formal text, or a tree whose symbols are single characters.
    alphabet : str
        Letters of Σ beyond those that occur.
    states : int
        Budget of the subset construction.

    Raises
    ------
    ParseError, UnsupportedError, InputError
        For text that is no expression, an extended operator, symbols that are no characters.
    BudgetExceeded
        When the subset construction needs more states.

    Examples
    --------
    >>> delta, accepting, letters = minimal_dfa_fast("(a+b)*b")
    >>> delta.tolist(), accepting.tolist(), letters.tolist()
    ([[0, 1], [0, 1]], [False, True], [97, 98])
    """
    from regsynth.automata import workspace

    extra = np.frombuffer(alphabet.encode("utf-32-le", "surrogatepass"), np.int32)
    if isinstance(expression, str):
        space = workspace.borrow(len(expression))
        points = np.frombuffer(expression.encode("utf-32-le", "surrogatepass"), np.uint32)
        code, leaves, extended = space.parse(points)
        if leaves < 0:
            parse_formal(expression)  # raises, with the message
            raise AssertionError("the two parsers disagree")
    else:
        space = workspace.borrow(expression.length)
        code, leaves = _postfix(expression)
        extended = bool(expression.mask & EXTENDED_MASK)
    if extended:
        raise UnsupportedError("an operator among ~ & - in the kernels' automaton")
    return DenseDFA(*space.minimal(code, leaves, extra, states, MEMORY))


def _postfix(expression: Expr) -> tuple[NDArray[np.int32], int]:
    try:
        items = [ord(node.symbol) if node.op == LETTER else -1 - node.op for node in expression.postorder()]  # type: ignore[arg-type]
    except TypeError:
        raise InputError("every letter must be a single character") from None
    return np.array(items, np.int32), sum(item >= 0 for item in items)
