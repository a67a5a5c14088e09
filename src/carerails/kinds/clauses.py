"""Reading a reply clause by clause, by words alone.

Each clause is one of these, by the first that fits:

- `direct`: it sends the person to emergency services or a crisis line, now: `Call 911.`
- `urgent`: it sends them to a clinician, today: `Ring your clinic today.`
- `conditional`: it does either for a case that may come: `If it gets worse, call 911.`
- `refuse`: the writer does not do, know or decide what was asked: `I can't tell you how much to take.`
- `offer`: it says what the writer can do: `Shall I set a reminder?`
- `inform`: it tells something that somebody may act on: `Most people take it with food.`
- `refer`: it names somebody to ask: `Your pharmacist can help.`
- `courtesy`: `I'm sorry to hear that.`
- `say`: anything else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

from carerails.drafting.sentences import sentences
from carerails.kinds import words
from carerails.text import as_read

Kind = Literal["answer", "refusal", "escalation"]
Severity = Literal["emergency", "crisis", "urgent"]
Clause = Literal["direct", "urgent", "conditional", "refuse", "offer", "inform", "refer", "courtesy", "say"]

#: Clauses of another kind beside a refusal, which is still one.
MOST_SAID = 1
_SAID: tuple[tuple[Clause, re.Pattern[str]], ...] = (
    ("offer", words.OFFER),
    ("inform", words.INFORM),
    ("refer", words.REFER),
    ("courtesy", words.COURTESY),
)
_WORD = re.compile(r"[a-z]{2,}")
#: `Use it if you have one and` call 911.
_ASIDE = re.compile(r"\w (?:if|si|se) [^,]+ (?:and|y|e) $")


class Reading(NamedTuple):
    """The kind, and how severe an escalation is."""

    kind: Kind
    severity: Severity | None = None


def by_words(text: str) -> Reading:
    """What kind of reply a text is.

    An **escalation** directs; or does so for a case that comes first in it and is now (`If you are having chest pain,
    call 911.`); or speaks to somebody in despair and names a line, or a case. It is `urgent` where a clinician is
    enough. A **refusal** refuses, or only refers, and tells nothing. All else is an **answer**: somebody who refuses
    and then tells has answered. `I'm sorry` is none of these: it is said in all three.
    """
    clauses: list[tuple[str, Clause]] = [(clause, _read(clause)) for clause in _clauses(text)]
    found = Counter(kind for _, kind in clauses)
    said = "\n".join(clause for clause, kind in clauses if kind != "conditional")
    despair = words.DESPAIR.search(said) is not None
    if found["direct"] or _is_now(clauses) or (despair and (found["conditional"] or words.LINE.search(said))):
        return Reading("escalation", severity(text))
    if found["urgent"]:
        return Reading("escalation", "urgent")
    stopped = found["refuse"] or (found["refer"] and not found["say"])
    if stopped and not found["inform"] and not found["conditional"] and found["say"] <= MOST_SAID:
        return Reading("refusal")
    return Reading("answer")


def severity(text: str) -> Severity:
    """Of an escalation: a crisis where it speaks to somebody in despair, or names a crisis line."""
    said = "\n".join(_clauses(text))
    return "crisis" if words.DESPAIR.search(said) or words.CRISIS.search(said) else "emergency"


def _clauses(text: str) -> Iterator[str]:
    """Normalised sentences, in two where the second half may take back the first."""
    for sentence in sentences(text):
        for part in words.BUT.split(as_read(sentence.text)):
            if _WORD.search(part):
                yield part.strip()


def _is_now(clauses: list[tuple[str, Clause]]) -> bool:
    """Whether the first thing that is said is what to do in the case that the person is in."""
    first = next(((clause, kind) for clause, kind in clauses if kind not in ("courtesy", "refuse")), ("", "say"))
    return first[1] == "conditional" and words.IS.search(first[0]) is not None


def _read(clause: str) -> Clause:
    plain = words.NO_IF.sub("", clause)
    direct = words.DIRECT.search(plain) or words.DIRECT_TOO.search(plain)
    sends = direct or words.URGENT.search(plain)
    if sends and not words.NEED_NOT.search(plain[: sends.end()]):
        return "conditional" if _on_condition(plain, sends) else "direct" if direct else "urgent"
    if (words.REFUSE.search(clause) or words.DECIDES.search(clause)) and not words.NOT_REFUSED.search(clause):
        return "refuse"
    for kind, pattern in _SAID:
        if pattern.search(clause):
            return kind
    return "say"


def _on_condition(clause: str, sends: re.Match[str]) -> bool:
    before, after = clause[: sends.start()], clause[sends.end() :]
    return (words.IF.search(before) is not None and not _ASIDE.search(before)) or words.IF.search(after) is not None
