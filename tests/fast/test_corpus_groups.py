"""The construction and the grouping: sizes of the paper, languages by definition, classes by renaming and reversal."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest
from definition import language

from regsynth.automata.reference import compare
from regsynth.corpora.construction import everything, levels, sizes
from regsynth.corpora.languages import group, translated
from regsynth.corpora.rebuild import permuted, renamed
from regsynth.corpora.regexpspace import split_sizes, urmt
from regsynth.errors import InputError
from regsynth.syntax.formal import parse


def canonical_pair(text: str) -> str:
    """A tree with the operands of every binary node in one order: equal for x+y and y+x, xy and yx."""
    shapes: list[str] = []
    for node in parse(text).postorder():
        if node.right is not None:
            right, left = shapes.pop(), shapes.pop()
            shapes.append(f"({node.op} {min(left, right)} {max(left, right)})")
        elif node.left is not None:
            shapes.append(f"({node.op} {shapes.pop()})")
        else:
            shapes.append(str(node.symbol))
    return shapes[0]


@pytest.mark.parametrize(
    ("letters", "expected"), [(2, [2, 10, 170, 33490]), (3, [3, 18, 486, 258066]), (4, [4, 28, 1092, 1265628])]
)
def test_sizes_are_the_papers(letters: int, expected: list[int]) -> None:
    assert sizes(letters, 3) == expected
    assert sum(1 for _ in everything("abcd"[:letters], 2)) == sum(expected[:3])


def test_construction_is_every_unordered_pair_once() -> None:
    built = [term for _, term in everything("ab", 3)]
    assert len({term.text for term in built}) == len(built) == sum(sizes(2, 3))
    assert all(parse(term.text).length == term.length for term in built)
    # The root's operands are unordered; those below are members of earlier levels as they are.
    seen = set()
    below = {term.text for depth, term in everything("ab", 2)}
    for depth, term in everything("ab", 3):
        root = parse(term.text)
        if depth and root.right is not None:
            key = (root.op, frozenset((root.left, root.right)))
            assert key not in seen
            seen.add(key)
    assert {str(parse(text)) for text in below} <= {str(parse(term.text)) for term in built}


def test_an_expression_by_its_number() -> None:
    for level in levels("abc", 2):
        listed = list(level)
        assert [level[i] for i in range(len(level))] == listed and len(listed) == len(level)
    deep = levels("abcd", 3)[2]
    rng = random.Random(3)
    chosen = {rng.randrange(len(deep)) for _ in range(50)} | {0, len(deep) - 1}
    assert {i: term for i, term in enumerate(deep) if i in chosen} == {i: deep[i] for i in chosen}
    with pytest.raises(IndexError):
        deep[len(deep)]


def test_construction_refuses_what_does_not_fit() -> None:
    for alphabet, depth in (("aab", 2), ("", 2), ("a+", 2), ("abcd", 4), ("abcdefghij", 4)):
        with pytest.raises(InputError):
            levels(alphabet, depth) if depth < 4 else levels(alphabet, depth + 1)


def test_groups_are_languages_by_definition() -> None:
    texts = [term.text for _, term in everything("ab", 2)]
    groups = group(texts)
    by_number, by_words = defaultdict(set), defaultdict(set)
    for i, text in enumerate(texts):
        by_number[int(groups.language[i])].add(text)
        by_words[language(parse(text), "ab", 6)].add(text)  # depth 2 has at most 5 states: 6 letters tell all apart
    assert sorted(map(sorted, by_number.values())) == sorted(map(sorted, by_words.values()))
    assert groups.length.tolist() == [parse(text).length for text in texts]


def sample(seed: int, count: int) -> list[str]:
    return [str(record["query"]) for record in urmt("abcd", count, seed)]


def test_renaming_and_reversal_stay_in_the_class() -> None:
    rng = random.Random(5)
    texts = sample(5, 40)
    disguised = []
    for text in texts:
        letters = rng.sample("abcdxyz", 4)
        names = dict(zip("abcd", letters))
        disguised.append(str(translated(parse(text), names, rng.random() < 0.5)))
    groups = group(texts + disguised)
    for i in range(len(texts)):
        one, other = int(groups.language[i]), int(groups.language[i + len(texts)])
        assert groups.classes[one] == groups.classes[other], texts[i]
        carried = groups.carry(parse(texts[i]), one, other)
        assert compare(carried, parse(disguised[i])), (texts[i], disguised[i])
        assert carried.length == parse(texts[i]).length


def test_equal_classes_carry_to_equal_languages() -> None:
    texts = [term.text for _, term in everything("abc", 2)]
    groups = group(texts)
    for i, text in enumerate(texts):
        number = int(groups.language[i])
        member = int(groups.members[groups.classes[number]])
        answer = groups.carry(parse(texts[member]), int(groups.language[member]), number)
        assert compare(answer, parse(text)), (text, texts[member])
        assert parse(texts[member]).length <= parse(text).length


def test_groups_of_anything() -> None:
    long = "(" + "+".join(["ab"] * 40) + ")"
    texts = [
        "∅",
        "ε",
        "a∅",
        "ε*",
        "a∅+b",
        "b",
        "~a",
        "~b",
        "a)",
        "",
        long,
        "ab",
        "a&b",
        "a" * 200,
        "\\+",
        "é",
        "(a+b+c+d+e+f+g)*",
    ]
    groups = group(texts)
    number = groups.language.tolist()
    assert number[0] == number[2] and number[1] == number[3] and number[4] == number[5] and number[10] == number[11]
    assert number[6] != number[7] and sorted(groups.faults) == [8, 9]
    assert groups.classes[number[14]] == groups.classes[number[15]] == groups.classes[number[5]]
    assert len(group([]).language) == 0


def test_split_and_urmt() -> None:
    assert split_sizes(1_266_752) == {"train": 1_100_000, "valid": 116_752, "test": 50_000}
    records = list(urmt("abcd", 100, 7))
    assert [sum(r["depth"] == n for r in records) for n in (4, 5, 6)] == [34, 33, 33]
    assert len({r["query"] for r in records}) == 100 and [r["idx"] for r in records] == list(range(100))
    assert all(parse(str(r["query"])).length == r["tree_length"] for r in records)
    assert list(urmt("abcd", 100, 7)) == records != list(urmt("abcd", 100, 8))

    def depth(text: str) -> int:
        stack: list[int] = []
        for node in parse(text).postorder():
            if node.right is not None:
                right = stack.pop()
                stack[-1] = max(stack[-1], right) + 1
            elif node.left is not None:
                stack[-1] += 1
            else:
                stack.append(0)
        return stack[0]

    assert all(depth(str(r["query"])) == r["depth"] for r in records)


def test_partners_are_a_permutation_without_equivalents() -> None:
    rng = random.Random(1)
    texts = [renamed(text).translate(str.maketrans("0123", "abcd")) for text in sample(9, 60)]
    languages = [rng.randrange(12) for _ in texts]
    partners = permuted(texts, languages, rng)
    given = [p for p in partners if p is not None]
    assert len(set(given)) == len(given) > 40
    for i, p in enumerate(partners):
        if p is not None:
            assert p != i and languages[p] != languages[i] and set(texts[p]) - set("()+*?") == set(texts[i]) - set("()+*?")
