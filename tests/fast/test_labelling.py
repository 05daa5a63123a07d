"""Labelling: right labels, the same bytes whatever happens on the way, and clear refusals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import labels as misbehaving
import pytest

from regsynth.automata.reference import compare
from regsynth.corpora import folders
from regsynth.corpora.executors import KILLED, Executor, Processes, Serial
from regsynth.corpora.labelling import Settings, label
from regsynth.corpora.records import read_texts
from regsynth.errors import InputError
from regsynth.solvers.minimise import minimize
from regsynth.syntax.costs import Costs
from regsynth.syntax.formal import parse

TEXTS = ["a?d*(b+d+d+d)", "b?d*(a+d+d+d)", "(d+d+d+b)d*a?", "a)", "aa*+a", "ε", "∅", "a&ab", "x(y+z)", "(z+y)x"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps({"id": f"r{i}", "query": text}) + "\n" for i, text in enumerate(TEXTS)), encoding="utf-8")
    return path


def records(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted((folder / "labels").glob("*"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def results(folder: Path) -> dict[str, bytes]:
    """Everything but the journal and private files."""
    paths = [p for p in folder.rglob("*") if p.is_file() and not p.name.startswith(".") and p.name != "journal.jsonl"]
    return {str(p.relative_to(folder)): p.read_bytes() for p in paths}


def test_labels(corpus: Path, tmp_path: Path) -> None:
    summary = label(corpus, tmp_path / "out", executor=Serial())
    found = records(tmp_path / "out")
    assert [r["id"] for r in found] == [f"r{i}" for i in range(len(TEXTS))]
    assert summary.status == {"error": 1, "optimal": 9} and summary.records == 10
    for record, text in zip(found, TEXTS):
        if record["status"] == "error":
            assert text == "a)" and "position 1" in record["message"]
            continue
        answer = parse(record["minimized_regex"])
        assert compare(answer, parse(text)) and answer.length == record["minimized_tree_length"] == record["lower_bound"]
        assert record["minimized_tree_length"] == minimize(parse(text)).cost
    assert found[0]["minimized_regex"] == "a?d*(b+d)" and found[0]["tree_length"] == 13
    assert summary.lengths[9] == 3 and summary.classes == 6


def test_other_costs(corpus: Path, tmp_path: Path) -> None:
    costs = Costs.parse("1,9,1,2,3")
    label(corpus, tmp_path / "out", settings=Settings(costs=costs), executor=Serial())
    for record, text in zip(records(tmp_path / "out"), TEXTS):
        if record["status"] == "optimal":
            answer = parse(record["minimized_regex"])
            assert costs.of_expr(answer) == record["minimized_cost"] == minimize(parse(text), costs=costs).cost


class Stopping:
    """Runs so many tasks and is then interrupted."""

    def __init__(self, after: int) -> None:
        self.after = after

    def run(self, work: Any, tasks: Any, warm: Any) -> Any:
        for i, pair in enumerate(Serial().run(work, reversed(list(tasks)), warm)):
            if i == self.after:
                raise KeyboardInterrupt
            yield pair


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_resumed_run_gives_the_same_bytes(corpus: Path, tmp_path: Path, after: int) -> None:
    label(corpus, tmp_path / "whole", executor=Serial())
    with pytest.raises(KeyboardInterrupt):
        label(corpus, tmp_path / "parts", executor=Stopping(after))
    with open(tmp_path / "parts" / "journal.jsonl", "a", encoding="utf-8") as journal:
        journal.write('{"class": 2, "regex": "to')  # torn by a crash

    class Counting(Serial):
        count = 0

        def run(self, work: Any, tasks: Any, warm: Any) -> Any:
            for pair in Serial.run(self, work, tasks, warm):
                Counting.count += 1
                yield pair

    summary = label(corpus, tmp_path / "parts", executor=Counting())
    assert Counting.count == summary.classes - after  # only what was missing
    assert results(tmp_path / "parts") == results(tmp_path / "whole")


def test_processes_give_the_bytes_of_a_serial_run(corpus: Path, tmp_path: Path) -> None:
    label(corpus, tmp_path / "serial", executor=Serial())
    label(corpus, tmp_path / "processes", executor=Processes(2))
    assert results(tmp_path / "serial") == results(tmp_path / "processes")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_task_that_kills_its_worker_is_isolated(jobs: int, tmp_path: Path) -> None:
    once = str(tmp_path / "once")  # a worker killed from outside: the task is innocent
    tasks = [(i, {7: "always", 21: once}.get(i, "")) for i in range(40)]
    found = dict(Processes(jobs).run(misbehaving.square_or_die, tasks, misbehaving.nothing))
    assert {task[0] for task, result in found.items() if result == KILLED} == {7}
    assert all(found[task] == task[0] ** 2 for task in tasks if task[0] != 7)


def test_a_killer_is_recorded_with_a_right_answer(corpus: Path, tmp_path: Path) -> None:
    class Deadly:
        def run(self, work: Any, tasks: Any, warm: Any) -> Any:
            yield from ((task, KILLED if task.number == 0 else work(task)) for task in tasks)

    executor: Executor = Deadly()
    label(corpus, tmp_path / "out", executor=executor)
    first = records(tmp_path / "out")[0]
    assert first["status"] == "feasible" and "killed" in first["stopped"] and first["lower_bound"] == 1
    assert compare(parse(first["minimized_regex"]), parse(TEXTS[0]))


def test_a_changed_manifest_is_refused(corpus: Path, tmp_path: Path) -> None:
    label(corpus, tmp_path / "out", executor=Serial())
    with pytest.raises(InputError, match="another steps: 5000000, now 5"):
        label(corpus, tmp_path / "out", settings=Settings(steps=5), executor=Serial())
    with open(corpus, "a", encoding="utf-8") as file:
        file.write('{"id": "new", "query": "a"}\n')
    with pytest.raises(InputError, match="another input"):
        label(corpus, tmp_path / "out", executor=Serial())


def test_two_runs_cannot_write_one_folder(corpus: Path, tmp_path: Path) -> None:
    code = f"""
import time, pathlib
from regsynth.corpora.folders import owned
with owned(pathlib.Path({str(tmp_path / "out")!r})):
    print(flush=True)
    time.sleep(60)
"""
    other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(InputError, match="another run is writing"):
            label(corpus, tmp_path / "out", executor=Serial())
    finally:
        other.kill()
        other.wait()
    label(corpus, tmp_path / "out", executor=Serial())  # the lock died with its process


def test_a_full_disk_loses_nothing(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    label(corpus, tmp_path / "whole", executor=Serial())

    def full(number: int) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr(folders.os, "fsync", full)
        with pytest.raises(InputError, match="No space left on device; nothing is lost"):
            label(corpus, tmp_path / "out", executor=Serial())
    assert not list((tmp_path / "out").glob("*.jsonl*")) and not list((tmp_path / "out").glob(".*.part"))
    label(corpus, tmp_path / "out", executor=Serial())
    assert results(tmp_path / "out") == results(tmp_path / "whole")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"id": 1, "query": "a"}\n{"id": 1, "query": "b"}\n', "line 2: id 1 is given twice"),
        ('[{"query": "a"}, {"que', "truncated"),
        ("", "empty"),
        ('{"other": 1}\n', "no field 'query'"),
        ("\xff\xfe".encode("latin-1").decode("latin-1"), "not UTF-8"),
    ],
)
def test_bad_files(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match=message):
        label(path, tmp_path / "out", executor=Serial())
    assert not (tmp_path / "out").exists()


def test_bad_records_are_kept_and_marked(tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    path.write_text('{"query": "a+a"}\n{"regex": "bb*"}\n{"other": 1}\n[1]\n{"query": 5}\n{"query": "a', encoding="utf-8")
    texts = read_texts(path)
    assert texts.texts[:2] == ["a+a", "bb*"] and sorted(texts.faults) == [2, 3, 4, 5] and texts.ids == [1, 2, 3, 4, 5, 6]
    label(path, tmp_path / "out", executor=Serial())
    assert [r["status"] for r in records(tmp_path / "out")] == ["optimal"] * 2 + ["error"] * 4


def test_killed_in_the_middle(tmp_path: Path) -> None:
    """SIGKILL at a random moment, again and again: the next run goes on and the bytes are the same."""
    path = tmp_path / "corpus.txt"
    path.write_text("".join(f"a{'b' * i}(c+d)*{'a?' * (i % 5)}\n" for i in range(60)), encoding="utf-8")
    label(path, tmp_path / "whole", executor=Serial())
    command = [sys.executable, "-m", "regsynth", "label", str(path), "--output", str(tmp_path / "out"), "--scheduler", "serial"]
    journal = tmp_path / "out" / "journal.jsonl"
    for wanted in (3, 20):
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while run.poll() is None and (not journal.exists() or journal.read_bytes().count(b"\n") < wanted):
            time.sleep(0.01)
        run.kill()
        run.wait()
    assert subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0
    assert results(tmp_path / "out") == results(tmp_path / "whole")


def test_workers_die_with_their_parent(tmp_path: Path) -> None:
    code = f"""
from regsynth.corpora.executors import Processes
import labels
if __name__ == "__main__":
    list(Processes(1).run(labels.write_and_sleep, [{str(tmp_path / "pid")!r}], labels.nothing))
"""
    (tmp_path / "parent.py").write_text(code, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
    parent = subprocess.Popen([sys.executable, str(tmp_path / "parent.py")], env=environment)
    while not (tmp_path / "pid").exists():
        assert parent.poll() is None
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    worker = int((tmp_path / "pid").read_text(encoding="utf-8"))
    for _ in range(200):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{worker}/stat").exists() and Path(f"/proc/{worker}/stat").read_text().split(")")[1].split()[0] == "Z":
            return
        time.sleep(0.1)
    os.kill(worker, 9)
    raise AssertionError("the worker outlived its parent")


def test_lines_are_their_records(tmp_path: Path) -> None:
    """The fast writer and the plain one agree, with letters that need escapes of either kind."""
    path = tmp_path / "corpus.jsonl"
    texts = ["a(b+c)", "\\*(\\++x)", "(z+y)x", '(é+")\\\\', "~a", "a?", "a?a?"]
    path.write_text("".join(json.dumps({"id": text, "query": text}) + "\n" for text in texts), encoding="utf-8")
    label(path, tmp_path / "out", executor=Serial())
    found = records(tmp_path / "out")
    assert [r["query"] for r in found] == [r["id"] for r in found] == texts
    for record in found:
        assert compare(parse(record["minimized_regex"]), parse(record["query"]))
        assert list(record)[:4] == ["schema", "id", "query", "tree_length"] and record["status"] == "optimal"
