"""Make docs/images/report-*.png: the report of four rows on our own sample, in a real browser.

Needs ``pip install 'regsynth[report]'`` and chromium on the path.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import sync_playwright

from regsynth.bench.datasets import load
from regsynth.bench.inputs import given_predictions
from regsynth.bench.items import Dataset
from regsynth.bench.report import write
from regsynth.bench.results import Run
from regsynth.bench.runner import run
from regsynth.bench.samples import sample

IMAGES = Path(__file__).parent / "images"
ROWS = (("auto", "regsynth exact"), ("greedy", "greedy simplifier"), ("input", "input unchanged"))
COMMAND = "regsynth bench report results/*.json -o leaderboard.html"


def made_up(dataset: Dataset) -> Run:
    """Answers of no model: each item's own expression, its optimum, another item's, or something that is none."""
    rng = random.Random(2)
    answers: dict[Any, dict[str, Any]] = {}
    for item in dataset.items:
        other = rng.choice(dataset.items)
        said = [item.label_regex, item.input, other.label_regex, f"{item.label_regex})", "and so on, and on " * 20]
        text = rng.choices(said, [10, 4, 4, 1, 1])[0]
        answers[item.id] = {"response": f"Both branches begin alike. So the answer is \\boxed{{{text}}}" if text != said[4] else text,
                            "tokens": 40 + 3 * len(item.input) + rng.randrange(60)}  # fmt: skip
    return run(dataset, given_predictions(answers), name="made-up answers")


def main() -> None:
    """Score, write the page, take the pictures."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sample.jsonl"
        path.write_text(sample("regexmin", count=400, seed=1))
        dataset = load("regexmin", path)
        runs = [run(dataset, solver=solver, name=name) for solver, name in ROWS]
        page = write([made_up(dataset), *runs], Path(folder) / "report.html", title="RegexMin on a sample", command=COMMAND, published=[])
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            shoot(browser, page, "desktop", {"width": 1280, "height": 860}, "light", "")
            shoot(browser, page, "item-dark", {"width": 1280, "height": 860}, "dark", "different")
            shoot(browser, page, "phone", {"width": 390, "height": 844}, "light", "")
            shoot(browser, page, "phone-item", {"width": 390, "height": 844}, "light", "different")
            browser.close()


def shoot(browser: Any, path: Path, name: str, size: dict[str, int], scheme: str, category: str) -> None:
    """One picture: of the top, or of the first item of a category."""
    context = browser.new_context(viewport=size, color_scheme=scheme)
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("#rows tr[data-row]")
    if category:
        page.check(f'#categories input[data-category="{category}"]')
        page.click("#rows tr >> nth=1")
        page.wait_for_selector("dialog[open]")
    page.screenshot(path=str(IMAGES / f"report-{name}.png"))
    context.close()


if __name__ == "__main__":
    main()
