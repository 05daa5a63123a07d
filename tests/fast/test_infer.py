"""regsynth.infer and the verb: traps, trivial answers, files, bad input."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from inferring import WORDS
from words_brute import GaveUp, cheapest

import regsynth
from regsynth.budget import Budget
from regsynth.cli.main import main
from regsynth.cli.problems import read_words
from regsynth.errors import InputError, MethodsDisagree
from regsynth.solvers.inference import check, infer, problem_of
from regsynth.solvers.results import STANDARD, Operators
from regsynth.solvers.unions import union_of
from regsynth.syntax.costs import TREE_LENGTH, Costs

pytestmark = pytest.mark.usefixtures("compiled")

P = ["10", "101", "100", "1010", "1011", "1000", "1001"]
N = ["", "0", "1", "00", "11", "010"]
DATA = Path(__file__).parents[3] / "shared" / "data" / "paresy"


def test_first_bound_takes_prefixes_and_suffixes_out_whatever_the_time() -> None:
    problem = problem_of(["aab", "ab", "aaab"], ["b"], costs=TREE_LENGTH, operators=STANDARD)
    flat, least = 5 + 3 + 7 + 2, union_of(problem)
    assert least is not None and least.length < flat
    for budget in (Budget(seconds=60), Budget(seconds=None)):
        assert union_of(problem, budget.start()) is least
    late = Budget(seconds=0.0).start()
    assert (found := union_of(problem, late)) is not None and found.length == flat


def test_first_example() -> None:
    found = regsynth.infer(P, N)
    assert (str(found.regex), found.cost, found.status) == ("10(0+1)*", 8, "optimal")


@pytest.mark.parametrize(
    ("positives", "negatives", "ops", "regex", "cost"),
    [
        ([], ["a"], "all", "∅", 1),
        ([], ["a"], "?*.+", "ε", 1),
        ([], ["", "a"], "?*.+", "aa", 3),
        ([], ["", "a"], "all", "∅", 1),
        ([""], ["a", "aa"], "?*.+", "ε", 1),
        ([""], [], ".", "ε", 1),
        (["a"], [], "?*.+", "a", 1),
        (["", "a"], ["aa"], "?", "a?", 2),
        (["", "a"], ["aa"], ".+ε", "ε+a", 3),
        (["a"], [""], "all", "a", 1),
    ],
)
def test_trivial_answers(positives: list[str], negatives: list[str], ops: str, regex: str, cost: int) -> None:
    found = regsynth.infer(positives, negatives, operators=ops)
    assert found.cost == found.lower_bound == cost and found.status == "optimal"
    if "+" not in regex:
        assert str(found.regex) == regex


def test_empty_positives_say_why_not_the_empty_language() -> None:
    assert "lack ∅" in regsynth.infer([], ["a"]).stats["note"]
    assert "note" not in regsynth.infer([], ["a"], operators="all").stats


@pytest.mark.parametrize("costs", ["1,10,1,1,1", "1,30,1,1,1", "1,1,1,1,10", "10,1,1,1,1", "2,9,3,1,4"])
@pytest.mark.parametrize("ops", ["?*.+", "*.+", "?.+", "?*.+ε", "?*.+∅", "?*.+ε∅"])
def test_dear_options_and_missing_ones(costs: str, ops: str) -> None:
    """Where typed dominance could go wrong: ε as a positive, an option that costs more than a star and a union."""
    rng, price, compared = random.Random(f"{costs}{ops}"), Costs.parse(costs), 0
    operators = Operators.parse(ops)
    while compared < 3:
        words = rng.sample(WORDS[1:15], 4)
        positives, negatives = ["", *words[:2]], words[2:]
        try:
            least = cheapest(positives, negatives, "ab", price, operators.mask, 1500)
        except GaveUp:
            continue
        compared += 1
        found = regsynth.infer(positives, negatives, costs=price, operators=ops, alphabet="ab")
        assert (found.cost, found.status) == (least, "optimal"), (positives, negatives)


def test_upper_bound_holds_the_positives_only() -> None:
    rng = random.Random(4)
    for ops in ("?*.+", ".+ε", ".+", "all"):
        for _ in range(20):
            words = rng.sample(WORDS, 6)
            problem = problem_of(words[:4], words[4:], costs=TREE_LENGTH, operators=Operators.parse(ops))
            upper = union_of(problem)
            if upper is None:
                assert ops == ".+" and "" in problem.positives
            else:
                check(problem, upper, upper.length)
                assert not upper.mask & ~problem.operators.mask


def test_final_check_catches_wrong_answers() -> None:
    problem = problem_of(["a"], ["b"], costs=TREE_LENGTH, operators=STANDARD)
    with pytest.raises(MethodsDisagree, match="wrong on 'b'"):
        check(problem, regsynth.parse("a+b"), 3)
    with pytest.raises(MethodsDisagree, match="costs 1, not 2"):
        check(problem, regsynth.parse("a"), 2)


def test_large_alphabets_have_an_answer_and_an_honest_bound() -> None:
    rng = random.Random(1)
    tokens = ["".join(chr(rng.randint(33, 126)) for _ in range(rng.randint(8, 24))) for _ in range(60)]
    for ops in ("?*.+", "all"):
        found = regsynth.infer(tokens[:30], tokens[30:], operators=ops, budget=regsynth.Budget(seconds=2))
        assert found.status == "feasible" and found.cost is not None and 1 <= found.lower_bound < found.cost
        assert found.seconds < 15


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["ab"], ["ab"]), "both positive and negative"),
        ((["ab"], [], "", "a"), "not in the alphabet 'a'"),
        ((["ab"], [], "", ""), "operators: none given"),
        (("ab", []), "one string"),
        (([1], []), "is no text"),
    ],
)
def test_bad_calls(arguments: tuple, message: str) -> None:  # type: ignore[type-arg]
    positives, negatives, *rest = arguments
    more = {"alphabet": rest[1], "operators": rest[0] or "?*.+"} if rest and rest[1] else {"operators": ""} if rest else {}
    with pytest.raises(InputError, match=message):
        regsynth.infer(positives, negatives, **more)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["infer", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_words_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    words = [part for w in P for part in ("-p", w)] + [part for w in N for part in ("-n", w)]
    code, out, _ = run(capsys, *words, "--format", "table")
    assert code == 0 and out.startswith("10(0+1)*      cost 8      proven minimal      0.")
    code, out, _ = run(capsys, *words, "--format", "json", "--ops", "all")
    record = json.loads(out)
    assert code == 0 and (record["schema"], record["positives"], record["negatives"]) == ("regsynth/infer/1", 7, 6)
    assert record["cost"] == record["lower_bound"] == 5


def test_files_of_every_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain, bad, lines = tmp_path / "a.txt", tmp_path / "b.txt", tmp_path / "c.jsonl"
    plain.write_text('title\n++\n10\n""\n--\n0\n')
    bad.write_text("title\n++\n10\n")
    good = {"id": "x", "P": ["ab"], "N": ["b"], "operators": "all", "costs": [1] * 8}
    lines.write_text(json.dumps(good) + '\nfoo\n{"positives": [], "negatives": 3}\n')
    code, out, _ = run(capsys, str(plain), str(bad), str(lines), "--format", "jsonl")
    records = [json.loads(line) for line in out.splitlines()]
    assert code == 2 and [r["status"] for r in records] == ["optimal", "error", "optimal", "error", "error"]
    assert [r["id"] for r in records] == [str(plain), str(bad), "x", 2, 3]
    assert f"{bad}, line 4: no line --" in records[1]["message"]
    assert f"{lines}, line 2: not JSON" in records[3]["message"]
    code, out, _ = run(capsys, str(lines), "--format", "jsonl")
    assert len(out.splitlines()) == 3


def test_an_option_wins_over_the_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"positives": ["ab"], "negatives": ["b"], "operators": "all", "costs": "5,1,1,1,1"}')
    assert json.loads(run(capsys, str(file), "--format", "json")[1])["cost"] == 6  # ~b
    assert json.loads(run(capsys, str(file), "--format", "json", "--ops", "?*.+", "--costs", "tree")[1])["cost"] == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("title\n10\n", "line 3: no line ++"),
        ("t\n--\n1\n++\n", "line 2: -- before ++"),
        ("t\n++\n1\n--\n1\n", "line 5: word '1' is negative here and positive in line 3"),
        ('t\n++\n"1\n--\n', "line 3: the quote"),
        ("t\n++\n1 1\n--\n", "line 3: '1 1' holds a space"),
        ("t\n++\n++\n--\n", "line 3: a second line ++"),
        ('{"positives": ["a"]}', "no field 'negatives'"),
        ('{"positives": ["a"], "negatives": ["b"], "costs": [0, 1, 1, 1, 1]}', "cost of atom is 0"),
        ('{"positives": ["a"], "negatives": ["b"], "operators": "x"}', "no operator"),
        ('{"positives": ["a"], "negatives": ["b"], "alphabet": "a"}', "not in the alphabet"),
        ('{"positives": ["a"', "line 1: not JSON"),
    ],
)
def test_bad_files_are_one_line(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.txt"
    file.write_text(text)
    code, out, err = run(capsys, str(file))
    assert (code, out) == (2, "") and err.count("\n") == 1 and message in err and str(file) in err


def test_bad_bytes_and_missing_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.txt"
    file.write_bytes(b"t\n++\n\xff\n--\n")
    assert "line 3: byte 0xff" in run(capsys, str(file))[2]
    assert run(capsys, str(tmp_path / "none"))[0] == 2
    assert "not both" in run(capsys, "x.txt", "-p", "1")[2]
    assert "nothing to do" in run(capsys)[2]


def test_quoted_and_bare_words() -> None:
    assert read_words('t\n++\n""\n"a b"\n\nc\r\n--\n', "f") == (["", "a b", "", "c"], [])


@pytest.mark.skipif(not DATA.exists(), reason="needs ../shared/data/paresy")
def test_every_published_problem_reads() -> None:
    for file in DATA.rglob("*.txt"):
        positives, negatives = read_words(file.read_text(), file.name)
        assert positives or negatives
        assert {*"".join(positives), *"".join(negatives)} <= set("01")


@pytest.mark.skipif(not DATA.exists(), reason="needs ../shared/data/paresy")
@pytest.mark.parametrize(("number", "cost"), [(1, 5), (2, 7), (4, 8), (6, 12), (8, 9), (10, 10)])
def test_published_costs(number: int, cost: int) -> None:
    file = DATA / "alpha_regex" / f"no{number}.txt"
    found = regsynth.infer(*read_words(file.read_text(), file.name))
    assert (found.cost, found.status) == (cost, "optimal")


@pytest.mark.parametrize("ops", ["?*.+", "all"])
def test_a_budget_of_steps_ends_every_engine(ops: str) -> None:
    positives, negatives = ["0110", "1101", "11100", "010100", "1000011"], ["00001", "01111", "001110", "010110", "0101100"]
    for steps in (100, 4_000):
        budget = Budget(seconds=None, steps=steps)
        found = infer(positives, negatives, operators=Operators.parse(ops), budget=budget)
        assert found.status == "feasible" and found.cost is not None and found.lower_bound < found.cost
