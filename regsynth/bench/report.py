"""``regsynth bench report``: scored runs as one self-contained HTML page.

The page holds no logic of scoring: everything it shows was computed here or when the
runs were scored. It asks the network for nothing (its content security policy forbids
it), and models' answers reach it as JSON that is only ever shown as text.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from regsynth._version import __version__
from regsynth.automata.svg import STYLE
from regsynth.bench.published import rows
from regsynth.bench.report_drawings import GROUP, NO_TIME, Drawer, packed
from regsynth.bench.report_items import category_names, columns, curves, details
from regsynth.bench.report_rows import leaderboards
from regsynth.bench.results import Run, load, write_output
from regsynth.errors import InputError
from regsynth.machine import cores

SCRIPTS = ("data", "text", "leaderboard", "charts", "items", "dialog", "main")
"""The page's script, file by file in ``page/``; put together they are one."""


def write(
    runs: Sequence[Run], path: Path | str, *, title: str = "", command: str = "", published: Iterable[Mapping[str, Any]] | None = None,
    drawings: float = 60.0, resamples: int = 2000,
) -> Path:  # fmt: skip
    """Write the page, whole or not at all.

    Parameters
    ----------
    runs : sequence of Run
        Several of one task and dataset share a leaderboard.
    path : path-like
    title : str
    command : str
        The command that makes the page, shown on it.
    published : iterable of mapping, optional
        Rows of papers; those that come with regsynth by default.
    drawings : float
        Seconds for drawing automata; 0 for none.
    resamples : int
        Of the bootstrap.

    Raises
    ------
    InputError
        Without runs, or where the file cannot be written.
    """
    text = render(runs, title=title, command=command, published=published, drawings=drawings, resamples=resamples)
    write_output(Path(path), [text.encode("utf-8", "backslashreplace").decode()])  # a title may hold lone surrogates
    return Path(path)


def render(
    runs: Sequence[Run], *, title: str = "", command: str = "", published: Iterable[Mapping[str, Any]] | None = None,
    drawings: float = 60.0, resamples: int = 2000,
) -> str:  # fmt: skip
    """The page as text; parameters are those of :func:`write`.

    Examples
    --------
    >>> from regsynth.bench.results import Record
    >>> record = Record(id=1, input="a+a", answer="</script>", category="invalid", values={"minimality": 0.0})
    >>> run = Run(task="regexmin", name="x", n=1, metrics={"minimality": 0.0}, categories={"invalid": 1}, inputs={}, statistics={},
    ...           provenance={}, records=(record,))
    >>> page = render([run])
    >>> page.startswith("<!doctype html>"), page.count("</script>"), "<link rel=stylesheet" in page
    (True, 4, False)
    """
    if not runs:
        raise InputError("no scored run; give files written by 'regsynth bench score --output'")
    drawer = Drawer(seconds=drawings)
    shown, packs = [], []
    for run in runs:
        packs.append(details(run, drawer))
        shown.append({
            "task": run.task, "name": run.name, "n": run.n, "categories": category_names(run), "counts": run.categories,
            "inputs": run.inputs, "statistics": run.statistics, "provenance": run.provenance, "columns": columns(run),
            "curves": curves(run),
        })  # fmt: skip
    heading = title or _title(runs)
    boards = leaderboards(runs, rows() if published is None else published, resamples=resamples)
    data = {
        "title": heading, "version": __version__, "made": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), "command": command,
        "resamples": resamples, "group": GROUP, "no_time": NO_TIME, "boards": boards, "runs": shown,
    }  # fmt: skip
    script = "\n".join(_part(f"{name}.js") for name in SCRIPTS)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    pieces = {
        "title": html.escape(heading), "style": _part("style.css"), "drawing_style": _drawing_style(), "script": script,
        "script_hash": digest, "data": embedded(data), "details": embedded(packs),
        "drawings": embedded(packed(drawer.pictures(jobs=cores()))),
    }  # fmt: skip
    page: list[str] = []
    for piece in _part("page.html").split("@@"):  # text, name, text, name, … text
        page.append(pieces[piece] if len(page) % 2 else piece)
    return "".join(page)


def embedded(value: Any) -> str:
    """JSON that is safe inside a ``script`` element, whatever the texts in it hold.

    >>> embedded({"answer": "</script><!--\\u2028"})
    '{"answer":"\\\\u003c/script\\\\u003e\\\\u003c!--\\\\u2028"}'
    """
    try:
        text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        raise InputError(f"a run holds what is not a number JSON can hold ({error}); score it again") from None
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def read(paths: Sequence[Path | str]) -> list[Run]:
    """Scored runs from their files."""
    return [load(path) for path in paths]


def _part(name: str) -> str:
    return (files("regsynth.bench") / "page" / name).read_text(encoding="utf-8")


def _drawing_style() -> str:
    """The rules of drawings; their colours are the page's, which knows light from dark."""
    return "\n".join(line for line in STYLE.splitlines() if not line.startswith(("@media", "--label", ".regsynth-dfa{", "SFMono")))


def _title(runs: Sequence[Run]) -> str:
    tasks = list(dict.fromkeys(run.task for run in runs))
    return f"{', '.join(tasks)}: {runs[0].name if len(runs) == 1 else f'{len(runs)} runs'}"
