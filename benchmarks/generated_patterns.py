"""Python patterns drawn by Hypothesis: everything ``re`` can write, in every nesting.

Bias: small (at most four levels), over few characters, so that parts meet each other's words.
"""

from __future__ import annotations

import re
import warnings
from typing import NamedTuple

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st

ATOMS = ["a", "b", "c", "A", "0", "_", "-", " ", "\n", "é", "ſ", "K", "ß", "İ", "𝄞", r"\.", r"\x41", r"\u0660", r"\N{DIGIT ONE}", r"\n"]
CLASSES = [".", r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", "[ab]", "[^a]", "[a-c0-9]", r"[\W_]", r"[^\S\n]", r"[\D0-9]", "[]a]", "[^]-]",
           "[À-ÿ]", r"[\x00-\x1f]", "[k-s]", r"[\d\-x]", "[^\\n]"]  # fmt: skip
ANCHORS = ["^", "$", r"\A", r"\Z", r"\b", r"\B", "(?m:^)", "(?m:$)"]
REPEATS = ["*", "+", "?", "{2}", "{,2}", "{1,3}", "{2,}", "{0}"]
MODES = ["", "?", "+"]
GROUPS = ["(?:{})", "({})", "(?i:{})", "(?s:{})", "(?-i:{})", "(?=%s)", "(?!%s)", "(?>%s)"]
LOOKBEHINDS = ["(?<={})", "(?<!{})"]
BEHIND = ["a", "^", "ab", r"\ba", "a|b", "a(?=b)", r"\w\w", "(?<!b)a", "", r"\d$"]
REFERENCES = [r"(a|b)\1", r"(?P<x>ab?)(?P=x)", r"(a)?(?(1)b|c)", r"(?P<y>b)|(?(y)a|c)", r"(a*)\1"]
FLAGS = [0, 0, 0, re.I, re.M, re.S, re.A, re.I | re.A, re.X, re.M | re.S]
SEMANTICS = ["fullmatch", "match", "search"]


class Drawn(NamedTuple):
    """One question."""

    pattern: str | bytes
    flags: int
    semantics: str


def patterns() -> st.SearchStrategy[str]:
    """Patterns as text; some are rejected by ``re``."""
    leaves = st.one_of(
        st.sampled_from(ATOMS), st.sampled_from(ATOMS), st.sampled_from(CLASSES), st.sampled_from(ANCHORS), st.just(""),
        st.builds(str.format, st.sampled_from(LOOKBEHINDS), st.sampled_from(BEHIND)), st.sampled_from(REFERENCES),
        st.text(alphabet="ab01 \n", min_size=1, max_size=3),
    )  # fmt: skip

    def larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        group = st.builds(lambda frame, body: frame.replace("%s", "{}").format(body), st.sampled_from(GROUPS), inner)
        repeats = st.builds(str.__add__, st.sampled_from(REPEATS), st.sampled_from(MODES))
        repeated = st.builds(lambda body, repeat: f"(?:{body}){repeat}", inner, repeats)
        return st.one_of(st.builds(str.__add__, inner, inner), group, repeated, st.lists(inner, min_size=2, max_size=3).map("|".join))

    return st.recursive(leaves, larger, max_leaves=8)


def draw(count: int, number: int) -> list[Drawn]:
    """So many distinct questions that ``re`` compiles; the same for the same seed and version of Hypothesis."""
    found: dict[Drawn, None] = {}

    def collect(text: str, flags: int, semantics: str, as_bytes: bool) -> None:
        if len(found) >= count:
            return
        pattern: str | bytes = text
        if as_bytes:
            pattern = text.encode("latin-1", "ignore").replace(rb"\u0660", b"0").replace(rb"\N{DIGIT ONE}", b"1")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                re.compile(pattern, flags)  # type: ignore[call-overload]
            except (re.error, OverflowError):
                return
        found[Drawn(pattern, int(flags), semantics)] = None

    run = given(patterns(), st.sampled_from(FLAGS), st.sampled_from(SEMANTICS), st.integers(0, 5).map(lambda n: n == 0))(collect)
    run = settings(max_examples=500, database=None, deadline=None, phases=[Phase.generate], verbosity=Verbosity.quiet,
                   suppress_health_check=list(HealthCheck))(run)  # fmt: skip
    while len(found) < count:  # fresh rounds: Hypothesis cannot be stopped early
        seed(number)(run)()
        number += 1
    return list(found)
