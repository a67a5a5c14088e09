"""The seam between rails and judge: when it is asked, what it may add, and that no failure of it is a pass."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from carerails.config import JudgeProfile, load_settings
from carerails.contracts import FailureKind, Opinion, Turn, TurnDecision
from carerails.engine import FailSafeEngine, open_engine
from carerails.engines import load_engine
from carerails.errors import UsageError
from carerails.resources import data_dir
from tests.semantic.kit import HANGS, Scripted, holds

SECRET = "zanahoria"
CALM, STRONG, DOUBTED = (
    f"my {SECRET} is on the shelf",
    "i took the whole bottle and i want to die",
    "i feel so hopeless",
)
SETTINGS = load_settings()
NATIVE = open_engine("native")


@pytest.fixture(scope="module", params=["native", "nemo"])
def adapter(request: pytest.FixtureRequest) -> Iterator[Any]:
    engine = load_engine(request.param)
    asyncio.run(engine.start())
    yield engine
    asyncio.run(engine.close())


def decide(adapter: Any, judge: Scripted, text: str, **profile: Any) -> TurnDecision:
    """One turn; the deadline is short where the judge waits."""
    judged = SETTINGS.profile.judge.model_copy(update=profile)
    settings = SETTINGS.model_copy(update={"profile": SETTINGS.profile.model_copy(update={"judge": judged})})
    engine = FailSafeEngine(adapter, NATIVE.policy, settings, judge=judge)
    return asyncio.run(engine.check(Turn.of(text, locale="en")))


@pytest.mark.parametrize(
    ("scores", "outcome", "rule"),
    [
        ({"suicide": 1.0}, "crisis", "red flag judged suicide"),
        ({"suicide": 0.98}, "check-in", "check in judged suicide"),
        ({"physical": 1.0}, "emergency", "red flag judged emergency"),
        ({"physical": 0.955}, "urgent", "urgent judged symptom"),
        ({"dosing": 1.0}, "refuse", "scope judged dosing"),
        ({"suicide": 0.5, "physical": 0.5, "dosing": 0.5}, "allow", None),
    ],
)
def test_what_holds_becomes_a_rule_with_its_place(
    adapter: Any, scores: dict[str, float], outcome: str, rule: str | None
):
    judge = Scripted(lambda text: holds(text, **scores))
    decision = decide(adapter, judge, CALM)
    assert (decision.outcome, decision.failed, len(judge.asked)) == (outcome, False, 1)
    if rule:
        first = decision.evidence[0]
        assert (first.rule, first.file, first.matched_terms) == (rule, "opinions/judged.co", (CALM,))
        assert first.score == max(scores.values())


def test_a_strong_rule_makes_no_call(adapter: Any):
    judge = Scripted(lambda text: holds(text, suicide=1.0))
    assert decide(adapter, judge, STRONG).severity in ("emergency", "crisis")
    assert judge.asked == []


def test_it_lowers_and_removes_nothing(adapter: Any):
    judge = Scripted(holds)
    for text in (DOUBTED, "can i double the dose of my metformin tonight"):
        alone = asyncio.run(FailSafeEngine(adapter, NATIVE.policy, SETTINGS).check(Turn.of(text, locale="en")))
        assert alone.outcome != "allow"
        judged = decide(adapter, judge, text)
        assert judged.evidence == alone.evidence
        assert judged.outcome == alone.outcome
    assert len(judge.asked) == 2


def test_what_a_rule_calls_urgent_it_does_not_call_an_emergency(adapter: Any):
    urgent = "my calf is swollen and warm since tuesday"
    alone = asyncio.run(FailSafeEngine(adapter, NATIVE.policy, SETTINGS).check(Turn.of(urgent, locale="en")))
    assert alone.outcome == "urgent"
    assert decide(adapter, Scripted(lambda text: holds(text, physical=1.0)), urgent).outcome == "urgent"
    assert decide(adapter, Scripted(lambda text: holds(text, suicide=1.0)), urgent).outcome == "crisis"


def test_two_doubts_of_different_kinds_are_a_crisis(adapter: Any):
    idiom = "this spreadsheet makes me want to die"
    assert decide(adapter, Scripted(holds), idiom).outcome == "check-in"
    assert decide(adapter, Scripted(lambda text: holds(text, suicide=0.98)), idiom).outcome == "crisis"


def broken(text: str, **changes: Any) -> list[Opinion]:
    return [opinion.model_copy(update=changes) for opinion in holds(text)]


FAULTS: dict[str, tuple[Callable[[str], object], FailureKind]] = {
    "raises": (ValueError, "exception"),
    "raises a timeout": (TimeoutError, "timeout"),
    "answers None": (lambda text: None, "malformed"),
    "answers a string": (lambda text: text, "malformed"),
    "answers nothing": (lambda text: [], "malformed"),
    "leaves one out": (lambda text: holds(text)[1:], "malformed"),
    "says one twice": (lambda text: [*holds(text), *holds(text)[:1]], "malformed"),
    "scores nan": (lambda text: broken(text, score=float("nan")), "malformed"),
    "scores 1.2": (lambda text: broken(text, score=1.2), "malformed"),
    "scores true": (lambda text: broken(text, score=True), "malformed"),
    "has no terms": (lambda text: broken(text, terms=()), "malformed"),
    "makes terms up": (lambda text: broken(text, terms=("elsewhere",)), "malformed"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_escalates_and_tells_nothing_of_the_text(
    adapter: Any, name: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
):
    answer, kind = FAULTS[name]
    with caplog.at_level(logging.DEBUG):
        decision = decide(adapter, Scripted(answer), CALM)
    assert decision.failure is not None
    assert (decision.outcome, decision.category) == ("urgent", "check-failed")
    assert (decision.failure.seam, decision.failure.kind) == ("judge", kind)
    out, err = capfd.readouterr()
    assert SECRET not in decision.failure.detail + caplog.text + out + err


def test_a_judge_that_hangs_is_given_up(adapter: Any):
    decision = decide(adapter, Scripted(lambda text: HANGS, synchronous=False), CALM, deadline_s=0.05)
    assert decision.failure is not None
    assert (decision.outcome, decision.failure.seam, decision.failure.kind) == ("urgent", "judge", "timeout")


def test_the_profile_may_refuse_instead(adapter: Any):
    decision = decide(adapter, Scripted(lambda text: None), CALM, on_failure="refuse")
    assert (decision.outcome, decision.slug, decision.failed) == ("refuse", "default", True)


def test_points_may_differ_by_locale(adapter: Any):
    points = {"local": {"suicide": {"crisis": {"en": 0.2, "es-419": 0.9, "pt-BR": 0.9}}}}
    judge = Scripted(lambda text: holds(text, suicide=0.5))
    assert decide(adapter, judge, CALM, points=points).outcome == "crisis"


def test_without_a_judge_no_flow_asks(adapter: Any):
    engine = FailSafeEngine(adapter, NATIVE.policy, SETTINGS)
    assert asyncio.run(engine.check(Turn.of(CALM, locale="en"))).outcome == "allow"
    judged = FailSafeEngine(adapter, NATIVE.policy, SETTINGS, judge=Scripted(holds))
    assert engine.fingerprint != judged.fingerprint


def test_fifty_turns_at_once_do_not_mix(adapter: Any):
    judge = Scripted(lambda text: holds(text, suicide=1.0 if "odd" in text else 0.0))
    engine = FailSafeEngine(adapter, NATIVE.policy, SETTINGS, judge=judge)

    async def all_of_them() -> list[TurnDecision]:
        said = (Turn.of(f"my {'odd' if n % 2 else 'even'} shelf", locale="en") for n in range(50))
        return await asyncio.gather(*map(engine.check, said))

    assert [d.outcome for d in asyncio.run(all_of_them())] == ["allow", "crisis"] * 25


IMPOSSIBLE: list[Any] = [{"suicyde": {}}, {"dosing": {"crisis": 0.5}}, {"dosing": {"refuse": 2}}]


@pytest.mark.parametrize("points", IMPOSSIBLE)
def test_a_point_that_cannot_be_is_refused(points: Any):
    with pytest.raises(ValueError, match="points"):
        JudgeProfile.model_validate({"points": {"local": points}})


def test_rails_that_never_ask_are_refused(rails: Any):
    engine = load_engine("native", rails)
    with pytest.raises(UsageError, match="never ask"):
        FailSafeEngine(engine, engine.policy, SETTINGS, judge=Scripted(holds))  # type: ignore[attr-defined]


def test_every_judged_rule_is_asked_once_and_reported_by_its_name():
    main = (data_dir("rails") / "main.co").read_text(encoding="utf-8")
    assert "await check meaning $event.text $hits" in main
    for name in NATIVE.policy.judged:
        assert main.count(f"await {name} $opinions\n") == main.count(f'[["{name}", $terms]]') == 1, name
