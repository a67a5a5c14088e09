"""The plain view: lower-case ASCII that says what the text says."""

from __future__ import annotations

import html
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carerails.text import fold, normalise

ANY = st.text(st.characters(exclude_categories=()), max_size=60)  # lone surrogates and unassigned code points too
LATIN = st.text("abcdeilmnorstuxyzáéíóúüñãõâêôçàåøđłşțžÁÉÑÇÃŐſ '.,?", max_size=40)
MEANT = st.text("aeiklmorst \t\n.,!'013@$-_&;éñŐ’ѕоЯж\u200b\u00adｋ½", max_size=40)  # dense in what the edits act on
INVISIBLE = "\u200b\u200c\u200d\u2060\u00ad\ufeff\u200e\U000e0061"


def plain(text: str) -> str:
    return normalise(text)[0].text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Me DUELE el Corazón, ¿qué hago?", "me duele el corazon, que hago?"),
        ("Não; ação: avô / avó", "nao; acao: avo / avo"),
        ("año", "ano"),
        ("Straße Ærø Łódź Đặng œuvre þ", "strasse aero lodz dang oeuvre th"),
        ("line\none\r\n\ttwo  ", "line one two"),
        ("a\u00a0b\u3000c\u2028d\x85e", "a b c d e"),
        ("don’t donʼt don′t donʹt don´t don＇t don`t don&apos;t don&#39;t don&#x27;t", " ".join(["don't"] * 10)),
        ("&quot;hi&quot; &amp; bye&nbsp;now", '"hi" & bye now'),
        ("a&ntilde;o &bogus; &Ntilde; A&E;", "ano &bogus; n a&e;"),
        ("“so” «what» — ‘ok’…", '"so" "what" - \'ok\'...'),
        ("k\x00i\x07l\x1bl", "kill"),
        ("tired 😢👨‍👩‍👧 of it ❤️ 1️⃣", "tired of it 1"),
        ("٣ pastillas, 10㎎, ５０ µg, 50 μg", "3 pastillas, 10mg, 50 ug, 50 ug"),
        ("½ pill, 2½ pills, 2 × 500", "1/2 pill, 2 1/2 pills, 2 x 500"),
        ("38º, 39°C, Tylenol™, Advil®, nº 2", "38 , 39 c, tylenol , advil , n 2"),
        ("≥ 180/110, <70, +2 (50%)", "> 180/110, <70, +2 (50%)"),
        ("S.O.S. at 8 p.m. 1.5 mg. A.V.C.", "sos. at 8 pm. 1.5 mg. avc."),
        ("end.I am", "end.i am"),
        ("ᴋɪʟʟ ⓚⓘⓛⓛ 🅺🅸🅻🅻 𝐤𝒊𝓵𝖑 ｋｉｌｌ ﬁx ſo", "kill kill kill kill kill fix so"),
        ("ѕuісіdе", "suicide"),  # Cyrillic letters among Latin ones
        ("кіӏӏ", "kill"),  # all Cyrillic, all look-alikes
        ("κιll mе", "kill me"),  # Greek and Cyrillic in one text
        ("жизнь прекрасна", "_____ _________"),
        ("καλημέρα", "________"),
        ("我想死 ก a", "___ _ a"),
        ("한국", "__"),
        ("\ud800a\udfff", "a"),
        ("•", "."),
        ("!?... \u200b", "!?..."),
        ("", ""),
    ],
)
def test_what_it_becomes(text: str, expected: str) -> None:
    assert plain(text) == expected


RUSSIAN_AND_GREEK = (
    "Доктор, у меня болит голова и поднялась температура, что мне делать?",
    "Сколько раз в день принимать эти таблетки после еды?",
    "У мамы рак, она устала, но мы надеемся на лучшее",
    "Добрий день, чи можна пити каву після ліків?",
    "Колко често трябва да вземам хапчето?",
    "Γιατρέ, πονάει το κεφάλι μου και έχω πυρετό από χθες",
    "Πόσες φορές την ημέρα παίρνω το χάπι μετά το φαγητό;",
    "Είναι το φάρμακο ασφαλές για την καρδιά μου;",
)


@pytest.mark.parametrize("text", RUSSIAN_AND_GREEK)
def test_other_languages_do_not_turn_into_english(text: str) -> None:
    # Short words of look-alikes may be read as Latin (`как` -> `kak`), the words that carry the meaning are not.
    words = re.findall(r"[a-z_]+", plain(text))
    latin = [word for word in words if "_" not in word]
    assert all(len(word) <= 7 for word in latin)
    assert len(latin) <= len(words) / 2


@given(ANY | MEANT)
def test_is_lower_case_ascii_on_one_line(text: str) -> None:
    for view in normalise(text):
        assert view.text.isascii()
        assert view.text.isprintable()
        assert view.text == view.text.lower() == " ".join(view.text.split())


@given(ANY | MEANT)
def test_folding_twice_is_folding_once(text: str) -> None:
    for view in normalise(text):
        assert plain(view.text) == view.text


@given(
    st.lists(st.sampled_from(["&", "amp;", "#38;", "apos;", "＆", "；", "&eacute;", "\u200b", "a", " "]), max_size=9)
)
def test_folding_twice_is_folding_once_with_entities(bits: list[str]) -> None:
    once = plain("".join(bits))
    assert plain(once) == once


@given(LATIN)
def test_normal_forms_of_latin_text_read_alike(text: str) -> None:
    assert len({plain(unicodedata.normalize(form, text)) for form in ("NFC", "NFD", "NFKC", "NFKD")}) == 1


@given(LATIN, st.data())
def test_invisible_characters_between_letters_change_nothing(text: str, data: st.DataObject) -> None:
    disguised = "".join(char + data.draw(st.text(INVISIBLE, max_size=2)) for char in text)
    clean, dirty = ({view.text for view in normalise(t)} for t in (text, disguised))
    assert plain(disguised) == plain(text)
    assert clean <= dirty


@given(LATIN)
def test_html_escaped_text_reads_as_the_text(text: str) -> None:
    assert plain(html.escape(text)) == plain(text)


@given(st.text(max_size=60))
def test_the_short_way_and_the_table_agree(text: str) -> None:
    folded = "".join(fold.FOLD.reading(char) if not char.isascii() else char for char in text)
    assert fold.CHARACTERS.apply(text) == folded


def test_the_table_does_not_grow_without_bound() -> None:
    before = len(fold.FOLD)
    for code in range(0x20000, 0x20000 + 60_000):
        assert len(fold.FOLD.reading(chr(code))) <= 1
    assert before <= len(fold.FOLD) <= 50_000
