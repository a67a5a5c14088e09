"""Engine `iorails`: NeMo's IORails, what survives the Colang runtimes, on a configuration made from the rails."""

from carerails_iorails.engine import IORailsEngine

__all__ = ["IORailsEngine"]
