"""Where in a text to search: sets of places as bits of an integer, one for each block of characters.

Places of literals are then combined in a handful of operations, however many there are.
"""

from __future__ import annotations

from collections.abc import Sequence

#: The block of a character is its place without this many bits.
SHIFT = 5
_BLOCK = 1 << SHIFT

Blocks = int
Windows = Sequence[tuple[int, int]]


def reach_of(longest: int | None, length: int) -> int:
    """How many blocks a match of at most `longest` characters may start or end away from one that it has a part in."""
    return -(-(length if longest is None else min(longest, length)) // _BLOCK)


def spread(blocks: Blocks, reach: int) -> Blocks:
    """All blocks within reach. It may go past the end of the text, which `windows` cuts off."""
    done = 0
    while done < reach:
        step = min(done + 1, reach - done)
        blocks |= blocks << step | blocks >> step
        done += step
    return blocks


def windows(blocks: Blocks, length: int) -> Windows:
    """Each run of blocks as a range of a text of that length."""
    found: list[tuple[int, int]] = []
    at = 0
    while blocks:
        gap = (blocks & -blocks).bit_length() - 1
        blocks >>= gap
        run = (~blocks & (blocks + 1)).bit_length() - 1
        blocks >>= run
        start, at = at + gap, at + gap + run
        if start << SHIFT < length:
            found.append((start << SHIFT, min(at << SHIFT, length)))
    return found
