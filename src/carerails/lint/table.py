"""Every rule of the linter: one table of codes. docs/lint.md is made from it (`python -m carerails.lint.manual`)."""

from __future__ import annotations

from typing import NamedTuple

from carerails.colang.diagnostics import KINDS
from carerails.lint.finding import Severity


class Rule(NamedTuple):
    """One row: how grave, what is wrong and how to mend it (`{}` is the case at hand), and why it matters."""

    severity: Severity
    what: str
    mend: str
    why: str


_LANGUAGE = "the rails do not load, or NeMo's runtime reads something else than it says"
_SILENT = "it never matches a normalised text, and nobody is told"
_ENGINES = "engines read it differently, or cannot read it"
_SLOW = "a text can be made on which `re` takes minutes, and no timeout stops it"

#: How a problem of `carerails.matching.check_regex` is called here, and why it is one.
REGEX: dict[str, tuple[str, str]] = {
    "look-around": ("look-around", _ENGINES),
    "capture-group": ("capture-group", "`find_all` then gives the groups, and not what matched"),
    "backreference": ("backreference", _ENGINES),
    "inline-flags": ("inline-flags", _ENGINES),
    "atomic": ("atomic-group", _ENGINES),
    "comment": ("regex-comment", _ENGINES),
    "unbounded": ("unbounded-gap", _SLOW),
    "open-count": ("open-count", _ENGINES),
    "anchor": ("anchor", "a text is several views, joined by line ends"),
    "white-space": ("white-space", _ENGINES),
    "escape": ("escape", _ENGINES),
    "line-end": ("line-end", _SILENT),
    "capital": ("capital", _SILENT),
    "foreign": ("accent", _SILENT),
    "newline": ("crosses-views", "a match must lie within one view of the text"),
    "duplicate": ("duplicate-pattern", "somebody will edit one of the two"),
    "empty": ("empty-match", "it hits every text"),
    "no-literal": ("no-literal", "without a word to look for, it runs on every text"),
    "nested": ("nested-repeat", _SLOW),
    "unsupported": ("unsupported-regex", _ENGINES),
    "never-matches": ("never-matches", _SILENT),
    "double-space": ("double-space", _SILENT),
    "literal-backslash": ("literal-backslash", _SILENT),
    "pipe-in-class": ("pipe-in-class", "it matches one letter, and not the words"),
    "empty-branch": ("empty-branch", "without the words that are missing it hits what it should not"),
    "long-gap": ("long-gap", "what stands far apart has nothing to do with each other"),
    "no-edge": ("no-edge", "`stroke` stands in `keystroke`"),
}

_OWN: dict[str, Rule] = {
    # flows
    "unused-flow": Rule("warning", "flow `{}` is called by nobody", "call it, or remove it", "its patterns never run"),
    "unused-variable": Rule(
        "error", "`${}` is never read", "use it, or remove it", "the patterns of a locale that nobody joins never run"
    ),
    "constant-branch": Rule(
        "error", "this condition is always {}", "remove it, or say what was meant", "a branch is never taken"
    ),
    "same-branch": Rule(
        "error", "the same condition as on line {}", "remove it, or say what was meant", "the branch is never taken"
    ),
    "overwritten": Rule(
        "error",
        "nobody reads what `${}` was given on line {}",
        "join the two, or give it another name",
        "the patterns of the first are lost",
    ),
    "never-in-text": Rule(
        "error",
        "`{}` never stands in a text",
        "write it in lower case, without accents",
        "texts are in lower-case ASCII, and the condition is never true",
    ),
    "fails-when-run": Rule(
        "error", "`{}` fails: {}", "{}", "a check that fails escalates or refuses, whatever the text says"
    ),
    "reason-slug": Rule(
        "error", "reason `{}` shows the text `{}`", "show `{}`", "the user reads why something else is refused"
    ),
    "category-kind": Rule(
        "error",
        "`{}` is a red flag and a reason to refuse",
        "call one of them otherwise",
        "examples belong to one of the two, and nobody sees which",
    ),
    "unknown-locale": Rule("error", "no locale is called `{}`", "{}", "the branch is never taken"),
    "missing-docstring": Rule(
        "warning", "flow `{}` does not say what it is for", 'add """..."""', "a clinical reviewer reads docstrings"
    ),
    # order of checks
    "rule-order": Rule(
        "error",
        "rule `{}` is called {} times in `check turn`",
        "call it once, and report it by its own name",
        "a rule that nobody calls is off",
    ),
    "hits-nothing": Rule(
        "error",
        "rule `{}` hits a text in which none of its patterns matches",
        "return [] there",
        "it hits every text that its guard lets through",
    ),
    "runs-always": Rule(
        "warning",
        "rule `{}` runs on every text: it looks at more than matches before it has found anything",
        "search for its words first, and `return []` where there are none",
        "every message pays for it",
    ),
    "text-grows": Rule(
        "error",
        "a text gets longer, however long it is",
        "do it `if len($text) < 99000`, or replace what was found",
        "a text whose views have 100,000 characters fails, and escalates",
    ),
    "stale-guards": Rule(
        "error",
        "the guards were made from other patterns",
        "write them again: `carerails rails guards`",
        "NeMo's runtime skips a rule whose guard lacks a new phrase",
    ),
    # templates
    "missing-template": Rule("error", "no template for `{}`", "write one", "the user gets no text"),
    "missing-locale": Rule(
        "error", "template `{}` says in {} what it says in en", "write a branch for {}", "refusals fall back to English"
    ),
    "unknown-number": Rule(
        "error", "template `{}` shows `$numbers.{}`, which no country has", "{}", "rendering fails in mid-turn"
    ),
    "empty-template": Rule("error", "template `{}` says nothing in {}", "write a text", "the user gets no text"),
    "uneven-numbers": Rule(
        "error",
        "template `{}` shows `$numbers.{}` in {}, and not in {}",
        "show it there, too",
        "people of one locale get no number",
    ),
    "placeholder": Rule("error", "`{}` is to be replaced", "write what is meant", "the user reads it as it stands"),
    "glued": Rule(
        "error", "`{}` in template `{}` lacks a space, or has one too many", "write one space", "it looks broken"
    ),
    "wrong-locale": Rule(
        "warning",
        "this reads like {}, and is {}",
        "move it, or translate it",
        "people read the wrong language, or are not found in theirs",
    ),
    "fixed-number": Rule(
        "warning",
        "`{}` is written into template `{}`",
        "show `$numbers.emergency` or `$numbers.crisis`",
        "a number is of one country",
    ),
    "not-rendered": Rule(
        "error", "`render template` has no branch for `{}`", "add one", "NeMo's runtime has no text for it"
    ),
    # examples
    "few-examples": Rule(
        "error",
        "category `{}` has {} examples in {}",
        "write at least {}",
        "what has no example is tested in no locale",
    ),
    "unknown-category": Rule("error", "examples of `{}`, which no rule has", "{}", "nothing is learnt from them"),
    "silent-rule": Rule(
        "error",
        "rule `{}` hits none of the examples of `{}` in {}",
        "write its patterns for {}",
        "one locale fires fifteen times and another never",
    ),
    "missed-example": Rule(
        "warning", "no rule hits this example of `{}`", "widen a pattern, or move the example", "people say it so"
    ),
    "lower-outcome": Rule(
        "error",
        "this example of `{}` is decided as `{}`, by rule `{}`",
        "let a rule of `{}` hit it",
        "an emergency that is decided as less is a miss",
    ),
    "other-category": Rule(
        "info",
        "rule `{}` of another category decides this example of `{}`",
        "nothing, if that is as well",
        "the outcome is as grave, but a reviewer may wonder",
    ),
    "in-scope-hit": Rule(
        "warning", "rule `{}` hits this example of what must be answered", "narrow the rule", "an over-refusal"
    ),
    "empty-example": Rule("error", "an example without a word", "write what people say", "nothing can hit it"),
    "identifier": Rule(
        "warning", "`{}` may be somebody's", "write the sentence without it", "examples are read by many, and shipped"
    ),
    "duplicate-example": Rule("warning", "the same as the example at {}", "remove one", "it counts twice"),
    "unhit-pattern": Rule(
        "info", "no example hits `{}`", "write one that does: `carerails rails coverage`", "nothing shows that it works"
    ),
    "shadowed-pattern": Rule(
        "warning", "whatever `{}` matches, `{}` on line {} matches too", "remove one", "it never decides anything"
    ),
    # what is begun
    "unwritten": Rule("error", "this is still to be written", "write it", "a clinical reviewer, or a user, reads it"),
    # settings
    "config-key": Rule("error", "unknown key `{}`", "{}", "it is ignored, and with it what it was to switch on"),
    "duplicate-key": Rule("error", "`{}` stands on line {}, too", "keep one", "the later one wins, and nobody is told"),
    "not-read": Rule("warning", "nobody reads a file of this name", "call it `{}`", "what it says has no effect"),
    "config-value": Rule("error", "{}", "{}", "the deployment does not start, or not as it says"),
    "missing-number": Rule(
        "error",
        "{} shows the numbers of {}, which has no {}",
        "add it to numbers.yml",
        "an emergency text without a number",
    ),
    # any configuration of NeMo Guardrails
    "undefined-action": Rule("error", "unknown action `{}`", "{}", "the turn ends without an answer"),
    "undefined-message": Rule(
        "warning",
        "bot message `{}` has no text",
        "define it",
        "a model makes one up, or the turn ends without an answer",
    ),
    "unused-definition": Rule("info", "`{}` is used by no flow", "use it, or remove it", "it has no effect"),
    "unknown-import": Rule("error", "nothing to import as `{}`", "{}", "the configuration does not load"),
    "waits-for-ever": Rule(
        "error",
        "`await ... and ...` on flows that end at once waits for ever",
        "await them one by one",
        "no answer, no error",
    ),
    "endless-loop": Rule(
        "error",
        "`while` without a `match`, `await` or `break`",
        "wait for something in it",
        "it blocks the process for ever",
    ),
    "looks-like-action": Rule(
        "error", "a flow called `{}` is taken for an action or an event", "call it in lower case", "it is never run"
    ),
    # suppressions
    "suppression": Rule("error", "{}", "{}", "what is silenced without a reason stays silenced for ever"),
    "unused-suppression": Rule(
        "warning", "nothing to allow here as `{}`", "remove it", "it would hide the next finding of that code"
    ),
}

#: By code: what the compiler reports, what a regex may not have, then what only the linter looks for.
RULES: dict[str, Rule] = {
    **{code: Rule("error", kind.what, kind.mend, _LANGUAGE) for code, kind in KINDS.items()},
    **{
        code: Rule("info" if code == "no-edge" else "error", "{}", "{}", why)
        for code, why in REGEX.values()
        if code != "capture-group"
    },
    **_OWN,
}
