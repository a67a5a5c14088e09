"""Engines of patterns and validators: what they run, what they cannot express, and that nothing leaves the machine."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from carerails import environments
from carerails.contracts import Findings
from carerails.engines import installed
from carerails.errors import EngineError
from carerails.patterns import CHECK_IN, PatternEngine
from carerails.policy import Policy
from carerails.resources import data_dir
from carerails_iorails import IORailsEngine

RULES = """
flow main
  when CheckTurn() as $event
    $hits = await check turn $event.text
    send TurnChecked(hits=$hits)

flow check turn $text -> $hits
  \"\"\"The order of checks.\"\"\"
  $hits = []
  $terms = await red flag stroke $text
  $hits = $hits + [["red flag stroke", $terms]]
  $terms = await red flag pair $text
  $hits = $hits + [["red flag pair", $terms]]
  $terms = await red flag count $text
  $hits = $hits + [["red flag count", $terms]]
  $terms = await red flag masked $text
  $hits = $hits + [["red flag masked", $terms]]
  $terms = await check in distress $text
  $hits = $hits + [["check in distress", $terms]]
  return $hits

@meta(kind="red-flag", category="stroke", severity="emergency", priority=50)
flow red flag stroke $text -> $terms
  \"\"\"One regex.\"\"\"
  return find_all("\\\\bslurred speech\\\\b|\\\\bdrooping (?:face|arm)\\\\b", $text)

@meta(kind="red-flag", category="pair", severity="emergency", priority=50)
flow red flag pair $text -> $terms
  \"\"\"Two together.\"\"\"
  if search("\\\\bfever\\\\b", $text)
    return find_all("\\\\bstiff neck\\\\b", $text)
  return []

@meta(kind="red-flag", category="count", severity="emergency", priority=50)
flow red flag count $text -> $terms
  \"\"\"Three of a kind.\"\"\"
  $found = find_all("\\\\bvomit\\\\w+", $text)
  if len($found) > 2
    return $found
  return []

@meta(kind="red-flag", category="masked", severity="emergency", priority=50)
flow red flag masked $text -> $terms
  \"\"\"All but one.\"\"\"
  $rest = $text.replace("heart of gold", "")
  return find_all("\\\\bheart\\\\b", $rest)

@meta(kind="red-flag", category="distress", severity="check-in", priority=10)
flow check in distress $text -> $terms
  \"\"\"One regex.\"\"\"
  return find_all("\\\\bso hopeless\\\\b", $text)
"""
UNSUPPORTED = {
    "red flag pair": "it needs several patterns together",
    "red flag count": "it counts or compares",
    "red flag masked": "it masks words before it searches",
    "check in distress": CHECK_IN,
}


@pytest.fixture(scope="module", name="rails")
def _rails(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rails = tmp_path_factory.mktemp("patterns")
    (rails / "all.co").write_text(RULES, encoding="utf-8")
    return rails


def test_what_one_regex_cannot_express_is_unsupported_with_the_reason(rails: Path):
    engine = PatternEngine(rails)
    assert engine.unsupported == UNSUPPORTED
    assert engine.regexes.keys() == {"red flag stroke"}


def test_a_plain_rule_finds_what_its_regex_finds():
    """On the rails that are shipped: the regex alone is the rule, on all their examples."""
    import re

    policy = Policy.load(data_dir("rails"))
    plain = {name: re.compile(regex) for name in policy.rules if (regex := policy.plain(name).regex)}
    assert len(plain) >= 10
    for example in policy.examples[::40]:
        for name, regex in plain.items():
            assert policy.run(name, example.text.lower()) == regex.findall(example.text.lower()), name


def ask(engine: Any, *texts: str) -> list[Findings]:
    async def turns() -> list[Findings]:
        await engine.start()
        try:
            return [await engine.evaluate(text) for text in texts]
        finally:
            await engine.close()

    return asyncio.run(turns())


def test_iorails_tells_the_rule_and_its_terms(rails: Path):
    both, none, pair = ask(
        IORailsEngine(rails), "slurred speech and a drooping arm", "how are you", "fever, stiff neck"
    )
    assert [(hit.rule, hit.terms) for hit in both.hits] == [("red flag stroke", ("slurred speech", "drooping arm"))]
    assert none == pair == Findings()


def test_iorails_runs_three_hundred_at_once(rails: Path):
    """Its own queue takes 256, and drops the rest."""

    async def many() -> list[Findings]:
        engine = IORailsEngine(rails)
        await engine.start()
        return await asyncio.gather(*(engine.evaluate("slurred speech" if i % 2 else "x") for i in range(300)))

    assert [len(found.hits) for found in asyncio.run(many())] == [i % 2 for i in range(300)]


def test_its_configuration_is_one_that_a_team_can_run(rails: Path):
    config = yaml.safe_load(IORailsEngine(rails).config())
    assert config["rails"]["input"]["flows"] == ["regex check input"]
    (pattern,) = config["rails"]["config"]["regex_detection"]["input"]["patterns"]
    assert pattern.startswith("(?#red flag stroke)")


def result(safe: bool, failed: bool = False, **metadata: object) -> SimpleNamespace:
    return SimpleNamespace(is_safe=safe, outcome=SimpleNamespace(failed=failed, metadata=metadata))


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (result(False, failed=True), "exception"),
        (result(False), "malformed"),
        (result(False, detections=[]), "malformed"),
        (result(False, detections=["no name"]), "malformed"),
        (result(False, detections=["(?#red flag strike)x"]), "malformed"),
        (result(False, detections=["(?#red flag stroke)x"]), "malformed"),  # the text does not match it
        (SimpleNamespace(is_safe=None, outcome=None), "exception"),
        (ValueError("quetzal"), "exception"),
    ],
)
def test_what_iorails_cannot_say_is_a_failure(said: Any, kind: str, rails: Path):
    class Manager:
        async def is_input_safe(self, messages: Iterable[object], enabled: Iterable[str]) -> Any:
            if isinstance(said, Exception):
                raise said
            return said

    engine = IORailsEngine(rails)
    asyncio.run(engine.start())
    engine._manager = Manager()  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(EngineError) as raised:
        asyncio.run(engine.evaluate("quetzal"))
    assert raised.value.kind == kind
    assert "quetzal" not in str(raised.value)


# In the engine's own Python: every way out raises, and is counted.
ALONE = """
import asyncio, sys
from pathlib import Path
out = []
def guard(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "urllib.Request"):
        if not (event == "socket.connect" and isinstance(args[1], str)):
            out.append(event)
            raise OSError("no network in this test")
sys.addaudithook(guard)
from importlib import import_module
module, _, name = sys.argv[1].partition(":")
engine = getattr(import_module(module), name)(Path(sys.argv[2]))
async def main():
    await engine.start()
    hits = [hit.rule for hit in (await engine.evaluate("slurred speech")).hits]
    assert hits == ["red flag stroke"], hits
    assert (await engine.evaluate("how are you")).hits == ()
    await engine.close()
asyncio.run(main())
import threading
for thread in threading.enumerate():
    if thread is not threading.main_thread():
        thread.join(2)
print(len(out), sorted(set(out)))
"""


@pytest.mark.parametrize("name", ["iorails", "guardrails-ai", "llm-guard"])
def test_nothing_leaves_the_machine(name: str, rails: Path, tmp_path: Path):
    python = Path(sys.executable) if name == "iorails" else environments.python_of(name)
    if python is None:
        pytest.skip(f"carerails engines install {name}")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    if name == "iorails":
        env["PYTHONPATH"] = os.pathsep.join(sys.path)
    command = [str(python), "-c", ALONE, installed()[name].value, str(rails)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    assert done.stdout.splitlines()[-1] == "0 []"
