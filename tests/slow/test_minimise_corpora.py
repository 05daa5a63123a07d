"""Published optima and long random expressions, all of them."""

from __future__ import annotations

import pytest
from corpora_minimal import check_long, check_published, mre, regexpspace

pytestmark = pytest.mark.slow


def test_regexpspace() -> None:
    queries = regexpspace()
    assert len(queries) == 1685
    check_published(queries)


def test_mre() -> None:
    expressions = mre()
    assert max(len(text) for text, _ in expressions) == 43_585
    check_published(expressions)


def test_depth_4() -> None:
    """All of 100 within ten seconds each."""
    assert check_long(4, count=100, seconds=10, seed=2) == 100


@pytest.mark.parametrize(("depth", "count"), [(5, 20), (6, 8)])
def test_deeper(depth: int, count: int) -> None:
    """Whatever is proven, every answer is equivalent and every bound honest."""
    assert check_long(depth, count=count, seconds=10, seed=2) > 0
