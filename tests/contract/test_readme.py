"""The README says what happens: its shell examples are run, and only the times may differ."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from regsynth.cli.main import main

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.search(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
assert BLOCK is not None
EXAMPLES = [part.strip().split("\n") for part in BLOCK.group(1).split("$ regsynth ")[1:]]


def timeless(line: str) -> str:
    return re.sub(r"\d+\.\d+ s$", "… s", line.rstrip())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example[0])
def test_example(example: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main([*shlex.split(example[0]), "--format", "table"])
    out = capsys.readouterr().out
    if "--costs" in example[0]:  # several cheapest expressions exist: any will do
        assert timeless(out).split("      ")[1:] == timeless(example[1]).split("      ")[1:]
    else:
        assert timeless(out) == timeless(example[1])


def test_exactly_two_setup_commands() -> None:
    text = README.read_text(encoding="utf-8")
    blocks = re.findall(r"<!-- (\w+) command -->\n```sh\n([^\n]+)\n```", text)
    assert [name for name, _ in blocks] == ["main", "test"] and text.count("```sh") == 2


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README.read_text(encoding="utf-8")):
        assert (README.parent / target).exists(), target
