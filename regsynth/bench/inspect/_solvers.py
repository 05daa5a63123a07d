"""``--solver regsynth/exact``: the proven answer instead of a model's."""

from __future__ import annotations

from typing import Any

from inspect_ai.solver import Generate, Solver, TaskState, solver

from regsynth.bench.inspect._apart import answer_apart
from regsynth.bench.inspect._items import from_metadata
from regsynth.bench.inspect._models import output
from regsynth.bench.items import Response, Settings


@solver  # type: ignore[untyped-decorator,unused-ignore]
def exact(road: str = "auto", seconds: float = 10.0) -> Solver:
    """Answer with the optimum: its score must be perfect. No model is asked.

    Parameters
    ----------
    road : str
        A row of ``regsynth bench run --solver``: ``auto``, ``enumerate``, ``sat``, …, or a baseline such as ``input``.
    seconds : float
        An item may take.
    """
    settings = Settings(seconds=seconds)

    async def solve(state: TaskState, generate: Generate) -> Any:
        from anyio import to_thread

        item = from_metadata(state.metadata)
        answer = await to_thread.run_sync(answer_apart, item, road, settings)
        state.output = output(f"regsynth/{road}", Response(answer))
        state.completed = True
        return state

    return solve
