"""Takes personal data out of a text, before it is stored or sent to a model.

Presidio runs our finders (no language model, no network) and settles who keeps what two of them claim. All finders run
whatever the locale: people mix languages, and a number stays a number.
"""

from __future__ import annotations

import logging
import re
import threading
import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING

from carerails.contracts import Locale, Redacted
from carerails.privacy.cues import CUES
from carerails.privacy.finders import Finder, plain
from carerails.privacy.phones import PHONES
from carerails.privacy.shapes import SHAPES

if TYPE_CHECKING:
    from presidio_analyzer import EntityRecognizer

FINDERS: tuple[Finder, ...] = (*SHAPES, *PHONES, *CUES)
#: Stands for a whole text that could not be redacted.
MASKED = "REDACTED"

_KINDS = "|".join(sorted({finder.kind for finder in FINDERS} | {MASKED}))
_PLACEHOLDER = re.compile(rf"<({_KINDS})>")
#: Invisible characters between letters or digits: they hide a number from every pattern, and nobody misses them.
_HIDING = re.compile(r"(?<=[\w.@+-])[\u00ad\u200b-\u200d\u2060\ufeff]+(?=[\w.@+-])")
#: Characters of a text beyond which it is masked whole: a text made to be slow takes about a second at this length.
MAX_CHARS = 20_000
_ROUNDS = 4

_log = logging.getLogger(__name__)


class PresidioRedactor:
    """The `Redactor`. Loads presidio on first use (about 2 s), or on `start`; safe to share between threads."""

    def __init__(self, finders: tuple[Finder, ...] = FINDERS) -> None:
        self._finders = finders
        self._lock = threading.Lock()
        self._run: Callable[[str], str] | None = None

    def start(self) -> None:
        """Load what a redaction needs, so that the first message does not wait for it."""
        with self._lock:
            if self._run is None:
                self._run = _pipeline(self._finders)

    def redact(self, text: str, locale: Locale) -> Redacted:
        """The text with each item of personal data replaced by its kind, as `<PHONE>`.

        Redacting twice gives the same as redacting once. Never raises and never gives an unredacted text back: where
        anything goes wrong the whole text becomes `<REDACTED>`.
        """
        try:
            clean = self._settle(text)
        except Exception as error:
            _log.error("redaction failed (%s): the text is masked whole", type(error).__name__)
            clean = f"<{MASKED}>"
        return Redacted(text=clean, kinds=tuple(_PLACEHOLDER.findall(clean)))

    def _settle(self, text: str) -> str:
        """Redact until nothing is found: what is taken out can bring a cue and a name together."""
        if len(text) > MAX_CHARS:
            raise ValueError("too long")
        if self._run is None:
            self.start()
        run = self._run
        assert run is not None
        text = unicodedata.normalize("NFC", _HIDING.sub("", text))
        for _ in range(_ROUNDS):
            clean = run(text)
            if clean == text:
                return clean
            text = clean
        raise RuntimeError("does not settle")


def _pipeline(finders: tuple[Finder, ...]) -> Callable[[str], str]:
    """Presidio with our finders and nothing else."""
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import NoOpNlpEngine
    from presidio_anonymizer import AnonymizerEngine
    from presidio_anonymizer.entities import ConflictResolutionStrategy, RecognizerResult

    language = "en"  # presidio wants one; our finders read them all
    analyzer = AnalyzerEngine(
        registry=RecognizerRegistry(recognizers=_recognisers(finders, language), supported_languages=[language]),
        nlp_engine=NoOpNlpEngine(models=[{"lang_code": language, "model_name": "none"}]),
        supported_languages=[language],
    )
    anonymizer, strategy = AnonymizerEngine(), ConflictResolutionStrategy.REMOVE_INTERSECTIONS
    # Both log what they found where, at DEBUG.
    logging.getLogger("presidio-analyzer").setLevel(logging.WARNING)
    logging.getLogger("presidio-anonymizer").setLevel(logging.WARNING)

    def run(text: str) -> str:
        found = analyzer.analyze(plain(text), language)
        if not found:
            return text
        results = [RecognizerResult(one.entity_type, one.start, one.end, one.score) for one in found]
        return anonymizer.anonymize(text, results, conflict_resolution=strategy).text

    return run


def _recognisers(finders: tuple[Finder, ...], language: str) -> list[EntityRecognizer]:
    from presidio_analyzer import EntityRecognizer, RecognizerResult
    from presidio_analyzer.nlp_engine import NlpArtifacts

    class FinderRecognizer(EntityRecognizer):
        """One finder as presidio sees it. Unlike presidio's own it skips nothing in silence: an error is an error."""

        def __init__(self, finder: Finder, name: str) -> None:
            self._finder = finder
            super().__init__([finder.kind], name=name, supported_language=language)

        def load(self) -> None: ...

        def analyze(self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts) -> list[RecognizerResult]:
            kind, score = self._finder.kind, self._finder.score
            return [RecognizerResult(kind, start, end, score) for start, end in self._finder.find(text)]

    return [FinderRecognizer(finder, f"{finder.kind}-{n}") for n, finder in enumerate(finders)]
