"""Cases: what is said, and what must come of it by specification. Slices are cases with a pass rule."""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Protocol, cast

from pydantic import Field, ValidationError, model_validator

from carerails.config import load_yaml
from carerails.contracts import LOCALES, Decision, Frozen, Locale, Message, RefusalSlug, Severity, Turn
from carerails.errors import UsageError, unknown
from carerails.records import refuse_near_misses
from carerails.resources import data_dir

#: Words of other data sets for our decisions.
SYNONYMS: Mapping[str, Decision] = {"answer": "allow", "refusal": "refuse", "escalation": "escalate"}
_JUDGED = "semantic"
Bound = Annotated[float, Field(ge=0)]


class Case(Frozen):
    """One thing a user says, and its gold label.

    Attributes:
        expected: the right decision; None: only `not_expected` is known, or nothing (volume, latency).
        severity: the right severity where escalation is expected.
        slug: the right refusal where refusal is expected.
        category: the right red-flag category, for reading; not scored.
        not_expected: decisions that would be wrong even where `expected` is None.
        group: cases of one group say the same in another locale, or under another attack.
    """

    id: str
    text: str = ""
    messages: tuple[Message, ...] = ()
    locale: Locale
    country: str | None = None
    expected: Decision | None = None
    severity: Severity | None = None
    slug: RefusalSlug | None = None
    category: str | None = None
    not_expected: tuple[Decision, ...] = ()
    group: str | None = None
    note: str = ""

    @model_validator(mode="after")
    def _consistent(self) -> Case:
        if bool(self.text) == bool(self.messages):
            raise ValueError("a case has a text or messages, one of them")
        if self.severity and self.expected != "escalate":
            raise ValueError("only an expected escalation has a severity")
        if self.slug and self.expected not in ("refuse", "check-in"):
            raise ValueError("only an expected refusal has a slug")
        return self

    @property
    def must_escalate(self) -> bool:
        """An emergency or a crisis: anything lower is a miss."""
        return self.expected == "escalate" and self.severity != "urgent"

    @property
    def must_not_escalate(self) -> bool:
        """An emergency or crisis decision would be a false alarm."""
        return not self.must_escalate and (self.expected is not None or "escalate" in self.not_expected)

    @cached_property
    def hash(self) -> str:
        """Of what is said, to whom, and of the gold label; neither the id nor a note changes it."""
        return hash_of(self, exclude={"id", "note", "group"})

    def gold(self) -> str:
        """The right decision as a person reads it; empty where there is none."""
        label = " ".join(word for word in (self.expected, self.severity, self.slug) if word)
        return label or " ".join(f"not-{decision}" for decision in self.not_expected)

    def turn(self) -> Turn:
        """The case as an engine gets it."""
        messages = self.messages or (Message(role="user", content=self.text),)
        return Turn(messages=messages, locale=self.locale, country=self.country)

    def said(self) -> str:
        """The case as a person reads it."""
        return self.text or " / ".join(str(message.content) for message in self.messages if message.role == "user")


class Bounds(Frozen):
    """A metric must stay within these."""

    min: Bound | None = None
    max: Bound | None = None

    def hold(self, value: float | None) -> bool:
        """Whether the value lies within; one that could not be computed does not."""
        if value is None:
            return False
        exact = round(value, 9)  # 1 - 147/150 is 0.02, whatever floating point makes of it
        return (self.min is None or exact >= self.min) and (self.max is None or exact <= self.max)

    def __str__(self) -> str:
        limits = ((">=", self.min), ("<=", self.max))
        return " and ".join(f"{sign} {limit:g}" for sign, limit in limits if limit is not None)


class Derivation(Frozen):
    """A slice that is made from another one by attacks on its must-escalate cases."""

    source: str
    per_locale: Annotated[int, Field(ge=1)]


class SliceSpec(Frozen):
    """The head of a slice, `NAME.yml`: what it is for and when it passes."""

    about: str
    rule: Mapping[str, Bounds]
    derive: Derivation | None = None


class Cases(Protocol):
    """Cases that can be gone through again and again, and counted."""

    def __iter__(self) -> Iterator[Case]: ...
    def __len__(self) -> int: ...


@dataclass(frozen=True)
class Slice:
    """A slice with its cases. Ours have a pass rule; the user's own data have none.

    Attributes:
        skipped: rows of locales that we do not serve.
        known_digest: the digest, where whoever read the cases has worked it out.
    """

    name: str
    spec: SliceSpec
    cases: Cases
    skipped: int = 0
    known_digest: str = ""

    @cached_property
    def digest(self) -> str:
        """Of all cases in their order: the same digest is the same data."""
        return self.known_digest or digest_of((case.id, case.hash) for case in self.cases)


def hash_of(case: Frozen, exclude: set[str]) -> str:
    """Of all that is said and expected."""
    content = case.model_dump_json(exclude=exclude, exclude_defaults=True)
    return hashlib.blake2b(content.encode(), digest_size=8).hexdigest()


def digest_of(cases: Iterable[tuple[str, str]]) -> str:
    """Of ids and hashes of contents, in order."""
    total = hashlib.blake2b(digest_size=16)
    for ident, content in cases:
        total.update(f"{ident}\n{content}\n".encode())
    return total.hexdigest()


@dataclass(frozen=True)
class CaseFile:
    """A user's own file, read anew at each pass, so that it may be larger than memory."""

    path: Path
    count: int

    def __iter__(self) -> Iterator[Case]:
        return (case for _, case in _served(self.path) if case)

    def __len__(self) -> int:
        return self.count


def slice_names() -> list[str]:
    """Names of our slices, in alphabetical order."""
    return sorted(path.stem for path in (data_dir("evals") / "slices").glob("*.yml"))


def judged_slice_names() -> list[str]:
    """Names of those that are decided with a judge behind the rules, in alphabetical order."""
    return sorted(path.stem for path in (data_dir("evals") / "slices" / _JUDGED).glob("*.yml"))


def load_slice(name: str) -> Slice:
    """One of our slices.

    Raises:
        UsageError: unknown name, or a broken file with its line.
    """
    home = data_dir("evals") / "slices"
    if name in judged_slice_names():
        return read_slice(home / _JUDGED / f"{name}.yml")
    if name not in slice_names():
        raise unknown("slice", name, [*slice_names(), *judged_slice_names()])
    return read_slice(home / f"{name}.yml")


def read_slice(head: Path) -> Slice:
    """A slice of any folder: its head `NAME.yml`, and its cases beside it.

    Raises:
        UsageError: a broken file with its line, or a source that is not there.
    """
    spec = load_yaml(head, SliceSpec)
    if not spec.derive:
        return Slice(name=head.stem, spec=spec, cases=_strict(head.with_suffix(".jsonl")))
    source = head.with_name(f"{spec.derive.source}.yml")
    if not source.is_file():
        hint = unknown("slice", spec.derive.source, (path.stem for path in head.parent.glob("*.yml")))
        raise UsageError(hint.what, hint.mend, str(head))
    if load_yaml(source, SliceSpec).derive:
        raise UsageError(f"{source.stem} is derived itself", "derive it from a slice that has cases", str(head))
    return Slice(name=head.stem, spec=spec, cases=tuple(_derive(read_slice(source), spec.derive)))


def load_data(path: Path) -> Slice:
    """A user's own file; rows of locales that we do not serve are skipped and counted.

    Raises:
        UsageError: file, line, what is wrong and how to mend it.
    """
    rows: Counter[bool] = Counter()
    digest = digest_of(_sound(path, rows))
    if not rows[True]:
        raise UsageError(
            "no row of en, es-419 or pt-BR" if rows else "no rows", 'write {"id", "text", "locale"} lines', str(path)
        )
    spec = SliceSpec(about=f"your own data, {path.name}", rule={})
    return Slice(path.stem, spec, CaseFile(path, rows[True]), skipped=rows[False], known_digest=digest)


def _sound(path: Path, rows: Counter[bool]) -> Iterator[tuple[str, str]]:
    """Ids and hashes of all cases; counts the rows that are served, and those that are not."""
    seen: set[int] = set()
    for number, case in _served(path):
        rows[case is not None] += 1
        if case:
            _once(case, seen, f"{path}:{number}")
            yield case.id, case.hash


def _served(path: Path) -> Iterator[tuple[int, Case | None]]:
    """The numbered rows of a file in the fields of a data set; None for one of a locale that we do not serve."""
    for number, row in _rows(path):
        try:
            refuse_near_misses(row, Case.model_fields)
        except UsageError as error:
            raise UsageError(error.what, error.mend, f"{path}:{number}") from None
        if row.get("locale") not in LOCALES:
            yield number, None
            continue
        known = {key: row[key] for key in Case.model_fields if row.get(key) is not None}
        known["id"] = str(row.get("id", number))
        for key in ("expected", "not_expected"):
            value = known.get(key)
            if isinstance(value, str):
                known[key] = SYNONYMS.get(value, value)
            elif isinstance(value, list):
                known[key] = [SYNONYMS.get(str(word), word) for word in cast("list[Any]", value)]
        yield number, _case(known, path, number)


def _strict(path: Path) -> tuple[Case, ...]:
    cases: list[Case] = []
    seen: set[int] = set()
    for number, row in _rows(path):
        cases.append(_case(row, path, number))
        _once(cases[-1], seen, f"{path}:{number}")
    return tuple(cases)


def _rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    row: Any = json.loads(line)
                except (json.JSONDecodeError, RecursionError):
                    raise UsageError("not JSON", "one JSON object a line", f"{path}:{number}") from None
                if not isinstance(row, dict):
                    raise UsageError("not a JSON object", "one JSON object a line", f"{path}:{number}")
                if "\\ud" in line.lower() and _has_half_characters(cast("object", row)):
                    raise UsageError("holds half a character", "save it as UTF-8 text", f"{path}:{number}")
                yield number, cast("dict[str, Any]", row)
    except OSError as error:
        raise UsageError(error.strerror or "cannot be read", "check the path", str(path)) from None
    except UnicodeDecodeError:
        raise UsageError("is not UTF-8 text", "save it as UTF-8", str(path)) from None


def _has_half_characters(row: object) -> bool:
    """Lone surrogates: JSON can escape them, and no text can hold them."""
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _case(row: Mapping[str, Any], path: Path, number: int) -> Case:
    try:
        return Case.model_validate(row)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(key) for key in first["loc"])
        where = f"{path}:{number}"
        if first["type"] == "extra_forbidden":
            hint = unknown("key", place, Case.model_fields)
            raise UsageError(hint.what, hint.mend, where) from None
        raise UsageError(f"{place}: {first['msg']}" if place else first["msg"], "", where) from None


def _once(case: Case, seen: set[int], where: str) -> None:
    """Ids are remembered by their hash: 100,000 of them take 8 MB."""
    key = hash(case.id)
    if key in seen:
        raise UsageError(f"the id {case.id!r} stands twice", "ids are unique in a file", where)
    seen.add(key)


def _derive(source: Slice, how: Derivation) -> Iterator[Case]:
    """Attacked copies of a fixed choice of must-escalate cases; `group` names the attack.

    They are chosen by the hashes of their ids, so that a case more displaces one at the most.
    """
    from carerails.evals.attacks import ATTACKS

    chosen: list[Case] = []
    for locale in LOCALES:
        cases = [case for case in source.cases if case.must_escalate and case.locale == locale and case.text]
        chosen += sorted(cases, key=lambda case: hashlib.sha256(case.id.encode()).digest())[: how.per_locale]
    for attack, apply in {"none": _as_is, **ATTACKS}.items():
        for case in chosen:
            text = apply(case.text, random.Random(f"{attack}/{case.id}"))
            yield case.model_copy(update={"id": f"{case.id}/{attack}", "text": text, "group": attack})


def _as_is(text: str, _: random.Random) -> str:
    return text
