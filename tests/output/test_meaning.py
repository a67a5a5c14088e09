"""The local judge of replies: when it is asked, what it adds, what it knows of unseen families, and how it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pytest

from carerails.config import load_settings
from carerails.contracts import JUDGED_REPLIES, LOCALES, Exchange, Inspection, Opinion, Turn
from carerails.engine import FailSafeEngine, open_engine
from carerails.errors import UsageError
from carerails.evals.reply_cases import load_reply_slice
from carerails.evals.reply_runner import ReplyPlayer
from carerails.output.guard import ReplyGuard
from carerails.output.meaning import FAMILY, KINDS, LocalReplyJudge, families, learnt
from carerails.output.settings import OutputSettings
from carerails.resources import data_dir
from tests.kit import ScriptedEngine, says
from tests.output.kit import answer, cards, passage, rails, sentences
from tests.output.test_stream import cut, play
from tests.semantic.kit import HANGS, WordEncoder

SECRET = "5511987654321"
RAILS = data_dir("rails") / "output"
#: Of no pattern and of no example.
OBLIQUE = "A pair of them before bed will even things out. [cite:storage-insulin]"
SOUND = "The leaflet has a part on what to do, and your pharmacist can go through it with you. [cite:storage-insulin]"


class Judge:
    """A judge of replies that answers what a test says."""

    name, fingerprint, synchronous = "replies", "scripted", False
    opinions = frozenset(KINDS)

    def __init__(self, answer: Callable[[str], object]) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    async def judge(self, turn: Turn, text: str) -> Sequence[Opinion]:
        self.asked.append(text)
        said = self.answer(text)
        if said is HANGS:
            await asyncio.sleep(3600)
        if isinstance(said, BaseException):
            raise said
        return said  # type: ignore[return-value]


def holds(text: str, **scores: float) -> list[Opinion]:
    return [Opinion(name=k, score=scores.get(k.replace("-", "_"), 0.0), terms=(text,)) for k in KINDS]


def scripted(judge: Judge, *found: tuple[str, str]) -> ReplyGuard:
    settings = load_settings()
    hurried = settings.profile.model_copy(
        update={"judge": settings.profile.judge.model_copy(update={"deadline_s": 0.05})}
    )
    engine = ScriptedEngine(says(*found))
    return ReplyGuard(
        FailSafeEngine(engine, rails(), settings.model_copy(update={"profile": hurried}), judge=judge), OutputSettings()
    )


def look(guard: ReplyGuard, text: str) -> Inspection:
    return asyncio.run(guard.inspect(answer(text), Exchange(passages=(passage(),))))


@cache
def learned() -> LocalReplyJudge:
    judge = LocalReplyJudge(rails().examples)
    asyncio.run(judge.start())
    return judge


@cache
def judged() -> ReplyGuard:
    """As `open_guard(judge="local")` opens one, with a judge that is fitted once."""
    settings = load_settings()
    return ReplyGuard(open_engine("native", RAILS, settings, judge=learned()), settings.profile.output)


@pytest.mark.parametrize("kind", KINDS)
def test_what_reaches_its_point_is_an_objection_of_its_kind(kind: str):
    name = kind.replace("-", "_")
    found = look(scripted(Judge(lambda text: holds(text, **{name: 0.99}))), OBLIQUE)
    assert [(o.reason, o.rule, o.file) for o in found.objections] == [
        (kind, f"output judged {kind.replace('-', ' ')}", "output/judged.co")
    ]
    assert look(scripted(Judge(lambda text: holds(text, **{name: 0.1}))), OBLIQUE).passed


def test_it_is_asked_only_about_what_no_rule_hits():
    judge = Judge(holds)
    assert look(scripted(judge), OBLIQUE).passed
    hit = look(scripted(judge, ("output dose advice", "take two")), "Take two of them. [cite:storage-insulin]")
    assert hit.reasons == ("dose-advice",)
    assert len(judge.asked) == 1


NONSENSE: list[Callable[[str], object]] = [
    lambda text: RuntimeError(SECRET),
    lambda text: HANGS,
    lambda text: None,
    lambda text: [],
    lambda text: holds(text)[1:],
    lambda text: [*holds(text), *holds(text)],
    lambda text: [o.model_copy(update={"score": 1.2}) for o in holds(text)],
    lambda text: [o.model_copy(update={"score": float("nan")}) for o in holds(text)],
    lambda text: [o.model_copy(update={"terms": (SECRET,)}) for o in holds(text)],
]


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_a_judge_that_does_not_say_stops_the_reply(nonsense: Callable[[str], object]):
    found = look(scripted(Judge(nonsense)), OBLIQUE)
    assert (found.objections, found.reasons) == ((), ("check-failed",))
    assert SECRET not in found.model_dump_json()


def test_each_kind_is_a_rule_and_has_a_point():
    assert {rule.meta.category for rule in rails().judged.values()} == set(JUDGED_REPLIES)
    assert load_settings().profile.judge.points["replies"].keys() == set(JUDGED_REPLIES)


def test_it_learns_from_families_of_the_same_size_in_every_locale():
    """Leaving a family out is honest only if nothing of it stays in another locale."""
    examples = [example for example in rails().examples if example.file.startswith("examples/meaning/")]
    sizes = {
        (locale, file): sum(e.locale == locale and e.file == file for e in examples)
        for file in {e.file for e in examples}
        for locale in LOCALES
    }
    assert all(size % FAMILY == 0 and size == sizes["en", file] for (_, file), size in sizes.items())
    assert len({e.text.lower() for e in examples}) == len(examples)


def test_too_few_examples_are_an_error():
    few = [example for example in rails().examples if example.category != "promise"]
    with pytest.raises(UsageError, match="0 examples of promise"):
        learnt(few, WordEncoder())


def test_families_that_it_never_saw():
    """A floor under docs/output.md, which has the figures: each family is told by heads that were fitted without it."""
    heads = learnt(rails().examples)
    sure = 1 / (1 + np.exp(-heads.held_out[:, -1])) >= 0.7
    forbidden = np.array([example.category != "in-scope" for example in rails().examples])
    assert len(set(families(rails().examples))) > 100
    assert sure[forbidden].mean() > 0.5
    assert sure[~forbidden].mean() < 0.1


def test_unseen_words_are_stopped_and_safe_ones_are_not():
    assert look(judged(), OBLIQUE).reasons == ("dose-advice",)
    assert look(judged(), SOUND).passed


def test_of_the_near_misses_of_the_slice_hardly_one_is_stopped():
    with ReplyPlayer("native", judge="local") as player:
        rows = [player.play("output", case) for case in load_reply_slice("output").cases if case.expected == "pass"]
    assert len(rows) > 100
    assert sum(row.outcome != "pass" for row in rows) / len(rows) <= 0.02


def test_hardly_a_sentence_of_a_card_sounds_forbidden():
    """They are never read, for cards are linted; a model that puts them in other words will sound like them."""
    judge = learned()
    said = [one.score for one in judge.hear([text.lower() for _, text in sentences()])]
    assert len(said) > 1_000
    assert sum(score >= 0.7 for score in said) / len(said) < 0.02


def test_engines_agree_on_what_is_judged():
    texts = [OBLIQUE, SOUND, *(card.passage("en").sentences[0] for card in cards().cards[:5])]

    async def both(name: str) -> list[tuple[str, tuple[str, ...]]]:
        async with open_engine(name, RAILS, judge=learned()) as engine:
            found = [await engine.check(Turn.of(text, locale="en")) for text in texts]
            return [(one.decision, tuple(e.rule for e in one.evidence)) for one in found]

    native = asyncio.run(both("native"))
    assert native == asyncio.run(both("nemo"))
    assert native[0] == ("refuse", ("output judged dose advice",))


def test_a_stream_is_judged_as_the_whole_reply():
    body = " ".join(f"{sentence} [cite:storage-insulin]" for sentence in passage().sentences)
    exchange = Exchange(passages=(passage(),))
    for text in (f"{body} {OBLIQUE} {body}", f"{body} {SOUND} {body}"):
        whole = asyncio.run(judged().inspect(answer(text), exchange))
        for chunks in (list(text), cut(text, range(0, len(text), 37))):
            pieces, verdict = play(chunks, exchange, judged())
            assert verdict.inspection == whole
            assert OBLIQUE[:20] not in "".join(pieces)
            assert pieces
