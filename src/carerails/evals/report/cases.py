"""The cases of a page as columns, so that a case takes a few hundred bytes, in two passes over the rows.

The first pass keeps a few numbers a case: enough to count everything and to choose what is listed. The second keeps the
texts of what was chosen. So a run of any length makes a page of bounded size.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from carerails.evals.rows import Row

#: Cases that a page lists. Those that went wrong come first; the rest is in results.jsonl.
LISTED = 20_000
STEP = " > "  # between the replies of a conversation
ABSENT = -1  # in an array: this run has not decided this case

#: What can be said of a decision; a bit each. The page's script knows them by these names.
MARKS = {"right": 1, "wrong": 2, "missed": 4, "false-alarm": 8, "over-refusal": 16, "failed": 32}
#: What can be said of a case in several runs.
SHARED = {"differs": 1, "worse": 2, "better": 4}
NOTABLE = MARKS["wrong"] | MARKS["missed"] | MARKS["false-alarm"] | MARKS["over-refusal"] | MARKS["failed"]


class Words:
    """Values that stand for many cases, each kept once and named by its number."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    def number(self, value: Any) -> int:
        """The number of a value, a new one if need be."""
        return self._numbers.setdefault(value, len(self._numbers))

    @property
    def values(self) -> list[Any]:
        """All values in the order of their numbers."""
        return list(self._numbers)


def marks_of(row: Row) -> int:
    """What can be said of one decision, as bits."""
    found = {
        "right": row.holds("right") is True,
        "wrong": row.holds("right") is False,
        "missed": row.missed,
        "false-alarm": _any(row, "false_alarm"),
        "over-refusal": _any(row, "over_refusal"),
        "failed": row.failed,
    }
    return sum(MARKS[name] for name, holds in found.items() if holds)


def _any(row: Row, metric: str) -> bool:
    """Whether a metric that counts mistakes has one; a conversation has them if one of its steps does."""
    return row.metrics.get(metric, (0, 0))[0] > 0


def gold_outcome(gold: str) -> str:
    """The outcome that a gold label asks for: `escalate crisis` is `crisis`, `refuse pii-blocked` is `refuse`.

    Of a conversation, `answer > refusal no-context`, it is the kinds of its replies.
    """
    word, _, rest = gold.partition(" ")
    if word == "escalate":
        return rest or word
    if word.startswith("not-") or not gold:
        return gold or "unlabelled"
    return STEP.join(step.partition(" ")[0] for step in gold.split(STEP))


def decided(row: Row) -> str:
    """The outcome, or that there is none."""
    return "failed" if row.failed else row.outcome


@dataclass
class _Run:
    """One run's numbers, a case each."""

    said: array[int] = field(default_factory=lambda: array("i"))
    outcome: array[int] = field(default_factory=lambda: array("i"))
    marks: array[int] = field(default_factory=lambda: array("i"))
    cost: array[int] = field(default_factory=lambda: array("i"))

    def reach(self, cases: int) -> None:
        for column in (self.said, self.outcome, self.marks, self.cost):
            column.extend([ABSENT] * (cases - len(column)))


class Survey:
    """The first pass: every case's gold label, and what each run decided and how well."""

    def __init__(self, rows: Iterable[tuple[int, Row]], runs: int) -> None:
        self.places: dict[tuple[str, str], int] = {}
        self.golds, self.outcomes, self._said = Words(), Words(), Words()
        self.gold = array("i")
        self.runs = [_Run() for _ in range(runs)]
        for number, row in rows:
            if row.repeat == 0:
                self._add(self.runs[number], row)
        for run in self.runs:
            run.reach(len(self.gold))
        self.shared = array("i", (self._shared(case) for case in range(len(self.gold))))

    def _add(self, run: _Run, row: Row) -> None:
        case = self.places.setdefault((row.slice, row.id), len(self.places))
        if case == len(self.gold):
            self.gold.append(self.golds.number(gold_outcome(row.gold)))
        run.reach(case + 1)
        run.said[case] = self._said.number(row.say())
        run.outcome[case] = self.outcomes.number(decided(row))
        run.marks[case] = marks_of(row)
        run.cost[case] = row.cost or 0

    def _shared(self, case: int) -> int:
        said = {run.said[case] for run in self.runs} - {ABSENT}
        if len(said) < 2:
            return 0
        found = SHARED["differs"]
        first, last = self.runs[0], self.runs[-1]
        if ABSENT not in (first.said[case], last.said[case]):
            before, after = (_badness(run, case) for run in (first, last))
            found |= SHARED["worse"] * (after > before) | SHARED["better"] * (after < before)
        return found

    def says_otherwise(self, run: int, row: Row) -> bool:
        """Whether a repeat decides otherwise than the first run of its case."""
        return self._said.number(row.say()) != self.runs[run].said[self.places[row.slice, row.id]]

    def confusion(self, run: int) -> Counter[tuple[str, str]]:
        """Cases by gold outcome and decided outcome."""
        golds, outcomes = self.golds.values, self.outcomes.values
        pairs = Counter(zip(self.gold, self.runs[run].outcome, strict=True))
        return Counter({(golds[g], outcomes[o]): count for (g, o), count in pairs.items() if o != ABSENT})

    def crossing(self, a: int, b: int) -> Counter[tuple[str, str]]:
        """Cases that two runs decide differently, by the outcome of each."""
        outcomes = self.outcomes.values
        pairs = Counter(
            (self.runs[a].outcome[case], self.runs[b].outcome[case]) for case in self._apart(self.runs[a], self.runs[b])
        )
        return Counter({(outcomes[x], outcomes[y]): count for (x, y), count in pairs.items()})

    def with_shared(self, name: str) -> int:
        """Cases that differ between runs, or got worse or better from the first to the last."""
        return sum(bool(bits & SHARED[name]) for bits in self.shared)

    def _apart(self, a: _Run, b: _Run) -> Iterator[int]:
        pairs = zip(a.said, b.said, strict=True)
        return (case for case, pair in enumerate(pairs) if pair[0] != pair[1] and ABSENT not in pair)

    def choose(self, most: int) -> list[int]:
        """The cases to list, in their order: all, or first those in which something went wrong or differs."""
        every = range(len(self.gold))
        if len(every) <= most:
            return list(every)
        notable = [case for case in every if self._is_notable(case)][:most]
        plain = (case for case in every if not self._is_notable(case))
        return sorted([*notable, *(case for case, _ in zip(plain, range(most - len(notable)), strict=False))])

    def _is_notable(self, case: int) -> bool:
        marks = (run.marks[case] for run in self.runs)
        return bool(self.shared[case]) or any(bits != ABSENT and bits & NOTABLE for bits in marks)


def _badness(run: _Run, case: int) -> tuple[int, bool]:
    """Orders decisions on one case: by cost, then by whether they are wrong."""
    return run.cost[case], bool(run.marks[case] & MARKS["wrong"])


class Sheet:
    """The second pass: the chosen cases as columns."""

    def __init__(self, rows: Iterable[tuple[int, Row]], survey: Survey, chosen: Sequence[int]) -> None:
        self._survey = survey
        self._words = {name: Words() for name in ("slice", "locale", "category", "gold", "label", "decision", "rule")}
        count = len(chosen)
        self._case: dict[str, list[Any]] = {
            name: [0] * count for name in ("slice", "id", "locale", "category", "gold", "label", "text")
        }
        self._case["shared"] = [survey.shared[case] for case in chosen]
        self._runs: list[dict[str, list[Any]]] = [
            {"decision": [ABSENT] * count, "rule": [0] * count, "marks": [0] * count}
            | {"latency": [None] * count, "spans": [0] * count}
            for _ in survey.runs
        ]
        self._more: list[dict[int, dict[str, Any]]] = [{} for _ in survey.runs]
        at = {case: place for place, case in enumerate(chosen)}
        for number, row in rows:
            place = at.get(survey.places[row.slice, row.id])
            if place is not None:
                self._add(number, place, row)

    def _add(self, number: int, place: int, row: Row) -> None:
        if row.repeat:
            self._add_repeat(number, place, row)
            return
        if not self._case["id"][place]:
            self._add_case(place, row)
        run, record = self._runs[number], row.record
        said = (decided(row), row.slug, record.get("template_slug"), record.get("category"), *_subcategories(record))
        run["decision"][place] = self._words["decision"].number(said)
        run["rule"][place] = self._words["rule"].number((row.rule or "", row.file or "", row.line or 0))
        run["marks"][place] = marks_of(row)
        run["latency"][place] = None if row.latency_us is None else round(row.latency_us)
        run["spans"][place] = spans_of(row) or 0
        if failure := record.get("failure"):
            self._more[number].setdefault(place, {})["failure"] = failure
        if record and "decision" not in record:  # a conversation: its replies are shown as they were recorded
            self._more[number].setdefault(place, {})["record"] = record

    def _add_case(self, place: int, row: Row) -> None:
        self._case["id"][place] = row.id
        self._case["text"][place] = row.text
        for name, value in (
            ("slice", row.slice),
            ("locale", row.locale),
            ("category", row.category or ""),
            ("gold", gold_outcome(row.gold)),
            ("label", row.gold),
        ):
            self._case[name][place] = self._words[name].number(value)

    def _add_repeat(self, number: int, place: int, row: Row) -> None:
        if self._survey.says_otherwise(number, row):
            self._more[number].setdefault(place, {}).setdefault("repeats", []).append(row.say())

    def as_json(self) -> dict[str, Any]:
        """What the page's script reads."""
        return {
            "words": {name: words.values for name, words in self._words.items()},
            "cases": self._case,
            "runs": self._runs,
            "more": self._more,
        }


def _subcategories(record: Any) -> tuple[str, ...]:
    return tuple(record.get("subcategories", ()))


def spans_of(row: Row) -> list[int]:
    """Start and end of each matched term in the row's text, flat, counted as JavaScript counts: in UTF-16 units.

    A row has the text of all user messages but not their places among the others, so a term of a later message is
    looked for by its words, from the end.
    """
    terms = list(row.record.get("matched_terms", ()))
    found: set[tuple[int, int]] = set()
    for message, start, end in row.record.get("spans", ()):
        if message == 0 and row.text[start:end] in terms:
            found.add((start, end))
            continue
        for term in terms:
            at = row.text.rfind(term) if len(term) == end - start else -1
            if at >= 0:
                found.add((at, at + len(term)))
    return [_utf16(row.text, place) for pair in _apart(sorted(found)) for place in pair]


def _apart(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Overlapping spans as one."""
    current: tuple[int, int] | None = None
    for start, end in spans:
        if current and start <= current[1]:
            current = current[0], max(current[1], end)
            continue
        if current:
            yield current
        current = start, end
    if current:
        yield current


def _utf16(text: str, place: int) -> int:
    return len(text[:place].encode("utf-16-le")) // 2
