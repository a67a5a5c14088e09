"""A new red-flag category: rule, examples, place in the order of checks, and cases that fail until it is written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from carerails.colang.rules import CHECK, PREFIX, categories
from carerails.contracts import LOCALES, TEMPLATE_OF, Outcome
from carerails.errors import UsageError
from carerails.policy import Policy

_NAME = re.compile(r"[a-z]+(?:-[a-z]+)*")
#: Where a new rule stands among those of its severity.
PRIORITY: Mapping[str, int] = {"emergency": 70, "crisis": 70, "urgent": 40, "check-in": 30}
_VARIABLE: Mapping[str, str] = {"en": "en", "es-419": "es", "pt-BR": "pt"}
#: What stands where a person has to write: it matches nothing that anybody says.
_TODO: Mapping[str, str] = {
    "en": "write here what people say in english",
    "es-419": "escribe aqui lo que la gente dice en espanol",
    "pt-BR": "escreva aqui o que as pessoas dizem em portugues",
}

_RULE = '''\
# {title}: what it is for, in the words of whoever reads the rails.
# Leaves out: what sounds like it and is none.

@meta(kind="red-flag", category="{name}", severity="{severity}", priority={priority})
flow {flow} $text -> $terms
  """What it must find. Deferred: what it cannot find yet."""
  $or = "|"
{lists}
  $all = {joined}
  return find_all($or.join($all), $text)
'''
_ASKED = """\
  if search($guards.{key}, $text)
    $terms = await {flow} $text
    $hits = $hits + [["{flow}", $terms]]
"""


@dataclass(frozen=True)
class Scaffold:
    """What is to be written: the texts of files, by path, and which of them exist already and are changed."""

    flow: str
    template: str
    files: Mapping[Path, str]
    changed: frozenset[Path]

    def write(self) -> None:
        """Write all of it.

        Raises:
            UsageError: a file cannot be written.
        """
        for path, text in self.files.items():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            except OSError as error:
                raise UsageError(error.strerror or "cannot be written", "check the path", str(path)) from None


def red_flag(name: str, severity: Outcome, rails: Path, cases: Path, said: Mapping[str, str]) -> Scaffold:
    """A new category.

    Args:
        name: words joined by hyphens.
        severity: one of `PREFIX`.
        rails: the directory; it must compile.
        cases: the file of cases that is made.
        said: what somebody says, by locale: the first example and the first case of it.

    Raises:
        UsageError: the name is taken or no name, or the rails do not compile.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name of a category", "write lower-case words joined by hyphens: black-tongue")
    policy = Policy.load(rails)
    words = name.replace("-", " ")
    flow = f"{PREFIX[severity]} {words}"
    if name in categories(policy.rules) or flow in policy.rules:
        raise UsageError(f"there is a category {name!r} already", "write another rule of it into its own file")
    rule, examples = rails / "red_flags" / f"{_file(name)}.co", rails / "examples" / f"{_file(name)}.co"
    for path in (rule, examples, cases):
        if path.exists():
            raise UsageError("is there already", "choose another name, or remove it", str(path))
    main = rails / "main.co"
    files = {
        rule: _rule(name, flow, severity),
        examples: _examples(words, said),
        main: _with_rule(main.read_text(encoding="utf-8"), flow, severity, policy),
        cases: _cases(name, severity, said),
    }
    return Scaffold(flow, TEMPLATE_OF[severity], files, frozenset({main}))


def _file(name: str) -> str:
    return name.replace("-", "_")


def _rule(name: str, flow: str, severity: str) -> str:
    lists = "\n".join(f'  ${_VARIABLE[locale]} = ["\\\\b{_TODO[locale]}\\\\b"]' for locale in LOCALES)
    joined = " + ".join(f"${_VARIABLE[locale]}" for locale in LOCALES)
    title = name.replace("-", " ").capitalize()
    return _RULE.format(
        title=title, name=name, severity=severity, priority=PRIORITY[severity], flow=flow, lists=lists, joined=joined
    )


def _examples(words: str, said: Mapping[str, str]) -> str:
    lines = [f"# What people say: {words}. At least 12 a locale, in people's own words.", f"flow examples of {words}"]
    for locale in LOCALES:
        text = said.get(locale) or _TODO[locale]
        lines += [f"  # {locale}", f'  user said "{_quoted(text)}"']
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _cases(name: str, severity: str, said: Mapping[str, str]) -> str:
    """A case a locale; of an urgent one the decision is escalation, too."""
    rows: list[dict[str, str]] = []
    for locale in LOCALES:
        row = {"id": f"{name}-{_VARIABLE[locale]}-001", "text": said.get(locale) or _TODO[locale], "locale": locale}
        right = {"expected": "check-in"} if severity == "check-in" else {"expected": "escalate", "severity": severity}
        rows.append({**row, **right, "category": name})
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _with_rule(text: str, flow: str, severity: str, policy: Policy) -> str:
    """The order of checks with the rule behind the last one of its severity, or where there is none, of all."""
    lines = text.split("\n")
    at = next((n for n, line in enumerate(lines) if line.startswith(f"flow {CHECK} ")), None)
    if at is None:
        raise UsageError(f"no `flow {CHECK}` in main.co", "the order of checks is declared there")
    end = next((n for n in range(at + 1, len(lines)) if lines[n].startswith(("flow ", "@"))), len(lines))
    same = [name for name, rule in policy.rules.items() if rule.meta.outcome == severity] or list(policy.rules)
    reported = [n for n in range(at, end) if any(f'[["{name}", ' in lines[n] for name in same)]
    if not reported:
        raise UsageError(f"`flow {CHECK}` reports no rule", "add the rule by hand")
    new = _ASKED.format(key=flow.replace(" ", "_"), flow=flow).rstrip("\n")
    return "\n".join([*lines[: reported[-1] + 1], new, *lines[reported[-1] + 1 :]])
