"""``regsynth VERB``: pick the verb, import only its module, and turn errors into exit codes."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from regsynth._version import __version__
from regsynth.cli.arguments import Verb, help_text, read
from regsynth.cli.exits import BAD_INPUT, BROKEN_PIPE, DISAGREE, INTERRUPTED, NO_ANSWER, REPORT, YES
from regsynth.errors import InputError, MethodsDisagree, ParseError, RegsynthError

UNWRITABLE = (errno.EBADF, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC)  # what a stream says that takes no more

VERBS: dict[str, tuple[str, str]] = {
    "minimize": ("regsynth.cli.minimize", "the cheapest expression of the same language, with a proof"),
    "infer": ("regsynth.cli.infer", "the cheapest expression that separates two sets of words, with a proof"),
    "eq": ("regsynth.cli.eq", "do two expressions have the same language?"),
    "include": ("regsynth.cli.include", "is the first language part of the second?"),
    "redos": ("regsynth.cli.redos", "can a subject make a pattern slow? degree, attack and a proven repair"),
    "crosscheck": ("regsynth.cli.crosscheck", "compare a pattern's automaton with Python's re, word by word"),
    "corpus": ("regsynth.cli.corpus", "list the known corpora, look into one, or generate one"),
    "label": ("regsynth.cli.label", "proven minimal expressions for a whole corpus"),
    "audit": ("regsynth.cli.audit", "re-derive every claim of a labelled corpus"),
    "encode": ("regsynth.cli.encode", "write a problem as DIMACS, WCNF or SMT-LIB 2"),
    "check-certificate": ("regsynth.cli.check_certificate", "check a proof of optimality by independent means"),
    "check": ("regsynth.cli.check", "one practical pattern against examples and a reference"),
    "bench": ("regsynth.cli.bench", "score language models' answers against proven optima"),
    "warmup": ("regsynth.cli.warmup", "compile the kernels now, so that later runs start fast"),
}
"""Module and summary of each verb; the module has a ``VERB``."""


def overview() -> str:
    """The page of ``regsynth --help``."""
    width = max(map(len, VERBS))
    return "\n".join([
        "usage: regsynth VERB [INPUT…] [options]",
        "",
        "Provably minimal regular expressions.",
        "",
        "verbs:",
        *(f"  {name:<{width}}  {summary}" for name, (_, summary) in VERBS.items()),
        "",
        "'regsynth VERB --help' shows a verb's options; 'regsynth --version' the version.",
        "",
        "example:  regsynth minimize 'a?d*(b+d+d+d)'",
    ])  # fmt: skip


def load(name: str) -> Verb:
    """Import a verb's module."""
    known = VERBS.get(name)
    if known is None:
        from difflib import get_close_matches

        near = get_close_matches(name, VERBS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"use {', '.join(VERBS)}"
        raise InputError(f"unknown verb {name!r}; {hint}")
    verb: Verb = import_module(known[0]).VERB
    return verb


def run(argv: Sequence[str]) -> int:
    """Run one command; errors propagate."""
    if not argv or argv[0] in ("--help", "-h", "help"):
        if len(argv) > 1 and argv[0] == "help":
            print(help_text(load(argv[1])))
        else:
            print(overview())
        return YES if argv else BAD_INPUT
    if argv[0] == "--version":
        print(f"regsynth {__version__}")
        return YES
    verb = load(argv[0])
    arguments = read(verb, argv[1:])
    if arguments is None:
        print(help_text(verb))
        return YES
    return verb.run(arguments)


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of the console script; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if sys.stdout is None:
        return _fail("standard output is closed; send it somewhere", BAD_INPUT)
    try:
        code = run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
        return code
    except ParseError as error:
        return _fail(f"{error}\n{error.caret()}", BAD_INPUT)
    except InputError as error:
        return _fail(str(error), BAD_INPUT)
    except MethodsDisagree as error:
        return _fail(f"{error}\n{REPORT}", DISAGREE)
    except RegsynthError as error:
        return _fail(str(error), NO_ANSWER)
    except MemoryError:
        return _fail("out of memory; give a smaller input or a larger --memory-limit", NO_ANSWER)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone: keep Python from complaining when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return BROKEN_PIPE
    except OSError as error:
        if error.filename is not None or error.errno not in UNWRITABLE:
            return _crash()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what could not be written is not tried again at exit
        return _fail(f"standard output: {error.strerror or error}; send it where it can be written", BAD_INPUT)
    except Exception:  # Python's own exit code of a crash, 1, would read as a negative verdict
        return _crash()


def _crash() -> int:
    import traceback

    return _fail(f"{traceback.format_exc()}{REPORT}", DISAGREE)


def _fail(message: str, code: int) -> int:
    with contextlib.suppress(BrokenPipeError):
        print(f"regsynth: {message}", file=sys.stderr)
    return code
