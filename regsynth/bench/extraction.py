"""Find the answer in a model's response, and write it as an expression.

``paper`` mode follows the RegexPSPACE paper (arXiv 2510.09227, answer parsing):

``boxed``
    What stands in ``\\boxed{…}``, by balanced braces, ``\\text{…}`` and its kin unwrapped.
``answer``
    Without a box: from the last line up, what follows ``answer:`` or ``answer**``.
``phrase``
    Else: from the last line up, what follows "is" or ":" in a line with an indicative phrase.
``last_line``
    Else: the last line that is not blank.

Where the paper leaves a choice, ours is this. The *last closed* box counts, an empty
one only where all are; a box that is never closed is none. Where nothing follows a
marker in its line, the next line that is not blank does. Text up to ``</think>`` and
end-of-text tokens are dropped first. Every answer is normalised, boxed or not; one
outside a box also loses surrounding quotes, Markdown marks and a full stop.

``strict`` mode (our own) takes the last closed box or nothing, and the answer must
be an expression as it stands: LaTeX is understood, but ``|`` is no union and ``^+`` no
Kleene plus. ``raw`` mode takes the whole response, for practical patterns.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

Mode = Literal["paper", "strict", "raw"]

PHRASES: Final = (
    "minimized regex", "minimised regex", "final simplified regex", "simplified regex", "final regex", "minimal regex",
    "minimal form", "minimal regular expression", "minimal expression", "shortest regex", "shortest equivalent", "answer",
)  # fmt: skip
"""What marks a line that states the answer (the paper's, with other spellings)."""

_END = re.compile(r"<\uff5c?\|?/?(?:end[▁_ ]of[▁_ ](?:sentence|text)|endoftext|im_end|eot_id|eos|/?s)\|?\uff5c?>", re.IGNORECASE)
_ESCAPED = r"|\\[\\{}]|[{}]"
_BOX_OR_BRACE = re.compile(r"(?P<box>(?:(?:\\{1,4}|\b)[fo]?boxed|\x08oxed)\s*\{)" + _ESCAPED)  # "\b" is a backspace in sloppy JSON
_KIN = "text|texttt|textbf|textrm|textit|mathrm|mathtt|mathbf|mathsf|mathit|operatorname|verb|mbox|rm|tt"
_TEXT_OR_BRACE = re.compile(rf"(?P<text>\\{{1,4}}(?:{_KIN})(?![A-Za-z])\s*\{{?)" + _ESCAPED)
_IS = re.compile(r"\bis\b|:", re.IGNORECASE)
_ANSWER = re.compile(r"answer:|answer\*\*", re.IGNORECASE)


class Extracted(NamedTuple):
    """What was found.

    Attributes
    ----------
    text : str
        The answer as written in the response.
    rule : str
        ``boxed``, ``answer``, ``phrase``, ``last_line``, ``whole`` or ``none``.
    """

    text: str
    rule: str


def extract(response: str, mode: Mode = "paper") -> Extracted:
    """The answer that a response states.

    Parameters
    ----------
    response : str
    mode : {"paper", "strict", "raw"}

    Examples
    --------
    >>> extract(r"So \\boxed{\\text{a}^{*}} it is.")
    Extracted(text='a^{*}', rule='boxed')
    >>> extract("**Answer:** (a+b)*")
    Extracted(text='(a+b)*', rule='answer')
    >>> extract("The minimal regex is `ab*`.")
    Extracted(text='ab*', rule='phrase')
    >>> extract("It is short.\\nab*")
    Extracted(text='ab*', rule='last_line')
    """
    if mode == "raw":
        return Extracted(response, "whole")
    text = _END.sub("", response)
    _, thought, after = text.rpartition("</think>")
    text = after if thought else text
    boxes = [content for content in _boxes(text) if content.strip()]
    if boxes:
        return Extracted(_unwrapped(boxes[-1].strip()), "boxed")
    if mode == "strict":
        return Extracted("", "none")
    lines = [line for line in text.splitlines() if line.strip()]
    for i in range(len(lines) - 1, -1, -1):
        marks = list(_ANSWER.finditer(lines[i]))
        if marks and (found := _following(lines, i, marks[-1].end())):
            return Extracted(found, "answer")
    for i in range(len(lines) - 1, -1, -1):
        lowered = lines[i].lower()
        if any(phrase in lowered for phrase in PHRASES):
            mark = _IS.search(lines[i])
            if mark and (found := _following(lines, i, mark.end())):
                return Extracted(found, "phrase")
    return Extracted(_bare(lines[-1]), "last_line") if lines else Extracted("", "none")


def _boxes(text: str) -> list[str]:
    r"""Contents of every closed box, by where they begin; one pass.

    >>> _boxes(r"\boxed{a} \boxed{b \boxed{c}"), _boxes(r"\boxed{\boxed{a}}")[-1]
    (['a', 'c'], 'a')
    """
    found: list[tuple[int, int]] = []
    stack: list[int] = []  # where the content of each open box begins; -1 for another brace
    for mark in _BOX_OR_BRACE.finditer(text):
        if mark[0] == "}":
            start = stack.pop() if stack else -1
            if start >= 0:
                found.append((start, mark.start()))
        elif mark[0] == "{" or mark.lastgroup == "box":
            stack.append(-1 if mark[0] == "{" else mark.end())
    return [text[start:end] for start, end in sorted(found)]


def _unwrapped(text: str) -> str:
    r"""Without ``\text{…}`` and its kin, wherever they stand; one pass.

    >>> _unwrapped(r"\text{a}b\mathtt{\text{c}*}{2}")
    'abc*{2}'
    """
    out: list[str] = []
    stack: list[bool] = []  # of each open brace, whether it belongs to a command
    position = 0
    for mark in _TEXT_OR_BRACE.finditer(text):
        drop = mark.lastgroup == "text"
        if mark[0].endswith("{") and len(mark[0]) != 2:
            stack.append(drop)
        elif mark[0] == "}":
            drop = stack.pop() if stack else False
        if drop:
            out.append(text[position : mark.start()])
            position = mark.end()
    return "".join(out) + text[position:]


def _following(lines: list[str], i: int, position: int) -> str:
    """What follows a marker: the rest of its line, else the next line."""
    rest = _bare(lines[i][position:])
    if not rest and i + 1 < len(lines):
        rest = _bare(lines[i + 1])
    return rest


_LEADING = " \t:*`'\"“”‘’"
_TRAILING = " \t`'\"“”‘’"


def _bare(text: str) -> str:
    r"""Without the marks that surround an answer in prose. Nothing an expression needs is lost: none begins with ``*``.

    >>> _bare("** `a*b`."), _bare("**ab***"), _bare("$a^*$")
    ('a*b', 'ab*', 'a^*')
    """
    bold = text.lstrip().startswith("**")
    text = text.lstrip(_LEADING).rstrip(_TRAILING).rstrip(".,;").rstrip(_TRAILING)
    if bold and text.endswith("**"):
        text = text[:-2].rstrip(_TRAILING)
    for left, right in (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]")):
        if text.startswith(left) and text.endswith(right) and len(text) > len(left) + len(right):
            text = text[len(left) : -len(right)].strip()
    return text


_COMMANDS: Final = {
    "varepsilon": "ε", "epsilon": "ε", "emptyset": "∅", "varnothing": "∅", "cdot": "", "circ": "", "mid": "|", "vert": "|",
    "lvert": "|", "rvert": "|", "lor": "|", "vee": "|", "cup": "+", "ast": "*", "star": "*", "left": "", "right": "", "big": "",
    "Big": "", "bigl": "", "bigr": "", "quad": "", "qquad": "", "displaystyle": "", "backslash": "", "plus": "+", "lparen": "(",
    "rparen": ")", "textquestiondown": "?", "textbar": "|", "textasteriskcentered": "*",
}  # fmt: skip
_COMMAND = re.compile(r"\\{1,4}(?:([A-Za-z]+)|([,;:!\[\]])|(?=[^A-Za-z]|$))")
_NAMES = sorted(_COMMANDS, key=len, reverse=True)
_SIGNS = str.maketrans({
    "∗": "*", "⋆": "*", "＊": "*", "∪": "+", "⋃": "+", "＋": "+", "∣": "|", "｜": "|", "∨": "|", "·": "", "⋅": "", "∘": "", "？": "?",
    "ϵ": "ε", "（": "(", "）": ")", "$": "", "`": "", "\u200b": "", "\ufeff": "", "{": "", "}": "", "^": "",
})  # fmt: skip


def to_expression(answer: str, *, strict: bool = False) -> tuple[str, bool]:
    r"""An answer in the formal dialect's signs, and whether a ``|`` was read as union.

    Spaces, ``^`` and braces go; LaTeX commands and look-alike signs become the signs they
    stand for; a backslash before a sign goes. ``strict`` keeps ``|`` and ``^+`` from passing
    as union: the result then does not parse.

    >>> to_expression(r"\left(a \mid b\right)^{*} \cdot \varepsilon"), to_expression(r"\(a\+b\)\*")
    (('(a|b)*ε', True), ('(a+b)*', False))
    >>> to_expression("a|b", strict=True)
    ('', True)
    """
    if strict and re.search(r"\^\s*\{?\s*\+", answer):
        return "", False
    text = "".join(_COMMAND.sub(_command, _unwrapped(answer)).translate(_SIGNS).split())
    union = "|" in text
    return ("" if strict and union else text), union


def _command(found: re.Match[str]) -> str:
    name = found[1]
    if name is None:  # spacing such as "\,", brackets of a formula, or a backslash before a sign
        return ""
    known = next((known for known in _NAMES if name.startswith(known)), None)
    if known is None:
        return found[0]  # no sign of ours: it will not parse
    return _COMMANDS[known] + name[len(known) :]


_ALONE = r"(?=\W*$|\s*[,.;:!—-])"  # "no." and "no, they differ", but not "no idea"
_YES = re.compile(r"\b(?:true|equivalent|equal|same|identical)\b|\byes\b" + _ALONE)
_NO = re.compile(
    r"\bno\b" + _ALONE + r"|\b(?:false|different|differ|inequivalent|non-?equivalent|unequal|inequal)\b"
    r"|\b(?:not|n't|never|isn't|aren't)\s+(?:\w+\s+){0,2}(?:equivalent|equal|same|identical|true)\b"
)


def to_verdict(answer: str) -> bool | None:
    """Whether an answer says that two expressions are equivalent; ``None`` when it says neither, or both.

    >>> to_verdict("True"), to_verdict("they are not equivalent"), to_verdict("true or false")
    (True, False, None)
    """
    text = _unwrapped(answer).lower().replace("’", "'").replace("\\", " ")
    denies = _NO.search(text) is not None
    affirms = _YES.search(_NO.sub(" ", text)) is not None
    return affirms if affirms is not denies else None
