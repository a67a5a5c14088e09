"""Writes a folder of rails: a file a rule, examples, our texts with what the project says in place, the order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from carerails.colang.rules import ESCALATIONS, FOOTER, IN_SCOPE
from carerails.contracts import LOCALES, Locale
from carerails.errors import CarerailsError, ToMend, UsageError
from carerails.importing.found import Made
from carerails.importing.plan import RED, Draft, Plan, folded
from carerails.policy import Policy
from carerails.resources import data_dir
from carerails.text import detect_locale

PRIORITY = 50
#: Fewer words say too little of their language.
_ENOUGH_WORDS = 3
_NUMBERS = {"emergency": "\x00emergency\x00", "crisis": "\x00crisis\x00"}
#: Words that a name of a flow may not hold.
_TAKEN = {"and", "or", "as", "not", "if", "in", "is", "when", "else", "flow", "await", "match", "send", "start"}
#: Names of files that mean something: examples of what is in scope, and the head of a policy.
_OURS = ("in scope", "main")


def free(target: Path) -> None:
    """Nothing is ever overwritten.

    Raises:
        UsageError: there is something at the target.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError("exists already, and nothing is overwritten", "name a new directory with --out", str(target))


def write(plan: Plan, target: Path, locale: Locale | None) -> tuple[list[Made], list[ToMend]]:
    """Write everything; what was made, and what the author has to decide."""
    made: list[Made] = []
    fill: list[ToMend] = []
    names = _names(plan)
    guess = _Guess(locale, plan.language())
    try:
        for draft in plan.drafts.values():
            _rule(draft, names[draft.name], target, made, fill)
            _examples(draft, names[draft.name], target, guess, made)
        _in_scope(plan, target, guess, made)
        _texts(plan, target, guess, made)
        _put(target / "main.co", _main([f"scope {name}" for name in names.values()]))
        _guards(target)
    except OSError as error:
        raise UsageError(error.strerror or "cannot be written", "name another --out", str(target)) from None
    return made, [*_guessed(plan, guess), *fill, *_findings(target)]


def _names(plan: Plan) -> dict[str, str]:
    """A flow's name for each rule, each once."""
    names: dict[str, str] = {}
    for name in plan.drafts:
        words = _words(name)
        number = 2
        while words in names.values() or words in _OURS:
            words = f"{_words(name)}{number}"
            number += 1
        names[name] = words
    return names


def _words(name: str) -> str:
    words = [word for word in re.findall(r"[a-z]+|\d+", folded(name)) if word not in _TAKEN]
    return re.sub(r" (?=\d)", "", " ".join(words))[:60].lstrip("0123456789 ").strip() or "imported"


def _rule(draft: Draft, name: str, target: Path, made: list[Made], fill: list[ToMend]) -> None:
    rows = ",\n    ".join(f'"{_quoted(regex)}"' for regex, _ in draft.patterns)
    sources = dict.fromkeys(str(place) for _, place in draft.patterns)
    unlike = f" Unlike the original: {'; '.join(draft.notes)}." if draft.notes else ""
    loose = sum(regex in draft.exact for regex, _ in draft.patterns)
    between = " Others may stand between those that tell something." if loose else ""
    what = f"The words of its examples, in their order.{between}" if draft.texts else "What the original looks for."
    text = f'''# Imported from {", ".join(list(sources)[:3])}{" and more" if len(sources) > 3 else ""}.

@meta(kind="scope", reason="{_kebab(name)}", slug="{draft.slug}", priority={PRIORITY})
flow scope {name} $text -> $terms
  """{what}{unlike}"""
  $or = "|"
  $all = [{rows}]
  return find_all($or.join($all), $text)
'''
    file = f"rules/{_kebab(name)}.co"
    _put(target / file, text)
    unlisted = ("no input rail names the flow",) if draft.unlisted else ()
    counted = f"patterns: {len(draft.patterns)}" + (f", {loose} of them with words between" if loose else "")
    note = "; ".join((counted, f"template {draft.slug}", *unlisted, *draft.notes))
    made.append(Made("rule", f"scope {name}", str(draft.source), file, note))
    line = text[: text.index("@meta")].count("\n") + 1
    if RED.search(folded(draft.name)):
        what = f"scope {name} refuses, and its name sounds like a red flag"
        mend = 'decide: if it is one, kind="red-flag" with category and severity, called `red flag ...`'
        fill.append(ToMend(file, line, what, mend))
    elif draft.slug == "default":
        fill.append(
            ToMend(file, line, f"scope {name} refuses with the general text", "choose slug, or a red flag's severity")
        )


@dataclass(frozen=True, slots=True)
class _Guess:
    """The locale of texts: as the user of the command says, else as they read; `likely`, where they are too short."""

    said: Locale | None
    likely: Locale

    def of(self, texts: Iterable[str]) -> Locale:
        words = "\n".join(texts)
        return self.said or (detect_locale(words) if len(words.split()) >= _ENOUGH_WORDS else self.likely)

    def note(self, texts: Sequence[str]) -> str:
        return f"{len(texts)} in {self.of(texts)}" + ("" if self.said else ", guessed")


def _guessed(plan: Plan, guess: _Guess) -> Iterator[ToMend]:
    """One line on all locales that nobody said."""
    forms = [*(draft.texts for draft in plan.drafts.values()), *(texts for _, texts in plan.in_scope.values())]
    counts = Counter(guess.of(texts) for texts in forms if texts)
    if counts and not guess.said:
        told = ", ".join(f"{locale} {counts[locale]}" for locale in LOCALES if counts[locale])
        mend = "move what is wrong under another `# locale` comment, or import again with --locale"
        yield ToMend("examples", 1, f"the locale of what people say is guessed: forms in {told}", mend)


def _examples(draft: Draft, name: str, target: Path, guess: _Guess, made: list[Made]) -> None:
    if draft.texts:
        file = f"examples/{_kebab(name)}.co"
        _put(target / file, f"flow examples of {name}\n" + _said({guess.of(draft.texts): draft.texts}))
        made.append(Made("examples", name, str(draft.source), file, guess.note(draft.texts)))


def _in_scope(plan: Plan, target: Path, guess: _Guess, made: list[Made]) -> None:
    file = "examples/in_scope.co"
    texts: dict[Locale, list[str]] = {}
    for name, (place, form) in plan.in_scope.items():
        texts.setdefault(guess.of(form), []).extend(form)
        made.append(Made("examples", f"in scope: {name}", str(place), file, guess.note(form)))
    if texts:
        _put(target / file, f"flow examples of {IN_SCOPE.replace('-', ' ')}\n" + _said(texts))


def _said(texts: Mapping[Locale, Sequence[str]]) -> str:
    """Examples, by locale, each once."""
    parts: list[str] = []
    for locale in LOCALES:
        clean = dict.fromkeys(map(_one_line, texts.get(locale, ())))
        rows = [text.replace("\\", "\\\\").replace('"', '\\"') for text in clean if text]
        if rows:
            first, *rest = (f'user said "{row}"' for row in rows)
            parts += [f"  # {locale}", f"  {first}", *(f"    or {row}" for row in rest)]
    return "\n".join(parts) + "\n"


def _texts(plan: Plan, target: Path, guess: _Guess, made: list[Made]) -> None:
    """Every text that rails need: ours, and in place of them what the project says."""
    ours = Policy.load(data_dir("rails"))
    files = {"templates/escalations.co": [*ESCALATIONS, FOOTER], "templates/refusals.co": []}
    files["templates/refusals.co"] = [slug for slug in ours.templates if slug not in files["templates/escalations.co"]]
    for file, slugs in files.items():
        flows: list[str] = []
        for slug in slugs:
            texts: dict[Locale, str] = {each: ours.render(slug, each, _NUMBERS) for each in LOCALES}
            theirs = next((message for key, message in plan.texts.items() if key == slug), None)
            if theirs:
                own = guess.of(theirs.texts[:1])
                texts[own] = _one_line(theirs.texts[0]).rstrip("\\ ")  # which no string of Colang may end in
                made.append(
                    Made(
                        "template", slug, str(theirs.place), file, f"{theirs.name}, in {own}; ours in the other locales"
                    )
                )
            flows.append(_template(ours.templates[slug].flow, slug, texts))
        head = "# What the user reads. Texts that the imported project did not have are those of carerails.\n\n"
        _put(target / file, head + "\n".join(flows))


def _template(flow: str, slug: str, texts: Mapping[Locale, str]) -> str:
    return f'''@meta(kind="template", slug="{slug}")
flow {flow} $locale $numbers -> $text
  """The text of {slug}."""
  if $locale == "es-419"
    return {_value(texts["es-419"])}
  elif $locale == "pt-BR"
    return {_value(texts["pt-BR"])}
  else
    return {_value(texts["en"])}
'''


def _value(text: str) -> str:
    """A text as an expression, with numbers where they go."""
    parts = [
        f"$numbers.{part}" if number % 2 else f'"{_quoted(part)}"' for number, part in enumerate(text.split("\x00"))
    ]
    return " + ".join(part for part in parts if part != '""') or '""'


def _quoted(text: str) -> str:
    """Inside a string of Colang 2."""
    for raw, written in (("\\", "\\\\"), ('"', '\\"'), ("{", "{{"), ("}", "}}"), ("\n", " ")):
        text = text.replace(raw, written)
    return re.sub(r"\$(?=\w)", '$" + "', text)


def _main(rules: list[str]) -> str:
    """The order of checks, between the shipped `main` and `render template`."""
    shipped = (data_dir("rails") / "main.co").read_text(encoding="utf-8")
    flows = dict(_flows(shipped))
    steps = "".join(
        f"""  if search($guards.{rule.replace(" ", "_")}, $text)
    $terms = await {rule} $text
    $hits = $hits + [["{rule}", $terms]]
"""
        for rule in rules
    )
    check = f'''flow check turn $text $guards -> $hits
  """Every rule on `$text`, the normalised views, one a line. `$hits`: of each rule asked, its name and its terms."""
  $hits = []
{steps}  return $hits
'''
    head = "# Orchestration: an event in, every check in one fixed order, one decision event out.\n"
    return "\n".join((head, flows["main"], check, flows["render template"]))


def _flows(text: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^(?=flow )", text, flags=re.MULTILINE)[1:]:
        yield re.split(r" \$|\n", part.removeprefix("flow "), maxsplit=1)[0], part.rstrip("\n") + "\n"


def _guards(target: Path) -> None:
    from carerails.guards import write as write_guards

    write_guards(Policy.load(target, check=False), target / "guards.co")


def _findings(target: Path) -> list[ToMend]:
    """What the linter still misses."""
    from carerails.lint import at_least, lint

    try:
        findings = at_least(lint(target), "warning")
    except CarerailsError as error:
        return [ToMend(target.name, 1, str(error), "mend it by hand, or report it")]
    return [ToMend(each.file, each.line, each.message, each.mend) for each in findings]


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _one_line(text: str) -> str:
    """On one line, without signs that print nothing."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _kebab(words: str) -> str:
    return words.replace(" ", "-")
