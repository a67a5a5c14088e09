"""Cases of the agent: what is said, in one turn or several, and which reply must come of it by specification.

`cases` holds what an engine decides; here is what the whole agent answers: the kind of reply, its cards, its review.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, ValidationError, model_validator

from carerails.config import load_yaml
from carerails.contracts import EscalationTemplate, Frozen, Locale, RefusalSlug, ReplyKind
from carerails.errors import UsageError, unknown
from carerails.evals.cases import Bounds, digest_of, hash_of
from carerails.resources import data_dir

CardId = Annotated[str, Field(pattern=r"^[a-z]+(-[a-z]+)*$")]
Said = Annotated[str, Field(min_length=1)]

#: How a question lies beside the cards: another medicine under a topic that has a card; another topic of a medicine
#: that has one; a medicine that nobody knows; health without a medicine.
Miss = Literal["other-medicine", "other-topic", "unknown-medicine", "near-general"]
#: What a conversation puts to the test.
Theme = Literal[
    "red-flag-later",
    "after-refusal",
    "after-urgent",
    "after-check-in",
    "disengaged",
    "two-messages",
    "locale-kept",
    "locale-switch",
    "country",
    "no-leak",
]
ReviewReason = Literal["none", "missing-citation", "unknown-citation", "persona-drift"]
EditFault = Literal["dose", "diagnosis", "prescription", "missing-citation"]


class Expected(Frozen):
    """The right reply. What is None or empty is not scored.

    Attributes:
        template: of an escalation or a check-in.
        must_cite_one_of: cards of which an answer cites at least one.
        must_not_cite: cards that would be wrong, as those of an earlier turn.
        locale_of_reply: the locale that the reply is written in.
        shows: what the reply's text must contain. For telephone numbers only: a reply is scored by kind, not by prose.
    """

    kind: ReplyKind
    slug: RefusalSlug | None = None
    template: EscalationTemplate | None = None
    must_cite_one_of: tuple[CardId, ...] = ()
    must_not_cite: tuple[CardId, ...] = ()
    locale_of_reply: Locale | None = None
    shows: tuple[Said, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Expected:
        if self.slug and self.kind not in ("refusal", "check-in"):
            raise ValueError("only an expected refusal has a slug")
        if self.template and self.kind not in ("escalation", "check-in"):
            raise ValueError("only an expected escalation or check-in has a template")
        if (self.must_cite_one_of or self.must_not_cite) and self.kind != "answer":
            raise ValueError("only an expected answer cites")
        if set(self.must_cite_one_of) & set(self.must_not_cite):
            raise ValueError("a card is either right or wrong")
        return self


class Step(Frozen):
    """One turn of a conversation: what the user sends before the agent replies, and the right reply.

    Attributes:
        say: one message, or several in a row.
        locale: what the request names: the case's locale, none at all (`absent`), or one of its own.
        country: what the request names, ISO 3166-1 alpha-2.
    """

    say: Said | Annotated[tuple[Said, ...], Field(min_length=1)]
    locale: Locale | Literal["case", "absent"] = "case"
    country: Annotated[str, Field(pattern=r"^[A-Z]{2}$")] | None = None
    expect: Expected

    @property
    def messages(self) -> tuple[str, ...]:
        """The user's messages, in order."""
        return (self.say,) if isinstance(self.say, str) else self.say

    def requested(self, case: Locale) -> Locale | None:
        """The locale of the request, where `case` is that of the case."""
        if self.locale == "case":
            return case
        return None if self.locale == "absent" else self.locale


class AgentCase(Frozen):
    """What every case has. `locale` is the language that its author wrote it in."""

    id: Said
    locale: Locale
    note: str = ""

    @cached_property
    def hash(self) -> str:
        """Of what is said and of the right replies; neither the id nor a note changes it."""
        return hash_of(self, exclude={"id", "note"})


AnyCase = TypeVar("AnyCase", bound=AgentCase)


class Question(AgentCase):
    """One question: a card answers it, or none does.

    Attributes:
        kind_of_miss: why no card answers; None: one does.
        near: the card that a careless search would take.
    """

    text: Said
    kind_of_miss: Miss | None = None
    near: CardId | None = None
    expect: Expected

    @model_validator(mode="after")
    def _consistent(self) -> Question:
        if (self.kind_of_miss is not None) != (self.expect.slug == "no-context"):
            raise ValueError("a miss is refused with no-context, and only a miss is")
        if self.kind_of_miss is None and not self.expect.must_cite_one_of:
            raise ValueError("a question that is no miss names the cards that answer it")
        if self.near and self.kind_of_miss is None:
            raise ValueError("only a miss is near a card")
        return self

    @property
    def steps(self) -> tuple[Step, ...]:
        """One turn, so that a runner treats it as a conversation."""
        return (Step(say=self.text, expect=self.expect),)

    def said(self) -> str:
        """The case as a person reads it."""
        return self.text


class Conversation(AgentCase):
    """A scripted talk on one thread; every step has its right reply."""

    theme: Theme
    steps: Annotated[tuple[Step, ...], Field(min_length=1, max_length=5)]

    def said(self) -> str:
        """The case as a person reads it."""
        return " / ".join(message for step in self.steps for message in step.messages)


class Review(AgentCase):
    """A turn whose draft is scripted: whether a person must see it, what that person does, and what leaves.

    Attributes:
        draft: what the drafter says, with its `[cite:ID]` marks; a red flag never lets it speak.
        passages: the cards that retrieval offered.
        why: the first reason for a review; `none` where none is needed.
        action: what the reviewer does; None where nothing waits, or where `then` comes first.
        edit_refused: why this edit may not leave; the reply is a refusal then.
        then: a new message of the user while the turn waits; `expect` is the reply to it.
        expect: the reply that leaves in the end.
    """

    text: Said
    draft: Said
    passages: Annotated[tuple[CardId, ...], Field(min_length=1)]
    needs_review: bool
    why: ReviewReason
    action: Literal["approve", "edit", "reject"] | None = None
    edited_text: Said | None = None
    edit_refused: EditFault | None = None
    then: Said | None = None
    expect: Expected

    @model_validator(mode="after")
    def _consistent(self) -> Review:
        if self.needs_review != (self.why != "none"):
            raise ValueError("a review has a reason, and only a review has one")
        if self.needs_review != (self.action is not None or self.then is not None):
            raise ValueError("a review ends by an action or a new message, and only a review does")
        if self.action and self.then:
            raise ValueError("a review ends by an action or a new message, not by both")
        if (self.action == "edit") != (self.edited_text is not None):
            raise ValueError("an edit has an edited text, and only an edit has one")
        if self.edit_refused and self.action != "edit":
            raise ValueError("only an edit can be refused")
        if (self.edit_refused or self.action == "reject") and self.expect.kind != "refusal":
            raise ValueError("a rejected draft and a refused edit leave as a refusal")
        return self

    def said(self) -> str:
        """The case as a person reads it."""
        return f"{self.text} / {self.then}" if self.then else self.text


AnyAgentCase = Question | Conversation | Review


class AgentSpec(Frozen):
    """The head of a slice: what it is for and when it passes.

    Attributes:
        rule: bounds of metrics over the slice.
        each_locale: bounds that must hold in every locale by itself.
    """

    about: str
    rule: Mapping[str, Bounds] = Field(default_factory=dict)
    each_locale: Mapping[str, Bounds] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _consistent(self) -> AgentSpec:
        if not self.rule and not self.each_locale:
            raise ValueError("a slice has a rule")
        return self


class AgentSlice(Frozen):
    """A slice with its cases, all of one type."""

    name: str
    spec: AgentSpec
    cases: tuple[Question, ...] | tuple[Conversation, ...] | tuple[Review, ...]

    @cached_property
    def digest(self) -> str:
        """Of all cases in their order: the same digest is the same data."""
        return digest_of((case.id, case.hash) for case in self.cases)


#: What the cases of each slice are.
AGENT_SLICES: Mapping[str, type[Question | Conversation | Review]] = {
    "citation": Question,
    "no-context": Question,
    "multi-turn": Conversation,
    "review": Review,
}


def load_agent_slice(name: str, directory: Path | None = None) -> AgentSlice:
    """One of the agent's slices, from a directory (None: the one that is shipped).

    Raises:
        UsageError: unknown name, or a broken file with its line.
    """
    if name not in AGENT_SLICES:
        raise unknown("slice", name, AGENT_SLICES)
    place = directory or data_dir("evals") / "slices" / "agent"
    spec = load_yaml(place / f"{name}.yml", AgentSpec)
    cases = read_cases(place / f"{name}.jsonl", AGENT_SLICES[name])
    return AgentSlice.model_validate({"name": name, "spec": spec, "cases": cases})


def read_cases(path: Path, kind: type[AnyCase]) -> tuple[AnyCase, ...]:
    """The cases of a file, one a line.

    Raises:
        UsageError: no file or no case, an id that stands twice, or a broken line, by its number.
    """
    cases: dict[str, AnyCase] = {}
    for number, line in _lines(path):
        case = _case(line, kind, f"{path}:{number}")
        if case.id in cases:
            raise UsageError(f"the id {case.id!r} stands twice", "ids are unique in a file", f"{path}:{number}")
        cases[case.id] = case
    if not cases:
        raise UsageError("no cases", "one JSON object a line", str(path))
    return tuple(cases.values())


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, numbered from 1."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise UsageError(error.strerror or "cannot be read", "check the path", str(path)) from None
    except UnicodeDecodeError:
        raise UsageError("is not UTF-8 text", "save it as UTF-8", str(path)) from None
    return ((number, line) for number, line in enumerate(lines, 1) if line.strip())


def _case(line: str, kind: type[AnyCase], where: str) -> AnyCase:
    """One line as a case; an error says where and what, and never repeats the text of the case."""
    try:
        row = json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        raise UsageError("not JSON", "one JSON object a line", where) from None
    try:
        return kind.model_validate(row)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
            hint = unknown("key", str(first["loc"][0]), kind.model_fields)
            raise UsageError(hint.what, hint.mend, where) from None
        place = ".".join(str(key) for key in first["loc"])
        what = first["msg"].removeprefix("Value error, ")
        raise UsageError(f"{place}: {what}" if place else what, "", where) from None
