"""What people wrote for the posture: the points, the names of categories, what is left out, the document's words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BeforeValidator, Field

from carerails.config import load_yaml
from carerails.contracts import LOCALES, EscalationTemplate, Frozen, Locale, RefusalSlug
from carerails.resources import data_dir

#: Checks of what the agent itself says: human review of unsound drafts and edits, the card linter, the persona check,
#: the always-on gate.
Guard = Literal["review", "kb-lint", "persona", "gate"]
Words = Annotated[str, Field(min_length=1)]


def _in_all(value: Any) -> Any:
    missing = [locale for locale in LOCALES if locale not in value] if isinstance(value, dict) else []
    if missing:
        raise ValueError(f"nothing in {' and '.join(missing)}")
    return cast("object", value)


#: The same in each locale; one that is missing is an error.
Spoken = Annotated[Mapping[Locale, Words], BeforeValidator(_in_all)]


class Never(Frozen):
    """One thing that the agent never does.

    Attributes:
        does: how the sentence "the agent never ..." goes on, as the README and the package docstring say it.
        es: the same for `es-419` ("El agente nunca ...").
        pt: the same for `pt-BR` ("O agente nunca ...").
        rules: flows of the rails that enforce it.
        templates: what the user reads then; `footer` stands under every reply.
        cases: `slice/case`: cases that fail where it is not enforced.
        guarded_by: checks of what the agent itself says.
    """

    does: Words
    es: Words = Field(alias="es-419")
    pt: Words = Field(alias="pt-BR")
    rules: tuple[str, ...] = ()
    templates: Annotated[tuple[EscalationTemplate | RefusalSlug | Literal["footer"], ...], Field(min_length=1)]
    cases: Annotated[tuple[str, ...], Field(min_length=3)]
    guarded_by: Annotated[tuple[Guard, ...], Field(min_length=1)]

    @property
    def spoken(self) -> Spoken:
        """How "the agent never ..." goes on, by locale."""
        return {"en": self.does, "es-419": self.es, "pt-BR": self.pt}


class Posture(Frozen):
    """All of them, in the order in which they are told."""

    never: tuple[Never, ...]


class Named(Frozen):
    """What a category is called, and in one sentence what belongs there."""

    name: Words
    about: Words


Names = Annotated[Mapping[Locale, Named], BeforeValidator(_in_all)]


class Categories(Frozen):
    """The categories of the rails in plain words, in the order in which they are told."""

    red_flags: Mapping[str, Names] = Field(alias="red-flags")
    scope: Mapping[str, Names]

    @property
    def all(self) -> dict[str, Names]:
        """Red flags, then reasons of scope."""
        return {**self.red_flags, **self.scope}


class LeftOut(Frozen):
    """What one rule leaves out on purpose: `rails` as its docstring says it, then in plain words."""

    rails: Words
    en: Words
    es: Words = Field(alias="es-419")
    pt: Words = Field(alias="pt-BR")

    @property
    def spoken(self) -> Spoken:
        """In plain words, by locale."""
        return {"en": self.en, "es-419": self.es, "pt-BR": self.pt}


class Deferred(Frozen):
    """What rules leave out, by the rule's name."""

    deferred: Mapping[str, LeftOut]


def _formats(words: Mapping[str, Spoken]) -> Mapping[str, Spoken]:
    """The blanks of a sentence are the same in each locale."""
    from string import Formatter

    for key, spoken in words.items():
        blanks = {frozenset(field for _, field, _, _ in Formatter().parse(text) if field) for text in spoken.values()}
        if len(blanks) > 1:
            raise ValueError(f"{key} has other blanks in each locale")
    return words


class Wording(Frozen):
    """The document's own sentences, by name and locale."""

    words: Annotated[Mapping[str, Spoken], AfterValidator(_formats)]


def load_posture(path: Path | None = None) -> Posture:
    """The posture of a file (None: `config/posture.yml` as shipped).

    Raises:
        UsageError: with file, line and mend.
    """
    return load_yaml(path or data_dir("config") / "posture.yml", Posture)


def load_categories(config: Path) -> Categories:
    """`categories.yml` of a config directory.

    Raises:
        UsageError: with file, line and mend; a locale that is missing among them.
    """
    return load_yaml(config / "categories.yml", Categories)


def load_deferred(config: Path) -> Mapping[str, LeftOut]:
    """`deferred.yml` of a config directory, by rule.

    Raises:
        UsageError: as `load_categories`.
    """
    return load_yaml(config / "deferred.yml", Deferred).deferred


@cache
def load_words() -> Mapping[str, Spoken]:
    """The document's own sentences, read once."""
    return load_yaml(Path(str(files("carerails.posture").joinpath("words.yml"))), Wording).words
