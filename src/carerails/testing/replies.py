"""Replies to script: what a good endpoint answers, and all the ways in which one goes wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from carerails.testing.endpoint import Scripted

#: Characters of one piece of a streamed answer.
_PIECE = 12


def completion(message: Mapping[str, Any], *, finish: str = "stop") -> Scripted:
    """A well-formed completion with any assistant message; a request that asks for a stream gets it in pieces."""
    head = {"id": "chatcmpl-stub", "created": 0, "model": "stub"}
    choice = {"index": 0, "finish_reason": finish, "logprobs": None, "message": {"role": "assistant", **message}}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    body = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
    deltas: list[tuple[dict[str, Any], str | None]] = [
        ({"role": "assistant"}, None),
        *((piece, None) for piece in _pieces(message)),
        ({}, finish),
    ]
    events = [
        {
            **head,
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}],
        }
        for delta, reason in deltas
    ]
    return Scripted(
        body=json.dumps(body).encode(),
        events=(*(f"data: {json.dumps(event)}\n\n".encode() for event in events), b"data: [DONE]\n\n"),
    )


def _pieces(message: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    for key, value in message.items():
        if isinstance(value, str):
            yield from ({key: value[at : at + _PIECE]} for at in range(0, len(value), _PIECE))
        elif value is not None:
            yield {key: value}


def answers(value: object) -> Scripted:
    """The model answers this value as JSON (good, a field missing, out of range, a wrong citation: all are values)."""
    return says(json.dumps(value))


def says(text: str) -> Scripted:
    """The model answers exactly this text: malformed JSON, a preamble, prose."""
    return completion({"content": text})


def fenced(value: object) -> Scripted:
    """The model answers JSON inside a Markdown code fence."""
    return says(f"```json\n{json.dumps(value, indent=1)}\n```")


def refuses(text: str = "I'm sorry, I can't help with that.") -> Scripted:
    """The model refuses, in the field that is made for it."""
    return completion({"content": None, "refusal": text})


def cut_off(text: str) -> Scripted:
    """The model ran out of tokens in the middle."""
    return completion({"content": text}, finish="length")


def status(code: int) -> Scripted:
    """An error of the endpoint; it asks to come back at once, so that retries cost no time."""
    return _error(code, "retry-after-ms", "1")


def rate_limited(retry_after_s: int) -> Scripted:
    """429, and the seconds to wait."""
    return _error(429, "retry-after", str(retry_after_s))


def _error(code: int, header: str, value: str) -> Scripted:
    body = {"error": {"message": "scripted error", "type": "stub", "code": None, "param": None}}
    return Scripted(status=code, body=json.dumps(body).encode(), headers=((header, value),))


def raw(body: bytes | str, code: int = 200) -> Scripted:
    """Any body: not JSON, `{}`, a page of a proxy."""
    return Scripted(status=code, body=body.encode() if isinstance(body, str) else body)


#: What no client may take for an answer, whatever it asked for. Retries cost no time.
FAULTS: Mapping[str, Scripted] = {
    "rate limit": status(429),
    "server error": status(500),
    "bad gateway page": raw("<html>502</html>", 502),
    "wrong key": status(401),
    "no such model": status(404),
    "connection dropped": answers({}).dropped(),
    "connection dropped in the body": answers({}).cut_short(),
    "refusal": refuses(),
    "filtered": completion({"content": ""}, finish="content_filter"),
    "empty": says(""),
    "blank": says("  \n"),
    "no content": completion({"content": None}),
    "cut off": cut_off("{}"),
    "a tool call": completion({"content": "{}"}, finish="tool_calls"),
    "prose": says("Sure, happy to help."),
    "prose that refuses": says("I'm sorry, I can't help with that."),
    "prose with a digit": says("[ERROR 500]"),
    "empty object": answers({}),
    "a list": answers([]),
    "null": answers(None),
    "a string": answers("safe"),
    "body {}": raw("{}"),
    "body null": raw("null"),
    "body no JSON": raw("hello"),
    "body empty": raw(""),
    "no choices": raw('{"choices": []}'),
}
