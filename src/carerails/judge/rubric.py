"""The rubric of the model judge (config/judge/rubric.yml) and the lock that pins it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, NamedTuple

import yaml
from pydantic import AfterValidator, Field, model_validator

from carerails.config import YamlLoader, line_of, load_yaml
from carerails.contracts import LOCALES, Frozen, Locale
from carerails.errors import UsageError
from carerails.resources import data_dir

RENEW = "run `carerails judge lock` if the change is meant, and commit both files"

Words = Annotated[str, Field(min_length=1)]
Name = Annotated[str, Field(pattern=r"^[a-z]+(?:-[a-z]+)*$")]


def _in_each_locale(examples: Mapping[Locale, str]) -> Mapping[Locale, str]:
    missing = [locale for locale in LOCALES if locale not in examples]
    if missing:
        raise ValueError(f"no example in {', '.join(missing)}")
    return examples


#: One in the words of each locale.
Examples = Annotated[Mapping[Locale, Words], AfterValidator(_in_each_locale)]


class Category(Frozen):
    """A category of the rails' red flags: what makes it which outcome, and what near it is left out."""

    emergency: Words | None = None
    crisis: Words | None = None
    urgent: Words | None = None
    check_in: Annotated[Words | None, Field(alias="check-in")] = None
    leaves_out: Words | None = None
    examples: Examples

    @model_validator(mode="after")
    def _has_an_outcome(self) -> Category:
        if not self.outcomes:
            raise ValueError("says none of emergency, crisis, urgent, check-in")
        return self

    @property
    def outcomes(self) -> Mapping[str, str]:
        """The outcomes that it may have, most severe first, and when."""
        said = {
            "emergency": self.emergency,
            "crisis": self.crisis,
            "urgent": self.urgent,
            "check-in": self.check_in,
        }
        return {outcome: when for outcome, when in said.items() if when}


class Danger(Frozen):
    """Categories that share one score, and what its values mean."""

    scale: Words
    categories: Annotated[Mapping[Name, Category], Field(min_length=1)]


class Reason(Frozen):
    """A reason to refuse: what falls under it, and what near it does not."""

    refuses: Words
    allows: Words
    examples: Examples


class Scope(Frozen):
    """The reasons to refuse, one score each, and what its values mean."""

    scale: Words
    reasons: Annotated[Mapping[Name, Reason], Field(min_length=1)]


class Rubric(Frozen):
    """What the judge is told: what it is for, the dangers by the score they share, and the reasons to refuse."""

    task: Words
    danger: Annotated[Mapping[Name, Danger], Field(min_length=1)]
    scope: Scope

    @cached_property
    def scores(self) -> tuple[str, ...]:
        """The names of all scores that a verdict gives."""
        return (*self.danger, *self.scope.reasons)

    @cached_property
    def danger_of(self) -> Mapping[str, str]:
        """By category, the score that it shares."""
        return {category: name for name, danger in self.danger.items() for category in danger.categories}

    @model_validator(mode="after")
    def _names_are_told_once(self) -> Rubric:
        categories = [category for danger in self.danger.values() for category in danger.categories]
        for kind, names in (("score", self.scores), ("category", categories)):
            twice = {name for name in names if list(names).count(name) > 1}
            if twice:
                raise ValueError(f"{kind} {min(twice)!r} is told twice")
        return self


class Pinned(NamedTuple):
    """A rubric whose lock fits, the hash that the lock holds, and where each category is told."""

    rubric: Rubric
    digest: str
    lines: Mapping[str, int]


def load_rubric(config: Path | None = None) -> Pinned:
    """The rubric of a config directory (None: the one that is shipped), if it is the one that was locked.

    Raises:
        UsageError: it does not load, has no lock, or was changed since; says how to renew the lock.
    """
    path, lock = rubric_paths(config)
    rubric = load_yaml(path, Rubric)
    digest = digest_of(path)
    if not lock.is_file():
        raise UsageError("the rubric has no lock", RENEW, str(lock))
    held = re.fullmatch(r"sha256:([0-9a-f]{64})\s*", lock.read_text(encoding="utf-8", errors="replace"))
    if held is None:
        raise UsageError("is no lock: it holds `sha256:` and 64 hexadecimal digits", RENEW, str(lock))
    if held[1] != digest:
        raise UsageError("the rubric was changed since it was locked", RENEW, str(path))
    node = yaml.compose(path.read_text(encoding="utf-8"), Loader=YamlLoader)
    lines = {
        category: line_of(node, ("danger", danger, "categories", category))
        for category, danger in rubric.danger_of.items()
    }
    return Pinned(rubric, digest, lines)


def lock_rubric(config: Path | None = None) -> tuple[Path, str, bool]:
    """Write the lock of a rubric that loads: where, the hash, and whether it is new.

    Raises:
        UsageError: the rubric does not load, or the lock cannot be written.
    """
    path, lock = rubric_paths(config)
    load_yaml(path, Rubric)
    digest = digest_of(path)
    line = f"sha256:{digest}\n"
    if lock.is_file() and lock.read_text(encoding="utf-8", errors="replace") == line:
        return lock, digest, False
    try:
        lock.write_text(line, encoding="utf-8")
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "check the path", str(lock)) from None
    return lock, digest, True


def rubric_paths(config: Path | None = None) -> tuple[Path, Path]:
    """Where rubric and lock of a config directory are."""
    home = (config or data_dir("config")) / "judge"
    return home / "rubric.yml", home / "rubric.lock"


def digest_of(path: Path) -> str:
    """sha256 of the text, whatever the line ends that a checkout gave it."""
    return hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
