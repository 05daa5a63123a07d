"""The public functions: thin fronts that accept text or trees.

Solvers are imported when first called.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from regsynth.budget import Budget
from regsynth.errors import InputError, ParseError
from regsynth.syntax.costs import Costs
from regsynth.syntax.tree import Expr

if TYPE_CHECKING:
    from regsynth.automata.reference import Comparison, Relation
    from regsynth.practical import Pattern
    from regsynth.solvers.results import InferenceResult, MinimizationResult, Operators

DIALECTS = {"formal": "regsynth.syntax.formal"}
"""Module of each dialect; each has ``parse(text) -> Expr`` and ``to_text(expr) -> str``."""

SOLVERS = ("auto", "enumerate", "sat", "maxsat", "smt", "portfolio")
"""The roads a solver may take."""


def parse(text: str, *, dialect: str = "formal") -> Expr:
    """Read an expression.

    Parameters
    ----------
    text : str
        The expression.
    dialect : str
        How it is written; ``"formal"`` is documented in :mod:`regsynth.syntax.formal`.

    Raises
    ------
    ParseError
        With the 0-based ``position`` of the offending character.
    InputError
        When the dialect is unknown.

    Examples
    --------
    >>> parse("a?d*(b+d)").length
    9
    >>> parse("a)")
    Traceback (most recent call last):
    ...
    regsynth.errors.ParseError: unmatched ')'; remove it or add '(' before it (position 1)
    """
    if not isinstance(text, str):
        raise InputError(f"an expression is text, not {type(text).__name__}")
    module = DIALECTS.get(dialect)
    if module is None:
        raise InputError(f"dialect {dialect!r} is unknown; use {' or '.join(DIALECTS)}")
    expr: Expr = import_module(module).parse(text)
    return expr


def minimize(
    expr: str | Expr,
    *,
    costs: Costs | str | Sequence[int] = "tree",
    operators: Operators | str = "?*.+",
    alphabet: Iterable[str] = (),
    budget: Budget | None = None,
    solver: str = "auto",
) -> MinimizationResult:
    """Find the cheapest expression of the same language, and prove that none is cheaper.

    Parameters
    ----------
    expr : str or Expr
        The expression to minimise; it may use every operator.
    costs : Costs, str or sequence of int
        ``"tree"`` (every node costs 1), or eight numbers for ∅/ε/letter, ``? * ~ · & + −``,
        or five for letter ``? * · +``.
    operators : Operators or str
        Operators the *answer* may use, such as ``"?*.+~&-"``, or ``"all"``.
    alphabet : iterable of str
        Σ, which matters below ``~``; the letters of ``expr`` by default.
    budget : Budget, optional
        By default 60 seconds and half of the memory.
    solver : str
        ``"auto"``, ``"enumerate"``, ``"sat"``, ``"maxsat"``, ``"smt"`` or ``"portfolio"``.

    Returns
    -------
    MinimizationResult
        ``status`` is ``"optimal"`` when ``cost == lower_bound``; ``"feasible"`` when the
        budget ran out (the answer is then right but may not be the cheapest).

    Raises
    ------
    InputError
        Bad costs, operators, syntax, or a letter outside ``alphabet``.
    MethodsDisagree
        The answer failed its independent check: a bug in regsynth.

    Examples
    --------
    >>> result = minimize("a?d*(b+d+d+d)")
    >>> str(result.regex), result.cost, result.status
    ('a?d*(b+d)', 9, 'optimal')
    """
    from regsynth.solvers.minimise import minimize as solve
    from regsynth.solvers.results import Operators

    check_solver(solver)
    tree, sigma = _tree(expr), _alphabet(alphabet)
    check_letters((tree,), sigma)
    return solve(
        tree,
        costs=_costs(costs),
        operators=Operators.parse(operators) if isinstance(operators, str) else operators,
        alphabet=sigma,
        budget=budget,
        solver=solver,
    )


def infer(
    positives: Iterable[str],
    negatives: Iterable[str],
    *,
    costs: Costs | str | Sequence[int] = "tree",
    operators: Operators | str = "?*.+",
    alphabet: Iterable[str] = (),
    budget: Budget | None = None,
    solver: str = "auto",
) -> InferenceResult:
    """Find the cheapest expression that accepts ``positives`` and rejects ``negatives``.

    Parameters
    ----------
    positives, negatives : iterable of str
        Words, one character a letter.
    costs, operators, alphabet, budget, solver
        As in :func:`minimize`; Σ is by default the letters of the words.

    Returns
    -------
    InferenceResult
    """
    from regsynth.solvers.inference import infer as solve
    from regsynth.solvers.results import Operators

    check_solver(solver)
    return solve(
        positives,
        negatives,
        costs=_costs(costs),
        operators=Operators.parse(operators) if isinstance(operators, str) else operators,
        alphabet=_alphabet(alphabet),
        budget=budget,
        solver=solver,
    )


def equivalent(
    first: str | bytes | Expr | Pattern,
    second: str | bytes | Expr | Pattern,
    *,
    dialect: str = "formal",
    semantics: str = "fullmatch",
    flags: int | str = 0,
    alphabet: Iterable[str] = (),
    budget: Budget | None = None,
) -> Comparison:
    """Decide whether two expressions have the same language.

    Parameters
    ----------
    first, second : str, bytes, Expr or Pattern
    dialect : {"formal", "python", "brics"}
        How texts are read.
    semantics : {"fullmatch", "match", "search"}
        Practical dialects: what "matches" means.
    flags : int or str
        Flags of ``re`` (python), or letters of ``imsxaLu``.
    alphabet : iterable of str
        Σ, which matters below ``~``; the letters of both by default (formal only).
    budget : Budget, optional
        After it the verdict is ``"unknown"``; 10 s and 2 GB for practical dialects.

    Returns
    -------
    Comparison
        True when equivalent; otherwise ``word`` is a shortest word in one language only
        and ``accepted_by`` the side that has it.

    Examples
    --------
    >>> equivalent("a+b", "b+a").verdict
    'equivalent'
    >>> answer = equivalent("a*", "(aa)*")
    >>> answer.verdict, answer.word, answer.accepted_by
    ('different', 'a', 'first')
    >>> equivalent(r"\\d", "[0-9]", dialect="python").word
    '٠'
    """
    return _compare(first, second, "equivalent", alphabet, budget, dialect, semantics, flags)


def contains(
    first: str | bytes | Expr | Pattern,
    second: str | bytes | Expr | Pattern,
    *,
    dialect: str = "formal",
    semantics: str = "fullmatch",
    flags: int | str = 0,
    alphabet: Iterable[str] = (),
    budget: Budget | None = None,
) -> Comparison:
    """Decide whether the language of ``first`` is part of the language of ``second``.

    Parameters and result are those of :func:`equivalent`; the verdicts are
    ``"included"`` and ``"not_included"``.

    Examples
    --------
    >>> bool(contains("ab", "(a+b)*"))
    True
    >>> contains("(a+b)*", "a*").word
    'b'
    """
    return _compare(first, second, "included", alphabet, budget, dialect, semantics, flags)


def check_solver(name: str) -> str:
    """Refuse an unknown solver; returns the name."""
    if name not in SOLVERS:
        raise InputError(f"solver {name!r} is unknown; choose from {', '.join(SOLVERS)}")
    return name


def check_letters(trees: Iterable[Expr], alphabet: Sequence[str], texts: Sequence[str] = ()) -> None:
    """Refuse a letter that is not in Σ, when Σ is given.

    With the expressions' texts the error is a :class:`ParseError` that knows where.
    """
    if not alphabet:
        return
    known = frozenset(alphabet)
    for i, tree in enumerate(trees):
        strange = sorted(map(str, tree.alphabet - known))
        if strange:
            letter = strange[0]
            message = f"letter {letter!r} is not in the alphabet {''.join(alphabet)!r}; add it to the alphabet or take it out"
            if i < len(texts):
                raise ParseError(message, texts[i], max(texts[i].find(letter), 0))
            raise InputError(message)


def _tree(expr: str | Expr) -> Expr:
    return expr if isinstance(expr, Expr) else parse(expr)


def _costs(costs: Costs | str | Sequence[int]) -> Costs:
    if isinstance(costs, Costs):
        return costs
    return Costs.parse(costs) if isinstance(costs, str) else Costs.of(tuple(costs))


def _alphabet(alphabet: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(alphabet))


def _compare(
    first: str | bytes | Expr | Pattern, second: str | bytes | Expr | Pattern, relation: Relation, alphabet: Iterable[str],
    budget: Budget | None, dialect: str, semantics: str, flags: int | str,
) -> Comparison:  # fmt: skip
    texts = isinstance(first, str) and isinstance(second, str)
    if isinstance(first, Expr) or isinstance(second, Expr) or (dialect == "formal" and texts):
        from regsynth.automata.reference import compare

        if dialect != "formal" or not isinstance(first, (str, Expr)) or not isinstance(second, (str, Expr)):
            raise InputError("an expression tree is compared in the formal dialect, with another expression")
        left, right, sigma = _tree(first), _tree(second), _alphabet(alphabet)
        check_letters((left, right), sigma)
        return compare(left, right, relation=relation, alphabet=sigma, states=(budget or Budget()).states)
    from regsynth.practical import PAIR_BUDGET, compare_patterns

    return compare_patterns(
        first, second, relation=relation, dialect=dialect, semantics=semantics, flags=flags, budget=budget or PAIR_BUDGET)
