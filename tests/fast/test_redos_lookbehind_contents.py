"""A lookaround that holds what the analysis does not model must never make a slow pattern safe."""

from __future__ import annotations

import pytest

from regsynth.redos.screening import screen


@pytest.mark.parametrize(
    "behind",
    [r"(?<!(?!\A).)", r"(?<!(?!a).)", r"(?<!\b.)", r"(?<!.\Z)", r"(?<!.\b)", "(?<!.(?<=(?=a).))", "(?<=(?=.).)", "(?<!^a)", r"(?<=\b.)"],
)
def test_it_is_still_quadratic(behind: str) -> None:
    result = screen(f"^.{behind}.*<.+>$")
    assert result.verdict in ("polynomial", "unknown")
    assert result.degree in (2, None)


@pytest.mark.parametrize(
    "pattern", ["^x(?!(?<!(?=x).)).*<.+>$", r"^(x?)(?!\1\1y).*<.+>$", "^(x)?(?!(?(1)y|[^y])).*<.+>$", r"^(x|y)(?!\1z).*<.+>$"]
)
def test_a_negative_lookahead_over_it_may_hold(pattern: str) -> None:
    assert screen(pattern).verdict in ("polynomial", "unknown")


@pytest.mark.parametrize("pattern", [r"^x(?!y).*$", r"(?<!\s)\s+$", r"^(?:(?!ab).)*$", r"^(x)(?!\1).*$"])
def test_what_was_safe_stays_safe(pattern: str) -> None:
    assert screen(pattern).verdict == "safe"
