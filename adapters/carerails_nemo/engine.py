"""The adapter: a text becomes an event, NeMo's runtime runs `flow main`, its one decision event becomes findings."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import StrictStr, TypeAdapter, ValidationError

from carerails.colang.rules import SECOND_OPINION
from carerails.contracts import Ask, Findings, Locale, RuleHit
from carerails.errors import EngineError, UsageError
from carerails.keeping import Shelf
from carerails.resources import data_dir, rails_files
from nemo_runner import Event, Events, Runner, action_failed

#: Who is asked for a second opinion in the current turn. Tasks that NeMo starts for actions inherit it.
_judge: ContextVar[Ask] = ContextVar("carerails_nemo_judge")
_PARSED = Shelf("nemo", ".json", most=8)
_HITS = TypeAdapter(list[tuple[StrictStr, tuple[StrictStr, ...]]])


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
        self._runner: Runner | None = None

    async def start(self) -> None:
        """Load the rails, and ask about an empty text: every rule, behind open guards, then every guard.

        That finds a rule that can never work, and compiles regexes, which takes a second that no turn should spend.

        Raises:
            UsageError: the rails cannot be read, NeMo cannot parse them, or `main` does not answer.
        """
        rails = self._rails or data_dir("rails")
        sources = [p for p in rails_files(rails) if "examples" not in p.relative_to(rails).parts]
        if not sources:
            raise UsageError("holds no .co files", "name a directory with Colang rails", str(rails))
        yaml = (data_dir("config") / "nemo" / "config.yml").read_text(encoding="utf-8")
        try:
            self._runner = await Runner.load(yaml, sources, {SECOND_OPINION: _second_opinion}, _PARSED)
            open_guards = self._runner.waiting()
            guards: dict[str, str] = open_guards.main_flow_state.context.get("guards") or {}
            guards.update(dict.fromkeys(guards, ""))
            await self._ask(_check_turn(""), "TurnChecked", open_guards)
            await self._ask(_check_turn(""), "TurnChecked")
        except Exception as error:
            await self.close()
            raise UsageError(f"NeMo cannot run the rails: {error}", "run `carerails rails lint`", str(rails)) from None

    async def close(self) -> None:
        """Forget the rails."""
        self._runner = None

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
        """The one event of type `answer` that comes back."""
        if self._runner is None:
            raise EngineError("missing", "the engine is not started")
        error, events = "", Events()
        try:
            events, state = await self._runner.send(question, state)
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
