"""``regsynth bench``: export prompts, score predictions, run a solver, report."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from regsynth.cli.arguments import Arguments, Verb
from regsynth.cli.bench_report import DRAWINGS, TITLE, check_place, command, report
from regsynth.cli.exits import DISAGREE, INTERRUPTED, REPORT, YES, Record
from regsynth.cli.options import Option
from regsynth.cli.outputs import choose_format
from regsynth.cli.values import choice, whole
from regsynth.cli.watching import Watch
from regsynth.errors import InputError

if TYPE_CHECKING:
    from regsynth.bench.inputs import Predictions
    from regsynth.bench.items import Dataset, Settings
    from regsynth.bench.results import Run

ACTIONS = ("export", "score", "run", "report")
TASKS = ("regexmin", "regexeq", "rei", "nl2re")
SECONDS = 10.0
BUGS = ("beats_optimum", "internal_error")


def main(arguments: Arguments) -> int:
    """Run the verb."""
    if not arguments.items or arguments.items[0] not in ACTIONS:
        got = f" (found {arguments.items[0]!r})" if arguments.items else ""
        raise InputError(f"bench: say what to do: {', '.join(ACTIONS)}{got}")
    action, *names = arguments.items
    if action == "report":
        return report(arguments, names)
    ks = [int(name) for name in names if name.isdecimal()] if "k" in arguments.given else []  # --k 1 5 10
    strange = [name for name in names if not (ks and name.isdecimal())]
    if strange:
        raise InputError(f"bench {action}: {strange[0]!r} is one argument too many; name files by --dataset and --predictions")
    if arguments["task"] is None or arguments["dataset"] is None:
        raise InputError(f"bench {action}: give --task {'|'.join(TASKS)} and --dataset FILE")
    return {"export": export, "score": score, "run": solve}[action](arguments, ks)


def dataset_of(arguments: Arguments) -> Dataset:
    """The dataset of the command."""
    from regsynth.bench.datasets import load

    semantics = arguments["semantics"] if "semantics" in arguments.given else None
    if semantics is not None and arguments["task"] != "nl2re":
        raise InputError("--semantics is for --task nl2re; formal expressions match whole words")
    return load(arguments["task"], arguments["dataset"], corpus=arguments["corpus"], semantics=semantics)


def settings_of(arguments: Arguments, ks: list[int]) -> Settings:
    """What decides a score."""
    from regsynth.bench.failures import Limits
    from regsynth.bench.items import Settings

    limit = arguments["timeout"] if "timeout" in arguments.given else SECONDS
    if not limit:
        raise InputError("--timeout 0: an answer may be hostile, so bench needs a limit; give seconds, such as 10")
    k = tuple(dict.fromkeys([*(arguments["k"] or (1,)), *ks]))
    if min(k) < 1:
        raise InputError("--k 0: give whole numbers from 1 up")
    limits = Limits(arguments["max-tokens"], arguments["max-thinking-tokens"])
    return Settings(mode=arguments["extract"], seconds=limit, limits=limits, k=k, vulnerability=not arguments["no-screen"])


def export(arguments: Arguments, ks: list[int]) -> int:
    """Write a prompt for every item."""
    from regsynth.bench.datasets import load
    from regsynth.bench.prompts import digest, examples, prompts, request

    check_place(arguments, "output")
    dataset, shots = dataset_of(arguments), []
    if arguments["shots"]:
        if arguments["fewshot"] is None:
            raise InputError(f"--shots {arguments['shots']}: give worked examples of the training split in --fewshot FILE")
        shots = examples(load(arguments["task"], arguments["fewshot"]), arguments["shots"])
    asked = prompts(dataset.items, shots, arguments["style"])
    requests = [request(p, arguments["to"], model=arguments["model"], tokens=arguments["max-tokens"]) for p in asked]
    lines = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in requests)
    if arguments["output"] is None:
        sys.stdout.write(lines)
        return YES
    from regsynth.corpora.folders import write_whole

    write_whole(Path(arguments["output"]), [lines])
    record: Record = {
        "schema": "regsynth/bench-export/1", "id": arguments["output"], "task": dataset.task, "n": len(asked), "shots": len(shots),
        "style": arguments["style"], "dataset_sha256": dataset.digest, "prompts_sha256": digest(asked),
    }  # fmt: skip
    if choose_format(arguments["format"], many=False) == "table":
        print(f"{arguments['output']}: {len(asked):,} prompts of {dataset.task}, {len(shots)} shots, {arguments['style']}")
    else:
        print(json.dumps(record, ensure_ascii=False))
    return YES


def score(arguments: Arguments, ks: list[int]) -> int:
    """Score predictions, or the dataset's own references."""
    from regsynth.bench.inputs import read_predictions

    if bool(arguments["predictions"]) is arguments["use-reference"]:
        raise InputError("bench score: give --predictions FILE, or --use-reference to score a dataset's references against themselves")
    if arguments["solver"] is not None:
        raise InputError("--solver is for 'bench run'; 'bench score' scores --predictions")
    if arguments["use-reference"]:
        solver = {"nl2re": "reference", "regexeq": "label"}.get(arguments["task"])
        if solver is None:
            raise InputError("--use-reference is for --task nl2re (its patterns) and regexeq (its labels)")
        return _run(arguments, ks, None, solver)
    return _run(arguments, ks, read_predictions(arguments["predictions"]), "")


def solve(arguments: Arguments, ks: list[int]) -> int:
    """Score a solver's or a baseline's answers."""
    if arguments["predictions"] or arguments["use-reference"]:
        raise InputError("bench run answers by --solver; 'bench score' takes --predictions")
    return _run(arguments, ks, None, arguments["solver"] or ("reference" if arguments["task"] == "nl2re" else "auto"))


def _run(arguments: Arguments, ks: list[int], predictions: Predictions | None, solver: str) -> int:
    from regsynth.bench.runner import run

    dataset = dataset_of(arguments)
    output = arguments["output"]
    check_place(arguments, "output", "report")
    journal = None if output is None else Path(f"{output}.journal")
    try:
        with Watch(arguments["quiet"]) as watch:
            found = run(
                dataset, predictions, solver=solver, name=arguments["name"] or _name(solver), settings=settings_of(arguments, ks),
                jobs=arguments["jobs"], journal=journal, verdicts=_verdicts(arguments), progress=watch,
                provenance={"command": command(), "prompt": _prompt(arguments["prompts"])},
            )  # fmt: skip
    except KeyboardInterrupt:
        again = f"; run the same command again to go on from {journal}" if journal else ""
        print(f"regsynth: interrupted{again}", file=sys.stderr)
        return INTERRUPTED
    if output is not None:
        found.save(output)
    if arguments["report"] is not None:
        from regsynth.bench.report import write

        write([found], arguments["report"], title=arguments["title"], command=command(), drawings=arguments["drawings"])
    _tell(found, arguments)
    counts = found.statistics["findings"]
    if any(counts.get(name) for name in BUGS):
        bad = [r for r in found.records if set(r.findings) & set(BUGS)]
        why = bad[0].details.get("recheck") or bad[0].reason or ""
        print(f"regsynth: item {bad[0].id!r}: {', '.join(bad[0].findings)} ({why}): {REPORT}", file=sys.stderr)
        return DISAGREE
    return YES


def _name(solver: str) -> str:
    names = {"input": "input unchanged", "greedy": "greedy simplifier", "label": "published labels", "auto": "regsynth exact"}
    return names.get(solver, solver)


def _verdicts(arguments: Arguments) -> dict[str, Predictions] | None:
    from regsynth.bench.inputs import read_predictions

    given = arguments["verdicts"]
    if not given:
        return None
    if arguments["task"] != "nl2re":
        raise InputError("--verdicts is for --task nl2re")
    out = {}
    for text in given:
        kind, equals, path = text.partition("=")
        if not equals:
            raise InputError(f"--verdicts {text!r}: say what is judged: pass=FILE or dfa-eq=FILE")
        out[kind] = read_predictions(path)
        if not out[kind].verdicts:
            raise InputError(f"{path}: no record with 'id', 'completion' and 'passed'; check --verdicts")
    return out


def _prompt(path: str | None) -> dict[str, str] | None:
    if path is None:
        return None
    from hashlib import sha256

    try:
        return {"name": Path(path).name, "sha256": sha256(Path(path).read_bytes()).hexdigest()}
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; check --prompts") from None


def _tell(found: Run, arguments: Arguments) -> None:
    """Print the summary, and on stderr what did not fit."""
    counts = {name: found.inputs.get(name, 0) for name in ("missing", "duplicate", "unknown", "unreadable")}
    strange = [f"{count:,} {name} {'records' if name == 'unreadable' else 'ids'}" for name, count in counts.items() if count]
    if strange and not arguments["quiet"]:
        print(f"regsynth: predictions: {', '.join(strange)}; see 'inputs' in the summary", file=sys.stderr)
    if choose_format(arguments["format"], many=False) != "table":
        print(json.dumps({"id": found.name, **found.summary()}, ensure_ascii=True))
        return
    print(f"{found.task}  {found.name}  {found.n:,} items")
    for name, value in found.metrics.items():
        print(f"  {name:<24}{_shown(name, value)}")
    for name, value in found.categories.items():
        print(f"  {name:<24}{value:>9,}")
    for row, metrics in (found.statistics.get("baselines") or {}).items():
        print(f"  beside: {row:<24}" + "  ".join(f"{name} {_shown(name, value).strip()}" for name, value in metrics.items()))
    for kind, table in (found.statistics.get("verdicts") or {}).items():
        print(f"  others' {kind}: {table['agree']:,} of {table['judged']:,} agree; {table['disagree']:,} do not: "
              + ", ".join(f"{name} {n}" for name, n in table["classes"].items()))  # fmt: skip
    for finding, count in found.statistics["findings"].items():
        print(f"  {finding:<24}{count:>9,}")


def _shown(name: str, value: float | None) -> str:
    if value is None:
        return "        –"
    if name in ("precise", "minimal"):
        return f"{value:>9,.0f}"
    return f"{value:>9.3f}" if name == "cost_ratio" else f"{100 * value:>7.2f} %"


def _numbers(text: str) -> list[int]:
    try:
        return [whole("k", 1)(part) for part in text.split(",")]
    except InputError:
        raise InputError(f"--k {text!r}: give whole numbers from 1 up, such as 1,5,10") from None


VERB = Verb(
    name="bench",
    summary="score language models' answers against proven optima",
    usage="export | score | run | report --task NAME --dataset FILE [options]",
    details="""\
Tasks: regexmin (shortest equivalent expression), regexeq (are two equivalent?), rei (cheapest
expression for words), nl2re (a practical pattern for a description).

  regsynth bench export --task regexmin --dataset regexpspace.jsonl --to openai-batch -o requests.jsonl
  regsynth bench score  --task regexmin --dataset regexpspace.jsonl --predictions answers.jsonl -o mine.json
  regsynth bench score  --task nl2re --dataset RegexEval.json --predictions GPT3.5.json --k 1 5 10
  regsynth bench run    --task regexmin --dataset regexpspace.jsonl --solver auto
  regsynth bench report mine.json theirs.json -o leaderboard.html

Predictions: lines of id and response, an OpenAI batch output, id and solution, lists of samples,
RegexEval's output files. With --output a run that is killed goes on where it stopped.""",
    options=("semantics", "timeout", "format", "jobs", "quiet", "help"),
    run=main,
    own=(
        Option("task", "NAME", "regexmin, regexeq, rei or nl2re", choice("task", *TASKS)),
        Option("dataset", "FILE", "what is asked: JSONL, a JSON list or a corpus folder"),
        Option("predictions", "FILE", "what was answered (score)"),
        Option("output", "FILE", "where the scored run, the prompts or the report go"),
        Option("report", "FILE", "also write an HTML report there (score, run)"),
        Option("name", "TEXT", "of the row: a model"),
        Option("extract", "MODE", "how answers are found: paper (default), strict, or raw (default of nl2re)",
               choice("extract", "paper", "strict", "raw")),
        Option("k", "N,…", "nl2re: the k of pass@k and the like (default 1)", _numbers),
        Option("use-reference", "", "score the dataset's references against themselves"),
        Option("verdicts", "WHAT=FILE", "nl2re: others' verdicts to compare with: pass=FILE, dfa-eq=FILE", str, None, "", True),
        Option("no-screen", "", "nl2re: do not screen answers for ReDoS"),
        Option("corpus", "NAME", "nl2re: how the dataset is laid out and meant; guessed by default"),
        Option("solver", "NAME", "who answers (run): auto, …, sat; input, greedy, label, trivial, reference"),
        Option("shots", "N", "worked examples in a prompt (export; default 0)", whole("shots", 0), 0),
        Option("fewshot", "FILE", "where they come from: records of the training split"),
        Option("style", "NAME", "plain or steps: ask for reasoning first (export)", choice("style", "plain", "steps"), "plain"),
        Option("to", "FORMAT", "openai-batch or jsonl (export; default jsonl)", choice("to", "openai-batch", "jsonl"), "jsonl"),
        Option("model", "NAME", "written into requests (export)", str, "MODEL"),
        Option("prompts", "FILE", "the prompts the predictions answer; their hash is kept (score)"),
        Option("max-tokens", "N", "token limit of an answer (default 1024)", whole("max-tokens", 1), 1024),
        Option("max-thinking-tokens", "N", "token limit of thinking (default 4096)", whole("max-thinking-tokens", 1), 4096),
        DRAWINGS,
        TITLE,
    ),
)  # fmt: skip

__all__ = ["VERB", "main"]
