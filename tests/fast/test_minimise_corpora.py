"""Published optima and long random expressions, a part of each; tests/slow has all."""

from __future__ import annotations

import pytest
from corpora_minimal import check_long, check_published, mre, regexpspace


def test_regexpspace_every_tenth() -> None:
    check_published(regexpspace()[::10])


def test_mre_some() -> None:
    check_published(mre()[::40])


@pytest.mark.parametrize("depth", [4, 5])
def test_long(depth: int) -> None:
    """Verified answers with honest bounds; five of depth 4 are proven in any case."""
    proven = check_long(depth, count=5, seconds=10, seed=2)
    assert proven == 5 or depth > 4
