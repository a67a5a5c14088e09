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
from carerails.contracts import (
    Ask,
    Failure,
    Findings,
    JudgedEngine,
    Locale,
    Refusal,
    RuleEngine,
    RuleHit,
    SemanticJudge,
    Turn,
    TurnDecision,
)
from carerails.errors import EngineError, UsageError
from carerails.judging import Asking, Judging
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
        judge: gives second opinions, where the rails ask for one; None: no flow is told that it may ask.

    Raises:
        UsageError: a judge without operating points in the profile, or rails that never ask one.
    """

    def __init__(
        self,
        engine: RuleEngine,
        policy: Policy,
        settings: Settings,
        floor: RuleEngine | None = None,
        judge: SemanticJudge | None = None,
    ) -> None:
        self._engine, self._policy, self._settings, self._floor = engine, policy, settings, floor
        self._original = "original" in engine.capabilities
        self._deadline_s: float = max(settings.profile.deadline_s, getattr(engine, "deadline_s", 0.0))
        self._judging = Judging(judge, settings.profile.judge) if judge else None
        if judge and not policy.wants_opinions:
            raise UsageError(
                "the rails never ask for a second opinion", "write a `flow check meaning`, or --semantic off"
            )
        # An engine that never awaits cannot be interrupted, so a deadline would only cost time.
        self._immediate = "synchronous" in engine.capabilities and (judge is None or judge.synchronous)
        parts = (__version__, engine.name, engine.version, policy.digest, settings.digest)
        parts += (judge.fingerprint,) if judge else ()
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
        """What the adapter can express; `synchronous` only where its judge never awaits either."""
        return self._engine.capabilities - (frozenset() if self._immediate else {"synchronous"})

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
        """What the started engine cannot decide: outcomes; categories and slugs none of whose rules it expresses."""
        able: set[str | None] = set()
        unable: set[str | None] = set(OUTCOMES - self.capabilities)
        for name, rule in self._policy.rules.items():
            (unable if name in self.unsupported else able).update((rule.meta.category, rule.meta.slug))
        return frozenset(word for word in unable - able if word)

    async def learn(self) -> None:
        """Let a judge get ready, and learn and keep what it must, before several processes open it."""
        if self._judging:
            await self._judging.judge.start()

    async def check(self, turn: Turn) -> TurnDecision:
        """Decide one turn. Never raises but for cancellation: whatever fails takes the safe outcome."""
        prepared = prepare(turn, max_chars=self._settings.profile.max_chars)
        asking = self._judging.asking(turn, prepared.text, prepared.locale) if self._judging else None
        findings = await self._findings(prepared, self._said(turn) if self._original else prepared.text, asking)
        about = asking.about if asking else None
        return resolve(findings, prepared, turn.country, self._policy, self._settings, self._engine.name, about)

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
        if self._judging:
            await self._judging.judge.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._engine.close()
        if self._floor:
            await self._floor.close()
        if self._judging:
            await self._judging.judge.close()

    def _said(self, turn: Turn) -> str:
        """What the user wrote since the assistant last spoke, without control characters, which NeMo cannot read."""
        said = "\n".join(unanswered(turn))[: self._settings.profile.max_chars]
        return "".join(char for char in said if char >= " " or char in "\n\t")

    async def _findings(self, prepared: Prepared, text: str, asking: Asking | None) -> Findings:
        """What the engine found in the text; its failure, with the floor's hits, when it could not say."""
        if not prepared.text:
            return Findings()
        try:
            findings = self._sound(await self._evaluate(text, asking, prepared.text))
            if asking and asking.failure:
                return findings.model_copy(update={"failures": (*findings.failures, asking.failure)})
            return findings
        except EngineError as error:
            failure = Failure(seam="detection", kind=error.kind, detail=error.detail)
        except (asyncio.TimeoutError, TimeoutError):
            failure = Failure(seam="detection", kind="timeout", detail=f"{self._deadline_s:g} s")
        except Exception as error:
            # The message of a foreign exception may quote the user: its type is all that is kept.
            failure = Failure(seam="detection", kind="exception", detail=type(error).__name__)
        return Findings(hits=await self._floor_hits(prepared.text), failures=(failure,))

    async def _evaluate(self, text: str, ask: Ask | None, views: str) -> object:
        answer = self._asked(text, ask, views) if ask else self._engine.evaluate(text)
        if self._immediate:
            return await answer
        profile = self._settings.profile
        return await asyncio.wait_for(answer, self._deadline_s + (profile.judge.deadline_s if ask else 0))

    async def _asked(self, text: str, ask: Ask, views: str) -> object:
        """What the engine finds, and what a second opinion adds: by its own runtime, or else by the compiled policy."""
        if isinstance(self._engine, JudgedEngine) and "judge" in self._engine.capabilities:
            return await self._engine.evaluate_asking(text, ask)
        found = self._sound(await self._engine.evaluate(text))
        more = await self._policy.meaning(views, found.hits, ask)
        return found.model_copy(update={"hits": (*found.hits, *more)})

    def _sound(self, findings: object) -> Findings:
        if findings is None:
            raise EngineError("missing", "no findings")
        if not isinstance(findings, Findings):
            raise EngineError("malformed", f"findings are a {type(findings).__name__}")
        if any(not self._policy.has(hit.rule) for hit in findings.hits):
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
    name: str,
    rails: Path | None = None,
    settings: Settings | None = None,
    floor: bool = True,
    judge: SemanticJudge | str | None = None,
) -> FailSafeEngine:
    """The engine of that name, behind the fail-safe wrapper, not yet started (use it as `async with`).

    Args:
        name: as in `carerails engines`.
        rails: directory or exported policy; None: those that are shipped.
        settings: profile and numbers; None: the default ones.
        floor: whether the native floor answers where the engine fails.
        judge: gives second opinions, or its name as in `--semantic`; None: there is none.

    Raises:
        UsageError: no such engine, rails or config that do not load, or a judge that cannot run here.
    """
    from carerails.engines import load_engine

    adapter = load_engine(name, rails)
    settings = settings or load_settings()
    native = adapter if name == "native" else load_engine("native", rails)
    policy = cast("Policy", getattr(native, "policy"))  # noqa: B009  the native engine has compiled the rails
    if isinstance(judge, str):
        from carerails.judges import open_judge

        judge = open_judge(judge, policy, settings)
    beneath = native if floor and native is not adapter else None
    return FailSafeEngine(adapter, policy, settings, floor=beneath, judge=judge)


__all__ = ["FailSafeEngine", "open_engine"]
