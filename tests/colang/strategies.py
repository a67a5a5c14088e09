"""Pure flows made at random, as text: what the subset can say, well-typed or not."""

from __future__ import annotations

import re
import string

from hypothesis import strategies as st

#: What a generated flow is given, by parameter.
GIVEN: dict[str, object] = {
    "text": "my chest pain, don't {know}",
    "words": ["pain", "chest", ""],
    "number": 3,
    "numbers": {"emergency": "911", "doses": 2},
}
LETTERS = string.ascii_letters + string.digits + "áñ€ .,:;!?'\"\\{}()[]|#$%&*+-=<>/@^~`_\n\t"
PATTERNS = ["chest|pain", "\\bp\\w{1,3}n\\b", "zzz", "[a-c]h", "(?:my|ny) ", "don't"]


def literal(value: str) -> str:
    """The value as the subset writes it."""
    for plain, written in (("\\", "\\\\"), ('"', '\\"'), ("{", "{{"), ("}", "}}"), ("\n", "\\n"), ("\t", "\\t")):
        value = value.replace(plain, written)
    return f'"{value}"'


def sayable(value: str) -> bool:
    """Whether one literal can hold the value: no variable's name in it, no backslash at its end."""
    return not re.search(r"\$[A-Za-z_]|\\$", value)


strings = st.text(LETTERS, max_size=8).filter(sayable).map(literal) | st.sampled_from(PATTERNS).map(literal)
patterns = st.sampled_from(PATTERNS).map(literal)
odd = st.sampled_from(["$words", "$numbers", "$number", "None", "True", '"a"', "[]", "$text", "$numbers.doses"])


def _mostly(right: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """What fits, and now and then what does not."""
    return st.one_of(right, right, right, right, right, right, odd)


def _texts(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Operands that are strings."""
    fitting = _mostly(inner)
    sums = fitting | st.tuples(fitting, fitting).map(" + ".join)
    return st.one_of(
        st.sampled_from(["$words[1]", "$words[-1]", "$text[0]", '$numbers["emergency"]', "$words[7]"]),
        st.tuples(inner, sums, sums).map(lambda p: f"{p[0]}.replace({p[1]}, {p[2]})"),
        st.tuples(inner, _mostly(lists(inner))).map(lambda p: f"{p[0]}.join({p[1]})"),
    )


def lists(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Operands that are lists of strings."""
    sums = inner | st.tuples(inner, inner).map(" + ".join)
    return st.one_of(
        st.just("$words"),
        st.lists(_mostly(inner), max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.tuples(patterns, _mostly(sums)).map(lambda p: f"find_all({p[0]}, {p[1]})"),
    )


texts = st.recursive(st.one_of(strings, st.sampled_from(["$text", "$numbers.emergency"])), _texts, max_leaves=5)
wholes = st.one_of(
    st.integers(0, 12).map(str),
    st.sampled_from(["$number", "$numbers.doses", 'int("42")', "int($numbers.emergency)", "$numbers.missing"]),
    _mostly(texts | lists(texts)).map(lambda value: f"len({value})"),
)


def _sums(fitting: st.SearchStrategy[str], signs: list[str]) -> st.SearchStrategy[str]:
    parts = st.lists(st.tuples(st.sampled_from(signs), fitting), min_size=1, max_size=3)
    return st.tuples(fitting, parts).map(lambda p: p[0] + "".join(sign + part for sign, part in p[1]))


sums = st.one_of(
    _sums(_mostly(texts), [" + ", "+"]),
    _sums(_mostly(lists(texts)), [" + "]),
    _sums(_mostly(wholes | wholes.map("-{}".format)), [" + ", " - ", " * ", "*"]),
    texts,
    lists(texts),
    wholes,
)
orders = st.sampled_from([" == ", " != ", " < ", " <= ", " > ", " >= "])
comparisons = st.one_of(
    st.tuples(_mostly(wholes), orders, _mostly(wholes)).map("".join),
    st.tuples(wholes, orders, wholes, orders, wholes).map("".join),
    st.tuples(_mostly(texts), st.sampled_from([" in ", " not in ", " == "]), _mostly(texts)).map("".join),
    st.tuples(texts, st.sampled_from([" in ", " not in "]), _mostly(lists(texts))).map("".join),
    st.tuples(patterns, _mostly(texts)).map(lambda p: f"search({p[0]}, {p[1]})"),
    sums,
)
inversions = comparisons | comparisons.map("not {}".format)
tests = st.one_of(
    inversions,
    st.lists(inversions, min_size=2, max_size=3).map(" and ".join),
    st.lists(inversions, min_size=2, max_size=3).map(" or ".join),
    st.tuples(inversions, inversions, inversions).map(lambda p: f"{p[0]} or {p[1]} and not {p[2]}"),
)
dicts = st.lists(st.tuples(st.sampled_from(['"a"', '"b"', '"c d"']), tests), max_size=3).map(
    lambda items: "{" + ", ".join(f"{key}: {value}" for key, value in items) + "}"
)
expressions = tests | dicts


@st.composite
def bodies(draw: st.DrawFn, indent: int = 2, depth: int = 2) -> str:
    """Statements that always return."""
    pad = " " * indent
    lines = [
        f"{pad}{name} = {draw(expressions)}"
        for name in draw(st.lists(st.sampled_from(["$x", "$words", "$text"]), max_size=2))
    ]
    if depth and draw(st.booleans()):
        lines.append(f"{pad}if {draw(tests)}")
        lines.append(draw(bodies(indent + 2, depth - 1)))
        if draw(st.booleans()):
            lines.append(f"{pad}elif {draw(tests)}")
            lines.append(f"{pad}  $number = {draw(sums)}")
    lines.append(f"{pad}return {draw(expressions)}")
    return "\n".join(lines)


def flow(name: str, body: str) -> str:
    """A flow that takes what GIVEN gives."""
    return f"flow {name} {' '.join(f'${parameter}' for parameter in GIVEN)} -> $y\n{body}\n"
