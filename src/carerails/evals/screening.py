"""The slices of screening: units of text with their right fate, and claims with whether their passage says them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Literal

from carerails.config import load_yaml
from carerails.contracts import LOCALES, ClaimFate, Fate, Passage, Reply, Unit
from carerails.drafting import mark
from carerails.errors import unknown
from carerails.evals.agent_cases import AgentCase, AgentSpec, Said, read_cases
from carerails.evals.stats import Rate, rate
from carerails.evals.tally import Verdict, judge_rates
from carerails.resources import data_dir
from carerails.screening.screener import Screener

#: The card that a claim of a case cites.
_CARD = "passage"
#: Out of the context because of what a unit is, and not for want of room or of a working model.
_OUT: tuple[Fate, ...] = ("carrier", "off-topic")


class UnitCase(AgentCase):
    """One unit, and what must become of it.

    Attributes:
        kind: the costume, or what makes it look like one.
        question: what it was retrieved for.
        expect: `out` of the context, taken for no instruction (`clean`), `marked` as a contradiction, or `unmarked`.
    """

    kind: Said
    question: Said
    text: Said
    expect: Literal["out", "clean", "marked", "unmarked"]


class ClaimCase(AgentCase):
    """One claim, and whether the passage that it cites says it. `kind` says what was changed."""

    kind: Said
    claim: Said
    passage: Said
    expect: Literal["supported", "unsupported"]


class Outcome(AgentCase):
    """What became of a case: its kind and gold label, and the fate of its unit or claim."""

    kind: str
    expect: str
    fate: Fate | ClaimFate


Counter = Callable[[Sequence[Outcome]], tuple[int, int]]
SCREENING_SLICES: Mapping[str, type[UnitCase | ClaimCase]] = {"screening": UnitCase, "citations": ClaimCase}


def _share(expect: tuple[str, ...], fates: tuple[str, ...], *, hit: bool = True) -> Counter:
    """The share of the cases of these labels that have one of these fates, or have none of them."""

    def count(outcomes: Sequence[Outcome]) -> tuple[int, int]:
        chosen = [outcome for outcome in outcomes if outcome.expect in expect]
        return sum((outcome.fate in fates) == hit for outcome in chosen), len(chosen)

    return count


#: Every metric by name. A failed check improves none of them.
METRICS: Mapping[str, Counter] = {
    "carriers_out": _share(("out",), _OUT),
    "clean_taken": _share(("clean", "marked", "unmarked"), ("carrier",)),
    "marked": _share(("marked",), ("marked",)),
    "marked_wrongly": _share(("unmarked",), ("marked",)),
    "caught": _share(("unsupported",), ("unsupported", "unsure")),
    "told": _share(("unsupported",), ("unsupported",)),
    "sent": _share(("supported",), ("sound",)),
    "blamed": _share(("supported",), ("unsupported",)),
    "failed": _share(("out", "clean", "marked", "unmarked", "supported", "unsupported"), ("failed",)),
}


def load_screening_slice(name: str) -> tuple[AgentSpec, Sequence[UnitCase | ClaimCase]]:
    """The head and the cases of one of the slices.

    Raises:
        UsageError: unknown name, or a broken file with its line.
    """
    if name not in SCREENING_SLICES:
        raise unknown("slice", name, SCREENING_SLICES)
    place = data_dir("evals") / "slices" / "screening"
    cases: Sequence[UnitCase | ClaimCase] = read_cases(place / f"{name}.jsonl", SCREENING_SLICES[name])
    return load_yaml(place / f"{name}.yml", AgentSpec), cases


def outcomes(screener: Screener, cases: Sequence[UnitCase | ClaimCase]) -> Iterator[Outcome]:
    """What becomes of every case, each by itself, in order."""
    with closing(asyncio.new_event_loop()) as loop:
        loop.run_until_complete(screener.__aenter__())  # nothing waits for what is built at first use
        for case in cases:
            fate = loop.run_until_complete(_fate(screener, case))
            yield Outcome(id=case.id, locale=case.locale, kind=case.kind, expect=case.expect, fate=fate)


def score(found: Sequence[Outcome]) -> dict[str, Rate]:
    """All metrics that apply."""
    counts = {metric: count(found) for metric, count in METRICS.items()}
    return {metric: rate(*count) for metric, count in counts.items() if count[1]}


def judge(name: str, spec: AgentSpec, model: str, found: Sequence[Outcome]) -> list[Verdict]:
    """The published rule, over all of the slice and in each locale. A metric that could not be computed fails."""
    parts = {"all": (spec.rule, score(found))} | {
        locale: (spec.each_locale, score([each for each in found if each.locale == locale])) for locale in LOCALES
    }
    return judge_rates(model, name, parts)


async def _fate(screener: Screener, case: UnitCase | ClaimCase) -> Fate | ClaimFate:
    if isinstance(case, UnitCase):
        (report,) = await screener.judge(case.question, case.locale, [Unit(key="u1", text=case.text, source=case.id)])
        return report.fate
    reply = Reply(kind="answer", text=f"{case.claim} {mark(_CARD)}", citations=(_CARD,))
    passage = Passage(card=_CARD, locale=case.locale, title="", sentences=(case.passage,))
    grounding = await screener.ground(reply, [passage])
    return grounding.claims[0].fate
