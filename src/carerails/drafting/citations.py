"""The required-citation check: every claim cites a card that was there, and the envelope lists what the text cites."""

from __future__ import annotations

from collections.abc import Sequence

from carerails.contracts import LOCALES, Locale, Passage, Reply, Verification
from carerails.drafting.markers import cited, markers
from carerails.drafting.phrases import makes_claim
from carerails.drafting.sentences import sentences


class MarkerCitations:
    """The `CitationChecker` for `[cite:ID]` markers. Deterministic; knows nothing but the reply and the passages.

    Verify the reply before the footer is added: the footer cites nothing.
    """

    def verify(self, reply: Reply, passages: Sequence[Passage]) -> Verification:
        """What is wrong with the citations of a reply.

        `unknown` holds, in this order and each once: ids in the text that no passage has; malformed markers, as
        written; ids that only the envelope or only the text has (the same ids in another order are all listed).
        `uncited` holds the sentences that make a claim (phrases.py says which do) and have no marker beside them; of
        an answer that cites nothing at all, its whole text. Only an answer is looked at: templates make no claims.
        """
        known = {passage.card for passage in passages}
        found = markers(reply.text)
        text_ids, listed = cited(reply.text), tuple(dict.fromkeys(reply.citations))
        unknown = [id for id in text_ids if id not in known]
        unknown += [marker.written for marker in found if marker.id is None]
        unknown += _differences(text_ids, listed)
        if reply.kind != "answer":
            uncited: tuple[str, ...] = ()
        elif not text_ids:
            uncited = (reply.text.strip(),)
        else:
            uncited = _uncited(reply.text, {passage.locale for passage in passages} or set(LOCALES))
        return Verification(unknown=tuple(dict.fromkeys(unknown)), uncited=uncited)


def _differences(in_text: tuple[str, ...], listed: tuple[str, ...]) -> list[str]:
    if in_text == listed:
        return []
    apart = [id for id in (*in_text, *listed) if (id in in_text) != (id in listed)]
    return apart or list(in_text)


def _uncited(text: str, locales: set[Locale]) -> tuple[str, ...]:
    return tuple(
        sentence.text
        for sentence in sentences(text)
        if not sentence.cited and all(makes_claim(sentence.text, locale) for locale in locales)
    )
