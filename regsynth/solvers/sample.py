"""Tables over a finite sample P: its infixes, how they join, where they occur."""

from __future__ import annotations

from collections.abc import Iterable

from regsynth.automata.dfa import bits
from regsynth.errors import BudgetExceeded
from regsynth.solvers.closed import ClosedSets
from regsynth.solvers.fooling import fooling_set

Word = tuple[int, ...]
MAX_LETTERS = 8_000_000  # letters of all infixes together, and as many ways to cut them in two: under a gigabyte
MAX_FOOLING = 64  # one machine word; a part of a fooling set is one as well


class Sample:
    """P ⊆ L(U) with everything the typed search looks up.

    Attributes
    ----------
    infixes : list of words
        The infix closure, shortest first; ε is number 0.
    joined : list of dict
        ``joined[i][j]`` is the number of the infix i·j, where it is one.
    goal : int
        Bit set of the words of P.
    fooling : int
        Size of the fooling set in use: at least so many letters are needed.
    width : int
        Size of the whole fooling set found, which may be larger.
    fooling_of : dict
        For each letter, its members as a bit set.
    """

    def __init__(self, closed: ClosedSets, words: Iterable[Word], nodes: int = 200) -> None:
        self.closed = closed
        self.words = sorted(set(words), key=lambda w: (len(w), w))
        if sum(len(w) ** 3 for w in self.words) > 6 * MAX_LETTERS:
            raise BudgetExceeded("the sampled words are too long for their infixes to be listed")
        closed.check()
        infixes = {w[i:j] for w in self.words for i in range(len(w)) for j in range(i + 1, len(w) + 1)}
        self.infixes: list[Word] = sorted(infixes | {()}, key=lambda w: (len(w), w))
        number = {w: i for i, w in enumerate(self.infixes)}
        self.number = number
        self.joined: list[dict[int, int]] = [{} for _ in self.infixes]
        for i, w in enumerate(self.infixes):
            if not i & 255:
                closed.check()
            for m in range(len(w) + 1):
                self.joined[number[w[:m]]][number[w[m:]]] = i
        self.goal = sum(1 << number[w] for w in self.words)
        self._scan(nodes)
        self._types: dict[tuple[int, int], tuple[int, dict[int, int]]] = {}
        self._starts: dict[int, int] = {}
        self._ends: dict[int, int] = {}

    def _scan(self, nodes: int) -> None:
        """Cut every word everywhere; choose a fooling set among its letters."""
        closed = self.closed
        contexts: dict[tuple[int, int, int], tuple[int, int]] = {}
        cuts: list[tuple[list[int], list[int]]] = []
        for m, w in enumerate(self.words):
            states, rests = [0], [closed.final]
            for a in w:
                states.append(closed.delta[states[-1]][a])
            for a in reversed(w):
                rests.append(closed.backward(rests[-1], a))
            rests.reverse()
            cuts.append((states, rests))
            for i, a in enumerate(w):
                contexts.setdefault((a, states[i], rests[i + 1]), (m, i))
        keys = list(contexts)
        fooling = [keys[i] for i in fooling_set(closed, keys, nodes)]
        self.width = len(fooling)
        chosen = fooling[:MAX_FOOLING]
        self.fooling = len(chosen)
        self.fooling_of: dict[int, int] = {}
        self.fooling_words = {self.words[contexts[key][0]] for key in chosen}
        marks: list[list[tuple[int, int]]] = [[] for _ in self.words]
        for bit, key in enumerate(chosen):
            self.fooling_of[key[0]] = self.fooling_of.get(key[0], 0) | 1 << bit
            m, i = contexts[key]
            marks[m].append((i, 1 << bit))
        merged: dict[tuple[int, int, int], int] = {}
        number = self.number
        self.places: dict[Word, list[tuple[int, int, int]]] = {}  # occurrences of non-empty infixes in each word
        for m, w in enumerate(self.words):
            closed.check()
            states, rests = cuts[m]
            places = self.places[w] = []
            held = [0] * (len(w) + 1)  # fooling letters before each cut
            for at, bit in marks[m]:
                held[at + 1] = bit
            for i in range(len(w)):
                held[i + 1] |= held[i]
            for i, q in enumerate(states):
                before = ~held[i]
                for j in range(i, len(w) + 1):
                    place = (number[w[i:j]], q, rests[j])
                    merged[place] = merged.get(place, 0) | held[j] & before
                    if i < j:
                        places.append(place)
        # occurrences: (infix, state before, states that accept the rest) and the fooling letters inside
        self.occurrences = list(merged.items())
        self._by_state: list[int] = []
        self._by_rest: dict[int, int] = {}

    def _index(self) -> None:
        """Occurrences by the state before them and by the states that accept their rest, as bit sets."""
        self._by_state = [0] * self.closed.n
        for o, ((_, q, rest), _) in enumerate(self.occurrences):
            self._by_state[q] |= 1 << o
            self._by_rest[rest] = self._by_rest.get(rest, 0) | 1 << o

    def type_masks(self, x: int, z: int) -> tuple[int, dict[int, int]]:
        """Mask M(X,Z) over the infixes, and the fooling letters each may hold there.

        Parameters
        ----------
        x, z : int
            Closed sets (bit sets of states).
        """
        known = self._types.get((x, z))
        if known is not None:
            return known
        if not self._by_state:
            self._index()
        starts = self._starts.get(x)
        if starts is None:
            starts = 0
            for q in bits(x):
                starts |= self._by_state[q]
            self._starts[x] = starts
        ends = self._ends.get(z)
        if ends is None:
            ends = 0
            for rest, occurrences in self._by_rest.items():
                if not z & ~rest:
                    ends |= occurrences
            self._ends[z] = ends
        mask, letters = 0, dict[int, int]()
        for o in bits(starts & ends):
            (w, _, _), inside = self.occurrences[o]
            mask |= 1 << w
            if inside:
                letters[w] = letters.get(w, 0) | inside
        self._types[x, z] = mask, letters
        return mask, letters

    def concatenate(self, left: int, right: int) -> int:
        """Infixes that split into one of ``left`` and one of ``right``."""
        out = 0
        while left:
            low = left & -left
            row = self.joined[low.bit_length() - 1]
            left ^= low
            for j, w in row.items():
                if right >> j & 1:
                    out |= 1 << w
        return out

    def star(self, cover: int) -> int:
        """Infixes in the star of ``cover``."""
        base, cover = cover & ~1, 1
        while True:
            grown = cover | self.concatenate(base, cover)
            if grown == cover:
                return cover
            cover = grown
