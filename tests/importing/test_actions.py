"""Python actions are read and never run: those that only search give their patterns, all others a reason."""

from __future__ import annotations

import textwrap

import pytest

from carerails.importing.actions import key_of, read_actions
from carerails.importing.found import Project

HEAD = """
import re
from nemoguardrails.actions import action
WORDS = ["aa", "bb"]
ONE = re.compile(r"c+", re.I)
JOINED = "|".join(["dd", "ee"])

@action()
async def check(text: str, context=None):
"""

#: body, patterns, what is returned where one matches
READ = [
    ("return bool(re.search('xy', text))", ["xy"], True),
    ("return re.search(r'x\\d', text, re.IGNORECASE) is not None", ["x\\d"], True),
    ("return re.search('x', text) is None", ["x"], False),
    ("return not re.search('x', text)", ["x"], False),
    ("return any(re.search(p, text) for p in WORDS)", ["aa", "bb"], True),
    ("return any([w in text.lower() for w in WORDS])", ["aa", "bb"], True),
    ("return not any(re.findall(p, text) for p in ('a', 'b'))", ["a", "b"], False),
    ("return bool(ONE.search(text))", ["c+"], True),
    ("return bool(re.search(JOINED, text))", ["dd", "ee"], True),
    ("return 'a.b' in text or re.search('c' + 'd', text) is not None", ["a\\.b", "cd"], True),
    ("for p in WORDS:\n  if re.search(p, text):\n    return True\nreturn False", ["aa", "bb"], True),
    ("if ONE.search(text):\n  return False\nreturn True", ["c+"], False),
    (
        "'''Doc.'''\ntext = (context or {}).get('user_message', '')\nif not text:\n  return False\nreturn 'x' in text",
        ["x"],
        True,
    ),
    ("found = re.search('x', text)\nreturn found is not None", ["x"], True),
    (
        "found = re.search('x', text)\nif found:\n  log.info('hit')\n  return RailOutcome.block()\n"
        "return RailOutcome.allow()",
        ["x"],
        True,
    ),
    ("patterns = ['x', 'y']\nprint('checking')\nreturn any(re.search(p, text) for p in patterns)", ["x", "y"], True),
]
#: body, line within it, reason
UNREAD = [
    ("return await model.ask(text)", 1, "await model.ask(text)"),
    ("return bool(re.search(pattern_of(), text))", 1, "pattern_of()"),
    ("return bool(re.match('x', text))", 1, "re.match"),
    ("return bool(re.search('x', text, re.DOTALL))", 1, "re.DOTALL"),
    ("text = requests.get(text)\nreturn 'x' in text", 1, "requests.get"),
    ("if re.search('x', text):\n  store(text)\n  return True\nreturn False", 1, "if re.search"),
    ("if re.search('x', text):\n  return True\nelse:\n  return False", 1, "if re.search"),
    ("while True:\n  pass", 1, "while True"),
    ("return len(text) > 5", 1, "len(text) > 5"),
    ("return True", 1, "no search"),
    ("return", 1, "without a value"),
    ("if re.search('x', text):\n  return True\nreturn True", 1, "the same whether"),
    ("if re.search('x', text):\n  return True\nif re.search('y', text):\n  return False\nreturn None", 3, ""),
    ("return [w for w in WORDS if w in text]", 1, "[w for w in WORDS"),
]


def read(body: str) -> Project:
    project = Project()
    read_actions("actions.py", HEAD + textwrap.indent(body, "    ") + "\n", project)
    return project


@pytest.mark.parametrize(("body", "patterns", "value"), READ, ids=[row[0][:40] for row in READ])
def test_an_action_that_only_searches(body: str, patterns: list[str], value: bool):
    project = read(body)
    assert project.left == []
    action = project.actions["check"]
    assert (list(action.patterns), action.value) == (patterns, value)


@pytest.mark.parametrize(("body", "line", "why"), UNREAD, ids=[row[0][:40] for row in UNREAD])
def test_an_action_that_does_more(body: str, line: int, why: str):
    project = read(body)
    assert project.actions == {}
    (left,) = project.left
    assert why in left.why
    assert left.what == "action check"
    if why and "different" not in left.why:
        assert left.line == HEAD.count("\n") + line


def test_an_action_goes_by_several_names():
    assert key_of("CheckTermsAction") == key_of("check_terms") == key_of("check_terms_action") == "check_terms"
    project = Project()
    read_actions("a.py", "@action(name='B2')\ndef a(t):\n  return 'x' in t\n\ndef helper(t):\n  return t\n", project)
    assert list(project.actions) == ["b2"]
    assert project.left == []


@pytest.mark.parametrize("text", ["def f(:", "\x00", "x = " + "(" * 500 + ")" * 500, "x = " + "-" * 50_000 + "1"])
def test_what_is_no_python_is_left(text: str):
    project = Project()
    read_actions("a.py", text, project)
    assert [(left.file, left.what) for left in project.left] == [("a.py", "the file")]
