"""A small policy to try things on: two rules, a template, an order of checks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

CHEST = """# Chest pain.

@meta(kind="red-flag", category="chest-pain", severity="emergency", priority=90)
flow red flag chest pain $text -> $terms
  \"\"\"Chest pain. Negation-blind by design.\"\"\"
  $or = "|"
  $have = await vocabulary having
  $en = ["\\\\bchest pain\\\\b",
    "\\\\btight chest\\\\b"]
  $framed = $have + " pressure"
  $all = $or.join($en) + $or + $framed
  return find_all($all, $text)
"""
WORDS = """flow vocabulary having -> $frame
  return "\\\\b(?:i have|tengo)"
"""
IDIOM = """@meta(kind="red-flag", category="despair", severity="crisis", priority=50)
flow red flag despair $text -> $terms
  \"\"\"Wants to die, unless of laughter.\"\"\"
  $rest = $text.replace("die of laughter", "_")
  if search("\\\\bwant to\\\\b", $rest)
    return find_all("\\\\bwant to die\\\\b|\\\\bno way out\\\\b", $rest)
  return []
"""
TEMPLATES = """@meta(kind="template", slug="emergency-medical")
flow template emergency $locale $numbers -> $text
  if $locale == "es-419"
    return "Llama al " + $numbers.emergency
  return "Call " + $numbers.emergency
"""
MAIN = """flow main
  $guards = await guards
  match CheckTurn() as $event
  $hits = await check turn $event.text $guards
  send TurnChecked(hits=$hits)

flow check turn $text $guards -> $hits
  $hits = []
  if search($guards.acute, $text)
    if search($guards.chest, $text)
      $terms = await red flag chest pain $text
      $hits = $hits + [["red flag chest pain", $terms]]
  if search($guards.despair, $text)
    $terms = await red flag despair $text
    $hits = $hits + [["red flag despair", $terms]]
  return $hits
"""
GUARDS = """flow guards
  return {"acute": "chest|pressure", "chest": "chest|pressure", "despair": "want to|no way out"}
"""
EXAMPLES = """flow examples of chest pain
  # en
  user said "My chest hurts"
    or user said "it's \\"tight\\" {here} $5"
  # es-419
  user said "Me duele el pecho"
"""
FILES = {
    "red_flags/chest.co": CHEST,
    "red_flags/despair.co": IDIOM,
    "vocabulary/words.co": WORDS,
    "templates/all.co": TEMPLATES,
    "main.co": MAIN,
    "guards.co": GUARDS,
    "examples/chest.co": EXAMPLES,
}


def write(directory: Path, changes: Mapping[str, str | None] | None = None) -> Path:
    """The policy as files, some of them changed, or left out (None)."""
    for name, text in {**FILES, **(changes or {})}.items():
        if text is not None:
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return directory
