"""The configuration itself, as NeMo runs it: in a process of its own (carerails.remote.serve)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, cast

import yaml

from carerails.contracts import Findings, Locale
from carerails.errors import EngineError, UsageError
from carerails.kinds import reader
from carerails.mapping import FILE, Decisions, Signs, check_names, guess, read_mapping
from nemo_runner import SWALLOWED, action_failed, no_telemetry

#: Harmless in any language: what is asked at start.
PROBE = "ok"
#: What the files define: bot messages of 1.0, flows of 2.x, events that 2.x sends.
_DEFINED = {
    "message": re.compile(r"^define bot (.+?)\s*$", re.MULTILINE),
    "flow": re.compile(r"^flow ([^$\n(#]+?)\s*(?:\$.*|->.*)?$", re.MULTILINE),
    "event": re.compile(r"^\s*send\s+([A-Z]\w*)", re.MULTILINE),
}


class NemoRails:
    """`RuleEngine` on a configuration directory, of any Colang."""

    name = "nemo-config"

    def __init__(self, rails: Path | None = None, directory: str = ".") -> None:
        self._directory = Path(directory)
        files = sorted(path for path in self._directory.rglob("*") if path.suffix in (".co", ".yml", ".yaml", ".py"))
        content = b"\0".join(path.name.encode() + b"\0" + path.read_bytes() for path in files) + reader().encode()
        self.version = f"{metadata.version('nemoguardrails')}+{hashlib.sha256(content).hexdigest()[:8]}"
        said = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in files if path.suffix in (".yml", ".yaml")]
        has_models = any(isinstance(one, dict) and cast("Any", one).get("models") for one in said)
        source = "\n".join(path.read_text(encoding="utf-8") for path in files if path.suffix == ".co")
        self._own = {kind: frozenset(regex.findall(source)) for kind, regex in _DEFINED.items()}
        self._given = read_mapping(self._directory)
        words = {word.partition(" ")[0] for word in self._given.decisions.values()} if self._given else set[str]()
        self.capabilities = frozenset(
            {"escalate", "refuse", "original", *(words & {"check-in"}), *(["sampled"] if has_models else [])}
        )
        self.notes: list[str] = []
        self._mapping = self._given or Decisions()
        self._rails: Any = None

    async def start(self) -> None:
        """Load the configuration, see that it can decide, and ask it about a harmless text.

        Raises:
            UsageError: NeMo cannot load it, it has no rails, its mapping names what it does not have, or it is silent.
        """
        no_telemetry()
        from nemoguardrails.rails import LLMRails, RailsConfig

        where = str(self._directory)
        try:
            config: Any = RailsConfig.from_path(where)
            self._rails = LLMRails(config)
        except Exception as error:
            raise UsageError(f"NeMo cannot load it: {type(error).__name__}: {error}", "", where) from None
        self._first = config.colang_version == "1.0"
        own = self._named(config)
        if self._given:
            library = [f"bot {name}" for name in config.bot_messages] if self._first else []
            check_names(self._given, [*own, *library], str(self._directory / FILE))
        else:
            self._mapping = guess(own)
            told = "; ".join(f"{name} = {word}" for name, word in self._mapping.decisions.items()) or "nothing"
            self.notes = [f"no {FILE}: guessed {told}; other replies are read. `carerails engines mapping` writes it"]
        if self._first and not config.rails.input.flows:
            raise UsageError("no input rails: everything would pass", "add rails.input.flows", where)
        if not self._first and "input rails" not in self._own["flow"] and not self._mapping.decisions:
            raise UsageError(
                "no rails: no `flow input rails`, and no bot message or event is named", f"add {FILE}", where
            )
        try:
            await self.evaluate(PROBE)
        except EngineError as error:
            raise UsageError(f"it cannot decide on a harmless text: {error}", f"see {FILE}", where) from None

    async def close(self) -> None:
        """The process ends with it."""
        self._rails = None

    async def evaluate(self, text: str) -> Findings:
        """What the configuration does with the text, as a ruling.

        Raises:
            EngineError: an action or a flow failed, or nothing was decided.
        """
        if self._rails is None:
            raise EngineError("missing", "the engine is not started")
        if not text.strip():
            return Findings()  # nobody said anything that a configuration could decide on
        ruling = self._mapping.ruling(await (self._first_signs(text) if self._first else self._second_signs(text)))
        return Findings(rulings=(ruling,) if ruling else ())

    async def render(self, slug: str, locale: Locale, numbers: Mapping[str, str]) -> str:
        """Templates are the rails' own."""
        raise EngineError("missing", "the configuration has no templates of ours")

    def mapping(self) -> Decisions:
        """What decides: as given, or as guessed."""
        return self._mapping

    def _named(self, config: Any) -> list[str]:
        """What a mapping may name of what the configuration itself defines."""
        if self._first:
            return [*config.rails.input.flows, *sorted(f"bot {name}" for name in self._own["message"])]
        return [*sorted(name for name in self._own["flow"] if name.startswith("bot ")), *sorted(self._own["event"])]

    async def _first_signs(self, text: str) -> Signs:
        """Colang 1.0: its input rails, and nothing behind them."""
        options = {"rails": ["input"], "log": {"activated_rails": True, "internal_events": True}}
        answer = await self._rails.generate_async(messages=[{"role": "user", "content": text}], options=options)
        self._rails.events_history_cache = {}  # or it keeps every text for ever
        events = cast("list[dict[str, Any]]", answer.log.internal_events)
        intents = [str(event.get("intent")) for event in events if event.get("type") == "BotIntent"]
        if SWALLOWED in intents:
            raise EngineError("exception", "an action raised")
        rails = [rail for rail in answer.log.activated_rails if rail.type == "input"]
        stopped = [rail.name for rail in rails if rail.stop]
        said = [message for message in answer.response if message.get("role") in ("assistant", "exception")]
        if not rails or len(said) != 1:
            raise EngineError("missing", "no input rail ran to its end")
        names = (*stopped, *(f"bot {intent}" for intent in intents if intent != "stop")) if stopped else ()
        return Signs(names, str(said[0].get("content")), passed=not stopped, blocked=bool(stopped))

    async def _second_signs(self, text: str) -> Signs:
        """Colang 2.x: what it says and sends when the user has said the text."""
        heard = {"type": "UtteranceUserActionFinished", "final_transcript": text}
        events, state = await self._rails.runtime.process_events([heard], None)
        if action_failed(state):
            raise EngineError("exception", "an action raised")
        if state.main_flow_state.status.value == "stopped":
            raise EngineError("exception", "a flow died and stopped main")
        ran = [f.flow_id for f in state.flow_states.values() if f.status.value in ("starting", "started", "finished")]
        said = "\n".join(str(e["script"]) for e in events if e["type"] == "StartUtteranceBotAction")
        sent = [event["type"] for event in events if event["type"] in self._own["event"]]
        return Signs((*(name for name in ran if name.startswith("bot ")), *sent), said)
