"""Capability `original`: the engine gets the user's own words, as far as any engine can read them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from carerails.config import Profile, load_settings
from carerails.contracts import Message, Turn
from carerails.engine import FailSafeEngine
from carerails_native import NativeEngine
from tests.kit import ScriptedEngine, says


class Original(ScriptedEngine):
    capabilities = frozenset({"escalate", "original"})


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([("user", "¿Qué PASA?")], ["¿Qué PASA?"]),
        ([("user", "old"), ("assistant", "x"), ("user", "New 1"), ("user", "New 2")], ["New 1\nNew 2"]),
        ([("user", "a\x00b\x1f\tc\nd\x7f")], ["ab\tc\nd\x7f"]),
        ([("user", "   ")], []),
        ([("user", "x" * 2_000)], ["x" * 1_000]),
    ],
)
def test_it_gets_what_the_user_wrote(messages: list[tuple[str, str]], said: list[str], rails: Path):
    engine = Original(says())
    settings = load_settings().model_copy(update={"profile": Profile(max_chars=1_000)})
    turn = Turn(messages=tuple(Message(role=role, content=text) for role, text in messages))  # pyright: ignore[reportArgumentType]
    asyncio.run(FailSafeEngine(engine, NativeEngine(rails).policy, settings).check(turn))
    assert engine.calls == said
