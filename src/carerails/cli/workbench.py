"""`carerails rails`: the workbench of the person who edits the rails."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated, Optional

import typer

from carerails.cli.options import AsJson, Data, Engine, Rails, Semantic, SemanticOption, Slices, names


class Format(str, Enum):
    """How findings are written."""

    text = "text"
    json = "json"
    sarif = "sarif"
    github = "github"


class Level(str, Enum):
    """How grave a finding is."""

    error = "error"
    warning = "warning"
    info = "info"


class NewKind(str, Enum):
    """What can be begun."""

    red_flag = "red-flag"


class NewSeverity(str, Enum):
    """What a hit of a red flag means."""

    emergency = "emergency"
    crisis = "crisis"
    urgent = "urgent"
    check_in = "check-in"


Path_ = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Argument(help="Rails directory. Default: the rails that are shipped."),
]

rails_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Tools for the person who edits the rails.")


@rails_app.command()
def explain(
    text: Annotated[str, typer.Argument(help="What the user says.")],
    engine: Engine = "native",
    rails: Rails = None,
    locale: Annotated[str, typer.Option("--locale", help="en, es-419 or pt-BR. Default: detected.")] = "",
    country: Annotated[str, typer.Option("--country", help="Two letters, for the numbers.")] = "",
    semantic: SemanticOption = Semantic.off,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Show what a text becomes, which rules it hits, where in the rails, and what the user is told."""
    from carerails.cli.explain import run

    raise typer.Exit(run(text, engine, rails, locale, country, as_json, semantic.value))


@rails_app.command()
def lint(
    path: Path_ = None,
    form: Annotated[Format, typer.Option("--format", help="How findings are written.")] = Format.text,
    level: Annotated[Level, typer.Option("--level", help="The least grave that counts.")] = Level.warning,
    fix: Annotated[bool, typer.Option("--fix", help="Make the mends that are mechanical first.")] = False,
    config: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--config", help="Directory of profiles and numbers. Default: the shipped one."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Check rails, ours or of any NeMo configuration: file, line, column, what is wrong and how to mend it."""
    from carerails.cli.lint import run

    raise typer.Exit(run(path, "json" if as_json else form.value, level.value, fix, config))


@rails_app.command()
def coverage(
    rails: Rails = None,
    slices: Slices = "",
    data: Data = None,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--out", help="Directory for coverage.html, coverage.json and dead.txt."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show which patterns, statements and templates the cases exercise, and which nothing does."""
    from carerails.cli.coverage import run

    raise typer.Exit(run(rails, names(slices), data or [], out, as_json))


@rails_app.command("diff")
def rails_diff(
    before: Annotated[str, typer.Argument(help="A git revision of the shipped rails, or a rails directory.")],
    after: Annotated[str, typer.Argument(help="The same. Default: the shipped rails as they are.")] = "",
    engine: Engine = "native",
    slices: Slices = "",
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Show what two states of the rails decide otherwise, by rule; exit 1 when a case got worse."""
    from carerails.cli.rails_diff import run

    raise typer.Exit(run(before, after, engine, names(slices), data or [], as_json))


@rails_app.command()
def watch(
    rails: Rails = None,
    engine: Engine = "native",
    slices: Slices = "",
    data: Data = None,
) -> None:
    """On each save: what the linter says, and the cases that are decided otherwise. Ctrl-C ends it."""
    from carerails.cli.watch import watch as run

    raise typer.Exit(run(engine, rails, names(slices), data or [], linted=True))


@rails_app.command("fmt")
def rails_fmt(
    path: Path_ = None,
    check: Annotated[bool, typer.Option("--check", help="Only name the files that would change; exit 1.")] = False,
) -> None:
    """Lay out .co files alike: blank lines, indentation, spaces. What they say never changes."""
    from carerails.cli.scaffold import lay_out as run

    raise typer.Exit(run(path, check))


@rails_app.command("new")
def rails_new(
    kind: Annotated[NewKind, typer.Argument(help="What to begin.")],
    name: Annotated[str, typer.Argument(help="Lower-case words joined by hyphens.")],
    severity: Annotated[NewSeverity, typer.Option("--severity", help="What a hit means.")] = NewSeverity.emergency,
    en: Annotated[str, typer.Option("--en", help="What somebody says: the first example and case.")] = "",
    es: Annotated[str, typer.Option("--es", help="The same in Spanish.")] = "",
    pt: Annotated[str, typer.Option("--pt", help="The same in Portuguese.")] = "",
    rails: Rails = None,
    cases: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--cases", help="File of its cases. Default: NAME.jsonl here."),
    ] = None,
) -> None:
    """Begin a category: rule, examples, place among the checks, guard, and cases that fail until it is written."""
    from carerails.cli.scaffold import new as run

    raise typer.Exit(run(name, severity.value, {"en": en, "es-419": es, "pt-BR": pt}, rails, cases))


@rails_app.command()
def guards(
    path: Path_ = None,
    check: Annotated[bool, typer.Option("--check", help="Only say whether guards.co is up to date.")] = False,
) -> None:
    """Write guards.co, the cheap first look that is made from the patterns."""
    from carerails.cli.rails import guards as run

    raise typer.Exit(run(path, check))


@rails_app.command()
def learn(path: Path_ = None) -> None:
    """Fit the local judge of --semantic local to the examples of the rails, and keep it."""
    from carerails.cli.rails import learn as run

    raise typer.Exit(run(path))


@rails_app.command()
def export(
    target: Annotated[str, typer.Option("--out", help="File for policy.json; - is stdout.")] = "-",
    path: Path_ = None,
) -> None:
    """Write the compiled policy as one JSON file, which runs without Colang files and without NeMo."""
    from carerails.cli.rails import export as run

    raise typer.Exit(run(path, target))


@rails_app.command()
def lsp() -> None:
    """Serve an editor on stdin and stdout: the Language Server Protocol. docs/editors.md has the setup."""
    from carerails.cli.lsp import run

    raise typer.Exit(run())


@rails_app.command()
def play(
    path: Path_ = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any that is free.")] = 0,
    engines: Annotated[
        str, typer.Option("--engines", help="Comma-separated. Default: all that are available and need no model.")
    ] = "",
) -> None:
    """Open a local page: try texts on every engine, edit rails, and see what flips before it is saved."""
    from carerails.cli.play import run

    raise typer.Exit(run(path, port, names(engines)))


@rails_app.command("import")
def import_(
    source: Annotated[Path, typer.Argument(help="Directory of a NeMo project: config.yml, .co files, actions.")],
    out: Annotated[Path, typer.Option("--out", help="A new directory for the rails; nothing is overwritten.")],
    locale: Annotated[str, typer.Option("--locale", help="Of its texts: en, es-419 or pt-BR. Default: guessed.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Make rails of a NeMo project, Colang 1.0 or 2.x; list what is left and why. Nothing of it is run."""
    from carerails.cli.importing import run

    raise typer.Exit(run(source, out, locale, as_json))
