"""The agent's slices: sound, a third a locale, labels that agree with what the cases say; broken files are named."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast, get_args

import pytest
from pydantic import ValidationError

from carerails.contracts import LOCALES
from carerails.errors import UsageError
from carerails.evals.agent_cases import (
    AGENT_SLICES,
    Conversation,
    Miss,
    Question,
    Review,
    Theme,
    load_agent_slice,
)
from carerails.evals.cases import slice_names
from carerails.resources import data_dir

OWN = {name: load_agent_slice(name) for name in AGENT_SLICES}
CITATION = cast("tuple[Question, ...]", OWN["citation"].cases)
NO_CONTEXT = cast("tuple[Question, ...]", OWN["no-context"].cases)
TALKS = cast("tuple[Conversation, ...]", OWN["multi-turn"].cases)
REVIEWS = cast("tuple[Review, ...]", OWN["review"].cases)
CARDS = {path.stem for path in (data_dir("config") / "kb").glob("*.yml")}
MARK = re.compile(r"\[cite:([^\]]*)\]")


def test_there_are_enough_cases_and_a_third_a_locale():
    for name, least in {"citation": 180, "no-context": 240, "multi-turn": 90, "review": 60}.items():
        shares = Counter(case.locale for case in OWN[name].cases)
        assert sum(shares.values()) >= least
        assert set(shares) == set(LOCALES)
        assert len(set(shares.values())) == 1, (name, shares)


def test_the_engines_slices_do_not_take_them_for_theirs():
    assert not set(slice_names()) & set(AGENT_SLICES)


@pytest.mark.parametrize("name", AGENT_SLICES)
def test_no_case_stands_twice(name: str):
    said = Counter((case.said(), case.locale) for case in OWN[name].cases)
    assert not [text for text, times in said.items() if times > 1]


def test_a_question_is_in_one_slice_only():
    assert not {case.text for case in CITATION} & {case.text for case in NO_CONTEXT}


def test_every_card_is_asked_for_in_every_locale():
    for locale in LOCALES:
        asked = {card for case in CITATION if case.locale == locale for card in case.expect.must_cite_one_of}
        assert asked == CARDS, (locale, asked ^ CARDS)


def test_a_question_has_one_answer_or_two_at_most():
    assert all(1 <= len(case.expect.must_cite_one_of) <= 2 for case in CITATION)
    assert all(case.kind_of_miss is None for case in CITATION)


def test_every_card_that_a_case_names_exists():
    named: set[str] = set()
    for case in (*CITATION, *NO_CONTEXT, *TALKS):
        for step in case.steps:
            named.update(step.expect.must_cite_one_of, step.expect.must_not_cite)
    named.update(case.near for case in NO_CONTEXT if case.near)
    named.update(card for case in REVIEWS for card in (*case.passages, *case.expect.must_cite_one_of))
    assert named <= CARDS, named - CARDS


def test_every_kind_of_miss_and_the_questions_beside_it_stand_in_every_locale():
    for locale in LOCALES:
        kinds = Counter(case.kind_of_miss for case in NO_CONTEXT if case.locale == locale)
        assert set(kinds) == {*get_args(Miss), None}
        assert kinds[None] >= 20
        assert sum(times for kind, times in kinds.items() if kind) >= 60
        assert min(kinds.values()) >= 10


def test_every_theme_stands_in_every_locale():
    for locale in LOCALES:
        assert {case.theme for case in TALKS if case.locale == locale} == set(get_args(Theme))


@pytest.mark.parametrize("case", TALKS, ids=lambda case: case.id)
def test_a_conversation_tests_its_theme(case: Conversation):
    kinds = [step.expect.kind for step in case.steps]
    first, last = case.steps[0].expect, case.steps[-1].expect
    expected = {
        "red-flag-later": kinds[0] != "escalation" and kinds[-1] == "escalation",
        "after-refusal": kinds[0] == "refusal" and "answer" in kinds[1:],
        "after-urgent": first.template == "urgent-care" and last.kind == "answer",
        "after-check-in": kinds[0] == "check-in" and last.kind == "answer",
        "disengaged": len(kinds) > 1 and set(kinds) == {"escalation"} and first.template != "urgent-care",
        "two-messages": len(case.steps[-1].messages) > 1 and kinds[-1] == "escalation",
        "locale-kept": case.steps[-1].locale == "absent" and first.locale_of_reply == last.locale_of_reply is not None,
        "locale-switch": first.locale_of_reply != last.locale_of_reply,
        "country": bool(case.steps[-1].country and last.shows),
        "no-leak": all(a.expect != b.expect for a, b in zip(case.steps, case.steps[1:], strict=False)),
    }
    assert expected[case.theme]


def test_after_an_emergency_or_a_crisis_a_conversation_only_escalates():
    for case in TALKS:
        kinds = [(step.expect.kind, step.expect.template) for step in case.steps]
        over = next((n for n, (kind, what) in enumerate(kinds) if kind == "escalation" and what != "urgent-care"), None)
        assert over is None or all(kind == "escalation" for kind, _ in kinds[over:]), case.id


def cited(text: str) -> set[str]:
    return set(MARK.findall(text))


def has_bare_claim(text: str) -> bool:
    """Whether a sentence cites nothing; a mark may stand on either side of the full stop."""
    pieces = re.split(r"(?<=[.!?])\s+(?!\[cite:)", text)
    return any(not MARK.search(piece) for piece in pieces)


@pytest.mark.parametrize("case", REVIEWS, ids=lambda case: case.id)
def test_the_reason_of_a_review_agrees_with_its_draft(case: Review):
    if case.expect.kind == "escalation" and not case.needs_review:
        return  # nobody reads this draft
    offered = set(case.passages)
    assert (case.why == "missing-citation") == has_bare_claim(case.draft)
    assert (case.why == "unknown-citation") == bool(cited(case.draft) - offered)


@pytest.mark.parametrize("case", [case for case in REVIEWS if case.edited_text], ids=lambda case: case.id)
def test_an_edit_leaves_exactly_when_nothing_is_wrong_with_it(case: Review):
    assert case.edited_text
    bare = has_bare_claim(case.edited_text) or bool(cited(case.edited_text) - set(case.passages))
    assert bare == (case.edit_refused == "missing-citation")
    assert case.expect.kind == ("refusal" if case.edit_refused else "answer")


def test_red_flags_do_not_wait_with_the_turn_or_during_a_review():
    for locale in LOCALES:
        flags = [case for case in REVIEWS if case.locale == locale and case.expect.kind == "escalation"]
        assert {case.then is not None for case in flags} == {True, False}
        assert all(case.action is None for case in flags)


def test_a_step_names_the_locale_of_its_request():
    for case in TALKS:
        for step in case.steps:
            assert step.requested(case.locale) == {"case": case.locale, "absent": None}.get(step.locale, step.locale)


SPEC = "about: x\nrule: {failed: {max: 0}}\n"
ANSWER: dict[str, Any] = {"kind": "answer", "must_cite_one_of": ["storage-insulin"]}
QUESTION: dict[str, Any] = {"id": "1", "locale": "en", "text": "secret", "expect": ANSWER}
REFUSED: dict[str, Any] = {"kind": "refusal", "slug": "no-context"}
TALK: dict[str, Any] = {"id": "1", "locale": "en", "theme": "no-leak", "steps": [{"say": "secret", "expect": ANSWER}]}
REVIEW: dict[str, Any] = {
    "id": "1",
    "locale": "en",
    "text": "secret",
    "draft": "secret",
    "passages": ["storage-insulin"],
    "needs_review": True,
    "why": "missing-citation",
    "action": "reject",
    "expect": {"kind": "refusal"},
}


def broken(directory: Path, name: str, rows: Iterable[Any], spec: str = SPEC) -> str:
    text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
    (directory / f"{name}.yml").write_text(spec, encoding="utf-8")
    (directory / f"{name}.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load_agent_slice(name, directory)
    assert "secret" not in str(caught.value)
    return str(caught.value)


BROKEN: list[tuple[str, tuple[Any, ...], str]] = [
    ("citation", (QUESTION, "{"), "citation.jsonl:2: not JSON"),
    ("citation", (QUESTION, "", "[]"), "citation.jsonl:3: "),
    ("citation", (QUESTION, QUESTION), "citation.jsonl:2: the id '1' stands twice"),
    ("citation", (), "no cases"),
    ("citation", ({**QUESTION, "locale": "fr"},), "citation.jsonl:1: locale"),
    ("citation", ({**QUESTION, "nere": "storage-insulin"},), "did you mean 'near'?"),
    ("citation", ({**QUESTION, "expect": {**ANSWER, "slgu": "x"}},), ":1: expect.slgu"),
    ("citation", ({**QUESTION, "expect": {**ANSWER, "must_cite_one_of": ["No Card"]}},), ":1: expect.must_cite"),
    ("citation", ({**QUESTION, "expect": {"kind": "answer"}},), "names the cards"),
    ("citation", ({**QUESTION, "expect": {**ANSWER, "slug": "default"}},), "only an expected refusal has a slug"),
    ("citation", ({**QUESTION, "expect": {**ANSWER, "template": "urgent-care"}},), "has a template"),
    (
        "citation",
        ({**QUESTION, "expect": {**REFUSED, "must_cite_one_of": ["a"]}},),
        "only an expected answer cites",
    ),
    ("citation", ({**QUESTION, "expect": {**ANSWER, "must_not_cite": ["storage-insulin"]}},), "right or wrong"),
    ("no-context", ({**QUESTION, "expect": REFUSED},), "only a miss is"),
    ("no-context", ({**QUESTION, "kind_of_miss": "near-general"},), "only a miss is"),
    ("no-context", ({**QUESTION, "near": "storage-insulin"},), "only a miss is near a card"),
    ("multi-turn", ({**TALK, "steps": []},), ":1: steps"),
    ("multi-turn", ({**TALK, "steps": TALK["steps"] * 6},), ":1: steps"),
    ("multi-turn", ({**TALK, "steps": [{"say": [], "expect": ANSWER}]},), ":1: steps.0.say"),
    ("review", ({**REVIEW, "needs_review": False},), "a review has a reason"),
    ("review", ({**REVIEW, "why": "none"},), "a review has a reason"),
    ("review", ({**REVIEW, "action": None},), "ends by an action or a new message"),
    ("review", ({**REVIEW, "then": "secret"},), "not by both"),
    ("review", ({**REVIEW, "action": "edit"},), "only an edit has one"),
    ("review", ({**REVIEW, "edit_refused": "dose"},), "only an edit can be refused"),
    ("review", ({**REVIEW, "expect": ANSWER},), "leave as a refusal"),
]


@pytest.mark.parametrize(("name", "rows", "what"), BROKEN)
def test_a_broken_case_is_named_with_its_line(tmp_path: Path, name: str, rows: tuple[Any, ...], what: str):
    assert what in broken(tmp_path, name, rows)


def test_a_broken_head_is_named_with_its_line(tmp_path: Path):
    assert "citation.yml:2: unknown key 'rules'" in broken(tmp_path, "citation", (QUESTION,), "about: x\nrules: {}\n")
    assert "a slice has a rule" in broken(tmp_path, "citation", (QUESTION,), "about: x\n")


def test_a_missing_file_and_an_unknown_slice_are_said(tmp_path: Path):
    with pytest.raises(UsageError, match=r"citation\.yml"):
        load_agent_slice("citation", tmp_path)
    with pytest.raises(UsageError, match="did you mean 'review'"):
        load_agent_slice("reviews")


def test_the_same_case_with_nothing_broken_loads(tmp_path: Path):
    for name, row in {"citation": QUESTION, "multi-turn": TALK, "review": REVIEW}.items():
        (tmp_path / f"{name}.yml").write_text(SPEC, encoding="utf-8")
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
        assert len(load_agent_slice(name, tmp_path).cases) == 1


def test_a_case_cannot_be_changed():
    with pytest.raises(ValidationError):
        setattr(CITATION[0], "text", "other")  # noqa: B010 - an assignment would not pass the type checker
