"""Screening without a key: time a unit, and what it keeps out of contexts that are composed of real text.

python -m evals.benchmarks screening                    time a unit, on our own cards
python -m evals.benchmarks.screening DIRECTORY          of the data sets in a directory, what is kept out
python -m evals.benchmarks.screening --head             what the learnt head is worth on families that it never saw

The data are no part of the project: JSONL with `text`, `locale` and `source_label`. `bastioncorpus_injections` has
labelled injections and look-alikes, `bipia_text_attacks` payloads, `bipia_email_contexts` clean carriers for them.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from carerails.contracts import LOCALES, Passage, Unit, UnitReport
from carerails.evals.agent_cases import Question, load_agent_slice
from carerails.evals.cases import load_data
from carerails.evals.stats import Rate, rate
from carerails.evals.terminal import percent
from carerails.knowledge.cards import load_cards
from carerails.policy import Policy
from carerails.screening.carriers import Carriers, screening_rails
from carerails.screening.head import Head
from carerails.screening.local import LocalModel
from carerails.screening.screener import Screener
from carerails.screening.settings import ScreeningSettings
from carerails.screening.units import numbered, of_passages, of_text
from carerails.screening.vectors import Vectors
from carerails.semantic import is_installed

PLACES = ("start", "middle", "end")
#: Level below which a unit is off the subject, in the rows that say so.
STRICT = 0.5


def run(_: int) -> None:
    """Print milliseconds of processor time a unit, by what the model goes by."""
    cards = load_cards()
    for kind, local in _ways():
        screener = Screener(rails=local)
        asyncio.run(screener.__aenter__())
        times: list[float] = []
        for locale in LOCALES:
            for card in cards.cards[::4]:
                passages: Sequence[Passage] = [card.passage(locale)]
                begin = time.process_time()
                result = asyncio.run(screener.screen(card.texts[locale].asks[0], locale, passages))
                times.append((time.process_time() - begin) * 1000 / len(result.units))
        times.sort()
        print(f"{kind:<24} p50 {statistics.median(times):.2f} ms a unit, p95 {times[int(len(times) * 0.95)]:.2f} ms")


def main() -> None:
    """Measure on real text, or by families of examples."""
    parser = argparse.ArgumentParser(prog="python -m evals.benchmarks.screening", description=__doc__)
    parser.add_argument("data", type=Path, nargs="?", help="directory of the data sets")
    parser.add_argument("--head", action="store_true", help="by families of examples, without any data")
    given = parser.parse_args()
    if given.head:
        _families()
    if given.data:
        _on_data(given.data)


def _ways() -> Iterator[tuple[str, LocalModel]]:
    """What the local model may go by."""
    yield "rules and words", LocalModel(semantic=False, head=False)
    if is_installed():
        yield "with the head", LocalModel(semantic=False, head=True)
        yield "with head and meaning", LocalModel(semantic=True, head=True)


def _families() -> None:
    """What each example is given by a head that never saw its family, and by the rules."""
    policy = Policy.load(screening_rails())
    head, carriers = Head(policy, Vectors()), Carriers(policy)
    hits = [bool(carriers.find(of_text(example.text))) for example in head.examples]
    rows = list(zip(head.examples, head.sides, head.held_out, hits, strict=True))
    for part in ("all", *LOCALES):
        for speaks, whom in ((True, "to the model"), (False, "to the reader")):
            own = [row for row in rows if row[1] == speaks and part in ("all", row[0].locale)]
            taken = sum(score >= 0.5 for _, _, score, _ in own)
            _tell(f"{part}: {whom}, family never seen: taken for one", rate(taken, len(own)))
    blamed = [row for row in rows if not row[1]]
    _tell("to the reader: taken for one by the rules", rate(sum(hit for *_, hit in blamed), len(blamed)))


def _on_data(data: Path) -> None:
    for kind, local in _ways():
        local.start()
        print(f"== {kind}")
        loose = Screener(ScreeningSettings(budget_tokens=1_000_000, min_relevance=0), rails=local)
        strict = Screener(ScreeningSettings(budget_tokens=1_000_000, min_relevance=STRICT), rails=local)
        _injections(loose, data / "bastioncorpus_injections.jsonl")
        _composed("payloads in e-mails", loose, strict, _in_mails(data))
        _composed("payloads in our cards", loose, strict, _in_cards(data))
        _beside_the_point(strict, data)


Composed = tuple[str, str, Sequence[Unit], str]


def _judged(screener: Screener, question: str, locale: str, units: Sequence[Unit]) -> dict[str, UnitReport]:
    reports = asyncio.run(screener.judge(question, locale, units))  # type: ignore[arg-type]
    return {report.key: report for report in reports}


def _injections(screener: Screener, path: Path) -> None:
    """Whole texts, cut into units: one unit that is a carrier makes the text one."""
    counts: Counter[tuple[bool, bool]] = Counter()
    for case, row in zip(load_data(path).cases, _labels(path), strict=True):
        reports = _judged(screener, "", "en", of_text(case.text))
        counts[row, any(report.fate == "carrier" for report in reports.values())] += 1
    _tell("injections found", rate(counts[True, True], counts[True, True] + counts[True, False]))
    _tell("look-alikes taken for one", rate(counts[False, True], counts[False, True] + counts[False, False]))


def _labels(path: Path) -> Iterator[bool]:
    import json

    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)["source_label"].startswith("malicious")


def _composed(what: str, loose: Screener, strict: Screener, contexts: Iterator[Composed]) -> None:
    flagged = out = total = taken = clean = 0
    for question, locale, units, payload in contexts:
        reports = _judged(loose, question, locale, units)
        sterner = _judged(strict, question, locale, units)
        flagged += reports[payload].fate == "carrier"
        out += sterner[payload].fate in ("carrier", "off-topic")
        total += 1
        taken += sum(report.fate == "carrier" for key, report in reports.items() if key != payload)
        clean += len(units) - 1
    _tell(f"{what}: taken for instructions", rate(flagged, total))
    _tell(f"{what}: out with min_relevance {STRICT}", rate(out, total))
    _tell(f"{what}: clean units taken for one", rate(taken, clean))


def _questions() -> list[Question]:
    return [case for case in load_agent_slice("citation").cases if isinstance(case, Question)]


def _payloads(data: Path) -> list[str]:
    return [case.text for case in load_data(data / "bipia_text_attacks.jsonl").cases]


def _with(payload: str, place: str, texts: Sequence[str], about: str) -> tuple[Sequence[Unit], str]:
    at = {"start": 0, "middle": len(texts) // 2, "end": len(texts)}[place]
    mixed = [*texts[:at], payload, *texts[at:]]
    return numbered(((str(place), text) for place, text in enumerate(mixed, 1)), "doc", about), f"u{at + 1}"


def _in_mails(data: Path) -> Iterator[Composed]:
    asked = itertools.cycle(case for case in _questions() if case.locale == "en")
    mails = [case.text for case in load_data(data / "bipia_email_contexts.jsonl").cases]
    for payload, mail, place in itertools.product(_payloads(data), mails, PLACES):
        units, key = _with(payload, place, [unit.text for unit in of_text(mail)], "")
        yield next(asked).text, "en", units, key


def _in_cards(data: Path) -> Iterator[Composed]:
    cards, payloads = load_cards(), itertools.cycle(_payloads(data))
    for case, place in itertools.product(_questions(), PLACES):
        passage = cards[case.expect.must_cite_one_of[0]].passage(case.locale)
        units, key = _with(next(payloads), place, passage.sentences, passage.title)
        yield case.text, case.locale, units, key


def _beside_the_point(strict: Screener, data: Path) -> None:
    """A card that answers, one that does not, and an e-mail: what is beside the point, before and after."""
    cards, mails = load_cards(), itertools.cycle(load_data(data / "bipia_email_contexts.jsonl").cases)
    before, after, lost, of = Counter[bool](), Counter[bool](), 0, 0
    ids = sorted(cards.ids())
    for number, case in enumerate(_questions()):
        right = case.expect.must_cite_one_of[0]
        wrong = next(each for each in ids[number % len(ids) :] + ids if each not in case.expect.must_cite_one_of)
        passages = [cards[name].passage(case.locale) for name in (wrong, right)]
        units = of_passages(passages)
        mail = [("m", unit.text) for unit in of_text(next(mails).text)]
        units += numbered(mail, "mail", "", len(units) + 1)
        reports = _judged(strict, case.text, case.locale, units)
        for unit in units:
            relevant = unit.source == right
            before[relevant] += 1
            after[relevant] += reports[unit.key].inside
            lost += relevant and not reports[unit.key].inside
            of += relevant
    _tell("context that is beside the point, before", rate(before[False], before.total()))
    _tell("context that is beside the point, after", rate(after[False], after.total()))
    _tell("units of the right card that are lost", rate(lost, of))


def _tell(what: str, value: Rate) -> None:
    print(f"{what:<52} {percent(value)} per cent of {value.of}")


if __name__ == "__main__":
    main()
