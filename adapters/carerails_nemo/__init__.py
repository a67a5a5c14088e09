"""Engine `nemo`: NeMo Guardrails' own Colang 2.x runtime runs the rails as they are written."""

from carerails_nemo.engine import NemoEngine

__all__ = ["NemoEngine"]
