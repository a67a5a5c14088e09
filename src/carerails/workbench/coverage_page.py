"""Coverage as one page that needs no network: the rails' source, coloured by what texts exercise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from carerails.contracts import LOCALES
from carerails.evals.report.page import asset, filled
from carerails.workbench.coverage import Coverage, Hits

_PACKAGE = "carerails.workbench"


def page(found: Coverage, sources: Mapping[str, str]) -> str:
    """The page; `sources` are the texts of the files, by name."""
    template, style = asset(_PACKAGE, "coverage.html.j2"), asset(_PACKAGE, "coverage.css")
    files = {file for file, _ in found.statements} | set(found.by_file())
    return filled(
        template,
        style,
        "",
        {},
        total=f"{sum(found.texts.values()):,}",
        locales=("all", *LOCALES),
        rows=[(what, [shown(*count) for count in counts]) for what, counts in found.rows()],
        templates=[
            (slug, [sum(hits.values()), *(hits[locale] for locale in LOCALES)])
            for slug, hits in found.templates.items()
        ],
        files=[(file, lives["texts"], lives.total()) for file, lives in found.by_file().items()],
        sources=[(name, list(_lines(name, text, found))) for name, text in sources.items() if name in files],
        dead=[(arm, found.life(arm)) for arm in found.dead],
    )


def shown(hit: int, every: int) -> str:
    """`812 of 2,204 (37 %)`."""
    return f"{hit:,} of {every:,}" + (f" ({100 * hit / every:.0f} %)" if every else "")


def _lines(name: str, text: str, found: Coverage) -> Iterator[tuple[int, str, str, str]]:
    """Number, colour, counts and text of each line."""
    patterns: defaultdict[int, list[Hits]] = defaultdict(list)
    for arm, hits in found.patterns.items():
        if arm.file == name:
            patterns[arm.line].append(hits)
    for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
        arms = patterns.get(number)
        ran = found.statements.get((name, number))
        if arms:
            hit = sum(bool(hits) for hits in arms)
            kind = "hit" if hit == len(arms) else "part" if hit else "dead"
            yield number, kind, f"{hit}/{len(arms)} patterns", line
        elif ran is not None:
            yield number, "hit" if ran else "dead", f"{sum(ran.values())} runs" if ran else "never", line
        else:
            yield number, "", "", line
