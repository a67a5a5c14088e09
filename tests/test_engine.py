"""The fail-safe wrapper and the decision table: precedence, failures at every seam, evidence in the user's own text."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from carerails.config import Profile, Settings, load_settings
from carerails.contracts import Failure, Findings, Message, Outcome, RuleHit, Turn, TurnDecision
from carerails.engine import FailSafeEngine
from carerails.errors import EngineError
from carerails_native import NativeEngine
from tests.kit import Answer, ScriptedEngine, answers, fails, hangs, says

SHORT = load_settings().model_copy(update={"profile": Profile(deadline_s=0.05)})


def wrap(rails: Path, answer: Answer, *, floor: bool = False, settings: Settings = SHORT) -> FailSafeEngine:
    native = NativeEngine(rails)
    return FailSafeEngine(ScriptedEngine(answer), native.policy, settings, native if floor else None)


def check(engine: FailSafeEngine, turn: Turn | str) -> TurnDecision:
    turn = Turn.of(turn, locale="en") if isinstance(turn, str) else turn
    return asyncio.run(engine.check(turn))


STROKE, BLEEDING = ("red flag stroke", "slurred speech"), ("red flag bleeding", "bleeding a lot")
SUICIDE, RASH = ("red flag suicide", "end my life"), ("urgent rash", "new rash")
DISTRESS, DOSING = ("check in distress", "so hopeless"), ("scope dosing", "double the dose")
SAID = "slurred speech, bleeding a lot, end my life, new rash, so hopeless, double the dose"


@pytest.mark.parametrize(
    ("hits", "outcome", "category", "slug", "template"),
    [
        ((), "allow", None, None, None),
        ((DOSING,), "refuse", "dosing", "out-of-scope-dosing", "out-of-scope-dosing"),
        ((DISTRESS,), "check-in", "distress", None, "supportive-check-in"),
        ((DOSING, DISTRESS), "check-in", "distress", "out-of-scope-dosing", "supportive-check-in"),
        ((DISTRESS, RASH), "urgent", "rash", None, "urgent-care"),
        ((RASH, SUICIDE), "crisis", "suicide", None, "mental-health-crisis"),
        ((SUICIDE, STROKE), "emergency", "stroke", None, "emergency-medical"),
        ((STROKE, BLEEDING), "emergency", "bleeding", None, "emergency-medical"),  # the declared priority
    ],
)
def test_the_most_severe_outcome_wins(
    rails: Path, hits: tuple[tuple[str, str], ...], outcome: Outcome, category: str, slug: str, template: str
):
    decision = check(wrap(rails, says(*hits)), SAID)
    assert (decision.outcome, decision.category, decision.slug, decision.template_slug) == (
        outcome,
        category,
        slug,
        template,
    )
    assert not decision.failed
    assert len(decision.evidence) == len(hits)


FAILURES = [
    (fails(RuntimeError("the user said: secret")), "exception"),
    (fails(EngineError("missing", "no event")), "missing"),
    (fails(asyncio.TimeoutError()), "timeout"),
    (fails(RecursionError()), "exception"),
    (hangs, "timeout"),
    (answers(None), "missing"),
    (answers({"decision": "allow"}), "malformed"),
    (answers("allow"), "malformed"),
    (answers(Findings(hits=(RuleHit(rule="no such rule", terms=("x",)),))), "malformed"),
]


@pytest.mark.parametrize(("answer", "kind"), FAILURES)
def test_a_failure_is_never_a_pass(rails: Path, answer: Answer, kind: str):
    decision = check(wrap(rails, answer), "how do I store insulin?")
    assert (decision.decision, decision.severity, decision.category) == ("escalate", "urgent", "check-failed")
    assert decision.failed
    assert decision.failure is not None
    assert (decision.failure.seam, decision.failure.kind) == ("detection", kind)
    assert not decision.scope().in_scope
    assert decision.escalation().escalate


@pytest.mark.parametrize(("answer", "kind"), FAILURES)
def test_the_floor_raises_a_failure(rails: Path, answer: Answer, kind: str):
    decision = check(wrap(rails, answer, floor=True), "he has slurred speech")
    assert (decision.outcome, decision.category, decision.failed) == ("emergency", "stroke", True)
    assert "check-failed" in decision.subcategories


def test_the_floor_does_not_lower_a_failure(rails: Path):
    decision = check(wrap(rails, fails(RuntimeError()), floor=True), "can I double the dose?")
    assert decision.outcome == "urgent"


def test_a_failing_floor_leaves_the_failure_as_it_is(rails: Path):
    native = NativeEngine(rails)
    broken = ScriptedEngine(fails(RuntimeError()))
    decision = check(FailSafeEngine(broken, native.policy, SHORT, broken), "slurred speech")
    assert (decision.outcome, decision.failed) == ("urgent", True)


def test_a_failed_scope_check_refuses(rails: Path):
    failed = Findings(failures=(Failure(seam="scope", kind="timeout"),))
    decision = check(wrap(rails, answers(failed)), "how do I store insulin?")
    assert (decision.decision, decision.slug, decision.failed) == ("refuse", "default", True)


def test_a_failed_scope_check_does_not_lower_an_escalation(rails: Path):
    hit = RuleHit(rule="red flag stroke", terms=("slurred speech",))
    failed = Findings(hits=(hit,), failures=(Failure(seam="scope", kind="timeout"),))
    decision = check(wrap(rails, answers(failed)), "slurred speech")
    assert (decision.outcome, decision.failed) == ("emergency", True)


def test_no_failure_quotes_the_user(rails: Path):
    decision = check(wrap(rails, fails(RuntimeError("the user said: secret"))), "secret")
    assert "secret" not in decision.model_dump_json()


def test_cancelling_the_caller_cancels_the_check(rails: Path):
    async def cancel() -> None:
        task = asyncio.create_task(wrap(rails, hangs, settings=load_settings()).check(Turn.of("hello", locale="en")))
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())


def test_evidence_points_into_the_rails_and_into_the_users_own_text(rails: Path):
    said = "Hola. He has SLURRED\u200b  Spéech!"
    decision = check(wrap(rails, says(STROKE)), said)
    evidence = decision.evidence[0]
    source = (rails / "red_flags/stroke.co").read_text(encoding="utf-8").splitlines()
    assert evidence.file == "red_flags/stroke.co"
    assert "slurred speech" in source[evidence.line - 1]
    span = evidence.spans[0]
    assert said[span.start : span.end] == "SLURRED\u200b  Spéech"
    assert evidence.matched_terms == ("SLURRED\u200b  Spéech",)


IMAGE = {"type": "image_url", "image_url": {"url": "data:,"}}


@pytest.mark.parametrize(
    ("content", "outcome", "slug"),
    [
        ("", "refuse", "input-malformed"),
        ("   \n\t", "refuse", "input-malformed"),
        ("?!...", "refuse", "input-malformed"),
        (None, "refuse", "input-malformed"),
        (b"slurred speech", "refuse", "input-malformed"),
        (7, "refuse", "input-malformed"),
        ({"text": "hello"}, "refuse", "input-malformed"),
        ([IMAGE], "refuse", "out-of-scope-interpretation"),
        ([{"type": "text", "text": "what is this pill?"}, IMAGE], "refuse", "out-of-scope-interpretation"),
        ([{"type": "text", "text": "slurred "}, {"type": "text", "text": "speech"}], "emergency", None),
        ([{"type": "text", "text": "slurred speech"}, IMAGE], "emergency", None),
        ([{"type": "text", "text": "slurred speech"}, {"type": "audio"}], "emergency", None),
        ("x " * 200_000, "refuse", "input-malformed"),
        ("x " * 200_000 + "slurred speech", "emergency", None),
        ("\x00\x00slurred\x00 speech", "emergency", None),
        ("\ud800 slurred speech", "emergency", None),
    ],
)
def test_bad_input_is_never_a_crash_and_never_a_pass(rails: Path, content: object, outcome: Outcome, slug: str):
    native = NativeEngine(rails)
    turn = Turn(messages=(Message(role="user", content=content),), locale="en")
    decision = check(FailSafeEngine(native, native.policy, load_settings()), turn)
    assert (decision.outcome, decision.slug, decision.failed) == (outcome, slug, False)


def test_a_turn_without_messages_is_malformed(rails: Path):
    native = NativeEngine(rails)
    decision = check(FailSafeEngine(native, native.policy, load_settings()), Turn(locale="en"))
    assert decision.slug == "input-malformed"


def test_every_unanswered_message_counts_and_answered_ones_do_not(rails: Path):
    native = NativeEngine(rails)
    engine = FailSafeEngine(native, native.policy, load_settings())
    user = [Message(role="user", content="he has slurred speech"), Message(role="user", content="are you there?")]
    answered = [user[0], Message(role="assistant", content="..."), user[1]]
    assert check(engine, Turn(messages=tuple(user), locale="en")).outcome == "emergency"
    assert check(engine, Turn(messages=tuple(user), locale="en")).spans[0].message == 0
    assert check(engine, Turn(messages=tuple(answered), locale="en")).outcome == "allow"


def test_own_identifiers_are_refused_only_where_the_profile_blocks(rails: Path):
    native = NativeEngine(rails)
    blocking = load_settings().model_copy(update={"profile": Profile(own_identifiers="block")})
    said = "my ssn is something"
    assert check(FailSafeEngine(native, native.policy, load_settings()), said).decision == "allow"
    assert check(FailSafeEngine(native, native.policy, blocking), said).slug == "pii-blocked"


def test_a_template_that_the_engine_cannot_say_comes_from_the_compiled_rails(rails: Path):
    refusal = asyncio.run(wrap(rails, says()).render("emergency-medical", "pt-BR", "BR"))
    assert "192" in refusal.text


def test_an_unknown_template_is_an_error(rails: Path):
    with pytest.raises(KeyError):
        asyncio.run(wrap(rails, says()).render("out-of-scope-weather", "en"))


def test_fifty_turns_at_once_do_not_cross(rails: Path):
    async def all_at_once() -> list[TurnDecision]:
        native = NativeEngine(rails)
        engine = FailSafeEngine(native, native.policy, load_settings())
        texts = ["slurred speech", "end my life", "double the dose", "so hopeless", "good morning"]
        turns = [Turn.of(texts[i % 5], locale=("en", "es-419", "pt-BR")[i % 3]) for i in range(50)]
        return list(await asyncio.gather(*(engine.check(turn) for turn in turns)))

    expected = ("emergency", "crisis", "refuse", "check-in", "allow")
    for i, decision in enumerate(asyncio.run(all_at_once())):
        assert (decision.outcome, decision.locale) == (expected[i % 5], ("en", "es-419", "pt-BR")[i % 3])


def test_a_synchronous_engine_needs_no_event_loop(rails: Path):
    native = NativeEngine(rails)
    engine = FailSafeEngine(native, native.policy, SHORT)
    turn = Turn.of(SAID, locale="en")
    assert engine.check_now(turn) == check(engine, turn)
    with pytest.raises(TypeError, match="event loop"):
        wrap(rails, says()).check_now(turn)


def test_an_engine_that_says_it_is_synchronous_and_waits_has_failed(rails: Path):
    waiting = ScriptedEngine(hangs)
    waiting.capabilities = frozenset({"synchronous"})
    engine = FailSafeEngine(waiting, NativeEngine(rails).policy, SHORT)
    decision = engine.check_now(Turn.of("hello", locale="en"))
    assert (decision.outcome, decision.failed) == ("urgent", True)


def test_what_one_check_leaves_for_its_evidence_is_never_taken_for_another_text(rails: Path):
    policy = NativeEngine(rails).policy
    (hit,) = policy.check("she has slurred speech")
    assert policy.scan("slurred speech today").text == "slurred speech today"
    assert policy.check("she has slurred speech") == (hit,)
    assert [match.start for match in policy.locate(hit.rule, hit.terms, "slurred speech today")] == [0]
