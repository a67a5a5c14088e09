"""`kb lint`: everything that is wrong with a directory of cards, in one list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import yaml

from carerails.config import YamlLoader, line_of
from carerails.contracts import LOCALES, Locale, Turn
from carerails.errors import UsageError
from carerails.knowledge import readability
from carerails.knowledge.cards import Card, Knowledge, card_files, load_card
from carerails.knowledge.medicines import load_medicines
from carerails.knowledge.retrieval import CardRetriever
from carerails.knowledge.words import words
from carerails.resources import data_dir
from carerails.text import as_read, prepare

if TYPE_CHECKING:
    from carerails.policy import Policy

Severity = Literal["error", "warning"]


class Kind(NamedTuple):
    """One row of the table: how bad, what is wrong and how to mend it, with `{}` where the case at hand is named."""

    severity: Severity
    what: str
    mend: str


KINDS: Final[dict[str, Kind]] = {
    "unreadable": Kind("error", "{}", "{}"),
    "duplicate-id": Kind("error", "card {} is already in {}", "rename one of the files"),
    "no-source": Kind("error", "`{}` is only a placeholder", "say where the statements come from, and the licence"),
    "unknown-medicine": Kind("error", "medicine {!r} is not in medicines.yml", "use its canonical name, or add it"),
    # what a card must never say
    "dose-advice": Kind("error", "`{}` says how much to take", "say where the leaflet has it, or who to ask"),
    "change-advice": Kind("error", "`{}` tells to start, stop, skip or switch", "say who to talk to before any change"),
    "diagnosis": Kind("error", "`{}` names what the reader has", "say what leaflets list, and who can tell"),
    "reply-rule": Kind("error", "`{}` is what no reply may say", "say it without"),
    "scope-rule": Kind("warning", "rule `{}` of the rails hits this sentence", "say it without advice"),
    # asks that lead nowhere
    "ask-stopped": Kind("error", "rule `{}` of the rails stops this ask ({})", "ask in words that are in scope"),
    "ask-not-found": Kind(
        "error", "this ask does not find its own card: {}", "reword it, or say what the card is about"
    ),
    "ask-twice": Kind("error", "the same ask is in {}", "keep it where it is answered best"),
    # plain language
    "reading-level": Kind("warning", "{} is {:.1f}, and {} is the limit", "shorter sentences, shorter words"),
    "sentence-length": Kind("warning", "a sentence of {} words", "write 8 to 20"),
    "sentence-count": Kind("warning", "{} sentences", "write 4 to 7"),
    "ask-count": Kind("warning", "{} asks", "write 6 to 30"),
    "no-next-step": Kind("warning", "no sentence says whom to ask or where to look", "name pharmacist or leaflet"),
}
_NEXT_STEP: Final[dict[Locale, re.Pattern[str]]] = {
    "en": re.compile("pharmac|leaflet|doctor|nurse|care team|clinic|prescriber|label|health worker|emergency|helpline"),
    "es-419": re.compile(
        r"farmac|prospecto|medic[oa]s?\b|enfermer|equipo de salud|consultorio|clinica|etiqueta|emergenc"
    ),
    "pt-BR": re.compile(
        r"farmac|bula|medic[oa]s?\b|enfermeir|equipe|consultorio|clinica|rotulo|posto|unidade de saude|socorro"
    ),
}
_SENTENCE_WORDS: Final = range(8, 21)
_SENTENCES: Final = range(4, 8)
_ASKS: Final = range(6, 31)
_PLACEHOLDER: Final = re.compile(r"\W*(?:todo|tbd|fixme|unknown|none|n/?a|x+|\?+|-+)\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a card. Lines count from 1."""

    file: str
    line: int
    code: str
    severity: Severity
    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.severity}: {self.what} [{self.code}] ({self.mend})"


def lint(directory: Path | None = None, *, rails: Path | None = None, config: Path | None = None) -> list[Finding]:
    """All findings, by file and line; no error among them: the cards may be shipped.

    Args:
        directory: the cards; None: those that are shipped.
        rails: the policy that an ask must pass; None: the one that is shipped.
        config: directory of the word lists; None: the shipped one.

    Raises:
        UsageError: there is nothing to load, or rails or word lists cannot be read.
    """
    report = _Report()
    cards: dict[str, Card] = {}
    for path in card_files(directory):
        try:
            card = load_card(path)
        except UsageError as error:
            line = error.where.rpartition(":")[2]
            report.add("unreadable", path, int(line) if line.isdigit() else 1, [error.what], [error.mend])
            continue
        if card.id in cards:
            report.add("duplicate-id", path, 1, [card.id, cards[card.id].path])
        cards.setdefault(card.id, card)
    if cards:
        knowledge = Knowledge(cards=tuple(cards[name] for name in sorted(cards)))
        _lint(knowledge, report, rails or data_dir("rails"), config)
    return report.sorted()


def _lint(knowledge: Knowledge, report: _Report, rails: Path, config: Path | None) -> None:
    # A policy takes seconds to compile: nothing else of this package needs it.
    from carerails.policy import Policy

    policy, replies = Policy.load(rails), Policy.load(data_dir("rails") / "output")
    retriever = CardRetriever(knowledge, semantic=False, config=config)
    listed = load_medicines(config).names
    asked: dict[tuple[Locale, tuple[str, ...]], str] = {}
    for card in knowledge.cards:
        file = _File(card.path, report)
        _head(card, file, listed)
        for locale in LOCALES:
            _text(card, locale, file, policy, replies)
            _asks(card, locale, file, retriever, policy)
            for number, ask in enumerate(card.texts[locale].asks):
                place = f"{card.path.name}, asks {number + 1}"
                first = asked.setdefault((locale, words(ask)), place)
                if first != place:
                    file.add("ask-twice", [first], at=("texts", locale, "asks", number))


def _head(card: Card, file: _File, listed: frozenset[str]) -> None:
    for key in ("source", "licence"):
        if _PLACEHOLDER.fullmatch(getattr(card, key)):
            file.add("no-source", [getattr(card, key)], at=(key,))
    if not card.is_general:
        for number, name in enumerate(card.medicines):
            if name not in listed:
                file.add("unknown-medicine", [name], at=("medicines", number))


def said_in(replies: Policy, sentence: str) -> Iterator[tuple[str, str]]:
    """What a sentence says that no reply may: the rails' categories, each once, with the first words that say it."""
    found: dict[str, str] = {}
    for hit in replies.check(prepare(Turn.of(sentence)).text):
        found.setdefault(replies.rules[hit.rule].meta.category, hit.terms[0])
    yield from found.items()


def _text(card: Card, locale: Locale, file: _File, policy: Policy, replies: Policy) -> None:
    text = card.texts[locale]
    at = ("texts", locale, "sentences")
    for number, sentence in enumerate(text.sentences):
        for code, found in said_in(replies, sentence):
            file.add(code if code in KINDS else "reply-rule", [found], at=(*at, number))
        for rule in _scope_hits(policy, sentence):
            file.add("scope-rule", [rule], at=(*at, number))
        if (count := len(readability.word_list(sentence))) not in _SENTENCE_WORDS:
            file.add("sentence-length", [count], at=(*at, number))
    limit = readability.LIMITS[locale]
    score = readability.score([_without_names(line, card) for line in text.sentences], locale)
    if not limit.allows(score):
        file.add("reading-level", [limit.formula, score, limit.value], at=at)
    if len(text.sentences) not in _SENTENCES:
        file.add("sentence-count", [len(text.sentences)], at=at)
    if len(text.asks) not in _ASKS:
        file.add("ask-count", [len(text.asks)], at=("texts", locale, "asks"))
    if not any(_NEXT_STEP[locale].search(as_read(sentence)) for sentence in text.sentences):
        file.add("no-next-step", at=at)


def _asks(card: Card, locale: Locale, file: _File, retriever: CardRetriever, policy: Policy) -> None:
    for number, ask in enumerate(card.texts[locale].asks):
        at = ("texts", locale, "asks", number)
        for hit in policy.check(prepare(Turn.of(ask)).text):
            file.add("ask-stopped", [hit.rule, policy.rules[hit.rule].meta.outcome], at=at)
        found = retriever.retrieve_now(ask, locale)
        shown = [passage.card for passage in found.passages]
        if card.id not in shown:
            file.add("ask-not-found", [found.no_context or f"it finds {', '.join(shown)}"], at=at)


def _scope_hits(policy: Policy, sentence: str) -> Iterator[str]:
    """Scope rules that hit a sentence: it reads like what a patient may not be answered. Red flags a card may name."""
    for hit in policy.check(prepare(Turn.of(sentence)).text):
        if policy.rules[hit.rule].meta.kind == "scope":
            yield hit.rule


def _without_names(sentence: str, card: Card) -> str:
    """The sentence without the names of the card's medicines, which are long whatever the author does."""
    stems = {name[:6] for medicine in card.medicines for name in medicine.split() if len(name) >= 6}
    kept = [word for word in sentence.split() if not word.lower().lstrip("(¿¡").startswith(tuple(stems))]
    return " ".join(kept) or sentence


class _Report:
    """Collects findings, so that one run shows all of them."""

    def __init__(self) -> None:
        self._found: list[Finding] = []

    def add(self, code: str, path: Path, line: int, what: Iterable[object] = (), mend: Iterable[object] = ()) -> None:
        kind = KINDS[code]
        self._found.append(
            Finding(str(path), line, code, kind.severity, kind.what.format(*what), kind.mend.format(*mend))
        )

    def sorted(self) -> list[Finding]:
        return sorted(dict.fromkeys(self._found), key=lambda f: (f.file, f.line, f.code, f.what))


class _File:
    """Adds findings of one card, at the line where a key stands."""

    def __init__(self, path: Path, report: _Report) -> None:
        self._path, self._report = path, report

    @cached_property
    def _node(self) -> Any:
        return yaml.compose(self._path.read_text(encoding="utf-8"), Loader=YamlLoader)

    def add(self, code: str, what: Iterable[object] = (), *, at: tuple[str | int, ...]) -> None:
        """Add one case of a kind."""
        self._report.add(code, self._path, line_of(self._node, at), what)
