"""The stub answers in the order of its script, fails what nobody scripted, and keeps all that was sent."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import Any

import pytest

from carerails.testing import FAULTS, StubLLM, answers, rate_limited, refuses, says, status, stub_llm
from carerails.testing.endpoint import Recorded, Scripted

__all__ = ["stub_llm"]


def post(url: str, body: object) -> tuple[int, Any]:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, json.loads(response.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def chat(llm: StubLLM, body: object = None) -> tuple[int, Any]:
    return post(f"{llm.base_url}/chat/completions", body or {"messages": []})


def streamed(llm: StubLLM) -> list[str]:
    """The data of each event of a stream."""
    request = urllib.request.Request(f"{llm.base_url}/chat/completions", b'{"stream": true}')
    with urllib.request.urlopen(request, timeout=10) as response:
        assert response.headers["content-type"] == "text/event-stream"
        text = response.read().decode()
    return [event.removeprefix("data: ") for event in text.split("\n\n") if event]


def test_the_script_is_followed_and_its_last_reply_repeats(stub_llm: StubLLM) -> None:
    stub_llm.script(status(429), answers({"n": 1}), answers({"n": 2}))
    got = [chat(stub_llm, {"messages": [{"role": "user", "content": str(n)}]}) for n in range(4)]
    assert [code for code, _ in got] == [429, 200, 200, 200]
    assert [json.loads(body["choices"][0]["message"]["content"])["n"] for _, body in got[1:]] == [1, 2, 2]
    assert [one.messages[0]["content"] for one in stub_llm.requests] == ["0", "1", "2", "3"]


def test_what_nobody_scripted_fails_and_is_kept(stub_llm: StubLLM) -> None:
    assert chat(stub_llm, {"a": 1})[0] == 500
    assert post(f"{stub_llm.root}/runs/batch", {"trace": "of zanahoria"})[0] == 404
    assert (stub_llm.count, len(stub_llm.strays)) == (1, 1)
    assert "zanahoria" in stub_llm.sent


def test_a_function_answers_by_what_was_asked(stub_llm: StubLLM) -> None:
    def echo(request: Recorded) -> Scripted:
        return says(request.messages[0]["content"])

    stub_llm.script(echo)
    for word in ("uno", "dois"):
        _, body = chat(stub_llm, {"messages": [{"role": "user", "content": word}]})
        assert body["choices"][0]["message"]["content"] == word


def test_a_slow_reply_does_not_hold_up_the_end(stub_llm: StubLLM) -> None:
    with StubLLM() as slow:
        slow.script(answers({}).after(60))
        began = time.monotonic()
        with pytest.raises((TimeoutError, urllib.error.URLError)):
            urllib.request.urlopen(f"{slow.base_url}/chat/completions", b"{}", timeout=0.2)
    assert time.monotonic() - began < 10


def test_a_limit_says_when_to_come_back(stub_llm: StubLLM) -> None:
    stub_llm.script(rate_limited(7))
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(f"{stub_llm.base_url}/chat/completions", b"{}", timeout=10)
    with raised.value as error:
        assert (error.code, error.headers["retry-after"]) == (429, "7")


def test_a_dropped_connection_has_no_reply(stub_llm: StubLLM) -> None:
    stub_llm.script(answers({}).dropped())
    with pytest.raises((http.client.HTTPException, OSError)):
        chat(stub_llm)
    assert stub_llm.count == 1


def test_a_reply_cut_short_lacks_what_its_head_promised(stub_llm: StubLLM) -> None:
    stub_llm.script(answers({}).cut_short())
    with pytest.raises(http.client.IncompleteRead) as raised:
        chat(stub_llm)
    assert raised.value.partial


@pytest.mark.parametrize(("reply", "key", "whole"), [
    (says("Keep it in the fridge, away from the light."), "content", "Keep it in the fridge, away from the light."),
    (refuses("I would rather not say that."), "refusal", "I would rather not say that."),
])  # fmt: skip
def test_a_stream_says_the_same_in_pieces(stub_llm: StubLLM, reply: Scripted, key: str, whole: str) -> None:
    stub_llm.script(reply)
    *events, last = streamed(stub_llm)
    assert last == "[DONE]"
    choices = [json.loads(event)["choices"][0] for event in events]
    pieces = [choice["delta"].get(key) or "" for choice in choices]
    assert ("".join(pieces), sum(map(bool, pieces)) > 2) == (whole, True)
    assert [choice["finish_reason"] for choice in choices] == [None] * (len(choices) - 1) + ["stop"]


def test_a_stream_may_stall_and_break(stub_llm: StubLLM) -> None:
    stub_llm.script(says("a long answer that nobody waits for").slowly(0.02).cut_short())
    began = time.monotonic()
    with pytest.raises(http.client.IncompleteRead):
        streamed(stub_llm)
    assert time.monotonic() - began >= 0.04


def test_an_error_is_no_stream_whatever_was_asked(stub_llm: StubLLM) -> None:
    stub_llm.script(status(500))
    assert chat(stub_llm, {"stream": True})[0] == 500


def test_langchain_reads_it_whole_and_streamed(stub_llm: StubLLM) -> None:
    from langchain_openai import ChatOpenAI

    stub_llm.script(says("Keep it in the fridge."))
    model: Any = ChatOpenAI(model="stub", base_url=stub_llm.base_url, api_key=lambda: "stub", max_retries=0)
    assert model.invoke("where").content == "Keep it in the fridge."
    assert "".join(piece.content for piece in model.stream("where")) == "Keep it in the fridge."
    assert [one.wants_stream for one in stub_llm.requests] == [False, True]


@pytest.mark.parametrize("name", FAULTS)
def test_no_fault_is_an_answer_that_a_schema_could_take(stub_llm: StubLLM, name: str) -> None:
    """Each is an error, an ending, a refusal, or a content that is no JSON object with a key."""
    stub_llm.script(FAULTS[name])
    try:
        code, body = chat(stub_llm)
        choice = body["choices"][0]
        inside = json.loads(choice["message"]["content"])
    except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError):
        return
    assert code != 200 or choice["finish_reason"] != "stop" or not isinstance(inside, dict) or not inside


def test_the_package_itself_imports_no_pytest() -> None:
    code = "import sys, carerails, carerails.cli, carerails.engine\nassert 'pytest' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
