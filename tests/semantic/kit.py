"""An encoder that costs nothing, examples to learn from, and judges that do what a test says."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from carerails.colang import Example
from carerails.contracts import JUDGED, Opinion, Turn
from carerails.semantic import LocalJudge
from carerails.semantic.learning import AROUND, HEADS

#: What the small examples of each head are about; what is of no head is about the garden.
WORDS = {"suicide": "farewell", "oblique": "luggage", "physical": "collapse", "garden": "tomato"}
CATEGORIES = {
    "suicide": "suicidal-ideation",
    "oblique": "suicidal-ideation",
    "physical": "stroke",
    "garden": "in-scope",
}


class WordEncoder:
    """A vector a word, added up: texts are alike where they share words. Counts what it reads."""

    def __init__(self) -> None:
        self.read = 0

    def encode(self, texts: list[str]) -> object:
        self.read += len(texts)
        rows = np.array([sum((_vector(word) for word in text.split()), np.zeros(512)) for text in texts])
        return (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)).astype(np.float32)


def _vector(word: str) -> Any:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
    return np.random.default_rng(seed).standard_normal(512)


def examples() -> tuple[Example, ...]:
    """Twenty-five of each head that has its own, and of the garden, each with its head's word in it."""
    kinds = [head for head in (*HEADS, "garden") if head != "decision"]
    return tuple(
        Example(
            f"{WORDS.get(head, head)} number{number} {head}{number}",
            "en",
            CATEGORIES.get(head, head),
            f"{AROUND if head == 'oblique' else 'examples/'}{WORDS.get(head, head)}.co",
            number + 2,
        )
        for head in kinds
        for number in range(25)
    )


class Scripted:
    """A `SemanticJudge` that answers what `answer` gives, or raises it."""

    name, fingerprint = "local", "scripted"
    opinions: frozenset[str] = LocalJudge.opinions

    def __init__(self, answer: Callable[[str], object], *, synchronous: bool = True) -> None:
        self.answer, self.synchronous = answer, synchronous
        self.asked: list[str] = []

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    async def judge(self, turn: Turn, text: str) -> Sequence[Opinion]:
        self.asked.append(text)
        said = self.answer(text)
        if said is HANGS:
            await asyncio.sleep(3600)
        if isinstance(said, BaseException):
            raise said
        return said  # type: ignore[return-value]


HANGS = object()


def holds(text: str, **scores: float) -> list[Opinion]:
    """One opinion a name, 0.0 where none is given; the whole text is the term."""
    assert scores.keys() <= JUDGED.keys()
    return [Opinion(name=name, score=scores.get(name, 0.0), terms=(text,)) for name in sorted(Scripted.opinions)]
