"""A solver for worker processes that dies on demand; in a module of its own so that workers can import it."""

from __future__ import annotations

import os

from regsynth.cli.exits import Record
from regsynth.cli.inputs import Item


def solve(item: Item) -> Record:
    """Answer at once, or kill the process as running out of memory would."""
    if item.texts[0] == "die":
        os._exit(9)
    return {"status": "optimal", "input": item.texts[0]}
