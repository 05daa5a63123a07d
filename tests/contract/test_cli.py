"""The command line: records, formats, exit codes, bad input. In one process, except where a process matters."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from command_line import Run, caller, lines

from regsynth.cli.main import VERBS


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return caller(capsys)


# --- records and formats


def test_minimize_record(run: Run) -> None:
    code, out, err = run("minimize", "a?d*(b+d+d+d)")
    (record,) = lines(out)
    assert (code, err) == (0, "")
    assert list(record)[:2] == ["schema", "id"] and record["schema"] == "regsynth/minimize/1" and record["id"] == 1
    fields = {"schema", "id", "input", "input_cost", "regex", "cost", "lower_bound", "status", "solver", "certificate", "seconds"}
    assert set(record) == fields
    assert (record["input_cost"], record["cost"], record["lower_bound"], record["status"]) == (13, 9, 9, "optimal")


def test_minimize_table(run: Run) -> None:
    _, out, _ = run("minimize", "a?d*(b+d+d+d)", "--format", "table")
    cells = out.strip().split("      ")
    assert cells[1:3] == ["length 13 → 9", "proven minimal"] and cells[3].endswith(" s") and len(cells) == 4
    _, out, _ = run("minimize", "aa", "--format", "table", "--costs", "1,1,1,2,1")
    assert "cost 4 → 4" in out and "\x1b" not in out


def test_eq_and_include_records(run: Run) -> None:
    code, out, _ = run("eq", "(a+b)*", "(a*b*)*")
    (record,) = lines(out)
    fields = {"schema", "id", "first", "second", "verdict", "witness", "accepted_by", "reason", "seconds"}
    assert code == 0 and set(record) == fields
    assert (record["schema"], record["verdict"], record["witness"]) == ("regsynth/eq/1", "equivalent", None)
    code, out, _ = run("eq", "a*", "(aa)*")
    (record,) = lines(out)
    assert (code, record["verdict"], record["witness"], record["accepted_by"]) == (1, "different", "a", "first")
    code, out, _ = run("include", "ab", "(a+b)*")
    assert (code, lines(out)[0]["verdict"], lines(out)[0]["schema"]) == (0, "included", "regsynth/include/1")
    code, out, _ = run("include", "(a+b)*", "ab")
    assert (code, lines(out)[0]["verdict"], lines(out)[0]["witness"]) == (1, "not_included", "")


def test_sigma_is_the_letters_of_the_command(run: Run) -> None:
    assert run("eq", "~a", "ε+aaa*")[0] == 0
    assert run("eq", "~a", "ε+aaa*", "--alphabet", "ab")[0] == 1
    code, out, _ = run("eq", "~a", "ε+aaa*", "b", "b")
    assert code == 1 and [record["verdict"] for record in lines(out)] == ["different", "equivalent"]


def test_formats_of_many(run: Run) -> None:
    _, out, _ = run("eq", "a", "a", "b", "b")
    assert len(lines(out)) == 2
    _, out, _ = run("eq", "a", "a", "b", "b", "--format", "json")
    assert [record["id"] for record in json.loads(out)] == [1, 2]
    _, out, _ = run("eq", "a", "a", "b", "c", "--format", "table")
    assert out.splitlines()[0].startswith("equivalent") and "b is only in the first" in out.splitlines()[1]


def test_state_budget_is_no_answer(run: Run) -> None:
    code, out, _ = run("eq", "(a+b)*a" + "(a+b)" * 24, "(b+a)*a" + "(b+a)" * 24, "--timeout", "0.5")
    assert code == 3 and lines(out)[0]["verdict"] == "unknown" and lines(out)[0]["reason"]


# --- many items


def test_kinds_of_input(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ids(text: str | bytes, *options: str, name: str = "in") -> list[tuple[Any, str]]:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        code, out, err = run("minimize", "--input", str(path), *options)
        assert (code, err) == (0, "")
        return [(record["id"], record["input"]) for record in lines(out)]

    assert ids("a\n\nb+b\r\n") == [(1, "a"), (3, "b+b")]
    assert ids("\ufeffa") == [(1, "a")]
    assert ids('{"q": "a"}\n{"q": "b", "idx": 7}\n{"q": "c", "id": "x"}\n', "--field", "q") == [(1, "a"), (7, "b"), ("x", "c")]
    assert ids('["a", "b"]') == [(1, "a"), (2, "b")]
    assert ids('[\n{"q": "a"},\n{"q": "b"}\n]', "--field", "q") == [(1, "a"), (2, "b")]
    assert ids("[a]\nb") == [(1, "[a]"), (2, "b")]  # brackets are letters
    assert ids(gzip.compress(b"a\nb\n"), name="in.gz") == [(1, "a"), (2, "b")]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"ab\n")))
    assert lines(run("minimize", "--input", "-")[1])[0]["input"] == "ab"


def test_the_name_of_a_file_is_noted(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.b").write_text("a+a\n")
    code, out, err = run("minimize", "a.b")
    assert code == 0 and lines(out)[0]["regex"] == "ab" and err.count("\n") == 1 and "--input a.b" in err
    assert run("minimize", "a.b", "--quiet")[2] == "" and run("minimize", "ab", "a.c")[2] == ""


def test_kinds_of_pairs(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "in"
    for text, options in [
        ("a\ta\na\tb\n", ()),
        ('{"first": "a", "second": "a"}\n{"first": "a", "second": "b"}\n', ()),
        ('[["a", "a"], ["a", "b"]]', ()),
        ('{"x": "a", "y": "a"}\n{"x": "a", "y": "b"}\n', ("--field", "x,y")),
    ]:
        path.write_text(text)
        code, out, _ = run("eq", "--input", str(path), *options)
        assert code == 1 and [record["verdict"] for record in lines(out)] == ["equivalent", "different"]


def test_one_bad_line_is_one_error_record(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_bytes(b"a\nb)\n\xff\nc\n")
    code, out, err = run("minimize", "--input", str(path))
    records = lines(out)
    assert (code, err) == (2, "") and [record["status"] for record in records] == ["optimal", "error", "error", "optimal"]
    assert "position 1" in records[1]["message"] and records[1]["position"] == 1 and "UTF-8" in records[2]["message"]
    path.write_text('{"z": "a"}\n{"q": 5}\nno\n{"q": "a"}\n')
    code, out, _ = run("minimize", "--input", str(path), "--field", "q")
    assert code == 2 and [record["status"] for record in lines(out)] == ["error"] * 3 + ["optimal"]


def test_long_files_of_pairs_agree_with_short_ones(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [("a" * (i % 7) + "b?", "a" * (i % 5) + "b?") for i in range(60)] + [("a)", "b"), ("~a", "b*")]
    path = tmp_path / "in"
    path.write_text("\n".join("\t".join(pair) for pair in pairs))

    def answers() -> list[dict[str, Any]]:
        return [{k: v for k, v in record.items() if k != "seconds"} for record in lines(run("eq", "--input", str(path))[1])]

    plain = answers()
    monkeypatch.setattr("regsynth.cli.pairs.PAYS", 0.0)
    assert answers() == plain and {record.get("verdict") for record in plain} == {"equivalent", "different", None}


def test_workers_keep_the_order(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regsynth.cli.runner.PAYS", 0.0)
    path = tmp_path / "in"
    path.write_text("".join(f"{'a' * n}+b\n" for n in range(1, 30)) + "(\n")
    code, out, _ = run("minimize", "--input", str(path), "--jobs", "2")
    assert code == 2 and [record["id"] for record in lines(out)] == list(range(1, 31))


def test_gravest_of_a_batch(run: Run) -> None:
    assert run("eq", "a", "a", "a", "b")[0] == 1
    hard = ["(a+b)*a" + "(a+b)" * 24, "(b+a)*a" + "(b+a)" * 24]
    assert run("eq", "a", "b", *hard, "--timeout", "0.3")[0] == 3
    assert run("eq", "a", "b", *hard, "a", ")", "--timeout", "0.3")[0] == 2


# --- bad input: one line on stderr, exit 2, nothing on stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["minimize"], "give an expression"),
        (["minimize", "(a"], "unmatched '('"),
        (["minimize", "a)"], "unmatched ')'"),
        (["minimize", ""], "empty expression"),
        (["minimize", "abe", "--alphabet", "abc"], "letter 'e' is not in the alphabet 'abc'"),
        (["minimize", "a", "--alphabet", ""], "--alphabet"),
        (["minimize", "a", "--alphabet", "aa"], "twice"),
        (["minimize", "a", "--costs", "1,2"], "2 numbers"),
        (["minimize", "a", "--costs", "1,0,1,1,1"], "option is 0"),
        (["minimize", "a", "--costs", "-1,1,1,1,1"], "atom is -1"),
        (["minimize", "a", "--costs", "cheap"], "not whole numbers"),
        (["minimize", "a", "--costs"], "needs a value"),
        (["minimize", "a", "--costs", "tree", "--costs", "tree"], "twice"),
        (["minimize", "a", "--ops", "?%"], "'%' at position 1"),
        (["minimize", "a", "--input", "x"], "not both"),
        (["minimize", "a", "--field", "x"], "--input"),
        (["minimize", "a", "--format", "xml"], "table, json, jsonl"),
        (["minimize", "a", "--timeout", "soon"], "--timeout"),
        (["minimize", "a", "--timeout", "nan"], "--timeout"),
        (["minimize", "a", "--memory-limit", "much"], "8GiB"),
        (["minimize", "a", "--jobs", "0"], "--jobs"),
        (["minimize", "a", "--quiet=yes"], "no value"),
        (["minimize", "a", "--allphabet", "ab"], "did you mean --alphabet?"),
        (["minimize", "-a"], "put -- before"),
        (["minimize", "a\udcff"], "not UTF-8"),
        (["minimize", "--input", "/no/such/file"], "No such file"),
        (["minimize", "--input", "/"], "directory"),
        (["eq", "a"], "two expressions"),
        (["eq", "a", "b)"], "unmatched"),
        (["eq", "a", "b", "--field", "x"], "--input"),
        (["nonsense"], "unknown verb"),
        (["minimise", "a"], "did you mean 'minimize'?"),
    ],
)
def test_bad_arguments(run: Run, arguments: list[str], says: str) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "") and says in err
    message, *caret = err.splitlines()
    assert message.startswith("regsynth: ") and len(message) < 300 and len(caret) in (0, 2)


@pytest.mark.parametrize(
    ("content", "options", "says"),
    [
        (b"", [], "empty"),
        (b"\n \n", [], "empty"),
        (b"\0\1\2", [], "binary"),
        (b"\xff\xfe\xfd", [], "UTF-8"),
        (b"\x1f\x8b broken", [], "cannot be read"),
        (b'{"q": "a"}\n', [], "--field q"),
        (b'{"q": "a"}\n{"q": "b"}\n', ["--field", "z"], "no field 'z'; it has 'q'"),
        (b"a\nb\n", ["--field", "q"], "line 1"),
        (b'{"q": "a"}', ["--field", "q,r"], "1 field name"),
        (b"[]", [], "empty list"),
    ],
)
def test_bad_files(run: Run, tmp_path: Path, content: bytes, options: list[str], says: str) -> None:
    path = tmp_path / "in"
    path.write_bytes(content)
    code, out, err = run("minimize", "--input", str(path), *options)
    assert (code, out) == (2, "") and says in err and len(err.splitlines()) == 1


def test_the_position_is_under_the_caret(run: Run) -> None:
    _, _, err = run("eq", "a", "ab(c+")
    _, text, caret = err.splitlines()
    assert text == "ab(c+" and caret.index("^") == 5


@pytest.mark.parametrize("text", ["(" * 100_000 + "a" + ")" * 100_000, "(" * 1_000_000])
def test_large_and_deep_input(run: Run, tmp_path: Path, text: str) -> None:
    path = tmp_path / "in"
    path.write_text(text)
    code, out, _ = run("minimize", "--input", str(path), "--timeout", "5")
    (record,) = lines(out)
    assert (code, record["status"]) == ((0, "optimal") if ")" in text else (2, "error"))


@pytest.mark.slow
def test_a_megabyte_of_two_letters(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_text("(" + "+".join("ab" * 260_000) + ")*\t(a+b)*")
    code, out, _ = run("eq", "--input", str(path), "--timeout", "2", "--memory-limit", "1GiB")
    assert code in (0, 3) and lines(out)[0]["verdict"] in ("equivalent", "unknown")


# --- help, processes, signals


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_each_verb(run: Run, verb: str) -> None:
    code, out, err = run(verb, "--help")
    assert (code, err) == (0, "") and f"usage: regsynth {verb}" in out and "--format" in out
    assert max(map(len, out.splitlines())) <= 120


def test_overview_and_version(run: Run) -> None:
    code, out, _ = run("--help")
    assert code == 0 and all(verb in out for verb in VERBS)
    assert run("help", "eq")[1] == run("eq", "-h")[1]
    assert run("--version")[1].startswith("regsynth 0.")
    assert run()[0] == 2


def test_a_disagreement_ends_in_4_and_says_how_to_report(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from regsynth.cli import pairs
    from regsynth.errors import MethodsDisagree

    def disagree(*_: object, **__: object) -> None:
        raise MethodsDisagree("answers differ")

    monkeypatch.setattr(pairs, "compare", disagree)
    code, out, err = run("eq", "a", "b")
    assert (code, out) == (4, "") and "answers differ" in err and "report" in err
    code, out, _ = run("eq", "a", ")", "a", "b")
    assert code == 4 and [record["status"] for record in lines(out)] == ["error", "methods_disagree"]


def test_a_crash_is_no_verdict(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python ends a crash with 1, which would read as "different"."""
    from regsynth.cli import pairs

    def crash(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(pairs, "compare", crash)
    code, out, err = run("eq", "a", "b")
    assert (code, out) == (4, "") and "oops" in err and "report" in err
    code, out, _ = run("eq", "a", "b", "a", ")")
    assert code == 4 and [record["status"] for record in lines(out)] == ["internal_error", "error"]


def _start(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "regsynth", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_interrupt_keeps_finished_records(tmp_path: Path, jobs: str) -> None:
    hard = "(a+b)*a" + "(a+b)" * 24 + "\t" + "(b+a)*a" + "(b+a)" * 24
    path = tmp_path / "in"
    path.write_text("a\ta\nb\tb\n" + (hard + "\n") * 20)
    # jobs in the background of a shell ignore SIGINT, and so would what they start
    process = _start("eq", "--alphabet", "ab", "--input", str(path), "--jobs", jobs, "--timeout", "30",
                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))  # fmt: skip
    assert process.stdout is not None
    first = [json.loads(process.stdout.readline()) for _ in range(2)]
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130 and "Traceback" not in err
    assert [record["verdict"] for record in first] == ["equivalent"] * 2 and out == ""


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    path = tmp_path / "in"
    path.write_text("a\ta\n" * 20_000)
    process = _start("eq", "--input", str(path))
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == "" and process.wait(30) == 141


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
@pytest.mark.parametrize("no_color", [False, True])
def test_a_terminal_gets_a_table(no_color: bool) -> None:
    main_end, other = os.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM")} | {"TERM": "xterm"}
    if no_color:
        environment["NO_COLOR"] = "1"
    subprocess.run([sys.executable, "-m", "regsynth", "eq", "a", "a"], stdout=other, env=environment, check=True)
    shown = os.read(main_end, 1000).decode()
    os.close(other)
    os.close(main_end)
    assert "equivalent" in shown and ("\x1b[" in shown) != no_color
