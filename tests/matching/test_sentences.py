"""Sentences are what they are said to be, and asking them one by one changes no answer and saves what it should."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from shutil import copytree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carerails.contracts import Turn
from carerails.engine import open_engine
from carerails.evals.cases import load_slice
from carerails.matching import Matcher, arms
from carerails.matching.literals import EDGE
from carerails.matching.matcher import Known
from carerails.matching.sentences import CUT, WITHIN, Part, beheaded, cut, is_local, mark, mark_literal, parts
from carerails.matching.tree import Unsupported, parse
from carerails.matching.verify import Span, Subject, Verifier
from carerails.policy import Policy
from carerails.text import prepare
from tests.matching.strategies import BY_CHANCE, case, regex, seeds
from tests.matching.test_matcher import BACKENDS, Backend, agree

PIECES = ("pain", "chest pain", "take", " ", ". ", "! ", "? ", ".", "...", "\n", "\n\n", ", ", "a", "_b", "3.5", " mg")


@st.composite
def texts(draw: st.DrawFn) -> str:
    chance = draw(seeds)
    return "".join(chance.choices(PIECES, k=chance.choice((0, 1, 5, 40, 400))))


def parts_of(text: str) -> Iterator[Part]:
    """The parts of a text, sentence by sentence."""
    at = 0
    for sentence in cut(text):
        for part in parts(sentence):
            yield Part(part.marked, at + part.start, at + part.end)
        at += len(sentence)


@given(text=texts())
def test_every_boundary_is_marked(text: str) -> None:
    assert mark(text) == re.sub(r"\b", EDGE, text)


@given(text=texts())
def test_the_parts_are_the_text(text: str) -> None:
    at = 0
    for marked, start, end in parts_of(text):
        assert start <= at <= end
        assert text[start:end].startswith(marked.replace(EDGE, ""))
        at = end
    assert at == len(text)


def test_sentences_end_where_they_should() -> None:
    found = [text.replace(EDGE, "") for text, _, _ in parts_of("3.5 mg. stop!? no... ok\nwhat?")]
    assert found == ["3.5 mg.", " stop!?", " no...", " ok\n", "what?"]


@settings(BY_CHANCE, max_examples=300)
@given(chance=seeds, stops=st.booleans())
def test_a_match_of_a_local_arm_lies_within_a_part(chance: Random, stops: bool) -> None:
    text = re.sub(f"[{EDGE}{CUT}]|[^\\x00-\\x7f]", "", case(chance)[1]) * 20
    text = re.sub(r"(?<=[a-z]) ", lambda _: chance.choice((". ", "? ", "\n", " ", " ")), text) if stops else text
    ranges = [(start, end) for _, start, end in parts_of(text)]
    for arm in arms(regex(chance)):
        try:
            local = is_local(parse(arm))
        except Unsupported:
            continue
        for match in re.finditer(arm, text) if local else ():
            assert len(match[0]) <= WITHIN
            assert any(start <= match.start() and match.end() <= end for start, end in ranges)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("joint", [" ", ". ", "? ", "\n", " . ", "!"])
@settings(BY_CHANCE, max_examples=15)
@given(chance=seeds)
def test_long_texts_agree_with_re(backend: Backend, joint: str, chance: Random) -> None:
    regexes, text = case(chance)
    agree(regexes, joint.join([text, *(case(chance)[1] for _ in range(chance.choice((1, 3, 9))))]), backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("stop", [". ", "! ", "\n", " "])
def test_a_regex_that_crosses_ends_is_found_across_them(backend: Backend, stop: str) -> None:
    """Also when its literals stand in other sentences, several apart, or one literal is parted itself."""
    regexes = [
        "\\bpain\\b[^\\n]{0,60}\\bchest\\b|chest.{0,9}pain",
        "pain\\. chest|pain! chest",
        "\\bchest\\b[^x]{1,400}\\bdor\\b",
    ]
    for between in ("", "a" + stop, f"it is{stop}so{stop}and{stop}", "z " * 300):
        agree(regexes, "z " * 100 + f"pain{stop}{between}chest{stop}{between}dor{stop}" + "z " * 100, backend)


@pytest.mark.parametrize("backend", BACKENDS)
@given(chance=seeds)
def test_a_clause_is_found_with_the_stop_before_it(backend: Backend, chance: Random) -> None:
    """The stop may end the sentence before, or the part before of a long one."""
    regexes = ["[.,;!?\\n][^.,;!?\\n]{0,30}\\bpain\\b[^.,;!?\\n]{0,30}", "[.!,] ?\\bpain", "(?:x|a ?)pain"]
    assert [beheaded(parse(one))[0] for one in regexes] == [1, 1, 2]
    words = chance.choices(("pain", "pain", "so it is", "a", "x", ", ", ". ", "! ", "\n", " ", "z " * 300), k=20)
    agree(regexes, "".join(words), backend)


def test_what_stands_before_a_clause_is_short() -> None:
    """Of what begins with more, or could cross a sentence's end behind it, the surroundings are searched."""
    for begun in (r"[.,]{3}pain", "(?:so|then )pain", r"[.,].{0,9}pain", r"[.,]a{0,9}", "pain"):
        assert beheaded(parse(begun))[0] == 0, begun


@given(chance=seeds)
def test_a_literal_is_found_in_the_part_where_it_stands(chance: Random) -> None:
    literal = chance.choice(("pain", " pain", "pain ", "a pain", "n't", "3.5 mg"))
    edges = "".join(chance.choice(("", EDGE)) for _ in range(2)).ljust(2)
    asked = EDGE * (edges[0] == EDGE) + literal + EDGE * (edges[1] == EDGE)
    text = chance.choice(("", "x", " ", ". ")) + literal + chance.choice(("", "s", " ", ". b"))
    pattern = asked.replace(EDGE, r"\b").replace(".", r"\.")
    if re.search(pattern, text):
        assert any(mark_literal(asked) in part.marked for part in parts_of(text))


def test_only_a_changed_sentence_is_asked_again() -> None:
    """A rule searches copies of the text with something replaced: what did not change is known."""
    matcher = Matcher(["chest pain", "take [a-z]{1,9} pills"])
    sentences = [f"i take {chr(97 + n)} pills." for n in range(26)]
    known: Known = {}
    matcher.scan(" ".join(sentences), known)
    before = len(known)
    sentences[7] = "chest pain."
    scan = matcher.scan(" ".join(sentences), known)
    assert before == 26
    assert len(known) == before + 1
    assert (len(scan.find_all(0)), len(scan.find_all(1))) == (1, 25)


def test_what_may_match_can_be_asked_at_any_time() -> None:
    """Where clauses stand is filed when it is asked for, one by one or all."""
    scan = Matcher(["chest pain", "chest pain[.]"]).scan("i take two pills. chest pain. chest pain.")
    first = scan.find_all(0)
    assert set(scan.candidates) == set(scan.candidates) == {0, 1}
    assert (first, scan.find_all(1), scan.search(0)) == (["chest pain"] * 2, ["chest pain."] * 2, True)


def test_rules_search_little_more_than_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """5,500 pieces: 6 times a message's length, 26.8 times that of long prose (dose rules mark its clauses)."""
    searched: list[int] = []
    warm = Verifier.warm

    def counted(arm: Verifier) -> None:
        warm(arm)
        find = arm.find

        def counting(subject: Subject, start: int, end: int) -> Span | None:
            searched.append(end - start)
            return find(subject, start, end)

        arm.find = counting

    monkeypatch.setattr(Verifier, "warm", counted)
    policy = Policy.load(copytree(Path("rails"), tmp_path / "rails"))  # one that no other test has run
    ordinary = [case.text for case in load_slice("over-refusal").cases if case.text][:100]
    prose = " ".join(ordinary * 2)
    for texts, most in (([text[:80] for text in ordinary], 6.5), ([prose[:4000], prose[2000:6000]], 28)):
        searched.clear()
        for text in texts:
            policy.check(prepare(Turn.of(text)).text)
        assert 0 < sum(searched) < most * sum(map(len, texts))


def test_long_prose_costs_about_as_much_as_its_sentences() -> None:
    """By the character 1.4 to 1.8 times what short messages do: of sixty questions strung together something sets every
    rule on doses and treatments going, and these cut clauses out of copies. Without them it was 0.6."""
    engine = open_engine("native")
    ordinary = [case.text for case in load_slice("over-refusal").cases if case.text]
    prose = " ".join(ordinary * 2)
    long, short = [Turn.of(prose[:4000])], [Turn.of(text[:80]) for text in ordinary[:50]]

    def seconds(turns: list[Turn]) -> float:
        best = 9.0
        for _ in range(9):
            start = time.thread_time()
            for turn in turns:
                engine.check_now(turn)
            best = min(best, time.thread_time() - start)
        return best / sum(min(len(str(turn.messages[0].content)), 4000) for turn in turns)

    seconds(long)
    seconds(short)
    assert seconds(long) < 2.2 * seconds(short)
