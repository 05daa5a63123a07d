"""The automata of a report, each drawn once, in compressed groups that the page unpacks when it needs one."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Hashable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any, cast

from regsynth.automata.dfa import DFA, bits
from regsynth.automata.drawing import label
from regsynth.automata.layout import arrange
from regsynth.automata.svg import STYLE, render, text_width
from regsynth.budget import Budget, Clock
from regsynth.errors import BudgetExceeded, RegsynthError
from regsynth.syntax.charset import CharSet

STATES = 24  # of a drawing: more cannot be read beside a second one, and the layout costs up to 60 ms
BUILT = 100  # states before minimisation: one that small and this much redundant is rare
CHARACTERS = 400  # of an expression that is drawn
LABEL = 18  # characters of an edge's label
FEW = 1_000  # pictures not worth another process
GROUP = 64  # texts compressed together: 290 bytes a drawing, 820 when each stands alone

TOO_LONG = f"longer than {CHARACTERS} characters"
TOO_MANY = f"more than {STATES} states"
NO_TIME = "the time for drawings was used up; raise --drawings"
TOO_LARGE = "its automaton is too large"
NO_AUTOMATON = "no automaton can be built"


class Drawer:
    """Draws the minimal automata of expressions; equal automata share one picture.

    Expressions are taken in first; :meth:`pictures` then draws their automata.

    Parameters
    ----------
    seconds : float
        For all drawings together; later ones are left out, saying so.

    Examples
    --------
    >>> drawer = Drawer(seconds=5.0)
    >>> drawer.take("a+b", "ab"), drawer.take("b+a", "ab"), drawer.take("(a+b)*a(a+b)(a+b)(a+b)(a+b)", "ab")
    (0, 0, 'more than 24 states')
    >>> [picture[:4] for picture in drawer.pictures()]
    ['<svg']
    """

    def __init__(self, *, seconds: float) -> None:
        self.clock: Clock = Budget(seconds=seconds).start()
        self._by_text: dict[tuple[str, str, str, str, str], int | str] = {}
        self._numbers: dict[DFA, int] = {}
        self._urgent: set[int] = set()

    def take(
        self, text: str, letters: Sequence[str] = "", *, dialect: str = "formal", semantics: str = "", flags: str = "", urgent: bool = False
    ) -> int | str:
        """Number of the picture of an expression, or why there is none.

        Parameters
        ----------
        text : str
        letters : sequence of str
            Σ of a formal expression.
        dialect, semantics, flags : str
            How a practical pattern is read, and what "matches" means.
        urgent : bool
            Whether its picture is drawn before others.
        """
        key = (text, "".join(letters), dialect, semantics, flags)
        if key not in self._by_text:
            self._by_text[key] = self._take(*key)
        number = self._by_text[key]
        if urgent and isinstance(number, int):
            self._urgent.add(number)
        return number

    def _take(self, text: str, letters: str, dialect: str, semantics: str, flags: str) -> int | str:
        if len(text) > CHARACTERS:
            return TOO_LONG
        if self.clock.left <= 0:
            return NO_TIME
        try:
            dfa = _formal(text, letters) if dialect == "formal" else _practical(text, dialect, semantics, flags)
        except BudgetExceeded:
            return TOO_LARGE
        except (RegsynthError, RecursionError):
            return NO_AUTOMATON
        if (dfa.live | 1).bit_count() > STATES:
            return TOO_MANY
        return self._numbers.setdefault(dfa, len(self._numbers))

    def pictures(self, *, jobs: int = 1) -> list[str]:
        """SVGs by number; an empty text where the time did not suffice.

        Many pictures are drawn by ``jobs`` processes.
        """
        automata = list(self._numbers)
        out = [""] * len(automata)
        order = sorted(range(len(automata)), key=lambda number: number not in self._urgent)
        todo = (automata[number] for number in order)
        if jobs < 2 or len(automata) < FEW:
            self._fill(out, order, map(picture, todo))
            return out
        from multiprocessing import get_context

        with get_context("fork").Pool(jobs) as pool:  # leaving it ends the processes
            self._fill(out, order, pool.imap(picture, todo, chunksize=32))
        return out

    def _fill(self, out: list[str], order: Sequence[int], drawn: Iterator[str]) -> None:
        for number in order:
            if self.clock.left <= 0:
                return
            out[number] = next(drawn)


def _formal(text: str, letters: str) -> DFA:
    from regsynth.automata.position import to_dfa
    from regsynth.syntax.formal import parse

    expr = parse(text)
    return to_dfa(expr, sorted({*letters, *map(str, expr.alphabet)}), BUILT)


def _practical(text: str, dialect: str, semantics: str, flags: str) -> DFA:
    from regsynth.practical import compile_pattern

    pattern = compile_pattern(text, dialect=dialect, semantics=semantics, flags=flags)
    return pattern.minimal_dfa(budget=Budget(seconds=0.3, memory=64 << 20, states=BUILT))


def picture(dfa: DFA) -> str:
    """SVG without a style of its own: the page has it once.

    >>> from regsynth.practical import compile_pattern
    >>> ">[0-9a-f]</text>" in picture(compile_pattern("[0-9a-f]").minimal_dfa())
    True
    """
    live = dfa.live
    shown = live | 1
    letters: dict[tuple[int, int], list[Hashable]] = {}
    for q in bits(shown):
        for symbol, r in zip(dfa.alphabet, dfa.delta[q], strict=True):
            if live >> r & 1:
                letters.setdefault((q, r), []).append(symbol)
    labels = {edge: _label(symbols, dfa.alphabet) for edge, symbols in letters.items()}
    layout = arrange(0, {edge: text_width(text) for edge, text in labels.items()})
    n = shown.bit_count()
    svg = render(layout, labels, frozenset(bits(dfa.accepting & shown)), 0, f"minimal automaton, {n} state{'s' if n != 1 else ''}")
    return svg.replace(f"<style>{STYLE}</style>\n", "")


def _label(symbols: Sequence[Hashable], alphabet: Sequence[Hashable]) -> str:
    """Letters, or for a practical pattern the set of characters as Python writes it, of an edge."""
    if not isinstance(symbols[0], CharSet):
        text = label(symbols, alphabet)
    elif len(symbols) == len(alphabet) > 1:
        text = "Σ"
    else:
        from regsynth.syntax.python_print import set_text

        text = set_text(reduce(or_, cast(Any, symbols)))
        text = "".join(c if c.isprintable() and c != " " else "␣" if c == " " else f"\\x{ord(c):02x}" for c in text[:LABEL])
    return text if len(text) < LABEL else f"{text[: LABEL - 1]}…"


def packed(texts: Sequence[str]) -> list[str]:
    """Texts in groups of :data:`GROUP`: each a JSON list, deflated (RFC 1950), in base 64.

    >>> import base64, json, zlib
    >>> [json.loads(zlib.decompress(base64.b64decode(group))) for group in packed(["a", "ü"])]
    [['a', 'ü']]
    """
    groups = (json.dumps(texts[i : i + GROUP]).encode() for i in range(0, len(texts), GROUP))
    return [base64.b64encode(zlib.compress(group, 9)).decode() for group in groups]
