"""Read a verb's arguments by the options table, and print its help.

Written out rather than taken from a library because start-up counts (a parser
library costs 15 to 70 ms) and because a value may begin with ``-`` (``--ops
'-&'``): an option that takes a value always takes the next argument.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from regsynth.cli.options import TABLE, Option
from regsynth.errors import InputError


class Arguments:
    """What the user gave: ``items`` in order, and a value for every option of the verb."""

    def __init__(self, items: list[str], values: dict[str, Any], given: frozenset[str]) -> None:
        self.items = items
        self.given = given
        self._values = values

    def __getitem__(self, name: str) -> Any:
        return self._values[name]


class Verb(NamedTuple):
    """A command: what its help says, the options it takes, and what it does.

    ``run`` returns the exit code. ``own`` holds options no other verb has.
    """

    name: str
    summary: str
    usage: str
    details: str
    options: tuple[str, ...]
    run: Callable[[Arguments], int]
    own: tuple[Option, ...] = ()

    def table(self) -> dict[str, Option]:
        """The options of this verb by name."""
        return {**{option.name: option for option in self.own}, **{name: TABLE[name] for name in self.options}}


def read(verb: Verb, argv: Sequence[str]) -> Arguments | None:
    """Sort arguments into items and options; ``None`` when help is asked for."""
    table = verb.table()
    letters = {f"-{option.short}": f"--{name}" for name, option in table.items() if option.short}
    items: list[str] = []
    values: dict[str, Any] = {name: option.default if option.meta else False for name, option in table.items()}
    given: set[str] = set()
    i = 0
    while i < len(argv):
        word = argv[i]
        i += 1
        if word == "--":
            items.extend(argv[i:])
            break
        word = {"-h": "--help", "-o": "--output"}.get(word, word)
        word = letters.get(word, word)
        if not word.startswith("-") or word == "-":
            items.append(word)
            continue
        name, equals, text = word[2:].partition("=")
        option = table.get(name) if word.startswith("--") else None
        if option is None:
            raise InputError(f"unknown option {word.partition('=')[0]!r} of {verb.name}{_suggestion(word, table)}")
        if name == "help":
            return None
        if name in given and not option.repeats:
            raise InputError(f"--{name} is given twice; give it once")
        given.add(name)
        if not option.meta:
            if equals:
                raise InputError(f"--{name} takes no value")
            values[name] = True
            continue
        if not equals:
            if i == len(argv):
                raise InputError(f"--{name} needs a value: --{name} {option.meta}")
            text = argv[i]
            i += 1
        value = option.convert(text)
        values[name] = [*(values[name] or ()), value] if option.repeats else value
    for item in items:
        check_text(item)
    return Arguments(items, values, frozenset(given))


def check_text(item: str) -> None:
    """Refuse an argument that holds bytes which are no text."""
    try:
        item.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"argument {item[:40]!a} holds a byte at position {error.start} that is not UTF-8 text") from None


def _suggestion(word: str, table: dict[str, Option]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word.lstrip("-").partition("=")[0], table, 1)
    if near and word.startswith("--"):
        return f"; did you mean --{near[0]}?"
    return "; see --help, and put -- before an item that begins with -"


EXIT_CODES = """\
exit codes: 0 holds or proven, 1 negative verdict, 2 bad input, 3 no answer within the budget,
4 a bug in regsynth, 130 interrupted; a batch ends with the gravest of its items"""


def help_text(verb: Verb) -> str:
    """The page of ``regsynth VERB --help``."""
    title = verb.summary[0].upper() + verb.summary[1:] + "."
    lines = [f"usage: regsynth {verb.name} {verb.usage}", "", title, "", verb.details.strip(), "", "options:"]
    for option in verb.table().values():
        head = f"  {f'-{option.short} ' if option.short else ''}--{option.name} {option.meta}".rstrip()
        lines.append(f"{head:<24}{option.help}" if len(head) < 23 else f"{head}\n{'':24}{option.help}")
    return "\n".join([*lines, "", EXIT_CODES])
