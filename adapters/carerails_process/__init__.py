"""Engine `process`: any engine in another process, over JSON lines (docs/process-protocol.md)."""

from carerails_process.engine import ProcessEngine

__all__ = ["ProcessEngine"]
