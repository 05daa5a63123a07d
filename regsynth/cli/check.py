"""``regsynth check``: one practical pattern against one task."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from regsynth.cli.arguments import Arguments, Verb
from regsynth.cli.exits import NO, NO_ANSWER, YES, Record, gravest
from regsynth.cli.outputs import choose_format
from regsynth.errors import InputError, ParseError

if TYPE_CHECKING:
    from regsynth.bench.evaluation import Evaluation

SCHEMA = "regsynth/check/1"


def main(arguments: Arguments) -> int:
    """Run the verb."""
    from dataclasses import asdict, replace

    from regsynth.bench.evaluation import of_record, task_item
    from regsynth.bench.items import Settings
    from regsynth.bench.nl2re import score
    from regsynth.practical import compile_pattern

    if len(arguments.items) != 2:
        raise InputError(f"check: give a pattern and a task, as in regsynth check '^a+$' task.json (found {len(arguments.items)} items)")
    pattern, path = arguments.items
    item = task_item(path)
    if "semantics" in arguments.given:
        item = replace(item, semantics=arguments["semantics"])
    if "flags" in arguments.given:
        item = replace(item, flags=arguments["flags"])
    if item.reference is not None:
        try:
            compile_pattern(item.reference, dialect=item.dialect, flags=item.flags)
        except ParseError as error:
            raise InputError(f"{path}: the reference is no pattern: {error}") from None
    seconds = arguments["timeout"] if "timeout" in arguments.given else 10.0
    if not seconds:
        raise InputError("--timeout 0: a pattern may be hostile, so check needs a limit; give seconds, such as 10")
    began = time.perf_counter()
    found = of_record(score(item, pattern, Settings(seconds=seconds)), item)
    record: Record = {
        "schema": SCHEMA, "id": item.id, "pattern": pattern, "semantics": item.semantics, **asdict(found),
        "seconds": round(time.perf_counter() - began, 6),
    }  # fmt: skip
    if choose_format(arguments["format"], many=False) == "table":
        for line in lines(found):
            print(line)
    else:
        print(json.dumps(record, ensure_ascii=True))
    return code_of(found)


def code_of(found: Evaluation) -> int:
    """0: right, equivalent where there is a reference, not vulnerable; 1: something is wrong; 3: something is not known."""
    code = YES
    not_screened = found.vulnerable is None and found.growth is not None  # brics patterns never are
    if found.category == "timeout" or (found.passed is None and found.total) or not_screened:
        code = NO_ANSWER
    if found.verdict in ("undecidable", "unsupported", "unknown"):
        code = gravest(code, NO_ANSWER)
    bad = found.passed is False or found.verdict == "different" or found.vulnerable or found.category in ("invalid", "repetition")
    return NO if bad else code


def lines(found: Evaluation) -> list[str]:
    """The verdicts for people."""
    out = [f"{found.right}/{found.total}" + (f"  wrong: {', '.join(map(ascii, found.wrong))}" if found.wrong else "")]
    if found.category in ("invalid", "repetition"):
        return [*out, f"invalid: {found.reason}"]
    if found.verdict is not None:
        side = {"answer": "only the pattern matches", "reference": "only the reference matches"}.get(found.accepted_by or "")
        why = f": {side} {found.witness!a}" if found.witness is not None else f": {found.reason}" if found.reason else ""
        out.append(found.verdict + why)
    if found.growth is not None:
        safety = {True: f"vulnerable: {found.growth}", False: "not vulnerable", None: "vulnerability not known"}
        out.append(safety[found.vulnerable])
    if found.category == "timeout":
        out.append(f"timeout: {found.reason or 'an example took too long'}")
    return out


VERB = Verb(
    name="check",
    summary="one practical pattern against examples and a reference",
    usage="PATTERN TASK.json [options]",
    details="""\
The task is a JSON object: prompt, positives, negatives, reference; perhaps dialect, semantics,
flags. The pattern only ever runs in a sandbox.

  regsynth check '[0-9]{5}' task.json
  5/5
  equivalent
  not vulnerable""",
    options=("semantics", "flags", "timeout", "format", "help"),
    run=main,
)
