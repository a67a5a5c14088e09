"""Four small projects as people write them: what becomes a rule, an example or a text, and what stays and why."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from nemoguardrails.colang import parse_colang_file

from carerails.contracts import LOCALES
from carerails.errors import UsageError
from carerails.importing import Outcome, import_project
from carerails.lint import at_least, lint
from carerails.policy import Policy
from tests.cli.test_command_line import carerails

PROJECTS = Path(__file__).parent / "projects"
NAMES = ("pharmacy1", "clinica1", "reminders2", "lembretes2")
Imported = dict[str, tuple[Path, Outcome]]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    home = tmp_path_factory.mktemp("imported")
    return {name: (home / name, import_project(PROJECTS / name, home / name)) for name in NAMES}


#: project, rule, refusal, and what its patterns are.
def between(*parts: str | int) -> str:
    """Words in their order; the numbers are the characters between them in the text, which twelve more may join."""
    return "".join(rf"[^.!?\n]{{1,{part + 12}}}" if isinstance(part, int) else rf"\b{part}\b" for part in parts)


RULES = [
    (
        "pharmacy1",
        "scope check staff terms",
        "default",
        r"\bwhere does (?:ana|bruno) live\b|\b(?:ana|bruno)'s (?:phone|number)\b",
    ),
    (
        "pharmacy1",
        "scope regex check input",
        "default",
        r"\bignore (?:all|any) (?:previous|prior) instructions\b|\b\d{3}-\d{2}-\d{4}\b|systeme.{0,40}prompt",
    ),
    (
        "pharmacy1",
        "scope ask about doses",
        "out-of-scope-dosing",
        between("take", 1, "two", 1, "tablets", 1, "instead", 4, "one")
        + "|"
        + between("double", 4, "dose", 1, "tonight")
        + "|"
        + between("half", 3, "pill", 2, "enough"),
    ),
    ("pharmacy1", "scope ask about politics", "out-of-domain", r"\bwho should i vote for\b"),
    (
        "clinica1",
        "scope pide diagnostico",
        "out-of-scope-diagnosis",
        between("sera", 5, "tengo", 1, "dengue") + "|" + between("decime", 5, "enfermedad", 4, "esto"),
    ),
    ("clinica1", "scope palabras prohibidas", "default", "remate de pastillas"),
    ("reminders2", "scope check selling", "default", "selling pills|cheap oxy|rx no script"),
    ("reminders2", "scope check caps", "default", r"buy \w{1,40} online"),
    (
        "reminders2",
        "scope asked about weather",
        "out-of-domain",
        r"\bwill it rain tomorrow\b|\bhow hot is it outside\b|weather (?:forecast|report)",
    ),
    ("reminders2", "scope dose change", "out-of-scope-dosing", between("skip", 4, "dose", 1, "today")),
    ("lembretes2", "scope verifica lista", "default", "pix premiado|clique no link"),
    (
        "lembretes2",
        "scope pede receita",
        "out-of-scope-prescription",
        between("passa", 5, "receita", 4, "antibiotico") + r"|\bvoce pode renovar minha receita\b",
    ),
]


@pytest.mark.parametrize("project", NAMES)
def test_its_rules(imported: Imported, project: str):
    policy = Policy.load(imported[project][0])
    expected = {name: (slug, regex) for home, name, slug, regex in RULES if home == project}
    found = {name: (rule.meta.slug, "|".join(p.regex for p in rule.patterns)) for name, rule in policy.rules.items()}
    assert found == expected
    assert {rule.meta.outcome for rule in policy.rules.values()} == {"refuse"}


EXAMPLES = [
    ("pharmacy1", "ask-about-doses", "en", 'is half a pill "enough"?'),
    ("pharmacy1", "in-scope", "en", "are you open late today?"),
    ("clinica1", "pide-diagnostico", "es-419", "¿será que tengo dengue?"),
    ("clinica1", "in-scope", "es-419", "buenas tardes"),
    ("reminders2", "asked-about-weather", "en", "how hot is it outside?"),
    ("reminders2", "dose-change", "en", "can I skip my dose today"),
    ("reminders2", "in-scope", "en", "hello there"),
    ("lembretes2", "pede-receita", "pt-BR", "você pode renovar minha receita?"),
]


@pytest.mark.parametrize(("project", "category", "locale", "text"), EXAMPLES)
def test_its_examples(imported: Imported, project: str, category: str, locale: str, text: str):
    examples = Policy.load(imported[project][0]).examples
    assert (category, locale, text) in {(each.category, each.locale, each.text) for each in examples}


TEXTS = [
    (
        "pharmacy1",
        "out-of-scope-dosing",
        "en",
        "I can't tell you how much to take. Please call the pharmacist on duty.",
    ),
    ("pharmacy1", "default", "en", "Sorry, that is not something I can help with."),
    ("clinica1", "out-of-scope-diagnosis", "es-419", "No puedo decirte qué tienes; para eso hace falta una consulta."),
    ("reminders2", "out-of-domain", "en", "I only know about reminders, not about the weather."),
    ("lembretes2", "default", "pt-BR", "Desculpe, disso eu não posso tratar."),
]


@pytest.mark.parametrize(("project", "slug", "locale", "text"), TEXTS)
def test_its_texts_stand_in_for_ours_in_their_locale_only(
    imported: Imported, project: str, slug: str, locale: str, text: str
):
    ours, theirs = Policy.load(Path(__file__).parents[2] / "rails"), Policy.load(imported[project][0])
    numbers = {"emergency": "112", "crisis": "a $line {of} help"}
    for each in LOCALES:
        expected = text if each == locale else ours.render(slug, each, numbers)
        assert theirs.render(slug, each, numbers) == expected
    assert theirs.templates.keys() == ours.templates.keys()


LEFT = [
    ("pharmacy1", "actions.py", 41, "more than search"),
    ("pharmacy1", "config.yml", 1, "models"),
    ("pharmacy1", "config.yml", 15, "asks a model"),
    ("pharmacy1", "config.yml", 18, "misspelt"),
    ("pharmacy1", "config.yml", 21, "what the bot says"),
    ("pharmacy1", "config.yml", 30, "look-around"),
    ("pharmacy1", "config.yml", 33, "what the bot says"),
    ("pharmacy1", "config.yml", 35, "did you mean 'flows'?"),
    ("pharmacy1", "prompts.yml", 1, "asks a model"),
    ("pharmacy1", "rails/checks.co", 10, "stops where nothing matches"),
    ("pharmacy1", "rails/talk.co", 22, "fills in a value"),
    ("pharmacy1", "rails/talk.co", 28, "says one"),
    ("pharmacy1", "rails/checks.co", 22, "refuses nothing"),
    ("pharmacy1", "rails/talk.co", 54, "defined nowhere"),
    ("clinica1", "flujos.co", 21, "defined nowhere"),
    ("clinica1", "flujos.co", 29, "what the bot says"),
    ("clinica1", "flujos.co", 34, "outside any definition"),
    ("reminders2", "main.co", 12, "asks a model"),
    ("reminders2", "checks.co", 15, "no rule"),
    ("lembretes2", "config.yml", 6, "own_identifiers"),
    ("lembretes2", "config.yml", 9, "what was retrieved"),
    ("lembretes2", "actions/lista.py", 19, "while texto:"),
]


@pytest.mark.parametrize(("project", "file", "line", "why"), LEFT)
def test_what_stays_behind_is_told_with_its_place_and_reason(
    imported: Imported, project: str, file: str, line: int, why: str
):
    assert any((each.file, each.line) == (file, line) and why in str(each) for each in imported[project][1].left)


@pytest.mark.parametrize("project", NAMES)
def test_nothing_of_the_project_is_passed_over(imported: Imported, project: str):
    """Every definition of its Colang, and every action, is either among what was made or among what was left."""
    outcome = imported[project][1]
    told = " ".join(map(str, (*outcome.made, *outcome.left)))
    for path in (PROJECTS / project).rglob("*.co"):
        for name in re.findall(r"^(?:define )?(?:user|bot|flow user|flow bot) (\S.*)$", path.read_text("utf-8"), re.M):
            plain = name.replace("diagnóstico", "diagnostico")
            assert name in told or plain in told or any(name in each.name for each in outcome.made), (path, name)
    for path in (PROJECTS / project).rglob("*.py"):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            action = re.match(r"(?:async )?def (\w+)", line)
            left = any(each.file == path.relative_to(PROJECTS / project).as_posix() for each in outcome.left)
            assert not action or left or "rule" in {each.kind for each in outcome.made}, number


@pytest.mark.parametrize("project", NAMES)
def test_the_linter_wants_nothing_but_examples_and_accepts_the_folder_with_them(imported: Imported, project: str):
    target, outcome = imported[project]
    wanted = at_least(lint(target), "warning")
    assert {finding.code for finding in wanted} - {"uneven-numbers"} == {"few-examples"}
    told = {(each.file, each.line, each.what) for each in outcome.fill}
    assert told >= {(finding.file, finding.line, finding.message) for finding in wanted}
    for rule in Policy.load(target).rules.values():
        # What the author would write: here the rule's first pattern, made into words.
        words = re.sub(r"\\b|\(\?:(\w+)\|[^)]*\)", r"\1", rule.patterns[0].regex)
        said = re.sub(r"\.\{0,40\}|\[\^\.!\?\\n\]\{1,\d+\}", " ", words.replace(r"\w{1,40}", "vitamins")).replace(
            '"', ""
        )
        rows = [
            f'  # {locale}\n  user said "{said}, {locale} {number}"\n' for locale in LOCALES for number in range(12)
        ]
        path = target / "examples" / f"more-{rule.meta.category}.co"
        path.write_text(f"flow examples of {rule.meta.category}\n" + "".join(rows), encoding="utf-8")
    try:
        left = at_least(lint(target), "warning")
        assert [str(finding) for finding in left if finding.code != "uneven-numbers"] == []
    finally:
        for path in target.glob("examples/more-*.co"):
            path.unlink()


@pytest.mark.parametrize("project", NAMES)
def test_nemo_reads_the_folder_too(imported: Imported, project: str):
    target, _ = imported[project]
    for path in target.rglob("*.co"):
        if "examples" not in path.parts:
            assert parse_colang_file(path.name, path.read_text(encoding="utf-8"), version="2.x")["flows"]


@pytest.mark.parametrize("project", ["reminders2", "lembretes2"])
def test_it_decides_as_the_original_would(imported: Imported, project: str):
    policy = Policy.load(imported[project][0])
    hits = {
        "reminders2": ["i am selling pills", "the weather report please", "can i skip my dose today?"],
        "lembretes2": ["ganhe um pix premiado", "clique no link agora", "voce pode renovar minha receita?"],
    }
    assert all(policy.check(text) for text in hits[project])
    assert not policy.check("hello there")


def test_a_locale_that_is_said_is_not_guessed(tmp_path: Path):
    outcome = import_project(PROJECTS / "reminders2", tmp_path / "rails", "pt-BR")
    assert {e.locale for e in Policy.load(tmp_path / "rails").examples} == {"pt-BR"}
    assert not any("guessed" in str(each) for each in (*outcome.made, *outcome.fill))


def test_a_guess_is_for_the_author_to_confirm(imported: Imported):
    told = [each.what for each in imported["clinica1"][1].fill if "guessed" in each.what]
    assert told == ["the locale of what people say is guessed: forms in es-419 2"]


def test_nothing_is_overwritten(tmp_path: Path):
    (tmp_path / "mine.co").write_text("flow mine\n", encoding="utf-8")
    with pytest.raises(UsageError, match="nothing is overwritten"):
        import_project(PROJECTS / "reminders2", tmp_path)
    with pytest.raises(UsageError, match="nothing is overwritten"):
        import_project(PROJECTS / "reminders2", tmp_path / "mine.co")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.co"]


def test_the_command(tmp_path: Path):
    done = carerails("rails", "import", PROJECTS / "lembretes2", "--out", tmp_path / "rails", "--json")
    assert done.returncode == 0
    record = json.loads(done.stdout)
    assert {row["kind"] for row in record["made"]} == {"rule", "examples", "template"}
    assert {"file", "line", "what", "why"} == record["left"][0].keys()
    assert {"file", "line", "what", "mend"} == record["fill"][0].keys()
    assert carerails("rails", "import", PROJECTS / "lembretes2", "--out", tmp_path / "rails").returncode == 2
    assert carerails("rails", "import", tmp_path / "nowhere", "--out", tmp_path / "a").returncode == 2
    assert carerails("rails", "import", PROJECTS, "--out", tmp_path / "a", "--locale", "fr").returncode == 2
    assert not (tmp_path / "a").exists()
    text = carerails("rails", "import", PROJECTS / "lembretes2", "--out", tmp_path / "b").stdout
    assert text.index("Made in") < text.index("For you to decide") < text.index("Left behind")


ANSWERED = """\
define user ask doses
  "should I double my dose tonight"

define user tell doses
  "I did double the evening dose tonight, thanks"

define bot refuse to respond
  "I can't help with that."

define flow
  user ask doses
  bot refuse to respond

define flow
  user tell doses
  bot thank
"""


def test_what_the_project_answers_is_no_part_of_a_rule(tmp_path: Path):
    project, target = tmp_path / "bot", tmp_path / "rails"
    project.mkdir()
    (project / "config.yml").write_text("models: []\n", encoding="utf-8")
    (project / "rails.co").write_text(ANSWERED, encoding="utf-8")
    import_project(project, target)
    (rule,) = Policy.load(target).rules.values()
    assert [pattern.regex for pattern in rule.patterns] == [r"\bshould i double my dose tonight\b"]
