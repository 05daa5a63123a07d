"""One scorer for every task: it calls the task's pure function and keeps its record in the score."""

from __future__ import annotations

from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from regsynth.bench.extraction import Mode
from regsynth.bench.inspect._apart import score_apart
from regsynth.bench.inspect._items import from_metadata
from regsynth.bench.inspect._models import MISSING
from regsynth.bench.items import Response, Settings
from regsynth.bench.results import Values, aggregate
from regsynth.bench.tasks import task_of

MAIN = {"regexmin": "minimality", "regexeq": "accuracy", "rei": "minimal_ratio_global"}
"""The metric that is a sample's own value."""


@metric  # type: ignore[untyped-decorator,unused-ignore]
def bench() -> Metric:
    """Every metric of the task, computed from the samples' contributions as ``regsynth bench`` does."""

    def compute(scores: list[SampleScore]) -> Values:
        records = [sample.score.metadata for sample in scores if sample.score.metadata]
        tasks = sorted({record["task"] for record in records})
        names = [name for task in tasks for name in task_of(task).metrics()]
        return {name: value for name, value in aggregate(names, [record["values"] for record in records]).items() if value is not None}

    return compute


@scorer(metrics=[bench()])  # type: ignore[untyped-decorator,unused-ignore]
def regsynth_scorer(mode: Mode | None = None, seconds: float = 10.0) -> Scorer:
    """Score by the pure function of the sample's task.

    Parameters
    ----------
    mode : {"paper", "strict", "raw"}, optional
        How an answer is found in a response.
    seconds : float
        An item may take.
    """
    settings = Settings(mode=mode, seconds=seconds)

    async def score(state: TaskState, target: Target) -> Score:
        from anyio import to_thread

        item = from_metadata(state.metadata)
        record = await to_thread.run_sync(score_apart, item, response_of(state.output), settings)
        value = record.values.get(MAIN[item.task])
        return Score(
            value=0.0 if value is None else value, answer=record.answer, explanation=explain(record),
            metadata={"task": item.task, **{name: part for name, part in record.to_dict().items() if name != "raw"}},
        )  # fmt: skip

    return score


def response_of(output: Any) -> Response:
    """What Inspect got from a model."""
    about = output.metadata or {}
    if about.get(MISSING):
        return Response(None)
    usage = output.usage
    thinking = None if usage is None else usage.reasoning_tokens
    known = usage is not None and about.get("tokens_known", True)
    tokens = usage.output_tokens - (thinking or 0) if known else None
    finish = "length" if output.stop_reason in ("max_tokens", "model_length") else None
    return Response(output.completion, tokens, thinking, finish)


def explain(record: Any) -> str:
    """A record in a sentence."""
    parts = [record.category]
    if record.witness is not None:
        side = f" is accepted by {record.accepted_by} only" if record.accepted_by else ""
        parts.append(f"witness {record.witness!r}{side}")
    if record.optimum is not None:
        parts.append(f"cost {record.cost}, optimum {record.optimum} ({record.optimum_status})")
    if record.reason:
        parts.append(record.reason)
    return "; ".join(parts)
