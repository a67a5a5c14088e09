"""The document says everything, in the words of its locale, and the same bytes each time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from carerails.contracts import LOCALES, Locale
from carerails.errors import UsageError
from carerails.policy import Policy
from carerails.posture.check import Places
from carerails.posture.document import View, render
from carerails.posture.facts import Facts
from carerails.posture.sources import load_words


def plain(markdown: str) -> str:
    """Without escapes."""
    return re.sub(r"\\([\\`*_<>\[\]|#~])", r"\1", markdown)


@pytest.mark.parametrize("locale", LOCALES)
def test_it_tells_every_point_category_and_text(facts: Facts, places: Places, locale: Locale):
    text = plain(render(facts, locale, "md"))
    policy = Policy.load(places.rails)
    for point in facts.never:
        assert point.does[locale] in text
    for rule in policy.rules.values():
        assert f"`{rule.name}` (rails/{rule.file}:{rule.line}" in text
        assert facts.categories[rule.meta.category].words[locale].name in text
    for fact in facts.categories.values():
        assert fact.words[locale].about in text
        assert len(fact.examples[locale]) == 3
        assert all(example in text for example in fact.examples[locale])
    country = {"en": "US", "es-419": None, "pt-BR": "BR"}[locale]
    for slug in policy.templates:
        assert policy.render(slug, locale, facts.numbers.of(locale, country)) in text
    for rule in facts.rules.values():
        assert not rule.deferred or rule.deferred[locale] in text
    assert facts.policy in text
    assert facts.config in text


@pytest.mark.parametrize("locale", LOCALES)
def test_both_formats_tell_the_same_words(facts: Facts, locale: Locale):
    from markupsafe import Markup

    page = Markup(render(facts, locale, "html").partition("<main")[2]).striptags()
    words = plain(render(facts, locale, "md"))
    for fact in facts.categories.values():
        assert fact.words[locale].about in page
        assert fact.words[locale].about in words
    for key in (
        *(f"fail_{seam}_then" for seam in ("detection", "scope", "output", "render")),
        "red_lead",
        "scope_lead",
    ):
        assert load_words()[key][locale] in page
        assert load_words()[key][locale] in words


@pytest.mark.parametrize("locale", LOCALES)
def test_no_setting_is_passed_over(facts: Facts, locale: Locale):
    """In words or by its name, every value of the profile is there; a new one needs no words to be told."""
    view = View(facts, locale, None)
    assert len(view.limits) + len(view.other_limits) == len(facts.limits)
    told = facts.model_copy(update={"limits": {**facts.limits, "novel.setting": "17"}})
    assert "| `novel.setting` | 17 |" in render(told, locale, "md")
    assert "novel.setting" in render(told, locale, "html")
    assert any("0.9" in value for name, value in view.limits.items() if view.say("judge_local") in name)


def test_every_sentence_is_native():
    """No two locales share a sentence; a single word may be the same in two."""
    sentences = {key: spoken for key, spoken in load_words().items() if len(spoken["en"].split()) > 2}
    assert len(sentences) > 50
    for key, spoken in sentences.items():
        assert len(set(spoken.values())) == len(LOCALES), key


def test_what_people_write_stays_text(facts: Facts):
    evil = "</style><script>1</script> *bold* [x](y) | _i_ <b>"
    seizure = facts.categories["seizure"]
    spoiled = seizure.model_copy(update={"examples": {**seizure.examples, "en": (evil,)}})
    told = facts.model_copy(update={"categories": {**facts.categories, "seizure": spoiled}})
    page, text = render(told, "en", "html"), render(told, "en", "md")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert evil not in text
    assert evil in plain(text)


def test_a_text_without_words_is_a_clear_error(facts: Facts):
    texts = {**facts.templates, "novel": facts.templates["default"]}
    with pytest.raises(UsageError, match="when_novel"):
        render(facts.model_copy(update={"templates": texts}), "en", "md")


def test_the_same_bytes_whatever_the_hash_seed(tmp_path: Path):
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "carerails", "posture", "build", "--out", tmp_path / seed],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, b""), done.stderr
    names = sorted(path.name for path in (tmp_path / "1").iterdir())
    assert len(names) == 1 + 2 * len(LOCALES)
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes(), name
