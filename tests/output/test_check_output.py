"""`carerails check-output`, through the real command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from carerails.cli import app
from carerails.errors import UsageError
from carerails.resources import data_dir

GOOD = {
    "id": "a",
    "question": "where does insulin go",
    "text": "Unopened insulin keeps best in the fridge. [cite:storage-insulin]",
    "cards": ["storage-insulin"],
    "draft": True,
}


def check(tmp_path: Path, *lines: object, args: tuple[str, ...] = ()) -> tuple[int, list[dict[str, Any]]]:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    source.write_bytes(text.encode("utf-8", "surrogateescape"))
    result = CliRunner().invoke(app, ["check-output", "--in", str(source), "--out", str(target), *args])
    if isinstance(result.exception, UsageError):
        raise result.exception
    return result.exit_code, [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]


def test_replies_pass_or_stop_in_input_order(tmp_path: Path):
    dose = GOOD | {"id": "b", "text": "Take two units more. [cite:storage-insulin]"}
    raw = {"id": "c", "raw": '{"kind": "answer", "text": "x", "citations": [], "confidence": 2}'}
    bare = GOOD | {"id": "d", "draft": False}
    own = {"id": "e", "text": "Keep it dry. [cite:mine]", "draft": True, "passages": [{"card": "mine", "text": "Dry."}]}
    code, found = check(tmp_path, GOOD, dose, raw, bare, own)
    assert code == 0
    assert [(each["id"], each["decision"], each["reasons"]) for each in found] == [
        ("a", "pass", []),
        ("b", "stop", ["dose-advice"]),
        ("c", "stop", ["malformed"]),
        ("d", "stop", ["missing-footer"]),
        ("e", "pass", []),
    ]
    assert found[1]["objections"][0]["file"] == "output/dose_advice.co"
    assert found[2]["field_errors"] == ["confidence-less_than_equal"]


BROKEN: list[tuple[object, str]] = [
    ("no json", "not JSON"),
    ("[1]", "not an object"),
    ({"txt": "x"}, "did you mean 'text'?"),
    ({"text": "x", "raw": "y"}, "both text and raw"),
    ({}, "neither text nor raw"),
    ({"text": 7}, "text is no text"),
    ({"text": "x", "locale": "fr"}, "unknown locale"),
    ({"text": "x", "kind": "joke"}, "unknown kind"),
    ({"text": "x", "cards": ["storage-insulins"]}, "did you mean 'storage-insulin'?"),
    ({"text": "x", "cards": "storage-insulin"}, "cards is not a list"),
    ({"text": "x", "cards": [1]}, "cards holds what is no text"),
    ({"text": "x", "passages": ["y"]}, "no card with a text"),
    ({"text": "x", "passages": [{"card": "", "text": "y"}]}, "no card with a text"),
    ({"text": "x", "passages": [{"card": "mine", "text": "y", "locale": "en"}]}, "no card with a text"),
    ({"text": "x", "question": 1}, "question is no text"),
    ({"text": "x", "draft": "yes"}, "draft is neither true nor false"),
    ('{"text": "\udcff"}', "not UTF-8"),
    ("[" * 100_000, "nested too deeply"),
]


def test_a_line_that_cannot_be_read_is_told_in_its_place(tmp_path: Path):
    code, found = check(tmp_path, *(line for line, _ in BROKEN), GOOD)
    assert code == 2
    for number, ((_, what), record) in enumerate(zip(BROKEN, found, strict=False), 1):
        assert record["error"]["line"] == number
        assert what in f"{record['error']['what']} {record['error']['mend']}"
    assert found[-1]["decision"] == "pass"


def test_a_check_that_fails_is_exit_4_unless_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from carerails.output import checks

    def broken(*_: object) -> None:
        raise RuntimeError("the reply")

    monkeypatch.setitem(checks.CHECKS, "language", broken)  # type: ignore[arg-type]
    code, found = check(tmp_path, GOOD)
    assert (code, found[0]["decision"], found[0]["reasons"], found[0]["failed"]) == (4, "stop", ["check-failed"], True)
    assert "the reply" not in json.dumps(found)
    assert check(tmp_path, GOOD, args=("--allow-failures",))[0] == 0


def test_an_unknown_engine_or_profile_is_named(tmp_path: Path):
    with pytest.raises(UsageError, match="did you mean 'native'"):
        check(tmp_path, GOOD, args=("--engine", "nativ"))
    with pytest.raises(UsageError, match="did you mean 'default'"):
        check(tmp_path, GOOD, args=("--profile", "defalt"))


def test_a_file_with_a_byte_order_mark_and_lines_without_an_id(tmp_path: Path):
    rest = {key: value for key, value in GOOD.items() if key != "id"}
    code, found = check(tmp_path, "\ufeff" + json.dumps(rest), "", {**rest, "id": None}, {**rest, "id": 0})
    assert (code, [(each["id"], each["decision"]) for each in found]) == (
        0,
        [("1", "pass"), ("3", "pass"), ("0", "pass")],
    )


def test_the_local_judge_is_asked_where_it_is_asked_for(tmp_path: Path):
    oblique = GOOD | {"text": "A pair of them before bed will even things out. [cite:storage-insulin]"}
    assert [check(tmp_path, oblique)[1][0]["decision"]] == ["pass"]
    _, (judged,) = check(tmp_path, oblique, args=("--semantic", "local"))
    assert (judged["reasons"], judged["objections"][0]["rule"]) == (["dose-advice"], "output judged dose advice")


def test_without_the_extra_it_says_so_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("carerails.semantic.is_installed", lambda: False)
    assert check(tmp_path, GOOD, args=("--semantic", "local"))[1][0]["decision"] == "pass"


def test_rails_without_a_footer_are_named(tmp_path: Path):
    """The rails of replies are a part of the rails, and not the ones that are asked for."""
    with pytest.raises(UsageError, match=r"the rails have no template footer .name the folder that templates"):
        check(tmp_path, GOOD, args=("--rails", str(data_dir("rails") / "output")))
