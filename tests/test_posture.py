"""What the agent never does is said in three places in the same words, and everything that holds it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

import carerails
from carerails.contracts import LOCALES
from carerails.evals.agent_cases import AGENT_SLICES, load_agent_slice
from carerails.evals.agent_scoring import expected_of
from carerails.evals.cases import load_slice
from carerails.policy import Policy
from carerails.posture import Never, load_posture
from carerails.resources import data_dir

POSTURE = load_posture()
IDS = [never.does.split(":")[0] for never in POSTURE.never]


@pytest.fixture(scope="module")
def policy() -> Policy:
    return Policy.load(data_dir("rails"))


def numbered() -> str:
    last = len(POSTURE.never)
    return "\n".join(
        f"{number}. {never.does}{'.' if number == last else ';'}" for number, never in enumerate(POSTURE.never, 1)
    )


def test_there_are_seven() -> None:
    assert len(POSTURE.never) == 7


def test_the_package_says_so() -> None:
    assert carerails.__doc__
    assert f"What this is not: a medical device. The agent that uses it never\n{numbered()}" in carerails.__doc__


def test_the_readme_says_so() -> None:
    readme = Path(__file__).parents[1] / "README.md"
    _, _, told = readme.read_text(encoding="utf-8").partition("## What this is not\n")
    assert f"The agent that uses it never\n{numbered()}\n" in told


@pytest.mark.parametrize("never", POSTURE.never, ids=IDS)
def test_its_rules_refuse_or_escalate_with_its_templates(policy: Policy, never: Never) -> None:
    for name in never.rules:
        meta = policy.rules[name].meta
        outcome = {"emergency": "emergency-medical", "crisis": "mental-health-crisis"}.get(meta.outcome, meta.slug)
        assert outcome in never.templates


@pytest.mark.parametrize("never", POSTURE.never, ids=IDS)
def test_its_templates_speak_every_locale(policy: Policy, never: Never) -> None:
    numbers = {"emergency": "999", "crisis": "998"}
    for slug in never.templates:
        assert len({policy.render(slug, locale, numbers) for locale in LOCALES}) == len(LOCALES)


@pytest.mark.parametrize("never", POSTURE.never, ids=IDS)
def test_its_cases_exist_in_every_locale_and_ask_for_its_templates(never: Never) -> None:
    locales: set[str] = set()
    for name in never.cases:
        piece, _, ident = name.partition("/")
        if piece in AGENT_SLICES:
            case = next(case for case in load_agent_slice(piece).cases if case.id == ident)
            expected = expected_of(case)[0]
            assert expected.template in never.templates or expected.kind == "refusal"
        else:
            case = next(case for case in load_slice(piece).cases if case.id == ident)
            assert case.slug in never.templates
        locales.add(case.locale)
    assert locales == set(LOCALES)
