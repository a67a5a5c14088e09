"""What is examined: an engine that can be made as often as a check needs, and texts to put to it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, cast

from carerails.config import Settings, load_settings
from carerails.contracts import LOCALES, Findings, Locale, RuleEngine, Turn
from carerails.engine import FailSafeEngine
from carerails.engines import load_engine
from carerails.errors import UsageError
from carerails.policy import Policy
from carerails.resources import data_dir
from carerails.text import prepare

Value = TypeVar("Value")
#: Texts of each kind and locale.
EACH = 3
#: Texts of one kind and locale, of which an engine must know one: somebody's own rails may know few.
MANY = 400
#: Seconds that one call of the engine may take before the suite gives up on it.
PATIENCE_S = 30.0
#: Seconds that it may take to load: a busy machine takes several times as long as an idle one.
START_S = 180.0


class Fails(AssertionError):
    """The engine does not do what the check asks for."""


class NotApplicable(Exception):
    """The check asks for what the engine does not claim to do."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A text that is plainly one thing: an `escalate`, a `refuse` or an `allow`."""

    text: str
    locale: Locale
    due: str

    @property
    def turn(self) -> Turn:
        """As a caller puts it."""
        return Turn.of(self.text, locale=self.locale)

    @property
    def normalised(self) -> str:
        """As most engines see it."""
        return prepare(self.turn).text


@dataclass
class Subject:
    """An engine under examination.

    Args:
        make: makes an adapter that is not started.
        rails: directory of Colang, or an exported policy.json; None: the rails that are shipped.
    """

    make: Callable[[], RuleEngine]
    rails: Path | None = None
    settings: Settings = field(default_factory=load_settings)

    @classmethod
    def of(cls, engine: str | Callable[[], RuleEngine], rails: Path | None = None) -> Subject:
        """By name, as `carerails engines` lists it, or by what makes one.

        Raises:
            UsageError: no engine of that name, or it cannot run here.
        """
        if isinstance(engine, str):
            load_engine(engine, rails)  # a wrong name is said at once
            return cls(lambda: load_engine(engine, rails), rails)
        return cls(engine, rails)

    @cached_property
    def policy(self) -> Policy:
        """The compiled rails."""
        return Policy.load(self.rails or data_dir("rails"))

    @cached_property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop of all checks but those that bring their own."""
        return asyncio.new_event_loop()

    @cached_property
    def engine(self) -> RuleEngine:
        """One that is started, which most checks share."""
        engine = self.make()
        self.start(engine)
        return engine

    @property
    def capabilities(self) -> frozenset[str]:
        """What the engine says that it can do."""
        return self.engine.capabilities

    def wrapped(self, engine: RuleEngine | None = None, settings: Settings | None = None) -> FailSafeEngine:
        """The shared engine, or another one, as it is deployed: behind the fail-safe wrapper."""
        return FailSafeEngine(engine or self.engine, self.policy, settings or self.settings)

    def start(self, engine: RuleEngine) -> None:
        """Let an engine load.

        Raises:
            Fails: it takes longer than `START_S`.
        """
        try:
            self.run(engine.start(), START_S)
        except (asyncio.TimeoutError, TimeoutError):
            raise Fails(f"it has not started after {START_S:g} s") from None

    def run(self, work: Coroutine[Any, Any, Value], within_s: float = PATIENCE_S) -> Value:
        """The value of a coroutine, in the suite's loop, within so many seconds."""
        return self.loop.run_until_complete(asyncio.wait_for(work, within_s))

    def text(self, probe: Probe) -> str:
        """What the engine gets of it."""
        return probe.text if "original" in self.capabilities else probe.normalised

    def ask(self, probe: Probe, engine: RuleEngine | None = None) -> Findings:
        """The engine's own answer."""
        return self.run((engine or self.engine).evaluate(self.text(probe)))

    def needs(self, *capabilities: str) -> None:
        """Go on only with an engine that has these.

        Raises:
            NotApplicable: it does not say so.
        """
        missing = [name for name in capabilities if name not in self.capabilities]
        if missing:
            raise NotApplicable(f"it does not claim {', '.join(missing)}")

    @cached_property
    def probes(self) -> tuple[Probe, ...]:
        """Plain texts of every kind and locale, from the examples of the rails; they are the same on every run.

        Only those that the rails themselves decide as their category says: a probe must be beyond dispute.

        Raises:
            UsageError: the rails have no examples.
        """
        probes = tuple(p for locale in LOCALES for due in DUE for p in islice(self.plain(due, locale), EACH))
        if not probes:
            raise UsageError("the rails have no examples", "add some under examples/", str(self.rails or "rails"))
        return probes

    @cached_property
    def _candidates(self) -> tuple[Probe, ...]:
        kinds = {rule.meta.category: _due(rule.meta.outcome) for rule in self.policy.rules.values()}
        kinds["in-scope"] = "allow"
        found = [Probe(e.text, cast("Locale", e.locale), kinds.get(e.category, "")) for e in self.policy.examples]
        found.sort(key=lambda probe: probe.text)
        random.Random(7).shuffle(found)
        return tuple(found)

    def plain(self, due: str, locale: Locale) -> Iterator[Probe]:
        """Plain texts of a kind and locale, as many as there are, in an order that is always the same."""
        for probe in self._candidates:
            if (probe.due, probe.locale) == (due, locale) and self._decides(probe) == due:
                yield probe

    def says(self, due: str, locale: Locale) -> bool:
        """Whether, of the first `MANY` plain texts of a kind and locale, one gets that decision."""
        engine = self.wrapped()
        probes = list(islice(self.plain(due, locale), MANY))
        return not probes or any(self.run(engine.check(probe.turn)).decision == due for probe in probes)

    def some(self, due: str, locale: Locale | None = None) -> Sequence[Probe]:
        """The probes of one kind."""
        return [probe for probe in self.probes if probe.due == due and locale in (None, probe.locale)]

    def close(self) -> None:
        """Let go of the shared engine and the loop."""
        engine = self.__dict__.pop("engine", None)
        loop = self.__dict__.pop("loop", None)
        if engine is not None and loop is not None:
            loop.run_until_complete(engine.close())
        if loop is not None:
            loop.close()

    def _decides(self, probe: Probe) -> str:
        outcomes = {_due(self.policy.rules[hit.rule].meta.outcome) for hit in self.policy.check(probe.normalised)}
        return next((due for due in DUE if due in outcomes), "allow")


DUE = ("escalate", "refuse", "allow")


def _due(outcome: str) -> str:
    """The kind of a probe that is plainly of this outcome; of the ones between, there are none."""
    return {"emergency": "escalate", "crisis": "escalate", "refuse": "refuse"}.get(outcome, "")
