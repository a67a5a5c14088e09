"""Reading examples: `flow examples of NAME`, then `user said "..."` (`bot said` of replies), by `# locale` comments.

These files are for learning and for tests; no runtime loads them. So texts are read as they stand, quotes aside: what
people write has braces, dollars and backslashes in it.
"""

from __future__ import annotations

import re

from carerails.colang.diagnostics import Report
from carerails.colang.tree import Example, Source
from carerails.contracts import LOCALES

_FLOW = re.compile(r"flow examples of ([a-z0-9 -]+?)\s*$")
_SAID = re.compile(r'\s+(?:or )?(?:user|bot) said "((?:[^"\\]|\\.)*)"\s*$')
_COMMENT = re.compile(r"\s*#\s*(\S*)")
_LOCALE_BY_WORD = {locale.lower(): locale for locale in LOCALES}


def parse_examples(source: Source, report: Report) -> tuple[Example, ...]:
    """Read one file of examples; what cannot be read goes to `report`."""
    category = locale = ""
    found: list[Example] = []
    for number, line in enumerate(source.text.split("\n"), 1):
        if comment := _COMMENT.match(line):
            locale = _LOCALE_BY_WORD.get(comment[1].rstrip(":,.").lower(), locale)
        elif flow := _FLOW.match(line):
            category, locale = flow[1], ""
        elif (said := _SAID.match(line)) and category:
            if not locale:
                report.add("example-locale", source.name, number, 1)
            text = re.sub(r'\\(["\\])', r"\1", said[1])
            found.append(Example(text, locale, category, source.name, number))
        elif line.strip() and not (category and line.strip().startswith('"""')):
            report.add("examples", source.name, number, 1, [f"`{line.strip()[:30]}`"])
    return tuple(found)
