"""The page: one document with its style and script, which may ask this server and nobody else."""

from __future__ import annotations

from collections.abc import Sequence

from carerails.config import Settings
from carerails.contracts import LOCALES, PRECEDENCE
from carerails.evals.report import page as report

PACKAGE = "carerails.play"
#: What is shared with the report, then what is the page's own, in the order in which they need each other.
SCRIPT = (
    (report.PACKAGE, "script/dom.js"),
    (report.PACKAGE, "script/theme.js"),
    *((PACKAGE, f"script/{name}.js") for name in ("api", "marks", "result", "flips", "editor", "keys", "main")),
)


def render(rails: str, settings: Settings, sends: Sequence[str] = ()) -> tuple[str, str]:
    """The page, and the content security policy that it is sent with.

    Args:
        rails: how the directory of the rails is called.
        sends: engines that hand the text to a model.
    """
    style = report.asset(report.PACKAGE, "style.css") + report.asset(PACKAGE, "style.css")
    script = report.joined(SCRIPT)
    shown = report.filled(
        report.asset(PACKAGE, "page.html.j2"),
        style,
        script,
        {"precedence": PRECEDENCE},
        rails=rails,
        sends=sends,
        locales=LOCALES,
        countries=sorted((code, found.name) for code, found in settings.numbers.countries.items()),
    )
    return shown, report.content_policy(style, script, connect="'self'")
