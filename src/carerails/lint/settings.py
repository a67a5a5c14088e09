"""What is wrong with a deployment's settings: profiles, the numbers that templates show, words that are missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from carerails.config import NumberBook, Profile, YamlLoader, line_of, load_yaml, yaml_node
from carerails.errors import UsageError
from carerails.lint.finding import Finding, ordered
from carerails.lint.noting import Notes
from carerails.lint.suppress import suppressed
from carerails.lint.unwritten import unwritten

#: Files of words for the posture document, which `carerails posture check` holds against the rails.
WORDS = ("categories.yml", "deferred.yml", "posture.yml")


def lint_settings(config: Path) -> list[Finding]:
    """Findings about `profiles/*.yml`, `numbers.yml` and unwritten words, by file and line.

    Raises:
        UsageError: no such directory.
    """
    if not config.is_dir():
        raise UsageError("not a directory of settings", "give one with profiles/ and numbers.yml", str(config))
    paths = [*sorted((config / "profiles").glob("*.yml")), config / "numbers.yml"]
    words = [config / name for name in WORDS]
    texts = {
        path.relative_to(config).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in (*paths, *words)
        if path.is_file()
    }
    notes, said = Notes(texts), Notes(texts)
    numbers = _read(config, config / "numbers.yml", NumberBook, notes)
    for path in paths[:-1]:
        profile = _read(config, path, Profile, notes)
        if isinstance(profile, Profile) and isinstance(numbers, NumberBook):
            _countries(path.relative_to(config).as_posix(), path, profile, numbers, notes)
    for path in sorted((config / "profiles").glob("*.yaml")):
        notes.add("not-read", path.relative_to(config).as_posix(), 1, 1, mend=[f"{path.stem}.yml"])
    for name, text in texts.items():
        _twice(name, text, notes)
    for name in WORDS:
        for place in unwritten(texts.get(name, "")):
            notes.add("unwritten", name, *place)
    return ordered([*suppressed(notes.found, said, texts, whole=True), *said.found])


def _twice(name: str, text: str, notes: Notes) -> None:
    """Keys that a mapping has twice, of which YAML takes the last."""
    try:
        ahead: list[Any] = [yaml.compose(text, Loader=YamlLoader)]
    except yaml.YAMLError:
        return  # said where the file is read
    while ahead:
        node = ahead.pop()
        pairs: list[tuple[Any, Any]] = node.value if isinstance(node, yaml.MappingNode) else []
        ahead += [value for _, value in pairs] if pairs else node.value if isinstance(node, yaml.SequenceNode) else []
        lines: dict[str, int] = {}
        for key, _ in pairs:
            line = key.start_mark.line + 1
            if lines.setdefault(str(key.value), line) != line:
                notes.add("duplicate-key", name, line, key.start_mark.column + 1, [key.value, lines[str(key.value)]])


#: What pydantic says of a value, and what to do about it.
_MENDS = {
    "valid string": "put it in quotes: YAML reads `061` and `NO` as something else",
    "'^[A-Z]{2}$'": "a country is two capital letters, as ISO 3166-1 has them: `GB`, `MX`",
    "valid number": "write a number, without a unit",
    "valid boolean": "write true or false",
    "'es-419'": "the locales are en, es-419 and pt-BR",
    "Field required": "add it",
}


def _read(config: Path, path: Path, model: type[Profile] | type[NumberBook], notes: Notes) -> object:
    try:
        return load_yaml(path, model)
    except UsageError as error:
        _, _, line = error.where.rpartition(":")
        code = "config-key" if error.what.startswith("unknown key") else "config-value"
        what = error.what.removeprefix("unknown key ").strip("'") if code == "config-key" else error.what
        notes.add(
            code,
            path.relative_to(config).as_posix(),
            int(line) if line.isdigit() else 1,
            1,
            [what],
            [next((mend for said, mend in _MENDS.items() if said in error.what), error.mend or "correct it")],
        )
        return None


def _countries(name: str, path: Path, profile: Profile, numbers: NumberBook, notes: Notes) -> None:
    """A country that a profile shows by default has numbers, both of them."""
    node = yaml_node(path)
    for locale, country in profile.default_country.items():
        if country is None:
            continue
        known = numbers.countries.get(country)
        missing = "emergency number" if known is None else "crisis line" if known.crisis is None else ""
        if missing:
            notes.add("missing-number", name, line_of(node, ("default_country", locale)), 1, [locale, country, missing])
