"""The picture of a calibration: of each operating point its precision-recall curve, and how reliable scores are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape

from carerails.calibration.curves import average_precision, precision_recall, reliability
from carerails.calibration.plan import Chosen
from carerails.evals.stats import Rate

#: Pixels: the side of a square plot, what is around it, and a row of two.
_SIDE, _LEFT, _TOP, _GAP = 220, 56, 46, 84
_ROW = _TOP + _SIDE + 50
_WIDTH = _LEFT + _SIDE + _GAP + _SIDE + 30

_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#222}.small{font-size:10px;fill:#555}"
    ".title{font-size:14px;font-weight:600}"
    ".frame{fill:none;stroke:#999}.grid{stroke:#ddd}.curve{fill:none;stroke:#1b6ca8;stroke-width:2}"
    ".point{fill:#c0392b}.limit{stroke:#c0392b;stroke-width:2}.even{stroke:#999;stroke-dasharray:4 4}"
    ".bin{fill:#1b6ca8}.spread{stroke:#1b6ca8}"
)


def draw(title: str, about: str, chosen: Sequence[Chosen]) -> str:
    """One SVG, a row for each operating point.

    Args:
        title: a few words.
        about: a line below it.
        chosen: in the order of the rows.
    """
    height = 54 + _ROW * len(chosen)
    body = "".join(_row(one, 44 + number * _ROW) for number, one in enumerate(chosen))
    told = "; ".join(f"{one.label}: {_words(one)}" for one in chosen)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'role="img" aria-labelledby="title desc"><title id="title">{escape(title)}</title>'
        f'<desc id="desc">{escape(told)}</desc><style>{_STYLE}</style>'
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>'
        f'<text x="16" y="22" class="title">{escape(title)}</text>'
        f'<text x="16" y="40" class="small">{escape(about)}</text>{body}</svg>\n'
    )


def _words(one: Chosen) -> str:
    point = "the rules alone" if one.point is None else f"from {one.point:g}"
    return f"{point}: recall {_rate(one.held_out.recall)}, false alarms {_rate(one.held_out.false_alarms)}"


def _rate(rate: Rate) -> str:
    if rate.value is None or rate.low is None or rate.high is None:
        return "none"
    return f"{rate.value:.3f} ({rate.low:.3f}-{rate.high:.3f})"


def _row(one: Chosen, top: float) -> str:
    right = _LEFT + _SIDE + _GAP
    plots = top + _TOP
    return (
        f'<text x="16" y="{top + 18}">{escape(one.label)}</text>'
        f'<text x="16" y="{top + 34}" class="small">{escape(_words(one))} (held out)</text>'
        + _frame(_LEFT, plots, "recall", "precision")
        + "".join(_curve(one, _LEFT, plots))
        + _frame(right, plots, "score", "share that is so")
        + "".join(_reliability(one, right, plots))
    )


def _frame(left: float, top: float, across: str, up: str) -> str:
    bottom = top + _SIDE
    parts = [f'<rect x="{left}" y="{top}" width="{_SIDE}" height="{_SIDE}" class="frame"/>']
    for step in range(5):
        at = step / 4
        x, y = left + at * _SIDE, bottom - at * _SIDE
        parts.append(f'<text x="{x}" y="{bottom + 14}" class="small" text-anchor="middle">{at:g}</text>')
        parts.append(f'<text x="{left - 6}" y="{y + 3}" class="small" text-anchor="end">{at:g}</text>')
        if 0 < step < 4:
            parts.append(f'<line x1="{left}" x2="{left + _SIDE}" y1="{y}" y2="{y}" class="grid"/>')
    middle, aside = top + _SIDE / 2, left - 36
    parts.append(f'<text x="{left + _SIDE / 2}" y="{bottom + 30}" text-anchor="middle">{across}</text>')
    parts.append(
        f'<text x="{aside}" y="{middle}" text-anchor="middle" transform="rotate(-90 {aside} {middle})">{up}</text>'
    )
    return "".join(parts)


def _curve(one: Chosen, left: float, top: float) -> Iterator[str]:
    curve = precision_recall(one.rows)
    if not curve:
        return
    steps = [f"M{left:.1f} {top + _SIDE * (1 - curve[0].precision):.1f}"]
    for point in curve:
        steps.append(f"V{top + _SIDE * (1 - point.precision):.1f}H{left + _SIDE * point.recall:.1f}")
    yield f'<path class="curve" d="{"".join(steps)}"/>'
    area = average_precision(curve)
    yield f'<text x="{left + 8}" y="{top + _SIDE - 10}" class="small">average precision {area:.3f}</text>'
    recall, precision = one.seen.recall, one.seen.precision
    if None not in (recall.value, recall.low, recall.high, precision.value):
        assert recall.value is not None
        assert recall.low is not None
        assert recall.high is not None
        assert precision.value is not None
        y = top + _SIDE * (1 - precision.value)
        yield f'<line class="limit" x1="{left + _SIDE * recall.low:.1f}" x2="{left + _SIDE * recall.high:.1f}" '
        yield f'y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<circle class="point" cx="{left + _SIDE * recall.value:.1f}" cy="{y:.1f}" r="4"/>'


def _reliability(one: Chosen, left: float, top: float) -> Iterator[str]:
    bottom = top + _SIDE
    yield f'<line class="even" x1="{left}" y1="{bottom}" x2="{left + _SIDE}" y2="{top}"/>'
    for each in reliability(one.rows):
        if each.share.value is None or each.share.low is None or each.share.high is None:
            continue
        x = left + _SIDE * each.score
        high, low = (bottom - _SIDE * limit for limit in (each.share.high, each.share.low))
        yield f'<line class="spread" x1="{x:.1f}" x2="{x:.1f}" y1="{high:.1f}" y2="{low:.1f}"/>'
        radius = 2 + math.log10(each.share.of)
        yield f'<circle class="bin" cx="{x:.1f}" cy="{bottom - _SIDE * each.share.value:.1f}" r="{radius:.1f}"/>'
    if one.point is not None:
        x = left + _SIDE * one.point
        yield f'<line class="limit" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}"/>'
