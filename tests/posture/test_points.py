"""What the agent never does is said in three places in the same words, and what holds it speaks every locale."""

from __future__ import annotations

import pytest

from carerails.contracts import LOCALES
from carerails.evals.agent_cases import AGENT_SLICES, load_agent_slice
from carerails.evals.agent_scoring import expected_of
from carerails.evals.cases import load_slice
from carerails.policy import Policy
from carerails.posture import Never, load_posture
from carerails.posture.check import Places, check
from carerails.resources import data_dir

POSTURE = load_posture()
IDS = [never.does.split(":")[0] for never in POSTURE.never]


@pytest.fixture(scope="module")
def policy() -> Policy:
    return Policy.load(data_dir("rails"))


def test_there_are_seven() -> None:
    assert len(POSTURE.never) == 7


def test_every_place_says_so_and_all_that_holds_it_is_there(places: Places) -> None:
    assert check(places) == []


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
