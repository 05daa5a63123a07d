"""Loaders: each layout, what its authors mean, and nothing dropped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from regsynth.corpora.catalogue import BY_NAME, CATALOGUE
from regsynth.corpora.generators import GENERATORS, Request, generate
from regsynth.corpora.loaders import info, load
from regsynth.corpora.structured import to_brics
from regsynth.errors import InputError, ParseError
from regsynth.practical import compile_pattern

DATA = Path(__file__).parents[3] / "shared" / "data"

SAMPLES = {
    "records": ("x.jsonl", '{"id": "p", "pattern": "a+"}\n{"pattern": "(?P<"}\nnot json\n{"no": 1}\n', 4, 1, "python"),
    "lines": ("x.txt", "a*b\n\n(a\n", 2, 1, "formal"),
    "words": ("x.jsonl", '{"P": ["a"], "N": [""]}\n{"positives": ["a"], "negatives": 3}\n', 2, 1, "formal"),
    "regexeval": ("x.json", json.dumps([{"id": "1", "expression": "^a$", "matches": "['a']", "non_matches": "['b'"},
                                        {"id": "2", "expression": "a|b", "matches": "['a']", "non_matches": "['c']"}]), 2, 1, "python"),
    "csv": ("x.csv", 'id,regex_pattern\n1,"a,b"\n2,(\n', 2, 1, "python"),
    "table": ("x.tsv", "description\tregex\tpos_examples\nd\tconcat(<a>,star(<num>))\ta,a1\nd\tfoo(<a>)\ta\nshort\n", 3, 1, "structured"),
}  # fmt: skip


@pytest.mark.parametrize("layout", SAMPLES)
def test_layouts_keep_every_record(layout: str, tmp_path: Path) -> None:
    name, content, records, good, dialect = SAMPLES[layout]
    (tmp_path / name).write_text(content, encoding="utf-8")
    entries = list(load(tmp_path / name))
    assert len(entries) == records and sum(entry.fault is None for entry in entries) == good
    assert all(entry.dialect == dialect for entry in entries) and all(entry.fault != "" for entry in entries)
    found = info(tmp_path / name)
    assert (found.records, found.represented) == (records, good) and sum(found.faults.values()) == records - good


def test_parallel_and_paresy(tmp_path: Path) -> None:
    (tmp_path / "targ.txt").write_text(".*a.*\n~(b\n", encoding="utf-8")
    (tmp_path / "src.txt").write_text("has an a\nno b\n", encoding="utf-8")
    first, second = load(tmp_path / "targ.txt")
    assert (first.record["description"], first.dialect, first.semantics) == ("has an a", "brics", "fullmatch")
    assert first.fault is None and second.fault is not None
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "no1.txt").write_text('title\ntwo lines\n++\n"01"\n""\n--\n1\n\n', encoding="utf-8")
    (only,) = load(tmp_path / "words", "paresy")
    assert only.record["positives"] == ["01", ""] and only.record["negatives"] == ["1", ""] and only.pattern is None


def test_structured_notation_means_what_it_says() -> None:
    cases = {
        "and(startwith(<let>),not(contain(<num>)))": (["ab", "Z"], ["1a", "a1", ""]),
        "repeatrange(or(<a>,<->),2,3)": (["a-", "aaa"], ["a", "aaaa", "ab"]),
        "concat(notcc(<vow>),optional(const(<?>)))": (["b", "b?"], ["a", "", "b??"]),
        "endwith(repeatatleast(<num>,2))": (["x12", "12"], ["x1", "12x"]),
        "repeat(<cap>,2)": (["AB"], ["A", "ABC", "ab"]),
    }
    for text, (inside, outside) in cases.items():
        pattern = compile_pattern(to_brics(text), dialect="brics")
        assert all(map(pattern.matches, inside)) and not any(map(pattern.matches, outside)), text
    for text in ("star(<a>", "star(<a>))", "star(<a>,<b>)", "what(<a>)", "<nope>", "", "<a><b>", "repeat(<a>)", "?"):
        with pytest.raises(ParseError):
            to_brics(text)


def test_catalogue_and_generators() -> None:
    assert len(BY_NAME) == len(CATALOGUE) and set(GENERATORS) <= set(BY_NAME)
    with pytest.raises(InputError, match="choose from"):
        load(Path("x"), "nothing").__next__()
    with pytest.raises(InputError, match="no such file"):
        list(load(Path("does not exist")))


def test_small_lrd(tmp_path: Path) -> None:
    made = generate("lrd", Request(tmp_path / "lrd", seed=1, alphabet="ab", depth=2))
    assert made["records"] == 182 and made["splits"] == {"train": 158, "valid": 17, "test": 7}
    records = [entry.record for entry in load(tmp_path / "lrd")]
    assert sorted(r["idx"] for r in records) == list(range(182))
    generate("lrd", Request(tmp_path / "again", seed=1, alphabet="ab", depth=2))
    assert [p.read_bytes() for p in sorted(tmp_path.glob("lrd/*.jsonl"))] == [
        p.read_bytes() for p in sorted(tmp_path.glob("again/*.jsonl"))
    ]
    with pytest.raises(InputError, match="another seed"):
        generate("lrd", Request(tmp_path / "lrd", seed=2, alphabet="ab", depth=2))
    with pytest.raises(InputError, match="sample instead"):
        generate("lrd", Request(tmp_path / "big", depth=4))
    (tmp_path / "lrd" / "valid.jsonl").unlink()
    with pytest.raises(InputError, match="missing"):
        list(load(tmp_path / "lrd"))


@pytest.mark.skipif(not DATA.exists(), reason="needs ../shared/data")
@pytest.mark.parametrize(("name", "records", "represented"), [
    ("regexpspace", 1685, 1685), ("kb13", 824, 824), ("regexeval", 762, 762), ("paresy", 317, 317), ("icpc2024", 6000, 5962),
])  # fmt: skip
def test_published_corpora(name: str, records: int, represented: int) -> None:
    found = info(DATA / BY_NAME[name].place, name)
    assert (found.records, found.represented) == (records, represented)
    assert BY_NAME[name].records == f"{records:,}"
