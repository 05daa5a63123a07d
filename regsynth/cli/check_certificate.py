"""``regsynth check-certificate``: does a certificate prove its claim?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from regsynth.cli.arguments import Arguments, Verb
from regsynth.cli.exits import Record
from regsynth.cli.inputs import Item, Shape, items_of
from regsynth.cli.limits import alarm
from regsynth.cli.options import BATCH
from regsynth.cli.outputs import clock_text
from regsynth.cli.runner import run
from regsynth.errors import BudgetExceeded, InputError

SCHEMA = "regsynth/check-certificate/1"
FOLDER = Shape(1, "the folder of a certificate", paths=True)


def solve(seconds: float | None, item: Item) -> Record:
    """The fields of one record."""
    from regsynth.solvers.certificates.folder import Rejected
    from regsynth.solvers.certificates.verdict import check_folder

    (folder,) = item.texts
    record: Record = {"certificate": folder, "verdict": "accepted", "kind": None, "answer": None, "cost": None, "reason": None}
    try:
        with alarm(seconds):
            claim = check_folder(folder)
    except BudgetExceeded as error:
        return {**record, "verdict": "unknown", "reason": str(error)}
    except Rejected as error:
        return {**record, "verdict": "rejected", "reason": str(error)}
    return {**record, "kind": claim.kind, "answer": str(claim.answer), "cost": claim.cost}


def columns(record: Record) -> list[str]:
    """The line for people."""
    if record["verdict"] == "rejected":
        return [record["certificate"], f"rejected: {record['reason']}"]
    if record["verdict"] == "unknown":
        return [record["certificate"], f"not checked to the end: {record['reason']}"]
    return [record["certificate"], f"accepted: {record['answer']} is an answer of least cost {record['cost']}",
            clock_text(record["seconds"])]  # fmt: skip


def main(arguments: Arguments) -> int:
    """Run the verb."""
    items, many = items_of(arguments, FOLDER)
    return run(arguments, _checked(items), many, SCHEMA, partial(solve, arguments["timeout"] or None), columns)


def _checked(items: Iterator[Item]) -> Iterator[Item]:
    for item in items:
        if item.fault is None and not item.texts[0].strip():
            raise InputError("a folder's name is empty")
        yield item


VERB = Verb(
    name="check-certificate",
    summary="check a proof of optimality by independent means",
    usage="DIR… [options]",
    details="""\
DIR is what --certificate wrote. Exit 0: accepted, 1: rejected, with the reason.
Certificates by SAT need the extra [certify]: pip install 'regsynth[certify]'.

  regsynth minimize 'a?d*(b+d+d+d)' --solver sat --certificate proof
  regsynth check-certificate proof""",
    options=tuple(name for name in BATCH if name != "memory-limit"),
    run=main,
)
