"""The report in a real browser: filter, sort, open an item, check its witness; by keyboard, at phone width, with 20,000 items."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bench_runs import make_run

import regsynth
from regsynth.automata.position import to_dfa
from regsynth.bench import report
from regsynth.bench.datasets import load
from regsynth.bench.runner import run
from regsynth.syntax.formal import parse

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'regsynth[report]'")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on the path, or its path in CHROMIUM"),
]
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


class Opened:
    """A page of a report, which notes every error and every request that leaves the file."""

    def __init__(self, browser: Any, path: Path, *, size: dict[str, int] = DESKTOP, scheme: str = "light") -> None:
        self.context = browser.new_context(viewport=size, color_scheme=scheme)
        self.page = self.context.new_page()
        self.faults: list[str] = []
        self.page.on("console", lambda message: self.faults.append(message.text) if message.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda request: self.faults.append(request.url) if not request.url.startswith(("file:", "data:")) else None)
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("#rows tr[data-row]")

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, kind: Any, *rest: Any) -> None:
        self.context.close()
        if kind is None:
            assert not self.faults, self.faults

    def column(self, number: int) -> list[str]:
        """Texts of a column on the current page, from 0."""
        return self.page.eval_on_selector_all("#rows tr[data-row]", f"rows => rows.map(row => row.cells[{number}].innerText.trim())")

    def found(self) -> str:
        return str(self.page.inner_text("#found"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "leaderboard.html"
    published = [{"task": "regexmin", "name": "a paper's model", "metrics": {"minimality": 0.6}, "source": "Table 1", "note": "as printed"}]
    return report.write([make_run(800), make_run(800, name="model B", seed=1, good=2.0)], path, published=published)


def test_filter_sort_open_and_check_a_witness(browser: Any, made: Path) -> None:
    run = make_run(800)
    with Opened(browser, made) as view:
        page = view.page
        assert view.found() == "800 items"
        page.check('#categories input[data-category="different"]')
        wanted = [r for r in run.records if r.category == "different"]
        assert view.found() == f"{len(wanted)} of 800 items"
        assert set(view.column(1)) == {"valid, not equivalent"}
        page.fill("#search", "a?d*")
        wanted = [r for r in wanted if "a?d*" in f"{r.id}\n{r.input}\n{r.answer}\n{r.witness}"]
        assert 0 < len(wanted) < 50 and view.found() == f"{len(wanted)} of 800 items"
        page.click('.itemtable [data-sort="tokens"]')
        tokens = [int(text) for text in view.column(9)]
        assert tokens == sorted(r.tokens or 0 for r in wanted)
        page.click('.itemtable [data-sort="tokens"]')
        assert [int(text) for text in view.column(9)] == tokens[::-1]
        assert page.get_attribute('.itemtable th:has([data-sort="tokens"])', "aria-sort") == "descending"

        page.click("#rows tr >> nth=0")
        page.wait_for_selector("dialog[open]")
        pairs = "terms => Object.fromEntries(terms.map(t => [t.innerText, t.nextSibling.innerText]))"
        shown = page.eval_on_selector_all("dialog dt", pairs)
        sentence = page.inner_text("#witness")
        word = page.inner_text("#witness code")
        word = "" if word.startswith("ε") else word
        texts = {"reference": shown["input"], "answer": shown["answer"]}
        accepts = {name: to_dfa(parse(text), "abcd").accepts(word) for name, text in texts.items()}
        assert accepts["reference"] != accepts["answer"], "the witness on the page tells the expressions apart"
        assert f"is accepted by the {'reference' if accepts['reference'] else 'answer'} only" in sentence
        assert regsynth.minimize(shown["input"]).cost == regsynth.parse(shown["optimum"]).length
        assert page.locator("dialog svg.regsynth-dfa").count() == 2
        states = page.eval_on_selector_all("dialog svg.regsynth-dfa", "all => all.map(svg => svg.querySelectorAll('.state').length)")
        live = [to_dfa(parse(shown[name])).live.bit_count() for name in ("input", "answer")]
        assert states == live

        name = page.inner_text("#item-head")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("name => document.querySelector('#item-head').innerText !== name", arg=name)
        page.keyboard.press("Escape")
        assert page.locator("dialog[open]").count() == 0
        page.click("#clear")
        assert view.found() == "800 items"


def test_equivalent_expressions_show_one_automaton(browser: Any, made: Path) -> None:
    with Opened(browser, made) as view:
        view.page.check('#categories input[data-category="longer"]')
        view.page.click("#rows tr >> nth=0")
        view.page.wait_for_selector("dialog[open]")
        assert view.page.locator("dialog svg.regsynth-dfa").count() == 1
        assert "the same minimal automaton" in view.page.inner_text("dialog figcaption")


def test_pairs_and_what_others_said_are_shown(browser: Any, tmp_path: Path) -> None:
    made = labelled_pairs(tmp_path)
    path = report.write([made], tmp_path / "pairs.html", published=[])
    with Opened(browser, path) as view:
        page = view.page
        assert page.eval_on_selector_all(".itemtable th", "all => all.map(th => th.innerText)")[2:5] == ["input", "second", "answer"]
        page.check("#finding")
        assert view.found() == f"1 of {made.n} items"
        page.click("#rows tr >> nth=0")
        page.wait_for_selector("dialog[open]")
        assert "is accepted by the second expression only." in page.inner_text("#witness")
        assert "label error" in page.inner_text("dialog")
        assert page.locator("dialog svg.regsynth-dfa").count() == 2


def labelled_pairs(folder: Path) -> Any:
    """Pairs scored by their labels, one of which is wrong."""
    path = folder / "pairs.jsonl"
    pairs = [("a+b", "b+a", True), ("a", "a*", True), ("(ab)*a", "a(ba)*", True), ("a?", "aa?", False)]
    path.write_text("".join(json.dumps({"id": i, "first": a, "second": b, "equivalent": e}) + "\n" for i, (a, b, e) in enumerate(pairs)))
    return run(load("regexeq", path), solver="label")


def test_the_keyboard_alone_is_enough(browser: Any, made: Path) -> None:
    with Opened(browser, made) as view:
        page = view.page
        page.keyboard.press("/")
        page.keyboard.type("dc*")
        assert view.found() != "800 items"
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        row = page.evaluate("document.activeElement.dataset.row")
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog[open]")
        assert page.url.endswith(f"#item=0.{row}")
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.dataset.row") == row, "focus goes back to the row"
        page.keyboard.press("PageDown")
        assert "page 2 of" in page.inner_text(".pager")


def test_an_address_opens_its_item(browser: Any, made: Path) -> None:
    with Opened(browser, made) as view:
        view.page.goto(f"{made.as_uri()}#item=1.2")
        view.page.reload()
        view.page.wait_for_selector("dialog[open]")
        assert view.page.inner_text("#item-head") == "Item 2"
        assert view.page.input_value("#run") == "1"


def test_the_leaderboard_sorts_and_its_bars_lead_to_items(browser: Any, made: Path) -> None:
    with Opened(browser, made) as view:
        page = view.page
        names = "all => all.map(th => th.innerText.split(/[\\s\\n]+/).slice(0, 2).join(' '))"
        first = page.eval_on_selector_all(".board tbody th", names)
        assert first == ["model B", "a paper's", "model A"], "by minimality: 0.75 or so, 0.6, 0.5"
        page.select_option("#leaderboards select", "")
        assert page.eval_on_selector_all(".board tbody th", names) == ["model B", "model A"]
        page.select_option("#leaderboards select", "papers")
        page.click('.board [data-sort="minimality"]')
        assert page.eval_on_selector_all(".board tbody th", names) == first[::-1]
        assert "95 % interval" in page.inner_text("#leaderboards")
        low, high = page.inner_text(".board tr.run >> nth=0 >> td >> nth=0 >> small").replace("\u202f%", "").split(" … ")
        value = float(page.inner_text(".board tr.run >> nth=0 >> td >> nth=0 >> span").replace("\u202f%", ""))
        assert float(low) < value < float(high)
        page.click(".bar >> nth=1 >> button >> nth=2")
        assert page.input_value("#run") == "1" and set(view.column(1)) == {"valid, not equivalent"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(browser: Any, made: Path, scheme: str) -> None:
    with Opened(browser, made, scheme=scheme) as view:
        colours = view.page.evaluate("""() => ['body', '.quiet', '.itemtable code', '.board small', '.pick'].map(name => {
            const element = document.querySelector(name);
            let behind = element;
            const clear = (e) => getComputedStyle(e).backgroundColor;
            while (clear(behind) === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
            return [name, getComputedStyle(element).color, clear(behind)];
        })""")
        for name, text, behind in colours:
            assert contrast(text, behind) >= 4.5, (name, text, behind)
        dark = sum(channels(colours[0][2])) < 200
        assert dark == (scheme == "dark")
        view.page.click("#theme")  # from auto to light
        view.page.click("#theme")
        assert sum(channels(view.page.evaluate("getComputedStyle(document.body).backgroundColor"))) < 200, "dark by choice"


def channels(colour: str) -> list[float]:
    return [float(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours (WCAG 2)."""

    def luminance(colour: str) -> float:
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in channels(colour))]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_a_phone_scrolls_only_down(browser: Any, made: Path) -> None:
    with Opened(browser, made, size=PHONE) as view:
        page = view.page
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.select_option("#sorting", "cost down")
        assert page.get_attribute('.itemtable th:has([data-sort="cost"])', "aria-sort") == "descending"
        page.click("#rows tr >> nth=0")
        page.wait_for_selector("dialog[open]")
        box = page.locator("dialog").bounding_box()
        assert box is not None and box["x"] >= 0 and box["width"] <= PHONE["width"]
        assert page.evaluate("document.querySelector('dialog').scrollWidth") <= PHONE["width"]


def test_markup_in_an_answer_stays_text(browser: Any, tmp_path: Path) -> None:
    run = make_run(6)
    nasty = "<img src=x onerror=alert(1)>\u202e\x00"
    records = tuple(dataclasses.replace(r, answer=nasty, raw=nasty, reason=nasty, category="invalid") for r in run.records)
    run = dataclasses.replace(run, name=nasty, records=records, categories={"invalid": 6})
    path = report.write([run], tmp_path / "r.html", published=[])
    with Opened(browser, path) as view:
        view.page.click("#rows tr >> nth=0")
        view.page.wait_for_selector("dialog[open]")
        assert view.page.locator("img").count() == 0
        assert view.page.inner_text("dialog pre") == "<img src=x onerror=alert(1)>\\u202e\\u0000"


def test_twenty_thousand_items_stay_quick(browser: Any, tmp_path: Path) -> None:
    began = time.perf_counter()
    path = report.write([make_run(20_000), make_run(20_000, name="model B", seed=1)], tmp_path / "big.html", published=[])
    wrote = time.perf_counter() - began
    began = time.perf_counter()
    with Opened(browser, path) as view:
        opened = time.perf_counter() - began
        page = view.page
        began = time.perf_counter()
        page.fill("#search", "19999")
        assert view.found() == "1 of 20,000 items"
        filtered = time.perf_counter() - began
        page.fill("#search", "")
        began = time.perf_counter()
        page.click('.itemtable [data-sort="answer"]')
        assert view.column(3) == sorted(view.column(3))
        sorted_in = time.perf_counter() - began
        page.keyboard.press("End")
        page.click("#next")
        page.click("#rows tr >> nth=49")
        page.wait_for_selector("dialog[open]")
        assert page.locator("#rows tr").count() == 50, "a page at a time"
    print(f"20,000 items twice: {path.stat().st_size / 1e6:.1f} MB written in {wrote:.1f} s, opened in {opened:.2f} s, "
          f"filtered in {filtered:.2f} s, sorted in {sorted_in:.2f} s")  # fmt: skip
    assert max(opened, filtered, sorted_in) < 15
