"""Each trap is reported with its code at its place, whatever NeMo makes of it."""

from __future__ import annotations

import pytest

from carerails.colang import KINDS
from tests.colang import nemo, ours
from tests.colang.traps import TRAPS, Trap

IDS = [f"{number}-{trap.code}" for number, trap in enumerate(TRAPS)]
#: Codes that need a whole policy, a directory or the linter: test_policy.py and test_lint.py.
ELSEWHERE = {
    "meta-key",
    "meta-missing",
    "meta-value",
    "signature",
    "rule-name",
    "duplicate-template",
    "no-check",
    "no-guard",
} | {
    "examples",
    "example-locale",
}


def marked(trap: Trap) -> tuple[str, tuple[int, int] | None]:
    """The text without its mark, and line and column of the mark. A decorator's own `@` is the second of two."""
    at = trap.text.find("@")
    if at < 0:
        return trap.text, None
    before = trap.text[:at]
    return before + trap.text[at + 1 :], (before.count("\n") + 1, at - before.rfind("\n"))


@pytest.mark.parametrize("trap", TRAPS, ids=IDS)
def test_the_trap_is_reported_at_its_place(trap: Trap):
    text, place = marked(trap)
    found = [(problem.code, (problem.line, problem.column)) for problem in ours.problems(text)]
    assert trap.code in [code for code, _ in found], found
    if place:
        assert (trap.code, place) in found


@pytest.mark.parametrize("trap", TRAPS, ids=IDS)
def test_nemo_does_with_it_what_the_table_says(trap: Trap):
    text, _ = marked(trap)
    try:
        nemo.parsed(text)
    except nemo.Refused:
        assert trap.verdict == "refused"
    else:
        assert trap.verdict != "refused"


def test_every_kind_of_error_has_a_trap():
    assert {trap.code for trap in TRAPS} | ELSEWHERE == set(KINDS)


def test_every_message_says_how_to_mend_it():
    for trap in TRAPS:
        for problem in ours.problems(marked(trap)[0]):
            assert problem.what
            assert problem.mend
            assert "{}" not in str(problem).replace("`{}`", "")


def test_all_errors_of_a_file_are_reported_at_once():
    text = 'flow f $t\n  $x = "\\b"\n  $y = 1.5\n  if $t:\n    $z = (1)\n  return lower($t)\n\nflow g\n  return $no\n'
    found = [(problem.line, problem.code) for problem in ours.problems(text)]
    assert found == [(2, "single-backslash"), (3, "float"), (4, "colon"), (5, "grouping"), (6, "function")]
