"""What engines of patterns share: the rules that are one regex each, and hits from the patterns that matched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

from carerails.contracts import Findings, Locale, RuleHit
from carerails.errors import EngineError
from carerails.policy import Policy
from carerails.resources import data_dir

CHECK_IN = "it blocks, and has no question back"


class PatternEngine:
    """Base of an engine that knows patterns only: a text matches one or does not.

    Attributes:
        no_pattern: the rules that no single pattern expresses, and check-ins; each with the reason.
    """

    #: A hit blocks; that it escalates or refuses follows from the rule, which the pattern's name tells.
    capabilities = frozenset({"escalate", "refuse", "evidence"})

    def __init__(self, rails: Path | None = None) -> None:
        self._rails = rails
        self._started = False

    @cached_property
    def policy(self) -> Policy:
        """The compiled rails."""
        return Policy.load(self._rails or data_dir("rails"))

    @cached_property
    def regexes(self) -> Mapping[str, str]:
        """The regex of each rule that is one, by rule."""
        plain = ((name, self.policy.plain(name).regex) for name in self.policy.rules if name not in self.no_pattern)
        return {name: regex for name, regex in plain if regex}

    @cached_property
    def no_pattern(self) -> Mapping[str, str]:
        """The others, with the reason."""
        found: dict[str, str] = {}
        for name, rule in self.policy.rules.items():
            regex, why = self.policy.plain(name)
            if rule.meta.outcome == "check-in" or regex is None:
                found[name] = CHECK_IN if rule.meta.outcome == "check-in" else why
        return found

    @property
    def unsupported(self) -> Mapping[str, str]:
        """What the engine does not express, where it does nothing but match patterns."""
        return self.no_pattern

    @cached_property
    def _compiled(self) -> Mapping[str, re.Pattern[str]]:
        return {name: re.compile(regex) for name, regex in self.regexes.items()}

    async def close(self) -> None:
        """Nothing more can be asked."""
        self._started = False

    async def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> str:
        """Templates are the rails'."""
        raise EngineError("missing", "the rails render")

    def findings(self, matched: Iterable[str], text: str) -> Findings:
        """Hits of the rules whose patterns the engine says matched, in the order of the rails.

        Raises:
            EngineError: it names a rule that it was not given, or one that the text does not match: it is not sound.
        """
        names = set(matched)
        if not names <= self.regexes.keys():
            raise EngineError("malformed", "a pattern matched that is none of ours")
        hits = [RuleHit(rule=n, terms=tuple(self._compiled[n].findall(text))) for n in self.regexes if n in names]
        if any(not hit.terms for hit in hits):
            raise EngineError("malformed", "a pattern matched that does not match")
        return Findings(hits=tuple(hits))
