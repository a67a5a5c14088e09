"""A program with everything of the subset in it, and random damage."""

from __future__ import annotations

import random

PROGRAM = '''# A header. It's about {things} and $more.
# Second line.

@meta(kind="red-flag", category="cardiac-chest-pain", severity="emergency", priority=90)
flow sums it up $text -> $terms
  """Chest pain. "Quoted" isn't {x}.
  Second line."""
  # a comment
  $or = "|"  # trailing
  $en = ["\\\\bchest (?:pain|pressure)\\\\b",
    "\\\\btight chest\\\\b",

    "don't"]
  $es = [
    "\\\\bdolor\\\\b"
  ]
  $all = $en + $es
  if search("x{{1,3}}", $text)
    and not search("y", $text)
    # inside
    $n = int("4") * 2 - 1
    return [$all, [$n], "a"]
  elif $text == "es-419" or $text in $all
    return []
  else
    $y = await vocabulary of words $text $or
    if len($y) > 3
      return $y
  return find_all($or.join($all), $text)

flow vocabulary of words $text $or -> $x
  $d = {"a": $text == "dolor",
    "b c": [1, 2]}
  $text = $text.replace("a", "b")
  if $d.a
    return $or + $text[0]
  return $text + $or
# tail
'''
ARGUMENTS = ["xx", "dolor", "es-419", "a", "tight chest pain, don't"]
_WORDS = [
    *"#()[]{}\"'$\\,.:+-=@x1é",
    *("->", "pass", "$text", "$x"),
    *("and ", "or ", "not ", "if ", "in ", "is ", "as ", "await ", "return ", "flow ", "elif ", "else\n", "or when "),
    *(" ", "  ", "\t", "\n", "\n  ", "\n    ", "\n\n", "\n# c", "\n  # c\n", "\n    # c\n", '"""'),
]


def mutated(text: str, rng: random.Random) -> str:
    """The text after one to three edits of a word or a line."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        text = _line(text, rng) if rng.random() < 0.2 else _letters(text, rng)
    return text


def _letters(text: str, rng: random.Random) -> str:
    place = rng.randrange(len(text))
    if rng.random() < 0.6:
        return text[:place] + rng.choice(_WORDS) + text[place:]
    return text[:place] + text[place + rng.choice([1, 1, 2, 5, 12]) :]


def _line(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    place = rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            lines.insert(place, rng.choice(lines))
        case 1:
            del lines[place]
        case 2:
            lines[place] = "  " + lines[place]
        case _:
            lines[place] = lines[place].removeprefix("  ")
    return "\n".join(lines)
