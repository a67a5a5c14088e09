"""What changed between two collections of facts, in the words of a locale."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from carerails.contracts import Locale
from carerails.posture.facts import Facts, RuleFact
from carerails.posture.sources import load_words

Verb = Literal["added", "removed", "changed"]
Value = TypeVar("Value")
#: The document's own sentence of that name, with its blanks filled.
Say = Callable[..., str]
#: A score of a judge: which judge, on what, for which outcome, in which locale.
_POINT = re.compile(r"judge\.points\.(local|model)\.([a-z-]+)\.([a-z-]+)(?:\.([\w-]+))?")
#: Settings whose values have words.
_VALUES = {"own_identifiers": "identifiers", "agent.human_review": "review", "judge.on_failure": "failure"}


@dataclass(frozen=True, slots=True)
class Change:
    """One change: of what kind, in which thing, from what to what. An empty side is not there."""

    kind: str
    verb: Verb
    what: str
    before: str = ""
    after: str = ""


def changes(before: Facts, after: Facts, locale: Locale, say: Say) -> tuple[Change, ...]:
    """Everything that the document tells differently now, in its order."""

    def compared(kind: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
        for key in dict.fromkeys((*new, *old)):
            if old.get(key) != new.get(key):
                verb: Verb = "added" if key not in old else "removed" if key not in new else "changed"
                yield Change(say(f"kind_{kind}"), verb, key, old.get(key, ""), new.get(key, ""))

    def both(of: Callable[[Facts], dict[str, str]]) -> tuple[dict[str, str], dict[str, str]]:
        return of(before), of(after)

    return (
        *compared("never", *both(lambda facts: _never(facts, locale))),
        *compared("category", *both(lambda facts: _categories(facts, locale, say))),
        *compared("rule", *_rules(before, after, locale, say)),
        *compared("deferred", *both(lambda facts: _deferred(facts, locale))),
        *compared("template", *both(lambda facts: {slug: texts[locale] for slug, texts in facts.templates.items()})),
        *compared("limit", *both(lambda facts: {k: v for part in limits(facts, locale, say) for k, v in part.items()})),
        *compared("number", *both(_numbers)),
    )


def limits(facts: Facts, locale: Locale, say: Say) -> tuple[dict[str, str], dict[str, str]]:
    """Limits and their values as one reads them; and all settings that have no words, by their names."""
    told: dict[str, str] = {}
    others: dict[str, str] = {}
    for key, value in facts.limits.items():
        head, _, last = key.rpartition(".")
        if f"limit_{key}" in load_words():
            told[say(f"limit_{key}")] = _value(key, value, say)
        elif head == "default_country":
            known = facts.numbers.countries.get(value)
            told[say("limit_default_country", locale=say(f"locale_{last}"))] = known.name if known else say("none")
        elif point := _POINT.fullmatch(key):
            judge, subject, outcome, part = point.groups()
            named = facts.categories.get(subject)
            about = named.words[locale].name if named else say(f"subject_{subject}")
            label = say("limit_point", judge=say(f"judge_{judge}"), subject=about, outcome=say(f"sev_{outcome}"))
            told[label + (f" ({say(f'locale_{part}')})" if part else "")] = value
        else:
            others[key] = value
    return told, others


def _value(key: str, value: str, say: Say) -> str:
    if key == "agent.page_on":
        return ", ".join(say(f"sev_{outcome}") for outcome in value.split()) or say("none")
    head = _VALUES.get(key)
    return say(f"{head}_{value}") if head else value


def _never(facts: Facts, locale: Locale) -> dict[str, str]:
    """By its English head, which stays when the rest is reworded."""
    return {point.does[locale].partition(":")[0]: point.does[locale] for point in facts.never}


def _categories(facts: Facts, locale: Locale, say: Say) -> dict[str, str]:
    return {
        fact.words[locale].name: "; ".join(
            (", ".join(say(f"sev_{outcome}") for outcome in fact.outcomes), fact.words[locale].about)
        )
        for fact in facts.categories.values()
    }


def _rules(before: Facts, after: Facts, locale: Locale, say: Say) -> tuple[dict[str, str], dict[str, str]]:
    """What two versions of a rule lead to, by how many patterns, and whether these are the same."""

    def shown(rule: RuleFact) -> str:
        return f"{say(f'sev_{rule.outcome}')}; {say('patterns', count=rule.patterns)}"

    def named(facts: Facts) -> dict[str, RuleFact]:
        return {
            f"{facts.categories[rule.category].words[locale].name} ({name})": rule for name, rule in facts.rules.items()
        }

    old, new = named(before), named(after)
    now = {
        name: shown(rule) + (f", {say('reworded')}" if (was := old.get(name)) and was.digest != rule.digest else "")
        for name, rule in new.items()
    }
    return {name: shown(rule) for name, rule in old.items()}, now


def _deferred(facts: Facts, locale: Locale) -> dict[str, str]:
    return {
        f"{facts.categories[rule.category].words[locale].name} ({name})": rule.deferred[locale]
        for name, rule in facts.rules.items()
        if rule.deferred
    }


def _numbers(facts: Facts) -> dict[str, str]:
    return {
        known.name: "; ".join(filter(None, (known.emergency, known.crisis)))
        for known in facts.numbers.countries.values()
    }
