"""Engines `prompt` and `llm`: a model decides, by one prompt that holds the whole policy, or by nothing at all."""

from carerails_model.bare import BareEngine
from carerails_model.prompted import PromptEngine

__all__ = ["BareEngine", "PromptEngine"]
