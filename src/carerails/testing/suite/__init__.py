"""The conformance suite: what an engine must do to be used behind carerails, whatever it decides by.

    from carerails.testing import conformance
    test_it_conforms = conformance("my-engine")

makes a pytest test of every check. `carerails conformance my-engine` runs the same from a shell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Literal, NamedTuple

from carerails.contracts import RuleEngine
from carerails.testing.suite import contract, failsafe, text, turns
from carerails.testing.suite.subject import Fails, NotApplicable, Subject

Check = Callable[[Subject], None]

#: Every check, by what it is of.
CHECKS: dict[str, tuple[Check, ...]] = {
    "contract": (
        contract.names_itself,
        contract.has_the_methods,
        contract.answers_findings,
        contract.answers_any_text,
        contract.tells_kinds_apart,
        contract.renders_templates,
        contract.is_no_pass_before_start,
        contract.is_no_pass_after_close,
        contract.starts_again,
    ),
    "fail-safe": (failsafe.never_passes_a_fault, failsafe.keeps_the_deadline),
    "concurrency": (turns.decides_many_at_once, turns.works_in_any_loop_and_thread),
    "locale": (text.hears_every_locale, text.speaks_every_locale),
    "spans": (text.finds_terms_in_the_text, text.points_at_the_users_words),
    "determinism": (turns.decides_alike_every_time,),
    "cancellation": (failsafe.can_be_called_off,),
    "state": (turns.remembers_nothing,),
}


class Result(NamedTuple):
    """What came of one check. `why` says what is wrong, or why the check does not apply; never a text of a probe."""

    area: str
    check: str
    result: Literal["pass", "fail", "not applicable"]
    why: str
    seconds: float


def examine(subject: Subject, checks_by_area: Mapping[str, Sequence[Check]] = CHECKS) -> Iterator[Result]:
    """Run every check, one after the other. An engine that raises fails the check, and does not end the suite."""
    for area, checks in checks_by_area.items():
        for check in checks:
            began, name = perf_counter(), _name(check)
            try:
                check(subject)
                yield Result(area, name, "pass", "", perf_counter() - began)
            except NotApplicable as reason:
                yield Result(area, name, "not applicable", str(reason), perf_counter() - began)
            except Fails as error:
                yield Result(area, name, "fail", str(error), perf_counter() - began)
            except Exception as error:  # its message may quote the text
                yield Result(area, name, "fail", f"it raises {type(error).__name__}", perf_counter() - began)


def conformance(engine: str | Callable[[], RuleEngine], *, rails: Path | None = None) -> Any:
    """A pytest test function with one item a check.

    Args:
        engine: its name, as `carerails engines` lists it, or a callable that makes an adapter.
        rails: directory of Colang, or an exported policy.json; None: the rails that are shipped.
    """
    import pytest

    held: list[Subject] = []

    @pytest.mark.parametrize("check", [pytest.param(c, id=f"{a}: {_name(c)}") for a, cs in CHECKS.items() for c in cs])
    def test_conformance(check: Check, request: pytest.FixtureRequest) -> None:
        if not held:
            held.append(Subject.of(engine, rails))
            request.session.addfinalizer(lambda: held.pop().close())
        try:
            check(held[0])
        except NotApplicable as reason:
            pytest.skip(str(reason))

    return test_conformance


def _name(check: Check) -> str:
    return check.__name__.replace("_", " ")


__all__ = ["CHECKS", "Fails", "NotApplicable", "Result", "Subject", "conformance", "examine"]
