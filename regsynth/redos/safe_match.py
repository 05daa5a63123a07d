"""What a match in another process found: the parts of ``re.Match`` that can travel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from regsynth.errors import InputError


@dataclass(frozen=True, slots=True)
class SafeMatch:
    """A match; reads like ``re.Match``.

    Attributes
    ----------
    string : str or bytes
        The text searched.
    regs : tuple of (int, int)
        Spans of the whole match and of each group; (-1, -1) for a group that took no part.
    lastindex : int or None
    groupindex : dict
        Number of each named group.

    >>> found = SafeMatch("abc", ((0, 2), (1, 2)), 1, {"x": 1})
    >>> found.group(), found["x"], found.span(1), found.groups(), found.groupdict()
    ('ab', 'b', (1, 2), ('b',), {'x': 'b'})
    """

    string: str | bytes
    regs: tuple[tuple[int, int], ...]
    lastindex: int | None = None
    groupindex: dict[str, int] = field(default_factory=dict)

    def _number(self, group: int | str) -> int:
        number = self.groupindex.get(group, -1) if isinstance(group, str) else group
        if not 0 <= number < len(self.regs):
            known = ", ".join(map(repr, [*range(len(self.regs)), *self.groupindex]))
            raise InputError(f"no group {group!r}; the pattern has {known}")
        return number

    def __getitem__(self, group: int | str) -> Any:
        start, stop = self.regs[self._number(group)]
        return None if start < 0 else self.string[start:stop]

    def group(self, *groups: int | str) -> Any:
        """The text of a group (0, the whole match, by default), or a tuple for several."""
        if len(groups) > 1:
            return tuple(self[group] for group in groups)
        return self[groups[0] if groups else 0]

    def groups(self, default: Any = None) -> tuple[Any, ...]:
        """The texts of all groups from 1 up."""
        return tuple(default if (text := self[i]) is None else text for i in range(1, len(self.regs)))

    def groupdict(self, default: Any = None) -> dict[str, Any]:
        """The texts of the named groups."""
        return {name: default if (text := self[i]) is None else text for name, i in self.groupindex.items()}

    def span(self, group: int | str = 0) -> tuple[int, int]:
        """Start and end of a group."""
        return self.regs[self._number(group)]

    def start(self, group: int | str = 0) -> int:
        """Start of a group."""
        return self.span(group)[0]

    def end(self, group: int | str = 0) -> int:
        """End of a group."""
        return self.span(group)[1]

    @property
    def lastgroup(self) -> str | None:
        """Name of the last group that took part."""
        return next((name for name, i in self.groupindex.items() if i == self.lastindex), None)
