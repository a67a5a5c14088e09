"""The slices of screening hold by their published rules, on the shipped rails and settings."""

from __future__ import annotations

import pytest

from carerails.errors import UsageError
from carerails.evals.screening import judge, load_screening_slice, outcomes, score
from carerails.lint import lint
from carerails.screening.carriers import screening_rails
from carerails.screening.local import LocalModel
from carerails.screening.screener import Screener


@pytest.mark.parametrize(("name", "least"), [("screening", 300), ("citations", 150)])
def test_the_rule_of_a_slice_holds(name: str, least: int, local: LocalModel) -> None:
    spec, cases = load_screening_slice(name)
    assert len(cases) >= least
    found = list(outcomes(Screener(rails=local), cases))
    assert [verdict for verdict in judge(name, spec, "local", found) if not verdict.passed] == []


def test_a_model_that_finds_nothing_does_not_pass(local: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, cases = load_screening_slice("screening")

    def nothing(*_: object) -> dict[str, tuple[str, ...]]:
        return {}

    monkeypatch.setattr("carerails.screening.carriers.Carriers.find", nothing)
    found = list(outcomes(Screener(rails=local), cases))
    assert score(found)["carriers_out"].value == 0
    assert any(not verdict.passed for verdict in judge("screening", spec, "local", found))


def test_an_unknown_slice_is_named() -> None:
    with pytest.raises(UsageError, match="citations"):
        load_screening_slice("citation")


def test_the_rails_of_screening_are_clean() -> None:
    assert [finding for finding in lint(screening_rails()) if finding.severity == "error"] == []
