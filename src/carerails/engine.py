"""The one wrapper around every engine: deadlines, failures, the decision table, evidence. A failure is never a pass."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import cast

from carerails import __version__
from carerails.config import Settings, load_settings
from carerails.contracts import Failure, Findings, Locale, Refusal, RuleEngine, RuleHit, Turn, TurnDecision
from carerails.errors import EngineError
from carerails.policy import Policy
from carerails.resolve import resolve
from carerails.text import Prepared, prepare
from carerails.text.prepare import unanswered

#: Decisions that an engine has as a capability, or cannot make.
OUTCOMES = frozenset(("escalate", "refuse", "check-in"))


class FailSafeEngine:
    """A `GuardrailEngine` made of any `RuleEngine`.

    Args:
        engine: the adapter.
        policy: the compiled rails; gives rules their meaning and evidence its place, whichever engine decides.
        settings: profile and numbers.
        floor: asked for its verdict when `engine` fails; None where the engine is the floor itself.
    """

    def __init__(self, engine: RuleEngine, policy: Policy, settings: Settings, floor: RuleEngine | None = None) -> None:
        self._engine, self._policy, self._settings, self._floor = engine, policy, settings, floor
        self._original = "original" in engine.capabilities
        # An engine that never awaits cannot be interrupted, so a deadline would only cost time.
        self._immediate = "synchronous" in engine.capabilities
        parts = (__version__, engine.name, engine.version, policy.digest, settings.digest)
        self._fingerprint = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    @property
    def name(self) -> str:
        """The adapter's name."""
        return self._engine.name

    @property
    def version(self) -> str:
        """The adapter's version."""
        return self._engine.version

    @property
    def fingerprint(self) -> str:
        """Hash of rails, config, engine and package versions."""
        return self._fingerprint

    @property
    def capabilities(self) -> frozenset[str]:
        """What the adapter can express."""
        return self._engine.capabilities

    @property
    def policy(self) -> Policy:
        """The compiled rails."""
        return self._policy

    @property
    def unsupported(self) -> Mapping[str, str]:
        """Rules of the rails that the started engine cannot express, each with the reason."""
        return getattr(self._engine, "unsupported", {})

    @property
    def lacks(self) -> frozenset[str]:
        """What the started engine cannot decide: outcomes, and categories none of whose rules it can express."""
        able = {rule.meta.category for name, rule in self._policy.rules.items() if name not in self.unsupported}
        unable = {self._policy.rules[name].meta.category for name in self.unsupported} - able
        return frozenset(unable | (OUTCOMES - self.capabilities))

    async def check(self, turn: Turn) -> TurnDecision:
        """Decide one turn. Never raises but for cancellation: whatever fails takes the safe outcome."""
        prepared = prepare(turn, max_chars=self._settings.profile.max_chars)
        findings = await self._findings(prepared, self._said(turn) if self._original else prepared.text)
        return resolve(findings, prepared, turn.country, self._policy, self._settings, self._engine.name)

    def check_now(self, turn: Turn) -> TurnDecision:
        """`check` without an event loop, for an engine that is `synchronous`.

        Raises:
            TypeError: it is not.
        """
        if not self._immediate:
            raise TypeError(f"engine {self.name} needs an event loop")
        checking = self.check(turn)
        try:
            checking.send(None)
        except StopIteration as done:
            return cast("TurnDecision", done.value)
        checking.close()
        raise TypeError(f"engine {self.name} says that it is synchronous, and waits")

    async def render(self, slug: str, locale: Locale, country: str | None = None) -> Refusal:
        """The text of a template; where the engine cannot say it, the compiled rails do.

        Raises:
            KeyError: no such template.
        """
        if slug not in self._policy.templates:
            raise KeyError(slug)
        numbers = self._settings.numbers.of(locale, self._settings.country(locale, country))
        try:
            text = await asyncio.wait_for(self._engine.render(slug, locale, numbers), self._settings.profile.deadline_s)
        except Exception:
            text = ""
        if not isinstance(text, str) or not text.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
            text = self._policy.render(slug, locale, numbers)
        return Refusal(slug=slug, locale=locale, text=text)

    async def __aenter__(self) -> FailSafeEngine:
        await self._engine.start()
        if "re" in self._engine.capabilities:
            self._policy.warm(whole=True)
        if self._floor:
            await self._floor.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._engine.close()
        if self._floor:
            await self._floor.close()

    def _said(self, turn: Turn) -> str:
        """What the user wrote since the assistant last spoke."""
        return "\n".join(unanswered(turn))[: self._settings.profile.max_chars]

    async def _findings(self, prepared: Prepared, text: str) -> Findings:
        """What the engine found in the text; its failure, with the floor's hits, when it could not say."""
        if not prepared.text:
            return Findings()
        try:
            return self._sound(await self._evaluate(text))
        except EngineError as error:
            failure = Failure(seam="detection", kind=error.kind, detail=error.detail)
        except (asyncio.TimeoutError, TimeoutError):
            failure = Failure(seam="detection", kind="timeout", detail=f"{self._settings.profile.deadline_s:g} s")
        except Exception as error:
            # The message of a foreign exception may quote the user: its type is all that is kept.
            failure = Failure(seam="detection", kind="exception", detail=type(error).__name__)
        return Findings(hits=await self._floor_hits(prepared.text), failures=(failure,))

    async def _evaluate(self, text: str) -> object:
        if self._immediate:
            return await self._engine.evaluate(text)
        return await asyncio.wait_for(self._engine.evaluate(text), self._settings.profile.deadline_s)

    def _sound(self, findings: object) -> Findings:
        if findings is None:
            raise EngineError("missing", "no findings")
        if not isinstance(findings, Findings):
            raise EngineError("malformed", f"findings are a {type(findings).__name__}")
        if any(hit.rule not in self._policy.rules for hit in findings.hits):
            raise EngineError("malformed", "a hit names a rule that the rails do not have")
        return findings

    async def _floor_hits(self, text: str) -> tuple[RuleHit, ...]:
        if self._floor is None:
            return ()
        try:
            return self._sound(await self._floor.evaluate(text)).hits
        except Exception:
            return ()  # the engine's own failure already escalates; the floor could only have raised it


def open_engine(
    name: str, rails: Path | None = None, settings: Settings | None = None, floor: bool = True
) -> FailSafeEngine:
    """The engine of that name, behind the fail-safe wrapper, not yet started (use it as `async with`).

    Raises:
        UsageError: no such engine, or rails or config that do not load.
    """
    from carerails.engines import load_engine

    adapter = load_engine(name, rails)
    settings = settings or load_settings()
    native = adapter if name == "native" else load_engine("native", rails)
    policy = cast("Policy", getattr(native, "policy"))  # noqa: B009  the native engine has compiled the rails
    return FailSafeEngine(adapter, policy, settings, floor=native if floor and native is not adapter else None)


__all__ = ["FailSafeEngine", "open_engine"]
