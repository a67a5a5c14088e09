"""The screener that a deployment's settings name."""

from __future__ import annotations

from carerails.contracts import DecisionModel
from carerails.policy import Policy
from carerails.screening.local import LocalModel
from carerails.screening.screener import Screener
from carerails.screening.settings import ModelName, ScreeningSettings


def open_screener(settings: ScreeningSettings, policy: Policy | None = None) -> Screener:
    """A screener by a profile's settings, whether or not they say that the agent has one.

    Args:
        settings: of the profile.
        policy: the rules of screening; None: those that are shipped.

    Raises:
        UsageError: the environment does not name the endpoint of a model, or an extra is missing.
        CompileError: the rails do not compile.
    """
    rails = LocalModel(policy, semantic=settings.semantic)
    stronger = settings.stronger and _model(settings.stronger, rails, settings)
    return Screener(settings, rails=rails, model=_model(settings.model, rails, settings), stronger=stronger or None)


def _model(name: ModelName, rails: LocalModel, settings: ScreeningSettings) -> DecisionModel:
    if name == "system-one":
        from carerails.screening.system_one import SystemOneModel

        return SystemOneModel.from_environment(timeout_s=settings.timeout_s)
    if name == "openai":
        from carerails.screening.chat_model import ChatModel

        return ChatModel.from_environment(timeout_s=settings.timeout_s)
    return rails
