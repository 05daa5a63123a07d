"""``regsynth audit``: is what a labelled corpus claims true?"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from regsynth.cli.arguments import Arguments, Verb
from regsynth.cli.exits import BAD_INPUT, NO, NO_ANSWER, YES, Record, gravest
from regsynth.cli.options import Option
from regsynth.cli.outputs import choose_format, clock_text
from regsynth.cli.values import whole
from regsynth.cli.watching import Watch
from regsynth.errors import InputError

if TYPE_CHECKING:
    from regsynth.corpora.audit import Audit, Finding

SCHEMA = "regsynth/audit/1"


def main(arguments: Arguments) -> int:
    """Run the verb."""
    from regsynth.corpora.audit import audit
    from regsynth.corpora.executors import Processes, Serial
    from regsynth.corpora.labelling import STEPS, Settings

    if len(arguments.items) != 1:
        raise InputError(f"audit: give one corpus, a file or a folder (found {len(arguments.items)})")
    memory = arguments["memory-limit"] or 2 << 30
    settings = Settings(seconds=arguments["timeout"] or None, steps=arguments["steps"] or STEPS, memory=memory)
    began = time.perf_counter()
    with Watch(arguments["quiet"]) as watch:
        jobs = arguments["jobs"]
        found = audit(arguments.items[0], settings=settings, executor=Processes(jobs) if jobs > 1 else Serial(), progress=watch)
    report(found, choose_format(arguments["format"], many=True), time.perf_counter() - began)
    code = YES
    for counts, kind in ((found.wrong, NO), (found.undecided, NO_ANSWER), (found.unreadable, BAD_INPUT)):
        if sum(counts.values()):
            code = gravest(code, kind)
    return code


def report(found: Audit, form: str, seconds: float) -> None:
    """One line a finding, and for people (or as one JSON object) a summary."""
    summary = {
        "schema": "regsynth/audit-summary/1", "records": found.records, "checked": found.checked, "wrong": found.wrong,
        "undecided": found.undecided, "unreadable": found.unreadable, "seconds": round(seconds, 3),
    }  # fmt: skip
    if form == "jsonl":
        for finding in found.findings:
            print(json.dumps(as_record(finding), ensure_ascii=False))
        print(f"regsynth: {_total(found)} in {clock_text(seconds)}", file=sys.stderr)
    elif form == "json":
        print(json.dumps({**summary, "findings": [as_record(finding) for finding in found.findings]}, ensure_ascii=False))
    else:
        for finding in found.findings:
            proof = ""
            if finding.common is not None:
                proof = f"      {finding.common}"
            elif finding.cheaper is not None:
                proof = f"      cheaper {finding.cheaper}"
            elif finding.witness is not None:
                proof = f"      witness {finding.witness or 'ε'}"
            print(f"{finding.id}: {finding.field} {finding.claim!r}: {finding.found}{proof}")
        print(f"{'field':<24}{'checked':>12}{'wrong':>8}{'undecided':>11}{'unreadable':>12}")
        for name in dict.fromkeys([*found.checked, *found.unreadable]):
            counts = (found.checked, found.wrong, found.undecided, found.unreadable)
            checked, wrong, undecided, unreadable = (counter[name] for counter in counts)
            print(f"{name:<24}{checked:>12,}{wrong:>8,}{undecided:>11,}{unreadable:>12,}")
        print(f"{_total(found)}      {clock_text(seconds)}")
    sys.stdout.flush()


def as_record(finding: Finding) -> Record:
    """A finding as a line of JSON: proofs only where there are any."""
    record = {"schema": SCHEMA, **asdict(finding)}
    return {key: value for key, value in record.items() if value is not None or key not in ("witness", "cheaper", "common")}


def _total(found: Audit) -> str:
    checked, wrong = sum(found.checked.values()), sum(found.wrong.values())
    return f"{found.records:,} records, {checked:,} claims checked, {wrong:,} wrong"


VERB = Verb(
    name="audit",
    summary="re-derive every claim of a labelled corpus and report each wrong one with a proof",
    usage="CORPUS [options]",
    details="""\
Checks tree lengths, minimal expressions and lengths, equivalence and non-equivalence, example words, and
the answers of inference problems. With --format jsonl one line a finding: id, field, claim, found, and the
witness (a word) or the cheaper expression that proves it.

  regsynth audit ../shared/data/regexpspace/regexpspace.jsonl --format jsonl
  regsynth audit labelled/ --jobs 2""",
    options=("timeout", "memory-limit", "jobs", "format", "quiet", "help"),
    run=main,
    own=(Option("steps", "N", "candidates one minimisation may try (default 5000000)", whole("steps", 1)),),
)
