"""What of a reply is its own words: neither footer, nor citation, nor a sentence that it copies from a card."""

from __future__ import annotations

from carerails.contracts import Exchange
from carerails.drafting import markers

#: Parts sentences, so that what stood on both sides of a copied one is not read together.
_GAP = "\n"


def body(text: str, exchange: Exchange) -> str:
    """The text without the footer at its end."""
    foot = exchange.footer
    return text.rstrip().removesuffix(foot).rstrip() if foot and text.rstrip().endswith(foot) else text


def own_words(text: str, exchange: Exchange) -> str:
    """The reply's own words: cards are linted, and may say what a reply may not."""
    text = body(text, exchange)
    for passage in exchange.passages:
        for sentence in passage.sentences:
            text = text.replace(sentence, _GAP)
    return unmarked(text)


def unmarked(text: str) -> str:
    """The text without its citations, well formed or not."""
    for marker in reversed(markers(text)):
        text = text[: marker.start] + text[marker.end :]
    return text.strip()
