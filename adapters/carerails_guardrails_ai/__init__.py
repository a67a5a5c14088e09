"""Engine `guardrails-ai`: Guardrails AI runs a validator for each rule. Nothing it does leaves the machine."""

from carerails_guardrails_ai.engine import GuardrailsAIEngine

__all__ = ["GuardrailsAIEngine"]
