"""The numba batch tier against brute force, the plain tier and automata-lib."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from regsynth.automata import batch, reference
from regsynth.automata.dense import minimal_dfa_fast
from regsynth.errors import BudgetExceeded, InputError, ParseError, UnsupportedError
from regsynth.syntax import tree
from regsynth.syntax.formal import parse, to_text
from regsynth.syntax.tree import Expr

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
needs_mre = pytest.mark.skipif(not (DATA / "mre").is_dir(), reason="the MrE expansions are not at ../shared/data/mre")
PLAIN = (tree.OPTION, tree.STAR, tree.CONCAT, tree.UNION)
LENGTH = 6


def random_expr(rng: random.Random, nodes: int, letters: str, operators: tuple[int, ...]) -> Expr:
    """A random tree of about ``nodes`` nodes, now and then with ε and ∅."""
    if nodes <= 1:
        pick = rng.random()
        return tree.epsilon() if pick < 0.04 else tree.empty() if pick < 0.06 else tree.letter(rng.choice(letters))
    op = rng.choice(operators)
    if op in tree.UNARY:
        return tree.make(op, random_expr(rng, nodes - 1, letters, operators))
    left = rng.randint(1, max(1, nodes - 2))
    return tree.make(
        op, random_expr(rng, left, letters, operators), random_expr(rng, nodes - 1 - left, letters, operators)
    )


def noisy(rng: random.Random, text: str) -> str:
    """The same expression with other spellings of union and some white space."""
    out = []
    for i, c in enumerate(text):
        if text[i - 1 : i] != "\\" or i == 0:
            c = "|" if c == "+" and rng.random() < 0.5 else c
            out.append(rng.choice(["", "", "", " ", "\t"]) if c != "\\" or rng.random() < 0.5 else "")
        out.append(c)
    return "".join(out)


def words(expr: Expr, alphabet: list[str], length: int = LENGTH) -> frozenset[str]:
    """The words of up to ``length`` letters, straight from the definition of each operator."""
    everything = frozenset("".join(w) for n in range(length + 1) for w in product(alphabet, repeat=n))

    def join(x: frozenset[str], y: frozenset[str]) -> frozenset[str]:
        return frozenset(u + v for u in x for v in y if len(u) + len(v) <= length)

    def of(e: Expr) -> frozenset[str]:
        if e.op == tree.EMPTY:
            return frozenset()
        if e.op == tree.EPSILON:
            return frozenset([""])
        if e.op == tree.LETTER:
            return frozenset([str(e.symbol)])
        assert e.left is not None
        x = of(e.left)
        if e.op == tree.OPTION:
            return x | {""}
        if e.op == tree.COMPLEMENT:
            return everything - x
        if e.op == tree.STAR:
            star, more = frozenset([""]), frozenset([""])
            while more:
                more = join(more, x) - star
                star |= more
            return star
        assert e.right is not None
        y = of(e.right)
        if e.op == tree.CONCAT:
            return join(x, y)
        return x | y if e.op == tree.UNION else x & y if e.op == tree.INTERSECTION else x - y

    return of(expr)


def sample(seed: int, n: int, operators: tuple[int, ...], letters: str = "abc", nodes: int = 12) -> list[tuple[Expr, Expr]]:
    rng = random.Random(seed)
    out = []
    for _ in range(n):
        x = random_expr(rng, rng.randint(1, nodes), letters, operators)
        y = random_expr(rng, rng.randint(1, nodes), letters, operators)
        if rng.random() < 0.3:  # equivalent on purpose
            y = rng.choice([tree.union(x, x), tree.union(x, tree.empty()), tree.concat(x, tree.epsilon())])
        out.append((x, y))
    return out


def check_by_brute_force(pairs: list[tuple[Expr, Expr]], relation: batch.Relation, found: batch.BatchVerdicts) -> None:
    for i, (x, y) in enumerate(pairs):
        sigma = sorted({str(s) for s in x.alphabet | y.alphabet})
        wx, wy = words(x, sigma), words(y, sigma)
        apart = wx - wy if relation == "included" else wx ^ wy
        least = min(apart, key=lambda w: (len(w), w), default=None)
        witness = found.witness(i)
        holds = found.verdict[i] in (batch.EQUIVALENT, batch.INCLUDED)
        assert holds == (witness is None), (x, y)
        if least is None:
            assert witness is None or len(witness) > LENGTH, (x, y, witness)
        else:
            assert witness == least, (x, y, witness, least)
            assert found.side(i) == ("first" if least in wx else "second")


@pytest.mark.parametrize("relation", ["equivalent", "included"])
@pytest.mark.parametrize("operators", [PLAIN, (*PLAIN, tree.COMPLEMENT, tree.INTERSECTION, tree.DIFFERENCE)])
def test_agrees_with_brute_force(operators: tuple[int, ...], relation: batch.Relation) -> None:
    pairs = sample(7, 250, operators)
    rng = random.Random(8)
    texts = [(noisy(rng, to_text(x)), noisy(rng, to_text(y))) for x, y in pairs]
    found = batch.compare_many([x for x, _ in texts], [y for _, y in texts], relation=relation)
    check_by_brute_force(pairs, relation, found)


@pytest.mark.parametrize("relation", ["equivalent", "included"])
def test_lanes_agree_with_the_word_kernel(relation: batch.Relation, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = sample(9, 300, PLAIN, letters="abcd")
    first, second = [str(x) for x, _ in pairs], [str(y) for _, y in pairs]
    found = batch.compare_many(first, second, relation=relation)
    from regsynth.automata import workspace

    space = workspace.borrow(1000)
    for i, (x, y) in enumerate(zip(first, second, strict=True)):
        holds, side, word = batch._long(space, x, y, relation, "", 10_000)
        assert holds == (found.witness(i) is None)
        assert side == found.accepted_by[i]
        assert (None if word is None else "".join(map(chr, word))) == found.witness(i)


@pytest.mark.parametrize(("nodes", "n"), [(4, 500), (14, 1500), (45, 400), (110, 150)])
@pytest.mark.parametrize("relation", ["equivalent", "included"])
def test_the_fast_scanner_agrees_with_the_parser(nodes: int, n: int, relation: batch.Relation) -> None:
    # A blank sends an expression down the road through postfix code.
    pairs = sample(nodes, n, PLAIN, letters="abXY{", nodes=nodes)
    first, second = [str(x) for x, _ in pairs], [str(y).replace("+", "|") for _, y in pairs]
    fast = batch.compare_many(first, second, relation=relation)
    slow = batch.compare_many([x + " " for x in first], [" " + y for y in second], relation=relation)
    for name in batch.BatchVerdicts.__slots__:
        assert np.array_equal(getattr(fast, name), getattr(slow, name)), name


def test_the_fast_scanner_at_its_edges() -> None:
    nested = "a"
    for depth in range(80):
        plain = "(" * depth + "a" + ")*b" * depth
        other = " " + plain
        found = batch.compare_many([plain, nested], [other, nested + " "])
        assert found.verdict.tolist() == [batch.EQUIVALENT] * 2
        nested = f"({nested}b?)" + "*?"[depth % 2]
    for n in range(20, 70):
        word = "ab" * (n // 2) + "c" * (n % 2)
        found = batch.compare_many([word, word, f"({word})*"], [word, word + "?", f"({word})*({word})*"])
        assert [found.witness(i) for i in range(3)] == [None, word[:-1], None]


@pytest.mark.parametrize("nodes", [60, 200, 600])
def test_long_pairs_agree_with_the_plain_tier(nodes: int) -> None:
    rng = random.Random(nodes)
    pairs = [(random_expr(rng, nodes, "ab", PLAIN), random_expr(rng, nodes, "ab", PLAIN)) for _ in range(40)]
    pairs += [(x, tree.union(x, x)) for x, _ in pairs[:10]]
    found = batch.compare_many([str(x) for x, _ in pairs], [str(y) for _, y in pairs], states=5_000)
    for i, (x, y) in enumerate(pairs):
        plain = reference.compare(x, y, states=5_000)
        if "unknown" not in (plain.verdict, found.name(i)):
            assert (found.name(i), found.witness(i), found.side(i)) == (plain.verdict, plain.word, plain.accepted_by)
    assert found.counts().get("unknown", 0) < 10


def test_agrees_with_automata_lib() -> None:
    regex = pytest.importorskip("automata.regex.regex")
    pairs = [(x, y) for x, y in sample(11, 400, PLAIN, nodes=16) if tree.EMPTY not in (x.op, y.op)]

    def theirs(e: Expr) -> str:
        return "".join("|" if c == "+" else "()" if c == "ε" else c for c in str(e))

    pairs = [(x, y) for x, y in pairs if "∅" not in str(x) + str(y) and x.alphabet == y.alphabet]
    found = batch.equivalent_many([str(x) for x, _ in pairs], [str(y) for _, y in pairs])
    for i, (x, y) in enumerate(pairs):
        assert regex.isequal(theirs(x), theirs(y)) == (found.verdict[i] == batch.EQUIVALENT), (x, y)
    assert len(pairs) > 50


@pytest.mark.parametrize("text", [
    "", "  ", "(", ")", "a)", "(a", "((a)", "()", "(+)", "+a", "a+", "a++b", "*", "a.*", "a.", ".a", "a&", "&a", "a-", "~", "a~",
    "~*", "\\", "a\\", "a(b+(c", "(a+)", "a b )c", "(a.)", "a?*)", "ε)", "(∅", "a(~)", "(a+b(", "🙂)",
])  # fmt: skip
def test_syntax_errors_are_where_the_parser_puts_them(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    found = batch.compare_many([text, "a", text], ["a", text, text])
    assert found.verdict.tolist() == [batch.ERROR] * 3
    assert found.error_side.tolist() == [1, 2, 1]
    assert found.error_position.tolist() == [caught.value.position] * 3
    assert str(batch.syntax_error(text)) == str(caught.value)
    with pytest.raises(ParseError):
        minimal_dfa_fast(text)


def test_random_text_fails_where_the_parser_fails() -> None:
    rng = random.Random(5)
    texts = ["".join(rng.choices("ab()+|*?.~&-\\ ε∅", k=rng.randint(0, 9))) for _ in range(3000)]
    found = batch.compare_many(texts, ["a"] * len(texts), jobs=1)
    for i, text in enumerate(texts):
        error = batch.syntax_error(text)
        assert found.error_position[i] == (-1 if error is None else error.position), text


def test_letters_of_every_kind() -> None:
    found = batch.compare_many(["\\*é", "\0a+b", "🙂?", "\ud800", "\\ε", "a"], ["é", "\0a", "🙂", "a", "ε", "a"])
    assert [found.witness(i) for i in range(6)] == ["é", "b", "", "a", "", None]
    assert found.accepted_by.tolist() == [2, 1, 1, 2, 2, 0]


def test_more_letters_than_lanes() -> None:
    letters = [chr(0x4E00 + i) for i in range(150)]
    whole, rest = "+".join(letters), "+".join(letters[:100] + letters[101:])
    found = batch.compare_many([f"({whole})*", f"({whole})*"], [f"({rest})*", f"({'+'.join(reversed(letters))})*"])
    assert [found.witness(i) for i in range(2)] == [letters[100], None]
    assert minimal_dfa_fast(f"({rest})*").delta.shape == (1, 149)


def test_alphabet_matters_below_complement() -> None:
    assert batch.compare_many(["~(a*)"], ["∅"]).name(0) == "equivalent"
    found = batch.compare_many(["~(a*)"], ["∅"], alphabet="ab")
    assert (found.name(0), found.witness(0), found.side(0)) == ("different", "b", "first")


def test_budget_gives_unknown() -> None:
    hard = "(a+b)*a" + "(a+b)" * 18
    found = batch.compare_many([hard, hard, "a"], [hard + "+a", hard + "+" + hard, "a"], states=5_000)
    assert [found.name(i) for i in range(3)] == ["different", "unknown", "equivalent"]
    many = "(a+b)*a" + "(a+b)" * 14
    assert batch.compare_many([many], [f"{many}+b{many}"]).name(0) == "equivalent"  # over 2^14 states: the lanes take over
    chain = "a" * 70  # once the first side is at its end, the second need not be followed
    assert batch.contains_many(["ab?", chain], [hard + "+ab?", f"{chain}+{hard}"], states=200).counts() == {"included": 2}
    assert batch.compare_many(["~(" + hard + ")"], ["~(" + hard + "+b)"], states=1_000).name(0) in ("unknown", "different")
    with pytest.raises(BudgetExceeded):
        minimal_dfa_fast(hard, states=1_000)


def test_arguments_are_checked() -> None:
    for arguments in ((["a"], []), ("a", "b"), ([1], ["a"]), (3, ["a"])):
        with pytest.raises(InputError):
            batch.compare_many(*arguments)  # type: ignore[arg-type]
    for options in ({"relation": "same"}, {"states": 0}, {"jobs": 0}):
        with pytest.raises(InputError):
            batch.compare_many(["a"], ["a"], **options)  # type: ignore[arg-type]
    assert len(batch.compare_many([], [])) == 0
    assert batch.compare_many((t for t in ["a"]), ("a",)).counts() == {"equivalent": 1}  # type: ignore[arg-type]


def test_chunks_and_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = sample(21, 500, PLAIN)
    first, second = [str(x) for x, _ in pairs], [str(y) for _, y in pairs]
    whole = batch.compare_many(first, second, jobs=1)
    monkeypatch.setattr(batch, "CHUNK", 17)
    cut = batch.compare_many(first, second, jobs=3)
    for name in batch.BatchVerdicts.__slots__:
        assert np.array_equal(getattr(whole, name), getattr(cut, name)), name


def test_long_witnesses_make_room() -> None:
    n = 40
    first = [f"({'a' * 59})*{'a' * k}" for k in range(1, n)]
    found = batch.compare_many(first, ["∅"] * (n - 1))
    assert [len(found.witness(i) or "") for i in range(n - 1)] == list(range(1, n))
    found = batch.compare_many(["a" * 60 + "a?"] * 3000, ["a" * 60] * 3000)
    assert {found.witness(i) for i in range(3000)} == {"a" * 61}


@pytest.mark.parametrize("nodes", [5, 15, 40, 150])
def test_minimal_automaton_agrees_with_the_plain_tier(nodes: int) -> None:
    from regsynth.automata.dfa import DFA, minimise, renumber
    from regsynth.automata.position import PositionAutomaton
    from regsynth.automata.reference import _Lazy

    rng = random.Random(nodes)
    for _ in range(60):
        x = random_expr(rng, rng.randint(1, nodes), "abc", PLAIN)
        letters = sorted(x.alphabet, key=str)
        lazy = _Lazy(PositionAutomaton(x, letters))
        rows = []
        while len(rows) < len(lazy.rows):
            rows.append(tuple(lazy.row(len(rows))))
        accepting = sum(1 << q for q, final in enumerate(lazy.accepting) if final)
        plain: DFA = minimise(renumber(tuple(letters), rows, accepting))
        for source in (str(x), x):
            delta, final, points = minimal_dfa_fast(source)
            assert delta.tolist() == [list(row) for row in plain.delta], x
            assert sum(1 << q for q in range(len(final)) if final[q]) == plain.accepting
            assert [chr(p) for p in points] == letters


def test_minimal_automaton_with_more_letters() -> None:
    delta, accepting, letters = minimal_dfa_fast("a*", alphabet="ba")
    assert (delta.tolist(), accepting.tolist(), letters.tolist()) == ([[0, 1], [1, 1]], [True, False], [97, 98])
    with pytest.raises(UnsupportedError):
        minimal_dfa_fast("~a")
    delta, accepting, letters = minimal_dfa_fast("∅")
    assert (delta.shape, accepting.tolist()) == ((1, 0), [False])


@needs_mre
def test_forty_thousand_characters() -> None:
    text = max((DATA / "mre" / "s8w3").read_text(encoding="utf-8").split(), key=len)
    assert len(text) == 43_585
    delta, accepting, _ = minimal_dfa_fast(text)
    assert len(delta) < 100 and accepting.any()
    found = batch.compare_many([text, text], [f"({text})+{text}", f"({text})aaaaaaaaaa"])
    assert found.verdict.tolist() == [batch.EQUIVALENT, batch.DIFFERENT]


def test_numba_is_imported_late() -> None:
    code = "import regsynth.automata.batch, regsynth.automata.dense, sys; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).resolve().parents[2])
