"""Our small readers of foreign Colang agree with NeMo's parsers: on all that it ships, our projects, made-up files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nemoguardrails
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from nemoguardrails.colang import parse_colang_file

from carerails.importing.colang1 import read_colang1
from carerails.importing.colang2 import read_colang2
from carerails.importing.found import Project
from tests.importing.test_projects import PROJECTS

HOMES = (Path(str(nemoguardrails.__file__)).parent, PROJECTS)
FILES = [path for home in HOMES for path in sorted(home.rglob("*.co"))]
parse: Any = parse_colang_file
OLD = re.compile(r"^def(?:ine)? ", re.MULTILINE)


def ours1(text: str) -> tuple[dict[str, list[str]], dict[str, list[str]], list[str]]:
    project = Project()
    read_colang1("a.co", text, project)
    forms = {form.name: list(form.texts) for form in project.forms.values() if form.texts}
    messages = {message.name: list(message.texts) for message in project.messages.values() if message.texts}
    return forms, messages, [flow.name for flow in project.flows]


def nemos1(text: str) -> tuple[dict[str, list[str]], dict[str, list[str]], list[str]]:
    found: dict[str, Any] = parse("a.co", text, version="1.0")
    names = [str(flow["id"]) for flow in found["flows"]]

    def plain(texts: dict[str, list[str]]) -> dict[str, list[str]]:
        return {name: [text.replace('\\"', '"') for text in each] for name, each in texts.items() if name != "say"}

    return (
        plain(found["user_messages"]),
        plain(found["bot_messages"]),
        ["" if name.startswith("anonymous") else name for name in names],
    )


def test_there_is_enough_to_compare():
    old = [path for path in FILES if OLD.search(path.read_text(encoding="utf-8"))]
    assert len(old) > 30
    assert len(FILES) - len(old) > 30


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_a_file_reads_alike(path: Path):
    text = path.read_text(encoding="utf-8")
    if OLD.search(text):
        if path.name == "flujos.co":  # has a line that NeMo refuses as a whole
            text = text.replace("esto no es colang\n", "")
        assert ours1(text) == nemos1(text)
        return
    project = Project()
    read_colang2(path.name, text, project)
    flows: Any = parse(path.name, text, version="2.x")["flows"]
    names = [*(f"user {name}" for name in project.forms), *(f"bot {name}" for name in project.messages)]
    assert sorted((*names, *(flow.name for flow in project.flows))) == sorted(flow.name for flow in flows)


NAMES = st.sampled_from(["ask about doses", "greet", "pedir ayuda", "x", "refuse to respond"])
SAID = st.text("abcé ñ?!,.:;()0123456789", min_size=1, max_size=20).map(str.strip).filter(bool)
DEFINES = st.tuples(st.sampled_from(["user", "bot"]), NAMES, st.lists(SAID, min_size=1, max_size=3, unique=True)).map(
    lambda row: f"define {row[0]} {row[1]}\n" + "".join(f'  "{text}"\n' for text in row[2])
)
TALKS = st.tuples(st.sampled_from(["", " talk", " other talk"]), NAMES, NAMES, st.none() | SAID).map(
    lambda row: f"define flow{row[0]}\n  user {row[1]}\n  bot {row[2]}\n" + (f'    "{row[3]}"\n' if row[3] else "")
)
NOISE = st.sampled_from(["\n", "# a comment\n", "\n\n"])


@given(st.lists(DEFINES | TALKS | NOISE, min_size=1, max_size=8).map("".join))
@settings(max_examples=150, deadline=None)
def test_made_up_files_read_alike(text: str):
    try:
        forms, messages, flows = nemos1(text)
    except Exception:
        reject()  # what NeMo does not read, it does not say either
    ours = ours1(text)
    assert {name: set(texts) for name, texts in ours[0].items()} == {name: set(texts) for name, texts in forms.items()}
    assert {name: set(texts) for name, texts in ours[1].items()} == {
        name: set(texts) for name, texts in messages.items()
    }
    assert sorted(ours[2]) == sorted(flows)
