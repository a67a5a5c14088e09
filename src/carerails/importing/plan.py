"""What is to be written: rules with their patterns and texts, examples, and what the bot says."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from carerails.contracts import Locale, RefusalSlug
from carerails.importing.found import Message, Place
from carerails.text import detect_locale

#: Which refusal a rule asks for, by words in the name of a form; anything else is `default`.
SLUGS: tuple[tuple[str, RefusalSlug], ...] = (
    (r"\bdos(?:e|es|age|ages|ing)\b|\bdosis\b", "out-of-scope-dosing"),
    (r"\bprescri|\brecet[ao]|\breceita", "out-of-scope-prescription"),
    (r"\bdiagnos", "out-of-scope-diagnosis"),
    (r"\blab\b|\btest results?\b|\bx-?ray", "out-of-scope-interpretation"),
    (r"\bpersonal data\b|\bpii\b|\bprivacy\b", "out-of-scope-pii"),
    (r"\bjailbreak|\bprompt\b|\binstructions\b|\brole ?play", "out-of-scope-meta"),
    (r"\boff[ -]?topic|\bpolitic|\bcooking|\bsports?\b|\bstocks?\b|\bweather", "out-of-domain"),
)
#: A name that may be a red flag, which only the author can decide.
RED = re.compile(r"\bself[ -]?harm|suicid|\bemergenc|\boverdos|\bchest pain|\bviolen|\babuse")


@dataclass(slots=True)
class Draft:
    """A rule to be written.

    Attributes:
        patterns: regex and where it comes from.
        exact: of a regex that is looser than the text that it comes of, the regex of the very words.
        texts: what people say, where the rule comes of a form.
        message: what the bot then says, by its name.
        notes: what its regexes no longer say.
        unlisted: it comes of a flow that no input rail names.
    """

    name: str
    slug: RefusalSlug
    source: Place
    patterns: list[tuple[str, Place]] = field(default_factory=list[tuple[str, Place]])
    exact: dict[str, str] = field(default_factory=dict[str, str])
    texts: list[str] = field(default_factory=list[str])
    message: str = ""
    notes: dict[str, None] = field(default_factory=dict[str, None])
    unlisted: bool = False


@dataclass(slots=True)
class Plan:
    """All that is to be written. `in_scope`: forms that get an answer; `texts`: what refusals say, by their slug."""

    drafts: dict[str, Draft] = field(default_factory=dict[str, Draft])
    in_scope: dict[str, tuple[Place, tuple[str, ...]]] = field(default_factory=dict[str, tuple[Place, tuple[str, ...]]])
    texts: dict[RefusalSlug, Message] = field(default_factory=dict[RefusalSlug, Message])

    def language(self) -> Locale:
        """The likeliest locale of everything that people say in it."""
        return detect_locale("\n".join(self._said()))

    def _said(self) -> Iterator[str]:
        for draft in self.drafts.values():
            yield from draft.texts
        for _, texts in self.in_scope.values():
            yield from texts


def folded(text: str) -> str:
    """Lower case, without accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).lower()
