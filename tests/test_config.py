"""A wrong key, value, file or profile is an error with file, line and mend; nothing is silently ignored."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from carerails.config import load_settings
from carerails.contracts import LOCALES
from carerails.errors import UsageError
from carerails.resources import data_dir


@pytest.fixture
def config(tmp_path: Path) -> Path:
    shutil.copytree(data_dir("config") / "profiles", tmp_path / "profiles")
    shutil.copy(data_dir("config") / "numbers.yml", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("deadline_s:", "deadlines:", r"default.yml:2: unknown key 'deadlines' \(did you mean 'deadline_s'\?\)"),
        ("deadline_s: 2.0", "deadline_s: soon", "default.yml:2: deadline_s: .* valid number"),
        ("deadline_s: 2.0", "deadline_s: 0", "default.yml:2: deadline_s: .* greater than 0"),
        ("own_identifiers: redact", "own_identifiers: ignore", "default.yml:4: own_identifiers"),
        ("deadline_s: 2.0", "deadline_s: [2.0", r"default.yml:\d+: "),
        ("en: US", "en: USA", r"default.yml:6: default_country.en"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(config: Path, old: str, new: str, said: str) -> None:
    path = config / "profiles" / "default.yml"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        load_settings(config)


def test_an_unknown_profile_is_told_with_the_nearest(config: Path) -> None:
    with pytest.raises(UsageError, match="default"):
        load_settings(config, "defualt")


def test_bytes_and_missing_files_are_told(config: Path) -> None:
    (config / "numbers.yml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="UTF-8"):
        load_settings(config)
    (config / "numbers.yml").unlink()
    with pytest.raises(UsageError, match=r"numbers.yml"):
        load_settings(config)


def test_every_locale_has_words_where_a_country_has_no_number() -> None:
    book = load_settings().numbers
    for locale in LOCALES:
        assert all(book.of(locale, "ZZ").values())
    assert book.of("en", "US")["emergency"] == "911"
