"""The local judge of replies: when it is asked, what it adds, what it knows of unseen families, and how it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from carerails.colang import Example
from carerails.config import load_settings
from carerails.contracts import JUDGED_REPLIES, LOCALES, Exchange, Inspection, Opinion, Turn
from carerails.engine import FailSafeEngine, open_engine
from carerails.errors import UsageError
from carerails.evals.reply_cases import load_reply_slice
from carerails.evals.reply_runner import ReplyPlayer
from carerails.output.guard import ReplyGuard
from carerails.output.meaning import FAMILY, KINDS, Heard, LocalReplyJudge, families, learnt, of_cards
from carerails.output.settings import OutputSettings
from carerails.resources import data_dir
from carerails.semantic.encoder import WIDTH
from carerails.semantic.heads import Heads
from carerails.semantic.wording import Wording
from tests.kit import ScriptedEngine, says
from tests.output.kit import answer, cards, passage, rails
from tests.output.test_stream import cut, play
from tests.semantic.kit import HANGS, Scripted, WordEncoder

SECRET = "5511987654321"
RAILS = data_dir("rails") / "output"
#: Of no pattern and of no example.
OBLIQUE = "A pair of them before bed will even things out. [cite:storage-insulin]"
SOUND = "The leaflet has a part on what to do, and your pharmacist can go through it with you. [cite:storage-insulin]"


class Judge(Scripted):
    """A judge of replies that answers what a test says."""

    name = "replies"
    opinions = frozenset(KINDS)

    def __init__(self, answer: Callable[[str], object]) -> None:
        super().__init__(answer, synchronous=False)


def _tiny(examples: Sequence[Example], encoder: object) -> Heads:
    return tiny()


def _never(examples: Sequence[Example], encoder: object) -> Heads:
    pytest.fail("it is kept")


def tiny() -> Heads:
    ones = np.ones(2, dtype=np.float32)
    axes, vectors = np.eye(WIDTH, dtype=np.float32), np.ones((1, WIDTH), dtype=np.float32)
    weights, pulls = np.ones((1, 2), dtype=np.float32), np.zeros((0, 2), dtype=np.float32)
    return Heads(axes, vectors, weights, ones, ones, ones, Wording.none(), pulls)


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
def taught() -> tuple[Example, ...]:
    """What the judge learns from, as `open_guard` gives it."""
    return (*rails().examples, *of_cards(cards()))


@cache
def left_out() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of what it learnt: log odds by heads fitted without its family, whether it is forbidden, whether of a card."""
    odds = learnt(taught()).held_out[:, -1]
    forbidden = np.array([example.category != "in-scope" for example in taught()])
    return odds, forbidden, np.array([example.file.startswith("kb/") for example in taught()])


def point() -> float:
    """The one that is shipped, the same for every kind."""
    points = [each for kind in load_settings().profile.judge.points["replies"].values() for each in kind.values()]
    found = points[0]
    assert isinstance(found, float)
    assert points == [found] * len(points)
    return found


@cache
def learned() -> LocalReplyJudge:
    judge = LocalReplyJudge(taught())
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


def test_a_card_is_one_family():
    numbers = families(taught())[len(rails().examples) :]
    assert len(set(numbers)) == len(cards().cards)
    assert not set(numbers) & set(families(rails().examples))


def test_families_that_it_never_saw():
    """A floor under docs/output.md, which has the figures: each family is told by heads that were fitted without it."""
    odds, forbidden, card = left_out()
    sure = np.array([Heard("", each).score() >= 0.8 for each in odds])
    assert sure[forbidden].mean() > 0.6
    assert sure[~forbidden & ~card].mean() < 0.1
    assert sure[card].mean() < 0.01


@pytest.mark.parametrize("locale", LOCALES)
def test_replies_made_of_families_that_it_never_saw(locale: str):
    """Three to five safe sentences, and the same with one that may not be said; at the point that is shipped."""
    odds, forbidden, card = left_out()
    here = np.array([example.locale == locale for example in taught()])
    safe, unsafe = np.flatnonzero(here & ~forbidden & ~card), np.flatnonzero(here & forbidden)
    draw, at = np.random.default_rng(7), point()
    stopped = {True: 0, False: 0}
    for _ in range(3_000):
        said = draw.choice(safe, draw.integers(3, 6), replace=False)
        for spoilt in stopped:
            worst = max(odds[[draw.choice(unsafe), *said[1:]] if spoilt else said])
            stopped[spoilt] += Heard("", worst).score(len(said)) >= at
    assert stopped[False] / 3_000 <= 0.03
    assert stopped[True] / 3_000 >= 0.2


def test_the_more_sentences_the_surer_it_must_be_of_the_worst():
    worst = Heard("promise", 3.0)
    scores = [worst.score(among) for among in range(1, 9)]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)
    assert worst.score(40) == scores[-1]


def test_a_judgement_counts_the_sentences_of_a_reply_once():
    """Not those of each view of it."""

    def judged_as(text: str) -> float:
        return max(one.score for one in asyncio.run(learned().judge(Turn(), text)))

    alone, view = "a pair of them before bed will even things out.", "keep it dry. ask us. write it down."
    assert judged_as(f"{alone} {view}") == judged_as(f"{alone} {view}\n{alone} {view}") < judged_as(alone)


@pytest.mark.parametrize("damage", [b"", b"PK", b"x" * 100])
def test_what_was_kept_and_is_no_use_is_learnt_again(damage: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("carerails.output.meaning._fitted", _tiny)
    few = rails().examples[:3]
    assert np.array_equal(learnt(few).weights, tiny().weights)
    (kept,) = (tmp_path / "carerails").glob("replies-*.npz")
    kept.write_bytes(damage)
    assert np.array_equal(learnt(few).weights, tiny().weights)
    monkeypatch.setattr("carerails.output.meaning._fitted", _never)
    assert np.array_equal(learnt(few).weights, tiny().weights)


def test_unseen_words_are_stopped_and_safe_ones_are_not():
    assert look(judged(), OBLIQUE).reasons == ("dose-advice",)
    assert look(judged(), SOUND).passed


def test_of_the_near_misses_of_the_slice_hardly_one_is_stopped():
    with ReplyPlayer("native", judge="local") as player:
        rows = [player.play("output", case) for case in load_reply_slice("output").cases if case.expected == "pass"]
    assert len(rows) > 100
    assert sum(row.outcome != "pass" for row in rows) / len(rows) <= 0.02


def test_engines_agree_on_what_is_judged():
    own = [text.partition(" [cite")[0] for text in (OBLIQUE, SOUND)]  # as a guard asks: marks are not read
    texts = [*own, *(card.passage("en").sentences[0] for card in cards().cards[:5])]
    judge = learned()  # starts it on a loop of its own

    async def both(name: str) -> list[tuple[str, tuple[str, ...]]]:
        async with open_engine(name, RAILS, judge=judge) as engine:
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
