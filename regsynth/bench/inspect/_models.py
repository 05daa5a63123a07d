"""A model provider that replays a file of predictions: no network, no model.

``inspect eval regsynth/regexmin --model regsynth_replay/NAME -M predictions=answers.jsonl``
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

from regsynth.bench.inputs import Predictions, read_predictions
from regsynth.bench.inspect._items import KEY
from regsynth.bench.items import NO_RESPONSE, Response
from regsynth.errors import InputError

MISSING = "regsynth_missing"
"""In an output's metadata where the file has no response."""


class Replay(ModelAPI):  # type: ignore[misc]
    """Answers each item with what the file says, a repeated item with its next sample."""

    def __init__(
        self, model_name: str, base_url: str | None = None, api_key: str | None = None, config: Any = None, predictions: str | None = None,
        **arguments: Any,
    ) -> None:  # fmt: skip
        super().__init__(model_name, base_url, api_key, [], config if config is not None else GenerateConfig())
        if not predictions or arguments:
            strange = f" (found {', '.join(arguments)})" if arguments else ""
            raise InputError(f"regsynth_replay takes -M predictions=FILE{strange}")
        self.predictions: Predictions = read_predictions(predictions)
        self.asked: Counter[str] = Counter()

    async def generate(self, input: list[Any], tools: list[Any], tool_choice: Any, config: Any) -> Any:
        """The next response to the item that the messages carry."""
        where = next((m.metadata[KEY] for m in input if m.metadata and KEY in m.metadata), None)
        if where is None:
            raise InputError("regsynth_replay answers the tasks regsynth/regexmin, regsynth/regexeq and regsynth/rei only")
        own = str(where["id"])
        found = self._next(own, where["number"])
        return output(self.model_name, found)

    def _next(self, own: str, number: int) -> Response:
        known = self.predictions.by_id.get(own)
        if known is None and number < len(self.predictions.ordered):
            known = self.predictions.ordered[number]
        at = self.asked[own]
        self.asked[own] += 1
        return known[at] if known and at < len(known) else NO_RESPONSE

    def max_connections(self) -> int:
        """How many items Inspect may have in hand at once."""
        return 64


def output(model: str, response: Response) -> Any:
    """A response as Inspect's. Its usage is always set: what is missing would be counted by a tokenizer from the network."""
    made = ModelOutput.from_content(model, response.text or "", stop_reason="max_tokens" if response.finish == "length" else "stop")
    answer, thinking = response.tokens or 0, response.thinking_tokens or 0
    made.usage = ModelUsage(output_tokens=answer + thinking, total_tokens=answer + thinking,
                            reasoning_tokens=response.thinking_tokens)  # fmt: skip
    made.metadata = {MISSING: response.text is None, "tokens_known": response.tokens is not None}
    return made


@modelapi(name="regsynth_replay")  # type: ignore[untyped-decorator,unused-ignore]
def regsynth_replay() -> type[Replay]:
    """The provider."""
    return Replay
