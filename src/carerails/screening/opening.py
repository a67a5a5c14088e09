"""The screener that a deployment's settings name."""

from __future__ import annotations

import logging
from pathlib import Path

from carerails.contracts import DecisionModel
from carerails.policy import Policy
from carerails.screening.carriers import screening_rails
from carerails.screening.local import LocalModel
from carerails.screening.screener import Screener
from carerails.screening.settings import ModelName, ScreeningSettings
from carerails.semantic import is_installed

log = logging.getLogger(__name__)


def open_screener(settings: ScreeningSettings, rails: Path | None = None) -> Screener:
    """A screener by a profile's settings, whether or not they say that the agent has one.

    Args:
        settings: of the profile.
        rails: the directory of rails; its `screening` is what is used, or the shipped one where it has none.

    Raises:
        UsageError: the environment does not name the endpoint of a model, or an extra that is wanted is missing.
        CompileError: the rails do not compile.
    """
    if settings.head is None and not is_installed():
        log.warning(
            "the extra `semantic` is not installed: instructions are looked for by rules alone, without the head"
        )
    local = LocalModel(Policy.load(screening_rails(rails)), semantic=settings.semantic, head=settings.head)
    stronger = _model(settings.stronger, local, settings) if settings.stronger else None
    return Screener(settings, rails=local, model=_model(settings.model, local, settings), stronger=stronger)


def _model(name: ModelName, local: LocalModel, settings: ScreeningSettings) -> DecisionModel:
    if name == "system-one":
        from carerails.screening.system_one import SystemOneModel

        return SystemOneModel.from_environment(timeout_s=settings.timeout_s)
    if name == "openai":
        from carerails.screening.chat_model import ChatModel

        return ChatModel.from_environment(timeout_s=settings.timeout_s)
    return local
