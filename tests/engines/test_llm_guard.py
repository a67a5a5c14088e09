"""LLM Guard in its own environment: its output scanners on the rails of replies, and its weights where they are given.

The weights are made here: a model of a few kilobytes that calls everything, or nothing, an injection.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from carerails import environments
from carerails.engines import load_engine
from carerails.errors import CarerailsError
from carerails.patterns import PatternEngine
from carerails.resources import data_dir
from tests.engines.test_patterns import RULES, ask

PYTHON = environments.python_of("llm-guard")
pytestmark = pytest.mark.skipif(PYTHON is None, reason="carerails engines install llm-guard")
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


def test_without_weights_their_subject_is_unsupported_and_it_says_so(
    rails: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.delenv(MODELS, raising=False)
    engine: Any = load_engine("llm-guard", rails)
    (answer,) = ask(engine, "slurred speech")
    assert [hit.rule for hit in answer.hits] == ["red flag stroke"]
    assert f"PromptInjection needs weights: {MODELS}" in engine.unsupported["scope meta"]
    assert "without PromptInjection" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["nothing", "no directory", "garbage"])
def test_weights_that_cannot_be_loaded_are_named(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(MODELS, str(tmp_path / "none" if what == "no directory" else tmp_path))
    if what == "garbage":
        (tmp_path / "PromptInjection").mkdir()
        (tmp_path / "PromptInjection" / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(CarerailsError, match="PromptInjection"):
        ask(load_engine("llm-guard"))
