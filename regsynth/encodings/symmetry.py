"""Symmetry breaking: named rules, each of which leaves an optimum in every question.

A rule forbids a pattern. It is sound because any tree that shows the pattern can be
rewritten into one that accepts the same words (or, for ``progress``, the same infixes
and no word more) and is

* **strictly cheaper** under every cost function for which the rule is active: then no
  optimum shows the pattern; or
* **as cheap**, with fewer nodes or further along in one fixed order: options above unions,
  then stars behind equal letters, then chains nested to the right, then operands
  sorted. A rewriting of one kind never brings back a pattern of an earlier kind, so
  rewriting ends, in an optimum that shows none of the patterns. Any subset of the rules
  may therefore be switched on.

Costs are those of one constructor each, positive and added up over the tree. Where a
rule holds for some costs only, the function checks and does nothing for the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from regsynth.encodings.layout import Label
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

if TYPE_CHECKING:
    from regsynth.encodings.tree import TreeEncoding

Rule = Callable[["TreeEncoding", int], None]


def _forbid_below(enc: TreeEncoding, s: int, above: int, below: Label) -> None:
    """Slot s is not ``above`` with ``below`` as its left (or only) operand."""
    top, bottom = enc.layout.of(s, above), enc.layout.label[s - 1].get(below)
    if top is not None and bottom is not None:
        enc.formula.add(-top, -bottom)


def _forbid_right(enc: TreeEncoding, s: int, above: int, below: Label) -> None:
    top = enc.layout.of(s, above)
    for r, right in enc.layout.right[s].items():
        bottom = enc.layout.label[r].get(below)
        if top is not None and bottom is not None:
            enc.formula.add(-top, -right, -bottom)


def unary(enc: TreeEncoding, s: int) -> None:
    """``x**`` → ``x*``, ``x?*`` → ``x*``, ``x*?`` → ``x*``, ``x??`` → ``x?``, ``~~x`` → ``x``: strictly cheaper."""
    for above, below in ((STAR, STAR), (STAR, OPTION), (OPTION, STAR), (OPTION, OPTION), (COMPLEMENT, COMPLEMENT)):
        _forbid_below(enc, s, above, (below, -1))


def nullable_option(enc: TreeEncoding, s: int) -> None:
    """``x?`` → ``x`` where x holds ε: strictly cheaper."""
    option = enc.layout.of(s, OPTION)
    if option is not None:
        enc.formula.add(-option, -enc.meaning.accepts[s - 1][0])


def nullable_star(enc: TreeEncoding, s: int) -> None:
    """``x*`` → ``(x°)*`` where x holds ε and x° is x without it, as in ``(a?b?)*`` → ``(a+b)*``.

    x° comes from dropping ``?`` and ``*`` at the nullable leaves and turning ``st``, both nullable,
    into ``s°+t°``. Each such union replaces a concatenation and loses at least two of the dropped
    operators, so x° is strictly cheaper when c₊ ≤ c· + min(c?, c*). Active only then, only when a
    union is allowed, and only for monotone answers.
    """
    c, star = enc.task.costs, enc.layout.of(s, STAR)
    if star is not None and enc.task.monotone and enc.task.allowed >> UNION & 1:
        if c.union <= c.concat + min(c.option, c.star):
            enc.formula.add(-star, -enc.meaning.accepts[s - 1][0])


def units(enc: TreeEncoding, s: int) -> None:
    """No operand that is ∅ or ε where a cheaper expression says the same.

    ``εx``, ``xε``, ``x+∅``, ``∅+x``, ``x-∅`` → ``x``; ``∅x``, ``x∅``, ``x&∅``, ``∅&x``, ``∅-x`` → ``∅``; ``ε?``, ``ε*`` → ``ε``:
    strictly cheaper. ``∅?``, ``∅*`` → ``ε`` where ε is an allowed operand (they are its only spelling otherwise).
    ``x+ε``, ``ε+x`` → ``x?`` where ``?`` is allowed and c? ≤ c₊ + c_atom: no dearer and shorter.
    """
    c, allowed = enc.task.costs, enc.task.allowed
    empty, epsilon = (EMPTY, -1), (EPSILON, -1)
    for above in (CONCAT, UNION, INTERSECTION, DIFFERENCE):
        _forbid_below(enc, s, above, empty)
        _forbid_right(enc, s, above, empty)
    dear = allowed >> OPTION & 1 and c.option <= c.union + c.atom
    for above in (CONCAT, UNION) if dear else (CONCAT,):
        _forbid_below(enc, s, above, epsilon)
        _forbid_right(enc, s, above, epsilon)
    for above in (OPTION, STAR):
        _forbid_below(enc, s, above, epsilon)
        if allowed >> EPSILON & 1:
            _forbid_below(enc, s, above, empty)


def progress(enc: TreeEncoding, s: int) -> None:
    """Every operator makes a difference to the infixes: else drop it, which is strictly cheaper.

    ``x+y`` and ``x&y``: neither operand holds all infixes of the other. ``x-y``: some infix is in both.
    ``x*`` accepts some infix that x does not; ``xy`` with x nullable some that y does not, with y nullable
    some that x does not (in these three the operand that remains is included in the whole, so the
    answer accepts the same infixes and no new word).
    """
    layout, f = enc.layout, enc.formula
    if s == 0 or not enc.meaning.second[s]:
        return
    here, below, second = enc.meaning.accepts[s], enc.meaning.accepts[s - 1], enc.meaning.second[s]
    star, concat, difference = layout.of(s, STAR), layout.of(s, CONCAT), layout.of(s, DIFFERENCE)
    pair = [v for v in (layout.of(s, UNION), layout.of(s, INTERSECTION)) if v is not None]

    def differs(name: str, plus: list[int], minus: list[int], sign: int = -1) -> Callable[[int], int]:
        def literal(w: int) -> int:
            v = f.new(f"{name}[{s}][{w}]")
            f.add(-v, plus[w])
            f.add(-v, sign * minus[w])
            return v

        return literal

    if pair:
        for name, one, other in (("first", below, second), ("other", second, below)):
            act = f.new(f"{name} differs[{s}]")
            for v in pair:
                f.add(-v, act)
            enc.demand([-act], differs(name, one, other))
    if difference is not None:
        enc.demand([-difference], differs("shared", below, second, 1))
    if star is not None or concat is not None:
        act = f.new(f"grows[{s}]")
        if star is not None:
            f.add(-star, act)
        if concat is not None:
            f.add(-concat, -second[0], act)
        enc.demand([-act], differs("new", here, below))
    if concat is not None:
        enc.demand([-concat, -below[0]], differs("news", here, second))


def right_nested(enc: TreeEncoding, s: int) -> None:
    """``(xy)z`` → ``x(yz)``, likewise ``+`` and ``&``: as cheap."""
    for op in (CONCAT, UNION, INTERSECTION):
        _forbid_below(enc, s, op, (op, -1))


def sorted_operands(enc: TreeEncoding, s: int) -> None:
    """Operands along a chain of unions or intersections ascend by constructor (and letter), then size.

    As cheap. Compared are the left operand with the right one, or with that one's left operand where
    the chain goes on. Two equal letters are forbidden: ``a+a`` → ``a`` is strictly cheaper.
    """
    layout, f = enc.layout, enc.formula
    rank = {tag: i for i, tag in enumerate(layout.labels)}
    for op in (UNION, INTERSECTION):
        top = layout.of(s, op)
        if top is None:
            continue
        for r, right in layout.right[s].items():
            chain = layout.of(r, op)
            for other, guards in ((r, [] if chain is None else [chain]), (r - 1, [] if chain is None else [-chain])):
                if other < 0 or (other == r - 1 and chain is None):
                    continue
                for tag, x in layout.label[s - 1].items():
                    for m, y in layout.label[other].items():
                        if rank[tag] > rank[m] or (tag == m and tag[0] == LETTER):
                            f.add(-top, -right, *guards, -x, -y)
                        elif tag == m and tag[0] not in (EMPTY, EPSILON):
                            size = s - 1 - r  # of the left operand
                            for k, v in layout.size[other].items():
                                if k < size:
                                    f.add(-top, -right, *guards, -x, -y, -v)


def option_above_union(enc: TreeEncoding, s: int) -> None:
    """``x?+y`` → ``(x+y)?``, ``x+y?`` → ``(x+y)?``: as cheap."""
    _forbid_below(enc, s, UNION, (OPTION, -1))
    _forbid_right(enc, s, UNION, (OPTION, -1))


def letters_first(enc: TreeEncoding, s: int) -> None:
    """``a*a`` → ``aa*``, ``a?a`` → ``aa?``, and ``a*(ay)`` → ``a(a*y)``: as cheap."""
    layout, concat = enc.layout, enc.layout.of(s, CONCAT)
    if concat is None or s < 3:
        return
    for a in range(len(layout.letters)):
        x, letter = layout.label[s - 2][LETTER, a], (LETTER, a)
        r = s - 3
        for op in (STAR, OPTION):
            wrapped = layout.of(s - 1, op)
            if wrapped is not None:
                enc.formula.add(-concat, -wrapped, -x, -layout.label[r][letter])
                chain = layout.of(r, CONCAT)
                if chain is not None and r >= 1:
                    enc.formula.add(-concat, -wrapped, -x, -chain, -layout.label[r - 1][letter])


def common_letter(enc: TreeEncoding, s: int) -> None:
    """``ax+ay`` → ``a(x+y)``: strictly cheaper. ``a+ay``, ``ay+a`` → ``ay?`` where ``?`` is allowed and
    c? ≤ c₊ + c_atom: no dearer and shorter. Along a chain, neighbours are compared."""
    layout, f, c = enc.layout, enc.formula, enc.task.costs
    top, concat = layout.of(s, UNION), CONCAT
    if top is None or not enc.task.allowed >> concat & 1:
        return
    option = enc.task.allowed >> OPTION & 1 and c.option <= c.union + c.atom
    left = layout.of(s - 1, concat)
    for r, right in layout.right[s].items():
        chain = layout.of(r, UNION)
        places = [(r, [])] if chain is None else [(r, []), (r - 1, [-chain])]
        for other, guards in places:
            other_concat = layout.of(other, concat)
            for a in range(len(layout.letters)):
                letter = (LETTER, a)
                if left is not None and other_concat is not None:
                    x, y = layout.label[s - 2][letter], layout.label[other - 1][letter]
                    f.add(-top, -right, *guards, -left, -x, -other_concat, -y)
                if option and other_concat is not None:
                    f.add(-top, -right, *guards, -layout.label[s - 1][letter], -other_concat, -layout.label[other - 1][letter])
                if option and left is not None:
                    f.add(-top, -right, *guards, -left, -layout.label[s - 2][letter], -layout.label[other][letter])


RULES: dict[str, Rule] = {
    "unary": unary,
    "nullable-option": nullable_option,
    "nullable-star": nullable_star,
    "units": units,
    "progress": progress,
    "right-nested": right_nested,
    "sorted-operands": sorted_operands,
    "option-above-union": option_above_union,
    "letters-first": letters_first,
    "common-letter": common_letter,
}
"""Every rule by name."""
