"""The views of a text that rules are matched on."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from carerails.text import fold, unmask
from carerails.text.edits import Alignment, Edit, align

_PLAIN: Final = (*fold.LOOSE, fold.SPACES)
_MASKS: Final = tuple(
    (unmask.JOIN, leet, drawn, fold.DOTS, fold.SPACES)
    for leet, drawn in (
        (unmask.LEET_I, unmask.DRAWN_TO_ONE),
        (unmask.LEET_I, unmask.DRAWN_TO_TWO),
        (unmask.LEET_L, unmask.DRAWN_TO_TWO),
    )
)


class View:
    """One normalised copy of a text: lower-case ASCII, single spaces, no newline.

    Attributes:
        text: what is matched.
        source: what the user wrote.
    """

    def __init__(self, text: str, source: str, edits: tuple[Edit, ...]) -> None:
        self.text = text
        self.source = source
        self._edits = edits

    @cached_property
    def _alignment(self) -> Alignment:
        return align(self.source, self._edits)

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """The half-open range of the source that `text[start:end]` stands for, with the accents that follow it.

        Raises:
            ValueError: not a range of the text.
        """
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(f"[{start}, {end}) is no range of a view of {len(self.text)} characters")
        ends = self._alignment.ends
        if start == end:
            at = self._alignment.starts[start] if start < len(self.text) else ends[-1] if ends else 0
            return at, at
        first, last = self._alignment.starts[start], ends[end - 1]
        while last < len(self.source) and fold.is_mark(self.source[last]):
            last += 1
        return first, last

    def __repr__(self) -> str:
        return f"View({len(self.text)} characters)"  # the text is the patient's


def normalise(text: str) -> tuple[View, ...]:
    """The distinct views of a text: the plain one first, then up to three de-obfuscated ones where they differ.

    Linear in the length of the text; never raises on any `str`.
    """
    loose = fold.loosen(text)
    plain = fold.SPACES.apply(loose)
    views = {plain: _PLAIN}
    if unmask.DRAWN_SIGN.search(plain) or unmask.LEET_SIGN.search(plain) or unmask.SPACED_SIGN.search(plain):
        for edits in _MASKS:
            copy = loose
            for edit in edits:
                copy = edit.apply(copy)
            views.setdefault(copy, (*fold.LOOSE, *edits))
    return tuple(View(copy, text, edits) for copy, edits in views.items())
