"""Prefix trees of finite sets of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Letter = TypeVar("Letter")


def prefix_tree(words: Iterable[Iterable[Letter]], check: Callable[[], None] = lambda: None) -> tuple[list[dict[Letter, int]], list[bool]]:
    """Children of each node by letter, and whether a word ends there; node 0 is the root, children come after their parents.

    Parameters
    ----------
    words : iterable of iterables of letters
    check : callable
        Called once a word, and now and then in long ones; may raise.

    Examples
    --------
    >>> prefix_tree(["ab", "a"])
    ([{'a': 1}, {'b': 2}, {}], [False, True, True])
    """
    children: list[dict[Letter, int]] = [{}]
    ends = [False]
    for word in words:
        check()
        node = 0
        for a in word:
            after = children[node].get(a)
            if after is None:
                after = children[node][a] = len(children)
                children.append({})
                ends.append(False)
                if not after & 4095:
                    check()
            node = after
        ends[node] = True
    return children, ends
