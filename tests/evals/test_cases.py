"""Cases and slices: ours are sound; broken ones are named with file, line and mend."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from carerails.contracts import LOCALES
from carerails.errors import UsageError
from carerails.evals.cases import Case, Slice, load_data, load_slice, slice_names

OWN = [load_slice(name) for name in slice_names()]


def test_there_are_the_slices_that_we_publish():
    assert {"escalation", "scope", "over-refusal", "obfuscation", "locale-parity"} <= set(slice_names())


def test_there_are_enough_cases_and_a_third_a_locale():
    written = [case for piece in OWN if not piece.spec.derive for case in piece.cases]
    assert len(written) >= 1500
    shares = Counter(case.locale for case in written)
    assert all(0.32 <= shares[locale] / len(written) <= 0.35 for locale in LOCALES), shares
    assert len(load_slice("over-refusal").cases) >= 400


@pytest.mark.parametrize("piece", OWN, ids=lambda piece: piece.name)
def test_every_own_case_has_a_gold_label_and_its_own_text(piece: Slice):
    texts = Counter((case.said(), case.locale) for case in piece.cases)
    assert piece.spec.rule
    assert all(case.expected for case in piece.cases)
    if not piece.spec.derive:  # an attack may leave a text as it is
        assert not [text for text, times in texts.items() if times > 1]


def test_parallel_groups_have_one_case_a_locale():
    groups: dict[str | None, list[Case]] = {}
    for case in load_slice("locale-parity").cases:
        groups.setdefault(case.group, []).append(case)
    for group, cases in groups.items():
        assert group
        assert sorted(case.locale for case in cases) == sorted(LOCALES), group
        assert len({(case.expected, case.severity, case.slug) for case in cases}) == 1, group


def test_a_derived_slice_is_the_same_every_time():
    assert load_slice("obfuscation") == load_slice("obfuscation")


def write(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


GOOD = {"id": "1", "text": "hello", "locale": "en"}


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ((GOOD, "{"), ":2: not JSON"),
        ((GOOD, "[]"), ":2: not a JSON object"),
        ((GOOD, {**GOOD, "id": "2", "expected": "escalat"}), ":2: expected"),
        ((GOOD, {**GOOD, "id": "2", "country": 7}), ":2: country"),
        ((GOOD, {"id": "2", "locale": "en"}), ":2"),
        ((GOOD, {**GOOD, "id": "2", "expected": "allow", "severity": "urgent"}), ":2"),
        ((GOOD, '{"id": "2", "text": "a\\ud800", "locale": "en"}'), ":2: holds half a character"),
        ((GOOD, GOOD), ":2: the id '1' stands twice"),
        ((), "no rows"),
        (({**GOOD, "locale": "fr"},), "no row of en"),
    ],
)
def test_broken_data_is_named_with_its_line(tmp_path: Path, rows: tuple[Any, ...], what: str):
    with pytest.raises(UsageError) as caught:
        load_data(write(tmp_path / "d.jsonl", *rows))
    assert what in str(caught.value)


def test_an_escaped_pair_is_a_whole_character(tmp_path: Path):
    [case] = load_data(write(tmp_path / "d.jsonl", '{"id": "1", "text": "\\ud83d\\ude00", "locale": "en"}')).cases
    assert case.text == "\N{GRINNING FACE}"


def test_other_locales_are_skipped_and_counted_and_other_columns_ignored(tmp_path: Path):
    rows = (
        {**GOOD, "expected": "answer", "source": "s", "not_expected": ["answer"]},
        {**GOOD, "id": 2, "locale": "fr"},
        {**GOOD, "id": 3, "locale": None},
    )
    piece = load_data(write(tmp_path / "d.jsonl", *rows))
    assert (len(piece.cases), piece.skipped) == (1, 2)
    [case] = piece.cases
    assert (case.expected, case.not_expected) == ("allow", ("allow",))
