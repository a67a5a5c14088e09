"""Engine `nemo`: hits are those of the rules, and whatever goes wrong in a turn is an error, never an empty list."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from carerails.contracts import Findings, RuleHit
from carerails.errors import EngineError, UsageError
from carerails_nemo import NemoEngine
from tests.kit import small_rails
from tests.nemo.breakage import BREAKAGES, WORD, Breakage, broken_rails

STROKE = RuleHit(rule="red flag stroke", terms=("slurred speech",))
DOSING = RuleHit(rule="scope dosing", terms=("double the dose", "double the dose"))
SECRET = "quetzalcoatl7"


def evaluate(engine: NemoEngine, text: str) -> Findings:
    return asyncio.run(engine.evaluate(text))


@pytest.fixture(scope="module")
def engine(rails: Path) -> Iterator[NemoEngine]:
    started = NemoEngine(rails)
    asyncio.run(started.start())
    yield started
    asyncio.run(started.close())


def test_hits_are_those_of_the_rules_in_the_order_of_checks(engine: NemoEngine) -> None:
    assert evaluate(engine, "how do i store insulin?") == Findings()
    both = "can i double the dose, his slurred speech\ncan i double the dose"
    assert evaluate(engine, both) == Findings(hits=(STROKE, DOSING))


@pytest.mark.parametrize("text", ["", "\n", "$text {text} {{x}} \\b \"'", "a" * 100_000, "\x00\x1f", "mercury\n" * 20])
def test_any_text_is_answered(engine: NemoEngine, text: str) -> None:
    assert evaluate(engine, text) == Findings()
    assert evaluate(engine, f"{text} slurred speech").hits == (STROKE,)


def test_fifty_concurrent_turns_do_not_cross(engine: NemoEngine) -> None:
    async def many() -> list[Findings]:
        texts = (f"my ssn is number{i}" + (", slurred speech" if i % 3 == 0 else "") for i in range(50))
        return await asyncio.gather(*(engine.evaluate(text) for text in texts))

    for i, findings in enumerate(asyncio.run(many())):
        own = RuleHit(rule="scope own identifiers", terms=(f"my ssn is number{i}",))
        assert findings.hits == ((STROKE, own) if i % 3 == 0 else (own,))


def test_a_started_engine_works_in_any_loop_and_thread(engine: NemoEngine) -> None:
    async def in_a_running_loop() -> list[Findings]:
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(4) as pool:
            others = [loop.run_in_executor(pool, evaluate, engine, f"my ssn is n{i}") for i in range(60)]
            return [await engine.evaluate("slurred speech"), *await asyncio.gather(*others)]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)  # threads take turns inside NeMo's expressions, which CPython 3.11 cannot parse in two
    try:
        for _ in range(2):  # asyncio.run makes a new loop each time
            here, *there = asyncio.run(in_a_running_loop())
            assert here.hits == (STROKE,)
            assert [hit.terms for turn in there for hit in turn.hits] == [(f"my ssn is n{i}",) for i in range(60)]
    finally:
        sys.setswitchinterval(interval)


def test_a_deadline_stops_a_turn_and_not_the_engine(engine: NemoEngine) -> None:
    async def too_soon() -> None:
        await asyncio.wait_for(engine.evaluate("slurred speech"), 0.00001)

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(too_soon())
    assert evaluate(engine, "slurred speech").hits == (STROKE,)


def test_engines_start_side_by_side_in_threads(rails: Path) -> None:
    def start_and_ask(_: int) -> tuple[RuleHit, ...]:
        own = NemoEngine(rails)
        asyncio.run(own.start())
        return evaluate(own, "slurred speech").hits

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(start_and_ask, range(3))) == [(STROKE,)] * 3


def test_a_turn_leaves_nothing_behind(tmp_path: Path) -> None:
    remembers = Breakage(
        "main.co",
        "    send TurnChecked",
        "    global $seen\n    if $seen is not None\n      $hits = $seen\n    $seen = $hits\n    send TurnChecked",
        "malformed",
    )
    forgetful = NemoEngine(broken_rails(tmp_path, remembers))
    asyncio.run(forgetful.start())
    assert evaluate(forgetful, "slurred speech").hits == (STROKE,)
    assert evaluate(forgetful, "how do i store insulin?").hits == ()


@pytest.mark.parametrize("name", BREAKAGES)
def test_what_breaks_in_a_turn_is_an_error(name: str, tmp_path: Path) -> None:
    broken = NemoEngine(broken_rails(tmp_path, BREAKAGES[name]))
    asyncio.run(broken.start())
    assert evaluate(broken, "slurred speech").hits == (STROKE,)
    with pytest.raises(EngineError) as raised:
        evaluate(broken, f"{WORD} {SECRET}")
    assert raised.value.kind == BREAKAGES[name].kind
    assert SECRET not in "".join(traceback.format_exception(raised.value))
    assert raised.value.__context__ is None, "it may quote the text"
    assert evaluate(broken, "slurred speech").hits == (STROKE,), "the turn after it is not harmed"


LEAKY = "an error that quotes the text"


def test_no_log_of_ours_holds_the_text_and_others_keep_theirs(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    dying = NemoEngine(broken_rails(tmp_path, BREAKAGES[LEAKY]))
    asyncio.run(dying.start())
    with caplog.at_level(logging.DEBUG):
        with pytest.raises(EngineError):
            evaluate(dying, f"{WORD} {SECRET}")
        logging.getLogger("nemoguardrails.colang.v2_x.runtime.statemachine").warning("somebody else's turn")
    assert SECRET not in caplog.text
    assert "somebody else's turn" in caplog.text


DYING_TURN = """
import asyncio, logging, sys
from pathlib import Path
from carerails_nemo import NemoEngine
if sys.argv[2] == "debug":
    logging.basicConfig(level=logging.DEBUG)
engine = NemoEngine(Path(sys.argv[1]))
asyncio.run(engine.start())
asyncio.run(engine.evaluate(sys.argv[3]), debug=sys.argv[2] == "debug")
"""


@pytest.mark.parametrize("logs", ["not configured", "debug"])
def test_a_dying_turn_prints_no_text(tmp_path: Path, logs: str) -> None:
    rails = broken_rails(tmp_path, BREAKAGES[LEAKY])
    command = [sys.executable, "-c", DYING_TURN, str(rails), logs, f"{WORD} {SECRET}"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert "EngineError: exception: a flow died" in run.stderr  # as an uncaught exception shows it, traceback and all
    assert SECRET not in run.stdout + run.stderr


@pytest.mark.parametrize(
    ("breakage", "says"),
    [
        (Breakage("main.co", "  return $hits", "  return ($hits", "exception"), "main.co"),
        (Breakage("main.co", "flow main", "flow maine", "exception"), "main"),
        (Breakage("main.co", "await guards", "await gards", "exception"), "no TurnChecked event"),
        (Breakage("main.co", "await guards", 'find_all("(", "")', "exception"), "flow died"),
        (Breakage("guards.co", '"urgent_rash"', '"urgent_rush"', "exception"), "flow died"),
        (Breakage("red_flags/stroke.co", "slurred speech", "slurred (speech", "exception"), "flow died"),
    ],
)
def test_rails_that_can_answer_no_turn_do_not_start(tmp_path: Path, breakage: Breakage, says: str) -> None:
    broken = NemoEngine(broken_rails(tmp_path, breakage))
    with pytest.raises(UsageError, match=says):
        asyncio.run(broken.start())
    with pytest.raises(EngineError, match="not started"):
        evaluate(broken, "slurred speech")


@pytest.mark.parametrize(("old", "new"), [("await guards", "await guards"), ('"|"', "$undefined"), ("drooping", "(")])
def test_every_rule_is_asked_at_start_also_behind_a_closed_guard(tmp_path: Path, old: str, new: str) -> None:
    rails = broken_rails(
        tmp_path, Breakage("guards.co", '"red_flag_stroke": ""', '"red_flag_stroke": "closed"', "missing")
    )
    rule = rails / "red_flags" / "stroke.co"
    rule.write_text(rule.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    closed = NemoEngine(rails)
    if old == new:
        asyncio.run(closed.start())
        assert evaluate(closed, "slurred speech") == Findings()
    else:
        with pytest.raises(UsageError, match="flow died"):
            asyncio.run(closed.start())


def test_a_directory_without_rails_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=str(tmp_path)):
        asyncio.run(NemoEngine(tmp_path).start())


def test_examples_are_not_loaded(tmp_path: Path) -> None:
    rails = small_rails(tmp_path)
    (rails / "examples").mkdir()
    (rails / "examples" / "stroke.co").write_text('flow red flag stroke\n  user said "x"\n', encoding="utf-8")
    twice = NemoEngine(rails)
    asyncio.run(twice.start())  # a second flow of that name would not load
    assert evaluate(twice, "slurred speech").hits == (STROKE,)


# One process without the environment of a test run: NeMo sends no telemetry under pytest or CI anyway.
SPY = """
import asyncio, os, socket, sys, threading
for name in ("CI", "PYTEST_CURRENT_TEST", "DO_NOT_TRACK", "NEMO_GUARDRAILS_NO_USAGE_STATS"):
    os.environ.pop(name, None)
seen = []
def refuse(*args, **kwargs):
    seen.append(args)
    raise OSError("no network in this test")
socket.getaddrinfo = refuse
class Spied(socket.socket):
    def connect(self, address):
        if not (isinstance(address, tuple) and address[0] in ("127.0.0.1", "::1")):
            refuse(address)
        return super().connect(address)
socket.socket = Spied
if sys.argv[1] == "ours":
    from pathlib import Path
    from carerails_nemo import NemoEngine
    assert "nemoguardrails" not in sys.modules, "imported before start"
    async def main():
        engine = NemoEngine(Path(sys.argv[2]))
        await engine.start()
        assert (await engine.evaluate("slurred speech")).hits
    asyncio.run(main())
else:
    from nemoguardrails import LLMRails, RailsConfig
    rails = "flow main\\n  match Never()\\n"
    LLMRails(RailsConfig.from_content(colang_content=rails, config={"colang_version": "2.x"}))
for thread in threading.enumerate():
    if thread is not threading.main_thread():
        thread.join(2)
print(len(seen))
"""


@pytest.mark.parametrize(("who", "connects"), [("ours", False), ("plain NeMo, so the spy sees something", True)])
def test_nothing_is_sent_to_anybody(rails: Path, tmp_path: Path, who: str, connects: bool) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", SPY, who, str(rails)]
    run = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    assert (int(run.stdout) > 0) == connects
