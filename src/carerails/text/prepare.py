"""From a conversation turn to the text that every engine's rules see."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, cast

from carerails.contracts import Locale, Span, Turn
from carerails.text.language import detect_locale
from carerails.text.views import View, normalise

Problem = Literal["empty", "too-long", "not-text", "image"]

_IMAGE_PARTS = ("image", "image_url", "input_image")
_READABLE = re.compile(r"[a-z0-9]")
_WORD = re.compile(r"[a-z0-9_]+")


class _Slice(NamedTuple):
    """A stretch of a message that is scanned, and where in the message it begins."""

    message: int
    base: int
    text: str


class Prepared:
    """What is scanned of a turn, and the way back to what the user wrote.

    Attributes:
        text: the views of every unanswered user message, one a line, in lower-case ASCII.
        problem: what keeps the turn from being an ordinary one; the text, if there is any, is scanned all the same.
        messages: indices, within the turn's messages, of the user messages that count.
    """

    def __init__(
        self, turn: Turn, messages: tuple[int, ...], slices: Sequence[_Slice], problem: Problem | None
    ) -> None:
        views = [normalise(piece.text) for piece in slices]
        self._turn = turn
        self._slices = slices
        self._views = [(piece, view) for piece, row in zip(slices, views, strict=True) for view in row]
        self.messages = messages
        self.text = "\n".join([view.text for _, view in self._views])
        self.problem: Problem | None = problem or (None if any(_readable(row[0]) for row in views) else "empty")

    @cached_property
    def locale(self) -> Locale:
        """The turn's locale, else the previous turn's, else the one detected."""
        return self._turn.locale or self._turn.previous_locale or detect_locale(" ".join(s.text for s in self._slices))

    @cached_property
    def _offsets(self) -> list[int]:
        offsets = [0]
        for _, view in self._views:
            offsets.append(offsets[-1] + len(view.text) + 1)
        return offsets

    def locate(self, start: int, end: int) -> Span | None:
        """Where `text[start:end]` stands in the user's own words; None if it is not inside one view.

        The span is in code points of the message; in a list of parts, of its texts joined by newlines.
        """
        if not 0 <= start <= end <= len(self.text) or not self._views:
            return None
        row = bisect_right(self._offsets, start) - 1
        piece, view = self._views[row]
        offset = self._offsets[row]
        if end - offset > len(view.text):
            return None
        first, last = view.to_original(start - offset, end - offset)
        return Span(message=piece.message, start=piece.base + first, end=piece.base + last)

    def original(self, span: Span) -> str:
        """The user's own words at a span."""
        text, _ = _read(self._turn.messages[span.message].content)
        return text[span.start : span.end]

    def __repr__(self) -> str:
        return f"Prepared(messages={self.messages}, problem={self.problem!r})"  # the text is the patient's


def _readable(plain: View) -> bool:
    """Whether there is a word, and most words are in the Latin alphabet: no rule can tell what the others say."""
    if "_" not in plain.text or plain.source.isascii():
        return _READABLE.search(plain.text) is not None
    words = _WORD.findall(plain.text)
    return 2 * sum("_" in word for word in words) < len(words)


def _part(part: object) -> tuple[str | None, Problem | None]:
    """The text of one part of a message's content, or what it is instead."""
    if isinstance(part, str):
        return part, None
    if isinstance(part, Mapping):
        fields = cast("Mapping[Any, Any]", part)
        text = fields.get("text")
        if fields.get("type") in ("text", "input_text") and isinstance(text, str):
            return text, None
        if fields.get("type") in _IMAGE_PARTS:
            return None, "image"
    return None, "not-text"


def _read(content: object) -> tuple[str, Problem | None]:
    """The text of a message's content, and the first thing in it that is no text."""
    if isinstance(content, str):
        return content, None
    if not isinstance(content, (list, tuple)):
        return "", "not-text"
    texts: list[str] = []
    problem: Problem | None = None
    for part in cast("Sequence[object]", content):
        text, trouble = _part(part)
        if text is not None:
            texts.append(text)
        problem = problem or trouble
    return "\n".join(texts), problem


def _unanswered(turn: Turn) -> tuple[int, ...]:
    """Indices of the user messages since the assistant last spoke."""
    found: list[int] = []
    for index in range(len(turn.messages) - 1, -1, -1):
        role = turn.messages[index].role
        if role == "assistant":
            break
        if role == "user":
            found.append(index)
    return tuple(reversed(found))


def unanswered(turn: Turn) -> tuple[str, ...]:
    """The text of each user message since the assistant last spoke, oldest first; what is no text leaves none."""
    texts = (_read(turn.messages[index].content)[0] for index in _unanswered(turn))
    return tuple(text for text in texts if text.strip())


def _head(slices: Sequence[_Slice], room: int) -> list[_Slice]:
    kept: list[_Slice] = []
    for piece in slices:
        if room <= 0:
            break
        kept.append(piece._replace(text=piece.text[:room]))
        room -= len(piece.text)
    return kept


def _tail(slices: Sequence[_Slice], room: int) -> list[_Slice]:
    kept: list[_Slice] = []
    for piece in reversed(slices):
        if room <= 0:
            break
        cut = max(0, len(piece.text) - room)
        kept.append(_Slice(piece.message, piece.base + cut, piece.text[cut:]))
        room -= len(piece.text)
    return kept[::-1]


def prepare(turn: Turn, *, max_chars: int = 100_000) -> Prepared:
    """Normalise all that the user said since the assistant last spoke. Never raises on any turn.

    Args:
        turn: the conversation.
        max_chars: code points scanned a turn; of a longer one the first and the last half of as many are.
    """
    messages = _unanswered(turn)
    slices: list[_Slice] = []
    problem: Problem | None = None
    for index in messages:
        text, trouble = _read(turn.messages[index].content)
        problem = problem or trouble
        slices.append(_Slice(index, 0, text))
    if sum(len(piece.text) for piece in slices) > max_chars:
        half = max_chars // 2
        slices = _head(slices, half) + _tail(slices, max_chars - half)
        problem = problem or "too-long"
    return Prepared(turn, messages, slices, problem)
