"""Keeps what was found out from one run to the next: all findings of a directory, and what they were made of.

Findings are kept under the hash of the files and of the code that judges. What each rule came to is kept by directory,
and known again by content, so that after an edit only what that can touch is worked out.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import platform
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, is_dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from carerails.colang import tree
from carerails.colang.folding import Pattern, Regex
from carerails.guards import form
from carerails.keeping import Shelf
from carerails.lint.finding import Edit, Finding
from carerails.lint.looked import Known, Looked
from carerails.lint.project import Parsed, Project, parsed
from carerails.matching import Problem

FINDINGS = Shelf("findings", ".json", most=12)
RULES = Shelf("looked", ".json", most=9)
TREES = Shelf("trees", ".pickle", most=9)
#: The classes of syntax trees.
_KINDS = frozenset(name for name, kind in vars(tree).items() if isinstance(kind, type) and is_dataclass(kind))
_CODE = ("lint/*.py", "colang/*.py", "matching/*.py", "guards/*.py", "text/*.py", "policy.py", "contracts/*.py")


def path_of(project: Project) -> Path | None:
    """Where the findings of just these files are kept; None where they are not."""
    files = [*project.colang.items(), *project.yaml.items(), *project.ignored]
    if project.dialect != "portable":  # actions are looked for in Python files
        files += [(str(path), path.read_text(encoding="utf-8", errors="replace")) for path in project.python]
    return _path(FINDINGS, (repr((name, len(text))) + text for name, text in files))


def read(path: Path) -> list[Finding] | None:
    """What was kept there, if it is findings."""
    try:
        rows: list[dict[str, Any]] = json.loads(FINDINGS.read(path) or b"")
        return [_finding(row) for row in rows]
    except (ValueError, TypeError, LookupError):
        return None


def _finding(row: dict[str, Any]) -> Finding:
    return Finding(**{**row, "fix": tuple([Edit(**edit) for edit in row["fix"]])})  # pyright: ignore[reportArgumentType]


def write(path: Path, found: list[Finding]) -> None:
    """Keep findings."""
    FINDINGS.write(path, _json([asdict(one) for one in found]))


def read_known(root: Path) -> Known:
    """What was last found out of the rules of a directory, as far as it is kept."""
    path = _path(RULES, [str(root.resolve())])
    try:
        return _known(*json.loads((RULES.read(path) if path else None) or b""))
    except (ValueError, TypeError, LookupError, AttributeError):
        return Known()


def write_known(root: Path, known: Known) -> None:
    """Keep what was found out."""
    path = _path(RULES, [str(root.resolve())])
    if path:
        RULES.write(path, _json(_plain(known)))


def parsed_files(project: Project, is_quiet: Callable[[str, str, Parsed], bool]) -> dict[str, Parsed]:
    """As `Project.parsed`; files that were parsed before are not parsed again, nor looked at for themselves."""
    path = _path(TREES, [str(project.root.resolve())])
    before = _trees(path)
    found: dict[str, Parsed] = {}
    now: dict[str, bytes] = {}
    for name, text in project.colang.items():
        key = hashlib.sha256(f"{name}\0{text}".encode()).hexdigest()
        if key in before:
            flows, examples, quiet, forms = _Trees(before[key]).load()
            found[name], now[key] = Parsed(flows, examples, (), quiet, forms), before[key]
            continue
        file = found[name] = parsed(name, text)
        if not file.found:
            forms = {flow.name: form(flow) for flow in file.flows}
            now[key] = pickle.dumps((file.flows, file.examples, is_quiet(name, text, file), forms), protocol=5)
    if path and now.keys() != before.keys():
        TREES.write(path, pickle.dumps(now, protocol=5))
    return found


def _trees(path: Path | None) -> Mapping[str, bytes]:
    try:
        return _Trees((TREES.read(path) if path else None) or b"").load()
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, LookupError, AttributeError, ImportError):
        return {}


class _Trees(pickle.Unpickler):
    """Syntax trees and what is built in, and nothing else: no file can make this run anything."""

    def __init__(self, body: bytes) -> None:
        super().__init__(BytesIO(body))

    def find_class(self, module: str, name: str) -> Any:
        if module != tree.__name__ or name not in _KINDS:
            raise pickle.UnpicklingError(f"{module}.{name} is no syntax tree")
        return getattr(tree, name)


def _plain(known: Known) -> tuple[Any, ...]:
    """As plain data. A pattern is told once, as are the texts that it stands in."""
    texts = {key: number for number, key in enumerate(known.texts)}
    arms: dict[Pattern, int] = {}

    def number(arm: Pattern) -> int:
        return arms.setdefault(arm, len(arms))

    rules = {
        key: (
            [(use.function, use.partial, list(map(number, use.arms))) for use in one.regexes],
            one.always,
            one.runs_always,
            one.fails,
            [texts[text] for text in one.hits if text in texts],
            [(texts[text], list(map(number, stood))) for text, stood in one.stood.items() if text in texts],
        )
        for key, one in known.rules.items()
    }
    sources = {source: number for number, source in enumerate(known.problems)}
    shown = [(sources[arm.regex], arm.file, arm.line) for arm in arms]
    return known.texts, list(known.problems.items()), known.shadows, shown, rules


def _known(texts: dict[str, str], problems: Any, shadows: Any, shown: Any, rules: Mapping[str, Any]) -> Known:
    keys = list(texts)
    arms = [Pattern(problems[source][0], file, line) for source, file, line in shown]

    def some(numbers: Iterable[int]) -> list[Pattern]:
        return [arms[number] for number in numbers]

    def looked(uses: Any, always: bool, runs: bool, fails: str, hits: Iterable[int], stood: Any) -> Looked:
        return Looked(
            tuple([Regex(-1, function, tuple(some(of)), partial) for function, partial, of in uses]),
            always,
            runs,
            fails,
            frozenset([keys[text] for text in hits]),
            {keys[text]: frozenset(some(of)) for text, of in stood},
        )

    found = {source: tuple([Problem(*problem) for problem in several]) for source, several in problems}
    pairs = {key: tuple([(arm, other) for arm, other in several]) for key, several in shadows.items()}
    return Known(texts, found, pairs, {key: looked(*one) for key, one in rules.items()})


def _json(data: object) -> bytes:
    return json.dumps(data, separators=(",", ":")).encode()


def _path(shelf: Shelf, content: Iterable[str]) -> Path | None:
    """Where a thing is kept that depends on some texts and on the code; None where it is not."""
    try:
        key = hashlib.sha256(_code().encode())
    except OSError:
        return None
    for text in content:
        key.update(text.encode())
    return shelf.path(key.hexdigest())


@cache
def _code() -> str:
    package = Path(__file__).parent.parent
    key = hashlib.sha256(platform.python_version().encode())
    for path in sorted(path for pattern in _CODE for path in package.glob(pattern)):
        key.update(path.read_bytes())
    return key.hexdigest()
