"""What the options say, as the values the solvers take."""

from __future__ import annotations

from regsynth.api import parse
from regsynth.budget import Budget
from regsynth.cli.arguments import Arguments
from regsynth.errors import InputError
from regsynth.machine import half_of_memory
from regsynth.syntax.tree import COMPLEMENT


def budget_of(arguments: Arguments) -> Budget:
    """The budget of one item; workers share half of the memory between them."""
    memory = arguments["memory-limit"]
    return Budget(seconds=arguments["timeout"] or None, memory=memory or half_of_memory() // arguments["jobs"])


def letters_of_command(arguments: Arguments) -> tuple[str, ...]:
    """Σ when none is given: the letters of every expression on the command line.

    Empty when no complement occurs (Σ then matters to nothing), and for items
    from a file, where each record has its own letters.
    """
    letters: set[str] = set()
    complement = False
    for text in arguments.items:
        try:
            expr = parse(text, dialect=arguments["dialect"])
        except InputError:
            continue  # reported when its turn comes
        letters.update(map(str, expr.alphabet))
        complement = complement or bool(expr.mask >> COMPLEMENT & 1)
    return tuple(sorted(letters)) if complement else ()
