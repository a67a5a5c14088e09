"""An agent put together from what is shipped: any engine, the cards, a drafter, redaction."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from carerails.config import Settings, load_settings
from carerails.contracts import Drafter, OutputGuard, Retriever
from carerails.engine import open_engine
from carerails.errors import unknown
from carerails.graph import Agent, AgentSettings, Sink
from carerails.knowledge.retrieval import CardRetriever
from carerails.output.settings import JudgeName, OutputSettings

if TYPE_CHECKING:
    from carerails.screening.screener import Screener

DrafterName = Literal["cards", "model"]
DRAFTERS: tuple[DrafterName, ...] = ("cards", "model")


@dataclass(frozen=True)
class Assembly:
    """What an agent is made of, as a person names it.

    Attributes:
        engine: as in `carerails engines`.
        rails: directory or exported policy; None: those that are shipped.
        drafter: `cards` copies from them and needs no key; `model` asks the endpoint that the environment names.
        store: a path, `:memory:`, or a `postgresql://` URL.
        semantic: whether cards are searched by meaning too; None: where the extra is installed.
        judge: who gives the engine a second opinion, as `--semantic` names it; None: nobody. The floor never has one.
            The local one judges replies too.
    """

    engine: str = "native"
    rails: Path | None = None
    drafter: DrafterName = "cards"
    store: str = ":memory:"
    semantic: bool | None = None
    judge: str | None = None


def open_agent(
    assembly: Assembly,
    *,
    settings: Settings | None = None,
    agent_settings: AgentSettings | None = None,
    retriever: Retriever | None = None,
    drafter: Drafter | None = None,
    guard: OutputGuard | None = None,
    screener: Screener | None = None,
    sink: Sink | None = None,
) -> Agent:
    """An agent that is not started yet: use it as `async with`, or call `ask_sync`.

    Args:
        assembly: what it is made of.
        settings: profile and numbers; None: the default ones.
        agent_settings: limits and human review; None: the defaults. Its circuit, if it names none, is the profile's.
        retriever: instead of a new one on the shipped cards.
        drafter: instead of the one that `assembly` names.
        guard: instead of one on the engine's rails of replies.
        screener: instead of the one that the profile's `screening:` names.
        sink: where pages and reviewed replies go.

    Raises:
        UsageError: no such engine or drafter, or rails, cards or settings that do not load.
    """
    from carerails.output.guard import open_guard
    from carerails.privacy import PresidioRedactor
    from carerails.screening.opening import open_screener

    settings = settings or load_settings()
    if screener is None and settings.profile.screening.enabled:
        screener = open_screener(settings.profile.screening, assembly.rails)
    engine = open_engine(assembly.engine, assembly.rails, settings, judge=assembly.judge)
    is_floor = assembly.engine == "native" and assembly.judge is None
    floor = engine if is_floor else open_engine("native", assembly.rails, settings)
    return Agent(
        engine=engine,
        floor=floor,
        retriever=retriever or CardRetriever(semantic=assembly.semantic),
        drafter=drafter or _drafter(assembly.drafter, settings.profile.output),
        redactor=PresidioRedactor(),
        guard=guard or open_guard(assembly.engine, assembly.rails, settings, _judge_of_replies(assembly.judge)),
        screener=screener,
        claims=screener,
        store=assembly.store,
        sink=sink,
        settings=_of_profile(agent_settings, settings),
    )


def _of_profile(own: AgentSettings | None, settings: Settings) -> AgentSettings:
    """An agent's own settings, and those of the profile where it says nothing."""
    own, profile = own or AgentSettings(), settings.profile
    told = {"circuit": profile.circuit, "unsure": profile.screening.unsure}
    return own.model_copy(update={key: value for key, value in told.items() if key not in own.model_fields_set})


def _judge_of_replies(judge: str | None) -> JudgeName | None:
    """None: the one that the profile names."""
    return "local" if judge == "local" else None


def _drafter(name: str, rules: OutputSettings) -> Drafter:
    from carerails.drafting import ExtractiveDrafter, ModelDrafter
    from carerails.output.form import form_of

    if name == "cards":
        return ExtractiveDrafter()
    if name == "model":
        return ModelDrafter.from_environment(form=form_of(rules))
    raise unknown("drafter", name, DRAFTERS)
