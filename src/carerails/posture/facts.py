"""The facts that the posture document tells: gathered from rails, config and slices, and kept to compare with."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import ValidationError

from carerails import __version__
from carerails.config import NumberBook, load_settings
from carerails.contracts import LOCALES, PRECEDENCE, Frozen, Locale, Outcome, RuleKind
from carerails.errors import UsageError
from carerails.policy import Policy, Rule
from carerails.posture.sources import Categories, Guard, Named, Spoken, load_categories, load_deferred, load_posture

FORMAT = "carerails-posture/1"
#: What stands in the text of a template where a number goes.
BLANKS = {"emergency": "{emergency}", "crisis": "{crisis}"}
#: Examples of each category and locale that the document shows.
EXAMPLES = 3
#: What a docstring leaves out, up to its end.
_LEFT_OUT = re.compile(r"\b(?:Deferred(?: to [a-z ]+)?|Leaves out): (.+?)\.?$")
#: A mark of the drafter, no words.
_CITATION = re.compile(r" ?\[cite:[^\]]*\]")


class CaseFact(Frozen):
    """A test case as a person reads it; `draft` where it is what the agent would have said."""

    name: str
    locale: Locale
    text: str
    draft: bool


class NeverFact(Frozen):
    """One point, and what holds it."""

    does: Spoken
    rules: tuple[str, ...]
    templates: tuple[str, ...]
    cases: tuple[CaseFact, ...]
    guarded_by: tuple[Guard, ...]


class RuleFact(Frozen):
    """One rule. `digest` is a hash of its patterns, `deferred` what it leaves out."""

    category: str
    kind: RuleKind
    outcome: Outcome
    slug: str | None
    file: str
    line: int
    patterns: int
    digest: str
    deferred: Spoken | None


class CategoryFact(Frozen):
    """One category. `outcomes`: most serious first."""

    kind: RuleKind
    words: Mapping[Locale, Named]
    outcomes: tuple[Outcome, ...]
    examples: Mapping[Locale, tuple[str, ...]]


class Facts(Frozen):
    """Everything. Two equal ones make the same document, byte by byte.

    Attributes:
        version: of the package.
        policy: digest of the rails.
        config: digest of the config directory.
        never: the points, in order.
        categories: in the order in which they are told.
        rules: by flow.
        templates: by slug and locale, with `{emergency}` and `{crisis}` where numbers go.
        limits: every value of the profile, and the agent's, by dotted name.
        numbers: by country.
    """

    format: Literal["carerails-posture/1"] = FORMAT
    version: str
    policy: str
    config: str
    never: tuple[NeverFact, ...]
    categories: Mapping[str, CategoryFact]
    rules: Mapping[str, RuleFact]
    templates: Mapping[str, Mapping[Locale, str]]
    limits: Mapping[str, str]
    numbers: NumberBook

    def to_json(self) -> str:
        """As `from_json` reads it."""
        return self.model_dump_json(indent=1, by_alias=True) + "\n"

    @classmethod
    def from_json(cls, path: Path) -> Facts:
        """Facts of an earlier document.

        Raises:
            UsageError: the file is none.
        """
        try:
            return cls.model_validate_json(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise UsageError(error.strerror or "cannot be read", "check the path", str(path)) from None
        except (ValidationError, UnicodeDecodeError):
            raise UsageError(
                "not the posture.json of a release", "it is what `carerails posture build` writes", str(path)
            ) from None


def gather(rails: Path, config: Path, slices: Path) -> Facts:
    """All facts.

    Args:
        rails: the directory of Colang.
        config: the config directory.
        slices: the directory of slices, whose cases the points name.

    Raises:
        UsageError: something does not load, or the sources are not in step (`posture check` says where).
    """
    policy, settings = Policy.load(rails), load_settings(config)
    words, left_out = load_categories(config), load_deferred(config)
    numbers = settings.numbers
    rules = {name: _rule(policy, rule, left_out.get(name)) for name, rule in policy.rules.items()}
    return Facts(
        version=__version__,
        policy=policy.digest,
        config=_digest_of(config),
        never=tuple(
            NeverFact(
                does=point.spoken,
                rules=point.rules,
                templates=point.templates,
                cases=tuple(read_case(name, slices) for name in point.cases),
                guarded_by=point.guarded_by,
            )
            for point in load_posture(config / "posture.yml").never
        ),
        categories=_categories(policy, words, rules),
        rules=rules,
        templates={
            slug: {locale: policy.render(slug, locale, BLANKS) for locale in LOCALES} for slug in policy.templates
        },
        limits=_limits(config),
        numbers=numbers,
    )


def left_out(rule: Rule) -> str | None:
    """What a rule leaves out on purpose, in the words of its docstring; None: it does not say."""
    found = _LEFT_OUT.search(" ".join(rule.doc.split()))
    return found[1] if found else None


def read_case(name: str, slices: Path) -> CaseFact:
    """The case that `slice/id` names.

    Raises:
        UsageError: no such case.
    """
    from carerails.evals.agent_cases import AGENT_SLICES, load_agent_slice
    from carerails.evals.cases import read_slice

    piece, _, ident = name.partition("/")
    agent, head = piece in AGENT_SLICES, slices / f"{piece}.yml"
    if not agent and not head.is_file():
        raise UsageError(f"no slice {piece!r}", "write slice/id of a case", name)
    cases = load_agent_slice(piece, slices / "agent").cases if agent else read_slice(head).cases
    case = next((case for case in cases if case.id == ident), None)
    if case is None:
        raise UsageError(f"no case {ident!r} in slice {piece!r}", "name one that is there", name)
    draft = getattr(case, "draft", None)
    text = _CITATION.sub("", draft or case.said())
    return CaseFact(name=name, locale=case.locale, text=text, draft=draft is not None)


def _rule(policy: Policy, rule: Rule, words: object) -> RuleFact:
    arms = [pattern.regex for regex in policy.regexes(rule.name) for pattern in regex.arms]
    return RuleFact(
        category=rule.meta.category,
        kind=rule.meta.kind,
        outcome=rule.meta.outcome,
        slug=rule.meta.slug,
        file=rule.file,
        line=rule.line,
        patterns=len(arms),
        digest=_hash("\n".join(arms).encode()),
        deferred=getattr(words, "spoken", None),
    )


def _categories(policy: Policy, words: Categories, rules: Mapping[str, RuleFact]) -> dict[str, CategoryFact]:
    """In the order of the words; what has no words is an error, for the reader could not know what it is."""
    used = {rule.category for rule in rules.values()}
    for missing in sorted(used - words.all.keys()):
        raise UsageError(f"category {missing!r} has no words", "name it in config/categories.yml in all locales")
    return {
        name: CategoryFact(
            kind="red-flag" if name in words.red_flags else "scope",
            words=spoken,
            outcomes=_by_rank(rule.outcome for rule in rules.values() if rule.category == name),
            examples={locale: _examples(policy, name, locale) for locale in LOCALES},
        )
        for name, spoken in words.all.items()
        if name in used
    }


def _by_rank(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    found = set(outcomes)
    return tuple(outcome for outcome in PRECEDENCE if outcome in found)


def _examples(policy: Policy, category: str, locale: Locale) -> tuple[str, ...]:
    return tuple(e.text for e in policy.examples if (e.category, e.locale) == (category, locale))[:EXAMPLES]


def _limits(config: Path) -> dict[str, str]:
    """Every value of the profile, and the agent's as shipped, by dotted name."""
    from carerails.graph.settings import AgentSettings

    agent = AgentSettings()
    return {
        **dict(_flat("", load_settings(config).profile.model_dump(mode="json"))),
        "agent.max_turns": str(agent.max_turns),
        "agent.page_on": " ".join(_by_rank(agent.page_on)),
        "agent.human_review": "yes" if agent.human_review else "no",
        "agent.red_flag_s": f"{agent.red_flag_s:g}",
        "agent.draft_s": f"{agent.draft_s:g}",
    }


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """The leaves of nested settings, each by its dotted name."""
    if isinstance(value, dict) and value:
        for key, inner in cast("dict[str, Any]", value).items():
            yield from _flat(f"{name}.{key}".lstrip("."), inner)
    elif isinstance(value, float):
        yield name, f"{value:g}"
    elif isinstance(value, str) or value is None:
        yield name, value or ""
    else:
        yield name, json.dumps(value, ensure_ascii=False)


def _digest_of(directory: Path) -> str:
    """Of every YAML file in it, with its name."""
    whole = hashlib.sha256()
    for path in sorted(directory.rglob("*.yml")):
        whole.update(f"{path.relative_to(directory).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return whole.hexdigest()


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
