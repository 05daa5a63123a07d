"""The challenge's three heuristic baselines: they search nothing.

*Trivial* writes the union of the positives. *PN retrieval* takes the solution of the
training instance whose words overlap most with the test instance's. *RE retrieval* takes
the training expression that treats most words rightly. Ties go to the lower cost under
the test instance's cost function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from regsynth.automata.position import to_dfa
from regsynth.syntax import tree
from regsynth.syntax.costs import Costs
from regsynth.syntax.formal import parse
from regsynth.syntax.tree import Expr

Instance = Mapping[str, Any]


def trivial(instance: Instance) -> str:
    """The union of the positive words.

    >>> trivial({"positives": ["01", "", "1"]})
    'ε+1+01'
    """
    whole: Expr | None = None
    for word in sorted(instance["positives"], key=lambda w: (len(w), w)):
        part = tree.epsilon()
        for i, symbol in enumerate(reversed(word)):
            part = tree.letter(symbol) if i == 0 else tree.concat(tree.letter(symbol), part)
        whole = part if whole is None else tree.union(whole, part)
    return str(tree.empty() if whole is None else whole)


class PNRetrieval:
    """Nearest training PN-set.

    Parameters
    ----------
    train : sequence of records
        With ``positives``, ``negatives`` and a solution ``regex``.
    """

    def __init__(self, train: Sequence[Instance]) -> None:
        sets: dict[tuple[frozenset[str], frozenset[str]], dict[str, Expr]] = {}
        for record in train:
            if record.get("regex") is not None:
                key = frozenset(record["positives"]), frozenset(record["negatives"])
                solutions = sets.setdefault(key, {})
                if record["regex"] not in solutions:
                    solutions[record["regex"]] = parse(record["regex"])
        self._sets = [(*key, solutions) for key, solutions in sets.items()]

    def __call__(self, instance: Instance) -> str:
        """The retrieved solution, ∅ without training data."""
        positives, negatives = frozenset(instance["positives"]), frozenset(instance["negatives"])
        costs = Costs.of(instance["costs"])
        most = 0
        nearest: dict[str, Expr] = {}
        for yes, no, solutions in self._sets:
            overlap = len(positives & yes) + len(negatives & no)
            if overlap > most or not nearest:
                most, nearest = overlap, dict(solutions)
            elif overlap == most:
                nearest.update(solutions)
        return min(nearest, key=lambda text: (costs.of_expr(nearest[text]), text), default="∅")


class RERetrieval:
    """The training expression with the best PN ratio.

    Each expression is run once on all words up to the longest in the test part; a test
    instance then costs two bit counts an expression.

    Parameters
    ----------
    expressions : iterable of str
        Those of every data set with the same operators (DS1 with DS2, DS3 with DS4).
    alphabet : str
    longest : int
        Length of the longest test word.
    """

    def __init__(self, expressions: Sequence[str], alphabet: str = "01", longest: int = 10) -> None:
        self._words = _words(alphabet, longest)
        self._number = {word: 1 << i for i, word in enumerate(self._words)}
        distinct = sorted(set(expressions))
        self._known = [(text, expr := parse(text), self._held(expr, alphabet)) for text in distinct]

    def _held(self, expr: Expr, alphabet: str) -> int:
        """The words an expression accepts, as a bit set."""
        dfa = to_dfa(expr, alphabet)
        index = {symbol: i for i, symbol in enumerate(alphabet)}
        state, held = {"": 0}, 0
        for word in self._words:
            if word:
                state[word] = dfa.delta[state[word[:-1]]][index[word[-1]]]
            if dfa.accepting >> state[word] & 1:
                held |= self._number[word]
        return held

    def __call__(self, instance: Instance) -> str:
        """The retrieved expression, ∅ without training data."""
        positives, negatives = (sum(self._number[word] for word in instance[side]) for side in ("positives", "negatives"))
        most, best = -1, [("∅", tree.empty())]
        for text, expr, held in self._known:
            right = (held & positives).bit_count() + (negatives & ~held).bit_count()
            if right > most:
                most, best = right, [(text, expr)]
            elif right == most:
                best.append((text, expr))
        costs = Costs.of(instance["costs"])
        return min(best, key=lambda pair: (costs.of_expr(pair[1]), pair[0]))[0]


def _words(alphabet: str, longest: int) -> list[str]:
    words = [""]
    for word in words:  # grows while we read it
        if len(word) < longest:
            words.extend(word + symbol for symbol in alphabet)
    return words


