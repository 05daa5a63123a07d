"""Items in Inspect's samples and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from regsynth.bench.items import Item

KEY = "regsynth"
"""Under which a sample's metadata hold its item, and a message's the id of its item."""

_TUPLES = ("positives", "negatives", "costs")
_NAMES = frozenset(f.name for f in fields(Item))


def to_metadata(item: Item) -> dict[str, Any]:
    """What a sample carries.

    >>> item = Item(id=1, task="rei", input="", positives=("a",), costs=(1,) * 8)
    >>> from_metadata(to_metadata(item)) == item
    True
    """
    return {KEY: asdict(item)}


def from_metadata(metadata: Mapping[str, Any]) -> Item:
    """The item of a sample; also after its metadata went through JSON."""
    values: dict[str, Any] = {name: value for name, value in metadata[KEY].items() if name in _NAMES}
    values |= {name: tuple(values[name]) for name in _TUPLES if values.get(name) is not None}
    return Item(**values)
