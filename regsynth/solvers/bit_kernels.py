"""Rows of bits, 64 to a word: what the kernels of both engines do with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from regsynth.native import kernel

_ONE = np.uint64(1)


@kernel
def clear(x: Any) -> None:
    """Empty a row."""
    for b in range(x.shape[0]):
        x[b] = 0


@kernel
def has(x: Any, i: Any) -> Any:
    """Whether infix ``i`` is in a row."""
    return (x[i >> 6] >> np.uint64(i & 63)) & _ONE != 0


@kernel
def ones(x: Any) -> Any:
    """Number of bits of a word."""
    x = x - ((x >> _ONE) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def lowest(x: Any) -> Any:
    """Number of the lowest bit of a word, which has one."""
    return ones((x & (~x + _ONE)) - _ONE)


@kernel
def size(x: Any) -> Any:
    """Number of infixes in a row."""
    n = 0
    for b in range(x.shape[0]):
        n += ones(x[b])
    return n


@kernel
def within(x: Any, y: Any) -> Any:
    """Whether x is a subset of y."""
    for b in range(x.shape[0]):  # noqa: SIM110 (numba compiles no generators)
        if x[b] & ~y[b]:
            return False
    return True


@kernel
def meet(x: Any, y: Any) -> Any:
    """Whether two rows have an infix in common."""
    for b in range(x.shape[0]):  # noqa: SIM110
        if x[b] & y[b]:
            return True
    return False
