"""From what a caller sends to a turn that can be checked, whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast, get_args

from pydantic import ValidationError

from carerails.contracts import LOCALES, Channel, Message, Turn
from carerails.graph.errors import AgentError, InvalidRequest, MissingThread, TooManyTurns

Word = TypeVar("Word", bound=str)
CHANNELS: tuple[Channel, ...] = get_args(Channel)


@dataclass(frozen=True, slots=True)
class Request:
    """What a caller sends, unchecked. Exactly one of `text` and `messages` is given.

    Attributes:
        request_id: the caller's own key: sent again with the same one, a turn that was answered is not taken twice.
        tenant: whose circuit the turn is of.
    """

    thread_id: object
    text: object = None
    messages: Sequence[object] | None = None
    locale: object = None
    country: object = None
    channel: object = "chat"
    request_id: str | None = None
    tenant: str = ""

    def admit(self, max_messages: int) -> tuple[Turn, AgentError | None]:
        """A turn with everything that the user said, and the first thing that is wrong with the request.

        The turn is made in any case: a red flag in an invalid request is a red flag.
        """
        problems: list[AgentError] = []
        if not (isinstance(self.thread_id, str) and self.thread_id.strip()):
            problems.append(MissingThread())
        if (self.text is None) == (self.messages is None):
            problems.append(InvalidRequest("text and messages are both given, or neither is", "send one of them"))
        said = [_message(item, problems) for item in self.messages or ()]
        if self.text is not None:
            said.append(Message(role="user", content=self.text))
        if len(said) > max_messages:
            problems.append(TooManyTurns(max_messages))
        fields: dict[str, Any] = {
            "messages": tuple(said),
            "locale": _known(self.locale, LOCALES, "locale", problems),
            "channel": _known(self.channel, CHANNELS, "channel", problems) or "chat",
            "session": self.thread_id if isinstance(self.thread_id, str) else None,
        }
        try:
            turn = Turn(country=cast("str | None", self.country), **fields)
        except ValidationError:
            turn = Turn(**fields)
            mend = "send two capital letters (ISO 3166-1), or none"
            problems.append(InvalidRequest("country is no country code", mend))
        return turn, problems[0] if problems else None


def _known(value: object, known: Sequence[Word], what: str, problems: list[AgentError]) -> Word | None:
    if value is not None and value not in known:
        problems.append(InvalidRequest(f"unknown {what}", f"known: {', '.join(known)}"))
    return next((word for word in known if word == value), None)


def _message(item: object, problems: list[AgentError]) -> Message:
    """One message; what has no role that we know counts as the user's, so that it is checked."""
    if isinstance(item, Message):
        return item
    if isinstance(item, Mapping):
        fields = cast("Mapping[str, Any]", item)
        try:
            return Message.model_validate(dict(fields))
        except ValidationError:
            problems.append(InvalidRequest("a message is not {role, content}", "see the contract Message"))
            return Message(role="user", content=fields.get("content"))
    problems.append(InvalidRequest("a message is not {role, content}", "see the contract Message"))
    return Message(role="user", content=item)


def split_answered(messages: Sequence[Message]) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """The messages up to the assistant's last one, and those after it."""
    last = max((index for index, message in enumerate(messages) if message.role == "assistant"), default=-1)
    return tuple(messages[: last + 1]), tuple(messages[last + 1 :])


def text_of(content: object) -> str:
    """The text in a message's content; what is no text leaves none."""
    if isinstance(content, str):
        return content
    if not isinstance(content, (list, tuple)):
        return ""
    texts: list[str] = []
    for part in cast("Sequence[object]", content):
        value = cast("Mapping[str, object]", part).get("text") if isinstance(part, Mapping) else part
        if isinstance(value, str):
            texts.append(value)
    return "\n".join(texts)
