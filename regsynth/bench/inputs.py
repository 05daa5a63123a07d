"""Read predictions in every form they come in, and join them with a dataset by id.

A record is one response (``id`` with ``response``, ``solution`` and the like, or a line
of an OpenAI batch output) or a list of samples. Repeated ids are samples where the task
takes several, else duplicates. Where no record has an id, records are taken in the
dataset's order. The order of records never matters otherwise: of duplicates that differ
the least text counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from regsynth.bench.items import Dataset, Response
from regsynth.corpora.records import read
from regsynth.errors import InputError

IDS: Final = ("custom_id", "id", "idx", "task_id", "item_id", "index")
TEXTS: Final = (
    "response", "generated_answer", "solution", "completion", "prediction", "generation", "output", "answer", "responses", "solutions",
    "completions", "predictions", "outputs", "answers", "samples", "text",
)  # fmt: skip
TOKENS: Final = ("tokens", "completion_tokens", "output_tokens", "answer_tokens", "n_tokens")
THINKING: Final = ("thinking_tokens", "reasoning_tokens")
NAMED: Final = 20  # ids of each kind that a summary names


@dataclass(slots=True)
class Predictions:
    """What a file holds.

    Attributes
    ----------
    by_id : dict of str to list of Response
    ordered : list of list of Response
        Responses of records without an id.
    verdicts : dict of str to list of (str, bool)
        Texts by id, and the ``passed`` beside each, where given.
    faults : list of str
        Records that hold no response, with their place.
    """

    by_id: dict[str, list[Response]] = field(default_factory=dict)
    ordered: list[list[Response]] = field(default_factory=list)
    verdicts: dict[str, list[tuple[str, bool]]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    name: str = ""
    digest: str = ""

    def add(self, own: Any, responses: list[Response]) -> None:
        """Add the responses of a record."""
        if own is None:
            self.ordered.append(responses)
        else:
            self.by_id.setdefault(str(own), []).extend(responses)


@dataclass(slots=True)
class Joined:
    """Responses to each item, in the dataset's order, and what did not fit."""

    responses: list[list[Response]]
    report: dict[str, Any]


def read_predictions(path: Path | str) -> Predictions:
    """The predictions of a file: JSONL, a JSON list, a JSON object by id, or lines of plain text.

    Raises
    ------
    InputError
        When nothing in it is a response.
    """
    path = Path(path)
    digest = sha256()
    out = Predictions(name=path.name)
    if not path.is_file():
        raise InputError(f"{path}: {'a folder; give a file of predictions' if path.is_dir() else 'no such file'}")
    for number, record in read(path, digest):
        place = f"{path.name}, line {number}"
        if isinstance(record, str):
            out.add(None, [Response(record)])
        elif isinstance(record, dict):
            if number == 1 and _own_id(record) is None and _by_id(record):
                for own, value in record.items():
                    out.add(own, list(_responses(value)))
                continue
            try:
                responses = list(_of_record(record))
            except InputError as error:
                out.faults.append(f"{place}: {error}")
                continue
            own = _own_id(record)
            out.add(own, responses)
            if isinstance(record.get("passed"), bool) and own is not None and len(responses) == 1:
                out.verdicts.setdefault(str(own), []).append((responses[0].text or "", record["passed"]))
        else:
            out.faults.append(f"{place}: {record!s:.80}")
    out.digest = digest.hexdigest()
    if not out.by_id and not out.ordered:
        raise InputError(f"{path}: no response in it; the first fault: {out.faults[0] if out.faults else 'empty'}")
    return out


def given_predictions(predictions: Mapping[Any, Any] | Sequence[Any]) -> Predictions:
    """Predictions from a mapping by id, or a sequence aligned with the items.

    Each is a text, a :class:`Response`, ``None`` for none, or a sequence of those.
    """
    out = Predictions(name="given")
    if isinstance(predictions, Mapping):
        for own, value in predictions.items():
            out.add(own, list(_responses(value)))
    elif isinstance(predictions, (str, bytes)):
        raise InputError("predictions is one text; give a mapping by id, or a sequence aligned with the tasks")
    else:
        for value in predictions:
            out.add(None, list(_responses(value)))
    return out


def join(dataset: Dataset, predictions: Predictions, *, several: bool) -> Joined:
    """Give every item its responses.

    Parameters
    ----------
    several : bool
        Whether the task takes several samples for an item.

    Raises
    ------
    InputError
        When no id is one of the dataset's, or records without ids do not fit its length.
    """
    items = dataset.items
    by_id = dict(predictions.by_id)
    if predictions.ordered:
        if by_id:
            raise InputError(f"{predictions.name}: some records have an id and {len(predictions.ordered)} have none; give every one its id")
        times, rest = divmod(len(predictions.ordered), len(items))
        if rest or not times or (times > 1 and not several):
            raise InputError(
                f"{predictions.name}: {len(predictions.ordered)} responses without ids for {len(items)} items; "
                f"give each record an 'id', or exactly one response an item in the dataset's order"
            )
        for i, item in enumerate(items):
            by_id[str(item.id)] = [r for group in predictions.ordered[i * times : (i + 1) * times] for r in group]
    known = {str(item.id) for item in items}
    unknown = [own for own in by_id if own not in known]
    if by_id and len(unknown) == len(by_id):
        raise InputError(
            f"{predictions.name}: none of its {len(unknown)} ids is in {dataset.name} (such as {unknown[0]!r:.40} "
            f"where {items[0].id!r} is one); is this the right dataset and task?"
        )
    missing, duplicates, out = [], [], []
    for item in items:
        responses = [r for r in by_id.get(str(item.id), []) if r.text is not None]
        if not responses:
            missing.append(str(item.id))
        elif not several and len(responses) > 1:
            duplicates.append(str(item.id))
            responses = [min(responses, key=lambda r: (r.text or "", r.tokens or 0))]
        out.append(responses or [Response(None)])
    report = {
        "answered": len(items) - len(missing), "missing": len(missing), "duplicate": len(duplicates), "unknown": len(unknown),
        "unreadable": len(predictions.faults), "responses": sum(len(group) for group in out) - len(missing),
        "ids": {"missing": missing[:NAMED], "duplicate": duplicates[:NAMED], "unknown": sorted(unknown)[:NAMED],
                "unreadable": predictions.faults[:NAMED]},
    }  # fmt: skip
    return Joined(out, report)


def _own_id(record: Mapping[str, Any]) -> Any:
    return next((record[name] for name in IDS if isinstance(record.get(name), (str, int)) and not isinstance(record[name], bool)), None)


def _by_id(record: Mapping[str, Any]) -> bool:
    """Whether an object maps ids to responses."""
    return not set(record) & set(TEXTS) and all(isinstance(value, (str, list)) for value in record.values()) and bool(record)


def _of_record(record: Mapping[str, Any]) -> Iterator[Response]:
    """The responses of one record."""
    choices = next((value for name, value in record.items() if name.endswith("_output") and isinstance(value, dict)), None)
    if choices is not None:  # the RegexEval authors' raw output: the model's reply under its name
        yield from _of_body(choices)
        return
    if "custom_id" in record and ("response" in record or "error" in record):  # a line of a batch output
        reply = record.get("response")
        if isinstance(reply, dict):
            yield from _of_body(reply.get("body") or {})
            return
        if not isinstance(reply, str):
            yield Response(None)  # an error: no response
            return
    if isinstance(record.get("choices"), list):
        yield from _of_body(record)
        return
    name = next((name for name in TEXTS if name in record), None)
    if name is None:
        raise InputError(f"no response: none of the fields {', '.join(TEXTS[:4])}, …; it has {', '.join(map(repr, record))[:80] or 'none'}")
    tokens, thinking = _count(record, TOKENS), _count(record, THINKING)
    finish = record.get("finish_reason")
    for response in _responses(record[name]):
        yield response._replace(
            tokens=response.tokens if response.tokens is not None else tokens,
            thinking_tokens=response.thinking_tokens if response.thinking_tokens is not None else thinking,
            finish=response.finish or (finish if isinstance(finish, str) else None),
        )  # fmt: skip


def _responses(value: Any) -> Iterator[Response]:
    """Responses of a field: text, a verdict, an object with text, or a list of those."""
    if isinstance(value, Response):
        yield value
    elif isinstance(value, str):
        yield Response(value)
    elif value is None:
        yield Response(None)
    elif isinstance(value, bool):
        yield Response(str(value).lower())
    elif isinstance(value, dict):
        yield from _of_record(value) if "body" not in value else _of_body(value["body"])
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _responses(part)
    else:
        raise InputError(f"a response is text, not {type(value).__name__}")


def _of_body(body: Any) -> Iterator[Response]:
    """The responses of a chat, completion or "responses" reply, with its token counts (of a single choice only)."""
    if not isinstance(body, Mapping):
        raise InputError("a reply's body is no object")
    usage = body.get("usage") or {}
    details = usage.get("completion_tokens_details") or usage.get("output_tokens_details") or {}
    total, thinking = _count(usage, TOKENS), _count(details, THINKING)
    choices = body.get("choices")
    if isinstance(choices, list):
        single = len(choices) == 1
        for choice in choices:
            message = choice.get("message") if isinstance(choice, Mapping) else None
            text = message.get("content") if isinstance(message, Mapping) else choice.get("text") if isinstance(choice, Mapping) else None
            finish = choice.get("finish_reason") if isinstance(choice, Mapping) else None
            tokens = None if total is None or not single else total - (thinking or 0)
            yield Response(text if isinstance(text, str) else None, tokens, thinking if single else None, finish)
        return
    output = body.get("output")
    if isinstance(output, list):
        parts = [part.get("text") for message in output if isinstance(message, Mapping) for part in message.get("content") or ()
                 if isinstance(part, Mapping)]  # fmt: skip
        text = "".join(part for part in parts if isinstance(part, str))
        yield Response(text, None if total is None else total - (thinking or 0), thinking)
        return
    raise InputError("a reply without 'choices' or 'output'")


def _count(record: Any, names: tuple[str, ...]) -> int | None:
    if not isinstance(record, Mapping):
        return None
    values = (record.get(name) for name in names)
    return next((value for value in values if isinstance(value, int) and not isinstance(value, bool) and value >= 0), None)
