"""Reading expressions: the part of NeMo Guardrails' grammar that the subset keeps, one method a rule."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn

from carerails.colang.diagnostics import Rejected, Report, nearest
from carerails.colang.tokens import UNREADABLE, Line, Token
from carerails.colang.tree import (
    Attribute,
    Binary,
    Call,
    Compare,
    Constant,
    DictOf,
    Expression,
    Index,
    ListOf,
    Logic,
    Method,
    Number,
    Text,
    Unary,
    Variable,
)

#: Number of arguments, by function and by method.
FUNCTIONS = {"search": 2, "find_all": 2, "len": 1, "int": 1, "str": 1}
METHODS = {"replace": 2, "join": 1}
CONSTANTS: dict[str, bool | None] = {"True": True, "False": False, "None": None}
_ALMOST_CONSTANTS = {"true": "True", "false": "False", "null": "None", "none": "None", "nil": "None"}
COMPARISONS = frozenset(["==", "!=", "<", "<=", ">", ">=", "in"])
_FOREIGN_OPERATORS = frozenset(["/", "//", "%", "**", "|", "&", "^", "~", "<<", ">>", "<>", "@", "is"])
# NeMo gives every dict and string as a Python object: such a key would read the object's method.
_TAKEN_KEYS = frozenset(name for kind in (dict, str, list, int) for name in dir(kind))
_IN_STRING = re.compile(r"\\(.)|(\$[A-Za-z_][A-Za-z0-9_]*)|(\{+|\}+)")
_ESCAPES = {"\\": "\\", '"': '"', "n": "\n", "t": "\t"}


class Expressions:
    """A cursor over the tokens of one logical line. Methods raise Rejected where the rest makes no sense."""

    def __init__(self, file: str, report: Report) -> None:
        self.file, self.report = file, report
        self.tokens: tuple[Token, ...] = ()
        self.at = 0

    # --- cursor

    def open(self, line: Line) -> None:
        """Start at the first token of a line."""
        self.tokens, self.at = line.tokens, 0

    @property
    def token(self) -> Token:
        """The next token, which can be read."""
        token = self.tokens[self.at]
        if token.kind in UNREADABLE:
            self.fail(token.kind, token, [token.text])
        return token

    def ahead(self, distance: int = 1) -> Token:
        """A token further on; the last one where there are no more."""
        return self.tokens[min(self.at + distance, len(self.tokens) - 1)]

    def take(self) -> Token:
        """The next token, and go on."""
        token = self.token
        if token.kind != "end":
            self.at += 1
        return token

    def sees(self, *texts: str) -> bool:
        """Whether the next token is one of these words or operators."""
        return self.token.kind in ("name", "operator") and self.token.text in texts

    def accept(self, *texts: str) -> bool:
        """Take the next token if it is one of these."""
        seen = self.sees(*texts)
        if seen:
            self.at += 1
        return seen

    def expect(self, text: str) -> Token:
        """Take this word or operator."""
        if not self.sees(text):
            self.unexpected(f"`{text}`")
        return self.take()

    def expect_end(self) -> None:
        """The line must be over."""
        if self.token.kind != "end":
            self.unexpected("the end of the line")

    def note(self, code: str, token: Token, what: list[str] | None = None, mend: list[str] | None = None) -> None:
        """Report, and read on."""
        self.report.add(code, self.file, token.line, token.column, what or (), mend or ())

    def fail(self, code: str, token: Token, what: list[str] | None = None, mend: list[str] | None = None) -> NoReturn:
        """Report, and give this statement up."""
        self.note(code, token, what, mend)
        raise Rejected

    def unexpected(self, wanted: str) -> NoReturn:
        """Report that something else was expected, naming the usual mistakes by their own code."""
        token = self.token
        if token.kind == "string" and self.at and self.tokens[self.at - 1].kind == "string":
            self.fail("adjacent-strings", token)
        if token.kind == "string" and self.at and self.tokens[self.at - 1].kind == "name":
            self.fail("raw-string", self.tokens[self.at - 1], [self.tokens[self.at - 1].text])
        if token.text in _FOREIGN_OPERATORS and token.kind in ("operator", "name"):
            self.fail("operator", token, [token.text])
        if token.text in ("+=", "-="):
            self.fail("augmented", token, [token.text])
        if token.text == "(":
            self.fail("grouping", token)
        if token.text == "=" and wanted == "the end of the line":
            self.fail("operator", token, ["="])
        shown = {"end": "end of the line", "doc": 'a """string"""'}.get(token.kind, f"`{token.text}`")
        self.fail("syntax", token, [shown], [wanted])

    # --- grammar, loosest first

    def test(self) -> Expression:
        """`a or b`."""
        return self._logic("or", lambda: self._logic("and", self._inversion))

    def _logic(self, word: str, operand: Callable[[], Expression]) -> Expression:
        start = self.token
        parts = [operand()]
        while self.sees(word):
            joint = self.take()
            if self.tokens[self.at].column == joint.column + len(word):
                self.unexpected(f"a space after `{word}`")
            parts.append(operand())
        if len(parts) == 1:
            return parts[0]
        return Logic(start.line, start.column, "and" if word == "and" else "or", tuple(parts))

    def _inversion(self) -> Expression:
        start = self.token
        if self.accept("not"):
            return Unary(start.line, start.column, "not", self._inversion())
        return self._comparison()

    def _comparison(self) -> Expression:
        start = self.token
        operands, operators = [self.sum()], list[str]()
        while True:
            if self.sees(*COMPARISONS):
                operators.append(self.take().text)
            elif self.sees("not") and self.ahead().text == "in":
                self.at += 2
                operators.append("not in")
            else:
                break
            operands.append(self.sum())
        return Compare(start.line, start.column, tuple(operators), tuple(operands)) if operators else operands[0]

    def sum(self) -> Expression:
        """`a + b - c`: also the most that an argument of a function may be."""
        start = self.token
        left = self._product()
        while self.sees("+", "-"):
            left = Binary(start.line, start.column, self.take().text, left, self._product())
        return left

    def _product(self) -> Expression:
        start = self.token
        left = self._signed()
        while self.accept("*"):
            left = Binary(start.line, start.column, "*", left, self._signed())
        return left

    def _signed(self) -> Expression:
        start = self.token
        if self.accept("-"):
            return Unary(start.line, start.column, "-", self._signed())
        return self.operand()

    def operand(self) -> Expression:
        """A value with what is asked of it: `a[0]`, `$a.key`, `a.join(b)`. All that an element of a list may be."""
        start = self.token
        value = self._atom()
        while True:
            if self.accept("["):
                if self.sees(":"):
                    self.fail("slice", self.token)
                value = Index(start.line, start.column, value, self.sum())
                if self.sees(":"):
                    self.fail("slice", self.token)
                self.expect("]")
            elif self.accept("."):
                value = self._member(start, value)
            else:
                return value

    def _member(self, start: Token, value: Expression) -> Expression:
        name = self.take()
        if name.kind != "name":
            self.at -= 1
            self.unexpected("a name")
        if self.accept("("):
            if name.text not in METHODS:
                self.fail("method", name, [name.text])
            return Method(start.line, start.column, value, name.text, self._arguments(name, METHODS[name.text]))
        if not isinstance(value, Variable) or name.text in _TAKEN_KEYS or name.text.startswith("_"):
            self.fail("attribute", name, [name.text])
        return Attribute(start.line, start.column, value.name, name.text)

    def _arguments(self, name: Token, count: int) -> tuple[Expression, ...]:
        """After the opening parenthesis: `count` sums and the closing one."""
        values: list[Expression] = []
        while not self.sees(")"):
            if self.ahead().text == "=" and self.token.kind in ("name", "variable"):
                self.fail("named-argument", self.token)
            values.append(self.sum())
            if not self.sees(")"):
                self.expect(",")
        self.take()
        if len(values) != count:
            self.fail("arity", name, [name.text, str(count), str(len(values))])
        return tuple(values)

    def _atom(self) -> Expression:
        token = self.take()
        if token.kind == "string":
            return Text(token.line, token.column, self.string(token))
        if token.kind == "number":
            return Number(token.line, token.column, self.whole(token))
        if token.kind == "variable":
            return Variable(token.line, token.column, token.text[1:])
        if token.kind == "name":
            return self._named(token)
        if token.kind == "operator" and token.text == "[":
            return ListOf(token.line, token.column, self._elements())
        if token.kind == "operator" and token.text == "{":
            return self._dict(token)
        if token.kind == "doc":
            self.fail("long-string", token)
        self.at -= token.kind != "end"
        return self.unexpected("a value")

    def _named(self, token: Token) -> Expression:
        if token.text in CONSTANTS:
            return Constant(token.line, token.column, CONSTANTS[token.text])
        if token.text in _ALMOST_CONSTANTS:
            self.fail("constant", token, [token.text], [f"`{_ALMOST_CONSTANTS[token.text]}`"])
        if self.token.kind == "string" and self.token.column == token.column + len(token.text):
            self.fail("raw-string", token, [token.text])
        if not self.accept("("):
            self.fail("constant", token, [token.text], [f"`${token.text}` for a variable"])
        if token.text not in FUNCTIONS:
            self.fail("function", token, [token.text], [nearest(token.text, FUNCTIONS)])
        return Call(token.line, token.column, token.text, self._arguments(token, FUNCTIONS[token.text]))

    def _elements(self) -> tuple[Expression, ...]:
        items: list[Expression] = []
        while not self.sees("]"):
            if self.sees("-"):
                self.fail("list-element", self.token, ["-"])
            items.append(self.operand())
            if self.token.text in {"+", "-", "*", *COMPARISONS, "and", "or", "not"} and self.token.kind != "string":
                self.fail("list-element", self.token, [self.token.text])
            if not self.sees("]"):
                self.expect(",")
        self.take()
        return tuple(items)

    def _dict(self, start: Token) -> Expression:
        keys: list[str] = []
        values: list[Expression] = []
        while not self.sees("}"):
            key = self.take()
            if key.kind != "string":
                self.fail("dict-key", key)
            keys.append(self.string(key))
            self.expect(":")
            values.append(self.test())
            if not self.sees("}"):
                self.expect(",")
        self.take()
        return DictOf(start.line, start.column, tuple(keys), tuple(values))

    # --- literals

    def whole(self, token: Token) -> int:
        """The value of a number token."""
        if not token.text.isdecimal() or not token.text.isascii() or (token.text[0] == "0" and token.text != "0"):
            self.fail("float", token, [token.text])
        return int(token.text)

    def string(self, token: Token) -> str:
        """The value of a string token; every trap in it is reported at its own column."""
        body = token.text[1:-1]
        parts: list[str] = []
        end = 0
        for match in _IN_STRING.finditer(body):
            escaped, variable, braces = match.groups()
            at = token._replace(column=token.column + 1 + match.start())
            parts.append(body[end : match.start()])
            end = match.end()
            if escaped:
                if escaped not in _ESCAPES:
                    self.note("single-backslash", at, [match.group()], [match.group()])
                elif escaped == "\\" and end == len(body):
                    self.note("last-backslash", at)
                parts.append(_ESCAPES.get(escaped, ""))
            elif variable:
                self.note("dollar-in-string", at, [variable, "var_" + variable[1:]])
            else:
                if len(braces) % 2:
                    self.note("single-brace", at, [braces], [braces[0] * 2])
                parts.append(braces[0] * (len(braces) // 2))
        if body.rstrip().endswith("..."):
            self.note("three-dots", token._replace(column=token.column + len(body.rstrip()) - 2))
        return "".join([*parts, body[end:]])
