"""The transposition table: what the search found out about positions, by their keys."""

from typing import NamedTuple

import numpy as np

from rstt_env.jit import kernel

# What a stored score says of the true one.
EXACT, AT_LEAST, AT_MOST = 0, 1, 2
SOLVED = 2**15
"""As the depth of an entry: its score holds at every depth."""
NO_DIGIT = 9

_KEY, _ENTRY = 0, 1
_OFFSET = 2**31


class Entry(NamedTuple):
    """What is known of a position."""

    found: bool
    score: int
    depth: int
    bound: int
    digit: int


def new_table(log2_size: int) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """uint64[2^log2_size, 2], empty: pairs of a key and a packed entry."""
    return np.zeros((2**log2_size, 2), np.uint64)


@kernel
def store(table, key, salt, score, depth, bound, digit):
    """Keep an entry in the key's place, whatever was there.

    `salt` sets apart the entries of one search: those of another are never found again, so
    that an answer doesn't depend on what was searched before.
    """
    place = key & np.uint64(len(table) - 1)
    table[place, _KEY] = key ^ salt
    table[place, _ENTRY] = np.uint64(
        (score + _OFFSET) | (depth << 32) | (bound << 48) | (digit << 52)
    )


@kernel
def look_up(table, key, salt):
    """The entry of a position."""
    place = key & np.uint64(len(table) - 1)
    entry = np.int64(table[place, _ENTRY])
    found = table[place, _KEY] == key ^ salt
    score = (entry & (2 * _OFFSET - 1)) - _OFFSET
    return Entry(found, score, (entry >> 32) & 0xFFFF, (entry >> 48) & 3, (entry >> 52) & 15)
