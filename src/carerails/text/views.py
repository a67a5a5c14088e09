"""The views of a text that rules are matched on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from carerails.text import fold, unmask
from carerails.text.edits import Alignment, Edit

_JOIN: Final = (unmask.JOIN, unmask.UNCHAIN, unmask.UNDERSCORES)
_LEET: Final = (
    (unmask.LEET_I, (unmask.DRAWN_TO_TWO, unmask.DRAWN_TO_ONE)),
    (unmask.LEET_L, (unmask.DRAWN_TO_TWO,)),
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
        return Alignment(self.source, self._edits)

    def to_original(self, start: int, end: int) -> tuple[int, int]:
        """The half-open range of the source that `text[start:end]` stands for, with the accents that follow it.

        Raises:
            ValueError: not a range of the text.
        """
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(f"[{start}, {end}) is no range of a view of {len(self.text)} characters")
        places = self._alignment
        if start == end:
            at = places.start(start) if start < len(self.text) else places.end(start) if start else 0
            return at, at
        first, last = places.start(start), places.end(end)
        while last < len(self.source) and fold.is_mark(self.source[last]):
            last += 1
        return first, last

    def __repr__(self) -> str:
        return f"View({len(self.text)} characters)"  # the text is the patient's


def as_read(text: str) -> str:
    """The plain view of a text, which is what patterns are matched on where nothing was disguised."""
    return normalise(text)[0].text


def normalise(text: str) -> tuple[View, ...]:
    """The distinct views of a text: the plain one first, then up to four where they differ.

    Three undo spacing, leet and drawn-out letters, and one takes invisible characters for gaps. Linear in the length of
    the text; never raises on any `str`.
    """
    loose = fold.loosen(text)
    plain = fold.tidy(loose)
    views: dict[str, tuple[Edit, ...]] = {plain: (*fold.LOOSE, *fold.TIDY)}
    if any(sign.search(plain) for sign in unmask.SIGNS):
        for copy, edits in _unmasked(loose):
            views.setdefault(copy, (*fold.LOOSE, *edits))
    if not text.isascii() and (parted := fold.HIDDEN_GAPS.apply(text)) != text:
        loose = fold.loosen(parted)
        copy, edits = next(_unmasked(loose), (fold.tidy(loose), fold.TIDY))
        views.setdefault(copy, (fold.HIDDEN_GAPS, *fold.LOOSE, *edits))
    return tuple(View(copy, text, edits) for copy, edits in views.items() if copy or copy is plain)


def _unmasked(loose: str) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """The de-obfuscated copies of a loose copy, where they differ from it, each with its edits, the likeliest first."""
    joined = _apply(_JOIN, loose)
    for number, (leet, ways) in enumerate(_LEET):
        read = leet.apply(joined)
        if number and read == joined:
            return
        for drawn in ways if unmask.DRAWN.search(read) else (None,):
            copy = drawn.apply(read) if drawn else read
            if copy != loose:
                yield fold.tidy(copy), (*_JOIN, leet, *([drawn] if drawn else []), *fold.TIDY)


def _apply(edits: Iterable[Edit], text: str) -> str:
    for edit in edits:
        text = edit.apply(text)
    return text
