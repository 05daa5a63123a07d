"""Outlooks: what would succeed from each place, going back through a subject.

An outlook stands between two letters. It holds a bit for every place that would
succeed by reading on, and the facts anchors ask for. The outlook before a letter
follows from the letter and the outlook after it: a deterministic reverse automaton.
"""

from __future__ import annotations

from regsynth.errors import BudgetExceeded
from regsynth.redos.machine import ACCEPT, AT_END, JUMP, LEAF, Machine

OUTLOOKS = 3000
_NO_MASKS: list[int] = []


class Outlooks:
    """The outlooks met so far, and what is tried under each.

    Attributes
    ----------
    bits : list of int
        For each outlook, which places succeed (level by level for atomic groups).
    facts : list of int
    """

    def __init__(self, machine: Machine, limit: int = OUTLOOKS) -> None:
        self.machine = machine
        self.limit = limit
        self.bits: list[int] = [0]
        self.facts: list[int] = [AT_END]
        self._ids: dict[tuple[int, int], int] = {(0, AT_END): 0}
        self._back: dict[tuple[int, int], int] = {}
        self._tried: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}
        self._facts_before: dict[tuple[int, int], int] = {}
        self.counted: dict[tuple[object, ...], int] = {}  # growths found on repeating parts; see pumping
        self.simple = all(levels == 1 for levels in machine.levels)
        # For each letter, the entries reached by it and the places that lead there.
        self._sources: list[dict[int, list[int]] | None] = [None] * machine.letters
        self._succeeding: dict[int, list[tuple[int, int]]] = {}

    def tried(self, entry: int, outlook: int) -> tuple[int, tuple[int, ...]]:
        """What the matcher tries at an entry: the level that succeeds (the number of levels for none), and the places."""
        key = (entry, outlook)
        found = self._tried.get(key)
        if found is None:
            found = self._tried[key] = self._run(entry, outlook)
        return found

    def _run(self, entry: int, outlook: int) -> tuple[int, tuple[int, ...]]:
        machine = self.machine
        code, bits, facts = machine.codes[entry], self.bits[outlook], self.facts[outlook]
        levels, offsets = machine.levels, machine.offsets
        leaves: list[int] = []
        here, n = 0, len(code)
        while here < n:
            op = code[here]
            here += 1
            kind = op[0]
            if kind == LEAF:
                place = op[1]
                leaves.append(place)
                offset = offsets[place]
                for level in range(levels[place]):
                    if bits >> offset + level & 1:
                        here = op[2][level]
                        break
            elif kind in (ACCEPT, JUMP):
                here = op[1]
            elif bool(facts & op[1]) != op[2]:
                here = op[3]
            if here < 0:
                return -1 - here, tuple(leaves)
        return machine.entries[entry][2], tuple(leaves)

    def before(self, outlook: int, letter: int) -> int:
        """The outlook before a letter."""
        key = (outlook, letter)
        found = self._back.get(key)
        if found is None:
            found = self._back[key] = self._compute(outlook, letter)
        return found

    def _compute(self, outlook: int, letter: int) -> int:
        machine = self.machine
        sources = self._sources[letter]
        if sources is None:
            sources = self._sources[letter] = self._collect(letter)
        bits = 0
        succeeding = self._succeeding.get(outlook)
        if succeeding is not None:
            for entry, level in succeeding:
                for mask in sources.get(entry, _NO_MASKS)[level:]:
                    bits |= mask
        else:
            for entry, masks in sources.items():
                for mask in masks[self._level(entry, outlook) :]:
                    bits |= mask
        key = (self.facts[outlook], letter)
        facts = self._facts_before.get(key)
        if facts is None:
            facts = self._facts_before[key] = machine.facts_before(letter, self.facts[outlook])
        return self._number(bits, facts)

    def _level(self, entry: int, outlook: int) -> int:
        """The level at which an entry succeeds."""
        quick = self.machine.flat[entry]
        if quick is not None and self.simple:
            return 0 if quick[1] or quick[0] & self.bits[outlook] else 1
        return self.tried(entry, outlook)[0]

    def survey(self, outlook: int) -> None:
        """Find all entries that succeed at once: worth it when every letter before an outlook will be asked for."""
        found = []
        for entry, (_, _, levels) in enumerate(self.machine.entries):
            level = self._level(entry, outlook)
            if level < levels:
                found.append((entry, level))
        self._succeeding[outlook] = found

    def _collect(self, letter: int) -> dict[int, list[int]]:
        machine, bit = self.machine, 1 << letter
        found: dict[int, list[int]] = {}
        for place, moves in enumerate(machine.moves):
            for mask, entry in moves:
                if mask & bit:
                    masks = found.setdefault(entry, [0] * machine.levels[place])
                    for level in range(machine.levels[place]):
                        masks[level] |= 1 << machine.offsets[place] + level
        return found

    def _number(self, bits: int, facts: int) -> int:
        key = (bits, facts)
        found = self._ids.get(key)
        if found is None:
            found = self._ids[key] = len(self.bits)
            self.bits.append(bits)
            self.facts.append(facts)
            if found >= self.limit:
                raise BudgetExceeded(f"more than {self.limit:,} outlooks")
        return found

    def entry_of(self, place: int, letter: int) -> int:
        """Where a place leads by a letter it reads, or −1."""
        for mask, entry in self.machine.moves[place]:
            if mask >> letter & 1:
                return entry
        return -1
