"""Letters of other alphabets that people read as Latin ones, and when to read them so.

A deny-list of frequent pairs, not Unicode's whole table of confusables. Words decide: a word that mixes alphabets, or
one in which every foreign letter has a Latin look-alike, is read as Latin (`ѕuісіdе`, `кіӏӏ`). A word with a letter
that nobody takes for Latin (`жизнь`) is a word of another language and becomes one `_` a letter. So some short Russian
and Greek words turn into nonsense (`как` -> `kak`), which no rule knows; whole sentences of theirs never turn English.
"""

from __future__ import annotations

import re

from carerails.text.edits import Edit, Piece, splice

_PAIRS = """
а a  в b  е e  к k  м m  н h  о o  р p  с c  т t  у y  х x  г r  п n  и u  ь b  з 3
ѕ s  і i  ј j  ԛ q  ԝ w  ԁ d  һ h  ӏ l  Ӏ l  ѵ v  ү y  ҁ c  ԍ g  ԟ k  ҽ e  ө o  ӡ 3
α a  β b  γ y  ε e  ζ z  η n  ι i  κ k  μ u  ν v  ο o  ρ p  σ o  ς c  τ t  υ u  χ x  ω w  ϲ c  ϳ j  ϱ p
Α a  Β b  Ε e  Ζ z  Η h  Ι i  Κ k  Μ m  Ν n  Ο o  Ρ p  Τ t  Υ y  Χ x
օ o  ո n  ս u  հ h  ց g  զ q  ա w  յ j  ք p  Օ o  Տ s  Լ l
Ꭺ a  Ꭼ e  Ꮋ h  Ꮃ w  Ꮇ m  Ꭲ t  Ꮪ s  Ꮶ k  Ꮮ l  Ꮯ c  Ꭰ d  Ꮢ r  Ꭵ i  Ꮩ v  Ꮓ z
"""


def _table() -> dict[int, str]:
    words = _PAIRS.split()
    table = dict(zip(words[::2], words[1::2], strict=True))
    for letter, latin in list(table.items()):
        table.setdefault(letter.upper(), latin)
    return {ord(letter): latin for letter, latin in table.items()}


#: Code point of a letter -> the Latin letter that it looks like.
LOOKALIKES: dict[int, str] = _table()

_WORD = re.compile(r"[^\W_]+")
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_LATIN = re.compile(r"[A-Za-z]")


def _pieces(text: str) -> list[Piece]:
    pieces: list[Piece] = []
    for word in _WORD.finditer(text):
        if word[0].isascii():
            continue
        latin = _LATIN.search(word[0]) or all(ord(m[0]) in LOOKALIKES for m in _FOREIGN.finditer(word[0]))
        table = LOOKALIKES if latin else {}
        new = "".join(c if c.isascii() else table.get(ord(c), "_") for c in word[0])
        pieces.append((*word.span(), new))
    return pieces


#: Expects a text whose only characters beyond ASCII are letters of other alphabets.
READ_AS_LATIN: Edit = splice(_pieces)
