"""Mistakes, one a rule and, where a rule is about a locale, one a locale; each with the place that must be named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from carerails.contracts import LOCALES

CHEST, RASH, DOSING = "red_flags/chest.co", "red_flags/rash.co", "scope/dosing.co"
TEMPLATES, WORDS, MAIN = "templates/all.co", "vocabulary/words.co", "main.co"
#: The line of a file that says it for all of it.
TOP = 1


class Seed(NamedTuple):
    """`new` in place of `old`: the finding is on the line of the `§` in it, which is taken out, else at `at`."""

    code: str
    file: str
    old: str
    new: str
    at: tuple[str, str] | None = None
    note: str = ""


#: Of each locale: the variable of its patterns in chest.co, a pattern of it, and a word with an accent or none.
PATTERNS = {
    "en": ("en", "\\\\bchest pain\\\\b", "naïve"),
    "es-419": ("es", "\\\\bdolor de pecho\\\\b", "opresión"),
    "pt-BR": ("pt", "\\\\bdor no peito\\\\b", "coração"),
}
#: What may not stand in a pattern: the code, and the pattern instead of `{}`.
REGEXES = (
    ("unbounded-gap", "{}.*now"),
    ("unbounded-gap", "{}(?: very)+ bad"),
    ("look-around", "(?<!no ){}"),
    ("look-around", "{}(?= now)"),
    ("capital", "{} NOW"),
    ("anchor", "^{}"),
    ("white-space", "{}\\\\sno"),
    ("crosses-views", "{}[^.]{{{{0,9}}}}no"),
    ("inline-flags", "(?i:{})"),
    ("open-count", "{}.{{{{,5}}}}no"),
    ("escape", "{}\\\\x41"),
    ("line-end", "{}\\\\nno"),
    ("nested-repeat", "{}(?:no.{{{{0,10}}}}){{{{0,11}}}}"),
    ("regex-comment", "{}(?#why)"),
    ("bad-regex", "{}(?:"),
    ("empty-match", "(?:{})?"),
    ("no-literal", "\\\\bir\\\\b"),
)


def _regexes() -> Iterator[Seed]:
    for locale, (_, pattern, accented) in PATTERNS.items():
        for code, form in REGEXES:
            yield Seed(code, CHEST, f'"{pattern}"', f'§"{form.format(pattern)}"', note=locale)
        yield Seed("accent", CHEST, f'"{pattern}"', f'§"\\\\b{accented}\\\\b"', note=locale)
        yield Seed("single-backslash", CHEST, f'"{pattern}"', f'§"{pattern[1:]}"', note=locale)
        yield Seed("single-brace", CHEST, f'"{pattern}"', f'§"{pattern}.{{0,9}}no"', note=locale)
        yield Seed("duplicate-pattern", CHEST, f'"{pattern}",\n', f'"{pattern}",\n    §"{pattern}",\n', note=locale)
        longer = f"{pattern} today\\\\b"
        yield Seed("shadowed-pattern", CHEST, f'"{pattern}",\n', f'"{pattern}",\n    §"{longer}",\n', note=locale)
        never = '"\\\\bxyzzy pain\\\\b"'
        yield Seed("unhit-pattern", CHEST, f'"{pattern}",\n', f'"{pattern}",\n    §{never},\n', note=locale)


def _locales() -> Iterator[Seed]:
    chest = "examples/chest.co"
    for locale, (variable, *_) in PATTERNS.items():
        others = " + ".join(f"${name}" for name, *_ in PATTERNS.values() if name != variable)
        joined = "$or.join($en + $es + $pt)"
        at = (CHEST, f"  ${variable} =")
        yield Seed("unused-variable", CHEST, joined, f"$or.join({others})", at, locale)
        rule = (RASH, "flow urgent rash")
        gone = {"en": "\\\\bnew rash\\\\b|", "es-419": "|\\\\bsarpullido nuevo\\\\b", "pt-BR": "|\\\\bmancha nova\\\\b"}
        yield Seed("silent-rule", RASH, gone[locale], "", rule, locale)
        yield Seed("few-examples", chest, f"  # {locale}\n", "  # en\n" if locale != "en" else "  # pt-BR\n",
                   (CHEST, "flow red flag"), locale)  # fmt: skip
        missed = {"en": "my knee is stiff", "es-419": "tengo la rodilla dura", "pt-BR": "joelho duro"}[locale]
        line = f'  # {locale}\n  user said "'
        yield Seed("missed-example", chest, line, f'  # {locale}\n  §user said "{missed}"\n  user said "', note=locale)
        rash = {"en": "a new rash", "es-419": "un sarpullido nuevo", "pt-BR": "uma mancha nova"}[locale]
        yield Seed("lower-outcome", chest, line, f'  # {locale}\n  §user said "{rash}"\n  user said "', note=locale)
        pain = {"en": "chest pain", "es-419": "dolor de pecho", "pt-BR": "dor no peito"}[locale]
        yield Seed("in-scope-hit", "examples/in_scope.co", line, f'  # {locale}\n  §user said "{pain}"\n  user said "',
                   note=locale)  # fmt: skip
        yield Seed("other-category", "examples/rash.co", line, f'  # {locale}\n  §user said "{pain}"\n  user said "',
                   note=locale)  # fmt: skip
        twice = {
            "en": "Chest pain since 3",
            "es-419": "dolor  de pecho desde las 3",
            "pt-BR": "DOR no peito desde as 3",
        }
        said = _example(locale)
        yield Seed("duplicate-example", chest, said, f'{said}\n  §user said "{twice[locale]}"', note=locale)
    for locale in LOCALES[1:]:
        branch = (
            f'$locale == "{locale}"\n    return "Texto'
            if locale == "es-419"
            else f'$locale == "{locale}"\n    return "Texto do'
        )
        yield Seed("missing-locale", TEMPLATES, branch, branch.replace("Texto do", "Text").replace("Texto", "Text"),
                   (TEMPLATES, "flow template emergency medical"), locale)  # fmt: skip
        yield Seed("unknown-locale", TEMPLATES, f'$locale == "{locale}"', f'§$locale == "{locale[:2]}"', note=locale)


def _example(locale: str) -> str:
    said = {"en": "chest pain since 12", "es-419": "dolor de pecho desde las 12", "pt-BR": "dor no peito desde as 12"}
    return f'  user said "{said[locale]}"'


URGENT = "flow template urgent care"
BRANCH = '  if $locale == "es-419"\n'
SEEDS: tuple[Seed, ...] = (
    *_regexes(),
    *_locales(),
    # the language
    Seed("undefined-flow", CHEST, "await pressed", "§await presed", (CHEST, "$pressed =")),
    Seed("undefined-variable", CHEST, "$or + $pressed", "$or + $presed", (CHEST, "$all =")),
    Seed("duplicate-flow", WORDS, "# Words.\n", '# Words.\n\nflow urgent rash $text -> $x\n  return []\n',
         (WORDS, "flow urgent rash")),
    Seed("no-return", RASH, '    return []\n  return find_all("\\\\bnew', '    return find_all("\\\\bnew',
         (RASH, "flow urgent rash")),
    Seed("unreachable", DOSING, "  return find_all", "  return []\n  §return find_all"),
    Seed("augmented", DOSING, "  return find_all", "  §$pt += $en\n  return find_all"),
    Seed("else-if", TEMPLATES, '  elif $locale == "pt-BR"', '  §else if $locale == "pt-BR"'),
    Seed("dollar-in-string", TEMPLATES, '"Texto emergency medical"', '§"Texto $locale"'),
    Seed("quotes", DOSING, '$or = "|"', "§$or = '|'"),
    Seed("constant", RASH, "    return []", "    §return null"),
    Seed("function", RASH, 'search("', '§serch("'),
    Seed("capture-group", RASH, "\\\\bnew rash\\\\b|", "\\\\b(new) rash\\\\b|", (RASH, "  return find_all")),
    Seed("meta-value", CHEST, 'severity="emergency"', 'severity="emergensy"', (CHEST, "flow red flag")),
    Seed("meta-key", CHEST, "priority=90", "priority=90, colour=1", (CHEST, "flow red flag")),
    Seed("meta-missing", CHEST, ", priority=90", "", (CHEST, "flow red flag")),
    Seed("duplicate-template", TEMPLATES, 'slug="urgent-care"', 'slug="emergency-medical"',
         (TEMPLATES, "flow template urgent care")),
    Seed("no-guard", "guards.co", '"rash":', '"rush":', (MAIN, "  if search($guards.rash")),
    Seed("tab", DOSING, '$or = "|"', '§$or =\t"|"'),
    Seed("recursion", WORDS, "  return", "  $x = await pressed\n  return", (WORDS, "flow pressed")),
    # flows
    Seed("unused-flow", WORDS, "# Words.\n", '# Words.\n\n§flow old words -> $x\n  return "a"\n'),
    Seed("constant-branch", RASH, 'if search("\\\\bnothing new\\\\b", $text)', '§if "a" == "b"'),
    Seed("same-branch", TEMPLATES, '  elif $locale == "pt-BR"', '  §elif $locale == "es-419"'),
    Seed("missing-docstring", CHEST, '  """Chest pain. Negation-blind by design."""\n', "", (CHEST, "flow red flag")),
    # order of checks
    Seed("rule-order", MAIN, '[["urgent rash", $terms]]', '[["red flag chest pain", $terms]]', (RASH, "flow urgent")),
    Seed("hits-nothing", RASH, "  return find_all(",
         '  if not search("rash", $text)\n    return ["x"]\n  return find_all(',
         (RASH, "flow urgent rash")),
    Seed("runs-always", RASH, "  return find_all(",
         '  if len($text) > 700\n    return []\n  return find_all(',
         (RASH, "flow urgent rash")),
    Seed("text-grows", RASH, 'nothing new\\\\b", $text)', 'nothing new\\\\b", §$text + " .")'),
    Seed("stale-guards", RASH, "\\\\bnew rash\\\\b", "\\\\bfresh rash\\\\b|\\\\bnew rash\\\\b", ("guards.co", "# Gen")),
    # templates
    Seed("unknown-number", TEMPLATES, "$numbers.emergency", "§$numbers.emergancy"),
    Seed("fixed-number", TEMPLATES, '"Texto urgent care"', '§"Llama al 911."', note="es-419"),
    Seed("fixed-number", TEMPLATES, '"Texto do urgent care"', '§"Ligue 188."', note="pt-BR"),
    Seed("fixed-number", TEMPLATES, '"Text urgent care"', '§"Call 1-800-273-8255."', note="en"),
    Seed("not-rendered", MAIN, 'elif $slug == "urgent-care"', 'elif $slug == "urgent-kare"', (MAIN, "flow render")),
    # examples
    Seed("unknown-category", "examples/rash.co", "examples of urgent rash", "examples of rush",
         ("examples/rash.co", "a new rash since 1\"")),
    Seed("example-locale", "examples/rash.co", "  # en\n", "", ("examples/rash.co", "a new rash since 1\"")),
    Seed("examples", "examples/rash.co", "  # en\n", "  # en\n  §bot say hi\n"),
    # what its author cannot have meant
    Seed("overwritten", CHEST, "  $es = [", '  §$en = ["\\\\bchest hurts\\\\b"]\n  $es = [', note="a list of patterns"),
    Seed("overwritten", DOSING, '  $or = "|"', '  §$text = "x"\n  $or = "|"', note="the text"),
    Seed("overwritten", MAIN, '$hits = $hits + [["urgent rash"', '§$hits = [["urgent rash"', note="what hit before"),
    Seed("never-in-text", DOSING, "  return find_all", '  if §"Dos" in $text\n    return []\n  return find_all',
         note="in"),
    Seed("never-in-text", DOSING, "+ $pt), $text)", '+ $pt), §$text.replace("não", ""))', note="replace"),
    Seed("fails-when-run", DOSING, "return find_all", "return search", (DOSING, "flow scope dosing"), "no list"),
    Seed("fails-when-run", DOSING, "  return find_all($or.join($en + $es + $pt), $text)",
         "  $found = find_all($or.join($en + $es + $pt), $text)\n  §return [$found[0]]", note="no element"),
    Seed("fails-when-run", DOSING, "  return find_all",
         '  $two = find_all("\\\\btake two\\\\b", $text)\n  §if $two > 1\n    return []\n  return find_all',
         note="no number"),
    Seed("fails-when-run", MAIN, "  $hits = []\n", "", (MAIN, "flow check turn"), "no list of hits"),
    Seed("hits-nothing", DOSING, "return find_all($or.join($en + $es + $pt), $text)", "return $en + $es + $pt",
         (DOSING, "flow scope dosing"), "the patterns"),
    Seed("reason-slug", DOSING, 'slug="out-of-scope-dosing"', 'slug="out-of-scope-prescription"',
         (DOSING, "flow scope dosing")),
    Seed("category-kind", DOSING, 'reason="dosing"', 'reason="rash"', (DOSING, "flow scope dosing")),
    *(Seed(code, CHEST, '"\\\\bchest pain\\\\b",\n', f'"\\\\bchest pain\\\\b",\n    §"{pattern}",\n', note=pattern)
      for code, pattern in (
          ("never-matches", "\\\\bchest\\\\bpain\\\\b"),
          ("never-matches", "\\\\bchest \\\\b(?:, |- )pain\\\\b"),
          ("double-space", "\\\\bchest  pain\\\\b"),
          ("literal-backslash", "\\\\\\\\bchest ache"),
          ("pipe-in-class", "\\\\bchest [my|his] pain\\\\b"),
          ("empty-branch", "\\\\bchest (?:|bad )pain\\\\b"),
          ("long-gap", "\\\\bchest.{{0,900}}hurts\\\\b"),
          ("no-edge", "stroke"),
      )),
    # templates that nobody should read
    Seed("empty-template", TEMPLATES, '"Texto urgent care"', '""', (TEMPLATES, URGENT), "es-419"),
    Seed("uneven-numbers", TEMPLATES, '"Texto emergency medical" + " " + $numbers.emergency',
         '"Texto emergency medical"', (TEMPLATES, "flow template emergency medical"), "es-419"),
    Seed("glued", TEMPLATES, '"Texto do emergency medical" + " "', '"Texto do emergency medical"',
         (TEMPLATES, "flow template emergency medical"), "pt-BR"),
    Seed("glued", TEMPLATES, '"Texto urgent care"', '"Hoy no.Llama ya"', (TEMPLATES, URGENT), "es-419"),
    *(Seed("placeholder", TEMPLATES, '"Texto urgent care"', f'§"Llama al {blank}."', note=blank)
      for blank in ("[numero]", "%s", "XXX", "<numero>")),
    Seed("wrong-locale", TEMPLATES, '"Texto urgent care"', '"This can not wait: call the doctor today."',
         (TEMPLATES, URGENT), "es-419"),
    Seed("unknown-number", TEMPLATES, "$numbers.emergency", '§$numbers["emergancy"]', note="by index"),
    # examples that are none
    Seed("unknown-locale", "examples/chest.co", "  # es-419", "  §# es", note="a comment"),
    Seed("unknown-locale", "examples/chest.co", "  # pt-BR", "  §# Português", note="a comment in words"),
    Seed("empty-example", "examples/chest.co", "pain in my chest", "§..."),
    Seed("placeholder", "examples/chest.co", "pain in my chest", "§pain in my chest [name]", note="example"),
    Seed("identifier", "examples/chest.co", "pain in my chest", "§pain in my chest, call 555 123 4567"),
    Seed("wrong-locale", "examples/chest.co", "pain in my chest", "§me duele el pecho y no lo puedo decir", note="en"),
    Seed("wrong-locale", "examples/chest.co", "me duele el pecho", "§what can you do for my chest pain", note="es-419"),
    # what is begun
    Seed("unwritten", CHEST, '"""Chest pain.', '§"""TO DO: Chest pain.'),
    Seed("unwritten", "examples/chest.co", "peito doendo", "§escreva aqui o que as pessoas dizem em portugues"),
    # allowances
    Seed("suppression", WORDS, "flow pressed", "§# lint: allow unused-flow\nflow pressed", note="no reason"),
    Seed("suppression", WORDS, "flow pressed", "§# lint: allow unused-flaw: why\nflow pressed", note="no such rule"),
    Seed("suppression", WORDS, "flow pressed", "§# lint: off\nflow pressed", note="no such word"),
    Seed("unused-suppression", WORDS, "flow pressed", "§# lint: allow unused-flow: why\nflow pressed"),
)  # fmt: skip
