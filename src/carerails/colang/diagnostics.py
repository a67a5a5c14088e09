"""What can be wrong with a policy: one table of kinds, and the errors that name file, line, column and the mend."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NamedTuple

from carerails.errors import UsageError


class Kind(NamedTuple):
    """One row of the table: what is wrong and how to mend it, with `{}` where the case at hand is named."""

    what: str
    mend: str


#: By code. What NeMo Guardrails silently reads as something else, or what stops it in mid-turn, is here too.
KINDS: dict[str, Kind] = {
    # letters and strings
    "bad-character": Kind("`{}` is not part of the language", "remove it"),
    "tab": Kind("a tab", "indent and separate with spaces"),
    "quotes": Kind("a string in single quotes", 'write "..."'),
    "unclosed-string": Kind("a string that does not end on its line", "close it, or join two strings with +"),
    "raw-string": Kind('`{}"..."` is not a string', 'drop the prefix and write "\\\\b" for a backslash and b'),
    "single-backslash": Kind("`{}` in a string is not a backslash and a letter", "double the backslash: `\\{}`"),
    "last-backslash": Kind("a string that ends in a backslash", "put the next character into the same string"),
    "single-brace": Kind("`{}` in a string starts or ends an interpolation", "double it: `{}`; join values with +"),
    "three-dots": Kind("a string ends in ...: what follows is a question to a model", "write .. or end it otherwise"),
    "dollar-in-string": Kind("`{}` in a string is replaced by `{}`", "close the string and join with +"),
    "long-string": Kind('a """string""" as a value', 'write "..."; """...""" is for the docstring'),
    "adjacent-strings": Kind("two strings side by side", "join them with +, or put a comma between them"),
    "float": Kind("`{}` is not a whole number", "compare whole numbers"),
    # lines
    "backslash": Kind("a backslash at the end of a line", "break the line inside brackets"),
    "unclosed-bracket": Kind("`{}` is never closed", "close it"),
    "comment-in-brackets": Kind("a comment inside brackets", "move it above the statement"),
    "comment-indent": Kind("a comment that is not aligned with its neighbours", "indent it like the next line"),
    "indent": Kind("a line that is not aligned with its block", "give all lines of a block the same indentation"),
    "broken-line": Kind("a line that goes on with `{}`", "only `if` and `elif` may; use a variable"),
    "top-level": Kind("`{}` at the left margin", "only `flow`, `@meta(...)` and comments stand there"),
    # flows
    "import": Kind("an import outside the file of `flow main`", "move it there"),
    "flow-name": Kind("`{}` cannot be part of a flow's name", "use lower-case words and digits after a letter"),
    "flow-keyword": Kind("a flow's name that begins with `{}`", "begin it with another word"),
    "parameters": Kind("`{}` among the parameters", "write `flow name $a $b -> $c`, without defaults"),
    "reserved-name": Kind("`${}` means something else at run time", "choose another name"),
    "duplicate-flow": Kind("flow `{}` is already defined at {}", "rename or remove one"),
    "duplicate-parameter": Kind("parameter `${}` twice", "rename one"),
    "decorator": Kind("decorator `@{}`", "a pure flow takes one `@meta(...)` on the line above"),
    "decorator-alone": Kind("a decorator that no flow follows", "put it on the line right above its `flow`"),
    "empty-block": Kind("nothing follows", "indent a statement under it"),
    "no-return": Kind("flow `{}` can end without a value", "end every path with `return ...`"),
    "unreachable": Kind("this is never reached", "remove it"),
    "recursion": Kind("flow `{}` calls itself: {}", "break the circle, so that a check always ends"),
    # statements
    "syntax": Kind("unexpected {}", "expected {}"),
    "impure": Kind("`{}` acts or waits", "only `flow main` may; a rule takes values and returns one"),
    "loop": Kind("`{}` repeats or jumps", "write it with `find_all`, lists and `if`"),
    "colon": Kind("a colon", "`if`, `elif` and `else` take none"),
    "else-if": Kind("`else if`", "write `elif`"),
    "augmented": Kind("`{}` sets, it does not add", "write `$x = $x + ...`"),
    "no-dollar": Kind("`{}` without `$`", "write `${}`"),
    "bare-return": Kind("`return` without a value", "write `return []` or another value"),
    "return-await": Kind("`return await`", "`$x = await ...`, then `return $x`"),
    "no-await": Kind("a flow called without `await`", "write `$x = await ...`"),
    "unused-await": Kind("a flow called for nothing", "write `$x = await ...`; a pure flow has no other effect"),
    "await-group": Kind("`await ... {} ...` waits for ever", "one `$x = await ...` a line"),
    "await-argument": Kind("`{}` in an argument of a flow", "put the value into a variable first"),
    "await-parentheses": Kind("parentheses around a flow's arguments", "write `$x = await name $a $b`"),
    # expressions
    "grouping": Kind("parentheses that group", "use a variable, a nested `if`, or an alternation in the pattern"),
    "list-element": Kind("`{}` inside a list", "put the element into a variable first"),
    "dict-key": Kind("a key that is not a plain string", 'write `"name": value`'),
    "operator": Kind("operator `{}`", "the subset has + - * == != < <= > >= in, not in, and, or, not"),
    "slice": Kind("a slice", "index one element"),
    "constant": Kind("`{}` is not a value", "write {}"),
    "function": Kind("unknown function `{}`", "{}"),
    "method": Kind("method `.{}()`", "the subset has `.replace(a, b)` and `.join(list)`"),
    "arity": Kind("`{}` takes {} arguments, here are {}", "give it exactly these"),
    "named-argument": Kind("a named argument of a function", "give the value by position"),
    "attribute": Kind("`.{}` here", "`$variable.key` reads one key of a variable; no key is called like a method"),
    # names
    "undefined-flow": Kind("unknown flow `{}`", "{}"),
    "undefined-argument": Kind("flow `{}` has no parameter `${}`", "{}"),
    "argument-count": Kind("flow `{}` takes {}, here are {}", "give every parameter one value"),
    "undefined-variable": Kind("`${}` has no value", "{}"),
    "maybe-undefined": Kind("`${}` has no value on some path", "give it one before the `if`"),
    "action": Kind("action `{}`", "only `flow check meaning` may ask somebody; a rule takes what was answered"),
    "unknown-action": Kind("unknown action `{}`", "{}"),
    # patterns and constants
    "pattern-not-constant": Kind("a pattern that is not known at load", "build it from strings, lists, + and join"),
    "bad-regex": Kind("the pattern is not a regular expression: {}", "correct it"),
    "capture-group": Kind("a group that captures", "write `(?:...)`"),
    "constant-fails": Kind("this can never be computed: {}", "correct the types"),
    # the policy
    "meta-key": Kind("unknown meta key `{}`", "{}"),
    "meta-missing": Kind("meta key `{}` is missing", "a {} needs: {}"),
    "meta-value": Kind("{}", "{}"),
    "signature": Kind("flow `{}` takes {}", "a {} takes {}"),
    "rule-name": Kind("flow `{}`", "a {} is called `{} ...`"),
    "duplicate-template": Kind("template `{}` is already at {}", "keep one"),
    "no-check": Kind("no `flow check turn $text`", "declare the order of checks in one"),
    "examples": Kind("{} in a file of examples", 'write `user said "..."` or `or user said "..."`'),
    "example-locale": Kind("examples without a locale", "put a comment above: `# en`, `# es-419` or `# pt-BR`"),
    "no-guard": Kind("no guard `{}` in flow `guards`", "write the guards again: `carerails rails guards`"),
}


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing that is wrong. Line and column count from 1."""

    code: str
    file: str
    line: int
    column: int
    what: str
    mend: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.what} [{self.code}] ({self.mend})"


class CompileError(UsageError):
    """A policy that must not run. `diagnostics` has everything that is wrong with it, in order of file and line."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(diagnostic) for diagnostic in self.diagnostics))


class Rejected(Exception):
    """The rest of this statement cannot be read; its diagnostic is already in the report."""


@dataclass(slots=True)
class Report:
    """Collects diagnostics, so that one run shows all of them."""

    found: list[Diagnostic] = field(default_factory=list[Diagnostic])

    def add(
        self, code: str, file: str, line: int, column: int, what: Iterable[object] = (), mend: Iterable[object] = ()
    ) -> None:
        """Add one case of a kind; `what` and `mend` fill the blanks of its row."""
        kind = KINDS[code]
        self.found.append(Diagnostic(code, file, line, column, kind.what.format(*what), kind.mend.format(*mend)))

    def sorted(self) -> tuple[Diagnostic, ...]:
        """All of them, by place, each once."""
        return tuple(sorted(dict.fromkeys(self.found), key=lambda d: (d.file, d.line, d.column, d.code)))

    def raise_if_any(self) -> None:
        """Raise CompileError if anything is wrong."""
        if self.found:
            raise CompileError(self.sorted())


def nearest(name: str, known: Iterable[str]) -> str:
    """The mend of a misspelt name: the one that it resembles, else all that exist."""
    names = sorted(known)
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean `{near[0]}`?"
    listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"there is {listed}" if names else "there is none"
