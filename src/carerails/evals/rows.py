"""Rows: what came of one case on one engine. A line of `results.jsonl`, and, without its text, of a baseline.

Whoever reads a run (gate, diff, reports, exports) reads rows alone, and so treats engines and whole agents alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from carerails.contracts import Frozen, Locale
from carerails.errors import UsageError

#: Of the lines of `results.jsonl`, of `run.json` and of baselines. A file of another schema is not comparable.
SCHEMA = 1

#: Hits, and what they are of. Most are 0 or 1 of 1; a conversation counts its steps.
Count = tuple[int, int]


class Row(Frozen):
    """What came of one case.

    Attributes:
        hash: of what is said and of its gold label; the same hash is the same case.
        repeat: which run of the same case, from 0.
        category: of the gold label.
        group: cases of one group say the same in another locale, or under another attack.
        gold: the right decision as a person reads it, `escalate crisis`; empty: unlabelled.
        text: what was said; empty in a baseline.
        outcome: emergency, crisis, urgent, check-in, refuse or allow; of a conversation the kinds of its replies.
        failed: a check did not run; never a pass.
        cost: weighted, as docs/decisions/0001 says; None: unlabelled.
        metrics: each metric that applies to this case, with its count. `recall` is there exactly where an emergency
            or a crisis is due, `false_alarm` where none is, `over_refusal` where an answer is, `right` where labelled.
        rule: the rule that decided, with its file in the rails and its line.
        latency_us: microseconds; None where the decision came from the cache and only a comparison asks for its time.
        record: the whole decision, as `carerails decide` writes it; of a conversation its replies.
    """

    slice: str
    id: str
    hash: str
    repeat: int = 0
    engine: str
    locale: Locale
    category: str | None = None
    group: str | None = None
    gold: str = ""
    text: str = ""
    outcome: str
    slug: str | None = None
    failed: bool = False
    cost: int | None = None
    metrics: Mapping[str, Count] = Field(default_factory=dict)
    rule: str | None = None
    file: str | None = None
    line: int | None = None
    latency_us: float | None = None
    record: Mapping[str, Any] = Field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, int]:
        """What names the row within a run."""
        return self.slice, self.id, self.repeat

    def holds(self, metric: str) -> bool | None:
        """Whether all that the metric counts here is a hit; None where it does not apply."""
        count = self.metrics.get(metric)
        return None if count is None else count[0] == count[1]

    @property
    def missed(self) -> bool:
        """An emergency or a crisis was due, and something lower was decided or a check failed."""
        return self.holds("recall") is False

    @property
    def place(self) -> str:
        """`file:line` of the rule that decided; empty where none did."""
        return f"{self.file}:{self.line}" if self.file else ""

    def say(self) -> str:
        """The decision in a few words."""
        word = "FAILED" if self.failed else self.outcome
        return f"{word} {self.slug}" if self.slug else word

    def to_line(self) -> str:
        """As a line of `results.jsonl`, newline included."""
        return self.model_dump_json(exclude_defaults=True) + "\n"


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a `results.jsonl`, one at a time.

    Raises:
        UsageError: a line that is not a row, with its number; never its text.
    """
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                yield read_row(line, f"{path}:{number}")
    except OSError as error:
        raise UsageError(error.strerror or "cannot be read", "name the folder of a run", str(path)) from None
    except UnicodeDecodeError:
        raise UsageError("is not UTF-8 text", "name the folder of a run", str(path)) from None


def read_row(line: str, where: str) -> Row:
    """One line as a row.

    Raises:
        UsageError: it is not one.
    """
    try:
        return Row.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"not a result: {place or 'line'}: {first['msg']}", "run again", where) from None
