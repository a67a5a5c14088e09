"""The reply's schema: data or errors, never an exception, and never a word of the model in an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carerails.config import Profile, load_settings, load_yaml
from carerails.errors import UsageError
from carerails.output.schema import FieldError, parse_reply
from carerails.output.settings import OutputSettings, Quantity

RULES = OutputSettings(
    max_chars=100,
    max_citations=2,
    actions=("remind",),
    quantities={"water": Quantity(unit="ml", min=50, max=500)},
    min_confidence=0.5,
)
GOOD: dict[str, Any] = {"kind": "answer", "text": "Keep it dry. [cite:a]", "citations": ["a"], "confidence": 0.9}
SECRET = "Maria Lopez"


def errors(**changes: Any) -> list[tuple[str, str]]:
    return [(each.field, each.error) for each in parse_reply(json.dumps(GOOD | changes), RULES).errors]


def test_a_reply_that_keeps_all_rules():
    full = GOOD | {"action": "remind", "quantities": {"water": {"value": 50, "unit": "ml"}}}
    parsed = parse_reply(f"```json\n{json.dumps(full)}\n```", RULES)
    assert parsed.errors == ()
    assert parsed.data is not None
    assert (parsed.data.reply().citations, parsed.data.action) == (("a",), "remind")


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"text": "x" * 101}, ("text", "too-long")),
        ({"citations": ["a", "b", "c"]}, ("citations", "too-many")),
        ({"action": "call-doctor"}, ("action", "not-in-set")),
        ({"confidence": 0.49}, ("confidence", "too-low")),
        ({"confidence": 1.2}, ("confidence", "less_than_equal")),
        ({"confidence": -1}, ("confidence", "greater_than_equal")),
        ({"confidence": True}, ("confidence", "float_type")),
        ({"confidence": "0.9"}, ("confidence", "float_type")),
        ({"confidence": "8/10"}, ("confidence", "float_type")),
        ({"confidence": float("nan")}, ("confidence", "finite_number")),
        ({"confidence": float("inf")}, ("confidence", "finite_number")),
        ({"confidence": None}, ("confidence", "missing")),
        ({"quantities": {"water": {"value": 501, "unit": "ml"}}}, ("quantities", "out-of-range")),
        ({"quantities": {"water": {"value": 49.9, "unit": "ml"}}}, ("quantities", "out-of-range")),
        ({"quantities": {"water": {"value": 0.2, "unit": "l"}}}, ("quantities", "wrong-unit")),
        ({"quantities": {"steps": {"value": 60, "unit": "ml"}}}, ("quantities", "unknown-quantity")),
        ({"quantities": {"water": {"value": "60", "unit": "ml"}}}, ("quantities", "float_type")),
        ({"kind": "escalation"}, ("kind", "literal_error")),
        ({SECRET: 1}, ("reply", "extra_forbidden")),
    ],
)
def test_each_rule_that_is_broken_is_named(changes: dict[str, Any], found: tuple[str, str]):
    """Known failure 27: out of range is a failure, never clamped."""
    assert errors(**changes) == [found]


@pytest.mark.parametrize(
    "raw",
    [
        None,
        7,
        b"{}",
        "",
        "{}",
        "[]",
        "null",
        f"Here you are: {json.dumps(GOOD)}",
        str(GOOD),
        json.dumps(GOOD)[:-1],
        json.dumps(GOOD).replace('"kind"', '"text": "x", "kind"'),
        "[" * 100_000,
        json.dumps(GOOD).replace("Keep", "\ud800"),
    ],
)
def test_what_is_no_such_object_is_an_error(raw: object):
    """Known failure 26."""
    parsed = parse_reply(raw, RULES)
    assert parsed.data is None
    assert parsed.errors


@given(st.one_of(st.text(), st.binary(), st.none(), st.dictionaries(st.text(), st.text()).map(json.dumps)))
def test_nothing_raises(raw: object):
    parsed = parse_reply(raw, RULES)
    assert (parsed.data is None) == bool(parsed.errors)


def test_errors_say_nothing_of_what_stood_there():
    for changes in ({"text": SECRET * 30}, {"action": "maria-lopez"}, {SECRET: SECRET}, {"kind": SECRET}):
        assert "aria" not in repr(parse_reply(json.dumps(GOOD | changes), RULES).errors)


def test_field_errors_are_told_apart():
    assert FieldError(field="text", error="too-long") != FieldError(field="text", error="blank")


@pytest.mark.parametrize(
    ("text", "where", "mend"),
    [
        ("output:\n  max_char: 10\n", ":2: unknown key 'max_char'", "did you mean 'max_chars'?"),
        ("circuit:\n  failure: 3\n", ":2: unknown key 'failure'", "did you mean 'failures'?"),
        ("circuit:\n  serve: nobody\n", ":2: circuit.serve", ""),
        ("circuit:\n  webhook: ftp://x\n", ":2: circuit.webhook", ""),
        ("output:\n  min_confidence: 1.5\n", ":2: output.min_confidence", ""),
        ("output:\n  domains: [https://x.org]\n", ":2: output.domains.0", ""),
        ("output:\n  quantities: {water: {unit: ml, min: 9, max: 1}}\n", ":2: output.quantities.water", ""),
    ],
)
def test_a_wrong_profile_is_an_error_with_its_line(tmp_path: Path, text: str, where: str, mend: str):
    """Known failure 6."""
    path = tmp_path / "default.yml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as error:
        load_yaml(path, Profile)
    assert f"{path}{where}" in str(error.value)
    assert mend in str(error.value)


def test_the_shipped_profile_says_every_key():
    import yaml

    from carerails.resources import data_dir

    shown = yaml.safe_load((data_dir("config") / "profiles" / "default.yml").read_text(encoding="utf-8"))
    profile = load_settings().profile
    assert shown["output"].keys() == type(profile.output).model_fields.keys()
    assert shown["circuit"].keys() == type(profile.circuit).model_fields.keys()
    assert (profile.output, profile.circuit) == (OutputSettings(), type(profile.circuit)())
