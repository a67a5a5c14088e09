"""The server of the playground: who may ask, what is answered, what reaches the disk, and what never leaves."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from carerails.cli.play import listening
from carerails.config import load_settings
from carerails.contracts import Findings
from carerails.engines import EngineInfo
from carerails.errors import UsageError
from carerails.play import answers, page, runners
from carerails.play.runners import Runner
from tests.kit import hears_interrupts
from tests.play.conftest import STROKE, TALK, Served, snapshot

SAID: dict[str, Any] = {"text": "😀 he has slurred speech", "locale": None, "country": None, "drafts": {}}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "localhost:{port}", "origin": "http://localhost:{port}"}, 200),
        ({"origin": None}, 200),
        ({"host": "evil.example:{port}"}, 421),  # a name of somebody else that points here
        ({"host": "127.0.0.1"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:1"}, 403),
        ({"x-carerails-token": None}, 401),
        ({"x-carerails-token": "wrong"}, 401),
        ({"x-carerails-token": ""}, 401),
    ],
)
def test_nobody_else_may_ask(served: Served, headers: dict[str, str | None], status: int):
    filled = {name: value.format(port=served.port) if value else value for name, value in headers.items()}
    for answer in (served.ask("state", **filled), served.ask("decide", SAID, **filled)):
        assert answer.status_code == status
        if status != 200:
            assert set(answer.json()) == {"error"}


def test_the_page_holds_no_token_and_may_ask_nobody_else(served: Served):
    answer = httpx.get(served.origin)
    assert answer.status_code == 200
    assert served.playground.token not in answer.text
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert (policy["default-src"], policy["connect-src"], policy["frame-ancestors"]) == ("'none'", "'self'", "'none'")
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    assert "http://" not in answer.text.replace(served.origin, "")
    assert "https://" not in answer.text
    assert httpx.get(served.origin, headers={"host": "evil.example"}).status_code == 421


def test_only_this_machine_can_reach_it():
    with listening(0) as bound:
        assert bound.getsockname()[0] == "127.0.0.1"
        with pytest.raises(UsageError, match="--port"):
            listening(bound.getsockname()[1])


def test_a_text_is_answered_with_views_hits_decisions_and_templates(served: Served):
    answer = served.said("decide", SAID | {"locale": "pt-BR", "country": "US"})
    assert answer["views"] == ["he has slurred speech"]
    [hit] = answer["hits"]
    assert (hit["rule"], hit["engines"], hit["spans"]) == ("red flag stroke", ["native"], [[9, 23]])
    assert SAID["text"][9:23] == "slurred speech"
    assert (hit["file"], hit["line"]) == (STROKE, 7)
    [engine] = answer["engines"]
    assert (engine["outcome"], engine["category"], engine["template"]) == ("emergency", "stroke", "emergency-medical")
    assert 0 < engine["latency_us"] < 2_000_000
    [template] = answer["templates"]
    assert list(template["texts"]) == ["en", "es-419", "pt-BR"]
    assert all("911" in text for text in template["texts"].values())
    assert answer["locale"] == "pt-BR"


def test_a_check_in_shows_the_refusal_behind_it(served: Served):
    answer = served.said("decide", SAID | {"text": "so hopeless, can I double the dose?"})
    assert [template["slug"] for template in answer["templates"]] == ["supportive-check-in", "out-of-scope-dosing"]


def test_drafts_are_decided_beside_the_engines_and_flip_cases(served: Served):
    before = snapshot(served.root)
    drafts = {STROKE: served.text().replace("slurred speech", "quiero morir")}
    found = served.said("consider", {"drafts": drafts})
    assert (found["counts"], found["rules"]) == ({"worse": 1, "safer": 1, "other": 0}, ["red flag stroke"])
    assert [(flip["place"], flip["kind"]) for flip in found["flips"]] == [
        ("mine/stroke", "missed"),
        ("mine/crisis", "caught"),
    ]
    answer = served.said("decide", SAID | {"drafts": drafts})
    assert [(one["name"], one["outcome"]) for one in answer["engines"]] == [
        ("your edit", "allow"),
        ("native", "emergency"),
    ]
    assert served.said("consider", {"drafts": drafts})["flips"] == found["flips"]  # nothing was taken over
    assert snapshot(served.root) == before


def test_errors_are_told_with_their_place(served: Served):
    drafts = {STROKE: served.text().replace("$or.join", "$orr.join")}
    found = served.said("consider", {"drafts": drafts})
    [error] = found["errors"]
    assert (error["file"], error["line"], error["code"], error["mend"]) == (
        STROKE,
        9,
        "undefined-variable",
        "did you mean `or`?",
    )
    assert (found["flips"], found["ready"]) == ([], True)
    before = snapshot(served.root)
    answer = served.ask("save", {"drafts": drafts, "stamps": {STROKE: served.said(f"file?name={STROKE}")["stamp"]}})
    assert answer.status_code == 422
    assert snapshot(served.root) == before


def test_save_writes_and_the_engines_decide_by_it(served: Served):
    path = served.root / STROKE
    path.chmod(0o640)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    file = served.said(f"file?name={STROKE}")
    drafts = {STROKE: file["text"].replace("\r\n", "\n").replace("slurred speech", "quiero morir")}
    saved = served.said("save", {"drafts": drafts, "stamps": {STROKE: file["stamp"]}})
    assert (
        path.read_bytes() == file["text"].replace("slurred speech", "quiero morir").encode()
    )  # line ends as they were
    assert path.stat().st_mode & 0o777 == 0o640
    assert saved["files"][0]["stamp"] != file["stamp"]
    served.ready()
    assert served.said("decide", SAID)["engines"][0]["outcome"] == "allow"
    assert (
        served.said("consider", {"drafts": {STROKE: drafts[STROKE] + "# x\n"}})["flips"] == []
    )  # against what is saved now
    assert not list(path.parent.glob(".new-*"))


def test_save_refuses_what_changed_on_disk_and_writes_nothing_of_it_all(served: Served):
    other = "red_flags/bleeding.co"
    files = {name: served.said(f"file?name={name}") for name in (STROKE, other)}
    (served.root / other).write_text("# somebody else was here\n" + files[other]["text"], encoding="utf-8")
    before = snapshot(served.root)
    drafts = {name: file["text"] + "# mine\n" for name, file in files.items()}
    answer = served.ask("save", {"drafts": drafts, "stamps": {name: file["stamp"] for name, file in files.items()}})
    assert answer.status_code == 409
    assert answer.json()["error"]["where"] == other
    assert snapshot(served.root) == before
    assert served.ask("save", {"drafts": drafts, "stamps": {}}).status_code == 409


@pytest.mark.parametrize("name", ["../secret.co", "/etc/passwd", "red_flags/new.co", "", "red_flags"])
def test_only_files_of_the_rails_can_be_read_or_written(served: Served, name: str):
    (served.root.parent / "secret.co").write_text("flow secret\n", encoding="utf-8")
    before = snapshot(served.root.parent)
    assert served.ask(f"file?name={name}").status_code == 400
    for question in ("consider", "save"):
        answer = served.ask(question, {"drafts": {name: "x"}} | ({"stamps": {name: "x"}} if question == "save" else {}))
        assert answer.status_code == 400
    assert snapshot(served.root.parent) == before


def test_a_change_on_disk_is_taken_over(served: Served):
    (served.root / STROKE).write_text(served.text().replace("slurred speech", "quiero morir"), encoding="utf-8")
    served.said("state")
    served.ready()
    assert served.said("decide", SAID)["engines"][0]["outcome"] == "allow"
    back = {STROKE: served.text().replace("quiero morir", "slurred speech")}
    assert served.said("consider", {"drafts": back})["counts"] == {"worse": 1, "safer": 1, "other": 0}
    (served.root / STROKE).write_text("flow x\n  return $y\n", encoding="utf-8")
    assert "$y" in served.said("state")["broken"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[1]",
        b'{"text": 1}',
        b'{"text": "a secret that a patient told", "extra": 1}',
        b"[" * 100_000,
        b'"\xff"',
    ],
)
def test_a_broken_question_is_told_without_what_it_says(served: Served, body: bytes):
    headers = {"x-carerails-token": served.playground.token}
    answer = httpx.post(f"{served.origin}/api/decide", content=body, headers=headers)
    assert answer.status_code == 400
    assert TALK not in answer.text


def test_a_question_that_is_too_large_is_refused(served: Served):
    headers = {"x-carerails-token": served.playground.token}
    answer = httpx.post(f"{served.origin}/api/decide", content=b" " * 5_000_000, headers=headers)
    assert answer.status_code == 400
    assert served.ask("decide", SAID | {"text": "x" * 200_001}).status_code == 400


def test_a_fault_of_ours_says_nothing_of_the_text(
    served: Served, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    async def broken(*_: object) -> dict[str, Any]:
        raise ValueError(TALK)

    monkeypatch.setattr(answers, "decided", broken)
    answer = served.ask("decide", SAID | {"text": TALK})
    assert answer.status_code == 500
    heard = capfd.readouterr()
    assert "ValueError at" in heard.err
    for said in (answer.text, heard.out, heard.err):
        assert TALK not in said


class _Stuck:
    """An engine that never answers, or cannot be started."""

    name, version = "stuck", "1"
    capabilities = frozenset[str]()

    def __init__(self, fails: bool) -> None:
        self._fails = fails

    async def start(self) -> None:
        if self._fails:
            raise RuntimeError(TALK)

    async def close(self) -> None: ...

    async def evaluate(self, text: str) -> Findings:
        time.sleep(3)  # it blocks its event loop, as some runtimes do  # noqa: ASYNC251
        return Findings()


@pytest.mark.parametrize(("fails", "state", "shown"), [(False, "ready", "silent"), (True, "failed", "failed")])
def test_an_engine_that_hangs_or_cannot_start_keeps_no_other(
    served: Served, monkeypatch: pytest.MonkeyPatch, fails: bool, state: str, shown: str
):
    from carerails import engine
    from carerails.policy import Policy

    def stuck(name: str, rails: Path, settings: Any) -> engine.FailSafeEngine:
        return engine.FailSafeEngine(_Stuck(fails), Policy.load(rails), settings)  # type: ignore[arg-type]

    monkeypatch.setattr(runners, "open_engine", stuck)
    monkeypatch.setattr(runners, "PATIENCE_S", 0.2)
    profile = load_settings().profile.model_copy(update={"deadline_s": 0.3})
    runner = Runner("stuck", served.root, load_settings().model_copy(update={"profile": profile}))
    assert runner.settled.wait(10)
    assert runner.state == state
    served.runners.all = (*served.runners.all, runner)
    begin = time.monotonic()
    native, other = served.said("decide", SAID)["engines"]
    assert time.monotonic() - begin < 2.5
    assert (native["outcome"], other["state"]) == ("emergency", shown)
    assert TALK not in runner.why


def test_an_engine_with_a_model_is_asked_only_where_it_is_named(served: Served, monkeypatch: pytest.MonkeyPatch):
    def describe(name: str) -> EngineInfo:
        return EngineInfo(name, "1", True, "", ("escalate", "sampled") if name == "model" else ("escalate",))

    monkeypatch.setattr(runners, "describe", describe)
    monkeypatch.setattr(runners, "installed", lambda: {"model": None, "native": None})
    every = runners.Runners(served.root, load_settings())
    assert ([runner.name for runner in every.all], every.sends) == (["native"], ())
    named = runners.Runners(served.root, load_settings(), ["model", "native"])
    assert ([runner.name for runner in named.all], named.sends) == (["native", "model"], ("model",))
    said = page.render("rails", load_settings(), named.sends)[0]
    assert "is sent to the model behind model" in said
    assert "stays on this machine" not in said
    for runner in (*every.all, *named.all):
        runner.settled.wait(10)
    every.close()
    named.close()


def test_the_command_serves_says_nothing_of_what_is_asked_and_ends_cleanly(rails: Path):
    command = [sys.executable, "-m", "carerails", "rails", "play", str(rails), "--engines", "native"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hears_interrupts,  # noqa: PLW1509
    )
    assert process.stderr
    first = process.stderr.readline()
    address = first.rsplit(" ", 1)[1].strip()
    origin, _, token = address.partition("/#token=")
    answer = httpx.post(f"{origin}/api/decide", json={"text": TALK}, headers={"x-carerails-token": token}, timeout=20)
    assert answer.status_code == 200
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (0, "")
    assert "closed" in err
    assert TALK not in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("prelude", "arguments", "said"),
    [
        ("sys.modules['starlette.applications'] = None", [], "pip install 'carerails[play]'"),
        ("sys.modules['uvicorn'] = None", [], "pip install 'carerails[play]'"),
        ("", ["nowhere"], "nowhere"),
        ("", ["--engines", "nativ"], "did you mean 'native'?"),
    ],
)
def test_what_cannot_be_served_is_one_clear_line(prelude: str, arguments: list[str], said: str):
    script = f"import sys; {prelude or 'pass'}; sys.argv = {['carerails', 'rails', 'play', *arguments]!r}; "
    script += "from carerails.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


def test_engines_that_are_closed_leave_no_thread(served: Served):
    runner = served.runners.all[0]
    served.runners.close()
    end = time.monotonic() + 10
    while runner.alive and time.monotonic() < end:
        time.sleep(0.01)
    assert not runner.alive
