"""Joins template, style, script and data into one file that needs no network and runs nothing but its own script."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

#: The page's script, in the order in which its modules need each other.
SCRIPT = ("dom", "data", "state", "filters", "facets", "list", "detail", "keys", "theme", "main")
#: Characters that could end a script element, or that old parsers take for the end of a line.
ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


def render(data: Mapping[str, Any], **shown: Any) -> str:
    """The page. `data` is for its script, `shown` for its template, which escapes all of it."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    style, script = _read("style.css"), _script()
    return environment.from_string(_read("page.html.j2")).render(
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        data=Markup(as_json(data)),
        **shown,
    )


def as_json(data: Mapping[str, Any]) -> str:
    """JSON that can stand in a script element, whatever a case says."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(ESCAPES)


def _script() -> str:
    """One module of all: each stands in a file of its own and says what it imports; joined, they see each other."""
    joined = "\n".join(_read(f"script/{name}.js") for name in SCRIPT)
    return re.sub(r"^export |^import .*;\n", "", joined, flags=re.MULTILINE)


def _policy(style: str, script: str) -> str:
    """Allows this style and this script and nothing else: no request, no frame, no form, no handler in an attribute."""
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _read(name: str) -> str:
    return files("carerails.evals.report").joinpath(name).read_text(encoding="utf-8")
