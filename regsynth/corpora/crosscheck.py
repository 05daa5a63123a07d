"""Compare a pattern's automaton with ``re``, word by word.

A verdict on a pair can be right by luck when both sides are wrong in the same
way; membership can't. Words are chosen to separate (see
:mod:`regsynth.automata.separators`), and ``re`` runs in a child process under
time and memory limits, because a corpus pattern may be hostile.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, Literal

from regsynth.automata.separators import words_of
from regsynth.budget import Budget
from regsynth.errors import BudgetExceeded, InputError, UndecidableError, UnsupportedError
from regsynth.practical import PAIR_BUDGET, compile_pattern

PATIENCE = 20.0  # seconds for one request before the child is killed


@dataclass(frozen=True, slots=True)
class Crosscheck:
    """What came of one pattern.

    Attributes
    ----------
    verdict : {"agrees", "disagrees", "unchecked"}
    reason : str or None
        Why unchecked: ``undecidable: …``, ``unsupported: …``, ``unknown: …`` or ``re: …``.
    word : str or bytes or None
        The word on which the automaton and ``re`` disagree.
    words_tried : int
    """

    verdict: Literal["agrees", "disagrees", "unchecked"]
    reason: str | None = None
    word: str | bytes | None = None
    words_tried: int = 0


class Checker:
    """Crosschecks patterns one after another with one child process.

    Use as a context manager, or call :meth:`close`.

    >>> with Checker() as checker:
    ...     checker.check("(ab)+").verdict, checker.check(r"(a*)\\1").verdict
    ('agrees', 'unchecked')
    """

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._buffer = b""

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child process."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            for stream in (self._child.stdin, self._child.stdout):
                if stream is not None:
                    stream.close()
            self._child = None
        self._buffer = b""

    def check(
        self, pattern: str | bytes, *, semantics: str = "fullmatch", flags: int | str = 0, words: int = 200, seed: int = 0,
        budget: Budget = PAIR_BUDGET,
    ) -> Crosscheck:  # fmt: skip
        """Compare one pattern's automaton with ``re``.

        Parameters
        ----------
        pattern, semantics, flags
            As in :func:`regsynth.compile_pattern`.
        words : int
            How many to try, at most.
        seed : int
        budget : Budget

        Raises
        ------
        ParseError
            When ``re`` rejects the pattern.
        """
        compiled = compile_pattern(pattern, semantics=semantics, flags=flags)
        try:
            machine = compiled.machine(budget.start())
            chosen = words_of(machine, limit=words, seed=seed)
            expected = [machine.accepts(_bytes(word) if isinstance(pattern, bytes) else word) for word in chosen]
        except UndecidableError as error:
            return Crosscheck("unchecked", f"undecidable: {error}")
        except UnsupportedError as error:
            return Crosscheck("unchecked", f"unsupported: {error}")
        except (BudgetExceeded, MemoryError) as error:
            return Crosscheck("unchecked", f"unknown: {str(error) or 'out of memory'}")
        number = int(flags) if not isinstance(flags, str) else _flags(flags)
        reply = self._ask({"bytes": isinstance(pattern, bytes), "pattern": _points(pattern), "flags": number,
                           "semantics": semantics, "words": [_points(word) for word in chosen]})  # fmt: skip
        if "fault" in reply:
            return Crosscheck("unchecked", f"re: {reply['fault']}")
        tried = 0
        for word, ours, theirs in zip(chosen, expected, reply["found"], strict=True):
            if theirs is None:
                continue
            tried += 1
            if ours != theirs:
                return Crosscheck("disagrees", None, _bytes(word) if isinstance(pattern, bytes) else word, tried)
        return Crosscheck("agrees", None, None, tried) if tried else Crosscheck("unchecked", "re: too slow on every word")

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        child = self._child
        if child is None or child.poll() is not None:
            self.close()
            command = [sys.executable, "-m", "regsynth.corpora.re_child"]
            child = self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert child.stdin is not None and child.stdout is not None
        try:
            child.stdin.write(json.dumps(request).encode() + b"\n")
            child.stdin.flush()
            line = self._line(child.stdout.fileno())
        except BrokenPipeError:
            line = None
        if line is None:
            self.close()
            return {"fault": f"the child process died or took more than {PATIENCE:g} s"}
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _line(self, descriptor: int) -> bytes | None:
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([descriptor], [], [], PATIENCE)
            if not ready:
                return None
            data = os.read(descriptor, 1 << 16)
            if not data:
                return None
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line


def _flags(text: str) -> int:
    from regsynth.syntax.python import read_flags

    return read_flags(text)


def _bytes(word: str) -> bytes:
    return word.encode("latin-1")


def _points(text: str | bytes) -> list[int]:
    return list(text) if isinstance(text, bytes) else [ord(c) for c in text]


def crosscheck(
    pattern: str | bytes, *, semantics: str = "fullmatch", flags: int | str = 0, words: int = 200, seed: int = 0,
    budget: Budget = PAIR_BUDGET,
) -> Crosscheck:  # fmt: skip
    """Compare one pattern's automaton with ``re``; see :meth:`Checker.check`.

    >>> crosscheck(r"\\\\b[a-f]+$", semantics="search").verdict
    'agrees'
    """
    with Checker() as checker:
        return checker.check(pattern, semantics=semantics, flags=flags, words=words, seed=seed, budget=budget)


__all__ = ["Checker", "Crosscheck", "InputError", "crosscheck"]
