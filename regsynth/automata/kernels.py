"""Numba kernels of the automata engine: parse, determinise, compare, minimise.

Everything here works on code points and bit sets; :mod:`regsynth.automata.batch`
is the public face. All kernels share this file because numba's ``cache=True``
only notices changes in the file that holds a function. Two ways to determinise:

* *word*: all positions of both expressions fit one 64-bit word. A state is the
  set of positions that may be read next; bit 63 says "the first expression may
  stop here", bit 62 the same for the second. One step is a handful of ORs.
* *lanes*: any number of positions. A step is two linear passes over the syntax
  trees, and 64 (state, letter) steps ride in the bits of one machine word. No
  n-by-n follow relation is ever built, so 20,000 positions are nothing special.

Both number states in breadth-first order with letters by code point, so the
first difference met is the length-lexicographically least one.
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator,assignment"

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

U64 = np.uint64
ZERO, ONE, ONES = U64(0), U64(1), U64(0xFFFFFFFFFFFFFFFF)
MIX = U64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio (Fibonacci hashing)
FIRST_ENDS, SECOND_ENDS = U64(1 << 63), U64(1 << 62)
POSITIONS = U64((1 << 62) - 1)
MAX_POSITIONS = 62
DEPTH = 64  # the fast scanner's nested groups, …
STARS = 6  # … starred ones among them (a marker bit each) …
SCANNED = MAX_POSITIONS - STARS  # … and positions
MARKER = U64(1 << SCANNED)
NONE = np.int64(0)  # a typed zero: a literal 0 would compile every callee once more
WORD_STATES = 1 << 14  # larger word searches move to the lanes, whose arrays grow

# Operators as in regsynth.syntax.tree; on the operator stack their level is added
# in the high bits, so that "binds at least as tightly" is one comparison.
EPSILON, EMPTY, OPTION, STAR, COMPLEMENT, CONCAT, INTERSECTION, UNION, DIFFERENCE = 1, 0, 3, 4, 5, 6, 7, 8, 9
_OPEN, _UNION, _DIFFERENCE, _INTERSECTION, _CONCAT, _COMPLEMENT = 0, 16 + 8, 16 + 9, 32 + 7, 48 + 6, 64 + 5
_LETTER, _SPACE, _BACKSLASH, _LEFT, _RIGHT, _TILDE, _STAR, _OPTION, _DOT, _PLUS, _MINUS, _AND = range(12)
_CLASS = np.zeros(128, np.uint8)
for _characters, _kind in ((" \t\n\r\f\v", _SPACE), ("\\", _BACKSLASH), ("(", _LEFT), (")", _RIGHT), ("~", _TILDE), ("*", _STAR),
                           ("?", _OPTION), (".", _DOT), ("+|", _PLUS), ("-", _MINUS), ("&", _AND)):  # fmt: skip
    for _character in _characters:
        _CLASS[ord(_character)] = _kind
_EPSILON_SIGN, _EMPTY_SIGN = 0x3B5, 0x2205

# Codes an item can leave `compare_range` with, beside the caller's two verdicts.
ERROR, LONG, EXTENDED = 5, 64, 65


# Without numba's reference counts (atomic, several a call: they took half the time of a
# comparison). Such functions may not allocate.
outer = njit(cache=True, nogil=True, _nrt=False)
# Functions only kernels call need no way in from Python, which takes long to compile.
inner = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)


@intrinsic
def _trailing_zeros(context: Any, x: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from llvmlite import ir

        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


# --------------------------------------------------------------------- parsing


@outer
def parse(text, start, stop, code, operators, places):
    """Formal text to postfix: letters as code points, operator k as ``-1 - k``.

    Returns (items, letters, extended), or (-1 - position of the error, 0, False).
    ``code`` needs 2 (stop - start) + 1 items, the other two one fewer than that.
    """
    items, depth, letters = 0, 0, 0
    extended, want_operand = False, True
    i = start
    while i < stop:
        c = np.int32(text[i])
        kind = np.int32(_CLASS[c]) if c < 128 else np.int32(_LETTER)
        if kind <= _TILDE and kind != _SPACE and kind != _RIGHT:
            if not want_operand:  # juxtaposition
                while depth > 0 and operators[depth - 1] >= 48:
                    depth -= 1
                    code[items] = -1 - (operators[depth] & 15)
                    items += 1
                operators[depth] = _CONCAT
                depth += 1
                want_operand = True
            if kind == _LEFT:
                operators[depth] = _OPEN
                places[depth] = i
                depth += 1
            elif kind == _TILDE:
                operators[depth] = _COMPLEMENT
                depth += 1
                extended = True
            else:
                if c == _EPSILON_SIGN:
                    code[items] = -1 - EPSILON
                elif c == _EMPTY_SIGN:
                    code[items] = -1 - EMPTY
                else:
                    if kind == _BACKSLASH:
                        i += 1
                        if i == stop:
                            return -1 - (i - 1 - start), 0, False
                        c = np.int32(text[i])
                    code[items] = c
                    letters += 1
                items += 1
                want_operand = False
        elif kind != _SPACE:
            if want_operand:
                return -1 - (i - start), 0, False
            if kind == _STAR:
                code[items] = -1 - STAR
                items += 1
            elif kind == _OPTION:
                code[items] = -1 - OPTION
                items += 1
            else:
                operator = np.int32(16)
                if kind == _PLUS:
                    operator = np.int32(_UNION)
                elif kind == _DOT:
                    operator = np.int32(_CONCAT)
                elif kind == _MINUS:
                    operator = np.int32(_DIFFERENCE)
                elif kind == _AND:
                    operator = np.int32(_INTERSECTION)
                level = operator & ~15
                while depth > 0 and operators[depth - 1] >= level:
                    depth -= 1
                    code[items] = -1 - (operators[depth] & 15)
                    items += 1
                if kind == _RIGHT:
                    if depth == 0:
                        return -1 - (i - start), 0, False
                    depth -= 1
                else:
                    extended |= kind >= _MINUS
                    operators[depth] = operator
                    depth += 1
                    want_operand = True
        i += 1
    if want_operand:
        return -1 - (stop - start), 0, False
    while depth > 0:
        depth -= 1
        if operators[depth] == _OPEN:
            return -1 - (places[depth] - start), 0, False
        code[items] = -1 - (operators[depth] & 15)
        items += 1
    return items, letters, extended


# ----------------------------------------------------- one word: 62 positions


@inner
def _link(sources, targets, follow):
    while sources != ZERO:
        follow[_trailing_zeros(sources)] |= targets
        sources &= sources - ONE


@inner
def positions(code, items, base, ends, letters, masks, known, follow, first, last, null):
    """Position (Glushkov) automaton of postfix ``code``, positions numbered from ``base``.

    ``letters[:known]`` stays sorted; ``masks[j]`` collects the positions of letter j.
    Returns (positions that may come first, next free position, letters known).
    """
    top = -1
    for k in range(items):
        c = code[k]
        if c >= 0:
            j = 0
            while j < known and letters[j] < c:
                j += 1
            if j == known or letters[j] != c:
                for m in range(known, j, -1):
                    letters[m] = letters[m - 1]
                    masks[m] = masks[m - 1]
                letters[j] = c
                masks[j] = ZERO
                known += 1
            bit = ONE << U64(base)
            follow[base] = ZERO
            base += 1
            masks[j] |= bit
            top += 1
            first[top] = bit
            last[top] = bit
            null[top] = False
        elif c == -1 - CONCAT:
            top -= 1
            _link(last[top], first[top + 1], follow)
            if null[top]:
                first[top] |= first[top + 1]
            if null[top + 1]:
                last[top] |= last[top + 1]
            else:
                last[top] = last[top + 1]
                null[top] = False
        elif c == -1 - UNION:
            top -= 1
            first[top] |= first[top + 1]
            last[top] |= last[top + 1]
            null[top] |= null[top + 1]
        elif c == -1 - STAR:
            _link(last[top], first[top], follow)
            null[top] = True
        elif c == -1 - OPTION:
            null[top] = True
        else:
            top += 1
            first[top] = ZERO
            last[top] = ZERO
            null[top] = c == -1 - EPSILON
    _link(last[0], ends, follow)
    return (first[0] | ends if null[0] else first[0]), base, known


@inner
def _next(sources, follow):
    reached = ZERO
    while sources != ZERO:
        reached |= follow[_trailing_zeros(sources)]
        sources &= sources - ONE
    return reached


@inner
def _find(key, states, count, table, size, stamp):
    """Index of ``key`` among the states, ``count`` if new (then entered in the table).

    An entry is (stamp, index); entries with another stamp count as free, which
    makes emptying the table free of charge.
    """
    slot = np.int64(key * MIX >> U64(33)) & (size - 1)
    while True:
        entry = table[slot]
        if entry >> 32 != stamp:
            table[slot] = stamp << 32 | count
            return count
        index = entry & 0xFFFFFFFF
        if states[index] == key:
            return index
        slot = (slot + 1) & (size - 1)


@inner
def _refill(states, count, table, size, stamp):
    for index in range(count):
        _find(states[index], states, index, table, size, stamp)


@inner
def search(start, follow, masks, known, bad, alive, limit, states, parent, via, table, clock):
    """Breadth-first search for a state whose two top bits are in the set ``bad``.

    States without a position in ``alive`` have no successor worth visiting.
    Returns (outcome, state it was found from, letter, top bits); outcome 0: no
    such state, 1: found, 2: more than ``limit`` states.
    """
    if bad >> (start >> U64(62)) & ONE:
        return 1, -1, 0, start >> U64(62)
    size = NONE + 64
    clock[0] += 1
    _find(start, states, NONE, table, size, clock[0])
    states[0] = start
    parent[0] = -1
    head, count = NONE, NONE + 1
    while head < count:
        state = states[head]
        for letter in range(known):
            reached = _next(state & masks[letter], follow)
            if bad >> (reached >> U64(62)) & ONE:
                return 1, head, letter, reached >> U64(62)
            if reached & alive == ZERO:
                continue
            if _find(reached, states, count, table, size, clock[0]) == count:
                if count >= limit:
                    return 2, 0, 0, ZERO
                states[count] = reached
                parent[count] = head
                via[count] = letter
                count += 1
                if 2 * count > size:
                    size *= 4
                    clock[0] += 1
                    _refill(states, count, table, size, clock[0])
        head += 1
    return 0, 0, 0, ZERO


@inner
def trace(state, letter, parent, via, letters, points, used):
    """Write the word that leads to ``letter`` out of ``state``; -1 if it has no room."""
    length = 1
    node = state
    while parent[node] >= 0:
        length += 1
        node = parent[node]
    if used + length > points.size:
        return -1
    at = used + length - 1
    points[at] = letters[letter]
    while parent[state] >= 0:
        at -= 1
        points[at] = letters[via[state]]
        state = parent[state]
    return length


@inner
def gather(letters, masks, by_letter, seen):
    """Letters in order with their masks, and how many; ``by_letter`` is left empty again."""
    known = NONE
    for half in range(2):
        rest = seen[half]
        seen[half] = ZERO
        while rest != ZERO:
            c = _trailing_zeros(rest) + U64(64 * half)
            rest &= rest - ONE
            letters[known] = np.int32(c)
            masks[known] = by_letter[c]
            by_letter[c] = ZERO
            known += 1
    return known


@inner
def scan(text, start, stop, base, ends, follow, by_letter, seen, groups):
    """The fast road from text to position automaton: one pass, no postfix code.

    Takes ASCII letters and ``( ) + | . * ?`` only; for anything else, and for
    any error, the next free position comes back as -1 and :func:`parse` must say.
    Reads from right to left: then what may come next is known when a letter is
    met, and its follow set is one store. ``after`` is what may come next here
    (with ``ends`` where the expression may stop), ``closing`` the same at the end
    of the group, ``opened`` what its summands so far may begin with. Only a starred
    group needs a second look at its positions: those that may come last carry a marker.
    """
    after, closing, opened = ends, ends, ZERO
    star, option = ZERO, ZERO  # as masks, from a postfix operator to its operand
    whole = False  # whether there is an operand to the right, in this summand
    depth, stars = 0, 0
    for i in range(stop - 1, start - 1, -1):
        c = text[i]
        if c >= 128:
            return ZERO, NONE - 1
        kind = _CLASS[c]
        if kind == _LETTER:
            if base >= SCANNED:
                return ZERO, NONE - 1
            bit = ONE << U64(base)
            follow[base] = after | (star & bit)
            after = bit | (option & after)
            base += 1
            by_letter[c] |= bit
            seen[c >> 6] |= ONE << U64(c & 63)
            star, option, whole = ZERO, ZERO, True
        elif kind == _STAR:
            star, option = ONES, ONES
        elif kind == _OPTION:
            option = ONES
        elif kind == _RIGHT:
            if depth == DEPTH or stars == STARS:
                return ZERO, NONE - 1
            group = groups[depth]
            group[0], group[1], group[2] = after, closing, opened
            group[3], group[4], group[5] = star, option, U64(base)
            if star != ZERO:
                after |= MARKER << U64(stars)
                stars += 1
            closing, opened = after, ZERO
            star, option, whole = ZERO, ZERO, False
            depth += 1
        elif not whole or option != ZERO:
            return ZERO, NONE - 1
        elif kind == _PLUS:
            opened |= after
            after, whole = closing, False
        elif kind == _LEFT and depth > 0:
            depth -= 1
            group = groups[depth]
            opened |= after
            if group[3] != ZERO:
                stars -= 1
                marker = MARKER << U64(stars)
                opened &= ~marker
                for p in range(np.int64(group[5]), base):
                    if follow[p] & marker:
                        follow[p] = (follow[p] & ~marker) | opened
            after = opened | (group[4] & group[0])
            closing, opened = group[1], group[2]
        elif kind == _DOT:
            whole = False
        else:
            return ZERO, NONE - 1
    if depth > 0 or not whole or option != ZERO:
        return ZERO, NONE - 1
    return opened | after, base


@inner
def prepare(text1, begin1, end1, text2, begin2, end2, code, stacks, sets, flags, words, groups):
    """Joint position automaton of a pair: (0, 0, start, letters known, positions of the first).

    Or (LONG or EXTENDED, …), or (side, position of the syntax error, …).
    """
    start1, base = scan(text1, begin1, end1, NONE, FIRST_ENDS, sets[0], sets[4], sets[5], groups)
    start2, split = start1, base
    if base >= 0:
        start2, base = scan(text2, begin2, end2, base, SECOND_ENDS, sets[0], sets[4], sets[5], groups)
    known = gather(words, sets[1], sets[4], sets[5])
    if base >= 0:
        return NONE, NONE, start1 | start2, known, split
    items, count, extended1 = parse(text1, begin1, end1, code, stacks[0], stacks[1])
    if items < 0:
        return NONE + 1, -1 - items, ZERO, NONE, NONE
    known = NONE
    if count <= MAX_POSITIONS and not extended1:
        start1, base, known = positions(code, items, NONE, FIRST_ENDS, words, sets[1], known, sets[0], sets[2], sets[3], flags)
    items, more, extended2 = parse(text2, begin2, end2, code, stacks[0], stacks[1])
    if items < 0:
        return NONE + 2, -1 - items, ZERO, NONE, NONE
    if extended1 or extended2:
        return NONE + EXTENDED, NONE, ZERO, NONE, NONE
    if count + more > MAX_POSITIONS:
        return NONE + LONG, NONE, ZERO, NONE, NONE
    start2, base, known = positions(code, items, base, SECOND_ENDS, words, sets[1], known, sets[0], sets[2], sets[3], flags)
    return NONE, NONE, start1 | start2, known, count


@outer
def compare_range(packed1, packed2, begin, mode, limit, code, stacks, sets, flags, words, groups, states, links, table, clock,
                  verdict, accepted, side, place, word_start, word_length, points, used):  # fmt: skip
    """Compare item by item from ``begin``; stops early when ``points`` is full.

    A packed argument is (code points of all texts, begins, ends).
    ``mode`` is (verdict if it holds, verdict if not, bad top bits).
    Items for another tier get the verdict LONG or EXTENDED.
    Returns (next item, code points used).
    """
    holds, fails, bad = mode
    # Once the first language has no continuation, containment can no longer fail.
    both = bad & ONE << ONE != ZERO
    text1, begins1, ends1 = packed1
    text2, begins2, ends2 = packed2
    for item in range(begin, verdict.size):
        status, where, start, known, split = prepare(
            text1, begins1[item], ends1[item], text2, begins2[item], ends2[item], code, stacks, sets, flags, words, groups
        )
        if status != 0:
            if status >= LONG:
                verdict[item] = status
            else:
                verdict[item], side[item], place[item] = ERROR, status, where
            continue
        alive = POSITIONS if both else (ONE << U64(split)) - ONE
        outcome, state, letter, ends = search(
            start, sets[0], sets[1], known, bad, alive, limit, states, links[0], links[1], table, clock
        )
        if outcome == 0:
            verdict[item] = holds
        elif outcome == 2:
            verdict[item] = LONG
        else:
            length = NONE if state < 0 else trace(state, letter, links[0], links[1], words, points, used)
            if length < 0:
                return item, used
            verdict[item] = fails
            accepted[item] = 1 if ends == U64(2) else 2
            word_start[item] = used
            word_length[item] = length
            used += length
    return verdict.size, used


# ---------------------------------------------------- subset automaton (a word)


@njit(cache=True, nogil=True)
def _resized(delta, rows):
    out = np.empty((rows, delta.shape[1]), np.int32)
    for q in range(min(rows, delta.shape[0])):
        for a in range(delta.shape[1]):
            out[q, a] = delta[q, a]
    return out


@njit(cache=True, nogil=True)
def subsets(start, follow, masks, known, limit, states, table, clock):
    """The complete subset automaton: (transitions, accepting), no rows if over ``limit`` states."""
    capacity = 16
    delta = np.empty((capacity, known), np.int32)
    size = NONE + 64
    clock[0] += 1
    _find(start, states, NONE, table, size, clock[0])
    states[0] = start
    head, count = NONE, NONE + 1
    while head < count:
        state = states[head]
        for letter in range(known):
            reached = _next(state & masks[letter], follow)
            target = _find(reached, states, count, table, size, clock[0])
            delta[head, letter] = target
            if target == count:
                if count >= limit:
                    return np.empty((0, known), np.int32), np.empty(0, np.bool_)
                states[count] = reached
                count += 1
                if 2 * count > size:
                    size *= 4
                    clock[0] += 1
                    _refill(states, count, table, size, clock[0])
        head += 1
        if head == capacity:
            capacity *= 2
            delta = _resized(delta, capacity)
    accepting = np.empty(count, np.bool_)
    for index in range(count):
        accepting[index] = states[index] & FIRST_ENDS != ZERO
    return _resized(delta, count), accepting


@njit(cache=True, nogil=True)
def subsets_of_code(code, items, extra, limit, sets, flags, words, states, table, clock):
    """Subset automaton of postfix ``code`` over its letters and those in ``extra``.

    Returns (transitions, accepting, letters).
    """
    known = NONE
    for k in range(extra.size):  # a letter without positions
        j = 0
        while j < known and words[j] < extra[k]:
            j += 1
        if j == known or words[j] != extra[k]:
            for m in range(known, j, -1):
                words[m] = words[m - 1]
            words[j] = extra[k]
            known += 1
    for j in range(known):
        sets[1][j] = ZERO
    start, _, known = positions(code, items, NONE, FIRST_ENDS, words, sets[1], known, sets[0], sets[2], sets[3], flags)
    delta, accepting = subsets(start, sets[0], sets[1], known, limit, states, table, clock)
    letters = np.empty(known, np.int32)
    for j in range(known):
        letters[j] = words[j]
    return delta, accepting, letters
