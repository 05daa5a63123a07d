"""``regsynth corpus``: list the known corpora, look into one, generate one."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from regsynth.cli.arguments import Arguments, Verb
from regsynth.cli.exits import NO, YES, Record
from regsynth.cli.options import Option
from regsynth.cli.outputs import choose_format
from regsynth.cli.values import whole
from regsynth.cli.watching import Watch
from regsynth.errors import InputError

ACTIONS = ("list", "info", "generate")


def main(arguments: Arguments) -> int:
    """Run the verb."""
    if not arguments.items or arguments.items[0] not in ACTIONS:
        got = f" (found {arguments.items[0]!r})" if arguments.items else ""
        raise InputError(f"corpus: say what to do: {', '.join(ACTIONS)}{got}; for example 'regsynth corpus list'")
    action, *names = arguments.items
    wanted = {"list": 0, "info": 1, "generate": 1}[action]
    if len(names) != wanted:
        raise InputError(f"corpus {action} takes {wanted or 'no'} name{'s' if wanted != 1 else ''} (found {len(names)})")
    return {"list": show_list, "info": show_info, "generate": generate}[action](arguments, names)


def show_list(arguments: Arguments, names: list[str]) -> int:
    """Every corpus, one a line."""
    from regsynth.corpora.catalogue import CATALOGUE

    form = choose_format(arguments["format"], many=True)
    rows = [{"schema": "regsynth/corpus-list/1", "id": corpus.name, **corpus._asdict()} for corpus in CATALOGUE]
    for row in rows:
        del row["layout"]
    if form == "json":
        print(json.dumps(rows, ensure_ascii=False))
    elif form == "jsonl":
        for row in rows:
            print(json.dumps(row, ensure_ascii=False))
    else:
        for corpus in CATALOGUE:
            size = f"{corpus.records} records, " if corpus.records else ""
            print(f"{corpus.name:<16}{corpus.what}")
            print(f"{'':16}{size}{corpus.dialect}, {corpus.semantics}; licence: {corpus.licence}; from {corpus.source}")
    return YES


def show_info(arguments: Arguments, names: list[str]) -> int:
    """Counts, lengths, operators and coverage of a file or folder."""
    from regsynth.corpora.catalogue import BY_NAME
    from regsynth.corpora.loaders import guess, info

    path = Path(names[0])
    if not path.exists() and names[0] in BY_NAME:
        where = "'regsynth corpus list' says where to get it"
        raise InputError(f"{names[0]}: give the file or folder it is in, and --corpus {names[0]}; {where}")
    began = time.perf_counter()
    corpus = arguments["corpus"]
    found = info(path, corpus)
    known = BY_NAME[corpus] if corpus else guess(path)
    record: Record = {
        "schema": "regsynth/corpus-info/1", "id": names[0], "layout": known.name, "dialect": known.dialect,
        "semantics": known.semantics, **found._asdict(), "seconds": round(time.perf_counter() - began, 3),
    }  # fmt: skip
    if choose_format(arguments["format"], many=False) == "table":
        share = 100 * found.represented / max(found.records, 1)
        print(f"read as      {known.name}: {known.dialect}, {known.semantics}")
        print(f"records      {found.records:,}, represented {found.represented:,} ({share:.2f} %)")
        print(f"ids          {found.duplicated_ids:,} given twice")
        print(f"patterns     {found.patterns:,}, distinct {found.distinct:,}")
        print(f"characters   {' … '.join(map(str, found.lengths))} (least, median, most)")
        print(f"operators    {', '.join(f'{sign} {n:,}' for sign, n in list(found.operators.items())[:16]) or 'none'}")
        for fault, n in found.faults.items():
            print(f"{n:>11,}  {fault}")
    else:
        print(json.dumps(record, ensure_ascii=False))
    return YES


def generate(arguments: Arguments, names: list[str]) -> int:
    """Make a corpus."""
    from regsynth.corpora.generators import Request
    from regsynth.corpora.generators import generate as make

    if arguments["letters"] == "":
        raise InputError("--letters '': give at least one letter, or leave it out for abcd")
    if arguments["output"] is None:
        raise InputError(f"corpus generate {names[0]}: say where: --output FOLDER")
    began = time.perf_counter()
    with Watch(arguments["quiet"]) as watch:
        made = make(names[0], Request(
            output=Path(arguments["output"]), seed=arguments["seed"], count=arguments["count"], alphabet=arguments["letters"],
            depth=arguments["depth"], source=_path(arguments["from"]), labels=_path(arguments["labels"]), jobs=arguments["jobs"],
            progress=watch, dataset=arguments["dataset"], seconds=arguments["timeout"],
        ))  # fmt: skip
    record: Record = {**made, "schema": "regsynth/corpus-generate/1", "id": names[0], "output": arguments["output"],
                      "seconds": round(time.perf_counter() - began, 3)}  # fmt: skip
    if choose_format(arguments["format"], many=False) == "table":
        for key, value in record.items():
            if key not in ("schema", "id"):
                print(f"{key:<14}{_plain(value)}")
    else:
        print(json.dumps(record, ensure_ascii=False))
    sys.stdout.flush()
    return NO if made.get("fault") else YES


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


VERB = Verb(
    name="corpus",
    summary="list the known corpora, look into one, or generate one",
    usage="list | info PATH | generate NAME --output FOLDER [options]",
    details="""\
  regsynth corpus list
  regsynth corpus info ../shared/data/regexpspace/regexpspace.jsonl
  regsynth corpus generate lrd --output lrd/
  regsynth corpus generate urmt --seed 7 --output urmt/
  regsynth corpus generate regexpspace --from lrd/ --labels labelled/ --output benchmark/
  regsynth corpus generate reic --dataset DS1 --count 100 --output ds1/""",
    options=("seed", "jobs", "timeout", "format", "quiet", "help"),
    run=main,
    own=(
        Option("output", "FOLDER", "where a generated corpus goes"),
        Option("corpus", "NAME", "how a file is laid out and meant (info); guessed by default"),
        Option("from", "FOLDER", "corpus a benchmark is drawn from"),
        Option("labels", "FOLDER", "that corpus, labelled (else what is needed is labelled first)"),
        Option("count", "N", "records to generate, PN-sets of reic (default: as published)", whole("count", 1)),
        Option("dataset", "NAME", "data set of reic: DS1, DS2, DS3 or DS4"),
        Option("letters", "LETTERS", "letters of the expressions (default abcd)"),
        Option("depth", "N", "greatest depth of lrd (default 3)", whole("depth", 0)),
    ),
)
