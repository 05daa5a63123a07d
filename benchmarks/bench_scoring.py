"""Scoring models' answers, and the report: answers verified, then times.

    python benchmarks/bench_scoring.py [PART…] [--smoke] [--record]

Parts: rows (RegexPSPACE answered by the exact solver, a greedy simplifier and the input itself; its 3,370 pairs by the solver
and by the published labels), references (RegexEval's patterns against themselves), regexeval (7,620 answers of GPT-3.5
beside their authors' verdicts; skipped by --smoke), report (a page of 20,000 distinct items, opened in chromium where
playwright is installed). ``--record`` appends the figures to ``benchmarks/records/scoring.csv``. Times are wall-clock
seconds of whole commands, start-up included, once each. Biases: RegexPSPACE's expressions are short; the page's items are random
expressions of depth 3, whose automata are small.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dated import append, setting, today

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "shared" / "data"
FIGURES: list[tuple[str, object, str]] = []
REGEXEVAL = DATA / "regexeval"


def report(name: str, value: object, note: str = "") -> None:
    """Print a figure and keep it for the record."""
    FIGURES.append((name, value, note))
    print(f"{name:56} {value}  {note}", flush=True)


def bench(*arguments: str) -> tuple[dict[str, Any], float]:
    """What ``regsynth bench`` says, and how long it took."""
    began = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "regsynth", "bench", *arguments, "--format", "json", "--quiet"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    return json.loads(done.stdout), round(time.perf_counter() - began, 2)


def rows(folder: Path, smoke: bool) -> None:
    """Solvers' and baselines' rows; the exact solver's must be perfect."""
    published = str(DATA / "regexpspace" / "regexpspace.jsonl")
    for solver in ("auto", "greedy", "input"):
        found, seconds = bench("run", "--task", "regexmin", "--dataset", published, "--solver", solver)
        shown = ", ".join(f"{name} {found[name]:.4f}" for name in ("minimality", "equivalence", "length_ratio"))
        report(f"regexmin, {solver}: seconds", seconds, shown)
        assert found["n"] == 1685 and found["equivalence"] == 1 and not found["statistics"]["findings"].get("beats_optimum")
        assert solver != "auto" or found["minimality"] == 1
    for solver in ("auto", "label"):
        found, seconds = bench("run", "--task", "regexeq", "--dataset", published, "--solver", solver)
        shown = ", ".join(f"{name} {found[name]:.4f}" for name in ("accuracy", "published_accuracy"))
        report(f"regexeq, {solver}: seconds", seconds, shown)
        assert found["n"] == 3370 and (found["accuracy"] == 1 if solver == "auto" else found["published_accuracy"] == 1)


def references(folder: Path, smoke: bool) -> None:
    """RegexEval's own patterns: 762 of 762 pass under search, 716 under fullmatch."""
    for semantics, right in (("search", 762), ("fullmatch", 716)):
        found, seconds = bench("score", "--task", "nl2re", "--dataset", str(REGEXEVAL / "RegexEval.json"), "--use-reference",
                               "--semantics", semantics, "--no-screen")  # fmt: skip
        report(f"RegexEval references, {semantics}: passed", round(found["pass@1"] * found["n"]), f"{seconds} s")
        assert round(found["pass@1"] * found["n"]) == right


def regexeval(folder: Path, smoke: bool) -> None:
    """GPT-3.5's answers, beside their authors' verdicts."""
    if smoke:
        return
    raw = REGEXEVAL / "GPT3.5_Raw_Output"
    found, seconds = bench(
        "score", "--task", "nl2re", "--dataset", str(REGEXEVAL / "RegexEval.json"), "--predictions", f"{raw}.json", "--k", "1,5,10",
        "--verdicts", f"pass={raw}_Compiled_Result.json", "--verdicts", f"dfa-eq={raw}_DFA_Result.json", "-o", str(folder / "gpt.json"),
    )  # fmt: skip
    shown = ", ".join(f"{name} {found[name]:.4f}" for name in ("pass@1", "pass@10", "dfa-eq@1", "usable@1"))
    report("RegexEval, GPT-3.5: seconds", seconds, shown)
    for kind, told in found["statistics"]["verdicts"].items():
        report(f"others' {kind} verdicts that agree", told["agree"], f"of {told['judged']}; {told['classes']}")
    page, seconds = bench("report", str(folder / "gpt.json"), "-o", str(folder / "gpt.html"), "--drawings", "300")  # all of them
    report("its report: seconds", seconds, f"{page['bytes'] / 1e6:.1f} MB")


def page(folder: Path, smoke: bool) -> None:
    """A page of 20,000 items, no two alike."""
    from regsynth.bench.datasets import load
    from regsynth.bench.report import write
    from regsynth.bench.runner import run
    from regsynth.bench.samples import sample

    count, wanted = (200, 400) if smoke else (2_000, 20_000)
    path = folder / "sample.jsonl"
    path.write_text(sample("regexmin", count=count, seed=0))
    made = run(load("regexmin", path), solver="greedy")
    letters = ["abcd", "bcda", "cdab", "dabc", "acbd", "bdca", "cabd", "dcba", "adcb", "bacd"]
    records = []
    for i in range(wanted):  # the same expressions with other letters: other texts and automata
        renamed = str.maketrans("abcd", letters[i // count])
        record = made.records[i % count]
        texts = {name: str(getattr(record, name)).translate(renamed) for name in ("input", "answer", "reference", "optimum_regex")}
        records.append(dataclasses.replace(record, id=i, **texts))
    began = time.perf_counter()
    written = write([dataclasses.replace(made, n=wanted, records=tuple(records))], folder / "page.html", published=[])
    report(f"a page of {wanted:,} items: seconds", round(time.perf_counter() - began, 2), f"{written.stat().st_size / 1e6:.1f} MB")
    browse(written, wanted)


def browse(path: Path, wanted: int) -> None:
    """Open the page, filter and sort in a real browser."""
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        print("the page is not opened: needs playwright and chromium")
        return
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        view = browser.new_page()

        def timed(name: str, act: Callable[[], object]) -> None:
            began = time.perf_counter()
            act()
            report(f"in the browser, {wanted:,} items: {name}: seconds", round(time.perf_counter() - began, 2))

        def open_item() -> None:
            view.click("#rows tr >> nth=0")
            view.wait_for_selector("dialog[open] svg.regsynth-dfa")

        timed("open", lambda: (view.goto(path.as_uri()), view.wait_for_selector("#rows tr[data-row]")))
        timed("search", lambda: view.fill("#search", "a*b"))
        assert view.inner_text("#found") != f"{wanted:,} items"
        timed("sort", lambda: view.click('.itemtable [data-sort="answer"]'))
        timed("open an item", open_item)
        browser.close()


def record() -> None:
    """Append the figures to the dated record."""
    about = setting() | {"date": today()}
    append("scoring", [about | {"figure": name, "value": value, "note": note} for name, value, note in FIGURES])


PARTS: dict[str, Callable[[Path, bool], None]] = {"rows": rows, "references": references, "regexeval": regexeval, "report": page}


def main() -> int:
    """Run the parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    strange = set(options.parts) - set(PARTS)
    if strange:
        parser.error(f"unknown part {min(strange)!r}; choose from {', '.join(PARTS)}")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.parts or PARTS:
            PARTS[name](Path(folder), options.smoke)
    if options.record:
        record()
    return 0


if __name__ == "__main__":
    sys.exit(main())
