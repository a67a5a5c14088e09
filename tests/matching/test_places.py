"""Places as bits say what the same places say as sets."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from carerails.matching.places import SHIFT, reach_of, spread, windows

BLOCKS = st.sets(st.integers(0, 200))


def bits(blocks: set[int]) -> int:
    return sum(1 << block for block in blocks)


@given(blocks=BLOCKS, reach=st.integers(0, 90))
def test_spreading_reaches_all_blocks_near(blocks: set[int], reach: int) -> None:
    near = {at for block in blocks for at in range(block - reach, block + reach + 1) if at >= 0}
    assert spread(bits(blocks), reach) == bits(near)


@given(blocks=BLOCKS, length=st.integers(0, 201 << SHIFT))
def test_windows_cover_just_the_blocks(blocks: set[int], length: int) -> None:
    found = windows(bits(blocks), length)
    covered = [place for start, end in found for place in range(start, end)]
    assert covered == [place for place in range(length) if place >> SHIFT in blocks]
    assert all(one[1] < other[0] for one, other in pairwise(found))


@given(start=st.integers(0, 5000), longest=st.integers(1, 300), place=st.integers(0, 299), length=st.integers(1, 6000))
def test_a_match_lies_within_reach_of_each_of_its_characters(start: int, longest: int, place: int, length: int) -> None:
    end = min(start + longest, length)
    place = min(start + place, end - 1)
    if place >= start:
        around = spread(1 << (place >> SHIFT), reach_of(longest, length))
        assert all(around >> (at >> SHIFT) & 1 for at in (start, end - 1))
