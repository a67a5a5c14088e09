"""Screening without a key: time a unit, and what it keeps out of contexts that are composed of real text.

python -m evals.benchmarks screening                    time a unit, on our own cards
python -m evals.benchmarks.screening DIRECTORY          and, of the data sets in a directory, what is kept out

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
from carerails.knowledge.semantic import is_installed
from carerails.screening.local import LocalModel
from carerails.screening.screener import Screener
from carerails.screening.settings import ScreeningSettings
from carerails.screening.units import numbered, of_passages, of_text

PLACES = ("start", "middle", "end")
#: Level below which a unit is off the subject, in the rows that say so.
STRICT = 0.5


def run(_: int) -> None:
    """Print milliseconds of processor time a unit, by what the model goes by."""
    cards = load_cards()
    for semantic in (False, True) if is_installed() else (False,):
        screener = Screener(rails=LocalModel(semantic=semantic))
        asyncio.run(screener.__aenter__())
        times: list[float] = []
        for locale in LOCALES:
            for card in cards.cards[::4]:
                passages: Sequence[Passage] = [card.passage(locale)]
                begin = time.process_time()
                result = asyncio.run(screener.screen(card.texts[locale].asks[0], locale, passages))
                times.append((time.process_time() - begin) * 1000 / len(result.units))
        times.sort()
        kind = "words and meaning" if semantic else "words"
        print(f"{kind:<20} p50 {statistics.median(times):.2f} ms a unit, p95 {times[int(len(times) * 0.95)]:.2f} ms")


def main() -> None:
    """Measure on real text."""
    parser = argparse.ArgumentParser(prog="python -m evals.benchmarks.screening", description=__doc__)
    parser.add_argument("data", type=Path, help="directory of the data sets")
    data: Path = parser.parse_args().data
    for semantic in (False, True) if is_installed() else (False,):
        local = LocalModel(semantic=semantic)
        print(f"== {'words and meaning' if semantic else 'words'}")
        loose = Screener(ScreeningSettings(budget_tokens=1_000_000), rails=local)
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
