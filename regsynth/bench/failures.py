"""Why a response holds no valid answer: it repeats itself, it was cut off, or it is simply invalid.

Only a response without a valid answer fails; one that states an answer and goes on
until it is stopped is scored by its answer, as in the RegexPSPACE paper.
"""

from __future__ import annotations

from typing import Final, NamedTuple

PHRASE: Final = 10  # a phrase longer than this …
TIMES: Final = 2  # … that stands more often than this at the end is a repetition
LOOKED_AT: Final = 50_000  # characters at the end of a response in which repetition is looked for

ANSWER_TOKENS: Final = 1024
THINKING_TOKENS: Final = 4096


class Limits(NamedTuple):
    """Token limits under which the responses were made; the paper's by default."""

    answer: int = ANSWER_TOKENS
    thinking: int = THINKING_TOKENS


def repeats(response: str) -> bool:
    """Whether a response ends with a phrase of over 10 characters, more than twice in a row.

    A last repetition that was cut short counts too: what matters is that the end has a
    period. Costs one pass over the last 50,000 characters.

    >>> repeats("So " + "the answer is " * 3), repeats("the answer is the answer is"), repeats("ab" * 20)
    (True, False, True)
    """
    text = response.rstrip()[-LOOKED_AT:][::-1]
    n = len(text)
    # Z-function: z[p] is how far text[p:] agrees with text itself; a period p covers z[p] + p characters.
    z = [0] * n
    left = right = 0
    for i in range(1, n):
        k = min(right - i, z[i - left]) if i < right else 0
        while i + k < n and text[k] == text[i + k]:
            k += 1
        z[i] = k
        if i + k > right:
            left, right = i, i + k
        if i > PHRASE and k >= TIMES * i:
            return True
        if (TIMES + 1) * (i + 1) > n and i > PHRASE:
            return False  # longer phrases do not fit three times
    return False


def cut_off(tokens: int | None, thinking: int | None, finish: str | None, limits: Limits = Limits()) -> bool:  # noqa: B008
    """Whether generation was stopped by a token limit, as far as counts or a finish reason are given.

    >>> cut_off(1024, None, None), cut_off(1000, 4096, "stop"), cut_off(None, None, "length"), cut_off(None, None, None)
    (True, True, True, False)
    """
    return (
        finish in ("length", "max_tokens")
        or (tokens is not None and tokens >= limits.answer)
        or (thinking is not None and thinking >= limits.thinking)
    )


def category(response: str, tokens: int | None, thinking: int | None, finish: str | None, limits: Limits = Limits()) -> str:  # noqa: B008
    """Category of a response without a valid answer; repetition outranks the token limit.

    >>> category("the answer is " * 9, 1024, None, None), category("Let me", 1024, None, None), category("?", 1, None, None)
    ('repetition', 'cutoff', 'invalid')
    """
    if repeats(response):
        return "repetition"
    return "cutoff" if cut_off(tokens, thinking, finish, limits) else "invalid"
