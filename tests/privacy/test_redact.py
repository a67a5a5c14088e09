"""Personal data goes, medicine talk stays, and whatever fails hides everything."""

from __future__ import annotations

import logging
import socket
import statistics
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carerails.contracts import LOCALES, Redacted, Redactor
from carerails.privacy import PresidioRedactor
from carerails.privacy.finders import Finder, Span, plain
from carerails.privacy.redact import MAX_CHARS
from tests.privacy.texts import MEDICINE, PERSONAL

REDACTOR: Redactor = PresidioRedactor()


def redact(text: str) -> str:
    return REDACTOR.redact(text, "en").text


@pytest.mark.parametrize(("text", "gone", "expected"), PERSONAL, ids=[text for text, _, _ in PERSONAL])
def test_personal_data_goes(text: str, gone: str, expected: str) -> None:
    assert gone in text
    assert redact(text) == expected
    assert gone not in expected


@pytest.mark.parametrize("text", MEDICINE)
def test_medicine_talk_stays(text: str) -> None:
    for locale in LOCALES:
        assert REDACTOR.redact(text, locale) == Redacted(text=text)


def test_kinds_are_in_order_of_the_text() -> None:
    said = "My name is Ada Quill, ada@example.org, or call me at (212) 555-0142, or mail bob@example.org"
    assert REDACTOR.redact(said, "en").kinds == ("NAME", "EMAIL", "PHONE", "EMAIL")


@pytest.mark.parametrize(
    ("number", "valid"),
    [("11144477735", True), ("11144477736", False), ("4111111111111111", True), ("4111111111111112", False)],
)
def test_bare_digits_count_by_their_checksum(number: str, valid: bool) -> None:
    assert (redact(f"code {number}") != f"code {number}") == valid


PIECES = st.sampled_from(
    [text for text, _, _ in PERSONAL]
    + MEDICINE
    + ["my name is", "soy", "call me at", "dni", "born on", "<PHONE>", "12"]
)
TEXTS = st.lists(PIECES, min_size=1, max_size=4).map(" ".join) | st.lists(PIECES, min_size=1, max_size=4).map("\n".join)


@settings(deadline=None, max_examples=150)
@given(TEXTS | st.text(max_size=80) | st.text(alphabet="0123456789 ()+-./:@ae", max_size=60))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = REDACTOR.redact(text, "en")
    assert REDACTOR.redact(once.text, "pt-BR") == once


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(PERSONAL), st.sampled_from(MEDICINE), st.booleans())
def test_neighbours_change_nothing(personal: tuple[str, str, str], medicine: str, first: bool) -> None:
    text, _, expected = personal
    said = f"{text}\n{medicine}" if first else f"{medicine}\n{text}"
    assert redact(said) == (f"{expected}\n{medicine}" if first else f"{medicine}\n{expected}")


def test_a_number_ends_where_its_line_does() -> None:
    assert redact("ssn 123 45 6789\n500 mg 3 times") == "ssn <SSN>\n500 mg 3 times"


DOSE = st.builds(
    "{} {} {} mg {} times a day at {}:{:02d}".format,
    st.sampled_from(["metformin", "losartana", "enalapril"]),
    st.sampled_from(["is", "de", ""]),
    st.one_of(st.integers(1, 2000), st.decimals(0, 100, places=1)),
    st.integers(1, 6),
    st.integers(0, 23),
    st.integers(0, 59),
)
READING = st.builds("pressure {}/{} pulse {}".format, st.integers(70, 230), st.integers(40, 140), st.integers(40, 180))
DAY = st.dates().map(lambda day: f"appointment {day:%d/%m/%Y}") | st.dates().map(lambda day: f"cita {day:%Y-%m-%d}")
IMPRINT = st.from_regex(r"imprint [A-Z]{1,3} ?[0-9]{2,4}", fullmatch=True)


@settings(deadline=None)
@given(st.lists(DOSE | READING | DAY | IMPRINT, min_size=1, max_size=4).map(", ".join))
def test_doses_readings_days_and_imprints_stay(text: str) -> None:
    assert redact(text) == text


@settings(deadline=None)
@given(st.text(max_size=60))
def test_the_plain_copy_has_the_length_of_the_text(text: str) -> None:
    assert len(plain(text)) == len(text)


@pytest.mark.parametrize("text", [None, 7, b"my ssn is 123-45-6789", ["x"]])
def test_what_is_no_text_is_masked(text: object) -> None:
    assert REDACTOR.redact(text, "en") == Redacted(text="<REDACTED>", kinds=("REDACTED",))  # type: ignore[arg-type]


def test_a_finder_that_fails_masks_everything_and_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def breaks(text: str) -> Iterator[Span]:
        raise ValueError(text)

    redactor = PresidioRedactor((Finder("PHONE", breaks, 0.5),))
    assert redactor.redact("zanahoria", "en") == Redacted(text="<REDACTED>", kinds=("REDACTED",))
    assert "ValueError" in caplog.text
    assert "zanahoria" not in caplog.text


def test_a_finder_that_never_settles_masks_everything() -> None:
    def first_letter(text: str) -> Iterator[Span]:
        yield (0, 1)

    assert PresidioRedactor((Finder("NAME", first_letter, 0.5),)).redact("zanahoria", "en").text == "<REDACTED>"


def test_a_text_beyond_the_limit_is_masked_whole() -> None:
    assert redact("a" * MAX_CHARS) == "a" * MAX_CHARS
    assert redact("a" * (MAX_CHARS + 1)) == "<REDACTED>"


@pytest.mark.parametrize(
    "piece", ["1 ", "1.", "a@", "my name is ", "Soy Ana ", "calle ", "12-34-", "dni ", "a:", "12 A "]
)
def test_texts_made_to_be_slow_are_not(piece: str) -> None:
    began = time.perf_counter()
    redact(piece * (4_000 // len(piece)))
    assert time.perf_counter() - began < 3  # about 0.2 s on an idle machine


def test_logs_at_the_lowest_level_hold_no_personal_data(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    PresidioRedactor().redact("my name is Ada Quill, ada@example.org", "en")
    assert "Quill" not in caplog.text
    assert "example.org" not in caplog.text


def test_the_network_is_never_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(*_: object) -> None:
        raise AssertionError("the redactor opened a connection")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    assert PresidioRedactor().redact("ada@example.co.uk, www.example.org", "en").kinds == ("EMAIL", "URL")


def test_first_use_from_many_threads_at_once() -> None:
    fresh, gate = PresidioRedactor(), threading.Barrier(8)

    def once(number: int) -> str:
        gate.wait()
        return fresh.redact(f"mail user{number}@example.org, 500 mg", "en").text

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(once, range(8))) == {"mail <EMAIL>, 500 mg"}


def test_a_message_takes_less_than_three_milliseconds() -> None:
    texts = [text for text, _, _ in PERSONAL] + MEDICINE
    redact("warm")
    seconds: list[float] = []
    for text in texts * 3:
        began = time.perf_counter()
        redact(text)
        seconds.append(time.perf_counter() - began)
    assert statistics.median(seconds) < 0.003
