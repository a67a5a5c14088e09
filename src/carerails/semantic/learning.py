"""What the local judge learns from: the examples of the rails, to which heads each of them belongs, and the cards."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from carerails.colang import Example
from carerails.errors import UsageError
from carerails.keeping import Shelf
from carerails.knowledge.cards import load_card
from carerails.parallel import one_thread
from carerails.semantic.encoder import Encoder, embedded, encoder_version
from carerails.semantic.heads import Heads, fit, kept
from carerails.text import as_read

#: Decisions about oneself that may be asked for.
REASONS: Final = ("dosing", "prescription", "diagnosis", "interpretation")
#: What is learnt: wanting to die, said outright and said around it; a body in danger; that a decision is asked for, and
#: which; and what is about neither medicines nor health.
HEADS: Final[tuple[str, ...]] = ("suicide", "oblique", "physical", "decision", *REASONS, "domain")
#: Examples of wanting to die that are said around it.
AROUND: Final = "/oblique/"
_SHELF: Final = Shelf("judge", ".npz", most=4)
#: How much the fit is held back. Chosen with `_folds`: other kinds of examples than those that were left out.
_RIDGE: Final = 0.25
#: Examples more alike than this (a cosine) are of one kind.
_ALIKE: Final = 0.4
_FOLDS: Final = 20
#: Of the ways to ask for a card, one in so many is learnt: with all of them, less of what is to be refused is found.
_EVERY: Final = 5
#: Fewest examples of a head's own.
_ENOUGH: Final = 20

#: Category of what is asked of a card: ordinary, all of it.
_CARD: Final = "card"
_SUICIDE: Final = frozenset({"suicidal-ideation", "self-harm", "third-party-suicide-risk"})
#: Categories that are no danger to a body: other crises, what can wait a day, and what is no danger at all.
_NOT_PHYSICAL: Final = frozenset(
    {
        *("violence", "harm-to-others", "sub-acute-symptom", "dehydration", "drug-toxicity", "restrictive-eating"),
        *("emotional-distress", "suicidal-idiom", "in-scope", "own-identifiers", "pii", "meta", "clinician"),
        _CARD,
    }
)

#: By head and what an example is instead: how far the head is told from it. Everything else counts -1.
_TOLD: Final[dict[tuple[str, str], float]] = {
    ("suicide", "oblique"): 0,
    ("oblique", "suicide"): 0,
    ("suicide", "emotional-distress"): -0.5,  # a step towards it
    **{(head, _CARD): -0.5 for head in ("decision", *REASONS)},  # of the same doses, and only just no decision
}


def head_of(category: str, file: str = "") -> str | None:
    """The head that examples of a category belong to; None: they are only what others are told from."""
    if category in _SUICIDE:
        return "oblique" if AROUND in file else "suicide"
    if category in HEADS:
        return category
    return None if category in _NOT_PHYSICAL else "physical"


def learn(examples: Sequence[Example], cards: Sequence[Path] = (), encoder: Encoder | None = None) -> Heads:
    """The heads, fitted to these examples and to what is asked of the cards, or as they were kept.

    Args:
        examples: theirs are the first rows of the heads, in their order.
        cards: files.
        encoder: None: that of the extra.

    Raises:
        UsageError: a head has too few examples, or a card cannot be read.
    """
    key = fingerprint(examples, cards) if encoder is None else None
    return kept(_SHELF, key, lambda: _fitted([*examples, *_asked(cards)], encoder))


def is_kept(examples: Sequence[Example], cards: Sequence[Path] = ()) -> bool:
    """Whether `learn` would find what it learnt before."""
    path = _SHELF.path(fingerprint(examples, cards))
    return path is not None and _SHELF.read(path) is not None


def fingerprint(examples: Sequence[Example], cards: Sequence[Path] = ()) -> str:
    """Hash of all that the heads depend on: the examples in their order, the cards, the encoder, and this code.

    Raises:
        UsageError: a card cannot be read.
    """
    key = hashlib.sha256(encoder_version().encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        key.update(path.read_bytes())
    key.update(json.dumps([(e.text, e.category, e.locale, head_of(e.category, e.file)) for e in examples]).encode())
    for card in cards:
        try:
            key.update(hashlib.sha256(card.read_bytes()).digest())
        except OSError as error:
            raise UsageError(error.strerror or "cannot be read", "check the path", str(card)) from None
    return key.hexdigest()


def _asked(cards: Sequence[Path]) -> Sequence[Example]:
    """Some of what is asked of the cards, as what is ordinary; chosen by hash, so that one more changes no other."""
    texts = [(str(path), *each) for path in cards for each in load_card(path).texts.items()]
    asked = [Example(ask, locale, _CARD, file, 0) for file, locale, text in texts for ask in text.asks]
    return [one for one in asked if int(hashlib.sha256(one.text.encode()).hexdigest(), 16) % _EVERY == 0]


def _fitted(examples: Sequence[Example], encoder: Encoder | None) -> Heads:
    numpy: Any = import_module("numpy")
    told = numpy.array([[_told(head, example) for head in HEADS] for example in examples], dtype=numpy.float32)
    for head, count in zip(HEADS, (told > 0).sum(axis=0), strict=True):
        if count < _ENOUGH:
            raise UsageError(f"{count} examples of {head}", f"write at least {_ENOUGH} in rails/examples")
    texts = [as_read(example.text) for example in examples]
    vectors = embedded(texts, encoder)
    return fit(vectors, told, _folds(vectors, texts), _RIDGE, texts)


def _told(head: str, example: Example) -> float:
    own = head_of(example.category, example.file)
    if own == head or (head == "decision" and own in REASONS):
        return 1
    return _TOLD.get((head, own or example.category), -1)


def _folds(vectors: Any, texts: Sequence[str]) -> list[int]:
    """A number each, the same for examples of one kind, in whatever locale: those alike to the first one of it.

    So the probabilities, which the points are on, are fitted to kinds of phrase that the heads had not seen. Which is
    first, and the number, go by a hash: where an example stands changes nothing, and one more changes no other kind's.
    """
    numpy: Any = import_module("numpy")
    hashes = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") for text in texts]
    firsts = numpy.empty_like(vectors)
    begun: list[int] = []
    folds = [0] * len(texts)
    with one_thread():
        for number in sorted(range(len(texts)), key=hashes.__getitem__):
            alike = firsts[: len(begun)] @ vectors[number]
            kind = int(alike.argmax()) if begun else 0
            if begun and alike[kind] > _ALIKE:
                folds[number] = begun[kind] % _FOLDS
            else:
                firsts[len(begun)] = vectors[number]
                begun.append(hashes[number])
                folds[number] = hashes[number] % _FOLDS
    return folds
