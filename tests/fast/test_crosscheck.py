"""crosscheck: agreement, refusals, detection of a planted fault, and limits on the child process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from regsynth.automata.lazy import LazyDFA
from regsynth.automata.separators import words_of
from regsynth.corpora.crosscheck import Checker
from regsynth.practical import compile_pattern


def test_verdicts() -> None:
    with Checker() as checker:
        assert checker.check(r"(?<=a)b|\bc", semantics="search").verdict == "agrees"
        assert checker.check(rb"[\x80-\xff]+").verdict == "agrees"
        refused = checker.check(r"(a*)\1")
        assert refused.verdict == "unchecked" and refused.reason is not None and refused.reason.startswith("undecidable")


def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    right = LazyDFA.accepts
    monkeypatch.setattr(LazyDFA, "accepts", lambda self, text: right(self, text) or text == "aab")
    with Checker() as checker:
        found = checker.check("a*(?:ab)?c?")  # accepts aab anyway
        assert found.verdict == "agrees"
        found = checker.check("a{2}b?c|a{3}")
        assert found.verdict == "disagrees" and found.word == "aab"


def test_hostile_pattern_does_not_hang() -> None:
    with Checker() as checker:
        result = checker.check("(?:a|a)*(?:a|a)*(?:a|aa)*(?:a|a)*$b", semantics="search", words=60)
        assert result.verdict in ("agrees", "unchecked")
        assert checker.check("a").verdict == "agrees"  # the child still answers, or a new one does


def test_words_lead_through_every_transition() -> None:
    machine = compile_pattern("(?:ab|c)+d{2}").machine()
    words = words_of(machine, limit=300)
    used = set()
    for word in words:
        q = 0
        for char in word:
            letter = machine.partition.index(char)
            assert letter is not None
            used.add((q, letter))
            q = machine.row(q)[letter]
    dfa = machine.complete()
    assert used >= {(q, i) for q in range(len(dfa)) for i in range(len(dfa.alphabet))}


def test_command_line(tmp_path: Path) -> None:
    path = tmp_path / "patterns.ndjson"
    records = [
        {"pattern": "(ab)+", "pypi": [3, 1]},
        {"pattern": "x", "npm": [1, 0], "pypi": [0, 0]},
        {"pattern": "a(", "pypi": [1, 0]},
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    command = [sys.executable, "-m", "regsynth", "crosscheck", "--input", str(path), "--registry", "pypi", "--format", "jsonl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row.get("verdict") or row["status"] for row in rows] == ["agrees", "error"]
    assert done.returncode == 2
