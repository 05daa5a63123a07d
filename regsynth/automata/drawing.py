"""Draw automata: DOT, Mermaid, and SVG without any other program.

>>> from regsynth.automata.position import to_dfa
>>> from regsynth.syntax.formal import parse
>>> print(to_dot(to_dfa(parse("a*b"))))
digraph {
  rankdir=LR; node [shape=circle]; start [shape=none label="" width=0];
  start -> 0;
  1 [shape=doublecircle];
  0 -> 0 [label="a"];
  0 -> 1 [label="b"];
}
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from regsynth.automata.dfa import DFA, bits
from regsynth.automata.layout import arrange
from regsynth.automata.svg import render, text_width
from regsynth.errors import InputError

LIMIT = 60  # states an SVG may have: beyond it the picture says nothing, and the layout is slow


_ENTITIES = {'"': "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;", "&": "#amp;"}


class Graph(NamedTuple):
    """What is drawn: edges with merged labels, and the states that accept."""

    states: list[int]
    labels: dict[tuple[int, int], str]
    accepting: frozenset[int]


def graph_of(dfa: DFA, sink: bool = False) -> Graph:
    """States and edges, parallel edges merged; states that reach no accepting state only if ``sink``."""
    shown = (1 << len(dfa)) - 1 if sink else dfa.live | 1
    letters: dict[tuple[int, int], list[Hashable]] = {}
    for q in bits(shown):
        for symbol, r in zip(dfa.alphabet, dfa.delta[q], strict=True):
            if shown >> r & 1 and (sink or dfa.live >> r & 1):
                letters.setdefault((q, r), []).append(symbol)
    labels = {edge: label(symbols, dfa.alphabet) for edge, symbols in letters.items()}
    return Graph(list(bits(shown)), labels, frozenset(bits(dfa.accepting & shown)))


def label(symbols: Iterable[Hashable], alphabet: Iterable[Hashable] = ()) -> str:
    """The label of an edge; three or more letters in a row become a range.

    >>> label("abcdx"), label("ab"), label("abcd", "abcd")
    ('a–d,x', 'a,b', 'Σ')
    """
    symbols, everything = list(symbols), list(alphabet)
    if len(symbols) > 2 and set(symbols) == set(everything):
        return "Σ"
    parts: list[str] = []
    run: list[str] = []

    def close() -> None:
        parts.extend([f"{_shown(run[0])}–{_shown(run[-1])}"] if len(run) > 2 else map(_shown, run))

    for text in map(str, symbols):
        if run and len(text) == 1 == len(run[-1]) and ord(text) == ord(run[-1]) + 1:
            run.append(text)
            continue
        close()
        run = [text]
    close()
    return ",".join(parts)


def _shown(text: str) -> str:
    if text == " ":
        return "␣"
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def to_dot(dfa: DFA, *, sink: bool = False) -> str:
    """Graphviz source; states that accept nothing are left out unless ``sink``."""
    graph = graph_of(dfa, sink)
    lines = ["digraph {", '  rankdir=LR; node [shape=circle]; start [shape=none label="" width=0];', "  start -> 0;"]
    lines += [f"  {q} [shape=doublecircle];" for q in sorted(graph.accepting)]
    lines += [f"  {q};" for q in graph.states if not any(q in edge for edge in graph.labels) and q not in graph.accepting]
    for (q, r), text in graph.labels.items():
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  {q} -> {r} [label="{quoted}"];')
    return "\n".join([*lines, "}"])


def to_mermaid(dfa: DFA, *, sink: bool = False) -> str:
    """Mermaid source (``flowchart``), which GitHub and notebooks draw.

    >>> from regsynth.automata.position import to_dfa
    >>> from regsynth.syntax.formal import parse
    >>> print(to_mermaid(to_dfa(parse("a*b"))))
    flowchart LR
      start(( )) --> q0
      q0((0))
      q1(((1)))
      q0 -- "a" --> q0
      q0 -- "b" --> q1
      style start fill:none,stroke:none
    """
    graph = graph_of(dfa, sink)
    lines = ["flowchart LR", "  start(( )) --> q0"]
    lines += [f"  q{q}((({q})))" if q in graph.accepting else f"  q{q}(({q}))" for q in graph.states]
    for (q, r), text in graph.labels.items():
        quoted = "".join(_ENTITIES.get(c, c) for c in text)
        lines.append(f'  q{q} -- "{quoted}" --> q{r}')
    return "\n".join([*lines, "  style start fill:none,stroke:none"])


def to_svg(dfa: DFA, *, sink: bool = False, title: str = "deterministic automaton") -> str:
    """A self-contained SVG, laid out here: no Graphviz needed.

    Parameters
    ----------
    dfa : DFA
    sink : bool
        Whether to draw states from which nothing is accepted.
    title : str
        Read out by screen readers.

    Raises
    ------
    InputError
        For more than 60 states; use :func:`to_dot` and a graph viewer.

    Examples
    --------
    >>> from regsynth.automata.position import to_dfa
    >>> from regsynth.syntax.formal import parse
    >>> to_svg(to_dfa(parse("a*b"))).count("<circle")
    3
    """
    graph = graph_of(dfa, sink)
    if len(graph.states) > LIMIT:
        raise InputError(f"{len(graph.states)} states are too many for an SVG (at most {LIMIT}); use to_dot")
    layout = arrange(0, {edge: text_width(text) for edge, text in graph.labels.items()})
    return render(layout, graph.labels, graph.accepting, 0, title)
