"""The posture document: one locale of the facts, as Markdown, or as an HTML page that prints and asks for nothing."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

from carerails.contracts import TEMPLATE_OF, Locale, Outcome
from carerails.errors import UsageError
from carerails.posture.changes import Change, changes, limits
from carerails.posture.facts import CategoryFact, Facts, RuleFact
from carerails.posture.sources import Named, load_words

Format = Literal["md", "html"]
#: Red flags are told in groups of these, most serious first.
GROUPS: tuple[Outcome, ...] = ("emergency", "crisis", "urgent", "check-in")
SECTIONS = ("never", "red", "scope", "texts", "limits", "fail", "numbers", "changes", "versions")
SEAMS = ("detection", "scope", "output", "render")
#: What Markdown would read as its own.
_MARKDOWN = re.compile(r"([\\`*_<>\[\]|#~])")


@dataclass(frozen=True, slots=True)
class Release:
    """What the document compares with, and what the reader gave to name it."""

    name: str
    facts: Facts


@dataclass(frozen=True, slots=True)
class Entry:
    """A category as it is told."""

    name: str
    words: Named
    fact: CategoryFact
    examples: tuple[str, ...]
    rules: dict[str, RuleFact]
    texts: tuple[str, ...]

    @property
    def left_out(self) -> Iterable[RuleFact]:
        """Its rules that leave something out."""
        return [rule for rule in self.rules.values() if rule.deferred]


class View:
    """One locale of the facts, for a template."""

    def __init__(self, facts: Facts, locale: Locale, since: Release | None) -> None:
        self.facts = facts
        self.locale: Locale = locale
        self.since = since

    def say(self, key: str, **blanks: object) -> str:
        """A sentence of the document's own.

        Raises:
            UsageError: the rails or the config have something that it has no words for.
        """
        spoken = load_words().get(key)
        if spoken is None:
            raise UsageError(f"the posture document has no words for {key!r}", "add them to posture/words.yml")
        return spoken[self.locale].format(**blanks)

    def quote(self, text: str) -> str:
        """In the marks of the locale."""
        return self.say("quote", text=text)

    def text(self, slug: str) -> str:
        """What the person reads, with the numbers of the locale's default country."""
        country = self.facts.limits[f"default_country.{self.locale}"]
        return self.facts.templates[slug][self.locale].format(**self.facts.numbers.of(self.locale, country))

    @property
    def numbers_note(self) -> str:
        """Whose numbers `text` shows."""
        known = self.facts.numbers.countries.get(self.facts.limits[f"default_country.{self.locale}"])
        return self.say("numbers_of", country=known.name) if known else self.say("numbers_none")

    def group(self, outcome: Outcome) -> Iterator[Entry]:
        """The categories whose most serious outcome this is."""
        return (entry for entry in self._entries() if entry.fact.outcomes[0] == outcome)

    def paged(self, outcome: Outcome) -> str:
        """Whether a human hears of it."""
        return self.say("paged_yes" if outcome in self.facts.limits["agent.page_on"].split() else "paged_no")

    @property
    def other_texts(self) -> list[str]:
        """Slugs of texts that no rule leads to."""
        led = {*TEMPLATE_OF.values(), *(rule.slug for rule in self.facts.rules.values())}
        return [slug for slug in self.facts.templates if slug not in led]

    @property
    def limits(self) -> dict[str, str]:
        """Limits that have words, and their values."""
        return limits(self.facts, self.locale, self.say)[0]

    @property
    def other_limits(self) -> dict[str, str]:
        """All other settings, by name."""
        return {name: value or "–" for name, value in limits(self.facts, self.locale, self.say)[1].items()}

    @property
    def failures(self) -> list[tuple[str, str]]:
        """What may fail, and what happens then."""
        judge = (self.say("fail_judge"), self.say(f"failure_{self.facts.limits['judge.on_failure']}"))
        rows = [(self.say(f"fail_{seam}"), self.say(f"fail_{seam}_then")) for seam in SEAMS]
        return [*rows[:2], judge, *rows[2:]]

    @property
    def changes(self) -> tuple[Change, ...]:
        """Since the release that was named."""
        return changes(self.since.facts, self.facts, self.locale, self.say) if self.since else ()

    @property
    def other_logic(self) -> bool:
        """The rules decide otherwise, and no change tells it."""
        kind = self.say("kind_rule")
        return bool(
            self.since
            and self.since.facts.policy != self.facts.policy
            and not any(change.kind == kind for change in self.changes)
        )

    def _entries(self) -> Iterator[Entry]:
        for name, fact in self.facts.categories.items():
            rules = {key: rule for key, rule in self.facts.rules.items() if rule.category == name}
            slugs = dict.fromkeys(rule.slug for rule in rules.values() if rule.slug)
            yield Entry(name, fact.words[self.locale], fact, fact.examples[self.locale], rules, tuple(slugs))


def render(facts: Facts, locale: Locale, format: Format, since: Release | None = None) -> str:
    """The document of one locale.

    Args:
        facts: what it tells.
        locale: whose words it uses.
        format: `md` or `html`.
        since: the release that its change list begins at.
    """
    from jinja2 import Environment, StrictUndefined

    view = View(facts, locale, since)
    environment = Environment(
        autoescape=format == "html", undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["md"] = lambda text: _MARKDOWN.sub(r"\\\1", str(text))
    text = environment.from_string(_read(f"document.{format}.j2")).render(
        view=view,
        facts=facts,
        say=view.say,
        groups=GROUPS,
        sections=SECTIONS,
        template_of=TEMPLATE_OF,
        **_style(format),
    )
    return text.rstrip("\n") + "\n"


def _style(format: Format) -> dict[str, Any]:
    """The page's style, and the policy that allows it and nothing else: no request, no script, no form."""
    if format != "html":
        return {}
    from markupsafe import Markup

    style = _read("style.css")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    return {"style": Markup(style), "policy": policy}


def _read(name: str) -> str:
    return files("carerails.posture").joinpath(name).read_text(encoding="utf-8")
