"""Engine `nemo-config:DIRECTORY`: somebody's own NeMo configuration, Colang 1.0 or 2.x. See docs/nemo-config.md."""

from carerails_nemo_config.engine import NemoConfigEngine

__all__ = ["NemoConfigEngine"]
