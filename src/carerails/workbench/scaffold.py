"""A new red-flag category: rule, examples, place in the order of checks, and cases that fail until it is written."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from carerails.colang.rules import CHECK, PREFIX, categories
from carerails.contracts import LOCALES, TEMPLATE_OF, Outcome
from carerails.errors import UsageError
from carerails.lint.unwritten import SAYS, TO_DO
from carerails.policy import Policy

_NAME = re.compile(r"[a-z]+(?:-[a-z]+)*")
#: A line of a file of words that begins an entry.
_KEY = re.compile(r"  (\S[^:#]*):")
#: Where a new rule stands among those of its severity.
PRIORITY: Mapping[str, int] = {"emergency": 70, "crisis": 70, "urgent": 40, "check-in": 30}
_VARIABLE: Mapping[str, str] = {"en": "en", "es-419": "es", "pt-BR": "pt"}
_RULE = '''\
# {title}: what it is for, in the words of whoever reads the rails.
# Leaves out: what sounds like it and is none.

@meta(kind="red-flag", category="{name}", severity="{severity}", priority={priority})
flow {flow} $text -> $terms
  """{to_do} what it must find. Deferred: {deferred}."""
  $or = "|"
{lists}
  $all = {joined}
  return find_all($or.join($all), $text)
'''
#: What the docstring defers, and the posture document with it.
_DEFERRED = "what it cannot find yet"
_CATEGORY = """\
  {name}:
    en: {{name: {title}, about: "{to_do} one sentence: what people tell that belongs here."}}
    es-419: {{name: "{to_do} a few words in Spanish", about: "{to_do} the sentence in Spanish."}}
    pt-BR: {{name: "{to_do} a few words in Portuguese", about: "{to_do} the sentence in Portuguese."}}
"""
_LEFT_OUT = """\
  {flow}:
    rails: "{deferred}"
    en: "{to_do} in plain words what the docstring defers; renew the line above when that changes"
    es-419: "{to_do} the same in Spanish"
    pt-BR: "{to_do} the same in Portuguese"
"""
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


def red_flag(
    name: str, severity: Outcome, rails: Path, cases: Path, said: Mapping[str, str], config: Path | None = None
) -> Scaffold:
    """A new category.

    Args:
        name: words joined by hyphens.
        severity: one of `PREFIX`.
        rails: the directory; it must compile.
        cases: the file of cases that is made.
        said: what somebody says, by locale: the first example and the first case of it.
        config: where the posture document takes its words from; None: there is none.

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
    words = _words(name, flow, severity, policy, config) if config else {}
    return Scaffold(flow, TEMPLATE_OF[severity], files | words, frozenset({main, *words}))


def _file(name: str) -> str:
    return name.replace("-", "_")


def _rule(name: str, flow: str, severity: str) -> str:
    lists = "\n".join(f'  ${_VARIABLE[locale]} = ["\\\\b{SAYS[locale]}\\\\b"]' for locale in LOCALES)
    joined = " + ".join(f"${_VARIABLE[locale]}" for locale in LOCALES)
    return _RULE.format(
        title=_title(name),
        name=name,
        severity=severity,
        priority=PRIORITY[severity],
        flow=flow,
        lists=lists,
        joined=joined,
        to_do=TO_DO,
        deferred=_DEFERRED,
    )


def _title(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _words(name: str, flow: str, severity: str, policy: Policy, config: Path) -> dict[Path, str]:
    """The files of words with an entry that is to be filled, for as many of them as there are."""
    same = {rule.meta.category for rule in policy.rules.values() if rule.meta.outcome == severity}
    entries = {
        "categories.yml": ("red-flags:", same, _CATEGORY.format(name=name, title=_title(name), to_do=TO_DO)),
        "deferred.yml": ("deferred:", (), _LEFT_OUT.format(flow=flow, deferred=_DEFERRED, to_do=TO_DO)),
    }
    return {path: _with_entry(path, *entry) for file, entry in entries.items() if (path := config / file).is_file()}


def _with_entry(path: Path, head: str, after: Collection[str], entry: str) -> str:
    """A file of words with one more entry: behind the last one of those named, else of all under its head.

    Raises:
        UsageError: the file has no such head.
    """
    lines = path.read_text(encoding="utf-8").split("\n")
    if head not in lines:
        raise UsageError(f"no `{head}` at the left margin", "it heads the entries", str(path))
    at = lines.index(head)
    end = next((n for n in range(at + 1, len(lines)) if lines[n][:1] not in (" ", "#")), len(lines))
    keys = {n: match[1] for n in range(at + 1, end) if (match := _KEY.fullmatch(lines[n]))}
    last = max((n for n, key in keys.items() if key in after), default=max(keys, default=at))
    place = next((n for n in range(last + 1, end) if not lines[n].startswith("    ")), end)
    return "\n".join([*lines[:place], *entry.rstrip("\n").split("\n"), *lines[place:]])


def _examples(words: str, said: Mapping[str, str]) -> str:
    lines = [f"# What people say: {words}. At least 12 a locale, in people's own words.", f"flow examples of {words}"]
    for locale in LOCALES:
        text = said.get(locale) or SAYS[locale]
        lines += [f"  # {locale}", f'  user said "{_quoted(text)}"']
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _cases(name: str, severity: str, said: Mapping[str, str]) -> str:
    """A case a locale; of an urgent one the decision is escalation, too."""
    rows: list[dict[str, str]] = []
    for locale in LOCALES:
        row = {"id": f"{name}-{_VARIABLE[locale]}-001", "text": said.get(locale) or SAYS[locale], "locale": locale}
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
