"""The stub answers in the order of its script, fails what nobody scripted, and keeps all that was sent."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from typing import Any

import pytest

from tests.stub_llm import StubLLM, answers, status, stub_llm

__all__ = ["stub_llm"]


def post(url: str, body: object) -> tuple[int, Any]:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, json.loads(response.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_the_script_is_followed_and_its_last_reply_repeats(stub_llm: StubLLM) -> None:
    stub_llm.script(status(429), answers({"n": 1}), answers({"n": 2}))
    chat = f"{stub_llm.base_url}/chat/completions"
    got = [post(chat, {"messages": [{"role": "user", "content": str(n)}]}) for n in range(4)]
    assert [code for code, _ in got] == [429, 200, 200, 200]
    assert [json.loads(body["choices"][0]["message"]["content"])["n"] for _, body in got[1:]] == [1, 2, 2]
    assert [one.messages[0]["content"] for one in stub_llm.requests] == ["0", "1", "2", "3"]


def test_what_nobody_scripted_fails_and_is_kept(stub_llm: StubLLM) -> None:
    assert post(f"{stub_llm.base_url}/chat/completions", {"a": 1})[0] == 500
    assert post(f"{stub_llm.root}/runs/batch", {"trace": "of zanahoria"})[0] == 404
    assert (stub_llm.count, len(stub_llm.strays)) == (1, 1)
    assert "zanahoria" in stub_llm.sent


def test_a_slow_reply_does_not_hold_up_the_end(stub_llm: StubLLM) -> None:
    with StubLLM() as slow:
        slow.script(answers({}).after(60))
        began = time.monotonic()
        with pytest.raises((TimeoutError, urllib.error.URLError)):
            urllib.request.urlopen(f"{slow.base_url}/chat/completions", b"{}", timeout=0.2)
    assert time.monotonic() - began < 10
