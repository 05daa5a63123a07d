"""The verb ``redos``: records, exit codes, what is done for one pattern and for many."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import Run, caller, lines

FIELDS = {
    "schema", "id", "pattern", "semantics", "flags", "profile", "verdict", "degree", "family", "reason", "spans", "attack", "constant",
    "confirmed", "cpython", "method", "repair", "seconds",
}  # fmt: skip


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return caller(capsys, "redos")


def test_one_pattern_is_confirmed_and_repaired(run: Run) -> None:
    code, out, err = run(r"^(\w+\s?)*$", "--semantics", "fullmatch")
    (record,) = lines(out)
    assert (code, err) == (1, "") and set(record) == FIELDS
    assert (record["schema"], record["verdict"], record["family"]) == ("regsynth/redos/1", "exponential", "NQ")
    assert record["confirmed"]["status"] == "confirmed" and record["confirmed"]["factor"] > 1.3
    repaired = record["repair"]
    assert repaired["status"] == "equivalent"
    for subject in ("", "ab c", "ab  c", "a ", " a", "a-b"):
        assert bool(re.fullmatch(repaired["pattern"], subject)) == bool(re.fullmatch(r"^(\w+\s?)*$", subject)), subject


def test_a_safe_pattern_exits_zero(run: Run) -> None:
    code, out, _ = run("(a|b)*")
    assert code == 0 and lines(out)[0]["verdict"] == "safe" and lines(out)[0]["repair"] is None


def test_the_default_semantics_is_search(run: Run) -> None:
    code, out, _ = run(r"\s+$", "--confirm", "no", "--repair", "no")
    (record,) = lines(out)
    assert (code, record["verdict"], record["degree"], record["semantics"]) == (1, "polynomial", 2, "search")
    assert record["confirmed"]["status"] == "not tried" and record["repair"] is None


def test_no_time_is_unknown(run: Run) -> None:
    code, out, err = run("a+$", "--timeout", "0.00001")
    assert (code, lines(out)[0]["verdict"], err) == (3, "unknown", "")


def test_many_are_only_screened_unless_asked(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "patterns.txt"
    file.write_text("a+$\nabc\n(oops\n")
    code, out, _ = run("--input", str(file), "--format", "jsonl")
    records = lines(out)
    assert code == 2 and [record["id"] for record in records] == [1, 2, 3]
    assert records[0]["repair"] is None and records[0]["confirmed"]["status"] == "not tried"
    assert records[2]["status"] == "error" and "position" in records[2]
    _, out, _ = run("--input", str(file), "--format", "jsonl", "--repair", "yes")
    assert lines(out)[0]["repair"]["status"] == "equivalent"


def test_json_records_have_a_field_pattern(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "patterns.ndjson"
    file.write_text(json.dumps({"pattern": "x*$", "id": "x"}) + "\n")
    assert lines(run("--input", str(file))[1])[0]["id"] == "x"


def test_flags_matter(run: Run) -> None:
    options = ("--semantics", "fullmatch", "--confirm", "no", "--repair", "no")
    assert lines(run(r"(\n.*)+a", *options)[1])[0]["verdict"] == "safe"
    assert lines(run(r"(\n.*)+a", *options, "--flags", "s")[1])[0]["verdict"] == "exponential"


def test_the_table_is_for_people(run: Run) -> None:
    _, out, _ = run(r"\s+$", "--format", "table", "--confirm", "no")
    assert out.startswith("polynomial n^2") and "attack:" in out
    assert "\n  repair: (?<!\\s)\\s+$" in out


def test_explain_draws(run: Run) -> None:
    _, out, _ = run("(a|aa)+$", "--format", "table", "--explain", "--confirm", "no", "--repair", "no")
    shown = out.splitlines()
    assert shown[0] == "(a|aa)+$" and set(shown[1].strip()) == {"~"}
    assert "one way to read it" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("(a+",), "position 0"),
        (("a", "--explain"), "--format table"),
        (("a", "--confirm", "maybe"), "auto, yes, no"),
        (("a", "--profile", "pcre"), "theory, cpython"),
        (("a", "--semantics", "find"), "search"),
        ((), "nothing to do"),
    ],
)
def test_bad_input(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run(*arguments, "--format", "json") if "--explain" in arguments else run(*arguments)
    assert code == 2 and not out and message in err
    assert len(err.strip().splitlines()) in (1, 3)
