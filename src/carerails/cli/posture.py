"""`carerails posture ...`: the document for clinical reviewers, and whether its sources are in step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast, get_args

from carerails.cli.console import note, print_findings
from carerails.cli.options import PASS, REGRESSION
from carerails.contracts import LOCALES, Locale
from carerails.errors import UsageError, unknown
from carerails.resources import data_dir


def build(locales: Sequence[str], formats: Sequence[str], out: Path, since: str, rails: Path | None) -> int:
    """Write one document a locale and format, and `posture.json`, which the next release compares with."""
    from carerails.posture.document import Format, Release, render
    from carerails.posture.facts import gather
    from carerails.posture.releases import read_release

    _known("locale", locales, LOCALES)
    _known("format", formats, get_args(Format))
    release = Release(Path(since).name if Path(since).is_file() else since, read_release(since)) if since else None
    facts = gather(rails or data_dir("rails"), data_dir("config"), data_dir("evals") / "slices")
    written = {"posture.json": facts.to_json()}
    for locale in locales or LOCALES:
        for kind in cast("Sequence[Format]", formats or get_args(Format)):
            written[f"posture-{locale}.{kind}"] = render(facts, cast("Locale", locale), kind, release)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in written.items():
            (out / name).write_text(text, encoding="utf-8", newline="\n")
            note(f"{out / name}: written")
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "name another --out", str(out)) from None
    return PASS


def check(rails: Path | None, readme: Path | None, as_json: bool) -> int:
    """Print which places differ; exit 1 when one does."""
    import carerails
    from carerails.posture.check import Places, check

    told = (Path(str(carerails.__file__)), readme or data_dir("rails").parent / "README.md")
    places = Places(rails or data_dir("rails"), data_dir("config"), data_dir("evals") / "slices", told)
    findings = check(places)
    print_findings(findings, as_json)
    if not as_json:
        note(f"{len(findings)} findings" if findings else "the posture is in step")
    return REGRESSION if findings else PASS


def _known(kind: str, names: Iterable[str], known: Iterable[str]) -> None:
    for name in names:
        if name not in known:
            raise unknown(kind, name, known)
