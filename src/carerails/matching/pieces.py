"""Long arms cut into pieces: one that is all a group, `\\b(?:a|b|c)\\b`, is as many arms as it has alternatives.

A text that may match one of a hundred alternatives is then asked for that one and its neighbours, and not for all.
"""

from __future__ import annotations

from typing import NamedTuple

from carerails.matching.tree import arms_at, closing

#: An arm of up to this many characters stays whole; of a longer one, alternatives beside each other make pieces of up
#: to as many. Shorter pieces cost more to compile and to look for than they save.
MOST = 600
_OPEN = "(?:"
_EDGE = "\\b"


class Piece(NamedTuple):
    """Part `[start, end)` of a regex, alternatives as they stand there, between what stood around their groups."""

    start: int
    end: int
    before: str = ""
    behind: str = ""

    def source(self, regex: str) -> str:
        """The piece as a regex of its own."""
        text = regex[self.start : self.end]
        return f"{self.before}{_OPEN}{text}){self.behind}" if self.before or self.behind else text


def pieces(regex: str) -> list[list[Piece]]:
    """The pieces of each arm; whichever matches first at a place, in their order, is what the arm matches there."""
    return [_cut(regex, Piece(start, start + len(arm))) for start, arm in arms_at(regex)]


def _cut(regex: str, piece: Piece) -> list[Piece]:
    """A piece in pieces, where it is long and all one group."""
    if piece.end - piece.start <= MOST:
        return [piece]
    text = regex[piece.start : piece.end]
    first = len(_EDGE) * text.startswith(_EDGE + _OPEN)
    if not text.startswith(_OPEN, first):
        return [piece]
    end = closing(text, first)
    if text[end + 1 :] not in {"", _EDGE}:
        return [piece]
    inner = first + len(_OPEN)
    before, behind = piece.before + text[:first], text[end + 1 :] + piece.behind
    found: list[Piece] = []
    for start, alternative in arms_at(text[inner:end]):
        begin = piece.start + inner + start
        beside = found[-1] if found else None
        if beside and begin + len(alternative) - beside.start <= MOST:
            found[-1] = beside._replace(end=begin + len(alternative))
        else:
            found.append(Piece(begin, begin + len(alternative), before, behind))
    return [smaller for each in found for smaller in _cut(regex, each)]
