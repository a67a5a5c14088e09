"""The VS Code folder: its grammar over our rails, its snippets through our parser, its script in node."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from carerails.colang import Report, Source, parse, parse_examples
from carerails.colang.tokens import lines
from carerails.resources import data_dir

FOLDER = Path(__file__).parents[2] / "docs" / "editors" / "vscode"
#: What the portable subset, and so our rails, cannot have.
FOREIGN = """import core
flow a
  match UserSaid(text="x {$name} y") or start b and activate c
  global $x
  while True
    log 1.5
"""


def load(name: str) -> Any:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


GRAMMAR: dict[str, Any] = load("syntaxes/colang.tmLanguage.json")


def rules(found: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rules of a list, in order, with what it includes."""
    for rule in found:
        if "include" in rule:
            yield from rules([GRAMMAR["repository"][rule["include"][1:]]])
        elif "match" in rule or "begin" in rule:
            yield rule
        else:
            yield from rules(rule["patterns"])


def scopes(text: str) -> Iterator[tuple[str, str]]:
    """Pieces of a text and their scopes: the part of TextMate that the grammar uses."""
    inside: dict[str, Any] | None = None
    for line in text.split("\n"):
        at = 0
        while at <= len(line):
            known = rules(inside.get("patterns", []) if inside else GRAMMAR["patterns"])
            tried = [(search(rule, line, at), n, rule) for n, rule in enumerate(known)]
            hits = [(found.start(), n, found, rule) for found, n, rule in tried if found]
            end = re.compile(inside["end"]).search(line, at) if inside else None
            first = min(hits, key=_earliest, default=None)
            if inside and end and (first is None or end.start() <= first[0]):
                yield inside["name"], line[at : end.end()]
                at, inside = (end.end(), None) if end.end() > at or end.end() == len(line) else (at + 1, None)
                if at == len(line):
                    break
                continue
            if first is None:
                if inside:
                    yield inside["name"], line[at:]
                break
            _, _, found, rule = first
            if inside:
                yield inside["name"], line[at : found.start()]
            at = max(found.end(), at + 1)
            if "begin" in rule:
                inside = rule
                at = found.end()
            elif "captures" in rule:
                groups = [(how["name"], found[int(group)]) for group, how in rule["captures"].items()]
                yield from ((name, piece) for name, piece in groups if piece)
            else:
                yield rule["name"], found[0]


def _earliest(hit: tuple[int, int, re.Match[str], dict[str, Any]]) -> tuple[int, int]:
    """The leftmost, and of several the rule that stands first."""
    return hit[0], hit[1]


def search(rule: dict[str, Any], line: str, at: int) -> re.Match[str] | None:
    return re.compile(rule.get("match") or rule["begin"]).search(line, at)


@pytest.fixture(scope="module")
def coloured() -> dict[str, list[str]]:
    """Everything in our rails and in Colang that is not ours, by scope."""
    found: dict[str, list[str]] = defaultdict(list)
    for text in [*(path.read_text(encoding="utf-8") for path in data_dir("rails").rglob("*.co")), FOREIGN]:
        for scope, piece in scopes(text):
            found[scope].append(piece)
    return found


def named(found: list[dict[str, Any]]) -> Iterator[str]:
    """All scopes that rules give."""
    for rule in rules(found):
        yield from (how["name"] for how in rule.get("captures", {}).values())
        yield from (rule["name"] for _ in range("captures" not in rule))
        yield from named(rule.get("patterns", []))


def test_every_scope_is_found(coloured: dict[str, list[str]]):
    wanted = set(named(GRAMMAR["patterns"]))
    assert len(wanted) > 20
    assert wanted - coloured.keys() == set()
    assert coloured.keys() - wanted == set()


def test_names_of_flows_are_the_parsers(coloured: dict[str, list[str]]):
    ours = {
        flow.name
        for path in data_dir("rails").rglob("*.co")
        for flow in parse(Source(path.name, path.read_text(encoding="utf-8")), Report()).flows
    }
    assert len(ours) > 50
    assert ours <= set(coloured["entity.name.function.flow.colang"])


def test_variables_and_strings_are_the_lexers(coloured: dict[str, list[str]]):
    """As many variables as our lexer sees: none inside a string or a comment, and none lost."""
    paths = [path for path in data_dir("rails").rglob("*.co") if "examples" not in path.parts]
    tokens = [token for path in paths for line in lines(path.read_text(encoding="utf-8")) for token in line.tokens]
    foreign = 1
    assert len(coloured["variable.other.colang"]) == sum(token.kind == "variable" for token in tokens) + foreign


def test_words_in_strings_and_comments_are_no_keywords():
    found = [scope for scope, _ in scopes('  $a = "if or # when await x" # return $b')]
    assert not any(scope.startswith(("keyword.control", "keyword.operator.logical")) for scope in found)
    assert [piece for scope, piece in scopes('  $a = "x" # return $b') if scope.startswith("comment")] == [
        "# return $b"
    ]


#: An escape, a choice, a place with or without words: what editors replace in a snippet.
_SNIPPET = re.compile(r"\\(.)|\$\{\d+\|([^,|]*)[^}]*\}|\$\{\d+(?::([^}]*))?\}|\$\d")


def _filled(found: re.Match[str]) -> str:
    return found[1] or found[2] or found[3] or ""


@pytest.mark.parametrize("name", ["Red flag", "Scope rule", "Template", "Examples", "Vocabulary"])
def test_snippets_are_portable_colang(name: str):
    text = _SNIPPET.sub(_filled, "\n".join(load("snippets/colang.json")[name]["body"])) + "\n"
    source = Source("x.co", text)
    report = Report()
    found = parse_examples(source, report) if name == "Examples" else parse(source, report).flows
    assert report.found == [], text
    assert found


def test_the_manifest_names_files_that_are_there():
    manifest = load("package.json")
    contributes = manifest["contributes"]
    parts = (contributes["grammars"], contributes["snippets"])
    paths = [manifest["main"], contributes["languages"][0]["configuration"], *(part[0]["path"] for part in parts)]
    assert all((FOLDER / path).is_file() for path in paths)
    assert contributes["grammars"][0]["scopeName"] == GRAMMAR["scopeName"]
    assert contributes["languages"][0]["extensions"] == [".co"]
    load("language-configuration.json")


STUBS = """
const Module = require("module");
const calls = [];
class LanguageClient {
  constructor(...given) { calls.push(given); }
  start() { return Promise.resolve(); }
  stop() { calls.push("stopped"); return Promise.resolve(); }
}
const { contributes } = require(process.argv[1] + "/package.json");
const command = contributes.configuration.properties["carerails.command"].default;
const workspace = { getConfiguration: () => ({ get: () => command }), createFileSystemWatcher: (glob) => ({ glob }) };
const real = Module._load;
Module._load = (name, ...rest) =>
  name === "vscode" ? { workspace } : name === "vscode-languageclient/node" ? { LanguageClient } : real(name, ...rest);
const extension = require(process.argv[1] + "/extension.js");
const context = { subscriptions: [] };
extension.activate(context).then(() => extension.deactivate()).then(() => {
  console.log(JSON.stringify({ calls, kept: context.subscriptions.length }));
});
"""


def test_the_extension_starts_our_server():
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node here: install the package nodejs to run the extension's script")
    done = subprocess.run([node, "-e", STUBS, str(FOLDER)], capture_output=True, text=True, timeout=30, check=True)
    said = json.loads(done.stdout)
    started, stopped = said["calls"]
    assert started[2] == {"command": "carerails", "args": ["rails", "lsp"]}
    assert started[3]["documentSelector"] == [{"scheme": "file", "language": "colang"}]
    assert (stopped, said["kept"]) == ("stopped", 1)
