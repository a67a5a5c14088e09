"""What is wrong with a deployment's settings: profiles, the numbers that templates show, words that are missing."""

from __future__ import annotations

from pathlib import Path

from carerails.config import NumberBook, Profile, line_of, load_yaml, yaml_node
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
    for name in WORDS:
        for place in unwritten(texts.get(name, "")):
            notes.add("unwritten", name, *place)
    return ordered([*suppressed(notes.found, said, texts, whole=True), *said.found])


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
            [error.mend or "correct it"],
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
