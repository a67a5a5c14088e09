"""Tool results as JSON: read, cut into units by their paths, and put together again without what is out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from carerails.contracts import Unit, UnitReport
from carerails.records import value_of
from carerails.screening.units import of_key, of_result

#: Stands in a result where something was: a model that reads it sees that there was more.
LEFT_OUT: Final = "[left out]"


@dataclass(frozen=True)
class ScreenedResult:
    """A tool's result as it may enter the context, and what became of every unit, in the order of the input.

    Attributes:
        result: of the same shape; what is out is `LEFT_OUT`, a sentence of several is gone from its text.
        units: the reports.
        model: who answered.
        texts: of the units, by key, where the deployment logs them; to be redacted before that.
    """

    result: object
    units: tuple[UnitReport, ...]
    model: str
    texts: dict[str, str] = field(default_factory=dict[str, str])


def of_json(text: str, source: str = "", about: str = "") -> tuple[object, list[Unit]]:
    """A result that a tool gave as text, and its units; text that is no JSON is one string.

    Raises:
        ValueError: it is nested too deeply to be read.
    """
    result = value_of(text)
    return result, of_result(result, source, about)


def left_of(result: object, units: Sequence[Unit], reports: Sequence[UnitReport]) -> object:
    """What is left of a result.

    Args:
        result: what the units were made of.
        units: all of them, as `of_result` gave them.
        reports: of each unit, in the same order.
    """
    return _left(result, "", iter(list(zip(units, reports, strict=True))))


_Judged = tuple[Unit, UnitReport]


def _left(value: object, path: str, judged: Iterator[_Judged]) -> object:
    """Takes the units from the front in the order in which they were made."""
    if isinstance(value, dict):
        kept: dict[str, object] = {}
        for number, (key, inner) in enumerate(cast("dict[str, Any]", value).items(), 1):
            place = f"{path}.{key}" if path else str(key)
            said = [next(judged)[1].inside for _ in of_key(str(key))]
            kept[str(key) if all(said) else f"{LEFT_OUT} {number}"] = _left(inner, place, judged)
        return kept
    if isinstance(value, list):
        return [_left(inner, f"{path}[{at}]", judged) for at, inner in enumerate(cast("list[Any]", value))]
    if isinstance(value, str):
        return _text(value, judged)
    return value if next(judged)[1].inside else LEFT_OUT


def _text(value: str, judged: Iterator[_Judged]) -> str:
    """All of a text where all of its units are in, and else those that are."""
    units = list(of_result(value))
    own = [next(judged) for _ in units]
    if all(report.inside for _, report in own):
        return value
    return " ".join(unit.text for unit, report in own if report.inside) or LEFT_OUT
