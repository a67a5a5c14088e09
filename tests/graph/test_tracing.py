"""Nothing of a talk goes to a tracing service, whatever the environment asks for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from carerails.testing import StubLLM, stub_llm

__all__ = ["stub_llm"]

RUN = """
import sys
from carerails.graph import threads
from tests.graph.kit import Parts
if sys.argv[1] == "control":
    from contextlib import nullcontext
    threads.untraced = nullcontext
with Parts().agent() as agent:
    assert agent.ask_sync("t", "where do i store it, says SECRETWORD").reply
from langchain_core.tracers.langchain import wait_for_all_tracers
wait_for_all_tracers()
"""


@pytest.mark.parametrize("how", ["ours", "control"])
def test_a_graph_run_is_not_traced(stub_llm: StubLLM, how: str) -> None:
    asked = dict.fromkeys(("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2"), "true")
    where = {"LANGSMITH_ENDPOINT": stub_llm.root, "LANGCHAIN_ENDPOINT": stub_llm.root, "LANGSMITH_API_KEY": "k"}
    env = {**os.environ, **asked, **where, "PYTHONPATH": os.getcwd()}
    subprocess.run([sys.executable, "-c", RUN, how], env=env, check=True, timeout=60, capture_output=True)
    assert bool(stub_llm.strays) == (how == "control")  # the control shows that this environment does send traces
