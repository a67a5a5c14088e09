"""The conformance suite: each check finds the defect that it is for, and engines without defects pass all."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from carerails.contracts import Findings, Locale, RuleHit
from carerails.engine import FailSafeEngine
from carerails.errors import EngineError, UsageError
from carerails.testing.suite import CHECKS, Result, Subject, conformance, examine
from carerails_native import NativeEngine
from carerails_nemo import NemoEngine
from tests.kit import small_rails

EXAMPLES = """
flow examples of stroke
  # en
  user said "my dad's face is drooping"
    or user said "he has slurred speech"
  # es-419
  user said "perdon, mi papa: slurred speech desde ayer"
  # pt-BR
  user said "meu pai: slurred speech desde ontem"

flow examples of dosing
  # en
  user said "can i double the dose"
  # es-419
  user said "puedo double the dose hoy"
  # pt-BR
  user said "posso double the dose hoje"

flow examples of in scope
  # en
  user said "how do i store insulin"
  # es-419
  user said "como guardo la insulina"
  # pt-BR
  user said "como guardo a insulina"
"""
STROKE = RuleHit(rule="red flag stroke", terms=("slurred speech",))


@pytest.fixture(scope="module")
def rails(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rails = small_rails(tmp_path_factory.mktemp("examined"))
    (rails / "examples").mkdir()
    (rails / "examples" / "all.co").write_text(EXAMPLES, encoding="utf-8")
    return rails


class Sound:
    """A sound engine that awaits; each defect is a class that changes one thing."""

    name: Any = "sound"
    version: Any = "1"
    capabilities: Any = frozenset({"escalate", "refuse", "check-in", "evidence", "render"})

    def __init__(self, rails: Path) -> None:
        self.native = NativeEngine(rails)
        self.started = False
        self.turns = 0

    async def start(self) -> None:
        self.started = True

    async def close(self) -> None:
        self.started = False

    async def evaluate(self, text: str) -> Any:
        await asyncio.sleep(0)
        if not self.started:
            raise EngineError("missing", "not started")
        self.turns += 1
        return await self.native.evaluate(text)

    async def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> Any:
        return await self.native.render(slug, locale, numbers)


class NoName(Sound):
    name = None


class ListOfCapabilities(Sound):
    capabilities = ("escalate",)


class UnknownCapability(Sound):
    capabilities = frozenset({"escalate", "telepathy"})


class NotAwaited(Sound):
    def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        return super().render(slug, locale, numbers)


class NoFindings(Sound):
    async def evaluate(self, text: str) -> Any:
        return [hit.rule for hit in (await super().evaluate(text)).hits]


class UnknownRule(Sound):
    async def evaluate(self, text: str) -> Any:
        found = await super().evaluate(text)
        return Findings(hits=tuple(RuleHit(rule="red flag strike", terms=hit.terms) for hit in found.hits))


class NoTerms(Sound):
    async def evaluate(self, text: str) -> Any:
        return Findings(hits=tuple(RuleHit(rule=hit.rule, terms=()) for hit in (await super().evaluate(text)).hits))


class RaisesOnEmpty(Sound):
    async def evaluate(self, text: str) -> Any:
        if not text.strip():
            raise ValueError(text)
        return await super().evaluate(text)


class LongIsUrgent(Sound):
    async def evaluate(self, text: str) -> Any:
        return Findings(hits=(STROKE,)) if len(text) > 40_000 else await super().evaluate(text)


class AllowsAll(Sound):
    async def evaluate(self, text: str) -> Any:
        await super().evaluate(text)
        return Findings()


class StopsAll(Sound):
    async def evaluate(self, text: str) -> Any:
        await super().evaluate(text)
        return Findings(hits=(STROKE,))


class RendersAnySlug(Sound):
    async def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> Any:
        return "Call the emergency number." if slug.startswith("no") else await super().render(slug, locale, numbers)


class RendersNothing(Sound):
    async def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> Any:
        return " " if slug == "default" else await super().render(slug, locale, numbers)


class RendersEnglish(Sound):
    async def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> Any:
        return await super().render(slug, "en", numbers)


class RendersOneCountry(Sound):
    async def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> Any:
        return await super().render(slug, locale, {"emergency": "911", "crisis": "988"})


class PassesUnstarted(Sound):
    async def evaluate(self, text: str) -> Any:
        return await super().evaluate(text) if self.started or self.turns else Findings()


class PassesClosed(Sound):
    async def evaluate(self, text: str) -> Any:
        return await super().evaluate(text) if self.started or not self.turns else Findings()

    async def start(self) -> None:
        self.turns = 1
        await super().start()


class StartsOnce(Sound):
    async def close(self) -> None:
        self.native = cast("NativeEngine", None)


class OneAtATime(Sound):
    busy = False

    async def evaluate(self, text: str) -> Any:
        if self.busy:
            return Findings()
        self.busy = True
        try:
            return await super().evaluate(text)
        finally:
            self.busy = False


class OneLoop(Sound):
    async def start(self) -> None:
        self.loop = asyncio.get_running_loop()
        await super().start()

    async def evaluate(self, text: str) -> Any:
        if asyncio.get_running_loop() is not self.loop:
            raise RuntimeError("attached to a different loop")
        return await super().evaluate(text)


class EnglishOnly(Sound):
    async def evaluate(self, text: str) -> Any:
        return Findings() if "desde ayer" in text else await super().evaluate(text)


class ForeignTerms(Sound):
    async def evaluate(self, text: str) -> Any:
        found = await super().evaluate(text)
        return Findings(hits=tuple(RuleHit(rule=hit.rule, terms=("stroke",)) for hit in found.hits))


class Fickle(Sound):
    async def evaluate(self, text: str) -> Any:
        found = await super().evaluate(text)
        return Findings() if self.turns % 3 == 0 else found


class KeepsCancelledTasks(Sound):
    async def evaluate(self, text: str) -> Any:
        self.task = asyncio.ensure_future(asyncio.sleep(60))
        await asyncio.sleep(0.004)
        self.task.cancel()
        return await super().evaluate(text)


class SwallowsCancellation(Sound):
    async def evaluate(self, text: str) -> Any:
        try:
            await asyncio.sleep(0.004)
        except asyncio.CancelledError:
            return Findings()
        return await super().evaluate(text)


class DiesOfATimeout(Sound):
    dead = False

    async def evaluate(self, text: str) -> Any:
        try:
            await asyncio.sleep(0.001)
        except asyncio.CancelledError:
            self.dead = True
            raise
        return Findings() if self.dead else await super().evaluate(text)


class RemembersAFlag(Sound):
    last = Findings()

    async def evaluate(self, text: str) -> Any:
        before, self.last = self.last, await super().evaluate(text)
        return self.last if self.last.hits or "insulina" not in text else before


#: The check that must find each of them. Others may find it too.
DEFECTS: dict[type[Sound], str] = {
    NoName: "names itself",
    ListOfCapabilities: "names itself",
    UnknownCapability: "names itself",
    NotAwaited: "has the methods",
    NoFindings: "answers findings",
    UnknownRule: "answers findings",
    NoTerms: "answers findings",
    RaisesOnEmpty: "answers any text",
    LongIsUrgent: "answers any text",
    AllowsAll: "tells kinds apart",
    StopsAll: "tells kinds apart",
    RendersAnySlug: "renders templates",
    RendersNothing: "renders templates",
    RendersEnglish: "speaks every locale",
    RendersOneCountry: "speaks every locale",
    PassesUnstarted: "is no pass before start",
    PassesClosed: "is no pass after close",
    StartsOnce: "starts again",
    OneAtATime: "decides many at once",
    OneLoop: "works in any loop and thread",
    EnglishOnly: "hears every locale",
    ForeignTerms: "finds terms in the text",
    Fickle: "decides alike every time",
    KeepsCancelledTasks: "can be called off",
    SwallowsCancellation: "can be called off",
    DiesOfATimeout: "keeps the deadline",
    RemembersAFlag: "remembers nothing",
}


def result(check: str, make: Callable[[], Any], rails: Path) -> Result:
    """What one check alone says."""
    only = {area: tuple(c for c in checks if c.__name__.replace("_", " ") == check) for area, checks in CHECKS.items()}
    subject = Subject(make, rails)
    try:
        (found,) = examine(subject, only)
        return found
    finally:
        subject.close()


def results(make: Callable[[], Any], rails: Path) -> dict[str, Result]:
    subject = Subject(make, rails)
    try:
        return {result.check: result for result in examine(subject)}
    finally:
        subject.close()


def test_a_sound_engine_passes_every_check(rails: Path):
    assert {result.result for result in results(lambda: Sound(rails), rails).values()} == {"pass"}


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.__name__)
def test_every_defect_is_found_by_its_check(defect: type[Sound], rails: Path):
    found = result(DEFECTS[defect], lambda: defect(rails), rails)
    assert found.result == "fail", found
    assert "slurred" not in found.why


def test_spans_that_point_elsewhere_are_found(rails: Path, monkeypatch: pytest.MonkeyPatch):
    """Spans are made by shared code, so the defect is put there."""
    from carerails.contracts import Span
    from carerails.text import Prepared

    monkeypatch.setattr(Prepared, "locate", lambda self, start, end: Span(message=0, start=0, end=3))  # pyright: ignore
    assert result("points at the users words", lambda: Sound(rails), rails).result == "fail"


def test_a_wrapper_that_passes_a_fault_is_found(rails: Path, monkeypatch: pytest.MonkeyPatch):
    async def passes(self: FailSafeEngine, prepared: object, text: str) -> Findings:
        return Findings()

    monkeypatch.setattr(FailSafeEngine, "_findings", passes)
    assert result("never passes a fault", lambda: Sound(rails), rails).result == "fail"


def test_every_check_has_a_defect_that_it_finds():
    named = {check.__name__.replace("_", " ") for checks in CHECKS.values() for check in checks}
    assert named == {*DEFECTS.values(), "points at the users words", "never passes a fault"}


def test_rails_without_examples_cannot_examine(tmp_path: Path):
    bare = small_rails(tmp_path)
    with pytest.raises(UsageError, match="no examples"):
        _ = Subject(lambda: Sound(bare), bare).probes


def test_the_name_of_an_engine_is_checked_at_once():
    with pytest.raises(UsageError, match="native"):
        Subject.of("nativ")


test_native_conforms = conformance("native")


class NemoOnSmallRails(NemoEngine):
    """Their `main` renders no templates."""

    capabilities = NemoEngine.capabilities - {"render"}


def test_nemo_conforms(rails: Path):
    found = results(lambda: NemoOnSmallRails(rails), rails)
    assert {name: result.why for name, result in found.items() if result.result == "fail"} == {}


def shell(*args: str, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "carerails", "conformance", *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **more)
    assert "Traceback" not in done.stderr
    return done


def test_a_shell_gets_json_and_an_exit_code():
    printed = shell("native", "--json")
    checks = json.loads(printed.stdout)["checks"]
    assert printed.returncode == 0
    assert {check["result"] for check in checks} == {"pass", "not applicable"}
    wrong = shell("nativ")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "did you mean 'native'?" in wrong.stderr
