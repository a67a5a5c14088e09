"""Test kit for whoever builds on carerails: the conformance suite of engines, and a model endpoint to script.

`from carerails.testing import StubLLM, answers, stub_llm` makes the pytest fixture `stub_llm` available in a module.
"""

from carerails.testing.endpoint import Recorded, Scripted, StubLLM
from carerails.testing.fixtures import stub_llm
from carerails.testing.replies import (
    FAULTS,
    answers,
    completion,
    cut_off,
    fenced,
    rate_limited,
    raw,
    refuses,
    says,
    status,
)
from carerails.testing.suite import conformance

__all__ = [
    "FAULTS",
    "Recorded",
    "Scripted",
    "StubLLM",
    "answers",
    "completion",
    "conformance",
    "cut_off",
    "fenced",
    "rate_limited",
    "raw",
    "refuses",
    "says",
    "status",
    "stub_llm",
]
