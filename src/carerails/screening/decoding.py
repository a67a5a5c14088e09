"""What a text may say in disguise: the readings of its encoded parts, which are screened like the text itself.

An encoding is no offence: batch codes, logos and checksums are encoded too. What matters is what comes out.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple
from urllib.parse import unquote

#: Readings of readings: an instruction may be wrapped twice.
_DEPTH: Final = 2
#: Characters of a text that are looked at, and readings of it.
_LONGEST: Final = 20_000
_MOST: Final = 40
#: A reading is text if it has a blank or is this long, and this share of it is letters and blanks.
_WORDY: Final = 0.8

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_BASE32 = re.compile(r"[A-Z2-7]{24,}={0,6}")
_HEX = re.compile(r"(?:(?:0x|\\x|%)?[0-9a-fA-F]{2}[ ,]?){8,}")
_ESCAPES = re.compile(r"(?:\\u\{?[0-9a-fA-F]{4,6}\}?|\\x[0-9a-fA-F]{2}|\\[0-7]{3}){4,}")
_ESCAPE = re.compile(r"\\u\{?([0-9a-fA-F]{4,6})\}?|\\x([0-9a-fA-F]{2})|\\([0-7]{3})")
_PERCENT = re.compile(r"\S*(?:%[0-9a-fA-F]{2}){4,}\S*")
_BINARY = re.compile(r"(?:[01]{8} ?){6,}")
#: Unicode's tag characters: invisible, and each stands for one of ASCII. Variation selectors carry bytes likewise.
_TAGS = re.compile(r"[\U000e0020-\U000e007e]{4,}")
_SELECTORS = re.compile(r"[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_LETTERS = re.compile(r"[A-Za-z]{3}")


class _Code(NamedTuple):
    """An encoding: what it looks like, and how it is read; None or an error: it is not."""

    looks: re.Pattern[str]
    read: Callable[[str], str | None]


def readings(text: str) -> tuple[str, ...]:
    """What the encoded parts of a text say, outermost first. Never raises on any `str`; bounded in time and number."""
    found: dict[str, None] = {}
    layer = [text[:_LONGEST]]
    for _ in range(_DEPTH):
        layer = [read for outer in layer for read in _decoded(outer) if read not in found]
        found.update(dict.fromkeys(layer))
        if not layer or len(found) >= _MOST:
            break
    turned = [_rotated(text[:_LONGEST]), text[:_LONGEST][::-1]] if _LETTERS.search(text) else []
    return (*list(found)[:_MOST], *turned)


def _decoded(text: str) -> Iterator[str]:
    for code in _CODES:
        for match in code.looks.finditer(text):
            try:
                read = code.read(match[0])
            except (ValueError, binascii.Error, OverflowError):
                continue
            if read and _is_text(read):
                yield read


def _is_text(read: str) -> bool:
    """Whether it is words and not the bytes of a picture."""
    wordy = sum(char.isalpha() or char in " '.,!?-_@:" for char in read)
    return len(read) >= 4 and wordy >= _WORDY * len(read) and ("\ufffd" not in read)


def _padded(word: str, unit: int) -> str:
    word = word.rstrip("=")
    return word + "=" * (-len(word) % unit)


def _base64(word: str) -> str:
    return base64.b64decode(_padded(word.translate({ord("-"): "+", ord("_"): "/"}), 4), validate=True).decode("utf-8")


def _base32(word: str) -> str:
    return base64.b32decode(_padded(word, 8)).decode("utf-8")


def _hex(word: str) -> str:
    return bytes.fromhex(re.sub(r"0x|\\x|[%, ]", "", word)).decode("utf-8")


def _escapes(word: str) -> str:
    return _ESCAPE.sub(lambda one: chr(int(one[1] or one[2], 16) if one[1] or one[2] else int(one[3], 8)), word)


def _binary(word: str) -> str:
    return bytes(int(octet, 2) for octet in re.findall(r"[01]{8}", word)).decode("utf-8")


def _tags(word: str) -> str:
    return "".join(chr(ord(char) - 0xE0000) for char in word)


def _selectors(word: str) -> str:
    octets = (ord(char) - 0xFE00 if ord(char) < 0xFE10 else ord(char) - 0xE0100 + 16 for char in word)
    return bytes(octet for octet in octets if octet < 256).decode("utf-8")


def _rotated(text: str) -> str:
    return codecs.encode(text, "rot13")


_CODES: Final = (
    _Code(_TAGS, _tags),
    _Code(_SELECTORS, _selectors),
    _Code(_ESCAPES, _escapes),
    _Code(_PERCENT, unquote),
    _Code(_HEX, _hex),
    _Code(_BINARY, _binary),
    _Code(_BASE64, _base64),
    _Code(_BASE32, _base32),
)
