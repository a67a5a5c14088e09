"""The command line. Every command imports what it needs when it runs, so that `carerails --help` is instant.

Exit codes: 0 pass, 1 gate or regression, 2 usage or bad input, 3 not comparable, 4 engine failure.
"""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import Annotated, Any, Optional

import typer
from typer.core import TyperGroup

from carerails import __version__
from carerails.cli.console import interrupted
from carerails.cli.engines import engines_app
from carerails.cli.evals import eval_app
from carerails.cli.options import (
    ENGINE_FAILURE,
    INTERRUPTED,
    NOT_COMPARABLE,
    PASS,
    USAGE,
    AllowFailures,
    AsJson,
    Cache,
    Data,
    Engine,
    Rails,
    Semantic,
    SemanticOption,
    Slices,
    Workers,
    names,
)
from carerails.cli.rubric import judge_app
from carerails.cli.workbench import rails_app
from carerails.errors import CarerailsError, NotComparable, UsageError


class _Commands(TyperGroup):
    """All commands. Ctrl-C ends each with a line that says so, where typer ends it without a word."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            interrupted("interrupted; what was written so far is complete lines")
            sys.exit(INTERRUPTED)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Guardrails for a medication-adherence agent: one policy in Colang, any engine, compared on real text.",
)
app.add_typer(rails_app, name="rails")
kb_app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Tools for the cards that the agent answers from."
)
app.add_typer(kb_app, name="kb")
posture_app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="What the agent never does, for those who review it."
)
app.add_typer(posture_app, name="posture")
app.add_typer(eval_app, name="eval")
screen_app = typer.Typer(
    rich_markup_mode=None, help="What of retrieved text and tool results may go into a model's context."
)
app.add_typer(screen_app, name="screen")
app.add_typer(judge_app, name="judge")
app.add_typer(engines_app, name="engines")


@app.callback(invoke_without_command=True)
def root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    """Guardrails for a medication-adherence agent: one policy in Colang, any engine, compared on real text."""
    if version:
        typer.echo(__version__)
        raise typer.Exit(PASS)


@app.command()
def decide(
    engine: Engine = "native",
    source: Annotated[str, typer.Option("--in", help="JSONL file with a text or messages a line; - is stdin.")] = "-",
    target: Annotated[str, typer.Option("--out", help="JSONL file for the decisions; - is stdout.")] = "-",
    rails: Rails = None,
    semantic: SemanticOption = Semantic.off,
    workers: Workers = 1,
    allow_failures: AllowFailures = False,
) -> None:
    """Decide every line of a JSONL file, in input order: allow, refuse, check-in or escalate."""
    from carerails.cli.decide import run

    raise typer.Exit(run(engine, source, target, rails, semantic.value, workers, allow_failures))


@app.command("check-output")
def check_output(
    engine: Engine = "native",
    source: Annotated[str, typer.Option("--in", help="JSONL file with a reply a line; - is stdin.")] = "-",
    target: Annotated[str, typer.Option("--out", help="JSONL file for what is found; - is stdout.")] = "-",
    rails: Rails = None,
    profile: Annotated[str, typer.Option("--profile", help="Deployment profile: the field rules.")] = "default",
    semantic: SemanticOption = Semantic.off,
    allow_failures: AllowFailures = False,
) -> None:
    """Check replies before anybody reads them, in input order: pass, or stop and why."""
    from carerails.cli.check_output import run

    raise typer.Exit(run(engine, source, target, rails, profile, semantic.value, allow_failures))


@app.command()
def compare(
    engines: Annotated[
        str, typer.Option("--engines", help="Comma-separated. Default: all that run the whole policy here.")
    ] = "",
    slices: Slices = "",
    data: Data = None,
    gated: Annotated[bool, typer.Option("--gated", help="Score each engine behind the always-on gate.")] = False,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--out", help="Directory for report.html, results.jsonl and summary.json."),
    ] = None,
    rails: Rails = None,
    workers: Workers = 1,
    semantic: SemanticOption = Semantic.off,
    cache: Cache = None,
    allow_failures: AllowFailures = False,
    as_json: AsJson = False,
) -> None:
    """Run engines on the same slices and on your own data, and show where they differ."""
    from carerails.cli.compare import run
    from carerails.cli.judge import judge_of

    judge = judge_of(semantic.value)
    raise typer.Exit(
        run(
            names(engines), names(slices), data or [], gated, out, rails, allow_failures, as_json, workers, judge, cache
        )
    )


@app.command()
def conformance(
    engine: Annotated[str, typer.Argument(help="Engine, as in `carerails engines`.")],
    rails: Rails = None,
    as_json: AsJson = False,
) -> None:
    """Examine an engine: contract, fail-safe, concurrency, locales, spans, determinism, cancellation, state."""
    from carerails.cli.conformance import run

    raise typer.Exit(run(engine, rails, as_json))


@app.command()
def calibrate(
    out: Annotated[Path, typer.Option("--out", help="Profile to write, a .yml; the picture stands beside it.")],
    target: Annotated[
        float, typer.Option("--target-recall", min=0.01, max=0.999, help="Of rules and judge, by its lower limit.")
    ] = 0.95,
    data: Data = None,
    most_alarms: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option("--max-false-alarms", min=0.001, max=0.99, help="Of rows where it is not so, by the upper limit."),
    ] = None,
    judge: Annotated[str, typer.Option("--judge", help="local, or model: OPENAI_API_KEY, CARERAILS_MODEL.")] = "local",
    only: Annotated[str, typer.Option("--only", help="Comma-separated: suicide, physical:urgent. Default: all.")] = "",
    profile: Annotated[str, typer.Option("--profile", help="The profile to begin with.")] = "default",
    engine: Engine = "native",
    rails: Rails = None,
    allow_failures: AllowFailures = False,
    as_json: AsJson = False,
) -> None:
    """Choose a judge's operating points on labelled rows, cross-validated, or say why the rows cannot support them."""
    from carerails.cli.calibrate import Asked, run

    asked = Asked(
        data=data or [],
        out=out,
        target=target,
        most_alarms=most_alarms,
        judge=judge,
        only=names(only),
        profile=profile,
        engine=engine,
        rails=rails,
        allow_failures=allow_failures,
        as_json=as_json,
    )
    raise typer.Exit(run(asked))


@app.command()
def chat(
    engine: Engine = "native",
    locale: Annotated[str, typer.Option("--locale", help="en, es-419 or pt-BR. Default: detected.")] = "",
    country: Annotated[str, typer.Option("--country", help="Two letters, for the numbers.")] = "",
    drafter: Annotated[
        str, typer.Option("--drafter", help="cards: copies from them, no key; model: OPENAI_API_KEY, CARERAILS_MODEL.")
    ] = "cards",
    rails: Rails = None,
    store: Annotated[str, typer.Option("--store", help="File or postgresql:// URL that keeps talks.")] = ":memory:",
    script: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--script", help="Say the lines of this file; /new begins another talk."),
    ] = None,
    semantic: SemanticOption = Semantic.off,
) -> None:
    """Talk with the agent, and see which rail fired, where, and which cards were used."""
    from carerails.cli.chat import run

    raise typer.Exit(run(engine, locale, country, drafter, rails, store, script, semantic.value))


@kb_app.command("lint")
def kb_lint(
    path: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Argument(help="Directory of cards. Default: those that are shipped."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON array on stdout.")] = False,
) -> None:
    """Check the cards: dose advice, diagnosis, reading level, questions that do not find their card."""
    from carerails.cli.kb import lint as run

    raise typer.Exit(run(path, as_json))


@posture_app.command("build")
def posture_build(
    locales: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--locale", help="en, es-419 or pt-BR; may be given several times. Default: all."),
    ] = None,
    formats: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--format", help="md or html (which prints to PDF); may be given twice. Default: both."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Directory for the documents and posture.json.")] = Path(
        "out/posture"
    ),
    since: Annotated[
        str, typer.Option("--since", help="Tag, revision or posture.json of an earlier release: lists what changed.")
    ] = "",
    rails: Rails = None,
) -> None:
    """Write what the agent never does, recognises and says, as a document for clinical reviewers."""
    from carerails.cli.posture import build as run

    raise typer.Exit(run(locales or [], formats or [], out, since, rails))


@posture_app.command("check")
def posture_check(
    readme: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--readme", help="The README that tells the points. Default: the one of the checkout."),
    ] = None,
    rails: Rails = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON array on stdout.")] = False,
) -> None:
    """Check that config, package docstring, README and rails say the same; exit 1 with the place that differs."""
    from carerails.cli.posture import check as run

    raise typer.Exit(run(rails, readme, as_json))


@screen_app.callback(invoke_without_command=True)
def screen(
    context: typer.Context,
    question: Annotated[str, typer.Option("--question", help="What the user asks, without personal data.")] = "",
    source: Annotated[str, typer.Option("--in", help="JSONL file with a text a line; - is stdin.")] = "-",
    target: Annotated[str, typer.Option("--out", help="JSONL file for what becomes of them; - is stdout.")] = "-",
    locale: Annotated[str, typer.Option("--locale", help="en, es-419 or pt-BR. Default: detected.")] = "",
    profile: Annotated[str, typer.Option("--profile", help="Whose `screening:` settings.")] = "default",
    store: Annotated[str, typer.Option("--store", help="File or postgresql:// URL to log the units in.")] = "",
    turn: Annotated[str, typer.Option("--turn", help="Name to log them under.")] = "",
    allow_failures: AllowFailures = False,
) -> None:
    """Say which units of text may go into a model's context, in input order: kept, marked, or why not."""
    if context.invoked_subcommand is None:
        from carerails.cli.screen import run

        raise typer.Exit(run(question, source, target, locale, profile, store, turn, allow_failures))


@screen_app.command("explain")
def screen_explain(
    turn: Annotated[str, typer.Argument(help="THREAD/NUMBER, or THREAD for all of its turns.")],
    store: Annotated[str, typer.Option("--store", help="Where the agent, or `screen`, logged it.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON array on stdout.")] = False,
) -> None:
    """Show what became of every unit and claim of a turn, and which rule or answer said so."""
    from carerails.cli.screen import explain as run

    raise typer.Exit(run(turn, store, as_json))


def main() -> None:
    """Run the command line; a user's mistake is one clear line, never a traceback."""
    try:
        app()
    except NotComparable as error:
        _fail(str(error), NOT_COMPARABLE)
    except UsageError as error:
        _fail(str(error), USAGE)
    except CarerailsError as error:
        _fail(str(error), ENGINE_FAILURE)
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away: nothing to say, and no traceback at exit
        sys.exit(PASS)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            _fail(_fault(error), ENGINE_FAILURE)
        _fail(f"{error.filename or 'the output'}: {error.strerror} (make room, or write elsewhere)", USAGE)
    except Exception as error:  # a fault of ours: never exit 1, which says that something got worse
        _fail(_fault(error), ENGINE_FAILURE)


def _fault(error: Exception) -> str:
    """What was raised and where; its message may quote a user's text, and is left out."""
    from traceback import extract_tb

    frame = extract_tb(error.__traceback__)[-1]
    place = f"{type(error).__name__} at {frame.filename}:{frame.lineno}"
    return f"internal error: {place}; this is a bug, please report it"


def _fail(message: str, code: int) -> None:
    typer.echo(f"carerails: {message}", err=True)
    sys.exit(code)
