"""Full-text search over the cards: SQLite FTS5 in memory, built at start, one table a locale."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from threading import Lock
from typing import Final

from carerails.contracts import LOCALES, Locale
from carerails.knowledge.cards import Knowledge

#: How much a hit counts in the title, the asks and the sentences.
_WEIGHTS: Final = (3.0, 4.0, 1.0)
#: Words of a question that are searched for: the rest of a long one adds time and no certainty.
_MOST_WORDS: Final = 16


class FullText:
    """The cards' words, searchable by their beginnings. One connection behind a lock: any thread may search."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._lock = Lock()
        self._ids = tuple(knowledge.ids())
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        for number, locale in enumerate(LOCALES):
            self._connection.execute(
                f"CREATE VIRTUAL TABLE cards_{number} USING fts5(title, asks, sentences, prefix='3 4 5',"
                " tokenize='unicode61 remove_diacritics 2')"
            )
            rows = [
                (row, text.title, "\n".join(text.asks), "\n".join(text.sentences))
                for row, text in enumerate(card.texts[locale] for card in knowledge.cards)
            ]
            self._connection.executemany(
                f"INSERT INTO cards_{number}(rowid, title, asks, sentences) VALUES (?, ?, ?, ?)", rows
            )
        self._statements = {
            locale: f"SELECT rowid FROM cards_{number} WHERE cards_{number} MATCH ?"
            f" ORDER BY bm25(cards_{number}, {', '.join(map(str, _WEIGHTS))}), rowid LIMIT ?"
            for number, locale in enumerate(LOCALES)
        }

    def search(self, beginnings: Iterable[str], locale: Locale, limit: int) -> list[str]:
        """Ids of the cards with any of the words, best first.

        Args:
            beginnings: words or stems of lower-case ASCII letters and digits; anything else is left out, so that
                nothing a user writes is read as query syntax.
            locale: the table.
            limit: the most ids.
        """
        terms = [word for word in dict.fromkeys(beginnings) if word.isascii() and word.isalnum()][:_MOST_WORDS]
        if not terms:
            return []
        query = " OR ".join(f'"{term}"*' for term in terms)
        with self._lock:
            found: Sequence[tuple[int]] = self._connection.execute(self._statements[locale], (query, limit)).fetchall()
        return [self._ids[row] for (row,) in found]

    def close(self) -> None:
        """Release the memory."""
        with self._lock:
            self._connection.close()
