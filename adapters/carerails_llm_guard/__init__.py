"""Engine `llm-guard`: LLM Guard's Regex scanner runs each rule that is one regex."""

from carerails_llm_guard.engine import LLMGuardEngine

__all__ = ["LLMGuardEngine"]
