"""The exact growth of a backtracking matcher's steps: labelled patterns, constructs, attacks, brute force."""

from __future__ import annotations

import csv
import json
import random
import re
from pathlib import Path

import pytest
from redos_random import attack_falls_short, hold_against_brute_force, patterns

import regsynth
from regsynth.budget import Budget
from regsynth.errors import InputError, ParseError
from regsynth.redos.counting import Counter
from regsynth.redos.machine import Machine
from regsynth.redos.outlooks import Outlooks
from regsynth.redos.program import write_program
from regsynth.redos.pumping import steps
from regsynth.redos.reading import read
from regsynth.redos.screening import screen

DATA = Path(__file__).parents[3] / "shared" / "data"
LABELS = DATA / "redos" / "patterns.tsv"


def short(pattern: str | bytes, semantics: str = "search", flags: int | str = 0, profile: str = "theory") -> str:
    result = screen(pattern, semantics=semantics, flags=flags, profile=profile)
    return f"poly:{result.degree}" if result.verdict == "polynomial" else {"exponential": "exp"}.get(result.verdict, result.verdict)


@pytest.mark.skipif(not LABELS.exists(), reason="shared data is not here")
def test_every_labelled_pattern() -> None:
    wrong = []
    with LABELS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            pattern = json.loads(row["pattern_json"])
            for semantics in ("fullmatch", "search"):
                found = short(pattern, semantics)
                if found != row[f"label_{semantics}"]:
                    wrong.append((row["id"], semantics, row[f"label_{semantics}"], found))
    assert not wrong


@pytest.mark.parametrize(
    ("pattern", "semantics", "expected"),
    [
        ("a+$", "search", "poly:2"),
        ("(a+|ba)+$", "fullmatch", "exp"),
        ("(xa*)+$", "fullmatch", "safe"),
        ("(xa*)+$", "search", "poly:2"),
        ("^(a|aa)+$", "fullmatch", "exp"),
        ("abcd(-[0-9a-z]{10,20}){2}", "search", "safe"),
        (r"(\n.*)+a", "fullmatch", "safe"),
        (r"(\n.*)+a", "search", "poly:2"),
        (r"(?s)(\n.*)+a", "fullmatch", "exp"),
        ("(a|b)+", "search", "safe"),
        ("^[0-9,]+(,[0-9]+)?$", "fullmatch", "safe"),
        ("^[0-9,]+(,[0-9]+)+$", "fullmatch", "poly:2"),
        (r"^Bearer [a-z0-9_-]+?\.[a-z0-9_-]+?\.[a-z0-9_-]+?$", "search", "safe"),
        (r"^Bearer [a-z0-9_.-]+?\.[a-z0-9_.-]+?\.[a-z0-9_.-]+?$", "search", "poly:3"),
        # Copies of a repeat that end as another part does.
        ("^(?:ab|cb{2}|cbb)*$", "match", "exp"),
        ("^(?:ab|cb{2}|cbbb)*$", "match", "safe"),
        # The empty-iteration rule.
        ("(a?)*b", "fullmatch", "safe"),
        ("(c?a?)*b", "fullmatch", "exp"),
        ("(?:a*)*b", "fullmatch", "exp"),
        # What succeeds first: order, and what may follow.
        ("^(?:(a+)+b|.*)", "match", "exp"),
        ("^(?:.*|(a+)+b)", "match", "safe"),
        ("(?s)^(a+)+.*$", "fullmatch", "safe"),
        ("^(?:(?:(?:[ab])*[^a]|[ab]))*", "search", "poly:2"),
        # Two pumps, one after the other, give one degree more than either.
        ("^a*a*b*b*$", "fullmatch", "poly:3"),
        # Context: anchors, word boundaries, lookarounds.
        (r"(?<!\s)\s+$", "search", "safe"),
        (r"\b\w+$", "search", "safe"),
        (r"\w+\b!", "search", "poly:2"),
        ("(?m)^a+$", "search", "safe"),
        ("(?:(?=.*x)a)*b", "match", "poly:2"),
        ("(?:(?!.*x)a)*b", "match", "poly:2"),
        (r"foo(?:(?!foo).)*bar", "search", "safe"),
        (r"(?:(?<=a)a|b)*c", "match", "safe"),
        # Atomic groups and possessive repeats.
        ("a++b", "search", "poly:2"),
        ("(?:a+)++b", "match", "safe"),
        ("(?:(?>a*)a*)*b", "match", "safe"),
        ("(?>a|ab)*c", "match", "safe"),
        # Captures that matter.
        (r"(['\"]).*?\1", "search", "safe"),
        (r"^(a+)\1+$", "search", "poly:2"),
        (r"(?:(a+)\1)*b", "match", "exp"),
        (r"(<)?a+(?(1)>|b)", "match", "safe"),
        (r"^(?:(x)|y)a*(?(1)a*b|b)", "match", "poly:2"),
    ],
)
def test_constructs(pattern: str, semantics: str, expected: str) -> None:
    assert short(pattern, semantics) == expected


@pytest.mark.parametrize(
    ("pattern", "subject"),
    [
        # A back-reference that a loop reads again and again, its group written with another reference, or more than once.
        (r"^(a+)b(\1)c(?:\2)*(?:\2)*e", ("abac", "a", "!")),
        (r"^(a|b)c(\1+)d(?:\2)*(?:\2)*e", ("acad", "a", "!")),
        (r"^(?:(a|a)\1)*$", ("", "aa", "!")),
        # An earlier round of a loop has set the group.
        (r"^(?:(?:(x)|y)(?(1)(?:(?<=x)|(?<=y)w*w*w*)|u))+$", ("xy", "w", "!")),
        # What may fail ends nothing: what stands after it is tried.
        (r"^(?:(?<=\b.)|a*a*b)", ("", "a", "!")),
        (r"^(?>(?<=\b.)|a*a*b)c", ("", "a", "!")),
        (r"^(?=(?<=\b.)|a*a*b)c", ("", "a", "!")),
        (r"^(?:(x)){0,2}(?(1)|a*a*b)", ("", "a", "!")),
        # To go on without the group is tried first.
        (r"^(x)??(?(1).*|x(?:a+)+b)", ("x", "a", "!")),
    ],
)
def test_what_the_automaton_does_not_know_is_not_safe(pattern: str, subject: tuple[str, str, str]) -> None:
    prefix, pump, suffix = subject
    counter = Counter(read(pattern))
    counted = [counter.run(prefix + pump * n + suffix, "match", 20_000)[1] for n in (8, 16, 32)]
    assert counted[-1] >= 20_000 or counted[-1] - counted[-2] > 3 * (counted[-2] - counted[-3])
    assert screen(pattern, semantics="match").verdict != "safe"


def test_flags_given_and_inline() -> None:
    assert short("^(?:a|A)+$", flags="i") == "exp" == short("(?i)^(?:a|A)+$")
    assert short("^(?:a|A)+$") == "safe"
    assert short("^(?:.|\n)*;", flags=re.S) == "exp"
    assert short(r"^(?:\wx|éx)+$") == "exp"
    assert short(r"^(?:\wx|éx)+$", flags="a") == "safe"
    assert short(b"(a+)+b") == "exp"
    assert short("(?x) ^ ( a + ) + $  # (b|b)*") == "exp"


def test_what_cpython_merges() -> None:
    result = screen("(?i)^(?:a|A)+$")
    assert str(result.growth) == "exponential"
    assert result.cpython is not None and result.cpython.verdict == "safe"
    assert short("(?i)^(?:a|A)+$", profile="cpython") == "safe"
    assert screen("(?:.|\\s)*!").cpython is None  # the dot is no class
    assert short(r"(?:\w|\d)+$", "fullmatch", profile="cpython") == "safe"
    assert short("(?:ab|ac|ab)*!", "fullmatch", profile="cpython") == "safe"  # a common first item, then a class
    assert short("(?:ab|ab)*!", "fullmatch", profile="cpython") == "exp"  # two empty alternatives are left


def test_attack_is_short_and_reaches_the_degree() -> None:
    result = screen(r"^(\w+\s?)*$", semantics="fullmatch")
    assert result.attack is not None and (result.attack.prefix, len(result.attack.pump), len(result.attack.suffix)) == ("", 1, 1)
    for pattern, semantics in [("(a+)+b", "search"), (r"\s+$", "search"), ("a*a*b", "search"), (r"^.*a(?:.a)*b$", "match"),
                               ("(?:b|(?:(?:.a)+){1,2})", "fullmatch"), (r"\+OK.*(<[^>]+>)", "search")]:  # fmt: skip
        result = screen(pattern, semantics=semantics)
        assert result.vulnerable and attack_falls_short(result) is None


def test_spans_and_family() -> None:
    text = r"^x(\w+\s?)*$"
    result = screen(text, semantics="fullmatch")
    assert [text[s.start : s.stop] for s in result.spans] == [r"(\w+\s?)*", r"\w+"]
    assert (result.family, result.reason) == ("NQ", r"(\w+\s?)* can read the same text two ways each time round")
    assert screen("^(a|ab|ba)*$").family == "EOD"
    assert screen(r"^(?:\d+\w+)*!$").family == "EOA"
    assert screen("^a*a*b").family == "POA"
    assert screen(r"\s+$").family == "SLQ"
    assert screen("a++b").spans[0].stop == 3


def test_constant_is_stated() -> None:
    result = screen("(a?){22}a{22}")
    assert (result.verdict, result.constant) == ("safe", 2**22)
    assert "constant" in result.reason
    assert screen("a?" * 22 + "a" * 22).constant == screen("(?:a|a)" * 22 + "$").constant == 2**22
    assert screen(r"\d{1,3}\.\d{1,3}").constant is None
    assert screen(r"^-?\d{0,9}[a-z]{0,99}_{0,99}(?:[A-Z]{0,99}/?)$").constant is None
    mail = r"^(?=[a-z0-9@.\-]{6,67}$)([a-z0-9]+[.\-]?)*[a-z0-9]+@[a-z0-9]+$"  # linear for long subjects, 2^60 steps on short ones
    for pattern in ("^(?=.{1,60}$)(a+)+b", mail):
        limited = screen(pattern, semantics="match")
        assert limited.verdict == "safe" and limited.constant is not None and limited.constant > 2**30
    counter = Counter(read(mail))
    assert counter.run("a" * 30 + "!", "match", 20_000)[1] < 200 and counter.run("a" * 30, "match", 20_000)[1] >= 20_000
    labels = screen(r"^(?!-)(?!\d)(?:[a-zA-Z0-9-]{1,63}\.?){1,127}(?<!-)$", semantics="fullmatch")
    assert (labels.verdict, labels.constant) == ("safe", 2**200) and "2^200 or more" in labels.reason
    assert screen(r"(-?)x{2}(\1y*)+z\1").verdict == "exponential"  # parts shared by the copies a reference makes


def test_a_time_limit_never_turns_bad_into_safe() -> None:
    for pattern in ("a+$", r"^(a+)\1+$", r"(?:(?!.*x)a)*b", "(?:a|ab|ba)*[ab]*[bc]*$"):
        assert screen(pattern).vulnerable
        for exponent in range(-14, 1):
            assert screen(pattern, budget=Budget(seconds=2.0**exponent)).verdict != "safe"


def test_budgets_hold_where_nothing_is_read() -> None:
    for pattern in ("a*" + r"(?:\b|)" * 40, r"^(a+)(?:\1*)*$"):
        assert screen(pattern, semantics="match", budget=Budget(seconds=2.0)).seconds < 4.0
    assert Counter(read(r"(?:\b|)" * 40 + "$")).run("a", "match", 100) == (None, 100)


def test_budgets_give_unknown() -> None:
    cases = ["a" * 300_000 + ".*b", "(?:" + "|".join(f"w{i}x" for i in range(5000)) + ")*y", "(?:a{1,900}){1,900}b*c"]
    for text in cases:
        assert screen(text, budget=Budget(seconds=5.0)).verdict == "unknown"
    assert screen("|".join(f"w{i}" for i in range(5000))).verdict == "safe"
    assert screen("(" * 90 + "a*" + ")*" * 90 + "b").verdict == "exponential"


def test_bad_input() -> None:
    with pytest.raises(ParseError) as caught:
        screen("a(b")
    assert caught.value.position == 1
    with pytest.raises(InputError, match="semantics 'find' is unknown"):
        screen("a", semantics="find")
    with pytest.raises(InputError, match="profile 'js' is unknown"):
        screen("a", profile="js")
    with pytest.raises(InputError, match="a pattern is str or bytes"):
        screen(3)  # type: ignore[arg-type]


def test_public_name_and_record() -> None:
    record = regsynth.screen("a*a*b").record()
    assert (record["schema"], record["verdict"], record["degree"], record["attack"]) == (
        "regsynth/redos/1", "polynomial", 3, {"prefix": "", "pump": "a", "suffix": ""})  # fmt: skip
    assert json.loads(json.dumps(record)) == record


def test_counting_matcher_matches_as_re_does() -> None:
    rnd = random.Random(1)
    for text in patterns(3, 150):
        rule = re.compile(text)
        counter = Counter(read(text))
        for _ in range(12):
            subject = "".join(rnd.choice("aabbc\n") for _ in range(rnd.randint(0, 7)))
            for semantics in ("match", "search", "fullmatch"):
                found, _ = counter.run(subject, semantics, 50_000)
                if found is not None:
                    assert found == (getattr(rule, semantics)(subject) is not None), (text, subject, semantics)


@pytest.mark.parametrize("pattern", ["(a+)+b", "(?:a|ab)*(?:ba)*c", "(?=.{2,6}$)(a+b?)+c", "a*?b|(?>a+)b", "(?:(?!ab)a|b)*c", "(?:a?b?)*c"])
def test_steps_by_outlooks_are_those_counted(pattern: str) -> None:
    rnd = random.Random(5)
    counter = Counter(read(pattern))
    for semantics in ("match", "fullmatch"):
        machine = Machine(write_program(read(pattern).root, semantics, False), Budget(seconds=9.0).start())
        outlooks, classes = Outlooks(machine), machine.program.partition.classes
        letter = {char: next(i for i, chars in enumerate(classes) if char in chars) for char in "abc"}
        for _ in range(20):
            subject = "".join(rnd.choice("aaabc") for _ in range(rnd.randint(0, 8)))
            found, taken = counter.run(subject, semantics, 100_000)
            assert steps(outlooks, tuple(letter[char] for char in subject)) == taken - (not found), subject


@pytest.mark.parametrize("seed", range(3))
def test_random_patterns_against_brute_force(seed: int) -> None:
    for text in patterns(100 + seed, 25):
        for semantics in ("fullmatch", "search"):
            hold_against_brute_force(text, semantics)
