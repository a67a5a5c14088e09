"""Scripted fakes and small rails that many tests share."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from carerails.contracts import Findings, RuleHit

Answer = Callable[[str], Awaitable[object]]


class ScriptedEngine:
    """A `RuleEngine` that answers what the test says, well-formed or not."""

    name = "scripted"
    version = "0"
    capabilities: frozenset[str] = frozenset()

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.calls: list[str] = []

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    async def evaluate(self, text: str) -> Findings:
        self.calls.append(text)
        return await self.answer(text)  # type: ignore[return-value]

    async def render(self, slug: str, locale: str, numbers: Mapping[str, str]) -> str:
        raise RuntimeError("cannot render")


def says(*hits: tuple[str, str]) -> Answer:
    """Answers these (rule, term) hits."""

    async def answer(text: str) -> object:
        return Findings(hits=tuple(RuleHit(rule=rule, terms=(term,)) for rule, term in hits))

    return answer


def answers(value: object) -> Answer:
    """Answers any value, right or wrong."""

    async def answer(text: str) -> object:
        return value

    return answer


def fails(error: BaseException) -> Answer:
    """Raises."""

    async def answer(text: str) -> object:
        raise error

    return answer


async def hangs(text: str) -> object:
    """Never answers."""
    await asyncio.sleep(3600)
    return None


RULES = {
    "red_flags/stroke.co": """
@meta(kind="red-flag", category="stroke", severity="emergency", priority=50)
flow red flag stroke $text -> $terms
  \"\"\"A test rule.\"\"\"
  $all = ["\\\\bface is drooping\\\\b",
    "\\\\bslurred speech\\\\b"]
  $or = "|"
  return find_all($or.join($all), $text)
""",
    "red_flags/bleeding.co": """
@meta(kind="red-flag", category="bleeding", severity="emergency", priority=90)
flow red flag bleeding $text -> $terms
  \"\"\"A test rule.\"\"\"
  return find_all("\\\\bbleeding a lot\\\\b", $text)
""",
    "red_flags/crisis.co": """
@meta(kind="red-flag", category="suicide", severity="crisis", priority=90)
flow red flag suicide $text -> $terms
  \"\"\"A test rule.\"\"\"
  return find_all("\\\\bend my life\\\\b", $text)

@meta(kind="red-flag", category="distress", severity="check-in", priority=10)
flow check in distress $text -> $terms
  \"\"\"A test rule.\"\"\"
  return find_all("\\\\bso hopeless\\\\b", $text)

@meta(kind="red-flag", category="rash", severity="urgent", priority=10)
flow urgent rash $text -> $terms
  \"\"\"A test rule.\"\"\"
  return find_all("\\\\bnew rash\\\\b", $text)
""",
    "scope/dosing.co": """
@meta(kind="scope", reason="dosing", slug="out-of-scope-dosing", priority=50)
flow scope dosing $text -> $terms
  \"\"\"A test rule.\"\"\"
  return find_all("\\\\bdouble the dose\\\\b", $text)

@meta(kind="scope", reason="own-identifiers", slug="pii-blocked", priority=80)
flow scope own identifiers $text -> $terms
  \"\"\"A test rule.\"\"\"
  return find_all("\\\\bmy ssn is \\\\w+", $text)
""",
    "main.co": """
flow main
  $guards = await guards
  when CheckTurn() as $event
    $hits = await check turn $event.text $guards
    send TurnChecked(hits=$hits)

flow check turn $text $guards -> $hits
  \"\"\"The order of checks.\"\"\"
  $hits = []
  if search($guards.red_flag_stroke, $text)
    $terms = await red flag stroke $text
    $hits = $hits + [["red flag stroke", $terms]]
  if search($guards.red_flag_bleeding, $text)
    $terms = await red flag bleeding $text
    $hits = $hits + [["red flag bleeding", $terms]]
  if search($guards.red_flag_suicide, $text)
    $terms = await red flag suicide $text
    $hits = $hits + [["red flag suicide", $terms]]
  if search($guards.urgent_rash, $text)
    $terms = await urgent rash $text
    $hits = $hits + [["urgent rash", $terms]]
  if search($guards.check_in_distress, $text)
    $terms = await check in distress $text
    $hits = $hits + [["check in distress", $terms]]
  if search($guards.scope_dosing, $text)
    $terms = await scope dosing $text
    $hits = $hits + [["scope dosing", $terms]]
  if search($guards.scope_own_identifiers, $text)
    $terms = await scope own identifiers $text
    $hits = $hits + [["scope own identifiers", $terms]]
  return $hits
""",
    "guards.co": """
flow guards -> $guards
  \"\"\"All open.\"\"\"
  return {"red_flag_stroke": "", "red_flag_bleeding": "", "red_flag_suicide": "", "urgent_rash": "",
    "check_in_distress": "", "scope_dosing": "", "scope_own_identifiers": ""}
""",
}


def small_rails(directory: Path) -> Path:
    """Seven rules and our own templates, written below `directory`."""
    import shutil

    from carerails.resources import data_dir

    rails = directory / "rails"
    for name, text in RULES.items():
        path = rails / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("# A rails file of a test.\n" + text, encoding="utf-8")
    shutil.copytree(data_dir("rails") / "templates", rails / "templates")
    return rails


def hears_interrupts() -> None:
    """For `preexec_fn`: a shell's background job ignores interrupts, and hands that down to what it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
