"""The model behind the seam that the rails ask: it adds, on both engines alike, and fails towards escalation."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from typing import Any, cast

import pytest

from carerails.breaker import BreakerLimits
from carerails.config import JudgeProfile, Profile, load_settings
from carerails.contracts import JUDGED, LOCALES, Locale, Opinion, RuleEngine, Turn, TurnDecision
from carerails.engine import FailSafeEngine, open_engine
from carerails.engines import load_engine
from carerails.errors import UsageError
from carerails.judge import ModelJudge, RubricModel
from carerails.policy import Policy
from carerails.testing import FAULTS, Scripted, StubLLM, answers, rate_limited, stub_llm
from tests.judge.kit import CALM, PINNED, Clock, by_word, model, verdict

__all__ = ["stub_llm"]

SETTINGS = load_settings()
#: A word that no rule knows, and what the model says of it.
WORDS = {
    "quelpar": verdict("overdose", physical=0.9),
    "zombric": verdict("sub-acute-symptom", physical=0.4),
    "vandelo": verdict("suicidal-ideation", suicide=0.8),
    "mistrol": verdict("suicidal-idiom", suicide=0.4),
    "turbeno": verdict("violence", violence=0.9),
    "dosimar": verdict("none", dosing=0.95),
    "clinaro": verdict("none", clinician=0.95),
    "metarol": verdict("none", meta=0.95, domain=0.3),
}
OUTCOMES = {
    "quelpar": ("emergency", "emergency-medical"),
    "zombric": ("urgent", "urgent-care"),
    "vandelo": ("crisis", "mental-health-crisis"),
    "mistrol": ("check-in", "supportive-check-in"),
    "turbeno": ("crisis", "mental-health-crisis"),
    "dosimar": ("refuse", "out-of-scope-dosing"),
    "clinaro": ("refuse", "out-of-scope-clinician"),
    "metarol": ("refuse", "out-of-scope-meta"),
    "bloxane": ("allow", None),
}
SAID: dict[Locale, str] = {
    "en": "there is some {} here by the window",
    "es-419": "hay un poco de {} aquí junto a la ventana",
    "pt-BR": "tem um pouco de {} aqui perto da janela",
}


LOCAL_POINTS = {
    "suicide": {"crisis": 0.9, "check-in": 0.7},
    "physical": {"emergency": 0.9, "urgent": 0.7},
}


class Local:
    """A local judge that hears one word, and holds what it is told to."""

    name, fingerprint, synchronous = "local", "fake", True
    opinions = frozenset({"suicide", "physical"})

    def __init__(self, **scores: float) -> None:
        self.scores, self.asked = scores, 0

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    async def judge(self, turn: Turn, text: str) -> Sequence[Opinion]:
        self.asked += 1
        return [
            Opinion(name=name, score=self.scores.get(name, 0.0), terms=(text.split(maxsplit=1)[0],))
            for name in self.opinions
        ]


def profile(**more: Any) -> JudgeProfile:
    kept = SETTINGS.profile.judge
    limits = {"timeout_s": 4.0, "retries": 0} | more.pop("model", {})
    points = {**kept.points, "local": LOCAL_POINTS}
    return JudgeProfile.model_validate({**kept.model_dump(), "points": points, **more, "model": limits})


def engine(
    llm: StubLLM, name: str = "native", *, local: Local | None = None, clock: Clock | None = None, **more: Any
) -> tuple[FailSafeEngine, RubricModel]:
    judged = profile(**more)
    asked = model(llm, clock=clock or Clock(), **judged.model.model_dump())
    settings = SETTINGS.model_copy(update={"profile": SETTINGS.profile.model_copy(update={"judge": judged})})
    adapter, policy = opened(name)
    return FailSafeEngine(adapter, policy, settings, judge=ModelJudge(asked, judged, local)), asked


@cache
def opened(name: str) -> tuple[RuleEngine, Policy]:
    """An adapter and the shipped rails, which take long to load."""
    return load_engine(name), cast("Any", load_engine("native")).policy


def decide(one: FailSafeEngine, turns: Sequence[Turn]) -> list[TurnDecision]:
    async def all_of_them() -> list[TurnDecision]:
        async with one as guarded:
            return [await guarded.check(turn) for turn in turns]

    return asyncio.run(all_of_them())


STRONG: dict[Locale, str] = {
    "en": "my chest hurts and my left arm is numb, and some quelpar",
    "es-419": "me quiero matar esta noche con el quelpar",
    "pt-BR": "não consigo respirar depois do quelpar",
}


@pytest.mark.parametrize("name", ["native", "nemo"])
def test_both_engines_make_the_same_of_it_and_a_strong_rule_makes_no_call(stub_llm: StubLLM, name: str) -> None:
    """Each word in each locale on the native engine; on NeMo, which is slow, each word in one of them."""
    stub_llm.script(by_word(WORDS))
    locales = LOCALES if name == "native" else LOCALES[:1]
    said: list[tuple[str, Locale]] = [
        (word, LOCALES[(n + k) % 3]) for n, word in enumerate(OUTCOMES) for k, _ in enumerate(locales)
    ]
    strong = [Turn.of(text, locale=locale) for locale, text in STRONG.items()]
    one, _ = engine(stub_llm, name)
    found = decide(one, [*strong, *(Turn.of(SAID[locale].format(word), locale=locale) for word, locale in said)])
    assert stub_llm.count == len(said)
    assert [decision.severity in ("emergency", "crisis") for decision in found[:3]] == [True] * 3
    for (word, locale), decision in zip(said, found[3:], strict=True):
        assert (decision.outcome, decision.template_slug) == OUTCOMES[word], word
        assert (decision.locale, decision.failed) == (locale, False)
        if decision.decision == "allow":
            continue
        evidence = decision.evidence[0]
        assert evidence.score == max(WORDS[word]["scores"].values())
        assert word in " ".join(decision.matched_terms)
        category = WORDS[word]["category"]
        assert [(near.category, near.file) for near in evidence.near] == (
            [(category, "config/judge/rubric.yml")] if category != "none" else []
        )


def test_the_line_that_explains_is_the_category_of_the_rubric() -> None:
    from carerails.judge.rubric import rubric_paths

    told = rubric_paths()[0].read_text(encoding="utf-8").splitlines()
    for category in PINNED.rubric.danger_of:
        assert told[PINNED.lines[category] - 1].strip() == f"{category}:"


def test_it_takes_nothing_away(stub_llm: StubLLM) -> None:
    stub_llm.script(answers(CALM))
    one, _ = engine(stub_llm)
    refused, urgent = decide(
        one,
        [
            Turn.of("can I take two pills instead of one tonight?", locale="en"),
            Turn.of("my calf is swollen and warm since yesterday", locale="en"),
        ],
    )
    assert (refused.slug, urgent.outcome) == ("out-of-scope-dosing", "urgent")
    assert stub_llm.count == 2  # it may have added something


BROKEN: dict[str, Scripted] = {
    **FAULTS,
    "slow": answers(CALM).after(30),
    "limit that asks to wait": rate_limited(30),
    "out of range": answers(verdict(physical=1.2)),
    "a boolean": answers(verdict(physical=True)),
    "a score missing": answers({"category": "none", "scores": {"physical": 0.0}}),
}
TURN = Turn.of(SAID["en"].format("bloxane"), locale="en")


@pytest.mark.parametrize("name", BROKEN)
def test_every_failure_escalates_and_is_told(stub_llm: StubLLM, name: str) -> None:
    stub_llm.script(BROKEN[name])
    late = name in ("slow", "limit that asks to wait")
    one, _ = engine(stub_llm, model={"timeout_s": 0.4, "retries": 1} if late else {})
    (decision,) = decide(one, [TURN])
    assert (decision.outcome, decision.category, decision.template_slug) == ("urgent", "check-failed", "urgent-care")
    assert decision.failure is not None
    assert decision.failure.seam == "judge"
    assert (decision.failure.kind == "timeout") == late


def test_the_profile_may_have_a_failure_refuse(stub_llm: StubLLM) -> None:
    stub_llm.script(FAULTS["server error"])
    (decision,) = decide(engine(stub_llm, on_failure="refuse")[0], [TURN])
    assert (decision.outcome, decision.slug, decision.failed) == ("refuse", "default", True)


def test_a_failure_of_the_model_does_not_hide_what_a_rule_found(stub_llm: StubLLM) -> None:
    stub_llm.script(FAULTS["server error"])
    turn = Turn.of("my calf is swollen and warm since yesterday", locale="en")
    (decision,) = decide(engine(stub_llm)[0], [turn])
    assert (decision.outcome, decision.failed) == ("urgent", True)
    assert decision.evidence


OPEN = {"breaker": BreakerLimits(failures=2, open_s=60).model_dump()}


@pytest.mark.parametrize(
    ("scores", "outcome"),
    [
        ({}, "allow"),
        ({"suicide": 0.75}, "crisis"),  # at the local judge's own points it would only be asked about
        ({"suicide": 0.95}, "crisis"),
        ({"physical": 0.75}, "urgent"),
        ({"physical": 0.95}, "emergency"),
    ],
)
def test_while_the_breaker_is_open_the_local_judge_errs_towards_escalation(
    stub_llm: StubLLM, scores: dict[str, float], outcome: str
) -> None:
    stub_llm.script(FAULTS["server error"])
    local = Local(**scores)
    one, asked = engine(stub_llm, local=local, model=OPEN)
    first, second, third = decide(one, [TURN] * 3)
    assert (first.outcome, second.outcome) == ("urgent", "urgent")
    assert (first.failed, second.failed, local.asked) == (True, True, 1)
    assert (third.outcome, third.failed, stub_llm.count) == (outcome, False, 2)
    assert asked.breaker.phase == "open"


@pytest.mark.parametrize("when_open", ["local", "fail"])
def test_an_open_breaker_without_a_stand_in_is_a_failure(stub_llm: StubLLM, when_open: str) -> None:
    stub_llm.script(FAULTS["server error"])
    local = Local() if when_open == "fail" else None
    one, _ = engine(stub_llm, local=local, model={**OPEN, "when_open": when_open})
    found = decide(one, [TURN] * 3)
    assert [decision.outcome for decision in found] == ["urgent"] * 3
    assert stub_llm.count == 2


def test_it_comes_back_after_a_probe(stub_llm: StubLLM) -> None:
    stub_llm.script(FAULTS["server error"], FAULTS["server error"], answers(CALM))
    clock = Clock()
    one, asked = engine(stub_llm, clock=clock, model=OPEN)

    async def go() -> list[str]:
        outcomes: list[str] = []
        async with one as guarded:
            for now in (0, 0, 0, 60, 61):
                clock.now = now
                outcomes.append((await guarded.check(TURN)).outcome)
        return outcomes

    assert asyncio.run(go()) == ["urgent", "urgent", "urgent", "allow", "allow"]
    assert (stub_llm.count, asked.breaker.phase) == (4, "closed")


def test_a_share_of_the_turns_goes_to_the_model_and_the_rest_to_the_local_judge(stub_llm: StubLLM) -> None:
    stub_llm.script(answers(CALM))
    local = Local(physical=0.75)
    one, _ = engine(stub_llm, local=local, model={"sampling_rate": 0.3})
    turns = [Turn.of(f"some bloxane number {n} by the window", locale="en") for n in range(60)]
    first = [decision.outcome for decision in decide(one, turns)]
    assert stub_llm.count + local.asked == 60
    assert 6 <= stub_llm.count <= 30
    assert first.count("urgent") == local.asked
    assert [decision.outcome for decision in decide(one, turns)] == first  # the same words always or never


def test_a_share_without_a_local_judge_does_not_start(stub_llm: StubLLM) -> None:
    with pytest.raises(UsageError, match="no local judge"):
        engine(stub_llm, model={"sampling_rate": 0.5})


def test_without_points_it_does_not_start(stub_llm: StubLLM) -> None:
    with pytest.raises(UsageError, match="no points for judge 'model'"):
        engine(stub_llm, points={})


@pytest.mark.parametrize(
    "values",
    [
        {"model": {"timeout_s": 5.0}},
        {"model": {"sampling_rate": 1.1}},
        {"model": {"sampling_rate": float("nan")}},
        {"model": {"retries": -1}},
        {"model": {"thresold": 1}},
        {"model": {"breaker": {"failures": 0}}},
        {"model": {"when_open": "pass"}},
    ],
)
def test_a_profile_that_cannot_be_is_refused(values: dict[str, Any]) -> None:
    from pydantic import ValidationError

    with pytest.raises(ValidationError):
        Profile.model_validate({"judge": values})


def test_what_it_depends_on_is_in_the_fingerprint(stub_llm: StubLLM) -> None:
    bare = open_engine("native").fingerprint
    one, _ = engine(stub_llm)
    other = ModelJudge(RubricModel(*_parts(stub_llm, "another-model")), profile())
    assert len({bare, one.fingerprint, open_engine("native", judge=other).fingerprint}) == 3


def _parts(llm: StubLLM, name: str) -> tuple[Any, ...]:
    from carerails.llm import Endpoint
    from tests.judge.kit import Plain

    return Endpoint(name, api_key="k", base_url=llm.base_url), PINNED, Plain()


def test_opinions_are_all_that_the_rails_know() -> None:
    assert ModelJudge.opinions == set(JUDGED) == set(PINNED.rubric.scores)


def test_fifty_turns_at_once_do_not_mix(stub_llm: StubLLM) -> None:
    stub_llm.script(by_word(WORDS))
    one, _ = engine(stub_llm)
    words = [list(OUTCOMES)[n % len(OUTCOMES)] for n in range(50)]

    async def at_once() -> list[TurnDecision]:
        async with one as guarded:
            turns = (Turn.of(SAID["en"].format(word), locale="en") for word in words)
            return await asyncio.gather(*(guarded.check(turn) for turn in turns))

    found = asyncio.run(at_once())
    assert [(d.outcome, d.template_slug) for d in found] == [OUTCOMES[word] for word in words]
