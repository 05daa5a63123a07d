"""Results for people: a panel in a terminal (rich), a table with the automaton in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from regsynth.errors import RegsynthError

if TYPE_CHECKING:
    from rich.panel import Panel

    from regsynth.solvers.results import Result

PROOFS = {
    "optimal": "proven minimal",
    "feasible": "best found; not proven minimal",
    "infeasible": "no such expression exists",
    "unknown": "no answer within the budget",
}
STATES = 40  # larger automata are not drawn
LETTERS = 2_000  # nor are longer expressions turned into automata just to be drawn


def rows(result: Result) -> list[tuple[str, str]]:
    """What both renderings show, as (name, value).

    >>> from regsynth.solvers.results import Result
    >>> rows(Result(None, None, 3, "unknown", "enumerate", 0.5))
    [('status', 'no answer within the budget'), ('lower bound', '3'), ('solver', 'enumerate, 0.500 s')]
    """
    shown = [] if result.regex is None else [("regex", str(result.regex))]
    before = getattr(result, "input_cost", 0)
    if result.cost is not None:
        shown.append(("cost", f"{before} → {result.cost}" if before else str(result.cost)))
    shown.append(("status", PROOFS[result.status]))
    if result.status != "optimal":
        shown.append(("lower bound", str(result.lower_bound)))
    shown.append(("solver", f"{result.solver}, {result.seconds:.3f} s"))
    return shown


def to_rich(result: Result) -> Panel:
    """A panel for a terminal."""
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    styles = {"regex": "bold", "status": "green" if result.status == "optimal" else "yellow"}
    for name, value in rows(result):
        table.add_row(name, Text(value, style=styles.get(name, "")))
    return Panel.fit(table, title=type(result).__name__, title_align="left")


def to_html(result: Result) -> str:
    """A table, and the automaton of the answer when it is small."""
    cells = "".join(
        f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">'
        f"{f'<code>{escape(value)}</code>' if name == 'regex' else escape(value)}</td></tr>"
        for name, value in rows(result)
    )
    return f"<table>{cells}</table>{_picture(result)}"


def _picture(result: Result) -> str:
    from regsynth.automata.drawing import to_svg
    from regsynth.automata.position import to_dfa

    if result.regex is None or result.regex.length > LETTERS:
        return ""
    try:
        dfa = to_dfa(result.regex, states=10 * STATES)
        return to_svg(dfa, title=f"automaton of {result.regex}") if len(dfa) <= STATES else ""
    except RegsynthError:
        return ""
