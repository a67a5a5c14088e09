"""The language server as an editor meets it: a session over stdio, with documents that are not saved."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import pytest
from lsprotocol import types as lsp

from tests.lsp.conftest import Editor, find

STROKE = "red_flags/stroke.co"
EMOJI = '  $note = "dolor 😀 del corazón, é"\n'


def edited(path: Path, old: str, new: str) -> str:
    text = path.read_text(encoding="utf-8")
    assert old in text
    return text.replace(old, new, 1)


def test_a_mistake_is_told_while_the_document_is_unsaved(editor: Editor, mine: Path):
    path = mine / STROKE
    uri = editor.open(path)
    editor.type(uri, edited(path, 'severity="emergency"', 'severity="emergensy"'))
    [told] = editor.wait(uri, lambda found: len(found) == 1)
    assert (told.code, told.severity, told.source) == ("meta-value", lsp.DiagnosticSeverity.Error, "carerails")
    assert told.range.start.line == 3  # the flow that the meta is of
    assert "emergensy" not in path.read_text(encoding="utf-8")
    editor.type(uri, path.read_text(encoding="utf-8"), 3)
    assert editor.wait(uri, lambda found: not found) == []


@pytest.mark.parametrize(
    ("old", "new", "code", "marked"),
    [
        ("return find_all", "return findall", "function", "findall"),
        ("$or.join($all)", "$or.join($alle)", "undefined-variable", "$alle"),
        ('$or = "|"', '$or = "|', "unclosed-string", '"|'),
        ('$or = "|"', "$or = '|'", "quotes", "'"),
        ('$or = "|"', "$or = await red flag strok $text", "undefined-flow", "$or"),
        ('"\\\\bslurred speech\\\\b"', '"\\\\b(slurred) speech\\\\b"', "capture-group", "find_all"),
        ('"\\\\bslurred speech\\\\b"', '"\\\\bslurred[ speech\\\\b"', "bad-regex", '"\\\\bslurred[ speech\\\\b"]'),
    ],
)
def test_where_a_mistake_is_told(editor: Editor, mine: Path, old: str, new: str, code: str, marked: str):
    path = mine / STROKE
    uri = editor.open(path)
    text = edited(path, old, new)
    editor.type(uri, text)
    told = editor.wait(uri, lambda found: any(one.code == code for one in found))
    where = next(one.range for one in told if one.code == code)
    line = text.splitlines()[where.start.line]
    assert line[where.start.character : where.end.character].startswith(marked)
    assert where.start.line == where.end.line


FIXES = [
    ("find_all($or", "find_al($or", "function", "find_all($or"),
    ('$or = "|"', "$or = '|'", "quotes", '$or = "|"'),
    ('"\\\\bslurred', '"😀", "\\bslurred', "single-backslash", '"😀", "\\\\bslurred'),
]


@pytest.mark.parametrize(("old", "new", "code", "mended"), FIXES)
def test_a_fix_mends_what_it_is_offered_for(editor: Editor, mine: Path, old: str, new: str, code: str, mended: str):
    path = mine / STROKE
    uri = editor.open(path)
    text = edited(path, old, new)
    editor.type(uri, text)
    told = editor.wait(uri, lambda found: code in [one.code for one in found])
    line = next(one.range.start.line for one in told if one.code == code)
    fixes = [fix for fix in editor.fixes(uri, line) if any(one.code == code for one in fix.diagnostics or [])]
    assert fixes[0].kind == lsp.CodeActionKind.QuickFix
    assert fixes[0].edit
    assert fixes[0].edit.changes
    assert applied(text, fixes[0].edit.changes[uri]) == edited(path, old, mended)


def applied(text: str, edits: Sequence[lsp.TextEdit]) -> str:
    """A text with edits made, as an editor that counts in UTF-16 makes them."""
    lines = [line.encode("utf-16-le") for line in text.split("\n")]
    for one in sorted(edits, key=lambda edit: edit.range.start.character, reverse=True):
        start, end = one.range.start, one.range.end
        assert start.line == end.line
        line = lines[start.line]
        lines[start.line] = line[: 2 * start.character] + one.new_text.encode("utf-16-le") + line[2 * end.character :]
    return "\n".join(line.decode("utf-16-le") for line in lines)


def test_columns_are_utf_16(editor: Editor, mine: Path):
    path = mine / STROKE
    uri = editor.open(path)
    text = edited(path, '  $or = "|"\n', EMOJI.replace('é"', 'é" + $gone') + '  $or = "|"\n')
    editor.type(uri, text)
    told = editor.wait(uri, lambda found: "undefined-variable" in [one.code for one in found])
    [told] = [one for one in told if one.code == "undefined-variable"]
    line, character = find(text, "$gone")
    assert (told.range.start, told.range.end) == (lsp.Position(line, character), lsp.Position(line, character + 5))
    # A name behind an emoji is found under the cursor, and offered names replace just what is typed.
    behind = edited(path, '  $or = "|"\n', '  $or = "|"\n  $face = $or + "😀" + $or\n')
    editor.type(uri, behind, 3)
    line, character = find(behind, "+ $or\n")
    defined = find(behind, "$or =")
    assert editor.definition(uri, line, character + 3) == [("stroke.co", *defined, defined[1] + 3)]
    item = editor.labels(uri, line, character + 5)["$or"]
    assert isinstance(item.text_edit, lsp.TextEdit)
    assert item.text_edit.range == lsp.Range(lsp.Position(line, character + 2), lsp.Position(line, character + 5))


def test_line_ends_are_those_of_the_protocol(editor: Editor, mine: Path):
    path = mine / STROKE
    uri = editor.open(path)
    text = "# a \u2028 b \x0c c \x85 d\n" + edited(path, "return find_all", "return findall")
    editor.type(uri, text)
    [told] = editor.wait(uri, lambda found: [one.code for one in found] == ["function"])
    assert told.range.start.line == text[: text.index("findall")].count("\n")
    editor.type(uri, text.replace("\n", "\r\n"), 3)
    [told] = editor.wait(uri, lambda found: [one.code for one in found] == ["function"])
    assert told.range.start.line == text[: text.index("findall")].count("\n")


def test_definitions_and_references_cross_files(editor: Editor, mine: Path):
    examples = mine / "examples" / "stroke.co"
    examples.parent.mkdir()
    examples.write_text('flow examples of stroke\n  # en\n  user said "his face is drooping"\n', encoding="utf-8")
    main = editor.open(mine / "main.co")
    text = (mine / "main.co").read_text(encoding="utf-8")
    flow = ("stroke.co", 3, 5, 20)
    for needle in ("red flag stroke $text", 'red flag stroke", $terms', "red_flag_stroke, $text"):
        line, character = find(text, needle)
        assert editor.definition(main, line, character + 2) == [flow], needle
    stroke = editor.open(mine / STROKE)
    named = editor.references(stroke, 3, 10)
    assert [(name, line) for name, line, _, _ in named] == [
        ("stroke.co", 0),
        ("guards.co", 4),
        *[("main.co", 11 + n) for n in range(3)],
    ]
    # From examples to the rules of their category, and from a slug to its template.
    said = editor.open(examples)
    assert editor.definition(said, 0, 20) == [("stroke.co", 2, 33, 39)]
    dosing = editor.open(mine / "scope" / "dosing.co")
    [place] = editor.definition(
        dosing, *find((mine / "scope/dosing.co").read_text(encoding="utf-8"), "out-of-scope-dosing")
    )
    assert place[0] == "refusals.co"


def test_variables_are_of_their_flow(editor: Editor, mine: Path):
    path = mine / "red_flags" / "crisis.co"
    uri = editor.open(path)
    text = path.read_text(encoding="utf-8")
    line, character = find(text, '$text)\n\n@meta(kind="red-flag", category="rash"')
    assert editor.definition(uri, line, character + 1) == [("crisis.co", line - 2, 23, 28)]
    assert [place[1] for place in editor.references(uri, line, character + 1)] == [line]


def test_hover_says_what_a_name_means(editor: Editor, mine: Path):
    main = editor.open(mine / "main.co")
    line, character = find((mine / "main.co").read_text(encoding="utf-8"), "red flag stroke $text")
    shown = editor.hover(main, line, character + 2)
    for part in (
        "flow red flag stroke $text -> $terms",
        "severity **emergency**",
        "A test rule.",
        "red_flags/stroke.co:4",
    ):
        assert part in shown
    dosing = editor.open(mine / "scope" / "dosing.co")
    text = (mine / "scope/dosing.co").read_text(encoding="utf-8")
    shown = editor.hover(dosing, *find(text, "out-of-scope-dosing"))
    assert all(f"*{locale}*" in shown for locale in ("en", "es-419", "pt-BR"))
    assert "Cuánto tomar" in shown


def test_hover_counts_the_cases_that_a_pattern_hits(editor: Editor, mine: Path):
    from carerails.contracts import LOCALES
    from carerails.evals.cases import load_slice, slice_names
    from carerails.text import normalise

    said: dict[str, int] = dict.fromkeys(LOCALES, 0)
    for piece in map(load_slice, slice_names()):
        if not piece.spec.derive:
            for case in piece.cases:
                texts = [case.text] if case.text else [str(m.content) for m in case.messages if m.role == "user"]
                said[case.locale] += any("insulin" in view.text for text in texts for view in normalise(text))
    path = mine / STROKE
    uri = editor.open(path)
    text = edited(path, "\\\\bslurred speech\\\\b", "insulin")
    editor.type(uri, text)
    shown = editor.hover(uri, *find(text, "insulin"))
    assert sum(said.values()) > 10
    for locale, count in said.items():
        assert f"{locale} {count} of " in shown, (locale, count, shown)
    text = edited(path, "\\\\bslurred speech\\\\b", "Corazón")
    editor.type(uri, text, 3)
    shown = editor.hover(uri, *find(text, "Corazón"))
    assert "corazon" in shown
    assert "Hits **0**" in shown


def test_completion_offers_what_fits(editor: Editor, mine: Path):
    path = mine / STROKE
    uri = editor.open(path)
    text = path.read_text(encoding="utf-8")

    def offered(line_text: str) -> dict[str, lsp.CompletionItem]:
        changed = text + "\n" + line_text
        editor.type(uri, changed, 9)
        return editor.labels(uri, changed.count("\n"), len(line_text))

    flows = offered("  $x = await red fl")
    assert {"red flag stroke", "template dosing", "check turn"} <= flows.keys()
    assert "main" not in flows
    edit = flows["red flag stroke"].text_edit
    assert isinstance(edit, lsp.TextEdit)
    assert (edit.new_text, edit.range.start.character) == ("red flag stroke ${1:\\$text}", 13)
    assert offered('@meta(kind="red-flag", severity="').keys() == {"emergency", "crisis", "urgent", "check-in"}
    assert offered('@meta(kind="red-flag", category="st').keys() == {
        "bleeding",
        "distress",
        "rash",
        "stroke",
        "suicide",
    }
    assert "emergency-medical" in offered('@meta(kind="template", slug="')
    assert "emergency-medical" not in offered('@meta(kind="scope", slug="')
    assert offered('@meta(kind="scope", reason="x", ').keys() == {"kind", "slug", "priority"} - {"kind"}
    assert "supportive-check-in" in offered('  if $slug == "')
    assert offered('  if $locale == "').keys() == {"en", "es-419", "pt-BR"}
    assert offered('  $x = "await ') == {}
    assert offered("  # await ") == {}


def test_symbols_of_rails_and_of_examples(editor: Editor, mine: Path):
    uri = editor.open(mine / "red_flags" / "crisis.co")
    document = lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(uri))
    found = editor.do(editor.client.text_document_document_symbol_async(document)) or []
    assert [(one.name, one.detail) for one in found if isinstance(one, lsp.DocumentSymbol)] == [
        ("red flag suicide", "crisis"),
        ("check in distress", "check-in"),
        ("urgent rash", "urgent"),
    ]
    assert all(
        one.range.end.line >= one.selection_range.end.line for one in found if isinstance(one, lsp.DocumentSymbol)
    )


def test_files_that_are_renamed_and_deleted_on_disk(editor: Editor, mine: Path):
    main = editor.open(mine / "main.co")
    editor.type(main, (mine / "main.co").read_text(encoding="utf-8") + "\n# touched\n")
    old, new = mine / STROKE, mine / "red_flags" / "stroke_signs.co"
    old.rename(new)
    editor.watched((old, lsp.FileChangeType.Deleted), (new, lsp.FileChangeType.Created))
    line, character = find((mine / "main.co").read_text(encoding="utf-8"), "red flag stroke $text")
    assert editor.definition(main, line, character + 2) == [("stroke_signs.co", 3, 5, 20)]
    new.unlink()
    editor.watched((new, lsp.FileChangeType.Deleted))
    [told] = editor.wait(main, lambda found: any(one.code == "undefined-flow" for one in found))
    assert told.range.start.line == line
    new.write_bytes(b"\xff\xfe not utf-8")
    editor.watched((new, lsp.FileChangeType.Created))
    editor.wait(new.as_uri(), lambda found: [one.code for one in found] == ["unreadable"])
    assert editor.definition(main, line, character + 2) == []


def test_what_was_not_saved_is_gone_after_closing(editor: Editor, mine: Path):
    path = mine / STROKE
    uri = editor.open(path, edited(path, "return find_all", "return findall"))
    editor.wait(uri, lambda found: [one.code for one in found] == ["function"])
    editor.close(uri)
    editor.wait(uri, lambda found: not found)


MALFORMED = [
    "",
    "\x00\x00",
    "flow",
    "@",
    "flow x $\n  $",
    "))))((((",
    '"',
    "\t\tflow\n\t",
    "flow a\n  return [" * 300,
    "😀" * 500,
]


def test_no_document_ends_the_conversation(editor: Editor, mine: Path):
    path = mine / STROKE
    uri = editor.open(path)
    for version, text in enumerate(MALFORMED, 2):
        editor.type(uri, text, version)
        assert isinstance(editor.labels(uri, 0, 0), dict)
        assert isinstance(editor.hover(uri, 0, 1), str)
        assert isinstance(editor.definition(uri, 999, 999), list)
        editor.fixes(uri, 0)
    editor.type(uri, edited(path, "return find_all", "return findall"), 99)
    assert [one.code for one in editor.wait(uri, lambda found: [one.code for one in found] == ["function"])]
    unsaved = "untitled:Untitled-1"
    item = lsp.TextDocumentItem(unsaved, "colang", 1, "flow")
    editor.now(lambda: editor.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item)))
    assert editor.definition(unsaved, 0, 0) == []


def test_a_session_of_its_own_ends_well():
    editor = Editor()
    assert editor.server.server_info is not None
    assert editor.server.server_info.name == "carerails"
    assert editor.leave() == 0


NOISY = """
import sys
from carerails.lsp import server, telling
real = telling.check
def noisy(*place):
    print("stray", flush=True)
    sys.stdout.write("stray")
    return real(*place)
telling.check = noisy
raise SystemExit(server.serve())
"""


def test_stdout_carries_only_the_protocol(mine: Path):
    """Whatever a check prints goes to stderr."""
    path = mine / STROKE
    document = {"uri": path.as_uri(), "languageId": "colang", "version": 1, "text": "flow x\n  return findall(1)\n"}
    said: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
    ]
    server = subprocess.Popen([sys.executable, "-c", NOISY], stdin=-1, stdout=-1, stderr=-1)
    assert server.stdin
    assert server.stdout
    for message in said:
        server.stdin.write(framed(message))
    server.stdin.flush()
    heard: list[dict[str, Any]] = []
    while not any(one.get("method") == "textDocument/publishDiagnostics" for one in heard):
        heard.append(unframed(server.stdout))
    server.stdin.write(framed({"id": 2, "method": "shutdown"}) + framed({"method": "exit"}))
    server.stdin.flush()
    rest, errors = server.communicate(timeout=20)
    assert server.returncode == 0
    assert rest.startswith(b"Content-Length")
    assert b"stray" not in rest
    assert b"stray" in errors


def framed(message: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def unframed(stream: IO[bytes]) -> dict[str, Any]:
    """One message; anything else on the stream fails here."""
    length = 0
    while (line := stream.readline()) != b"\r\n":
        name, _, value = line.partition(b": ")
        assert name in (b"Content-Length", b"Content-Type"), line
        length = int(value) if name == b"Content-Length" else length
    return json.loads(stream.read(length))


def test_without_the_extra_there_is_one_clear_line():
    hidden = "import sys; sys.modules['pygls'] = None; sys.argv = ['carerails', 'rails', 'lsp']; "
    hidden += "from carerails.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "pip install 'carerails[lsp]'" in done.stderr
