"""`carerails chat`: talk with the agent; behind each reply, which rail fired, where, and which cards were used."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from carerails.agents import DRAFTERS, Assembly, open_agent
from carerails.cli.console import note
from carerails.cli.judge import judge_of
from carerails.cli.options import PASS, USAGE, country_of
from carerails.contracts import LOCALES, Locale
from carerails.errors import UsageError, unknown
from carerails.graph import AgentError, AgentTurn

PROMPT = "you> "
HELP = "Type a message. /new begins another talk, /locale pt-BR changes the locale, an empty line or Ctrl-D ends."


def run(
    engine: str,
    locale: str,
    country: str,
    drafter: str,
    rails: Path | None,
    store: str,
    script: Path | None,
    semantic: str = "off",
) -> int:
    """Answer each line of the terminal, of a pipe or of a script file."""
    spoken = _locale(locale) if locale else None
    lives = country_of(country)
    if drafter not in DRAFTERS:
        raise unknown("drafter", drafter, DRAFTERS)
    assembly = Assembly(engine=engine, rails=rails, drafter=drafter, store=store, judge=judge_of(semantic))
    failed = False
    with open_agent(assembly) as agent:
        thread = uuid.uuid4().hex
        for line in _said(script):
            command, _, argument = line.partition(" ")
            if command == "/locale":
                spoken = _locale(argument.strip())
                continue
            if command == "/new":
                thread = uuid.uuid4().hex
                continue
            try:
                turn = agent.ask_sync(thread, line, locale=spoken, country=lives)
            except AgentError as error:
                note(str(error))
                failed = True
                continue
            print("\n".join(shown(turn)))  # noqa: T201
    return USAGE if failed else PASS


def _locale(name: str) -> Locale:
    if name not in LOCALES:
        raise unknown("locale", name, LOCALES)
    return name


def _said(script: Path | None) -> Iterator[str]:
    """What the user says, line by line; what does not come from a terminal is repeated, so that the output reads."""
    if script:
        try:
            lines: Iterable[str] = script.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            raise UsageError("cannot be read", "give a UTF-8 file with one message a line", str(script)) from None
    else:
        lines = _typed(sys.stdin)
    for line in lines:
        text = line.strip()
        if text.startswith("#"):
            continue
        if not text:
            if script:
                continue
            return
        if (script or not sys.stdin.isatty()) and not text.startswith("/"):
            print(f"\n{PROMPT}{text}")  # noqa: T201
        yield text


def _typed(source: IO[str]) -> Iterator[str]:
    if not source.isatty():
        yield from source
        return
    note(HELP)
    while True:
        try:
            yield input(PROMPT)
        except EOFError:
            return


def shown(turn: AgentTurn) -> Iterator[str]:
    """A reply, and what stands behind it."""
    decision, reply = turn.decision, turn.reply
    if reply:
        yield from (f"bot> {line}" if number == 0 else f"     {line}" for number, line in enumerate(_lines(reply.text)))
    else:
        yield f"bot> (waits for review {turn.review_id})"
    outcome = decision.outcome + (f", {decision.category}" if decision.category else "")
    yield f"     | decision  {outcome}  -> {reply.kind if reply else turn.status}"
    for evidence in decision.evidence:
        terms = ", ".join(repr(term) for term in evidence.matched_terms[:4])
        yield f"     | rail      {evidence.rule}  rails/{evidence.file}:{evidence.line}  {terms}"
    for passage in turn.passages:
        yield f"     | card      {passage.card}  {passage.title}"
    if reply and reply.rationale:
        yield f"     | because   {reply.rationale}"
    for fault in turn.faults:
        yield f"     | failed    {fault.where}: {fault.kind} {fault.detail}".rstrip()
    if turn.disengaged:
        yield "     | the talk is over: an emergency or a crisis; /new begins another one"


def _lines(text: str) -> list[str]:
    return text.splitlines() or [""]
