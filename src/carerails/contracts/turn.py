"""What goes into a check: the conversation turn, as the caller has it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Locale = Literal["en", "es-419", "pt-BR"]
LOCALES: tuple[Locale, ...] = ("en", "es-419", "pt-BR")
Channel = Literal["chat", "voice"]
Role = Literal["user", "assistant", "system", "tool"]


class Frozen(BaseModel):
    """Base of every contract: immutable, and an unknown key is an error, never ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def _as_parts(value: Any) -> Any:
    """Lists of parts become tuples; anything else is kept as it came, for the check to judge."""
    return tuple(cast("list[Any]", value)) if isinstance(value, list) else value


# Any content is accepted here on purpose: what is not text must reach the check, which calls it malformed, and not
# die in front of it (a refused message is never a pass).
Content = Annotated[str | tuple[Any, ...] | Any, BeforeValidator(_as_parts)]


class Message(Frozen):
    """One message. `content` is text, a list of parts (`{"type": "text", "text": ...}`), or whatever the caller had."""

    role: Role
    content: Content = None


class Turn(Frozen):
    """One turn to check: the messages so far, the newest last.

    Args:
        messages: the conversation; every user message since the last assistant reply is checked.
        locale: chooses templates only, all rules of all locales always run; None: the previous turn's, else detected.
        country: ISO 3166-1 alpha-2, chooses emergency numbers; None: the locale's default in config, else no number.
        channel: chat or voice; both are checked alike.
        session: the caller's conversation id, never interpreted.
        previous_locale: the locale of the previous turn, used when `locale` is None.
    """

    messages: tuple[Message, ...] = Field(default=())
    locale: Locale | None = None
    country: Annotated[str, Field(pattern=r"^[A-Z]{2}$")] | None = None
    channel: Channel = "chat"
    session: str | None = None
    previous_locale: Locale | None = None

    @classmethod
    def of(cls, text: str, *, locale: Locale | None = None, country: str | None = None) -> Turn:
        """A turn of one user message."""
        return cls(messages=(Message(role="user", content=text),), locale=locale, country=country)
