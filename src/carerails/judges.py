"""Judges by name, as `--semantic` names them: the local one, or one that asks a model."""

from __future__ import annotations

from typing import Literal, get_args

from carerails.config import Settings
from carerails.contracts import SemanticJudge
from carerails.errors import unknown
from carerails.policy import Policy

JudgeName = Literal["local", "model"]
JUDGES: tuple[JudgeName, ...] = get_args(JudgeName)


def open_judge(name: str, policy: Policy, settings: Settings) -> SemanticJudge:
    """The judge of that name, not started.

    Args:
        name: `local` learns from the examples of the rails and from the cards; `model` asks the endpoint that the
            environment names, by the rubric that is shipped, and the local judge stands in for it where that is
            installed.
        policy: whose examples, and whose rules make outcomes of what is held.
        settings: operating points and limits.

    Raises:
        UsageError: no such judge, or it cannot run here: an extra, a variable or the lock of the rubric is missing.
    """
    if name == "local":
        return local_judge(policy)
    if name != "model":
        raise unknown("judge", name, JUDGES)
    from carerails.judge import ModelJudge, RubricModel, load_rubric
    from carerails.llm import Endpoint
    from carerails.privacy import PresidioRedactor
    from carerails.semantic import is_installed

    profile = settings.profile.judge
    endpoint = Endpoint.from_environment(timeout_s=profile.model.timeout_s, retries=profile.model.retries)
    model = RubricModel(endpoint, load_rubric(), PresidioRedactor(), profile.model)
    return ModelJudge(model, profile, local_judge(policy) if is_installed() else None)


def local_judge(policy: Policy) -> SemanticJudge:
    """The local judge, not started. Of what is ordinary it learns from the cards that are shipped, whatever the rails.

    Raises:
        UsageError: the extra is not installed, or a card cannot be read.
    """
    from carerails.knowledge.cards import card_files
    from carerails.semantic import LocalJudge

    return LocalJudge(policy.examples, card_files())
