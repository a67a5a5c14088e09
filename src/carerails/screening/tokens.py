"""What a text takes of a context, estimated: tokenizers differ by model, and most fetch their tables from a network."""

from __future__ import annotations

import re
from typing import Final

_PIECE = re.compile(r"[^\W\d_]+|\d|[^\s\w]|_")
#: Letters of a word that make one token, in the languages that are served. Rare words take more, common ones fewer.
_LETTERS: Final = 5


def estimate(text: str) -> int:
    """Tokens, rather too many than too few: a word is one for every five letters, any digit or sign is one."""
    return sum(-(-len(piece) // _LETTERS) for piece in _PIECE.findall(text))
