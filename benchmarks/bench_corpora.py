"""Corpora: generate and label LRD, audit the published benchmark, label URMT, shorten random expressions.

Parts (``--parts``):

* ``lrd``: generate and label all 1,266,752 expressions;
* ``audit``: check every claim of the published RegexPSPACE benchmark;
* ``urmt``: label a sample, ``--count`` records of depths 4, 5, 6 in equal shares; proven, gap and ratio by depth;
* ``populations``: geometric mean of output over input length on the MrE populations, against FAdo's
  ``reduced`` and greenery's ``reduce`` in the same run;
* ``cases``: the long expressions of the RegexPSPACE paper's case study;
* ``scaling``: labels a second with 1 and with 2 workers.

Answers are verified before anything is recorded: labels by ``regsynth audit`` on a sample, shortened
expressions of ours and of the peers by an equivalence test.

Bias to know of: LRD and URMT are random trees over four letters, full of repeated operands; what people write
is neither. Peers' outputs are measured in our tree length: their ``x{2,3}``, ``x+`` and ``[ab]`` written out with
``? * · +``.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from math import exp, log
from pathlib import Path
from typing import Any

from dated import append, installed, setting, today

from regsynth.automata.batch import compare_many
from regsynth.budget import Budget
from regsynth.corpora.audit import audit
from regsynth.corpora.executors import Processes
from regsynth.corpora.generators import Request, generate
from regsynth.corpora.labelling import Settings, label, warm
from regsynth.corpora.records import read
from regsynth.solvers.minimise import minimize
from regsynth.syntax import tree
from regsynth.syntax.formal import parse
from regsynth.syntax.tree import Expr

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
Row = tuple[str, float | int | str]


def mean(values: Sequence[float]) -> float:
    """Geometric mean."""
    return exp(sum(map(log, values)) / len(values)) if values else float("nan")


# ---------------------------------------------------------------------------- LRD, audit, URMT


def lrd(options: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """Generate and label everything; a sample of the labels is audited."""
    began = time.perf_counter()
    letters = "ab" if options.smoke else options.alphabet
    generate("lrd", Request(folder / "lrd", seed=1, alphabet=letters))
    yield "generate seconds", time.perf_counter() - began
    began = time.perf_counter()
    found = label(folder / "lrd", folder / "labels", executor=Processes(options.jobs))
    yield "label seconds", time.perf_counter() - began
    yield "records", found.records
    yield "languages", found.languages
    yield "classes", found.classes
    yield "optimal", found.status.get("optimal", 0)
    shard = random.Random(1).choice(sorted((folder / "labels" / "labels").iterdir()))
    yield "wrong labels in a shard", sum(audit(shard).wrong.values())


def audited(options: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """All claims of the published benchmark."""
    warm()
    began = time.perf_counter()
    found = audit(DATA / "regexpspace" / "regexpspace.jsonl")
    yield "seconds", time.perf_counter() - began
    yield "claims", sum(found.checked.values())
    yield "undecided", sum(found.undecided.values())
    yield "wrong", sum(found.wrong.values())


def urmt(options: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """Shares proven, mean gaps and ratios by depth."""
    generate("urmt", Request(folder / "urmt", seed=options.seed, count=options.count))
    settings = Settings(steps=options.steps, seconds=options.timeout or None)
    label(folder / "urmt", folder / "urmt-labels", settings=settings, executor=Processes(options.jobs), shard=1000)
    yield from by_depth(folder / "urmt" / "urmt.jsonl", folder / "urmt-labels")


def by_depth(corpus: Path, labels: Path) -> Iterator[Row]:
    """Figures of a labelled URMT folder, finished or not."""
    depth = {r["idx"]: r["depth"] for _, r in read(corpus) if isinstance(r, dict)}
    rows: dict[int, list[dict[str, Any]]] = {}
    for file in sorted((labels / "labels").glob("*.jsonl")):
        for _, record in read(file):
            if isinstance(record, dict):
                rows.setdefault(depth[record["id"]], []).append(record)
    for n, records in sorted(rows.items()):
        yield f"depth {n} records", len(records)
        yield f"depth {n} proven", sum(r["status"] == "optimal" for r in records) / len(records)
        gaps = [(r["minimized_tree_length"] - r["lower_bound"]) / r["minimized_tree_length"] for r in records]
        yield f"depth {n} mean gap", sum(gaps) / len(gaps)
        yield f"depth {n} ratio", mean([r["minimized_tree_length"] / r["tree_length"] for r in records])


# ---------------------------------------------------------------------------- populations and peers


def fado(expr: Expr) -> Expr:
    """FAdo's ``reduced``; it takes ε instead of ``?``."""
    from FAdo.reex import str2regexp

    stack: list[str] = []
    for node in expr.postorder():
        if node.op == tree.LETTER:
            stack.append(str(node.symbol))
        elif node.op == tree.OPTION:
            stack[-1] = f"({stack[-1]} + @epsilon)"
        elif node.op == tree.STAR:
            stack[-1] = f"({stack[-1]})*"
        else:
            right = stack.pop()
            stack[-1] = f"({stack[-1]} + {right})" if node.op == tree.UNION else f"({stack[-1]} {right})"
    return without_epsilon(parse(str(str2regexp(stack[0]).reduced()).replace("@epsilon", "ε").replace("@empty_set", "∅")))


def without_epsilon(expr: Expr) -> Expr:
    """``x+ε`` as ``x?``."""
    stack: list[Expr] = []
    for node in expr.postorder():
        if node.op in tree.BINARY:
            right, left = stack.pop(), stack.pop()
            if node.op == tree.UNION and tree.EPSILON in (left.op, right.op):
                stack.append(tree.option(right if left.op == tree.EPSILON else left))
            else:
                stack.append(tree.make(node.op, left, right))
        elif node.op in tree.UNARY:
            stack[-1] = tree.make(node.op, stack[-1])
        else:
            stack.append(node)
    return stack[0]


def greenery(expr: Expr) -> Expr:
    """greenery's ``reduce``."""
    import greenery as library

    text = re.sub(r"[*?]{2,}", lambda run: "*" if "*" in run[0] else "?", str(expr).replace("+", "|"))
    return from_greenery(library.parse(text).reduce())


def from_greenery(item: Any) -> Expr:
    """A greenery object as a tree, cheapest first: ``x{2,3}`` is ``xxx?``, ``x+`` is ``xx*``, an empty branch is ``?``."""
    kind = type(item).__name__
    if kind == "Charclass":
        points = [c for low, high in item.ord_ranges for c in range(low, high + 1)]
        return joined(tree.union, [tree.letter(chr(c)) for c in points])
    if kind == "Conc":
        return joined(tree.concat, [from_greenery(m) for m in item.mults]) if item.mults else tree.epsilon()
    if kind == "Mult":
        inner, low, high = from_greenery(item.multiplicand), item.multiplier.min.v, item.multiplier.max.v
        parts = [inner] * low
        if high is None:
            parts.append(tree.star(inner))
        else:
            rest = None
            for _ in range(high - low):
                rest = tree.option(inner if rest is None else tree.concat(inner, rest))
            parts += [rest] if rest is not None else []
        return joined(tree.concat, parts) if parts else tree.epsilon()
    branches = [from_greenery(conc) for conc in sorted(item.concs, key=str)]
    full = [branch for branch in branches if branch.op != tree.EPSILON]
    whole = joined(tree.union, full) if full else tree.epsilon()
    return tree.option(whole) if full and len(full) < len(branches) else whole


def joined(make: Callable[[Expr, Expr], Expr], parts: list[Expr]) -> Expr:
    """Parts under a binary operator."""
    whole = parts[0]
    for part in parts[1:]:
        whole = make(whole, part)
    return whole


def populations(options: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """Ratios by file: ours, FAdo's and greenery's, on the same expressions."""
    warm()
    place = DATA / "mre" / "populations"
    for path in sorted(place.iterdir(), key=lambda p: (len(p.name), p.name)):
        if options.populations and path.name not in options.populations:
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        chosen = random.Random(options.seed).sample(lines, min(options.count_populations, len(lines)))
        roads: dict[str, Callable[[Expr], Expr]] = {"FAdo": fado, "greenery": greenery}
        ratios: dict[str, list[float]] = {"regsynth": [], **{name: [] for name in roads}}
        proven = failed = 0
        seconds: dict[str, float] = dict.fromkeys(ratios, 0.0)
        for text in chosen:
            expr = parse(text)
            began = time.perf_counter()
            found = minimize(expr, budget=Budget(seconds=options.timeout))
            seconds["regsynth"] += time.perf_counter() - began
            proven += found.status == "optimal"
            outputs = {"regsynth": found.regex}
            for name, road in roads.items():
                began = time.perf_counter()
                try:
                    outputs[name] = road(expr)
                except Exception:  # a peer that fails leaves the input as it is
                    failed += 1
                    outputs[name] = expr
                seconds[name] += time.perf_counter() - began
            right = compare_many([text] * len(outputs), [str(output) for output in outputs.values()])
            for i, (name, output) in enumerate(outputs.items()):
                assert output is not None
                good = right.name(i) == "equivalent"
                if not good and name == "regsynth":
                    raise AssertionError(f"{text}: {output} is not equivalent")
                ratios[name].append(output.length / expr.length if good else 1.0)
        yield f"{path.name} proven", proven / len(chosen)
        for name, values in ratios.items():
            yield f"{path.name} {name} ratio", mean(values)
            yield f"{path.name} {name} seconds each", seconds[name] / len(chosen)
        yield f"{path.name} peers' failures", failed


def cases(options: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """The long expressions of the RegexPSPACE paper's case study: our length and bound beside GPT-o1's length."""
    lines = (DATA / "published" / "case_study.jsonl").read_text(encoding="utf-8").splitlines()
    for n, record in enumerate((r for r in map(json.loads, lines) if r["set"] != "LRD"), 1):
        found = minimize(parse(record["query"]), budget=Budget(seconds=2.0 if options.smoke else 60.0))
        yield f"case {n} length", float(found.cost or 0)
        yield f"case {n} proven bound", float(found.lower_bound)
        yield f"case {n} GPT-o1's length", float(parse(record["answers"]["GPT-o1"][0]).length)


def scaling(options: argparse.Namespace, folder: Path) -> Iterator[Row]:
    """Classes solved a second with one and with two workers, kernels loaded."""
    generate("urmt", Request(folder / "scaling", seed=11, count=30 if options.smoke else 9000))
    texts = [r for _, r in read(folder / "scaling" / "urmt.jsonl") if isinstance(r, dict) and r["depth"] == 4]
    source = folder / "depth4.jsonl"
    source.write_text("".join(json.dumps(r) + "\n" for r in texts), encoding="utf-8")
    for jobs in (1, 2):
        output = folder / f"jobs{jobs}"
        label(source, output, executor=Processes(jobs))
        entries = [json.loads(line) for line in (output / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
        began = time.perf_counter()
        shutil.rmtree(output)
        label(source, output, executor=Processes(jobs))
        yield f"{jobs} workers, seconds", time.perf_counter() - began
        yield f"{jobs} workers, classes", len(entries)


PARTS: dict[str, Callable[[argparse.Namespace, Path], Iterator[Row]]] = {
    "lrd": lrd, "audit": audited, "urmt": urmt, "populations": populations, "cases": cases, "scaling": scaling,
}  # fmt: skip


def record(part: str, what: str, value: float | int | str) -> None:
    """Append a figure to the dated records."""
    about = setting()
    shown = f"{value:.6g}" if isinstance(value, float) else value
    row = {"date": today(), "part": part, "what": what, "value": shown, **{key: about[key] for key in ("cores", "load", "python")}}
    append("corpora", [row | {name: installed(name) for name in ("regsynth", "FAdo", "greenery")}])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the parts; exit code 1 when an answer is wrong."""
    parser = argparse.ArgumentParser(description="Corpora: generation, labelling, audit, peers.")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--count", type=int, default=3000, help="records of urmt")
    parser.add_argument("--count-populations", type=int, default=100, help="expressions of each population")
    parser.add_argument("--populations", nargs="+", default=[], metavar="FILE", help="only these of the populations, such as s80w4")
    parser.add_argument("--steps", type=int, default=Settings().steps)
    parser.add_argument("--timeout", type=float, default=10.0, help="seconds an item (0: steps only)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--alphabet", default="abcd", help="letters of lrd")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--smoke", action="store_true", help="LRD over two letters")
    parser.add_argument("--record", action="store_true", help="append to benchmarks/records/corpora.csv")
    options = parser.parse_args(argv)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for part in options.parts:
            for what, value in PARTS[part](options, Path(folder)):
                print(f"{part}: {what}: {value:.4g}" if isinstance(value, float) else f"{part}: {what}: {value}", flush=True)
                if options.record:
                    record(part, what, value)
                if what.startswith("wrong labels") and value:
                    wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
