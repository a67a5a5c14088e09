"""The adapter: findings straight from the compiled policy."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from carerails import __version__
from carerails.contracts import Findings, Locale
from carerails.policy import Policy
from carerails.resources import data_dir


class NativeEngine:
    """`RuleEngine` on the compiled policy. It never awaits, and a pure flow always ends: no deadline is needed.

    Args:
        rails: directory of .co files, or an exported policy.json; None: the rails that are shipped.
    """

    name = "native"
    version = __version__
    capabilities = frozenset({"escalate", "refuse", "check-in", "evidence", "render", "synchronous"})

    def __init__(self, rails: Path | None = None) -> None:
        self._rails = rails

    @cached_property
    def policy(self) -> Policy:
        """The compiled rails.

        Raises:
            UsageError: there is nothing to load, or it does not compile.
        """
        return Policy.load(self._rails or data_dir("rails"))

    async def start(self) -> None:
        """Load the rails. Regexes are compiled when a text first needs them; a service also calls `policy.warm()`."""
        self.policy.ready()

    async def close(self) -> None:
        """Nothing is held."""

    async def evaluate(self, text: str) -> Findings:
        """Run all checks, in the order that the rails declare."""
        return Findings(hits=self.policy.check(text))

    async def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> str:
        """The text of a template. Raises KeyError for an unknown slug."""
        return self.policy.render(slug, locale, numbers)
