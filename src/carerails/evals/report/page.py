"""Joins template, style, script and data into one file that needs no network and runs nothing but its own script."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

PACKAGE = "carerails.evals.report"
#: The page's script, in the order in which its modules need each other.
SCRIPT = ("dom", "data", "state", "filters", "facets", "list", "detail", "keys", "theme", "main")
#: Characters that could end a script element, or that old parsers take for the end of a line.
ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def render(data: Mapping[str, Any], **shown: Any) -> str:
    """The page. `data` is for its script, `shown` for its template, which escapes all of it."""
    style, script = asset(PACKAGE, "style.css"), joined((PACKAGE, f"script/{name}.js") for name in SCRIPT)
    policy = content_policy(style, script)
    return filled(asset(PACKAGE, "page.html.j2"), style, script, data, policy=policy, **shown)


def filled(template: str, style: str, script: str, data: Mapping[str, Any], **shown: Any) -> str:
    """A template with what it shows; style and script are ours, all else is escaped."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(template).render(
        style=Markup(style), script=Markup(script), data=Markup(as_json(data)), **shown
    )


def as_json(data: Mapping[str, Any]) -> str:
    """JSON that can stand in a script element, whatever a case says."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(ESCAPES)


def joined(parts: Iterable[tuple[str, str]]) -> str:
    """One module of all: each stands in a file of its own and says what it imports; joined, they see each other.

    Args:
        parts: package and name of each, in the order in which they need each other.
    """
    text = "\n".join(asset(package, name) for package, name in parts)
    return re.sub(r"^export |^import .*;\n", "", text, flags=re.MULTILINE)


def content_policy(style: str, script: str, connect: str = "'none'") -> str:
    """Allows this style and this script and nothing else: no request, no frame, no form, no handler in an attribute.

    `connect`: whom the script may ask.
    """
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; connect-src {connect}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def asset(package: str, name: str) -> str:
    """A file that is shipped with a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
