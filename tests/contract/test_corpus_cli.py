"""corpus, label and audit: records, formats, exit codes, bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Run, caller


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return caller(capsys)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"id": 1, "query": "a?d*(b+d+d+d)"}\n{"id": 2, "query": "aa*+a"}\n', encoding="utf-8")
    return path


def one_line(code: int, out: str, err: str) -> bool:
    return code == 2 and out == "" and err.count("\n") == 1


def test_list_and_info(run: Run, corpus: Path) -> None:
    code, out, err = run("corpus", "list")
    rows = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (0, "") and {"lrd", "urmt", "regexpspace", "reic", "regexeval", "kb13"} <= {r["id"] for r in rows}
    assert all({"what", "records", "licence", "source", "dialect", "semantics"} <= set(r) for r in rows)
    _, table, _ = run("corpus", "list", "--format", "table")
    assert all(r["id"] in table for r in rows)
    code, out, _ = run("corpus", "info", corpus)
    record = json.loads(out)
    assert (code, record["records"], record["represented"], record["operators"]["+"]) == (0, 2, 2, 2)
    assert "represented 2 (100.00 %)" in run("corpus", "info", corpus, "--format", "table")[1]


def test_generate(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("corpus", "generate", "urmt", "--count", 30, "--seed", 3, "--output", tmp_path / "urmt")
    assert (code, json.loads(out)["records"]) == (0, 30)
    assert len((tmp_path / "urmt" / "urmt.jsonl").read_text(encoding="utf-8").splitlines()) == 30


def test_benchmark_rebuilt_from_a_small_lrd(run: Run, tmp_path: Path) -> None:
    run("corpus", "generate", "lrd", "--letters", "ab", "--output", tmp_path / "lrd")
    source, output = tmp_path / "lrd", tmp_path / "made"
    code, out, _ = run("corpus", "generate", "regexpspace", "--from", source, "--output", output, "--jobs", 1)
    made = json.loads(out)
    assert code == 0 and made["records"] > 50
    turns = list(made["survivors"]["in_turn"].values())
    assert made["survivors"]["test"] >= turns[0] >= turns[1] >= turns[2] >= turns[3] == made["records"]
    code, out, _ = run("audit", tmp_path / "made" / "benchmark.jsonl", "--format", "json")
    assert code == 0 and json.loads(out)["checked"]["not_equivalent_regex"] == made["records"] - made["without_partner"]
    records = [json.loads(line) for line in (tmp_path / "made" / "benchmark.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all(r["tree_length"] > r["minimized_tree_length"] and len(set(r["positive_examples"])) == 20 for r in records)


def test_label_and_audit(run: Run, corpus: Path, tmp_path: Path) -> None:
    code, out, err = run("label", corpus, "--output", tmp_path / "out", "--scheduler", "serial")
    record = json.loads(out)
    assert (code, err, record["schema"], record["status"]) == (0, "", "regsynth/label-summary/1", "optimal")
    assert record["by_status"] == {"optimal": 2} and record["minimal_costs"] == {"4": 1, "9": 1}
    code, out, _ = run("audit", tmp_path / "out", "--format", "jsonl")
    assert (code, out) == (0, "")
    corpus.write_text('{"id": "x", "query": "aa*", "tree_length": 5, "positive_example": ""}\n', encoding="utf-8")
    code, out, _ = run("audit", corpus, "--format", "jsonl")
    first, second = map(json.loads, out.splitlines())
    assert code == 1 and (first["id"], first["field"], first["claim"], first["found"]) == ("x", "tree_length", 5, 4)
    assert second["witness"] == "" and "cheaper" not in second
    _, table, _ = run("audit", corpus, "--format", "table")
    assert "tree_length" in table and "1 records, 2 claims checked, 2 wrong" in table


def test_exit_codes_of_label(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("aa*\na)\n", encoding="utf-8")
    assert run("label", path, "--output", tmp_path / "bad", "--scheduler", "serial")[0] == 2
    assert (tmp_path / "bad" / "labels" / "00000.jsonl").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("corpus",), ("corpus", "what"), ("corpus", "list", "x"), ("corpus", "info"), ("corpus", "info", "nowhere"),
        ("corpus", "info", "kb13"), ("corpus", "generate", "lrd"), ("corpus", "generate", "nothing", "--output", "OUT"),
        ("corpus", "generate", "urmt", "--depth", "3", "--output", "OUT"),
        ("corpus", "generate", "urmt", "--letters", "aa", "--output", "OUT"),
        ("corpus", "generate", "lrd", "--depth", "5", "--output", "OUT"),
        ("corpus", "generate", "regexpspace", "--output", "OUT"),
        ("corpus", "generate", "regexpspace", "--from", "OUT", "--output", "OUT/x"),
        ("label",), ("label", "nowhere", "--output", "OUT"), ("label", "CORPUS"),
        ("label", "CORPUS", "--output", "OUT", "--shard", "9"),
        ("label", "CORPUS", "--output", "OUT", "--scheduler", "nowhere.json"), ("label", "CORPUS", "--output", "CORPUS"),
        ("label", "CORPUS", "--output", "OUT", "--field", "nothing"),
        ("audit",), ("audit", "nowhere"), ("audit", "CORPUS", "--jobs", "0"),
    ],
)  # fmt: skip
def test_bad_usage_is_one_line(run: Run, corpus: Path, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    replaced = [a.replace("OUT", str(tmp_path / "out")).replace("CORPUS", str(corpus)) for a in arguments]
    assert one_line(*run(*replaced)), run(*replaced)


def test_interrupt_keeps_what_is_done(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text("".join(f"a{'b' * (i % 9)}(c+d)*{'a?' * (i // 9)}\n" for i in range(40)), encoding="utf-8")
    code = "import sys, regsynth.corpora.executors as e\nfrom regsynth.cli.main import main\n" \
           "run = e.Serial.run\ndef stop(self, *a):\n for i, x in enumerate(run(self, *a)):\n" \
           "  if i == 5: raise KeyboardInterrupt\n  yield x\n" \
           "e.Serial.run = stop\nsys.exit(main(sys.argv[1:]))"  # fmt: skip
    command = ["label", str(path), "--output", str(tmp_path / "out"), "--scheduler", "serial"]
    first = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True)
    assert first.returncode == 130 and "go on" in first.stderr
    assert (tmp_path / "out" / "journal.jsonl").read_bytes().count(b"\n") == 5
    assert subprocess.run([sys.executable, "-m", "regsynth", *command], capture_output=True).returncode == 0
