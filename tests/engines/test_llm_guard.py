"""LLM Guard in its own environment: its output scanners on the rails of replies, and its weights where they are given.

The weights are made here: a model of a few kilobytes that calls everything, or nothing, an injection. What needs no
scanner of LLM Guard's is tested without it, on a package that is made here too.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from carerails import environments
from carerails.engines import load_engine
from carerails.errors import CarerailsError, UsageError
from carerails.patterns import PatternEngine
from carerails.resources import data_dir
from carerails_llm_guard import LLMGuardEngine
from tests.engines.test_patterns import RULES, ask

PYTHON = environments.python_of("llm-guard")
WEIGHTS = PYTHON is not None and any(PYTHON.parent.parent.glob("lib/python3*/site-packages/torch"))
here = pytest.mark.skipif(PYTHON is None, reason="carerails engines install llm-guard")
with_weights = pytest.mark.skipif(not WEIGHTS, reason="carerails engines install llm-guard+weights")
MODELS = "CARERAILS_LLM_GUARD_MODELS"
MAKE = """
import sys
from pathlib import Path
import torch
from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast
where, injection = Path(sys.argv[1]), int(sys.argv[2])
where.mkdir(parents=True)
words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "how", "are", "you"]
(where / "vocab.txt").write_text("\\n".join(words))
BertTokenizerFast(str(where / "vocab.txt")).save_pretrained(where)
small = dict(hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8)
labels = {0: "SAFE", 1: "INJECTION"}
config = BertConfig(vocab_size=len(words), id2label=labels, label2id={v: k for k, v in labels.items()}, **small)
model = BertForSequenceClassification(config)
with torch.no_grad():
    model.classifier.weight.zero_()
    model.classifier.bias.copy_(torch.tensor([-9.0, 9.0] if injection else [9.0, -9.0]))
model.save_pretrained(where)
"""


META = """
@meta(kind="scope", reason="meta", slug="out-of-scope-meta", priority=50)
flow scope meta $text -> $terms
  \"\"\"What it was told.\"\"\"
  if search("show", $text)
    return find_all("\\\\bprompt\\\\b", $text)
  return []
"""


@pytest.fixture(scope="module", name="rails")
def _rails(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rails = tmp_path_factory.mktemp("weights")
    asked = '  $terms = await scope meta $text\n  $hits = $hits + [["scope meta", $terms]]\n  return $hits'
    (rails / "all.co").write_text(RULES.replace("  return $hits", asked) + META, encoding="utf-8")
    return rails


def weights(directory: Path, injection: bool) -> Path:
    command = [str(PYTHON), "-c", MAKE, str(directory / "PromptInjection"), str(int(injection))]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return directory


@here
def test_replies_go_through_output_scanners(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(MODELS, raising=False)
    rails = data_dir("rails") / "output"
    plain = PatternEngine(rails)
    engine: Any = load_engine("llm-guard", rails)
    said = [example.text.lower() for example in plain.policy.examples]
    answers = ask(engine, *said, "take it with food")
    for text, answer in zip(said, answers, strict=False):
        assert [hit.rule for hit in answer.hits] == [n for n, regex in plain.regexes.items() if re.search(regex, text)]
    assert any(answer.hits for answer in answers)
    assert not answers[-1].hits
    assert set(engine.unsupported) == plain.policy.rules.keys() - plain.regexes.keys()


@with_weights
@pytest.mark.parametrize("injection", [True, False])
def test_weights_refuse_what_they_were_made_for(
    injection: bool, rails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(MODELS, str(weights(tmp_path, injection)))
    engine: Any = load_engine("llm-guard", rails)
    (answer,) = ask(engine, "how are you")
    assert [(ruling.outcome, ruling.slug) for ruling in answer.rulings] == (
        [("refuse", "out-of-scope-meta")] if injection else []
    )
    assert "scope meta" not in engine.unsupported
    assert not engine.notes


@here
def test_without_weights_their_subject_is_unsupported_and_it_says_so(
    rails: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.delenv(MODELS, raising=False)
    engine: Any = load_engine("llm-guard", rails)
    (answer,) = ask(engine, "slurred speech")
    assert [hit.rule for hit in answer.hits] == ["red flag stroke"]
    assert f"PromptInjection needs weights: {MODELS}" in engine.unsupported["scope meta"]
    assert "without PromptInjection" in capsys.readouterr().err


@here
@pytest.mark.parametrize("what", ["nothing", "no directory", pytest.param("garbage", marks=with_weights)])
def test_weights_that_cannot_be_loaded_are_named(
    what: str, rails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(MODELS, str(tmp_path / "none" if what == "no directory" else tmp_path))
    if what == "garbage":
        (tmp_path / "PromptInjection").mkdir()
        (tmp_path / "PromptInjection" / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(CarerailsError, match="PromptInjection"):
        ask(load_engine("llm-guard", rails))


SCANNER = """
from enum import Enum
import re
class MatchType(Enum):
    SEARCH = "search"
class Regex:
    def __init__(self, patterns, is_blocked, match_type, redact):
        self.pattern = re.compile(patterns[0])
    def scan(self, text):
        return text, self.pattern.search(text) is None, 0.0
"""


@pytest.fixture(name="pretended")
def _pretended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """LLM Guard, the packages of which cannot be run for want of what they import."""
    for package in ("llm_guard", "llm_guard/input_scanners", "llm_guard/output_scanners"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("import torch_is_not_here", encoding="utf-8")
    (tmp_path / "llm_guard" / "input_scanners" / "regex.py").write_text(SCANNER, encoding="utf-8")
    (tmp_path / "llm_guard-0.3.16.dist-info").mkdir()
    (tmp_path / "llm_guard-0.3.16.dist-info" / "METADATA").write_text("Name: llm-guard\nVersion: 0.3.16\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "llm_guard.input_scanners.regex", raising=False)
    return tmp_path


def test_only_the_scanners_that_it_uses_are_imported(pretended: Path, rails: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(MODELS, raising=False)
    engine = LLMGuardEngine(rails)
    asyncio.run(engine.start())
    findings = asyncio.run(engine.evaluate("slurred speech"))
    assert [hit.rule for hit in findings.hits] == ["red flag stroke"]
    assert "llm_guard" not in sys.modules, "whoever imports LLM Guard after us gets it whole"


def test_weights_without_their_packages_say_how_to_get_them(
    pretended: Path, rails: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(MODELS, str(pretended))
    monkeypatch.setattr("carerails_llm_guard.engine.FRAMEWORKS", ("re", "no_framework"))
    (pretended / "PromptInjection").mkdir()
    (pretended / "PromptInjection" / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UsageError, match=r"PromptInjection needs no_framework, .*engines install llm-guard\+weights"):
        asyncio.run(LLMGuardEngine(rails).start())
