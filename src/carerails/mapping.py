"""From what somebody else's rails do to a decision: `carerails.yml` in their directory, or a guess that is told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, cast, get_args

from pydantic import AfterValidator

from carerails.config import load_yaml
from carerails.contracts import RANK, Frozen, Outcome, RefusalSlug, Ruling
from carerails.errors import EngineError, unknown
from carerails.kinds import read_kind

FILE = "carerails.yml"
WORDS = ("allow", "refuse", "check-in", "urgent", "crisis", "emergency", "escalate")
#: What a name is guessed to mean, the first that fits.
GUESSES: dict[str, re.Pattern[str]] = {
    "crisis": re.compile(r"crisis|suicid|self[ _-]?harm|autolesion"),
    "emergency": re.compile(r"emergenc|urgenc|911|ambulanc|escalat|red flag|hand ?off"),
    "refuse": re.compile(
        r"refus|block|cannot|can't|not allowed|reject|deny|off[ _-]?topic|jailbreak|rechaz|recus|negar"
    ),
}


def _known(word: str) -> str:
    first, _, slug = word.partition(" ")
    if first not in WORDS:
        raise ValueError(str(unknown("decision", first, WORDS)))
    if slug and (first != "refuse" or slug not in get_args(RefusalSlug)):
        raise ValueError(
            str(unknown("slug", slug, get_args(RefusalSlug))) if first == "refuse" else "only refuse has a slug"
        )
    return word


Word = Annotated[str, AfterValidator(_known)]


class Decisions(Frozen):
    """What stands in `carerails.yml`.

    Attributes:
        decisions: by the name of an input rail (1.0), of a bot message (`bot inform emergency`), or of an event (2.x).
        messages: by a piece of what the configuration says.
        silence: what it means that a 2.x configuration says nothing: `fail`, or `allow`.
        otherwise: a reply that is not named here: `read` it (docs/kinds.md), or a decision.
    """

    decisions: Mapping[str, Word] = {}
    messages: Mapping[str, Word] = {}
    silence: Literal["fail", "allow"] = "fail"
    otherwise: Word | Literal["read"] = "read"

    def ruling(self, signs: Signs) -> Ruling | None:
        """The decision on a turn; None: it is allowed.

        Raises:
            EngineError: nothing was decided.
        """
        words = [(name, self.decisions[name]) for name in signs.names if name in self.decisions]
        words += [("message", word) for piece, word in self.messages.items() if piece.lower() in signs.said.lower()]
        if words:
            return min(
                (_ruling(*word) for word in words), key=lambda ruling: RANK[ruling.outcome if ruling else "allow"]
            )
        if signs.passed:
            return None
        if not signs.said.strip() and not signs.blocked:
            if self.silence == "allow":
                return None
            raise EngineError("missing", "the configuration says nothing, and decides nothing that is named")
        if self.otherwise != "read":
            return _ruling("otherwise", self.otherwise)
        reading = read_kind(signs.said)
        if reading.severity:
            return Ruling(outcome=reading.severity, category="read")
        return (
            Ruling(outcome="refuse", slug="default", category="read")
            if reading.kind == "refusal" or signs.blocked
            else None
        )


class Signs(NamedTuple):
    """What a configuration did in a turn.

    Attributes:
        names: of what hit, in order.
        passed: it says itself that the text passed its rails (1.0 only).
        blocked: it says itself that it did not (1.0 only).
    """

    names: tuple[str, ...]
    said: str
    passed: bool = False
    blocked: bool = False


def read_mapping(directory: Path) -> Decisions | None:
    """What stands in the directory's `carerails.yml`; None where there is none.

    Raises:
        UsageError: with file, line and mend.
    """
    path = directory / FILE
    return load_yaml(path, Decisions) if path.is_file() else None


def guess(names: Iterable[str]) -> Decisions:
    """A mapping of the names that say what they are for."""
    found = {name: word for name in names for word, words in reversed(GUESSES.items()) if words.search(name.lower())}
    return Decisions(decisions=found)


def check_names(mapping: Decisions, names: Iterable[str], where: str) -> None:
    """Raise a UsageError for a name that the configuration does not have: it would be silently off."""
    known = list(names)
    for name in mapping.decisions:
        if name not in known:
            error = unknown("rail, message or event", name, known)
            error.where = where
            raise error


def _ruling(name: str, word: str) -> Ruling | None:
    first, _, slug = word.partition(" ")
    if first == "allow":
        return None
    category = re.sub(r"[^a-z0-9]+", "-", name.lower().removeprefix("bot ")).strip("-") or "ruling"
    if first == "refuse":
        return Ruling(outcome="refuse", slug=cast("RefusalSlug", slug or "default"), category=category)
    return Ruling(outcome=cast("Outcome", "emergency" if first == "escalate" else first), category=category)
