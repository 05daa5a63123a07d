"""Inspect tasks: a dataset's items with the prompts of ``regsynth bench export``."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.solver import generate

from regsynth.bench.datasets import items_of, load
from regsynth.bench.extraction import Mode
from regsynth.bench.inspect._items import KEY, to_metadata
from regsynth.bench.inspect._scorers import regsynth_scorer
from regsynth.bench.items import Dataset, Item
from regsynth.bench.prompts import STYLES, Prompt, Style, digest, examples, prompts
from regsynth.bench.samples import COUNT, sample
from regsynth.errors import InputError

_TURNS = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


@task  # type: ignore[untyped-decorator,unused-ignore]
def regexmin(
    dataset: str | None = None, shots: int = 0, fewshot: str | None = None, style: Style = "plain", mode: Mode | None = None,
    count: int = COUNT, seed: int = 0,
) -> Task:  # fmt: skip
    """Give the shortest expression of the same language.

    Parameters
    ----------
    dataset : str, optional
        A file such as ``regexpspace.jsonl``; without one, a small sample of our own is made.
    shots : int
        Worked examples in a prompt,
    fewshot : str, optional
        from this file.
    style : {"plain", "steps"}
        Whether the prompt asks for reasoning first.
    mode : {"paper", "strict", "raw"}, optional
        How an answer is found in a response.
    count, seed : int
        Of our own sample.
    """
    return make("regexmin", dataset, shots, fewshot, style, mode, count, seed)


@task  # type: ignore[untyped-decorator,unused-ignore]
def regexeq(
    dataset: str | None = None, shots: int = 0, fewshot: str | None = None, style: Style = "plain", mode: Mode | None = None,
    count: int = COUNT, seed: int = 0,
) -> Task:  # fmt: skip
    """Decide whether two expressions have the same language; parameters are those of :func:`regexmin`."""
    return make("regexeq", dataset, shots, fewshot, style, mode, count, seed)


@task  # type: ignore[untyped-decorator,unused-ignore]
def rei(
    dataset: str | None = None, shots: int = 0, fewshot: str | None = None, style: Style = "plain", mode: Mode | None = None,
    count: int = COUNT, seed: int = 0,
) -> Task:  # fmt: skip
    """Give the cheapest expression that separates two sets of words; parameters are those of :func:`regexmin`."""
    return make("rei", dataset, shots, fewshot, style, mode, count, seed)


def make(
    name: str, dataset: str | None, shots: int, fewshot: str | None, style: str, mode: Mode | None, count: int, seed: int
) -> Any:
    """The task of a name."""
    if style not in STYLES:
        raise InputError(f"style {style!r} is unknown; choose from {', '.join(STYLES)}")
    if shots and fewshot is None:
        raise InputError(f"-T shots={shots}: name a file of worked examples, -T fewshot=FILE")
    data = load(name, dataset) if dataset is not None else own_sample(name, count, seed)
    worked = examples(load(name, fewshot), shots) if fewshot is not None and shots else []
    asked = prompts(data.items, worked, "steps" if style == "steps" else "plain")
    samples = [_sample(i, item, prompt) for i, (item, prompt) in enumerate(zip(data.items, asked, strict=True))]
    return Task(
        name=name, dataset=MemoryDataset(samples, name=data.name), solver=generate(), scorer=regsynth_scorer(mode=mode),
        config=GenerateConfig(temperature=0.0), metadata={"dataset_sha256": data.digest, "prompts_sha256": digest(asked)},
    )  # fmt: skip


def own_sample(name: str, count: int, seed: int) -> Dataset:
    """The dataset of :mod:`regsynth.bench.samples`.

    >>> [item.id for item in own_sample("regexeq", 1, 0).items]
    ['0:eq', '0:ne']
    """
    text = sample(name, count=count, seed=seed)
    records = [json.loads(line) for line in text.splitlines()]
    placed = [(f"sample, record {i}", record.get("idx", record.get("id")), record) for i, record in enumerate(records)]
    return Dataset(name, tuple(items_of(name, placed)), f"regsynth-sample-{count}-{seed}", sha256(text.encode()).hexdigest())


def _sample(number: int, item: Item, prompt: Prompt) -> Any:
    turns = [_TURNS[turn["role"]](content=turn["content"]) for turn in prompt.messages]
    turns[-1].metadata = {KEY: {"id": item.id, "number": number}}
    return Sample(id=item.id, input=turns, target=item.label_regex or "", metadata=to_metadata(item))
