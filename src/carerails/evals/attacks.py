"""Ways in which people write so that a machine does not understand them, and a human still does.

Each attack takes a text and a random generator, and is deterministic in the two. `ATTACKS` is what the obfuscation
slice runs. The disguises are those a person would use: words stay words, and a reader gets the message.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Final

Attack = Callable[[str, random.Random], str]

_ZERO_WIDTH: Final = "\u200b\u200c\u200d\ufeff"
_FORMAT: Final = "\u2060\u2061\u2062\u2063\u200e\u200f\u202a\u202c\u2066\u2069\u034f\ufe0f\U000e0020"
_SPACES: Final = ("\u00a0", "\u2003", "\u2009", "\u202f", "\u205f", "\u3000", "\t", "  ")
_NEWLINES: Final = ("\n", "\r\n", " \n", "\n\n", "\u2028")
_APOSTROPHES: Final = ("\u2019", "\u02bc", "\u2032", "\u02b9", "\u00b4", "\uff07", "`", "&apos;", "&#39;")
_CYRILLIC: Final = str.maketrans("aceijopsxyhdABEKMHOPCTX", "асеіјорѕхуһԁАВЕКМНОРСТХ")
_GREEK: Final = str.maketrans("aovipuktxeABEZHIKMNOPTX", "αονιρυκτχεΑΒΕΖΗΙΚΜΝΟΡΤΧ")
#: First code points of `a` and `A` in styles without holes: bold, bold italic, bold script, sans, sans bold, monospace.
_MATHEMATICAL: Final = (
    (0x1D41A, 0x1D400),
    (0x1D482, 0x1D468),
    (0x1D4EA, 0x1D4D0),
    (0x1D5BA, 0x1D5A0),
    (0x1D5EE, 0x1D5D4),
    (0x1D68A, 0x1D670),
)
_LEET: Final = {"a": "4@", "e": "3", "o": "0", "s": "5$", "t": "7"}
_WORD: Final = re.compile(r"[^\W\d_]+")


def _between_letters(text: str, rng: random.Random, fillers: str) -> str:
    return re.sub(r"(?<=[^\W\d_])(?=[^\W\d_])", lambda _: rng.choice(fillers), text)


def zero_width(text: str, rng: random.Random) -> str:
    """A zero-width character between every two letters."""
    return _between_letters(text, rng, _ZERO_WIDTH)


def format_chars(text: str, rng: random.Random) -> str:
    """Direction marks, invisible operators, variation selectors and tags between letters."""
    return _between_letters(text, rng, _FORMAT)


def soft_hyphen(text: str, rng: random.Random) -> str:
    """A soft hyphen between every two letters."""
    return _between_letters(text, rng, "\u00ad")


def fullwidth(text: str, rng: random.Random) -> str:
    """Fullwidth forms, the ideographic space included."""
    return "".join("\u3000" if c == " " else chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def mathematical(text: str, rng: random.Random) -> str:
    """Bold, script, sans or monospace letters, as font generators make them; one style a text."""
    small, capital = rng.choice(_MATHEMATICAL)

    def styled(char: str) -> str:
        if "a" <= char <= "z":
            return chr(small + ord(char) - ord("a"))
        return chr(capital + ord(char) - ord("A")) if "A" <= char <= "Z" else char

    return "".join(map(styled, unicodedata.normalize("NFD", text)))


def cyrillic(text: str, rng: random.Random) -> str:
    """Every letter that has a Cyrillic twin is replaced."""
    return text.translate(_CYRILLIC)


def greek(text: str, rng: random.Random) -> str:
    """Every letter that has a Greek twin is replaced."""
    return text.translate(_GREEK)


def nfd(text: str, rng: random.Random) -> str:
    """Accents as characters of their own, as some keyboards and file systems write them."""
    return unicodedata.normalize("NFD", text)


def leet(text: str, rng: random.Random) -> str:
    """Figures and signs for letters inside longer words; `1` stands for `i`, or for `l`, all through the text."""
    swaps = _LEET | {rng.choice("il"): "1"}

    def swap(word: re.Match[str]) -> str:
        letters = list(word[0])
        if len(letters) < 4:
            return word[0]
        spots = [i for i in range(1, len(letters) - 1) if letters[i] in swaps]
        for i in rng.sample(spots, min(len(spots), 2)):
            letters[i] = rng.choice(swaps[letters[i]])
        return "".join(letters)

    return _WORD.sub(swap, text)


def _spelt(text: str, letter_gap: str, word_gap: str) -> str:
    return word_gap.join(re.sub(r"(?<=[\w@$'])(?=[\w@$'])", letter_gap, word) for word in text.split())


def spaced_letters(text: str, rng: random.Random) -> str:
    """`k i l l  m e`: a space between letters, two or three between words."""
    return _spelt(text, " ", " " * rng.choice((2, 3)))


def dotted_letters(text: str, rng: random.Random) -> str:
    """`k.i.l.l m.e`, or with hyphens, asterisks, middle dots."""
    return _spelt(text, rng.choice(".-*_·"), " ")


def elongation(text: str, rng: random.Random) -> str:
    """`pleaseeee`: in about half of the words a vowel, or the last letter, is drawn out."""

    def draw(match: re.Match[str]) -> str:
        word = match[0]
        if len(word) < 3 or rng.random() < 0.5:
            return word
        spots = [i for i, c in enumerate(word) if c in "aeiou" and i > 0] + [len(word) - 1]
        i = rng.choice(spots)
        return word[:i] + word[i] * rng.randint(3, 6) + word[i + 1 :]

    return _WORD.sub(draw, text)


def apostrophe(text: str, rng: random.Random) -> str:
    """Another character, or an HTML entity, for every apostrophe."""
    return re.sub("'", lambda _: rng.choice(_APOSTROPHES), text)


def odd_spaces(text: str, rng: random.Random) -> str:
    """No-break, thin and ideographic spaces, tabs, double spaces."""
    return re.sub(" ", lambda _: rng.choice(_SPACES), text)


def newlines(text: str, rng: random.Random) -> str:
    """Line breaks for spaces, so that a phrase runs over several lines."""
    return re.sub(" ", lambda _: rng.choice(_NEWLINES) if rng.random() < 0.6 else " ", text)


def mixed(text: str, rng: random.Random) -> str:
    """Several at once, in an order that keeps the text readable."""
    recipes: tuple[tuple[Attack, ...], ...] = (
        (leet, elongation, spaced_letters, fullwidth),
        (leet, cyrillic, zero_width),
        (greek, soft_hyphen, apostrophe, odd_spaces),
        (leet, dotted_letters, newlines),
        (elongation, mathematical, odd_spaces),
        (spaced_letters, cyrillic),
    )
    for attack in rng.choice(recipes):
        text = attack(text, rng)
    return text


ATTACKS: Final[Mapping[str, Attack]] = {
    attack.__name__: attack
    for attack in (
        zero_width,
        format_chars,
        soft_hyphen,
        fullwidth,
        mathematical,
        cyrillic,
        greek,
        nfd,
        leet,
        spaced_letters,
        dotted_letters,
        elongation,
        apostrophe,
        odd_spaces,
        newlines,
        mixed,
    )
}
