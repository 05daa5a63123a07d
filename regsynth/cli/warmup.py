"""``regsynth warmup``: compile every kernel into numba's cache on disk."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module

from regsynth.cli.arguments import Arguments, Verb
from regsynth.cli.exits import YES
from regsynth.cli.outputs import choose_format, clock_text

SCHEMA = "regsynth/warmup/1"
STEPS = (
    ("automata kernels", "regsynth.automata.batch", "warm"),
    ("solver kernels", "regsynth.solvers.warmup", "warm"),
    ("corpora kernels", "regsynth.corpora.languages", "warm"),
)


def main(arguments: Arguments) -> int:
    """Run the verb."""
    if arguments["format"] is None and not sys.stdout.isatty():
        form = "table"
    else:
        form = choose_format(arguments["format"], many=False)
    began = time.perf_counter()
    for name, module, function in STEPS:
        start = time.perf_counter()
        step: Callable[[], object] = getattr(import_module(module), function)
        step()
        if not arguments["quiet"]:
            print(f"{name}: {clock_text(time.perf_counter() - start)}", file=sys.stderr, flush=True)
    seconds = round(time.perf_counter() - began, 3)
    if form == "table":
        print(f"kernels are compiled      {clock_text(seconds)}")
    else:
        print(json.dumps({"schema": SCHEMA, "id": 1, "status": "compiled", "seconds": seconds}))
    return YES


VERB = Verb(
    name="warmup",
    summary="compile every kernel now, so that later runs start fast",
    usage="[options]",
    details="Takes up to a few minutes once; the machine code is cached beside the package.",
    options=("format", "quiet", "help"),
    run=main,
)
