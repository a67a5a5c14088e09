"""The adapter: a text becomes an event, NeMo's runtime runs `flow main`, its one decision event becomes findings.

`main` is started once and waits at its `when`. Each turn runs on a deep copy of that waiting state: the flows' code is
shared and never written to, everything that a turn changes is its own, so turns may run side by side, in any event
loop and thread, and what a loaded flow costs is paid at start and not on every turn.
"""

from __future__ import annotations

import copy
import os
import re
import threading
import types
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextvars import ContextVar
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol, cast

from pydantic import StrictStr, TypeAdapter, ValidationError

from carerails.colang.rules import SECOND_OPINION
from carerails.contracts import Ask, Findings, Locale, RuleHit
from carerails.errors import EngineError, UsageError
from carerails.resources import data_dir, rails_files
from carerails_nemo.discretion import discreet, hush

Event = dict[str, Any]
#: The events that came out, and NeMo's state after them.
Answer = tuple[list[Event], Any]

#: What NeMo leaves behind when a Python action raised: the flow is told `None` and "success".
_SWALLOWED = "inform internal error occurred"
#: Regexes that Python keeps compiled: a large policy has some hundreds.
_REGEXES = 4096
#: Who is asked for a second opinion in the current turn. Tasks that NeMo starts for actions inherit it.
_judge: ContextVar[Ask] = ContextVar("carerails_nemo_judge")
_HITS = TypeAdapter(list[tuple[StrictStr, tuple[StrictStr, ...]]])
# NeMo's parser is not thread-safe, nor is Python's own, which NeMo runs on every expression: where two threads parse at
# once, Python 3.11 raises "AST constructor recursion depth mismatch", and a flow dies.
_parsing = threading.Lock()


class _Runtime(Protocol):
    """The part of NeMo's runtime that is used here (`LLMRails.process_events_async` lets one turn at a time run)."""

    def process_events(self, events: list[Event], state: Any = None) -> Coroutine[Any, Any, Answer]: ...


class NemoEngine:
    """`RuleEngine` on NeMo Guardrails' Colang 2.x runtime.

    Args:
        rails: directory of .co files; None: the rails that are shipped.

    Raises:
        importlib.metadata.PackageNotFoundError: NeMo Guardrails is not installed.
    """

    name = "nemo"
    #: `re`: it searches with Python's own regexes, whole, which are compiled before the first turn.
    capabilities = frozenset({"escalate", "refuse", "check-in", "evidence", "render", "re", "judge"})

    def __init__(self, rails: Path | None = None) -> None:
        self.version = metadata.version("nemoguardrails")
        self._rails = rails
        self._runtime: _Runtime | None = None
        self._waiting: Any = None
        self._shared: tuple[object, ...] = ()
        self._constants: dict[str, Any] = {}

    async def start(self) -> None:
        """Load the rails, run `main` up to its first `when`, and ask about an empty text: every rule, then every guard.

        That finds a rule that can never work, and compiles regexes, which takes a second that no turn should spend.

        Raises:
            UsageError: the rails cannot be read, NeMo cannot parse them, or `main` does not answer.
        """
        rails = self._rails or data_dir("rails")
        try:
            with _parsing:
                self._runtime, constants = _load(rails)
            with discreet():
                await self._get_ready(self._runtime, constants)
            await self._ask(_check_turn(""), "TurnChecked", self._state_with_open_guards())
            await self._ask(_check_turn(""), "TurnChecked")
        except UsageError:
            raise
        except Exception as error:
            await self.close()
            raise UsageError(f"NeMo cannot run the rails: {error}", "run `carerails rails lint`", str(rails)) from None

    async def close(self) -> None:
        """Forget the rails."""
        self._runtime = self._waiting = None
        self._shared, self._constants = (), {}

    async def evaluate(self, text: str) -> Findings:
        """Run all checks on the views joined by newlines.

        Raises:
            EngineError: a flow died, nothing or more than one thing was decided, or it is no list of hits.
        """
        decided = await self._ask(_check_turn(text), "TurnChecked")
        return Findings(hits=_hits(decided.get("hits")))

    async def evaluate_asking(self, text: str, ask: Ask) -> Findings:
        """As `evaluate`, and `SecondOpinionAction` of the rails is `ask`.

        Raises:
            EngineError: as `evaluate`.
        """
        token = _judge.set(ask)
        try:
            decided = await self._ask(_check_turn(text, judge=True), "TurnChecked")
        finally:
            _judge.reset(token)
        return Findings(hits=_hits(decided.get("hits")))

    async def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> str:
        """The text of a template.

        Raises:
            KeyError: no such template.
            EngineError: as `evaluate`.
        """
        question = {"type": "RenderTemplate", "slug": slug, "locale": locale, "numbers": dict(numbers)}
        rendered = (await self._ask(question, "TemplateRendered")).get("text")
        if rendered is None:
            raise KeyError(slug)
        if not isinstance(rendered, str):
            raise EngineError("malformed", f"the template is a {type(rendered).__name__}")
        return rendered

    async def _ask(self, question: Event, answer: str, state: Any = None) -> Event:
        """Send one event to a fresh copy of the waiting state; the one event of type `answer` that comes back."""
        if self._runtime is None:
            raise EngineError("missing", "the engine is not started")
        error, events = "", list[Event]()
        with discreet():
            try:
                turn = self._runtime.process_events([question], state or self._fresh_state())
                events, state = await _one_thread_at_a_time(turn)
            except Exception as raised:
                # Its message may quote the user, so only its type leaves this place, and no chained exception.
                error = type(raised).__name__
        if error:
            raise EngineError("exception", error)
        if action_failed(state):
            raise EngineError("exception", "an action raised")
        answers = [event for event in events if event.get("type") == answer]
        if len(answers) == 1:
            return answers[0]
        if answers:
            raise EngineError("malformed", f"{len(answers)} {answer} events")
        if state.main_flow_state.status.value == "stopped":
            raise EngineError("exception", "a flow died and stopped main")
        raise EngineError("missing", f"no {answer} event")

    async def _get_ready(self, runtime: _Runtime, constants: dict[str, Any]) -> None:
        """Run `main` up to its `when`, and let NeMo forget the flows that it ran on the way."""
        _, state = await _one_thread_at_a_time(runtime.process_events([]))
        done = [flow for flow in state.flow_states.values() if flow.status.value in ("finished", "stopped")]
        for flow in done:  # NeMo drops a flow five seconds after its end, or else each turn would pay for it again
            flow.status_updated = datetime.min
        _, self._waiting = await _one_thread_at_a_time(runtime.process_events([{"type": "Ready"}], state))
        self._waiting.last_events.clear()
        self._constants = constants
        self._shared = (self._waiting.flow_configs, self._waiting.rails_config, *done)

    def _fresh_state(self) -> Any:
        """A copy of the waiting state that shares with it only what never changes: code, configuration, ended flows."""
        state = copy.deepcopy(self._waiting, {id(part): part for part in self._shared})
        state.context.update(self._constants)
        return state

    def _state_with_open_guards(self) -> Any:
        state = self._fresh_state()
        guards: dict[str, str] = state.main_flow_state.context.get("guards") or {}
        guards.update(dict.fromkeys(guards, ""))
        return state


@types.coroutine
def _one_thread_at_a_time(turn: Coroutine[Any, Any, Answer]) -> Generator[Any, Any, Answer]:
    """`await turn`, with the parser's lock held while it runs and not while it waits: turns of one loop interleave."""
    resume: Callable[[Any], Any] = turn.send
    given: Any = None
    while True:
        try:
            with _parsing:
                awaited = resume(given)
        except StopIteration as end:
            return end.value
        try:
            given, resume = (yield awaited), turn.send
        except BaseException as error:  # a deadline, most likely: it is the turn's to handle
            given, resume = error, turn.throw


def _load(rails: Path) -> tuple[_Runtime, dict[str, Any]]:
    """NeMo's runtime with our rails, quiet, without telemetry and without a model; and the constants of the rails."""
    sources = [p for p in rails_files(rails) if "examples" not in p.relative_to(rails).parts]
    if not sources:
        raise UsageError("holds no .co files", "name a directory with Colang rails", str(rails))
    # Python keeps 512 compiled regexes and drops the oldest: with a few more, a turn would compile for a second.
    setattr(re, "_MAXCACHE", max(getattr(re, "_MAXCACHE", 0), _REGEXES))  # noqa: B010
    # Read when a configuration loads: without it NeMo reports to its vendor.
    os.environ["NEMO_GUARDRAILS_NO_USAGE_STATS"] = "1"
    from nemoguardrails.rails import LLMRails, RailsConfig

    from carerails_nemo.constants import take_constants
    from carerails_nemo.evaluation import prepare_evaluator
    from carerails_nemo.pace import let_it_run

    prepare_evaluator()
    let_it_run()
    yaml = (data_dir("config") / "nemo" / "config.yml").read_text(encoding="utf-8")
    more = {"import_paths": [str(path.resolve()) for path in sources]}
    config = RailsConfig.from_content(yaml_content=yaml, config=more)  # pyright: ignore[reportUnknownMemberType]
    runtime: Any = LLMRails(config).runtime
    runtime.register_action(_second_opinion, SECOND_OPINION)
    hush()
    return runtime, take_constants(runtime.flow_configs)


def action_failed(state: Any) -> bool:
    """Whether NeMo swallowed the exception of a Python action in this turn."""
    events = cast(list[object], state.last_events)
    told = [inner for event in events if isinstance(event, dict) for inner in cast(Event, event).get("events") or ()]
    return any(inner.get("intent") == _SWALLOWED for inner in told)


def _hits(decided: object) -> tuple[RuleHit, ...]:
    """`[[rule, [term, ...]], ...]` as hits, without the rules that found nothing."""
    try:
        pairs = _HITS.validate_python(decided)
    except ValidationError:
        pairs = None
    if pairs is None:  # raised here and not above, where it would drag the validated text along
        raise EngineError("malformed", "hits are no list of rules with a list of terms each")
    return tuple(RuleHit(rule=rule, terms=terms) for rule, terms in pairs if terms)


def _check_turn(text: str, *, judge: bool = False) -> Event:
    return {"type": "CheckTurn", "text": text, "judge": judge}


async def _second_opinion() -> dict[str, list[str]]:
    """The action of the rails. What it raises NeMo swallows, and a turn finds again."""
    return {name: list(terms) for name, terms in (await _judge.get()()).items()}
