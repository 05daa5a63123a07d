"""Published DFA-equivalence verdicts beside ours, item by item: class and witness of every disagreement.

The verdicts are RegexEval's on GPT-3.5's answers, ours those of ``regsynth bench score`` under search, the corpus' own
semantics. ``dfa_disagreements.tsv`` in the folder asked for has a line for each: what either side says, the class, a shortest
witness (none where we prove equivalence: ``re`` then agrees on that many words instead), and whether ``re`` bears it out.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import report

FIELDS = ["id", "sample", "reference", "answer", "theirs", "ours", "class", "witness", "words_compared", "confirmed_by_re"]


def dfa(data: Path, step: int = 1, output: Path | None = None) -> None:
    """Score, classify, list."""
    folder = data / "regexeval"
    raw = folder / "GPT3.5_Raw_Output"
    with tempfile.TemporaryDirectory() as place:
        scored = Path(place) / "scored.json"
        dataset = Path(place) / "RegexEval.json"
        dataset.write_text(json.dumps(json.loads((folder / "RegexEval.json").read_text(encoding="utf-8"))[::step]))
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "regsynth", "bench", "score", "--task", "nl2re", "--dataset", str(dataset),
             "--predictions", f"{raw}.json", "--verdicts", f"dfa-eq={raw}_DFA_Result.json", "--no-screen", "--jobs", "1", "--quiet",
             "-o", str(scored)],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        run = json.loads(scored.read_text(encoding="utf-8"))
    counted = run["statistics"]["verdicts"]["dfa-eq"]
    report("dfa: verdicts compared", counted["judged"], f"{time.perf_counter() - began:.0f} s")
    report("dfa: agree", counted["agree"])
    report("dfa: disagree", counted["disagree"], f"{counted['unconfirmed']} not borne out by re")
    for kind, number in sorted(counted["counts"].items()):
        report(f"dfa: {kind}", number)
    for name, number in counted["classes"].items():
        report(f"dfa: class {name}", number)
    rows = [row for record in run["records"] for row in _rows(record)]
    assert len(rows) == counted["disagree"] and not counted["unconfirmed"]
    assert all(row["witness"] is not None or row["ours"] for row in rows)  # every difference has one
    if output is not None:
        with (output / "dfa_disagreements.tsv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS, delimiter="\t")
            writer.writeheader()
            writer.writerows(rows)


def _rows(record: dict[str, object]) -> list[dict[str, object]]:
    details = record["details"]
    assert isinstance(details, dict)
    found = details.get("disagreements", {}).get("dfa-eq")
    if found is None:
        return []
    shown = None if found["witness"] is None else json.dumps(found["witness"])
    return [{"id": record["id"], "sample": record.get("sample"), "reference": record["reference"], "answer": record["answer"],
             "theirs": found["theirs"], "ours": found["ours"], "class": found["class"], "witness": shown,
             "words_compared": found.get("words"), "confirmed_by_re": found["confirmed"]}]  # fmt: skip
