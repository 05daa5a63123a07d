"""The SAT, MaxSAT and SMT roads: agreement, speed, what each rule and solver buys, certificates, letter bounds.

Every answer is compared with the published or the enumerative optimum before its time counts.
Biases: RegexPSPACE's queries with short optima are small (a median of 8 samples); AlphaRegex is
25 hand-made problems over {0,1}; random problems have at most 7 words of at most 3 letters.

    python benchmarks/bench_encodings.py [PART…] [--count N] [--timeout S] [--record]
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from dated import append, setting

from regsynth.api import infer
from regsynth.budget import Budget
from regsynth.encodings.symmetry import RULES
from regsynth.encodings.tree import TreeEncoding
from regsynth.errors import BudgetExceeded
from regsynth.solvers import roads, sat
from regsynth.solvers.certificates import check_enumerative, enumerative
from regsynth.solvers.certificates import sat as sat_certificates
from regsynth.solvers.certificates.folder import Claim, Rejected, read
from regsynth.solvers.certificates.languages import language
from regsynth.solvers.certificates.verdict import check_folder
from regsynth.solvers.live import solver_names
from regsynth.solvers.questions import Question
from regsynth.solvers.results import InferenceProblem, MinimizationProblem, MinimizationResult, Operators
from regsynth.syntax.costs import Costs
from regsynth.syntax.formal import parse

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "shared" / "data"
Row = dict[str, Any]


def queries(longest: int = 1 << 30) -> list[Row]:
    with (DATA / "regexpspace" / "regexpspace.jsonl").open() as file:
        return [r for r in map(json.loads, file) if r["minimized_tree_length"] <= longest]


def alpha(number: int) -> InferenceProblem:
    sides: dict[str, set[str]] = {"++": set(), "--": set()}
    into: set[str] | None = None
    for line in (DATA / "paresy" / "alpha_regex" / f"no{number}.txt").read_text().splitlines():
        if line.strip() in sides:
            into = sides[line.strip()]
        elif into is not None:
            into.add(line.strip().strip('"'))
    return InferenceProblem(frozenset(sides["++"]), frozenset(sides["--"]))


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.perf_counter()
    return work(), time.perf_counter() - began


class Tally:
    """Seconds of each answer; how many contradict the known optimum, and how many came too late."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.wrong = self.late = 0

    def add(self, result: Any, seconds: float, cost: int) -> None:
        self.seconds.append(seconds)
        right = result.cost == cost if result.status == "optimal" else result.lower_bound <= cost <= (result.cost or cost)
        self.wrong += not right
        self.late += right and result.status != "optimal"

    def row(self, part: str, setting: str, note: str = "") -> Row:
        return summary(part, setting, self.seconds, self.wrong, note, self.late)


def summary(part: str, setting: str, seconds: list[float], wrong: int, note: str = "", late: int = 0) -> Row:
    items = len(seconds)
    seconds = seconds or [0.0]
    return {
        "part": part, "setting": setting, "items": items, "wrong": wrong, "late": late,
        "seconds_median": round(statistics.median(seconds), 4), "seconds_max": round(max(seconds), 3),
        "seconds_total": round(sum(seconds), 2), "note": note,
    }  # fmt: skip


def part_queries(count: int, budget: Budget) -> Iterator[Row]:
    """Every query with an optimum of at most 9, by SAT; 50 by MaxSAT and by SMT."""
    records = queries(9)
    for road, chosen in (("sat", records[:count]), ("maxsat", records[::26][:count]), ("smt", records[::26][:count])):
        tally = Tally()
        for record in chosen:
            result, seconds = timed(lambda: roads.minimize_by(road, MinimizationProblem(parse(record["query"])), budget))  # noqa: B023
            tally.add(result, seconds, record["minimized_tree_length"])
        yield tally.row("queries", road)


def part_alpha(count: int, budget: Budget) -> Iterator[Row]:
    """AlphaRegex: all three roads where the optimum is at most 12; SAT alone on no5 and no7."""
    easy: list[tuple[InferenceProblem, int]] = []
    for number in range(1, 26):
        problem = alpha(number)
        optimum = infer(problem.positives, problem.negatives, budget=budget)
        if optimum.status == "optimal" and optimum.cost is not None and optimum.cost <= 12:
            easy.append((problem, optimum.cost))
    for road in ("sat", "maxsat", "smt"):
        tally = Tally()
        for problem, cost in easy[:count]:
            result, seconds = timed(lambda: roads.infer_by(road, problem, budget))  # noqa: B023
            tally.add(result, seconds, cost)
        yield tally.row("alpha ≤ 12", road)
    for number in (5, 7):
        result, seconds = timed(lambda: sat.solve_inference(alpha(number), budget))  # noqa: B023
        tally = Tally()
        tally.add(result, seconds, 14)
        yield tally.row(f"alpha no{number}", "sat")


def part_random(count: int, budget: Budget) -> Iterator[Row]:
    """Random words, any costs, any operators: three roads against the enumerative engine."""
    rng = random.Random(7)
    words = ["", *"ab", *(x + y for x in "ab" for y in "ab"), *(x + y + z for x in "ab" for y in "ab" for z in "ab")]
    problems = []
    while len(problems) < min(count, 200):
        chosen = rng.sample(words, rng.randint(2, 6))
        cut = rng.randint(1, len(chosen) - 1)
        costs = Costs(*(rng.choice((1, 1, 2, 3, 5, 7)) for _ in range(8)))
        operators = rng.choice((Operators.parse("all"), Operators.parse("?*.+"), Operators.parse("?*.+~&-")))
        problem = InferenceProblem(frozenset(chosen[:cut]), frozenset(chosen[cut:]), costs, operators, ("a", "b"))
        result = infer(problem.positives, problem.negatives, costs=costs, operators=operators, alphabet="ab", budget=budget)
        if result.status == "optimal" and result.cost is not None and result.cost <= 9 * min(costs.by_op):
            problems.append((problem, result.cost))
    for road in ("sat", "maxsat", "smt"):
        tally = Tally()
        for problem, cost in problems:
            result, seconds = timed(lambda: roads.infer_by(road, problem, budget))  # noqa: B023
            tally.add(result, seconds, cost)
        yield tally.row("random", road)


def hard_problems(count: int) -> list[tuple[Any, int]]:
    chosen = [r for r in queries(11) if r["minimized_tree_length"] >= 10][:count]
    return [(MinimizationProblem(parse(r["query"])), r["minimized_tree_length"]) for r in chosen] + [(alpha(5), 14)]


def solve_with(problem: Any, budget: Budget, **options: str) -> Any:
    solve = sat.solve_minimization if isinstance(problem, MinimizationProblem) else sat.solve_inference
    return solve(problem, budget, **options)  # type: ignore[operator]


def part_rules(count: int, budget: Budget) -> Iterator[Row]:
    """Symmetry rules: none, all, all but one; queries of optimum 10 and 11, and AlphaRegex no5."""
    settings = {"none": "none", "all": "all", **{f"all but {r}": ",".join(x for x in RULES if x != r) for r in RULES}}
    problems = hard_problems(min(count, 10))
    for name, symmetry in settings.items():
        tally, clauses, conflicts = Tally(), [], 0
        for problem, cost in problems:
            result, seconds = timed(lambda: solve_with(problem, budget, symmetry=symmetry))  # noqa: B023
            tally.add(result, seconds, cost)
            conflicts += result.stats.get("conflicts") or 0
            task = Question(problem, Budget().start()).task
            clauses.append(len(TreeEncoding(task, 9, symmetry=symmetry).formula.clauses))
        middle = int(statistics.median(clauses))
        yield tally.row("rules", name, f"{conflicts} conflicts in all; {middle} clauses at 9 nodes (median)")


def part_solvers(count: int, budget: Budget) -> Iterator[Row]:
    """SAT solvers as PySAT offers them, incremental use."""
    problems = hard_problems(min(count, 10))
    wanted = "glucose3 glucose4 glucose42 cadical103 cadical153 cadical195 maplechrono maplecm mergesat3 minisat22 lingeling"
    for name in [name for name in wanted.split() if name in solver_names()]:
        tally = Tally()
        for problem, cost in problems:
            result, seconds = timed(lambda: solve_with(problem, budget, solver=name))  # noqa: B023
            tally.add(result, seconds, cost)
        yield tally.row("solvers", name)


def claimed(record: Row) -> tuple[MinimizationProblem, MinimizationResult]:
    best, cost = parse(record["minimized_regex"]), record["minimized_tree_length"]
    return MinimizationProblem(parse(record["query"])), MinimizationResult(best, cost, cost, "optimal", "published")


def mutated(claim: Claim, rng: random.Random) -> Iterator[tuple[str, Claim]]:
    """One change each of bound, answer, goal, operators, letter, sample."""
    cost = claim.problem.costs.of_expr
    yield "bound", replace(claim, cost=claim.cost + 1)
    doubled = parse(f"({claim.answer})+({claim.answer})")
    yield "answer", replace(claim, answer=doubled, cost=cost(doubled))
    other = parse(f"({claim.answer})a?b")
    yield "expression", replace(claim, answer=other, cost=cost(other))
    assert isinstance(claim.problem, MinimizationProblem)
    sigma = sorted(map(str, claim.problem.expr.alphabet | {"b"}))
    goal = parse(f"({claim.problem.expr})+bbbbbb")
    if language(goal, sigma) != language(claim.problem.expr, sigma):
        yield "goal", replace(claim, problem=replace(claim.problem, expr=goal))
    if claim.positives:
        word = rng.choice(claim.positives)
        letters = sorted(map(str, claim.problem.expr.alphabet))
        yield "letter", replace(claim, positives=(*claim.positives, word + "z"))
        yield "sample", replace(claim, positives=claim.positives[:1])
        foreign = rng.choice(letters) * 37 + word + letters[0] * 41 + letters[-1] * 3
        if not language(claim.problem.expr, letters).accepts(letters.index(c) for c in foreign):
            yield "foreign sample", replace(claim, positives=(*claim.positives, foreign))


def part_certificates(count: int, budget: Budget) -> Iterator[Row]:
    """Certificates of RegexPSPACE: 1,000 by enumeration and 100 by SAT, and mutations of each."""
    rng = random.Random(1)
    records = queries()
    for kind, way, chosen in (("enumerative", enumerative, records[: min(count, 1000)]),
                              ("sat", sat_certificates, queries(9)[:: 13][: min(count, 100)])):  # fmt: skip
        writing: list[float] = []
        checking: list[float] = []
        rejected = refused = tried = entries = 0
        with tempfile.TemporaryDirectory() as folder:
            for record in chosen:
                problem, result = claimed(record)
                try:
                    writing.append(timed(lambda: way.certify(problem, result, folder, budget))[1])  # noqa: B023
                except BudgetExceeded:
                    refused += 1
                    continue
                try:
                    checking.append(timed(lambda: check_folder(folder))[1])
                except Rejected:
                    refused += 1
                    continue
                claim = read(folder)
                changes = [] if claim.cost == 1 else list(mutated(claim, rng))
                for _, change in changes if kind == "enumerative" or tried < 200 else []:
                    tried += 1
                    rejected += not holds(kind, change, folder)
                if kind == "enumerative" and claim.evidence["table"]:
                    thinner = without_needed_entry(claim, rng)
                    if thinner is not None:
                        entries += 1
                        tried += 1
                        rejected += not holds(kind, thinner, folder)
        yield summary("certificates", f"{kind}: write", writing, refused)
        yield summary("certificates", f"{kind}: check", checking, tried - rejected,
                      f"{rejected} of {tried} mutations rejected, {entries} of them needed entries")  # fmt: skip


def holds(kind: str, claim: Claim, folder: str) -> bool:
    from regsynth.solvers.certificates import check_sat

    try:
        if kind == "sat":
            check_sat.check(claim, folder)
        else:
            check_enumerative.check(claim)
    except Rejected:
        return False
    return True


def without_needed_entry(claim: Claim, rng: random.Random) -> Claim | None:
    """The claim without one entry that no other covers, and without what is built from it."""
    upper, letters = check_enumerative.check_answer(claim)
    number = {c: a for a, c in enumerate(letters)}
    samples = [tuple(number[c] for c in w) for w in claim.positives]
    fooling = [(m, i) for m, i in claim.evidence["fooling"]]
    table = check_enumerative.Table(claim, check_enumerative.Places(upper, len(letters), samples, fooling), claim.cost - 1)
    rows = claim.evidence["table"]
    for i in rng.sample(range(len(rows)), len(rows)):
        mine = table.made[i]
        if any(e is not mine and e.cost <= mine.cost and not mine.cover & ~e.cover and not e.target & ~mine.target
               for e in table.at[mine.source]):  # fmt: skip
            continue
        gone, place, kept = {i}, {}, []
        for k, (x, op, left, right) in enumerate(rows):
            if k in gone or (op != 2 and (left in gone or right in gone)):
                gone.add(k)
            else:
                place[k] = len(kept)
                kept.append([x, op, left if op == 2 else place.get(left, -1), place.get(right, -1)])
        return replace(claim, evidence={**claim.evidence, "table": kept})
    return None


def part_bounds(count: int, budget: Budget) -> Iterator[Row]:
    """Depth-5 expressions: enumeration with and without the letter bound (plain tier, 2 s each), and letter bounds alone."""
    from regsynth.automata.position import to_dfa
    from regsynth.corpora.regexpspace import urmt
    from regsynth.solvers import minimise, tiers
    from regsynth.solvers.closed import ClosedSets
    from regsynth.solvers.fooling import contexts_of, fooling_set
    from regsynth.solvers.letter_bound import letters_needed
    from regsynth.solvers.typed import Rules

    texts = [r["query"] for r in urmt("abcd", 3 * min(count, 300), 5) if r["depth"] == 5][: min(count, 300)]
    short = Budget(seconds=2.0)
    tiers.PLAIN_COLD = tiers.PLAIN_WARM = 1 << 60
    answers: dict[str, list[Any]] = {}
    for name, rules in (("with the letter bound", Rules()), ("without", Rules(letter_bound=False))):
        results = [timed(lambda: minimise.minimize(parse(text), budget=short, rules=rules)) for text in texts]  # noqa: B023
        answers[name] = [r for r, _ in results]
        proven = sum(r.status == "optimal" for r, _ in results)
        yield summary("bounds", name, [s for _, s in results], 0, f"{proven} of {len(texts)} proven minimal")
    both = zip(*answers.values(), strict=True)
    wrong = sum(one.status == other.status == "optimal" and one.cost != other.cost for one, other in both)
    gains, seconds = [], []
    for text in texts:
        dfa = to_dfa(parse(text))
        closed = ClosedSets(dfa)
        fooling = len(fooling_set(closed, contexts_of(closed)))
        bound, spent = timed(lambda: letters_needed(dfa, short.start()))  # noqa: B023
        gains.append((fooling, bound, parse(text).letters))
        seconds.append(spent)
    more = sum(k > f for f, k, _ in gains)
    share = statistics.mean(k / n for _, k, n in gains)
    note = f"above the fooling set {more} of {len(gains)} times; mean share of the input's letters {share:.3f}"
    yield summary("bounds", "position automata", seconds, wrong, note)


PARTS = {"queries": part_queries, "alpha": part_alpha, "random": part_random, "rules": part_rules, "solvers": part_solvers,
         "certificates": part_certificates, "bounds": part_bounds}  # fmt: skip


def main() -> int:
    """Exit code 1 when an answer was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("parts", nargs="*", default=[], help=", ".join(PARTS))
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--timeout", type=float, default=120.0)
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    wrong = 0
    import pysat
    import z3

    versions = f"python-sat {pysat.__version__}, z3 {z3.get_version_string()}"
    for part in options.parts or PARTS:
        for row in PARTS[part](options.count, Budget(seconds=options.timeout)):
            print(row, flush=True)
            wrong += bool(row["wrong"])
            if options.record:
                about = setting()
                about["versions"] = f"python {about.pop('python')}, {versions}"
                append("encodings", [about | row])
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
