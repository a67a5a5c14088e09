"""Engine `native`: needs no NeMo, never awaits, and gives the same from files and from an export."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from carerails.config import load_settings
from carerails.contracts import Findings, RuleEngine, Turn
from carerails.engine import FailSafeEngine
from carerails.errors import EngineError, UsageError
from carerails.policy import CompileError
from carerails_native import Escalation, NativeEngine, Refusals, Scope
from tests.colang.policy_texts import IDIOM, write

CHEST = "i have pressure and chest pain"


@pytest.fixture
def engine(tmp_path: Path) -> NativeEngine:
    return NativeEngine(write(tmp_path))


def test_it_is_a_rule_engine(engine: NativeEngine):
    assert isinstance(engine, RuleEngine)
    assert engine.name == "native"
    assert engine.capabilities >= {"escalate", "refuse", "check-in", "evidence", "render", "synchronous"}


def test_it_never_awaits(engine: NativeEngine):
    step = engine.evaluate(CHEST)
    with pytest.raises(StopIteration) as finished:
        step.send(None)
    findings: Findings = finished.value.value
    assert [hit.rule for hit in findings.hits] == ["red flag chest pain"]


def test_an_export_decides_the_same(engine: NativeEngine, tmp_path: Path):
    path = tmp_path / "policy.json"
    path.write_text(engine.policy.to_json(), encoding="utf-8")
    exported = NativeEngine(path)
    for text in (CHEST, "want to die", "want to die of laughter", "nothing"):
        assert asyncio.run(exported.evaluate(text)) == asyncio.run(engine.evaluate(text))
    rendered = asyncio.run(exported.render("emergency-medical", "en", {"emergency": "112"}))
    assert rendered == "Call 112"


def test_an_unknown_template_is_a_key_error(engine: NativeEngine):
    with pytest.raises(KeyError):
        asyncio.run(engine.render("nothing", "en", {}))


def test_rails_that_do_not_compile_fail_at_start(tmp_path: Path):
    engine = NativeEngine(write(tmp_path, {"red_flags/despair.co": IDIOM.replace("$rest)", "$left)")}))
    with pytest.raises(CompileError, match=r"red_flags/despair\.co:5:\d+: `\$left` has no value"):
        asyncio.run(engine.start())


def test_rails_that_do_not_exist_fail_at_start(tmp_path: Path):
    with pytest.raises(UsageError, match="no Colang files"):
        asyncio.run(NativeEngine(tmp_path / "nowhere").start())


def test_a_failing_rule_is_raised_for_the_wrapper_to_resolve(tmp_path: Path):
    engine = NativeEngine(
        write(tmp_path, {"red_flags/despair.co": IDIOM.replace("$rest = $text", "$rest = $text + 1\n  $rest = $text")})
    )
    with pytest.raises(EngineError):
        asyncio.run(engine.evaluate("want to die"))


def test_the_three_modules_are_views_of_one_decision(rails: Path):
    inner = NativeEngine(rails)
    engine = FailSafeEngine(inner, inner.policy, load_settings())
    red_flag, dosing = Turn.of("her face is drooping"), Turn.of("can i double the dose")
    detected = asyncio.run(Escalation(engine).detect(red_flag))
    assert detected.handoff is not None
    assert (detected.handoff.category, detected.handoff.severity) == ("stroke", "emergency")
    assert not asyncio.run(Escalation(engine).detect(dosing)).escalate
    assert asyncio.run(Scope(engine).classify(dosing)).reason == "out-of-scope-dosing"
    assert asyncio.run(Scope(engine).classify(Turn.of("what is metformin for"))).in_scope
    assert asyncio.run(Refusals(engine).render("out-of-scope-dosing", "pt-BR")).locale == "pt-BR"


BLOCKED = """
import asyncio, sys
from pathlib import Path

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("nemoguardrails", "lark", "simpleeval", "langchain_core", "scipy", "py3langid"):
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocker())
from carerails_native import NativeEngine
engine = NativeEngine(Path(sys.argv[1]))
asyncio.run(engine.start())
print([hit.rule for hit in asyncio.run(engine.evaluate(sys.argv[2])).hits])
"""


def test_it_imports_nothing_of_nemo(tmp_path: Path):
    command = [sys.executable, "-c", BLOCKED, str(write(tmp_path)), CHEST]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("['red flag chest pain']", "")
