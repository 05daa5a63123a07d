"""``regsynth eq``: do two expressions or patterns have the same language?"""

from __future__ import annotations

from functools import partial

from regsynth.cli.arguments import Verb
from regsynth.cli.options import BATCH
from regsynth.cli.pairs import main

SCHEMA = "regsynth/eq/1"

VERB = Verb(
    name="eq",
    summary="decide whether two expressions or patterns have the same language, with a shortest witness when not",
    usage="FIRST SECOND [options]",
    details="""\
A file of pairs holds JSON records with fields 'first' and 'second', or two columns separated by a tab.

  regsynth eq '(a+b)*' '(a*b*)*'
  regsynth eq --dialect python --semantics search 'a' '.*a.*' --flags s
  regsynth eq --input pairs.jsonl --field query,equivalent_regex --format jsonl""",
    options=("dialect", "semantics", "flags", "alphabet", *BATCH),
    run=partial(main, "equivalent", SCHEMA),
)
