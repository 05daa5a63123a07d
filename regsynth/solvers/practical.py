"""Minimise a Python pattern: cheapest by tree length, or shortest as a text.

Upper bounds come from checked rewriting (:mod:`regsynth.solvers.practical_rules`),
the proof from exhaustive search, by nodes (:mod:`regsynth.solvers.practical_search`) or by
characters (:mod:`regsynth.solvers.practical_chars`). The
grammar of the answer: character sets (1 each), concatenation, ``|`` and repeats
``? * + {m} {m,} {m,n}`` (1 each) with bounds up to the limit reported.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass

from regsynth.automata.dfa import DFA
from regsynth.automata.letters import LetterAutomaton, SubsetDFA
from regsynth.automata.pairs import decide
from regsynth.budget import Budget, Clock
from regsynth.errors import BudgetExceeded, InputError, MethodsDisagree
from regsynth.practical import Pattern, compare_patterns, compile_pattern
from regsynth.solvers.practical_chars import search_text, tightened
from regsynth.solvers.practical_rules import cost_of, improve
from regsynth.solvers.practical_search import PracticalSearch
from regsynth.solvers.practical_signatures import Word
from regsynth.solvers.results import Status
from regsynth.syntax import pattern as tree
from regsynth.syntax.anchors import resolve
from regsynth.syntax.charset import CharSet
from regsynth.syntax.pattern import Node
from regsynth.syntax.python_print import to_text

STATES = 60  # minimal DFA states the exact search takes on
LARGEST_BOUND = 24
_NAMES = {tree.AT: "anchor or word boundary", tree.LOOK: "lookaround", tree.ATOMIC: "atomic group or possessive repeat",
          tree.REF: "back-reference", tree.COND: "conditional group", tree.GROUP: "referenced group"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PracticalResult:
    """What the minimiser found.

    Attributes
    ----------
    regex : str or None
        An equivalent pattern, re-checked; ``None`` when unsupported.
    cost, input_cost : int
        Tree length, or characters under ``costs="chars"``.
    lower_bound : int
        No pattern of the grammar is cheaper: proven.
    status : str
        ``optimal``, ``feasible`` or ``unsupported``.
    dropped : int
        Capture groups of the input that the answer does not have.
    limit : int
        Largest repeat bound of the grammar.
    reason : str or None
        The construct, when unsupported.
    """

    regex: str | None
    cost: int | None
    input_cost: int
    lower_bound: int
    status: Status | str
    seconds: float
    dropped: int = 0
    limit: int = 0
    reason: str | None = None


def minimize_pattern(
    text: str, *, semantics: str = "fullmatch", flags: int | str = 0, costs: str = "tree", budget: Budget | None = None
) -> PracticalResult:
    """Find the cheapest Python pattern for the same subjects.

    Parameters
    ----------
    text : str
    semantics : {"fullmatch", "match", "search"}
        Beyond ``fullmatch`` only rewriting is tried, and nothing is proven.
    flags : int or str
    costs : {"tree", "chars"}
    budget : Budget, optional
        10 s and 2 GB by default.

    Raises
    ------
    ParseError
    MethodsDisagree
        The answer failed its final check: a bug.

    Examples
    --------
    >>> result = minimize_pattern("(?:a|b|c|d)+x?x?x?")
    >>> result.regex, result.cost, result.status
    ('[a-d]+x{,3}', 5, 'optimal')
    """
    if costs not in ("tree", "chars"):
        raise InputError(f"--costs {costs!r} for a practical pattern: give 'tree' or 'chars'")
    if not isinstance(text, str):
        raise InputError("only text patterns are minimised, not bytes; give the pattern as a str")
    clock = (budget or Budget(seconds=10.0, memory=2 << 30)).start()
    pattern = compile_pattern(text, semantics=semantics, flags=flags)
    given = _number(flags)
    number = given & int(re.I | re.S | re.A | re.L | re.X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        groups = re.compile(text, given).groups
    root = _pure_root(pattern)
    input_cost = len(text) if costs == "chars" else cost_of(pattern.root)

    def printed(node: Node) -> str:
        return tightened(to_text(node, number), number) if costs == "chars" else to_text(node, number)

    def price(node: Node) -> int:
        return len(printed(node)) if costs == "chars" else cost_of(node)

    machine = pattern.machine(clock)

    def equivalent(node: Node) -> bool:
        try:
            other = SubsetDFA(LetterAutomaton(_in_context(node, pattern), pattern.universe), clock)
            return decide(machine, other, "equivalent", clock) is None
        except BudgetExceeded:
            return False

    best = None if root is None else improve(root, price, equivalent)
    regex = None if best is None else printed(best)
    bound, limit = (0 if costs == "chars" and machine.accepts("") else 1), 0  # the empty text matches the empty subject
    if semantics == "fullmatch":
        try:
            dfa = machine.minimal()
            limit = _limit(pattern, dfa)
            if len(dfa) > STATES or (costs == "chars" and number & (re.I | re.L)):
                limit = 0
            elif dfa.is_empty:
                best = tree.char_set(CharSet.of([]))
                regex, bound = printed(best), bound if costs == "chars" else price(best)  # no set's text, (?!) is outside the grammar
            elif costs == "chars":
                ceiling = min(len(text), len(text if regex is None else regex))
                shorter, proven = search_text(pattern, number, limit, ceiling, clock)
                regex, bound = shorter if shorter is not None else regex, max(bound, proven)
            else:
                better, bound = _search(pattern, best, limit, clock)
                if better is not None:
                    best, regex = better, printed(better)
        except BudgetExceeded:
            pass
    if regex is None:
        construct = next((_NAMES[n.op] for n in pattern.root.nodes() if n.op in _NAMES), "this pattern")
        return PracticalResult(None, None, input_cost, bound, "unsupported", clock.seconds, 0, limit, construct)
    cost, dropped = len(regex) if costs == "chars" or best is None else price(best), groups
    if cost > input_cost or (cost == input_cost and len(regex) >= len(text)):
        regex, cost, dropped = text, input_cost, 0
    seconds = clock.budget.seconds
    check = Budget(seconds=None if seconds is None else max(1.0, seconds / 2))
    verdict = compare_patterns(pattern, compile_pattern(regex, semantics=semantics, flags=flags), budget=check).verdict
    if verdict != "equivalent":
        if number or verdict != "different":  # printed sets can read differently under the flags, or no time: keep the input
            regex, cost, dropped, bound = text, input_cost, 0, min(bound, 1)
        else:
            raise MethodsDisagree(f"minimising {text!r} gave {regex!r}, which is not equivalent")
    status = "optimal" if bound >= cost else "feasible"
    return PracticalResult(regex, cost, input_cost, min(bound, cost), status, clock.seconds, dropped, limit)


def _number(flags: int | str) -> int:
    from regsynth.syntax.python import read_flags

    return read_flags(flags) if isinstance(flags, str) else int(flags)


def _pure_root(pattern: Pattern) -> Node | None:
    if pattern.root.pure:
        return pattern.root
    if pattern.semantics == "fullmatch":
        return resolve(pattern.root, "fullmatch", pattern.universe)
    return None


def _in_context(node: Node, pattern: Pattern) -> Node:
    from regsynth.automata.machine import wrap

    return wrap(node, pattern.semantics, pattern.universe)


def _limit(pattern: Pattern, dfa: DFA) -> int:
    """The largest repeat bound of the grammar."""
    bounds: list[int] = [b for node in pattern.root.nodes() if node.op == tree.REPEAT for b in node.data[:2] if b]
    return min(max([2, *bounds, dfa.live.bit_count()]), max(LARGEST_BOUND, *bounds, 2))


def _search(pattern: Pattern, best: Node | None, limit: int, clock: Clock) -> tuple[Node | None, int]:
    """Exact search below the best known: what is cheaper, if anything, and a proven bound."""
    machine = pattern.machine(clock)
    dfa = machine.minimal()
    search = PracticalSearch(dfa, limit, clock)
    words = dfa.shortest_word()
    assert words is not None
    index = {chars: i for i, chars in enumerate(dfa.alphabet)}
    sample: list[Word] = [tuple(index[chars] for chars in words)]

    def accept(node: Node) -> bool:
        other = SubsetDFA(LetterAutomaton(node, pattern.universe), clock)
        difference = decide(machine, other, "equivalent", clock)
        if difference is None:
            return True
        if difference.side != "first":
            raise MethodsDisagree(f"the search for {pattern.text!r} left the language on {difference.word!r}")
        letters = [machine.partition.index(char) for char in difference.word]
        sample.append(tuple(i for i in letters if i is not None))
        return False

    ceiling = cost_of(best) if best is not None else 1000
    try:
        while True:
            search.sample(sample)
            found = search.run(ceiling, accept)
            if found is not None:
                return found, cost_of(found)
            if not search.refuted:
                return None, ceiling
    except BudgetExceeded:
        return None, search.level + 1
