"""What the operators and functions of the language do, and values known at load with the place of every piece.

NeMo Guardrails hands expressions to `simpleeval`; its limits are kept, so that both fail on the same input.
"""

from __future__ import annotations

import operator
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any, NoReturn, cast

#: Longest string or list that `+` and `*` may make.
LONGEST = 100_000


def add(left: Any, right: Any) -> Any:
    """`left + right`."""
    if hasattr(left, "__len__") and hasattr(right, "__len__") and len(left) + len(right) > LONGEST:
        raise OverflowError("a string or list would be too long")
    return left + right


def multiply(left: Any, right: Any) -> Any:
    """`left * right`."""
    for many, times in ((left, right), (right, left)):
        if hasattr(many, "__len__") and times * len(many) > LONGEST:
            raise OverflowError("a string or list would be too long")
    return left * right


def attribute(owner: Any, key: str) -> Any:
    """`$owner.key`: None where the key is missing."""
    if not isinstance(owner, dict):
        raise TypeError("only what has keys can be asked for one")
    return owner.get(key)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def replace(text: Any, old: Any, new: Any) -> Any:
    """`text.replace(old, new)`."""
    return _text(text).replace(old, new)


def join(separator: Any, parts: Any) -> str:
    """`separator.join(parts)`."""
    return _text(separator).join(parts)


def _text(value: Any) -> Any:
    if not isinstance(value, (str, Unseen)):
        raise TypeError("not a string")
    return value


class Unseen:
    """Stands for any text at all, in a proof. Only a replacement may be tried: it notes the word, and finds none."""

    def __init__(self) -> None:
        self.replaced: set[str] = set()

    def replace(self, old: Any, new: Any) -> Unseen:
        """Nothing changes where `old` does not stand."""
        if not isinstance(old, str) or not old or not isinstance(new, str):
            self._refuse()
        self.replaced.add(old)
        return self

    def _refuse(self, *_: Any) -> NoReturn:
        raise TypeError("the value depends on more than matches")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __bool__ = __len__ = __contains__ = __getitem__ = __hash__ = __iter__ = _refuse
    __add__ = __radd__ = __mul__ = __rmul__ = _refuse


BINARY: dict[str, Callable[[Any, Any], Any]] = {"+": add, "-": operator.sub, "*": multiply}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda item, items: operator.contains(items, item),
    "not in": lambda item, items: not operator.contains(items, item),
}
UNARY: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "not": operator.not_}
METHODS: dict[str, Callable[..., Any]] = {"replace": replace, "join": join}
#: Functions of values alone; `search` and `find_all` ask the matcher.
PLAIN: dict[str, Callable[..., Any]] = {"len": len, "int": int, "str": str}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a string that comes from one literal."""

    text: str
    file: str
    line: int


@dataclass(frozen=True)
class Known:
    """A value known at load: of a string its pieces, of a list or dict its members, known themselves."""

    value: Any
    pieces: tuple[Piece, ...] = ()
    members: Mapping[Any, Known] = field(default_factory=dict[Any, "Known"])

    @classmethod
    def at(cls, value: Any, file: str, line: int) -> Known:
        """A value that comes from one place."""
        if isinstance(value, str):
            return cls(value, pieces=(Piece(value, file, line),))
        if isinstance(value, list):
            return cls.of_list([cls.at(item, file, line) for item in cast("list[Any]", value)])
        return cls(value)

    @classmethod
    def of_list(cls, items: Sequence[Known]) -> Known:
        """A list of known items."""
        return cls([item.value for item in items], members=dict(enumerate(items)))

    @classmethod
    def of_dict(cls, keys: Sequence[str], items: Sequence[Known]) -> Known:
        """A dict of known values."""
        members = dict(zip(keys, items, strict=True))
        return cls({key: item.value for key, item in members.items()}, members=members)

    def attribute(self, key: str) -> Known:
        """`self.key`."""
        return self.members.get(key) or Known(attribute(self.value, key))

    def item(self, index: Known) -> Known:
        """`self[index]`."""
        value = self.value[index.value]
        if isinstance(self.value, str):
            piece = self.place(index.value % len(self.value))
            return Known.at(value, piece.file, piece.line) if piece else Known(value)
        return self.members[index.value if isinstance(self.value, dict) else index.value % len(self.value)]

    def plus(self, other: Known) -> Known:
        """`self + other`."""
        value = add(self.value, other.value)
        if isinstance(value, list):
            return Known.of_list([*self.members.values(), *other.members.values()])
        return Known(value, self.pieces + other.pieces)

    def joining(self, parts: Known) -> Known:
        """`self.join(parts)`."""
        value = join(self.value, parts.value)
        if not isinstance(parts.value, list):
            return Known(value, parts.pieces)
        pieces: list[Piece] = []
        for number, item in parts.members.items():
            pieces += self.pieces if number else ()
            pieces += item.pieces
        return Known(value, tuple(pieces))

    def replacing(self, old: Known, new: Known) -> Known:
        """`self.replace(old, new)`: a placeholder stands within one piece."""
        value = replace(self.value, old.value, new.value)
        pieces = tuple(Piece(p.text.replace(old.value, new.value), p.file, p.line) for p in self.pieces)
        if "".join(piece.text for piece in pieces) == value:
            return Known(value, pieces)
        first = self.place(0)
        return Known.at(value, first.file, first.line) if first else Known(value)

    def place(self, offset: int) -> Piece | None:
        """The piece that holds the character at `offset` of a string."""
        for piece in self.pieces:
            if offset < len(piece.text):
                return piece
            offset -= len(piece.text)
        return None

    def within(self, start: int, end: int) -> list[Piece]:
        """The pieces of a part of a string."""
        starts = self._starts
        first = max(bisect_right(starts, start) - 1, 0)
        return [piece for piece in self.pieces[first : bisect_left(starts, end)] if piece.text]

    @cached_property
    def _starts(self) -> list[int]:
        """Where each piece begins, and the end: a pattern of hundreds of arms is asked for each of them."""
        return list(accumulate((len(piece.text) for piece in self.pieces), initial=0))
