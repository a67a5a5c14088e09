"""Ways to break the small rails, each a change of one file, and the kind of failure that a turn must end in."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from carerails.contracts import FailureKind
from tests.kit import RULES, small_rails

#: Only a turn with this word meets the breakage, so that the rails start well.
WORD = "mercury"
STROKE, MAIN = "red_flags/stroke.co", "main.co"
RULE_BODY = "  return find_all($or.join($all), $text)"
SEND = "    send TurnChecked(hits=$hits)"


class Breakage(NamedTuple):
    """In `file`, `new` takes the place of `old`; the turn then fails as `kind`."""

    file: str
    old: str
    new: str
    kind: FailureKind


def _when(word: str, *lines: str) -> str:
    return "\n".join([f'  if search("{word}", $text)', *(f"    {line}" for line in lines), RULE_BODY])


def _in_rule(*lines: str, kind: FailureKind) -> Breakage:
    return Breakage(STROKE, RULE_BODY, _when(WORD, *lines), kind)


def _in_main(*lines: str, kind: FailureKind) -> Breakage:
    body = "\n".join([f'    if search("{WORD}", $event.text)', *(f"      {line}" for line in lines), SEND])
    return Breakage(MAIN, SEND, body, kind)


BREAKAGES = {
    "a regex that does not compile": _in_rule('return find_all("(", $text)', kind="exception"),
    "an undefined function": _in_rule("$low = lower($text)", kind="exception"),
    "an error that quotes the text": _in_rule("$number = int($text)", kind="exception"),
    "an undefined flow": _in_rule("$terms = await no such flow $text", kind="missing"),
    "a flow that waits for an event": _in_rule("match Never()", kind="missing"),
    "a flow that aborts": _in_rule("abort", kind="exception"),
    "None in place of a list": _in_rule("return None", kind="malformed"),
    "a return without a value": _in_rule("return", kind="malformed"),
    "a string in place of a list": _in_rule("return $text", kind="malformed"),
    "tuples in place of strings (capture groups)": _in_rule('return find_all("(m)(e)", $text)', kind="malformed"),
    "an exception in a Python action": _in_rule(
        "$risk = await CallActivefenceApiAction(text=$text)", "return []", kind="exception"
    ),
    "a question to a model, which nobody configured": _in_rule('$risk = ..."how bad"', "return []", kind="exception"),
    "an undefined action": _in_rule("$risk = await NoSuchAction(text=$text)", "return []", kind="missing"),
    "a misspelt guard": Breakage(
        MAIN,
        "  return $hits",
        f'  if search("{WORD}", $text) and search($guards.typo, $text)\n    $hits = []\n  return $hits',
        "exception",
    ),
    "two decision events": _in_main("send TurnChecked(hits=[])", kind="malformed"),
    "a main that dies": _in_main('$x = search("(", $event.text)', kind="exception"),
    "a decision without hits": _in_main("$hits = None", kind="malformed"),
    "hits that are no pairs": _in_main('$hits = ["red flag stroke"]', kind="malformed"),
    "a hit without a name": _in_main('$hits = [[None, ["mercury"]]]', kind="malformed"),
}


def broken_rails(directory: Path, breakage: Breakage) -> Path:
    """The small rails with one thing broken."""
    rails = small_rails(directory)
    assert breakage.old in RULES[breakage.file]
    path = rails / breakage.file
    path.write_text(path.read_text(encoding="utf-8").replace(breakage.old, breakage.new), encoding="utf-8")
    return rails
