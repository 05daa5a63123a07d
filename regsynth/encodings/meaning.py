"""What the trees mean: which infixes each sub-tree accepts.

``accepts[s][w]`` for every slot s and every word w of the infix closure, and two
helpers: ``second[s][w]``, the word set of the right operand (for a star: of the star
itself), and ``product[s][u,v]`` ⇔ the left operand accepts u and ``second`` accepts
v. A concatenation or a star accepts w iff one of its splits has a true product. The
first part of a star's split is never empty, so the recursion is well-founded: v is
shorter than w.

Sizes for each slot: |IC| variables of the first two kinds, one product for each of
the Σ(|w|+1) splits, about 3 clauses a product and 2|IC| for each place where the
right operand may begin.
"""

from __future__ import annotations

from collections.abc import Iterable

from regsynth.encodings.formula import Formula
from regsynth.encodings.layout import Layout
from regsynth.encodings.words import InfixClosure, Word
from regsynth.syntax.tree import (
    COMPLEMENT,
    CONCAT,
    DIFFERENCE,
    EMPTY,
    EPSILON,
    INTERSECTION,
    LETTER,
    OPTION,
    STAR,
    UNION,
)  # fmt: skip

TRUTH = {
    UNION: (False, True, True, True),
    INTERSECTION: (False, False, False, True),
    DIFFERENCE: (False, False, True, False),
}
"""Truth tables of the Boolean constructors; row 2p+q."""


class Meaning:
    """Acceptance of every infix by every slot; grows with slots and with words.

    Attributes
    ----------
    closure : InfixClosure
    accepts, second : list of list of int
        Variables, by slot and word number.
    product : list of dict
        Variables, by slot and pair of word numbers.
    """

    def __init__(self, formula: Formula, layout: Layout) -> None:
        self.formula, self.layout = formula, layout
        self.closure = InfixClosure()
        self.accepts: list[list[int]] = []
        self.second: list[list[int]] = []
        self.product: list[dict[tuple[int, int], int]] = []
        self.closure.add([])

    def add_words(self, words: Iterable[Word]) -> list[int]:
        """Add words with their infixes; the numbers of the new ones."""
        new = self.closure.add(words)
        for s in range(len(self.accepts)):
            for w in new:
                self._define(s, w)
        return new

    def add_slot(self) -> None:
        """Define every word at the layout's newest slot."""
        self.accepts.append([])
        self.second.append([])
        self.product.append({})
        for w in range(len(self.closure)):
            self._define(len(self.accepts) - 1, w)

    def _define(self, s: int, w: int) -> None:
        self.formula.check()
        formula, layout = self.formula, self.layout
        label, text = layout.label[s], self._text(w)
        here = formula.new(f"accepts[{s}][{text}]")
        self.accepts[s].append(here)
        for (op, a), variable in label.items():
            if op in (EMPTY, EPSILON, LETTER):
                member = self.closure.words[w] == ((a,) if op == LETTER else ()) and op != EMPTY
                formula.add(-variable, here if member else -here)
        formula.add(layout.used[s], -here)
        if s == 0:
            return
        below = self.accepts[s - 1][w]
        option, star, complement = (layout.of(s, op) for op in (OPTION, STAR, COMPLEMENT))
        if option is not None:
            if w == 0:
                formula.add(-option, here)
            else:
                self._copy(option, here, below)
        if complement is not None:
            self._copy(complement, here, -below)
        if star is None and not layout.right[s]:
            return
        second = formula.new(f"second[{s}][{text}]")
        self.second[s].append(second)
        sources = []
        if star is not None:
            sources.append(star)
            self._copy(star, second, here)
        for r, variable in layout.right[s].items():
            sources.append(variable)
            self._copy(variable, second, self.accepts[r][w])
        formula.add(*sources, -second)
        for op, truth in TRUTH.items():
            guard = layout.of(s, op)
            if guard is not None:
                for row, out in enumerate(truth):
                    p, q = -below if row & 2 else below, -second if row & 1 else second
                    formula.add(-guard, p, q, here if out else -here)
        self._splits(s, w, here)

    def _splits(self, s: int, w: int, here: int) -> None:
        formula, layout = self.formula, self.layout
        star, concat = layout.of(s, STAR), layout.of(s, CONCAT)
        if star is None and concat is None:
            return
        products = []
        for u, v in self.closure.splits[w]:
            if concat is None and u == 0:
                continue
            both = formula.new(f"product[{s}][{self._text(u)}·{self._text(v)}]")
            self.product[s][u, v] = both
            formula.iff_and(both, self.accepts[s - 1][u], self.second[s][v])
            products.append((u, both))
        if concat is not None:
            formula.add(-concat, -here, *(p for _, p in products))
            for _, p in products:
                formula.add(-concat, here, -p)
        if star is not None:
            if w == 0:
                formula.add(-star, here)
            else:
                formula.add(-star, -here, *(p for u, p in products if u))
                for u, p in products:
                    if u:
                        formula.add(-star, here, -p)

    def _copy(self, guard: int, out: int, source: int) -> None:
        """``guard`` → (``out`` ⇔ ``source``)."""
        self.formula.add(-guard, -source, out)
        self.formula.add(-guard, source, -out)

    def _text(self, w: int) -> str:
        return "".join(str(self.layout.letters[a]) for a in self.closure.words[w]) or "ε"
