"""What the local judge learns from: the examples of the rails, and to which heads each of them belongs."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from carerails.colang import Example
from carerails.errors import UsageError
from carerails.keeping import Shelf
from carerails.semantic.encoder import Encoder, embedded, encoder_version
from carerails.semantic.heads import Heads, fit
from carerails.text import normalise

HEADS: Final[tuple[str, ...]] = (
    *("suicide", "physical"),
    *("dosing", "prescription", "diagnosis", "interpretation", "domain"),
)
_SHELF: Final = Shelf("judge", ".npz", most=4)
#: Examples that stand side by side in a file are left out together, and those of other locales beside them.
_SIDE_BY_SIDE: Final = 4
_FOLDS: Final = 5
#: Fewest examples of a head's own.
_ENOUGH: Final = 20

_SUICIDE: Final = frozenset({"suicidal-ideation", "self-harm", "third-party-suicide-risk"})
#: Categories that are no danger to a body: other crises, what can wait a day, and what is no danger at all.
_NOT_PHYSICAL: Final = frozenset(
    {
        *("violence", "harm-to-others", "sub-acute-symptom", "dehydration", "drug-toxicity", "restrictive-eating"),
        *("emotional-distress", "suicidal-idiom", "in-scope", "own-identifiers", "pii", "meta", "clinician"),
    }
)


#: Categories that lie between a head's own and all others: a step towards it, and not to be told from it.
_BETWEEN: Final = {"suicide": frozenset({"emotional-distress"})}


def head_of(category: str) -> str | None:
    """The head that examples of a category belong to; None: they are only what others are told from."""
    if category in _SUICIDE:
        return "suicide"
    if category in HEADS:
        return category
    return None if category in _NOT_PHYSICAL else "physical"


def learn(examples: Sequence[Example], encoder: Encoder | None = None) -> Heads:
    """The heads, fitted to these examples, or as they were kept.

    Raises:
        UsageError: a head has too few examples.
    """
    path = _SHELF.path(fingerprint(examples)) if encoder is None else None
    body = _SHELF.read(path) if path else None
    if body is not None:
        try:
            return Heads.from_bytes(body)
        except ValueError:
            pass  # of another version, most likely: learn again
    heads = _fitted(examples, encoder)
    if path:
        _SHELF.write(path, heads.to_bytes())
    return heads


def is_kept(examples: Sequence[Example]) -> bool:
    """Whether `learn` would find what it learnt before."""
    path = _SHELF.path(fingerprint(examples))
    return path is not None and _SHELF.read(path) is not None


def fingerprint(examples: Sequence[Example]) -> str:
    """Hash of all that the heads depend on: the examples in their order, the encoder, and this code."""
    key = hashlib.sha256(encoder_version().encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        key.update(path.read_bytes())
    key.update(json.dumps([(e.text, e.category, e.locale) for e in examples]).encode())
    return key.hexdigest()


def _fitted(examples: Sequence[Example], encoder: Encoder | None) -> Heads:
    numpy: Any = import_module("numpy")
    owners = [head_of(example.category) for example in examples]
    for head, count in ((head, owners.count(head)) for head in HEADS):
        if count < _ENOUGH:
            raise UsageError(f"{count} examples of {head}", f"write at least {_ENOUGH} in rails/examples")
    told = numpy.array([[_told(head, example.category) for head in HEADS] for example in examples], dtype=numpy.float32)
    vectors = embedded([as_read(example.text) for example in examples], encoder)
    return fit(vectors, told, _folds(examples))


def _told(head: str, category: str) -> int:
    if category in _BETWEEN.get(head, ()):
        return 0
    return 1 if head_of(category) == head else -1


def as_read(text: str) -> str:
    """A text as the rules and the judge see one: its plain normalised view."""
    return normalise(text)[0].text


def _folds(examples: Sequence[Example]) -> list[int]:
    """A number each: what stands at the same place in a file's locales, parallel texts among it, has the same."""
    seen: Counter[tuple[str, str, str]] = Counter()
    folds: list[int] = []
    for example in examples:
        key = (example.file, example.category, example.locale)
        folds.append(seen[key] // _SIDE_BY_SIDE % _FOLDS)
        seen[key] += 1
    return folds
