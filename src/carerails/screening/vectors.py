"""What texts mean, as vectors of the extra `semantic`: one encoder, the latest vectors kept, safe for any thread."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any, Final

from carerails.semantic.encoder import Encoder, shared_encoder
from carerails.text import as_read

#: Vectors that are kept: cards are the same on every turn.
_KEPT: Final = 4_096
#: Characters of a text that are read.
_LONGEST: Final = 600


class Vectors:
    """Looks texts up as screening reads them: without disguises, in lower case, the beginning of long ones.

    Args:
        encoder: None: that of the extra, which is loaded when the first text comes.
    """

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder, self._lock = encoder, Lock()
        self._kept: OrderedDict[str, Any] = OrderedDict()

    def of(self, texts: Iterable[str]) -> Mapping[str, Any]:
        """The vector of each text, of length 1; new ones are read in one go."""
        asked = {text: plain(text) for text in texts}
        with self._lock:
            new = [read for read in dict.fromkeys(asked.values()) if read not in self._kept]
            if new:
                self._encoder = self._encoder or shared_encoder()
                self._kept.update(zip(new, self._encoder.encode(new), strict=True))
            found = {text: self._kept[read] for text, read in asked.items()}
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found


def plain(text: str) -> str:
    """A text as it is read; never empty."""
    return as_read(text[:_LONGEST]) or " "
