"""Cost functions: eight positive integers, added up over the tree."""

from __future__ import annotations

from dataclasses import dataclass

from regsynth.errors import InputError
from regsynth.syntax.tree import Expr

LIMIT = 1_000_000  # a cost above this is surely a mistake, and would overflow a 32-bit total


@dataclass(frozen=True, slots=True)
class Costs:
    """A cost for each constructor (REI paper's c1…c8).

    ``atom`` is c1, for ∅, ε and every letter.
    """

    atom: int = 1
    option: int = 1
    star: int = 1
    complement: int = 1
    concat: int = 1
    intersection: int = 1
    union: int = 1
    difference: int = 1

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LIMIT:
                raise InputError(f"cost of {name} is {value!r}; every cost is a whole number from 1 to {LIMIT}")

    @classmethod
    def parse(cls, text: str) -> Costs:
        """Read ``tree``, eight numbers c1…c8, or five (letter ? * · +).

        >>> Costs.parse("tree") == Costs()
        True
        >>> Costs.parse("20,20,20,5,30").union
        30
        """
        if text.strip() == "tree":
            return cls()
        fields = text.split(",")
        try:
            numbers = [int(field) for field in fields]
        except ValueError:
            raise InputError(f"--costs {text!r}: not whole numbers; give 'tree', 5 or 8 numbers separated by commas") from None
        return cls.of(numbers)

    @classmethod
    def of(cls, numbers: list[int] | tuple[int, ...]) -> Costs:
        """From five numbers (letter ? * · +) or eight (c1…c8)."""
        if len(numbers) == 8:
            return cls(*numbers)
        if len(numbers) == 5:
            atom, option, star, concat, union = numbers
            return cls(atom, option, star, 1, concat, 1, union, 1)
        raise InputError(f"costs: {len(numbers)} numbers; give 8 (∅εa ? * ~ · & + −) or 5 (letter ? * · +)")

    @property
    def by_op(self) -> tuple[int, ...]:
        """Cost of each constructor, indexed by its number in :mod:`regsynth.syntax.tree`."""
        a = self.atom
        return (a, a, a, self.option, self.star, self.complement, self.concat, self.intersection, self.union, self.difference)

    @property
    def is_tree(self) -> bool:
        """Whether the cost is the tree length."""
        return self.by_op == (1,) * 10

    def of_expr(self, expr: Expr) -> int:
        """Cost of a tree.

        >>> from regsynth.syntax.formal import parse
        >>> Costs(union=3).of_expr(parse("a+b"))
        5
        """
        if self.is_tree:
            return expr.length
        table = self.by_op
        return sum(table[node.op] for node in expr.postorder())


TREE_LENGTH = Costs()
