"""Reads Python actions without running them: those that only search a text for literals become patterns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from carerails.importing.found import Action, Place, Project
from carerails.importing.patterns import escaped

_TEXT_METHODS = {"get", "lower", "casefold", "strip", "replace"}
_TEXT_NODES = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.BoolOp, ast.Dict, ast.Subscript, ast.IfExp),
    *(ast.Load, ast.Or, ast.Compare, ast.Is, ast.IsNot),
)
_CASELESS = {"IGNORECASE", "I"}
_LOGGING = {"log", "logger", "logging", "print"}
#: What a rail's outcome is in truth.
_OUTCOMES = {"block": True, "allow": False}


class _Unreadable(Exception):
    """It does more than search. Line, and what it is."""

    def __init__(self, node: ast.AST, what: str) -> None:
        super().__init__(what)
        self.line: int = getattr(node, "lineno", 0)


def read_actions(name: str, text: str, project: Project) -> None:
    """Add the actions of one file; those that do more than search stay behind, with the line that says so."""
    try:
        tree = ast.parse(text)
        constants = _constants(tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        project.leave(Place(name, getattr(error, "lineno", None) or 1), "the file", "is not Python that can be read")
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            called = _registered(node)
            if called:
                _read(called, node, constants, Place(name, node.lineno), project)


def key_of(name: str) -> str:
    """An action by whatever name a flow calls it: `CheckTermsAction` and `check_terms` are one."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.removesuffix("Action")).lower()
    return snake.removesuffix("_action")


def _registered(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """The name under which `@action` registers it."""
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        target = call.func if call else decorator
        if (target.id if isinstance(target, ast.Name) else getattr(target, "attr", "")) == "action":
            named = [k.value for k in call.keywords if k.arg == "name"] if call else []
            value = named[0] if named else (call.args[0] if call and call.args else None)
            return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else node.name
    return None


def _read(
    name: str,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    constants: dict[str, list[str]],
    place: Place,
    project: Project,
) -> None:
    try:
        extra = [each for each in (node.args.vararg, node.args.kwarg) if each]
        parameters = {each.arg for each in (*node.args.args, *node.args.kwonlyargs, *extra)}
        found = _Body(dict(constants), parameters).read(node.body)
    except _Unreadable as error:
        project.leave(Place(place.file, error.line or place.line), f"action {name}", f"does more than search: {error}")
    except RecursionError:
        project.leave(place, f"action {name}", "is too deep to read")
    else:
        values = {value for _, value in found}
        if len(values) != 1:
            project.leave(place, f"action {name}", "returns one thing for some patterns and another for others")
            return
        patterns = tuple(dict.fromkeys(pattern for each, _ in found for pattern in each))
        project.actions[key_of(name)] = Action(name, patterns, values.pop(), place)


class _Body:
    """The statements of one function: constants, the text's way into a variable, searches and what they return."""

    def __init__(self, constants: dict[str, list[str]], parameters: set[str]) -> None:
        self.constants = constants
        self.texts = parameters
        self.matches: dict[str, tuple[list[str], bool]] = {}
        self.found: list[tuple[list[str], bool]] = []
        self.otherwise: bool | None = None

    def read(self, body: Iterable[ast.stmt]) -> list[tuple[list[str], bool]]:
        """Patterns, and the value that is returned where they match."""
        for statement in body:
            self._statement(statement)
        if not self.found:
            raise _Unreadable(next(iter(body)), "no search of a literal pattern")
        if any(value == self.otherwise for _, value in self.found):
            raise _Unreadable(next(iter(body)), "it returns the same whether a pattern matches or not")
        return self.found

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Expr) and _is_quiet(node.value):
            return
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            self._assign(node.targets[0].id, node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            self._assign(node.target.id, node.value)
        elif isinstance(node, ast.If) and not node.orelse:
            self._if(node)
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name) and not node.orelse:
            self._for(node)
        elif isinstance(node, ast.Return):
            self._return(node)
        else:
            raise _Unreadable(node, f"`{ast.unparse(node).splitlines()[0][:60]}`")

    def _assign(self, name: str, value: ast.expr) -> None:
        literal = _literal(value, self.constants)
        if literal is not None:
            self.constants[name] = literal
        elif self._is_text(value):
            self.texts.add(name)
        else:
            self.matches[name] = self._match(value)

    def _if(self, node: ast.If) -> None:
        """`if <match>: return X`, or a guard on an empty text."""
        returns = [statement for statement in node.body if not _is_logging(statement)]
        value = _truth(returns[0].value) if len(returns) == 1 and isinstance(returns[0], ast.Return) else None
        if value is None:
            raise _Unreadable(node, f"`{ast.unparse(node).splitlines()[0][:60]}`")
        if isinstance(node.test, ast.UnaryOp) and getattr(node.test.operand, "id", None) in self.texts:
            return
        patterns, positive = self._match(node.test)
        self.found.append((patterns, value if positive else not value))

    def _for(self, node: ast.For) -> None:
        """`for p in PATTERNS: if re.search(p, text): return X`."""
        literal = _literal(node.iter, self.constants)
        if literal is None or not isinstance(node.target, ast.Name):
            raise _Unreadable(node, f"`{ast.unparse(node).splitlines()[0][:60]}`")
        self.constants[node.target.id] = literal
        for statement in node.body:
            self._statement(statement)

    def _return(self, node: ast.Return) -> None:
        value = _truth(node.value)
        if value is None:
            if node.value is None:
                raise _Unreadable(node, "a return without a value")
            self.found.append(self._match(node.value))
        else:
            self.otherwise = value

    def _match(self, node: ast.expr) -> tuple[list[str], bool]:
        """The patterns of an expression that is true where one of them matches, or (False) where none does."""
        if isinstance(node, ast.Name) and node.id in self.matches:
            return self.matches[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            patterns, positive = self._match(node.operand)
            return patterns, not positive
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._compare(node)
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            every = [self._match(value) for value in node.values]
            if all(positive for _, positive in every):
                return [pattern for patterns, _ in every for pattern in patterns], True
        if isinstance(node, ast.Call):
            return self._call(node), True
        raise _Unreadable(node, f"`{ast.unparse(node)[:60]}`")

    def _compare(self, node: ast.Compare) -> tuple[list[str], bool]:
        """`match is not None`, or `"word" in text`."""
        operator, right = node.ops[0], node.comparators[0]
        if isinstance(operator, (ast.Is, ast.IsNot)) and isinstance(right, ast.Constant) and right.value is None:
            patterns, positive = self._match(node.left)
            return patterns, positive if isinstance(operator, ast.IsNot) else not positive
        words = _literal(node.left, self.constants)
        if isinstance(operator, ast.In) and words is not None and self._is_text(right):
            return [escaped(word) for word in words], True
        raise _Unreadable(node, f"`{ast.unparse(node)[:60]}`")

    def _call(self, node: ast.Call) -> list[str]:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        owner = node.func.value if isinstance(node.func, ast.Attribute) else None
        if name == "bool" and len(node.args) == 1:
            return self._positive(node.args[0])
        if name == "any" and len(node.args) == 1 and isinstance(node.args[0], (ast.GeneratorExp, ast.ListComp)):
            return self._any(node.args[0])
        if name in ("search", "findall") and owner is not None:
            modular = isinstance(owner, ast.Name) and owner.id in ("re", "regex")
            pattern = _literal(node.args[0] if modular and node.args else owner, self.constants)
            flags = [*node.args[2:], *(keyword.value for keyword in node.keywords)] if modular else []
            if pattern is not None and all(_caseless(flag) for flag in flags):
                return pattern
        raise _Unreadable(node, f"`{ast.unparse(node)[:60]}`")

    def _any(self, node: ast.GeneratorExp | ast.ListComp) -> list[str]:
        """`any(re.search(p, text) for p in PATTERNS)`."""
        loop = node.generators[0]
        literal = _literal(loop.iter, self.constants)
        if len(node.generators) > 1 or loop.ifs or literal is None or not isinstance(loop.target, ast.Name):
            raise _Unreadable(node, f"`{ast.unparse(node)[:60]}`")
        self.constants[loop.target.id] = literal
        return self._positive(node.elt)

    def _positive(self, node: ast.expr) -> list[str]:
        patterns, positive = self._match(node)
        if not positive:
            raise _Unreadable(node, f"`{ast.unparse(node)[:60]}`")
        return patterns

    def _is_text(self, node: ast.expr) -> bool:
        """Whether it only fetches the text: parameters and what comes of them, `.get`, `.lower`, `.strip`, `or`."""
        for part in ast.walk(node):
            if isinstance(part, ast.Call):
                if not (isinstance(part.func, ast.Attribute) and part.func.attr in _TEXT_METHODS):
                    return False
            elif not isinstance(part, _TEXT_NODES) or (isinstance(part, ast.Name) and part.id not in self.texts):
                return False
        return True


def _constants(body: Iterable[ast.stmt]) -> dict[str, list[str]]:
    """Names of the module that stand for literal strings or patterns."""
    found: dict[str, list[str]] = {}
    for node in body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            literal = _literal(node.value, found)
            if literal is not None:
                found[node.targets[0].id] = literal
    return found


def _literal(node: ast.expr, names: dict[str, list[str]]) -> list[str] | None:
    """The strings that an expression stands for, of which any may match; None: it is not made of literals."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)) and node.elts:
        parts = [_literal(each, names) for each in node.elts]
        return [text for part in parts if part for text in part] if all(parts) else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _literal(node.left, names), _literal(node.right, names)
        if left and right:
            return [left[0] + right[0]] if len(left) == len(right) == 1 else [*left, *right]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        if node.func.attr == "compile" and all(_caseless(flag) for flag in node.args[1:]):
            return _literal(node.args[0], names)
        if node.func.attr == "join" and isinstance(node.func.value, ast.Constant) and node.func.value.value == "|":
            return _literal(node.args[0], names)
    return None


def _truth(node: ast.expr | None) -> bool | None:
    """The truth that is returned: a constant, or `RailOutcome.block()`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _OUTCOMES.get(node.func.attr)
    return None


def _is_quiet(node: ast.expr) -> bool:
    """A docstring, or a line for the log."""
    if isinstance(node, ast.Constant):
        return True
    root = node.func if isinstance(node, ast.Call) else None
    while isinstance(root, ast.Attribute):
        root = root.value
    return isinstance(root, ast.Name) and root.id in _LOGGING


def _is_logging(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and _is_quiet(node.value)


def _caseless(node: ast.expr) -> bool:
    """A flag that only lets the case of letters go, as rails do."""
    return isinstance(node, ast.Attribute) and node.attr in _CASELESS
