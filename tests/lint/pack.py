"""A small policy without a finding, in three locales, and how to write it with one thing changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from carerails.colang.rules import SLUGS
from carerails.guards import render
from carerails.policy import Policy

CHEST = '''# Chest pain.

@meta(kind="red-flag", category="chest-pain", severity="emergency", priority=90)
flow red flag chest pain $text -> $terms
  """Chest pain. Negation-blind by design."""
  $or = "|"
  $pressed = await pressed
  $en = ["\\\\bchest pain\\\\b",
    "\\\\bpain in (?:my|the) chest\\\\b"]
  $es = ["\\\\bdolor de pecho\\\\b",
    "\\\\bme duele el pecho\\\\b"]
  $pt = ["\\\\bdor no peito\\\\b",
    "\\\\bpeito doendo\\\\b"]
  $all = $or.join($en + $es + $pt) + $or + $pressed
  return find_all($all, $text)
'''
RASH = '''# A new rash.

@meta(kind="red-flag", category="rash", severity="urgent", priority=30)
flow urgent rash $text -> $terms
  """A rash, in any of three languages."""
  if search("\\\\bnothing new\\\\b", $text)
    return []
  return find_all("\\\\bnew rash\\\\b|\\\\bsarpullido nuevo\\\\b|\\\\bmancha nova\\\\b", $text)
'''
DOSING = '''# How much to take.

@meta(kind="scope", reason="dosing", slug="out-of-scope-dosing", priority=50)
flow scope dosing $text -> $terms
  """Asks for an amount."""
  $or = "|"
  $en = ["\\\\bcan i take two\\\\b"]
  $es = ["\\\\bpuedo tomar dos\\\\b"]
  $pt = ["\\\\bposso tomar dois\\\\b"]
  return find_all($or.join($en + $es + $pt), $text)
'''
WORDS = '''# Words.

flow pressed -> $pattern
  """Something presses on the chest, in three languages."""
  return "\\\\b(?:chest pressure|opresion en el pecho|aperto no peito)\\\\b"
'''
MAIN = '''# The order of checks.

flow main
  $guards = await guards
  when CheckTurn() as $event
    $hits = await check turn $event.text $guards
    send TurnChecked(hits=$hits)
  or when RenderTemplate() as $event
    $text = await render template $event.slug $event.locale $event.numbers
    send TemplateRendered(text=$text)

flow check turn $text $guards -> $hits
  """Every rule."""
  $hits = []
  if search($guards.chest, $text)
    $terms = await red flag chest pain $text
    $hits = $hits + [["red flag chest pain", $terms]]
  if search($guards.rash, $text)
    $terms = await urgent rash $text
    $hits = $hits + [["urgent rash", $terms]]
  if search($guards.dosing, $text)
    $terms = await scope dosing $text
    $hits = $hits + [["scope dosing", $terms]]
  return $hits

'''
SAID = {
    "en": ("chest pain since {}", "a new rash since {}", "can i take two at {}", "when do i take it, {}"),
    "es-419": ("dolor de pecho desde las {}", "un sarpullido nuevo, {}", "puedo tomar dos a las {}", "a qué hora, {}"),
    "pt-BR": ("dor no peito desde as {}", "uma mancha nova, {}", "posso tomar dois às {}", "que horas eu tomo, {}"),
}
#: One more of each locale for each arm that those do not hit.
MORE = {
    "en": ("pain in my chest", "chest pressure"),
    "es-419": ("me duele el pecho", "opresión en el pecho"),
    "pt-BR": ("peito doendo", "aperto no peito"),
}
HEADINGS = ("chest pain", "urgent rash", "scope dosing", "in scope")


def examples(number: int, count: int = 12) -> str:
    """A file of examples under one heading."""
    lines = [f"# What people say: {HEADINGS[number]}.", f"flow examples of {HEADINGS[number]}"]
    for locale, said in SAID.items():
        every = [said[number].format(hour) for hour in range(1, count + 1)]
        every += MORE[locale] if number == 0 else ()
        lines += [f"  # {locale}", *(f'  user said "{text}"' for text in every)]
    return "\n".join(lines) + "\n"


def _template(slug: str) -> str:
    name = slug.replace("-", " ")
    shown = ' + " " + $numbers.emergency + "."' if slug == "emergency-medical" else ""
    return (
        f'@meta(kind="template", slug="{slug}")\nflow template {name} $locale $numbers -> $text\n'
        f'  """For {name}."""\n'
        f'  if $locale == "es-419"\n    return "Texto {name}"{shown}\n'
        f'  elif $locale == "pt-BR"\n    return "Texto do {name}"{shown}\n'
        f'  return "Text {name}"{shown}\n'
    )


TEMPLATES = "# Texts.\n\n" + "\n".join(map(_template, SLUGS))
RENDER = (
    'flow render template $slug $locale $numbers -> $text\n  """By slug."""\n'
    + "".join(
        f'  {"elif" if number else "if"} $slug == "{slug}"\n'
        f"    $text = await template {slug.replace('-', ' ')} $locale $numbers\n"
        for number, slug in enumerate(SLUGS)
    )
    + "  return $text\n"
)
FILES: dict[str, str] = {
    "red_flags/chest.co": CHEST,
    "red_flags/rash.co": RASH,
    "scope/dosing.co": DOSING,
    "vocabulary/words.co": WORDS,
    "templates/all.co": TEMPLATES,
    "main.co": MAIN + RENDER,
    "examples/chest.co": examples(0),
    "examples/rash.co": examples(1),
    "examples/dosing.co": examples(2),
    "examples/in_scope.co": examples(3),
}


def write(directory: Path, changes: Mapping[str, str] | None = None) -> Path:
    """The policy as files, with guards of its patterns, then with some files changed."""
    for name, text in {**FILES, "guards.co": "flow guards -> $guards\n  return {}\n"}.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (directory / "guards.co").write_text(render(Policy.load(directory, check=False)), encoding="utf-8")
    for name, text in (changes or {}).items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return directory
