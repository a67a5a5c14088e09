"""What tests of replies share: the compiled rails of replies, loaded once, and a guard on any engine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import cache

from carerails.contracts import LOCALES, Exchange, Inspection, Locale, Passage, Reply, RuleHit, Turn
from carerails.drafting import cited
from carerails.knowledge.cards import Knowledge, load_cards
from carerails.output.guard import ReplyGuard, open_guard
from carerails.policy import Policy
from carerails.resources import data_dir
from carerails.text import prepare


@cache
def rails() -> Policy:
    """The compiled rails."""
    return Policy.load(data_dir("rails") / "output")


@cache
def cards() -> Knowledge:
    return load_cards()


@cache
def guard() -> ReplyGuard:
    """On the native engine."""
    return open_guard()


def hits(text: str) -> tuple[RuleHit, ...]:
    return rails().check(prepare(Turn.of(text)).text)


def reasons(text: str) -> tuple[str, ...]:
    """Categories of the rules that hit a text, each once."""
    return tuple(dict.fromkeys(rails().rules[hit.rule].meta.category for hit in hits(text)))


def sentences() -> Iterator[tuple[Locale, str]]:
    """Every sentence of every card."""
    for card in cards().cards:
        for locale in LOCALES:
            for sentence in card.passage(locale).sentences:
                yield locale, sentence


def passage(card: str = "storage-insulin", locale: Locale = "en") -> Passage:
    return cards()[card].passage(locale)


def answer(text: str) -> Reply:
    return Reply(kind="answer", text=text, citations=cited(text))


def inspect(text: str, *passages: Passage, locale: Locale = "en", question: str = "") -> Inspection:
    exchange = Exchange(question=question, locale=locale, passages=passages or (passage(locale=locale),))
    return asyncio.run(guard().inspect(answer(text), exchange))
