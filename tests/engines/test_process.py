"""Engine `process`: what a child may do wrong is a failed check, it is restarted, and it never outlives its engine."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from carerails.config import Profile, load_settings
from carerails.contracts import Findings, RuleHit, Turn, TurnDecision
from carerails.engine import FailSafeEngine
from carerails.engines import load_engine
from carerails.errors import CarerailsError, EngineError, UsageError
from carerails.testing.suite import Subject, examine
from carerails_native import NativeEngine
from carerails_process import ProcessEngine, engine

DOCS = Path(__file__).parent.parent.parent / "docs"
STROKE = RuleHit(rule="red flag stroke", terms=("slurred speech",))
NATIVE = (sys.executable, "-m", "carerails.remote.serve", "carerails_native:NativeEngine")

#: A sound child, which does what the text says.
CHILD = r"""
import json, os, signal, subprocess, sys, time
def say(question, **answer): print(json.dumps({"id": question["id"], **answer}), flush=True)
mode = sys.argv[1]
for line in sys.stdin:
    question = json.loads(line)
    ask, text = question["ask"], question.get("text", "")
    if ask == "hello":
        if mode == "mute": time.sleep(600)
        if mode == "gone": sys.exit(3)
        say(question, protocol=2 if mode == "newer" else 1, name="child", version="7", capabilities=["escalate"])
    elif ask == "start":
        if mode == "unready": say(question, error={"kind": "missing", "detail": "no model directory"})
        else: say(question, ready=True)
    elif "crash" in text: os._exit(1)
    elif "murder" in text: os.kill(os.getpid(), signal.SIGKILL)
    elif "hang" in text: time.sleep(600)
    elif "closed stdout" in text: os.close(1); time.sleep(600)
    elif "garbage" in text: print("Traceback (most recent call last):", flush=True)
    elif "not an object" in text: print("[1]", flush=True)
    elif "another id" in text: print(json.dumps({"id": 999999, "hits": []}), flush=True)
    elif "no hits" in text: say(question)
    elif "one key more" in text: say(question, hits=[], allow=True)
    elif "null" in text: say(question, hits=None)
    elif "allow ruling" in text: say(question, hits=[], rulings=[{"outcome": "allow"}])
    elif "error that quotes" in text: say(question, error={"kind": "exception", "detail": text})
    elif "unknown kind" in text: say(question, error={"kind": "oops"})
    elif "twice" in text: say(question, hits=[]); say(question, hits=[])
    elif "flood" in text: print("x" * 11_000_000, flush=True)
    elif "family" in text:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdout=subprocess.DEVNULL)
        say(question, hits=[["pids", [str(os.getpid()), str(child.pid)]]])
    else:
        say(question, hits=[["red flag stroke", ["slurred speech"]]] if "slurred speech" in text else [])
"""


@pytest.fixture(scope="module")
def child(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("child") / "child.py"
    path.write_text(CHILD, encoding="utf-8")
    return path


def make(child: Path, rails: Path, mode: str = "sound") -> ProcessEngine:
    return ProcessEngine(rails, (sys.executable, str(child), mode))


async def settled(engine: ProcessEngine, text: str = "slurred speech") -> Findings:
    """The answer, once the process is up again."""
    for _ in range(200):
        with suppress(EngineError):
            return await engine.evaluate(text)
        await asyncio.sleep(0.02)
    raise AssertionError("it does not come back")


FAULTS = {
    "crash": "exception",
    "murder": "exception",
    "closed stdout": "exception",
    "garbage": "malformed",
    "not an object": "malformed",
    "another id": "malformed",
    "no hits": "malformed",
    "one key more": "malformed",
    "null": "malformed",
    "allow ruling": "malformed",
    "error that quotes": "exception",
    "unknown kind": "malformed",
    "flood": "malformed",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_goes_wrong_is_an_error_without_the_text_and_the_next_turns_are_answered(
    fault: str, child: Path, rails: Path
):
    async def turns() -> tuple[EngineError, Findings]:
        process = make(child, rails)
        await process.start()
        try:
            with pytest.raises(EngineError) as raised:
                await process.evaluate(f"{fault} quetzal")
            return raised.value, await settled(process)
        finally:
            await process.close()

    error, after = asyncio.run(turns())
    assert error.kind == FAULTS[fault]
    assert "quetzal" not in str(error)
    assert after.hits == (STROKE,)


def test_an_answer_too_many_ends_the_process(child: Path, rails: Path):
    async def turns() -> Findings:
        process = make(child, rails)
        await process.start()
        with suppress(EngineError):
            await process.evaluate("twice")
        found = await settled(process)
        await process.close()
        return found

    assert asyncio.run(turns()).hits == (STROKE,)


def test_a_hang_fails_by_the_deadline_is_killed_and_takes_with_it_what_else_was_owed(
    child: Path, rails: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(engine, "PATIENCE_S", 0.2)
    short = load_settings().model_copy(update={"profile": Profile(deadline_s=0.3)})

    async def turns() -> tuple[TurnDecision, list[object], Findings]:
        process = make(child, rails)
        async with FailSafeEngine(process, NativeEngine(rails).policy, short) as safe:
            hung = asyncio.ensure_future(safe.check(Turn.of("please hang")))
            await asyncio.sleep(0.05)
            owed = asyncio.ensure_future(process.evaluate("slurred speech"))
            decision = await hung
            others = await asyncio.wait_for(asyncio.gather(owed, return_exceptions=True), 5)
            return decision, list(others), await settled(process)

    decision, (owed,), after = asyncio.run(turns())
    assert decision.failure
    assert (decision.outcome, decision.failure.kind) == ("urgent", "timeout")
    assert isinstance(owed, EngineError)
    assert owed.kind == "timeout"
    assert after.hits == (STROKE,)


def test_a_turn_that_is_called_off_does_not_end_a_process_that_answers(child: Path, rails: Path):
    async def turns() -> tuple[list[int], list[int]]:
        process = make(child, rails)
        await process.start()
        before = await pids(process)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(process.evaluate("x"), 0)
        await asyncio.sleep(0.1)
        after = await pids(process)
        await process.close()
        return before, after

    before, after = asyncio.run(turns())
    assert before[0] == after[0]


async def pids(process: ProcessEngine) -> list[int]:
    """The process and a child that it starts, which it tells as terms of a hit."""
    return [int(pid) for pid in (await process.evaluate("family")).hits[0].terms]


def is_there(pid: int) -> bool:
    """Whether a process runs, or is a zombie that nobody waited for."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with suppress(OSError):  # a grandchild is its new parent's to wait for
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z" or ppid(pid) == os.getpid()
    return True


def ppid(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.parametrize("end", ["close", "crash"])
def test_the_process_and_its_own_children_are_gone(end: str, child: Path, rails: Path):
    async def turns() -> list[int]:
        process = make(child, rails)
        await process.start()
        seen = await pids(process)
        if end == "crash":
            with suppress(EngineError):
                await process.evaluate("crash")
        await process.close()
        return seen

    seen = asyncio.run(turns())
    deadline = time.monotonic() + 5
    while any(map(is_there, seen)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert [pid for pid in seen if is_there(pid)] == []


def test_starts_back_off_and_checks_fail_meanwhile(rails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(engine, "BACKOFF_S", (0.2, 1.0))
    count = tmp_path / "starts"
    script = tmp_path / "once.py"
    script.write_text(f"open({str(count)!r}, 'a').write('x')\n" + CHILD, encoding="utf-8")

    async def turns() -> list[str]:
        process = ProcessEngine(rails, (sys.executable, str(script), "sound"))
        await process.start()
        count.write_text("")
        script.write_text(f"open({str(count)!r}, 'a').write('x'); raise SystemExit", encoding="utf-8")
        kinds: list[str] = []
        end = time.monotonic() + 1.2
        while time.monotonic() < end:
            with pytest.raises(EngineError) as raised:
                await process.evaluate("crash")
            kinds.append(raised.value.kind)
            await asyncio.sleep(0.01)
        await process.close()
        return kinds

    kinds = asyncio.run(turns())
    assert kinds[0] == "exception"
    assert kinds.count("missing") > len(kinds) / 2, "most checks do not wait for a start"
    assert 1 <= len(count.read_text()) <= 4, "0.2 s, 0.4 s, 0.8 s: no more starts than that in 1.2 s"


@pytest.mark.parametrize(
    ("mode", "says"), [("newer", "speaks version 2"), ("gone", "does not say hello"), ("mute", "no answer to hello")]
)
def test_a_process_that_does_not_say_hello_is_a_usage_error(
    mode: str, says: str, child: Path, rails: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(engine, "HELLO_S", 0.3 if mode == "mute" else 20)
    with pytest.raises(UsageError, match=says):
        make(child, rails, mode)


def test_a_command_that_does_not_exist_is_named(rails: Path):
    with pytest.raises(UsageError, match="no-such-command cannot be run"):
        ProcessEngine(rails, "no-such-command --now")
    with pytest.raises(UsageError, match="process:COMMAND"):
        load_engine("process", rails)


def test_a_process_that_does_not_start_says_why(child: Path, rails: Path):
    unready = make(child, rails, "unready")
    with pytest.raises(CarerailsError, match="no model directory"):
        asyncio.run(unready.start())


def test_what_a_library_prints_is_no_answer(rails: Path, tmp_path: Path):
    (tmp_path / "loud.py").write_text(
        "from carerails_native import NativeEngine\n"
        "class Loud(NativeEngine):\n"
        "    async def evaluate(self, text):\n"
        "        print('loading weights')\n"
        "        return await super().evaluate(text)\n",
        encoding="utf-8",
    )
    env = f"PYTHONPATH={os.pathsep.join([str(tmp_path), *sys.path])}"
    command = ("env", env, *NATIVE[:-1], "loud:Loud")

    async def turn() -> Findings:
        process = ProcessEngine(rails, command)
        await process.start()
        try:
            return await process.evaluate("slurred speech")
        finally:
            await process.close()

    assert asyncio.run(turn()).hits == (STROKE,)


def test_a_process_leaves_when_its_owner_is_killed(child: Path, rails: Path, tmp_path: Path):
    owner = (
        "import asyncio, os, sys\nfrom pathlib import Path\nfrom carerails_process import ProcessEngine\n"
        "async def main():\n"
        "    process = ProcessEngine(Path(sys.argv[1]), sys.argv[2:])\n"
        "    await process.start()\n"
        "    print((await process.evaluate('family')).hits[0].terms[0], flush=True)\n"
        "    os.kill(os.getpid(), 9)\n"
        "asyncio.run(main())\n"
    )
    command = [sys.executable, "-c", owner, str(rails), sys.executable, str(child), "sound"]
    done = subprocess.run(command, stdout=subprocess.PIPE, timeout=60, check=False)
    pid = int(done.stdout)
    deadline = time.monotonic() + 5
    while is_there(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_there(pid)


def page() -> str:
    return (DOCS / "process-protocol.md").read_text(encoding="utf-8")


def test_the_engine_of_the_page_answers_as_the_page_says(tmp_path: Path):
    (code,) = re.findall(r"```python\n(.*?)```", page(), re.DOTALL)
    (tmp_path / "tiny.py").write_text(code, encoding="utf-8")
    turns = [{"text": "chest pain since noon"}, {"text": "me duele: dolor en el pecho"}, {"text": "how do i store it"}]
    done = subprocess.run(
        [sys.executable, "-m", "carerails", "decide", "--engine", f"process:{sys.executable} {tmp_path / 'tiny.py'}"],
        input="\n".join(map(json.dumps, turns)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    decisions = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["severity"] for one in decisions] == ["emergency", "emergency", None]
    assert decisions[0]["matched_terms"] == ["chest pain"]


def test_every_key_of_an_answer_is_on_the_page():
    from carerails.remote.protocol import VERSION, Error, Found, Hello, Ready, Rendered

    for model in (Hello, Ready, Found, Rendered, Error):
        for key in model.model_fields:
            assert f'"{key}"' in page(), key
    assert f"The protocol, version {VERSION}" in page()


def examined(make: Callable[[], ProcessEngine], rails: Path | None) -> dict[str, str]:
    subject = Subject(make, rails)
    try:
        return {result.check: result.why for result in examine(subject) if result.result == "fail"}
    finally:
        subject.close()


def test_native_in_a_process_conforms():
    assert examined(lambda: ProcessEngine(None, NATIVE), None) == {}
