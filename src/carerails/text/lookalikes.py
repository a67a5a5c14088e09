"""Letters of other alphabets that people read as Latin ones, and when to read them so.

A deny-list of frequent pairs, not Unicode's whole table of confusables. Words decide. A word that holds a Latin letter
is Latin (`ѕuісіdе`, `paiη`), and so is one made of nothing but twins (`кіӏӏ`). Any other (`жизнь`, `καλημέρα`) is of
another language and becomes one `_` a letter. Some short words of Russian and Greek are all twins and turn into
nonsense (`как` -> `kak`); those that carry a sentence's meaning do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from carerails.text.edits import Edit, Piece, only_if, splice

#: Drawn like the Latin letter, or nearly: a reader cannot tell.
_TWINS = """
а a  в b  е e  к k  м m  н h  о o  р p  с c  т t  у y  х x
ѕ s  і i  ј j  ԛ q  ԝ w  ԁ d  һ h  ӏ l  Ӏ l  ѵ v  ү y  ԍ g
α a  ι i  κ k  ν v  ο o  ρ p  τ t  υ u  χ x  ε e  ϲ c  ϳ j
Α a  Β b  Ε e  Ζ z  Η h  Ι i  Κ k  Μ m  Ν n  Ο o  Ρ p  Τ t  Υ y  Χ x
օ o  ո n  ս u  հ h  ց g  զ q  յ j  Օ o  Տ s  Լ l
Ꭺ a  Ꭼ e  Ꮋ h  Ꮃ w  Ꮇ m  Ꭲ t  Ꮪ s  Ꮶ k  Ꮮ l  Ꮯ c  Ꭰ d  Ꮢ r  Ꭵ i  Ꮩ v  Ꮓ z
"""
#: Taken for the Latin letter where the rest of the word is Latin.
_LIKENESSES = """
г r  п n  и u  ь b  я r  з 3  ш w  ҁ c  ԟ k  ҽ e  ө o  β b  γ y  ζ z  η n  μ u  σ o  ς c  ω w  ϱ p  λ l  δ d  ա w  ք p
"""


def _pairs(rows: str) -> dict[str, str]:
    words = rows.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def _table(pairs: dict[str, str]) -> dict[int, str]:
    capitals = {letter.upper(): latin for letter, latin in pairs.items()}
    return {ord(letter): latin for letter, latin in (capitals | pairs).items()}


TWINS: dict[int, str] = _table(_pairs(_TWINS))
LOOKALIKES: dict[int, str] = _table(_pairs(_LIKENESSES)) | TWINS

_WORD = re.compile(r"[^\W_]+")
_LATIN = re.compile(r"[A-Za-z]")


def _pieces(text: str) -> Iterator[Piece]:
    for word in _WORD.finditer(text):
        if word[0].isascii():
            continue
        latin = _LATIN.search(word[0]) or all(char.isascii() or ord(char) in TWINS for char in word[0])
        table = LOOKALIKES if latin else {}
        yield *word.span(), "".join(char if char.isascii() else table.get(ord(char), "_") for char in word[0])


#: Expects a text whose only characters beyond ASCII are letters of other alphabets.
READ_AS_LATIN: Edit = only_if(r"[^\x00-\x7f]", splice(_pieces))
