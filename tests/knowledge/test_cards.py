"""Cards: what loads, and how a wrong one says where it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from carerails.contracts import LOCALES
from carerails.errors import UsageError
from carerails.knowledge.cards import Knowledge, load_cards
from tests.knowledge.kit import line_with, write_card


def test_a_card_is_read_whole(tmp_path: Path):
    write_card(tmp_path)
    knowledge = load_cards(tmp_path)
    card = knowledge["storage-insulin"]
    assert (card.topic, card.medicines, card.is_general) == ("storage", ("insulin",), False)
    passage = card.passage("pt-BR")
    assert (passage.card, passage.locale, passage.title) == ("storage-insulin", "pt-BR", "Manter a insulina fresca")
    assert passage.sentences[0] == "A insulina fechada fica melhor guardada na geladeira."
    assert passage.source == "Written for a test; synthetic"


def test_any_is_a_card_for_every_medicine(tmp_path: Path):
    for name, written in (("one.yml", "any"), ("two.yml", "[any]")):
        write_card(tmp_path, name, ("[insulin]", written))
    assert all(card.is_general for card in load_cards(tmp_path).cards)


def test_a_card_cannot_be_changed(tmp_path: Path):
    write_card(tmp_path)
    card = load_cards(tmp_path)["storage-insulin"]
    with pytest.raises(ValidationError):
        card.topic = "reminder"


WRONG = [
    ("unknown key", ("topic: storage", "topic: storage\ntopics: x"), "topics", "did you mean 'topic'?", "medicines:"),
    ("missing key", ("licence:", "# licence:"), "licence", "", "topic:"),
    ("unknown topic", ("storage", "storing"), "topic", "", "topic:"),
    ("missing locale", ("  pt-BR:", "  pt:"), "texts", "", "pt-BR:"),
    ("no medicine", ("[insulin]", "[]"), "medicines", "", "medicines:"),
    ("any among others", ("[insulin]", "[any, insulin]"), "any", "", "medicines:"),
    ("brand in capitals", ("[insulin]", "[Lantus]"), "medicines", "", "medicines:"),
    ("no facet", ("[fridge, travel, heat]", "[]"), "about", "", "about:"),
    ("facet with a blank", ("fridge,", "cool box,"), "about", "", "about:"),
    ("empty source", ("source: Written for a test; synthetic", 'source: ""'), "source", "", "source:"),
    ("title of two lines", ("title: Keeping insulin cool", r'title: "Keeping\ncool"'), "title", "", "Keeping insulin"),
    ("not YAML", ("topic: storage", "topic: [storage"), "", "check indentation", "medicines:"),
]


@pytest.mark.parametrize(("change", "what", "mend", "at"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_a_wrong_card_names_its_line(tmp_path: Path, change: tuple[str, str], what: str, mend: str, at: str):
    path = write_card(tmp_path, "storage-insulin.yml", change)
    with pytest.raises(UsageError) as caught:
        load_cards(tmp_path)
    assert what in caught.value.what
    assert mend in caught.value.mend
    assert caught.value.where == f"{path}:{line_with(at)}"


@pytest.mark.parametrize("key", ["asks", "sentences"])
def test_an_empty_list_is_an_error(tmp_path: Path, key: str):
    path = write_card(tmp_path)
    head, _, tail = path.read_text().partition(f"    {key}:\n")
    rest = tail[tail.index("    sentences:") if key == "asks" else tail.index("  es-419:") :]
    path.write_text(f"{head}    {key}: []\n{rest}")
    with pytest.raises(UsageError, match=key):
        load_cards(tmp_path)


def test_two_files_of_one_id(tmp_path: Path):
    write_card(tmp_path)
    write_card(tmp_path, "more/storage-insulin.yaml")
    with pytest.raises(UsageError, match="already in"):
        load_cards(tmp_path)


@pytest.mark.parametrize("name", ["Storage.yml", "storage_insulin.yml", "storage insulin.yml"])
def test_a_file_name_that_is_no_id(tmp_path: Path, name: str):
    write_card(tmp_path, name)
    with pytest.raises(UsageError, match="is no id"):
        load_cards(tmp_path)


def test_nothing_to_load(tmp_path: Path):
    with pytest.raises(UsageError, match="no cards"):
        load_cards(tmp_path)
    with pytest.raises(UsageError, match="no such directory"):
        load_cards(tmp_path / "kb")


def test_the_digest_is_of_what_cards_say_and_not_of_where_they_lie(tmp_path: Path):
    write_card(tmp_path / "a")
    write_card(tmp_path / "b", "deep/storage-insulin.yml")
    write_card(tmp_path / "c", "storage-insulin.yml", ("fridge.", "freezer."))
    one, other, changed = (load_cards(tmp_path / name).digest for name in "abc")
    assert one == other != changed


def test_the_shipped_cards(knowledge: Knowledge):
    assert len(knowledge) >= 60
    assert list(knowledge.ids()) == sorted(knowledge.ids())
    assert all(set(card.texts) == set(LOCALES) for card in knowledge.cards)
