"""The sandbox: what ``re`` would say, in time, and nothing left behind."""

from __future__ import annotations

import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import regsynth
from regsynth.errors import BudgetExceeded, InputError, MatchTimeout, ParseError
from regsynth.redos.sandbox import Sandbox, safe_fullmatch, safe_match, safe_search

BAD = "(a+)+$"
LONG = "a" * 60 + "!"


@pytest.mark.parametrize(
    ("pattern", "text", "flags"),
    [
        (r"(?P<y>\d{4})-(?P<m>\d\d)?", "on 2024-05 or", 0),
        (r"(a)|(b)", "xxb", 0),
        (rb"\xff+", b"a\xff\xff", 0),
        ("É", "é", re.I),
        ("\ud800", "x\ud800", 0),
        ("x", "abc", 0),
    ],
)
def test_it_finds_what_re_finds(pattern: Any, text: Any, flags: int) -> None:
    for ours, theirs in ((safe_search, re.search), (safe_match, re.match), (safe_fullmatch, re.fullmatch)):
        found, expected = ours(pattern, text, flags=flags), theirs(pattern, text, flags)
        assert (found is None) == (expected is None)
        if found is not None and expected is not None:
            assert found.regs == expected.regs
            assert (found.group(), found.groups("-"), found.groupdict()) == (expected.group(), expected.groups("-"), expected.groupdict())
            assert (found.span(), found.lastindex, found.lastgroup) == (expected.span(), expected.lastindex, expected.lastgroup)


def test_a_compiled_pattern_keeps_its_flags() -> None:
    assert safe_search(re.compile("a", re.I), "A") is not None


def test_a_slow_match_is_killed_in_time_and_the_next_call_works() -> None:
    began = time.perf_counter()
    with pytest.raises(MatchTimeout, match=r"more than 0\.2 s"):
        safe_search(BAD, LONG, timeout=0.2)
    assert time.perf_counter() - began < 2
    assert safe_search("b", "abc") is not None


def test_the_timeout_is_a_timeout_error_that_pickles() -> None:
    error = pickle.loads(pickle.dumps(MatchTimeout(0.5)))
    assert isinstance(error, TimeoutError) and isinstance(error, BudgetExceeded) and error.seconds == 0.5


def test_a_warm_call_is_quick() -> None:
    safe_search("b", "abc")
    took = []
    for _ in range(50):
        began = time.perf_counter()
        safe_search("b+c", "abbc")
        took.append(time.perf_counter() - began)
    assert sorted(took)[len(took) // 2] < 0.002


def test_memory_is_limited() -> None:
    with Sandbox(memory=1 << 27) as box, pytest.raises(BudgetExceeded, match="128 MiB"):
        box.match("fullmatch", "(?:.|(.))*", "a" * 10_000_000, timeout=30)


@pytest.mark.parametrize(
    ("pattern", "text", "options", "message"),
    [
        ("(", "a", {}, "unterminated"),
        ("(" * 3000 + ")" * 3000, "a", {}, "nested too deeply|too many"),
        ("a", b"a", {}, "bytes"),
        ("a", None, {}, "NoneType"),
        ("a", "a", {"timeout": 0}, "timeout"),
        ("a", "a", {"timeout": float("nan")}, "timeout"),
        ("a", "a", {"flags": re.A | re.U}, "incompatible"),
    ],
)
def test_bad_input_is_named(pattern: Any, text: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        safe_search(pattern, text, **options)


def test_the_place_of_a_syntax_error_is_kept() -> None:
    with pytest.raises(ParseError) as caught:
        safe_search("ab)", "a")
    assert caught.value.position == 2


def test_the_child_of_a_killed_parent_dies_in_the_middle_of_a_match() -> None:
    code = f"""
import threading
from regsynth.redos import sandbox
box = sandbox.shared()
box.match("search", "a", "a", timeout=1)
print(box._idle[0].process.pid, flush=True)
box.match("search", {BAD!r}, {LONG!r}, timeout=60)
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    time.sleep(0.3)
    assert _alive(child)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert _gone(child)


def test_children_end_with_the_program() -> None:
    code = "from regsynth.redos import sandbox\nsandbox.safe_search('a', 'a')\nprint(sandbox.shared()._idle[0].process.pid)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not done.stderr
    assert _gone(int(done.stdout))


def test_a_child_killed_from_outside_costs_nothing() -> None:
    with Sandbox() as box:
        assert box.match("search", "a", "a", timeout=1) is not None
        os.kill(box._idle[0].process.pid, signal.SIGKILL)
        time.sleep(0.05)
        assert box.match("search", "a", "a", timeout=1) is not None


def test_a_child_started_from_a_thread_outlives_the_thread() -> None:
    with Sandbox() as box:
        thread = threading.Thread(target=box.match, args=("search", "a", "a"), kwargs={"timeout": 5})
        thread.start()
        thread.join()
        pid = box._idle[0].process.pid
        assert box.match("search", "a", "a", timeout=1) is not None
        assert box._idle[0].process.pid == pid


def test_many_threads_at_once() -> None:
    wrong: list[int] = []

    def work(i: int) -> None:
        for j in range(20):
            found = safe_search(f"x{i}y{j}", f"..x{i}y{j}..", timeout=20)
            if found is None or found.group() != f"x{i}y{j}":
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_children_of_its_own() -> None:
    code = """
import os, sys
from regsynth.redos import sandbox
assert sandbox.safe_search("a", "a")
pid = os.fork()
if pid == 0:
    for i in range(50):
        assert sandbox.safe_search(f"c{i}", f"c{i}", timeout=20).group() == f"c{i}"
    sys.exit(0)
for i in range(50):
    assert sandbox.safe_search(f"p{i}", f"p{i}", timeout=20).group() == f"p{i}"
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr


def test_the_public_front_is_lazy() -> None:
    assert regsynth.safe_search is safe_search and regsynth.safe_fullmatch is safe_fullmatch
    assert {"safe_search", "safe_fullmatch"} <= set(dir(regsynth))


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path("/proc/self").exists()


def _gone(pid: int) -> bool:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if not _alive(pid):
            return True
        time.sleep(0.02)
    return False
