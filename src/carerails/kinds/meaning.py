"""Reading a reply by what it is like: a sentence encoder and the replies of `replies.yml`. Extra `semantic`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_args

from carerails.config import load_yaml
from carerails.contracts import LOCALES, Frozen, Locale
from carerails.kinds.clauses import Kind
from carerails.semantic.encoder import embedded, shared_encoder
from carerails.semantic.heads import Heads, fit
from carerails.text import as_read

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
#: Log odds from which a reply that does not read like a refusal or an escalation is one all the same: 7 to 1.
SURE: Final = 2.0


class Family(Frozen):
    """Replies that do the same in the same way."""

    family: str
    kind: Kind
    replies: Mapping[Locale, tuple[str, ...]]


class Replies(Frozen):
    """What is learnt from."""

    families: tuple[Family, ...]


@lru_cache(maxsize=1)
def replies() -> tuple[Family, ...]:
    """What stands in `replies.yml`."""
    return load_yaml(Path(__file__).with_name("replies.yml"), Replies).families


def by_meaning(text: str) -> Kind:
    """The kind that a reply's meaning is surely of, or `answer`."""
    odds = learnt().log_odds(shared_encoder().encode([as_read(text)])[0])[0]
    best = int(odds.argmax())
    return KINDS[best] if odds[best] > SURE else "answer"


@lru_cache(maxsize=1)
def learnt() -> Heads:
    """A head a kind, in the order of `KINDS`; families are left out one by one when its odds are fitted."""
    return learn([(family, text) for family in replies() for locale in LOCALES for text in family.replies[locale]])


def learn(told: Sequence[tuple[Family, str]]) -> Heads:
    """As `learnt`, of other replies."""
    numpy: Any = import_module("numpy")
    names = list(dict.fromkeys(family.family for family, _ in told))
    own = [[1 if family.kind == kind else -1 for kind in KINDS] for family, _ in told]
    folds = [names.index(family.family) for family, _ in told]
    return fit(embedded([as_read(text) for _, text in told]), numpy.array(own, dtype=numpy.float32), folds)
