"""Engine `native`: the rails compiled to Python closures. Needs no NeMo Guardrails."""

from carerails_native.engine import NativeEngine
from carerails_native.escalation import Escalation
from carerails_native.refusal import Refusals
from carerails_native.scope import Scope

__all__ = ["Escalation", "NativeEngine", "Refusals", "Scope"]
