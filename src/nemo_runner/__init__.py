"""Runs a Colang 2.x program on NeMo Guardrails' runtime: an event in, events out, quickly and without a trace.

It knows Colang and NeMo, and nothing of what a program is for.
"""

from nemo_runner.discretion import discreet, hush
from nemo_runner.runner import SWALLOWED, Event, Events, Runner, action_failed, no_telemetry

__all__ = ["SWALLOWED", "Event", "Events", "Runner", "action_failed", "discreet", "hush", "no_telemetry"]
