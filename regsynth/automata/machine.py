"""From a parsed pattern and a semantics to its lazy deterministic automaton."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module

from regsynth.automata.contexts import ContextDFA
from regsynth.automata.lazy import LazyDFA
from regsynth.automata.letters import LetterAutomaton, SubsetDFA
from regsynth.automata.program import REF, Program, compile_program
from regsynth.budget import Clock
from regsynth.errors import BudgetExceeded
from regsynth.syntax import pattern as tree
from regsynth.syntax.anchors import resolve
from regsynth.syntax.charset import CharSet
from regsynth.syntax.pattern import Node

SEMANTICS = ("fullmatch", "match", "search")


def build(root: Node, semantics: str, universe: CharSet, clock: Clock, locate: Callable[[int], int | None]) -> LazyDFA:
    """The automaton of the subjects a pattern matches.

    Parameters
    ----------
    root : Node
    semantics : {"fullmatch", "match", "search"}
    universe : CharSet
        All characters of subjects: ``ALL``, or ``BYTES``.
    clock : Clock
    locate : callable
        Position in the pattern of the first reference to a group, for messages.

    Raises
    ------
    UnsupportedError, BudgetExceeded
    """
    if root.pure:
        return SubsetDFA(LetterAutomaton(wrap(root, semantics, universe), universe), clock)
    resolved = resolve(root, semantics, universe)
    if resolved is not None:
        return SubsetDFA(LetterAutomaton(resolved, universe), clock)
    try:
        program = compile_program(root, semantics, universe, locate)
        return ContextDFA(program, clock, _folds(program))
    except RecursionError:
        raise BudgetExceeded("lookarounds or groups are nested too deeply") from None


def wrap(root: Node, semantics: str, universe: CharSet) -> Node:
    """A pure pattern with anything allowed around it, as the semantics says."""
    if semantics == "fullmatch":
        return root
    anything = tree.repeat(tree.char_set(universe), 0, None)
    return tree.cat([root, anything] if semantics == "match" else [anything, root, anything])


def _folds(program: Program) -> dict[int, int]:
    """Lower case of the one-character classes, for references under IGNORECASE."""
    if not any(program.remembers):
        return {}
    sre = import_module("_sre")
    flags = [instruction[2] for instruction in program.code if instruction[0] == REF]
    lower = sre.unicode_tolower if any(f & re.UNICODE for f in flags) else sre.ascii_tolower
    return {i: lower(ord(chars.sample)) for i, chars in enumerate(program.partition.classes) if len(chars) == 1}
