"""``regsynth include``: is the first language part of the second?"""

from __future__ import annotations

from functools import partial

from regsynth.cli.arguments import Verb
from regsynth.cli.options import BATCH
from regsynth.cli.pairs import main

SCHEMA = "regsynth/include/1"

VERB = Verb(
    name="include",
    summary="decide whether the first language is part of the second, with a shortest witness when not",
    usage="FIRST SECOND [options]",
    details="""\
A file of pairs holds JSON records with fields 'first' and 'second', or two columns separated by a tab.

  regsynth include 'ab' '(a+b)*'
  regsynth include --dialect python '[0-9]+' '\\d+'
  regsynth include --input pairs.tsv --format jsonl""",
    options=("dialect", "semantics", "flags", "alphabet", *BATCH),
    run=partial(main, "included", SCHEMA),
)
