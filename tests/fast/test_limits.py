"""The net under every item."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from regsynth.cli.limits import alarm
from regsynth.errors import BudgetExceeded


def test_alarm_ends_a_loop() -> None:
    began = time.perf_counter()
    with pytest.raises(BudgetExceeded, match=r"0\.05 s"), alarm(0.05):
        while True:
            pass
    assert time.perf_counter() - began < 5


def test_another_timer_goes_on() -> None:
    before = signal.setitimer(signal.ITIMER_REAL, 500.0, 3.0)
    try:
        with alarm(0.5):
            assert signal.getitimer(signal.ITIMER_REAL)[0] <= 0.5
        left, interval = signal.getitimer(signal.ITIMER_REAL)
        assert 490 < left <= 500 and interval == 3.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, *before)


def test_alarm_repeats_when_it_falls_into_a_destructor(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[object] = []
    hook = reported.append
    monkeypatch.setattr(sys, "unraisablehook", hook)

    class Swallows:
        def __del__(self) -> None:
            end = time.perf_counter() + 0.1
            while time.perf_counter() < end:
                pass

    with pytest.raises(BudgetExceeded, match=r"7 s"), alarm(0.02, 7.0):
        Swallows()  # the first ring falls in here
        while True:
            pass
    assert reported == [] and sys.unraisablehook is hook


def test_other_faults_in_destructors_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fails:
        def __del__(self) -> None:
            raise ValueError("in a destructor")

    reported: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda fault: reported.append(fault.exc_type))
    with alarm(60.0):
        Fails()
    assert reported == [ValueError]


def test_no_alarm_without_a_limit() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with alarm(None):
        assert signal.getsignal(signal.SIGALRM) is before


@pytest.mark.skipif(sys.platform != "linux", reason="the cap is enforced by Linux")
def test_memory_is_capped() -> None:
    code = "from regsynth.cli.limits import cap_memory, SLACK\ncap_memory(1 << 20)\nbytearray(SLACK + (64 << 20))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and "MemoryError" in done.stderr
