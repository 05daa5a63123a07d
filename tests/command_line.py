"""Calling the command line within the test's process."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from regsynth.cli.main import main

Run = Callable[..., tuple[int, str, str]]


def caller(capsys: pytest.CaptureFixture[str], *before: str) -> Run:
    """A function from arguments (``before`` stands before them) to exit code, standard output and standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        code = main([*before, *map(str, arguments)])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def lines(out: str) -> list[dict[str, Any]]:
    """The records of JSON Lines."""
    return [json.loads(line) for line in out.splitlines()]
