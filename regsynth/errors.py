"""Every error regsynth raises on purpose; each is one clear line."""

from __future__ import annotations


class RegsynthError(Exception):
    """Base of every error raised by regsynth."""


class InputError(RegsynthError):
    """Bad input: what is wrong, where, and how to mend it."""


class ParseError(InputError):
    """A pattern that does not follow its dialect's syntax.

    Parameters
    ----------
    message : str
        What is wrong and how to mend it.
    text : str
        The whole pattern.
    position : int
        Offset of the offending character, 0-based; ``len(text)`` for the end.
    """

    def __init__(self, message: str, text: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.text = text
        self.position = position

    def __reduce__(self) -> tuple[type[ParseError], tuple[str, str, int]]:
        return (type(self), (self.message, self.text, self.position))

    def __str__(self) -> str:
        return f"{self.message} (position {self.position})"

    def caret(self, width: int = 60) -> str:
        """Two lines: the text around the position, and a caret under it.

        Control characters are shown as spaces so that the caret stays in place.

        >>> print(ParseError("unexpected ')'", "ab)", 2).caret())
        ab)
          ^
        """
        start = max(0, self.position - width // 2)
        stop = min(len(self.text), start + width)
        shown = "".join(c if c.isprintable() else " " for c in self.text[start:stop])
        left = "…" if start > 0 else ""
        right = "…" if stop < len(self.text) else ""
        return f"{left}{shown}{right}\n{' ' * (len(left) + self.position - start)}^"


class UnsupportedError(RegsynthError):
    """A construct we cannot represent; carries its name and position."""

    def __init__(self, construct: str, position: int | None = None) -> None:
        where = "" if position is None else f" at position {position}"
        super().__init__(f"unsupported construct: {construct}{where}")
        self.construct = construct
        self.position = position

    def __reduce__(self) -> tuple[type[UnsupportedError], tuple[str, int | None]]:
        return (type(self), (self.construct, self.position))


class UndecidableError(UnsupportedError):
    """A construct that makes the language non-regular, such as most back-references."""

    def __str__(self) -> str:
        where = "" if self.position is None else f" at position {self.position}"
        return f"not regular: {self.construct}{where}"


class BudgetExceeded(RegsynthError):
    """A budget (time, states, memory) ran out before there was an answer."""


class MatchTimeout(BudgetExceeded, TimeoutError):
    """A match took longer than allowed, and the process it ran in was killed.

    Parameters
    ----------
    seconds : float
        The time that was allowed.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the match took more than {seconds:g} s; its process was killed")
        self.seconds = seconds

    def __reduce__(self) -> tuple[type[MatchTimeout], tuple[float]]:
        return (type(self), (self.seconds,))


class MethodsDisagree(RegsynthError):
    """Two of our own methods contradict each other: a bug worth reporting."""
