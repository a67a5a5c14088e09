"""A program is started once and waits; each event runs on a deep copy of that waiting state.

What a turn changes is its own, so turns may run side by side, in any event loop and thread, and nothing of one reaches
another. What a loaded flow costs is paid at start and not on every turn.
"""

from __future__ import annotations

import copy
import os
import re
import threading
import types
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from nemo_runner.discretion import discreet, hush

if TYPE_CHECKING:
    from nemo_runner.parsing import Keeper

Event: TypeAlias = dict[str, Any]
Events: TypeAlias = list[Event]
#: The events that came out, and NeMo's state after them.
Answer: TypeAlias = tuple[Events, Any]

#: What NeMo leaves behind when a Python action raised, in 1.0 too: in 2.x the flow is told `None` and "success".
SWALLOWED = "inform internal error occurred"
#: Regexes that Python keeps compiled: a large program has some hundreds.
_REGEXES = 4096
# NeMo's parser is not thread-safe, nor is Python's own, which NeMo runs on every expression: where two threads parse at
# once, Python 3.11 raises "AST constructor recursion depth mismatch", and a flow dies.
_parsing = threading.Lock()


class _Runtime(Protocol):
    """The part of NeMo's runtime that is used here (`LLMRails.process_events_async` lets one turn at a time run)."""

    def process_events(self, events: Events, state: Any = None) -> Coroutine[Any, Any, Answer]: ...


class Runner:
    """A program whose `main` waits for events. `Runner.load` makes one."""

    def __init__(self, runtime: _Runtime, waiting: Any, ended: Sequence[Any]) -> None:
        self._runtime, self._waiting = runtime, waiting
        #: What never changes: code, configuration, flows that ended.
        self._shared = (waiting.flow_configs, waiting.rails_config, *ended)

    @classmethod
    async def load(
        cls,
        yaml: str,
        sources: Sequence[Path],
        actions: Mapping[str, Callable[..., Coroutine[Any, Any, Any]]],
        keeper: Keeper | None = None,
    ) -> Runner:
        """Load a program, and run `main` up to where it waits.

        Args:
            yaml: NeMo's configuration, without a model.
            sources: files of Colang 2.x.
            actions: Python actions by the name that the flows call them by.
            keeper: keeps what was parsed; None: everything is parsed anew.

        Raises:
            Exception: whatever NeMo raises where it cannot parse or start the program.
        """
        with _parsing:
            runtime = _load(yaml, sources, actions, keeper)
        with discreet():
            _, state = await _one_thread_at_a_time(runtime.process_events([]))
            ended = [flow for flow in state.flow_states.values() if flow.status.value in ("finished", "stopped")]
            for flow in ended:  # NeMo drops a flow five seconds after its end, or else each turn would pay for it again
                flow.status_updated = datetime.min
            _, waiting = await _one_thread_at_a_time(runtime.process_events([{"type": "Ready"}], state))
        waiting.last_events.clear()
        return cls(runtime, waiting, ended)

    def waiting(self) -> Any:
        """A copy of the state in which `main` waits."""
        return copy.deepcopy(self._waiting, {id(part): part for part in self._shared})

    async def send(self, event: Event, state: Any = None) -> Answer:
        """Send an event; what comes back, and the state that it left behind.

        Args:
            state: from `waiting`, which this changes; None: such a copy.

        Raises:
            Exception: whatever NeMo raises. Its message may quote the event.
        """
        with discreet():
            return await _one_thread_at_a_time(self._runtime.process_events([event], state or self.waiting()))


def action_failed(state: Any) -> bool:
    """Whether NeMo swallowed the exception of a Python action in this turn."""
    events = cast("list[object]", state.last_events)
    told = [inner for event in events if isinstance(event, dict) for inner in cast("Event", event).get("events") or ()]
    return any(inner.get("intent") == SWALLOWED for inner in told)


def no_telemetry() -> None:
    """To be called before a configuration loads: without it NeMo reports to its vendor."""
    os.environ["NEMO_GUARDRAILS_NO_USAGE_STATS"] = "1"


def _load(
    yaml: str, sources: Sequence[Path], actions: Mapping[str, Callable[..., Any]], keeper: Keeper | None
) -> _Runtime:
    # Python keeps 512 compiled regexes and drops the oldest: with a few more, a turn would compile for a second.
    setattr(re, "_MAXCACHE", max(getattr(re, "_MAXCACHE", 0), _REGEXES))  # noqa: B010
    no_telemetry()
    from nemoguardrails.rails import LLMRails, RailsConfig

    from nemo_runner.constants import take_constants
    from nemo_runner.expressions import read_once
    from nemo_runner.pace import let_it_run
    from nemo_runner.parsing import parsed_once

    read_once()
    let_it_run()
    more = {"import_paths": [str(path.resolve()) for path in sources]}
    with parsed_once(sources, keeper) if keeper else nullcontext():
        config = RailsConfig.from_content(yaml_content=yaml, config=more)  # pyright: ignore[reportUnknownMemberType]
        runtime: Any = LLMRails(config).runtime
    # NeMo would download an embedding model before it finds that it has nobody to ask.
    for name, action in {"GenerateValueAction": _ask_nobody, **actions}.items():
        runtime.register_action(action, name)
    hush()
    take_constants(runtime.flow_configs)
    return runtime


async def _ask_nobody() -> None:
    raise RuntimeError("there is no model to ask")


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
