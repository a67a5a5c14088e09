"""Turns nobody would think of: pieces of cases, attacks, odd scripts, emoji, controls, stirred deterministically."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from carerails.contracts import LOCALES, Message, Role, Turn
from carerails.evals.attacks import ATTACKS

#: Ranges of code points that text in the wild is full of, and some that no text should hold.
RANGES: Sequence[tuple[int, int]] = (
    (0x20, 0x7E),
    (0x00, 0x1F),
    (0x7F, 0xFF),
    (0x100, 0x24F),
    (0x300, 0x36F),
    (0x370, 0x3FF),
    (0x400, 0x4FF),
    (0x590, 0x6FF),
    (0x900, 0x97F),
    (0xE00, 0xE7F),
    (0x1100, 0x11FF),
    (0x2000, 0x206F),
    (0x2070, 0x2BFF),
    (0x3000, 0x30FF),
    (0x4E00, 0x4FFF),
    (0xD800, 0xDFFF),
    (0xE000, 0xE0FF),
    (0xFE00, 0xFEFF),
    (0xFF00, 0xFFEF),
    (0x1D400, 0x1D7FF),
    (0x1F300, 0x1FAFF),
    (0xE0000, 0xE007F),
)
JOINTS = ("", " ", " ", " ", "\n", ". ", ", ", "\u200b", "\u00a0", "!!! ", " y ", " and ", " e ", "\r\n\r\n", "\t")


def fuzz_turns(texts: Sequence[str], count: int, seed: int = 7) -> Iterator[Turn]:
    """`count` turns stirred from `texts`; the same seed gives the same turns."""
    rng = random.Random(seed)
    for _ in range(count):
        messages = tuple(
            Message(role=_role(rng), content=_text(texts, rng)) for _ in range(rng.choice((1, 1, 1, 1, 2, 3)))
        )
        yield Turn(messages=(*messages, Message(role="user", content=_text(texts, rng))), locale=rng.choice(LOCALES))


def _role(rng: random.Random) -> Role:
    return "assistant" if rng.random() < 0.2 else "user"


def _text(texts: Sequence[str], rng: random.Random) -> str:
    pieces: list[str] = []
    for _ in range(rng.randint(1, 4)):
        piece = _noise(rng) if rng.random() < 0.25 else _fragment(rng.choice(texts), rng)
        if rng.random() < 0.25:
            piece = rng.choice(list(ATTACKS.values()))(piece, rng)
        pieces += [piece, rng.choice(JOINTS)]
    return "".join(pieces)


def _fragment(text: str, rng: random.Random) -> str:
    words = text.split(" ")
    start = rng.randrange(len(words))
    return " ".join(words[start : start + rng.randint(1, 30)]) if rng.random() < 0.6 else text


def _noise(rng: random.Random) -> str:
    first, last = rng.choice(RANGES)
    return "".join(chr(rng.randint(first, last)) for _ in range(rng.randint(1, 12)))
