"""What is wrong with examples: too few, twice, hit by no rule or another's; and rules that are silent in a locale."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from carerails.colang.diagnostics import nearest
from carerails.colang.folding import Pattern
from carerails.colang.rules import IN_SCOPE, Rule, categories, kebab
from carerails.colang.tree import Example
from carerails.contracts import LOCALES, RANK
from carerails.lint.language import reads_like
from carerails.lint.looked import Looked, key_of
from carerails.lint.noting import Notes
from carerails.lint.regexes import short

#: Fewest examples of a category in each locale.
ENOUGH = 12
#: Kinds of rules that a user's words are examples of.
KINDS = ("red-flag", "scope")
#: Files of examples that a judge learns from, in words that no rule is expected to know: no rule is run on them.
_FOR_THE_JUDGE = "examples/meaning/"

#: A comment that is to name a locale.
_LOCALE = re.compile(
    r"\s*#\s*((?:en|es|pt|br|mx)(?:[-_]\w+)?|english|ingl[eéê]s|spanish|espa[nñ]ol|portugu[eéê]se?s?)[\s.:,]*",
    re.IGNORECASE,
)
#: Slugs of the rules whose examples have such on purpose.
_ABOUT_PEOPLE = ("pii-blocked", "out-of-scope-pii")
_BLANK = re.compile(r"\[[a-záéíóúâêôãõñç ]{2,30}\]", re.IGNORECASE)
#: An address or a number of somebody, which has more digits than a dose, a date or a reading.
_IDENTIFIER = re.compile(r"\S+@\S+\.\w+|(?<![\w/])\+?\d(?:[ .()-]{0,2}\d){8,}(?!\w)")
#: What each of those has, which is found sooner.
_CLUE = re.compile(r"@|\d")


@dataclass(frozen=True, slots=True)
class Decided:
    """An example, and the rules that hit it, the one that decides first."""

    example: Example
    rules: tuple[Rule, ...]

    @property
    def place(self) -> tuple[str, int, int]:
        """Of the example, as a whole line."""
        return self.example.file, self.example.line, 1


def decide(rules: Mapping[str, Rule], examples: Iterable[Example], looked: Mapping[str, Looked]) -> Iterator[Decided]:
    """What the rules decide on examples; `looked` has the rules in the order of checks."""
    hits: defaultdict[str, list[Rule]] = defaultdict(list)
    for name, one in looked.items():
        for key in one.hits:
            hits[key].append(rules[name])
    for example in examples:
        yield Decided(example, tuple(sorted(hits.get(key_of(example.text), ()), key=_precedence)))


def for_rules(examples: Iterable[Example]) -> Iterator[Example]:
    """Those of which rules are expected to know the words."""
    return (example for example in examples if not example.file.startswith(_FOR_THE_JUDGE))


def check_examples(
    rules: Mapping[str, Rule], written: Sequence[Example], looked: Mapping[str, Looked], notes: Notes
) -> None:
    """Everything about the examples of a policy, which are `written` under what their files call them.

    `looked` has what the rules come to on those that are for them.
    """
    examples = tuple(named(written, rules.values()))
    check_counts(rules.values(), examples, notes)
    decided = tuple(decide(rules, for_rules(examples), looked))
    homes = _homes(rules.values())
    names = {kebab(rule.name): rule for rule in rules.values()}
    for one, said in zip(decided, for_rules(written), strict=True):
        own = names.get(kebab(said.category)) or homes.get(one.example.category)
        if one.example.category == IN_SCOPE and one.rules:
            notes.add("in-scope-hit", *one.place, [one.rules[0].name])
        elif own:
            _judge(one, own, notes)
    _silent(rules, decided, notes)
    _unhit((looked[name] for name, rule in rules.items() if rule.meta.kind in KINDS), examples, notes)


def check_counts(rules: Collection[Rule], examples: Sequence[Example], notes: Notes) -> None:
    """Every category has enough examples in each locale, none twice, and none of a category that does not exist."""
    homes = _homes(rules)
    counts = Counter((example.category, example.locale) for example in examples)
    for category, rule in homes.items():
        for locale in LOCALES:
            count = counts[category, locale]
            if count < ENOUGH:
                notes.add("few-examples", rule.file, rule.line, 1, [category, count, locale], [ENOUGH])
    strays = {example.category: example for example in reversed(examples)}
    for category, example in strays.items():
        if category not in homes and category != IN_SCOPE:
            notes.add("unknown-category", example.file, example.line, 1, [category], [nearest(category, homes)])
    check_twice(examples, notes)
    about_people = {rule.meta.category for rule in rules if rule.meta.slug in _ABOUT_PEOPLE}
    check_words((example for example in examples if example.category not in about_people), notes)


def check_words(examples: Iterable[Example], notes: Notes) -> None:
    """Each example says something, in its locale, and of nobody in particular."""
    for example in examples:
        place = (example.file, example.line, 1)
        if not any(map(str.isalnum, example.text)):
            notes.add("empty-example", *place)
        if "[" in example.text and (blank := _BLANK.search(example.text)):
            notes.add("placeholder", *place, [blank.group()])
        if _CLUE.search(example.text) and (somebody := _IDENTIFIER.search(example.text)):
            notes.add("identifier", *place, [somebody.group()])
        if other := reads_like(example.text, example.locale):
            notes.add("wrong-locale", *place, [other, f"an example for {example.locale}"])


def check_comments(texts: Mapping[str, str], notes: Notes) -> None:
    """Comments above examples that are to name a locale, and do not."""
    known = frozenset(locale.lower() for locale in LOCALES)
    for name, text in texts.items():
        for number, line in enumerate(text.split("\n") if name.startswith("examples/") else (), 1):
            said = _LOCALE.fullmatch(line)
            if said and said[1].lower() not in known:
                notes.add("unknown-locale", name, number, said.start(1) + 1, [said[1]], [nearest(said[1], LOCALES)])


def check_twice(examples: Iterable[Example], notes: Notes, file: str | None = None) -> None:
    """Examples that say the same, but for capitals and spaces."""
    first: dict[str, Example] = {}
    for example in examples:
        before = first.setdefault(" ".join(example.text.lower().split()), example)
        if before is not example and file in (None, example.file):
            notes.add("duplicate-example", example.file, example.line, 1, [f"{before.file}:{before.line}"])


def named(examples: Iterable[Example], rules: Iterable[Rule]) -> Iterator[Example]:
    """Examples under the category that their heading stands for."""
    names = categories({rule.name: rule for rule in rules})
    return (replace(one, category=names.get(kebab(one.category), kebab(one.category))) for one in examples)


def _homes(rules: Iterable[Rule]) -> dict[str, Rule]:
    """The first rule of each category."""
    return {rule.meta.category: rule for rule in reversed(list(rules)) if rule.meta.kind in KINDS}


def _precedence(rule: Rule) -> tuple[int, int]:
    return RANK[rule.meta.outcome], -rule.meta.priority


def _judge(one: Decided, own: Rule, notes: Notes) -> None:
    category = one.example.category
    if not one.rules:
        notes.add("missed-example", *one.place, [category])
        return
    first = one.rules[0]
    if RANK[first.meta.outcome] > RANK[own.meta.outcome]:
        notes.add("lower-outcome", *one.place, [category, first.meta.outcome, first.name], [category])
    elif first.meta.category != category:
        notes.add("other-category", *one.place, [first.name, category])


def _unhit(looked: Iterable[Looked], examples: Iterable[Example], notes: Notes) -> None:
    """Patterns that stand in no example."""
    keys = {key_of(example.text) for example in examples}
    arms: dict[Pattern, None] = {}
    stood: set[Pattern] = set()
    for one in looked:
        arms.update(dict.fromkeys(arm for regex in one.regexes for arm in regex.arms))
        stood = stood.union(*(found for key, found in one.stood.items() if key in keys))
    for arm in arms:
        if arm not in stood:
            notes.add("unhit-pattern", arm.file, arm.line, 1, [short(arm.regex)])


def _silent(rules: Mapping[str, Rule], decided: Iterable[Decided], notes: Notes) -> None:
    """A rule that hits examples of its category in one locale, and none in another."""
    hits: defaultdict[str, Counter[str]] = defaultdict(Counter)
    examples = Counter((one.example.category, one.example.locale) for one in decided)
    for one in decided:
        for rule in one.rules:
            if rule.meta.category == one.example.category:
                hits[rule.name][one.example.locale] += 1
    for rule in rules.values():
        for locale in LOCALES if rule.meta.kind in KINDS else ():
            if examples[rule.meta.category, locale] and not hits[rule.name][locale]:
                notes.add("silent-rule", rule.file, rule.line, 1, [rule.name, rule.meta.category, locale], [locale])
